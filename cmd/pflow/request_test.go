//go:build !race

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pflow/internal/planner"
	"pflow/internal/shelf"
	"pflow/internal/split"
	"pflow/internal/value"
	"pflow/ir"
	"pflow/nodes"
)

// sentences are requests that the offline planner must carry out, each first in the words of a plain sentence, then in
// other words, then for other values. OUT is where the result goes, URL a server.
var sentences = []struct {
	name  string
	words []string
	want  string
	again string // the same wish with other values
	other string // what that gives in OUT2
	holds []string
}{
	{
		name: "copy",
		words: []string{"copy README.md to OUT", "please copy the file README.md to OUT", "make a copy of README.md at OUT",
			"put a copy of README.md in OUT"},
		want: "read me\n", again: "copy other.md to OUT2", other: "other\n", holds: []string{"README", "out.txt"},
	},
	{
		name: "list",
		words: []string{"list all .go files in engine and write them to OUT", "find the .go files in the folder engine and save the list to OUT",
			"List every .go file in engine and store the names in OUT", "list the .go files of the folder engine, then write the list to OUT"},
		want: "engine/a.go\nengine/b.go\n", again: "list all .txt files in docs and write them to OUT2", other: "docs/c.txt\n",
		holds: []string{".go", "engine", "out.txt"},
	},
	{
		name: "count",
		words: []string{"read go.mod, count its lines and save the number to OUT", "count the lines of go.mod and write the count to OUT",
			"read the file go.mod, count the lines and put the result into OUT", "how many lines does go.mod have? write the number to OUT"},
		want: "3", again: "read other.md, count its lines and save the number to OUT2", other: "1", holds: []string{"go.mod", "out.txt"},
	},
	{
		name: "download",
		words: []string{"fetch URL/data.json, take the field items and write it to OUT", "fetch URL/data.json, extract the field items and save it to OUT",
			"get URL/data.json, pick the items field and store it in OUT", "Get URL/data.json, then take the field items and put it into OUT"},
		want: "[1,2]", again: "get URL/data.json, take the field names and write it to OUT2", other: `["a"]`,
		holds: []string{"127.0.0.1", "items", "out.txt"},
	},
	{
		name: "run",
		words: []string{"run go version and save the output to OUT", "run the command go version and write what it prints to OUT",
			"run `go version`, then store the output in OUT", "please run go version and then write the output to OUT"},
		want: "go version ", again: "run go env GOEXE and save the output to OUT2", other: "", holds: []string{"go version", `"go"`, "out.txt"},
	},
}

// newRequestApp is the program in a folder of its own with an empty home and no terminal.
func newRequestApp(t *testing.T) (run func(args ...string) (int, string, string)) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"README.md": "read me\n", "other.md": "other\n", "go.mod": "module m\n\ngo 1.26\n", "engine/a.go": "", "engine/b.go": "", "engine/c.txt": "", "docs/c.txt": "", "docs/d.go": "",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	home := t.TempDir()
	return func(args ...string) (int, string, string) {
		var out, errs bytes.Buffer
		getenv := func(name string) string {
			if name == "PFLOW_HOME" {
				return home
			}
			return os.Getenv(name)
		}
		a := newApp(strings.NewReader(""), &out, &errs, getenv)
		code := a.main(context.Background(), args)
		return code, out.String(), errs.String()
	}
}

func testServer(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"items": [1, 2], "names": ["a"]}`)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestRequests carries out each sentence in an empty home: a workflow is made, saved and run. The same wish for other
// values then finds that workflow, which holds none of the first one's values.
func TestRequests(t *testing.T) {
	url := testServer(t)
	for _, s := range sentences {
		for _, words := range s.words {
			t.Run(s.name+"/"+words, func(t *testing.T) {
				run := newRequestApp(t)
				fill := strings.NewReplacer("OUT2", "out2.txt", "OUT", "out.txt", "URL", url)
				code, _, errs := run("--yes", fill.Replace(words))
				got, err := os.ReadFile("out.txt")
				if code != 0 || err != nil || !strings.HasPrefix(string(got), s.want) {
					t.Fatalf("status %d, %v, got %q, want %q\n%s", code, err, got, s.want, errs)
				}
				code, plan, errs := run("plan", "--json", fill.Replace(s.again))
				var p struct {
					Status, Path string
					IR           any `json:"workflow_ir"`
				}
				if err := json.Unmarshal([]byte(plan), &p); err != nil || code != 0 || p.Path != "reuse" {
					t.Fatalf("status %d, %v, path %q, want reuse\n%s%s", code, err, p.Path, plan, errs)
				}
				document, _ := json.Marshal(withoutText(p.IR))
				for _, v := range s.holds {
					if strings.Contains(string(document), v) {
						t.Errorf("the saved workflow holds %q: %s", v, document)
					}
				}
				if code, _, errs := run("--yes", fill.Replace(s.again)); code != 0 {
					t.Fatalf("status %d\n%s", code, errs)
				}
				if got, err := os.ReadFile("out2.txt"); err != nil || string(got) != s.other {
					t.Errorf("%v, got %q, want %q", err, got, s.other)
				}
			})
		}
	}
}

// withoutText is a document without what its components say of themselves.
func withoutText(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, item := range v {
			if k != "description" && k != "purpose" {
				out[k] = withoutText(item)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = withoutText(item)
		}
		return out
	}
	return v
}

// TestRequestsWithOtherNames plans each sentence over node types whose names say nothing, and wants the same steps as over such
// whose names do. Whether they do all of it is another matter: a name can account for a word.
func TestRequestsWithOtherNames(t *testing.T) {
	plan := func(t *testing.T, text string, rename func(int, string) string) []string {
		a := newApp(strings.NewReader(""), io.Discard, io.Discard, func(string) string { return "" })
		var all []*ir.Interface
		original := map[string]string{}
		for n, typ := range nodes.Types(a.deps()) {
			i := *typ.Interface
			i.Name = rename(n, i.Name)
			original[i.Name] = typ.Interface.Name
			all = append(all, &i)
		}
		p, err := a.plan((&shelf.Shelf{Catalogue: ir.NewCatalogue(all...)}).Within(context.Background()), planner.Request{Text: text}, false, split.Nobody)
		if err != nil {
			t.Fatal(err)
		}
		w, found := ir.Decode([]byte(value.JSON(p.WorkflowIR)))
		if found.HasErrors() {
			t.Fatalf("%s: %s", p.Status, value.JSON(p.Error))
		}
		var types []string
		for _, n := range w.Nodes {
			types = append(types, original[n.Type])
		}
		return types
	}
	fill := strings.NewReplacer("OUT", "out.txt", "URL", "http://127.0.0.1:8080")
	for _, s := range sentences {
		for _, words := range s.words {
			t.Run(s.name+"/"+words, func(t *testing.T) {
				want := plan(t, fill.Replace(words), func(_ int, name string) string { return "my-" + name }) // phrases know none of them
				got := plan(t, fill.Replace(words), func(n int, _ string) string { return "zq" + string(rune('a'+n)) })
				if strings.Join(got, " ") != strings.Join(want, " ") {
					t.Errorf("got %v, want %v", got, want)
				}
			})
		}
	}
}
