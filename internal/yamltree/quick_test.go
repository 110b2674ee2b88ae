package yamltree

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pflow/internal/diag"
)

// slow reads the documents of a source with the library alone.
func slow(doc *Document) (values []*Value, found diag.List) {
	nodes, found := doc.read()
	for _, n := range nodes {
		v, more := doc.build(n)
		values, found = append(values, v), append(found, more...)
	}
	return values, found
}

// same reports a difference of what is read quickly to what the library reads: every kind, text, place and style.
func same(t *testing.T, doc *Document) (quick bool) {
	t.Helper()
	got := doc.quick()
	if got == nil {
		return false
	}
	want, found := slow(doc)
	if len(want) != len(got) || len(found) > 0 {
		t.Fatalf("%s is read, but the library has: %v\n%s", doc.File, found, doc.source)
	}
	for k := range got {
		if !reflect.DeepEqual(got[k], want[k]) {
			t.Fatalf("%s: %s\n%s", doc.File, difference(got[k], want[k]), doc.source)
		}
	}
	return true
}

// difference says where two trees part.
func difference(got, want *Value) string {
	a, b := *got, *want
	a.Items, a.Entries, b.Items, b.Entries = nil, nil, nil, nil
	if !reflect.DeepEqual(a, b) || len(got.Items) != len(want.Items) || len(got.Entries) != len(want.Entries) {
		a.Doc, b.Doc = nil, nil
		return strings.TrimSpace(a.Place.String()) + ": got " + describe(&a) + ", want " + describe(&b) + " at " + b.Place.String()
	}
	for k := range got.Items {
		if !reflect.DeepEqual(got.Items[k], want.Items[k]) {
			return difference(got.Items[k], want.Items[k])
		}
	}
	for k := range got.Entries {
		for _, pair := range [][2]*Value{{got.Entries[k].Name, want.Entries[k].Name}, {got.Entries[k].Value, want.Entries[k].Value}} {
			if !reflect.DeepEqual(pair[0], pair[1]) {
				return difference(pair[0], pair[1])
			}
		}
	}
	return "an empty list or mapping is nil"
}

func describe(v *Value) string { return v.Kind.String() + " " + quote(v.Text) }

// What is read quickly is what the library reads, in every YAML file and JSON file of the project.
func TestQuickIsTheLibrary(t *testing.T) {
	read, all := 0, 0
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ext := filepath.Ext(path); entry.IsDir() || ext != ".yaml" && ext != ".json" {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if len(data) > 1<<20 {
			return nil
		}
		doc, _ := open(path, data)
		if doc == nil {
			return nil
		}
		all++
		if same(t, doc) {
			read++
		} else if strings.Contains(path, "nodes/phrases") {
			t.Errorf("%s is not read quickly: every start without a model reads it", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d files are read quickly", read, all)
	if read < all/2 {
		t.Errorf("only %d of %d files are read quickly", read, all)
	}
}

var quickSeeds = []string{
	"a: b\n", "a: 'it''s'\nb: \"x\\ny\"\n", "a:\n- b\n- c: d\n  e: f\ng: h", "a:\n  - {b: c, \"d\":1, e: [1, 2,],}\n  # x\n  - f # g\n", "- a\n- - b\n", "a: |\n  x\n   y\n\n  z\nb: |-\n  c\n\nd: e\n",
	"{\"a\": [1, {\"b\": null}], \"c\": \"\\u00e9\"}", "[a: b]", "a: b: c", "a: b\n  c\n", "a:\nb:\n  c", "é: ü # ä\nx: {ö: [ä, é]}\n", "a: [b,\n c,\n d]\n", "a: {b, c: d}", "a : b", "? a", "\"a\": b", "a: -1\nb: - c", "a: b #c\nd: e#f",
	"a: [b]\n c: d", "a:\n    b: c\n  d: e", "--- a", "a\n...\n", "%a", "a: {b: c\n---\n}", "a: [#b\n]", "a:\n # b\n  c: d", "a: |\n\n  b", "a: |\n  b", "a: 'b\n  c'", "- a: |\n   b\n  c: d\n", "- |\n a\n- b", "a: \"b\" c", "{a: b}: c", "[a, b]: c", "{a: ,}", "[,]", "[a,,b]", "a: {b: c}}", "<<: a", "a: &x b\nc: *x\n", "a: &x {b: c}\nd: [*x, &y e, *y]\n", "a: &x\n  b: c\nd: *x", "a\n---\nb: c\n", "---\na\n---\n", "a: >-\n  b\n  c\nd: e", "a: >\n  b\n   c\n", "\"\\u00e9\\ud800\"", "&a b: c", "*a : b", "a: [&x\n b]", "- &x a: b\n- *x", "a: &x b: c", "&x [a, *x]", "- &x - a", "a: *x b", "1: a", "a: 1\na: 2",
}

func TestQuickSeeds(t *testing.T) {
	for _, seed := range quickSeeds {
		if doc, _ := open("f", []byte(seed)); doc != nil {
			same(t, doc)
		}
	}
}

// FuzzQuick: what is read quickly is what the library reads.
func FuzzQuick(f *testing.F) {
	for _, seed := range quickSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if doc, _ := open("f", data); doc != nil {
			same(t, doc)
		}
	})
}
