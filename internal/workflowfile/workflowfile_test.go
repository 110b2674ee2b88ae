package workflowfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/diag"
	"pflow/ir"
)

// A YAML file says the same as JSON: numbers with all their digits as they are written, keys in their order.
func TestRead(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"b: 1\na: {d: [x, null, true], c: }\n", `{"b":1,"a":{"d":["x",null,true],"c":null}}`},
		{"n: [1234567890123456789, 0.10, 1.0, 1e3, -0, 007, +7, 0x1F, .5, '7', yes, ~]", `{"n":[1234567890123456789,0.10,1.0,1e3,-0,7,7,31,0.5,"7","yes",null]}`},
		{"v: 0.1.0\nd: 2024-02-29T10:00:00Z\nt: |\n  say \"${x}\"\n  \\n\n", `{"v":"0.1.0","d":"2024-02-29T10:00:00Z","t":"say \"${x}\"\n\\n\n"}`},
		{"a: &x {k: 1}\nb: *x\n", `{"a":{"k":1},"b":{"k":1}}`},
		{"\ufeffa: ü\n", `{"a":"ü"}`},
	} {
		f, err := Read("f.yaml", []byte(c.text))
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if string(f.JSON) != c.want || len(f.Found) > 0 {
			t.Errorf("%q:\ngot  %s %s\nwant %s", c.text, f.JSON, f.Found.Text(), c.want)
		}
	}
	for _, name := range []string{"f.json", "f", "the record of a run"} {
		if f, err := Read(name, []byte("{")); err != nil || string(f.JSON) != "{" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Each workflow that the validator is tested with says the same in YAML: it is valid, or has the same findings at the
// places of the same values.
func TestSameFindings(t *testing.T) {
	files, err := filepath.Glob("../../ir/testdata/*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	same := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		asYAML, err := Read("f.yaml", data) // most JSON is YAML
		if err != nil || !json.Valid(data) {
			continue
		}
		asJSON, err := Read("f.json", data)
		if err != nil {
			t.Fatal(err)
		}
		c := ir.NewCatalogue()
		_, list := ir.Check(data, c, ir.Options{})
		_, again := ir.Check(asYAML.JSON, c, ir.Options{})
		want, got := asJSON.Locate(list), asYAML.Locate(again)
		for _, l := range []diag.List{want, got} {
			for i := range l {
				l[i].Place.File, l[i].Snippet = "", ""
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
		same++
	}
	if same < len(files)/2 {
		t.Errorf("only %d of %d files are YAML, too", same, len(files))
	}
}

func TestLocate(t *testing.T) {
	const text = "ir:\n  nodes:\n    - id: a\n      \"odd.key\": |\n        text\n    - &x {id: b}\n    - *x\n"
	f, err := Read("f.yml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"": "f.yml:2:3", "nodes": "f.yml:3:5", "nodes[0]": "f.yml:3:7", "nodes[0].id": "f.yml:3:11", "nodes[0].type": "f.yml:3:7",
		`nodes[0]["odd.key"]`: "f.yml:4:18", "nodes[1].id": "f.yml:6:15", "nodes[2].id": "f.yml:6:15", "nodes[9]": "f.yml:3:5", "edges": "f.yml:2:3",
	} {
		if got := f.Locate(diag.List{{Path: path}})[0].Place.String(); got != want {
			t.Errorf("%s is at %s, want %s", path, got, want)
		}
	}
}

// What is no workflow in YAML is told with its place, and a document that would be too large is bounded.
func TestErrors(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	aliases := "a: &a " + long + "\nb: ["
	laughs := "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
	for c := 'b'; c <= 'i'; c++ {
		laughs += fmt.Sprintf("%c: &%[1]c [%s*%c]\n", c, strings.Repeat(fmt.Sprintf("*%c, ", c-1), 9), c-1)
	}
	for name, c := range map[string]struct{ text, want string }{
		"a list":         {"- a\n", "f.yaml:1:1: error: a workflow is a mapping: {ir_version, nodes, edges, …}, not a list [wrong-kind]"},
		"text":           {"hello\n", "f.yaml:1:1: error: a workflow is a mapping: {ir_version, nodes, edges, …}, not text [wrong-kind]"},
		"nothing":        {"# later\n", "f.yaml:1:1: error: the document is empty [bad-yaml]"},
		"two documents":  {"a: 1\n---\na: 2\n", "f.yaml:3:1: error: a second document begins here; one file holds one document [bad-yaml]"},
		"twice":          {"a: 1\na: 2\n", `f.yaml:2:1: error: the key "a" stands here twice; the first is in line 1 [duplicate-key]`},
		"a template":     {"nodes: [{id: a, type: ${x}}]\n", "f.yaml:1:24: error: inside { } and [ ], a text with ${…} needs quotes [bad-yaml]"},
		"digits":         {"n: 12345678901234567890\n", "f.yaml:1:4: error: the integer 12345678901234567890 does not fit in 64 bits; quote it if it is text [bad-yaml]"},
		"long aliases":   {aliases + strings.Repeat("*a, ", 4000) + "]\n", "f.yaml:1:4: error: aliases make this document too large: written out it has more than 16 MB [bad-yaml]"},
		"many aliases":   {laughs, "f.yaml:5:20: error: aliases make this document too large: they add more than 50000 values [bad-yaml]"},
		"inside itself":  {"a: &a [*a]\n", "f.yaml:1:8: error: the alias *a stands inside its own anchor [bad-yaml]"},
		"too deep":       {"a: " + strings.Repeat("[", 200) + strings.Repeat("]", 200), "f.yaml:1:103: error: lists and mappings nest deeper than 100 levels here [bad-yaml]"},
		"not UTF-8":      {"a: \xff", "f.yaml:1:4: error: this is not valid UTF-8; save the document as UTF-8 [bad-yaml]"},
		"merged":         {"a: &a {b: 1}\nc: {<<: *a}\n", "f.yaml:2:5: error: merge keys (<<) are not supported"},
		"a control code": {"a: \x00", "f.yaml:1:4: error: the control character U+0000 cannot stand here"},
	} {
		_, err := Read("f.yaml", []byte(c.text))
		var findings *diag.Err
		if !errors.As(err, &findings) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, _, _ := strings.Cut(findings.List.Text(), "\n"); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
	}
}

// A text that YAML cuts off at a # is told, a comment is not.
func TestCutText(t *testing.T) {
	for text, want := range map[string]int{
		"a: issue #${n}\n":                        1,
		"a: filter(list, # > 1)\n":                1,
		"a: 'issue #${n}'\n":                      0,
		"a: issue # what it is about\n":           0,
		"a: f(x) # calls f\n":                     0,
		"a: x\n#b: y\n":                           0,
		"a: |\n  issue #${n}\n":                   0,
		"a: 7 #seven\n":                           0,
		"a: &x issue #1\nb: [*x, *x]\n":           1,
		"a:\n" + strings.Repeat("- a #b\n", 1000): maxFound,
	} {
		f, err := Read("f.yaml", []byte(text))
		if err != nil {
			t.Errorf("%.40q: %v", text, err)
			continue
		}
		if len(f.Found) != want {
			t.Errorf("%.40q: %s", text, f.Found.Text())
		}
		for _, w := range f.Found {
			if w.Severity != diag.Warning || w.Kind != CutText || w.Place.Line == 0 {
				t.Errorf("%.40q: %+v", text, w)
			}
		}
	}
}

func TestHint(t *testing.T) {
	for text, want := range map[string]bool{"a: 1\n": true, "{a: 1}": false, "{": false, "hello": false, "- a": false, "a: [": false} {
		f, _ := Read("f.json", []byte(text))
		if got := f.Hint() != ""; got != want {
			t.Errorf("%q: %q", text, f.Hint())
		}
	}
}

// FuzzRead: what is read is JSON, whatever it is made of, and findings about any of it have a place.
func FuzzRead(f *testing.F) {
	f.Add("a: [1, {b: 0x1F, c: .5}]\nd: &x y #z\ne: *x\n")
	f.Add("ir: {nodes: [{id: \"\\0\\x85\\u2028\"}]}\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Read("f.yaml", []byte(text))
		if err != nil {
			return
		}
		if !json.Valid(got.JSON) {
			t.Fatalf("%q is no JSON", got.JSON)
		}
		_, list := ir.Decode(got.JSON)
		for _, found := range got.Locate(list) {
			if found.Place.Line < 1 || found.Place.Col < 1 {
				t.Fatalf("%+v", found)
			}
		}
	})
}
