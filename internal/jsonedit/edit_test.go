package jsonedit

import (
	"strings"
	"testing"

	"pflow/internal/value"
)

// TestEdits changes documents and compares the whole of them: what is not changed stays as it stands.
func TestEdits(t *testing.T) {
	set := func(path string, v any, mode Mode) func([]byte) ([]byte, error) {
		return func(doc []byte) ([]byte, error) { return Set(doc, mustPath(t, path), v, mode) }
	}
	remove := func(path string) func([]byte) ([]byte, error) {
		return func(doc []byte) ([]byte, error) { return Remove(doc, mustPath(t, path)) }
	}
	for _, c := range []struct {
		name, doc string
		do        func([]byte) ([]byte, error)
		want      string // an error begins with !
	}{
		{"set", `{"host":"x", "port" : 8080}` + "\n", set("port", 9090, Put), `{"host":"x", "port" : 9090}` + "\n"},
		{"set in a list", `{"a": [1, {"b": 2}]}`, set("a[1].b", "x", Put), `{"a": [1, {"b": "x"}]}`},
		{"set from the end", `[1,2,3]`, set("[-1]", 4, Put), `[1,2,4]`},
		{"add, on one line", `{"a":1}`, set("b", true, Add), `{"a":1,"b":true}`},
		{"add, in lines", "{\n  \"a\": 1\n}\n", set("b", nil, Add), "{\n  \"a\": 1,\n  \"b\": null\n}\n"},
		{"add a key within", "{\n\t\"s\": {\n\t\t\"p\": 1\n\t}\n}", set("s.q", []any{1}, Add), "{\n\t\"s\": {\n\t\t\"p\": 1,\n\t\t\"q\": [\n\t\t\t1\n\t\t]\n\t}\n}"},
		{"add to nothing", `{}`, set("a.b", 1, Put), `{"a":{"b":1}}`},
		{"add what is there", `{"a": 1}`, set("a", 2, Add), "!a is there already: 1"},
		{"change what is not there", `{"port": 1}`, set("prot", 2, Change), `!there is no key "prot" in the document; did you mean "port"? There are: port`},
		{"a key written otherwise", `{"max_size": 1}`, set("Max Size", 2, Change), `{"max_size": 2}`},
		{"two such keys", `{"max_size": 1, "maxSize": 2}`, set("max size", 2, Change), `!the document has the keys "max_size" and "maxSize"`},
		{"through a text", `{"a": "x"}`, set("a.b", 1, Put), "!a is no object"},
		{"remove the first", `{"a": 1, "b": 2}`, remove("a"), `{"b": 2}`},
		{"remove the last", "{\n  \"a\": 1,\n  \"b\": 2\n}", remove("b"), "{\n  \"a\": 1\n}"},
		{"remove the only one", "{\n  \"a\": 1\n}", remove("a"), "{}"},
		{"remove the document", `[1]`, remove(""), "!the path to remove is empty"},
		{"rename", `{"a": 1, "b": 2}`, func(doc []byte) ([]byte, error) { return Rename(doc, Path{"a"}, "c d") }, `{"c d": 1, "b": 2}`},
		{"rename to what is there", `{"a": 1, "b": 2}`, func(doc []byte) ([]byte, error) { return Rename(doc, Path{"a"}, "b") }, `!there is a key "b" already`},
		{"append", `[1, 2]`, func(doc []byte) ([]byte, error) { return Append(doc, nil, 3) }, `[1, 2, 3]`},
		{"append to no list", `{"a": 1}`, func(doc []byte) ([]byte, error) { return Append(doc, Path{"a"}, 3) }, "!a is no list"},
		{"merge", `{"a": 1}`, func(doc []byte) ([]byte, error) { return Merge(doc, map[string]any{"a": 2, "b": 3}) }, `{"a": 2, "b": 3}`},
		{"append to an object", `{"a": 1}`, func(doc []byte) ([]byte, error) { return Append(doc, nil, map[string]any{"b": 2}) }, `{"a": 1, "b": 2}`},
		{"append what is there", `{"a": 1}`, func(doc []byte) ([]byte, error) { return Append(doc, nil, map[string]any{"a": 2}) }, "!a is there already: 1"},
		{"append a text to an object", `{"a": 1}`, func(doc []byte) ([]byte, error) { return Append(doc, nil, "b") }, "!the document is no list"},
		{"a place of the only list", `{"n": 2, "users": [1, 2]}`, set("[1]", 3, Put), `{"n": 2, "users": [1, 3]}`},
		{"a place of two lists", `{"a": [1], "b": [2]}`, set("[0]", 3, Put), "!the document is no list"},
		{"merge a list", `[1]`, func(doc []byte) ([]byte, error) { return Merge(doc, []any{2}) }, `[1,2]`},
		{"merge a list with an object", `[1]`, func(doc []byte) ([]byte, error) { return Merge(doc, map[string]any{}) }, "!the document and object {}"},
		{"of each", `[{"a": 1, "b": 2}, {"b": 3}]`, func(doc []byte) ([]byte, error) {
			out, _, err := RemoveOfEach(doc, nil, "a")
			return out, err
		}, `[{"b": 2}, {"b": 3}]`},
		{"no JSON", `{"a": }`, set("a", 1, Put), "!not valid JSON at line 1, column"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.do([]byte(c.doc))
			if want, fails := strings.CutPrefix(c.want, "!"); fails {
				if err == nil || !strings.HasPrefix(err.Error(), want) && !strings.Contains(err.Error(), want) {
					t.Fatalf("got %s, %v; want the error %s", got, err, want)
				}
				return
			}
			if err != nil || string(got) != c.want {
				t.Fatalf("got %s, %v; want %s", got, err, c.want)
			}
		})
	}
}

// TestRead reads values, also of each object of a list.
func TestRead(t *testing.T) {
	doc := []byte(`{"s": {"p": [1, 2]}, "people": [{"name": "Ann"}, {"name": "Bob"}], "a.b": 3}`)
	for path, want := range map[string]string{"s.p[1]": "2", "s.p[-2]": "1", "people.name": `["Ann","Bob"]`, `["a.b"]`: "3", "": `{"a.b":3,"people":[{"name":"Ann"},{"name":"Bob"}],"s":{"p":[1,2]}}`} {
		v, _, err := Read(doc, mustPath(t, path))
		if err != nil || value.JSON(v) != want {
			t.Errorf("%s: %s, %v; want %s", path, value.JSON(v), err, want)
		}
	}
	nested := []byte(`[{"name": "Ann", "address": {"city": "Rome", "geo": {"x": 1}}, "work": {"geo": 2}}]`)
	if v, _, err := Read(nested, Path{0, "city"}); err != nil || v != "Rome" {
		t.Errorf("city of an object further in: %v, %v", v, err)
	}
	if keys, err := Keys(nested, Path{0, "address"}); err != nil || len(keys) != 2 {
		t.Error(keys, err)
	}
	if v, _, err := Read(nested, Path{0, "geo"}); err == nil {
		t.Errorf("geo of two objects is %v", v)
	}
	if _, _, err := Read(doc, Path{"people", "nam"}); err == nil || !strings.Contains(err.Error(), `people[0]: there is no key "nam"`) {
		t.Error(err)
	}
	for _, bad := range []string{"a.", "a..b", "a[", "a[x]", ".a"} {
		if p, err := ParsePath(bad); err == nil {
			t.Errorf("%q is read as %v", bad, p)
		}
	}
}

func mustPath(t *testing.T, text string) Path {
	t.Helper()
	p, err := ParsePath(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
