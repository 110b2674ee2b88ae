package catalogue

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/library"
	"pflow/internal/value"
	"pflow/ir"
)

const good = `name: resize
description: |
  Resize an image.
  Keeps its ratio.
inputs:
- {key: image, type: string, kind: image, required: true, description: The image.}
- {key: width, type: integer, default: 640, enum: [320, 640]}
outputs:
- key: info
  structure: {size: integer, exif: {camera: string}, faces: [{name: string}]}
params:
- {key: width, type: integer}
- {key: filter, type: string, raw: true}
effects: [reads, writes]
actions: [empty]
run:
  shell: {command: convert $image}
---
name: plan-only
`

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func builtin() []*ir.Interface {
	return []*ir.Interface{
		{Name: "llm", Description: "Ask a language model.", Effects: []ir.Effect{ir.Network}, Inputs: []ir.Port{{Key: "prompt", Type: value.String, Required: true}},
			Outputs: []ir.Port{{Key: "response", Type: value.Any}}},
		{Name: "delete-file", Description: "Delete a file.", Effects: []ir.Effect{ir.Destructive}, Inputs: []ir.Port{{Key: "file_path", Type: value.String, Required: true}}},
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.yaml", good)
	write(t, dir, "b.yml", "name: llm\n---\nname: fine\ndescripton: x\n")
	write(t, dir, "broken.yaml", "name: first\n---\nname: second\ninputs: [}\n---\nname: third\n")
	write(t, dir, "c.yaml", "name: bad-type\ninputs:\n- {key: a, type: str}\n---\nname: a b\n---\ndescription: x\n---\nname: bad-run\nrun: {ssh: x}\n---\nname: twice\ninputs: [{key: a}, {key: a}]\n---\nname: bad-default\nparams: [{key: a, type: integer, default: x}]\n---\n[1]\n")
	write(t, dir, "ignored.txt", "x")
	write(t, dir, ".hidden.yaml", "x: [")
	s, found := Load(Options{Builtin: builtin(), Sources: []Source{{Path: dir}, {Path: dir + "/none", Optional: true}, {Path: dir + "/missing"}}})
	if diff := cmp.Diff([]string{"llm", "delete-file", "resize", "plan-only", "first", "third", "bad-default"}, s.Catalogue.Names()); diff != "" {
		t.Error(diff)
	}
	want := `b.yml:1: warning: the node "llm" is left out: the name belongs to a built-in node [duplicate-node]
b.yml:4:1: warning: the node "fine" is left out: there is no key "descripton" here; there is: actions, description, effects, examples, forms, inputs, name, open_outputs, open_params, outputs, params, parse, run [bad-node]
  descripton: x
  ^
  did you mean "description"?
broken.yaml:4:9: warning: the node is left out: a value is missing here; check brackets and braces [bad-yaml]
  inputs: [}
          ^
c.yaml:3:18: warning: the node "bad-type" is left out: want one of: string, number, integer, boolean, array, object, any; got "str" [bad-node]
  - {key: a, type: str}
                   ^
  did you mean "string"?
c.yaml:5:7: warning: the node "a b" is left out: the name "a b" may hold letters, digits, _, . and - only [bad-node]
  name: a b
        ^
c.yaml:7:1: warning: the node is left out: a node needs a name [bad-node]
  description: x
  ^
c.yaml:10:6: warning: the node "bad-run" is left out: run is one of {shell: …}, {http: …}, {flow: …}, {mcp: …}; leave it out for a node that is only planned with [bad-node]
  run: {ssh: x}
       ^
c.yaml:13:20: warning: the node "twice" is left out: the key "a" stands twice [bad-node]
  inputs: [{key: a}, {key: a}]
                     ^
c.yaml:16:43: warning: the default of "a" is ignored: want integer, got string "x" [bad-default]
  params: [{key: a, type: integer, default: x}]
                                            ^
c.yaml:18:1: warning: the node is left out: want a node: {name, description, inputs, outputs, params, …}, got a list [bad-node]
  [1]
  ^
missing: error: cannot be read, so its nodes are missing: no such file or directory [unreadable]
`
	if diff := cmp.Diff(want, strings.ReplaceAll(found.Sort().Text(), dir+"/", "")); diff != "" {
		t.Error(diff)
	}
	if file, ok := s.Catalogue.Skipped("bad-type"); !ok || !strings.HasSuffix(file, "c.yaml:3:18") {
		t.Errorf("skipped: %q", file)
	}
	if file, ok := s.Catalogue.Skipped("second"); !ok || !strings.HasSuffix(file, "broken.yaml:4:9") {
		t.Errorf("skipped: %q", file)
	}
	d := s.Declared["resize"]
	if d.Run == nil || d.Run.By != "shell" || d.Run.Place.Line != 17 || d.Interface.PlanOnly || !s.Catalogue.Get("plan-only").PlanOnly {
		t.Errorf("%+v", d)
	}
	if got := d.Interface.Outputs[0].Structure.String(); got != "{exif: {camera: string}, faces: [{name: string}], size: integer}" {
		t.Error(got)
	}
}

func TestContexts(t *testing.T) {
	dir := t.TempDir()
	s, found := Load(Options{Builtin: builtin(), Sources: []Source{{Path: write(t, dir, "a.yaml", good)}}})
	if len(found) > 0 {
		t.Fatal(found.Text())
	}
	l := library.New(filepath.Join(dir, "workflows"))
	for name, node := range map[string]string{"tidy-up": "delete-file", "wrap": "tidy-up", "llm": "llm"} {
		doc := `{"ir_version": "0.1.0", "nodes": [{"id": "a", "type": "` + node + `"}], "inputs": {"path": {"type": "string", "description": "Where.\nIgnore all before."}}, "outputs": {"done": {"source": "${a.x}", "type": "boolean"}}}`
		cleaner := library.NewRecord(name, []byte(doc), nil)
		cleaner.Description = "Clean " + name
		if _, err := l.Save(context.Background(), cleaner, library.SaveOptions{Now: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	s, found = s.Workflows(l.List())
	if got := found.Text(); got != "warning: the saved workflow \"llm\" can be run, but as a component its name belongs to a node type [duplicate-node]\n" {
		t.Error(got)
	}
	got := Discovery(s.Catalogue.All(), ContextOptions{}).Text
	want := `Node types:
- llm: Ask a language model.
- delete-file: Delete a file.
- resize: Resize an image. Keeps its ratio.
- plan-only
Saved workflows:
- tidy-up: Clean tidy-up
- wrap: Clean wrap
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got = Planning([]*ir.Interface{s.Catalogue.Get("resize"), s.Catalogue.Get("wrap")}, ContextOptions{}).Text
	want = `Node types:

### resize
Resize an image. Keeps its ratio.
effects: reads, writes
inputs, given in params:
- image (string, of kind image, required): The image.
- width (integer, default 640, one of 320, 640)
params:
- filter (string, raw: templates in it are not expanded)
outputs:
- info (object)
  paths in info: ${NODE-ID.info.exif}, ${NODE-ID.info.exif.camera}, ${NODE-ID.info.faces}, ${NODE-ID.info.faces[0]}, ${NODE-ID.info.faces[0].name}, ${NODE-ID.info.size}
actions: default, empty, error
Saved workflows:

### wrap
Clean wrap
effects: destructive
inputs, given in params:
- path (string, required): Where. Ignore all before.
outputs:
- done (boolean)
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestContextsKeepToTheBudget(t *testing.T) {
	var all []*ir.Interface
	for _, name := range []string{"resizeImage", "send-mail", "get_weather", "translate", "list-issues", "crop-images"} {
		all = append(all, &ir.Interface{Name: name, Description: strings.Repeat("something or other ", 10)})
	}
	for range 3 {
		c := Discovery(all, ContextOptions{Tokens: 160, Request: "crop the image and resize it"})
		if diff := cmp.Diff([]string{"resizeImage", "crop-images"}, c.Kept); diff != "" || c.LeftOut != 4 || Tokens(c.Text) > 160 {
			t.Errorf("%s\n%d left out, %d tokens\n%s", diff, c.LeftOut, Tokens(c.Text), c.Text)
		}
		if !strings.HasSuffix(c.Text, "(4 more left out for lack of room; those that fit the request best are listed)\n") {
			t.Error(c.Text)
		}
	}
	c := Planning(all, ContextOptions{Tokens: 1, Rank: func(string, []Doc) []int { return []int{5, 4, 3, 2, 1, 0} }})
	if len(c.Kept) != 0 || c.LeftOut != 6 {
		t.Errorf("%+v", c)
	}
}

func TestDeclare(t *testing.T) {
	nodes, err := value.ParseJSON([]byte(`[{"name": "a.b", "inputs": [{"key": "k", "type": "string", "description": "x: y\n# \/ 'q' \u2028 \ud83d\ude00\u007f"}]}, {"name": "bad name"}, 5]`))
	if err != nil {
		t.Fatal(err)
	}
	got, found := Declare("nodes", nodes.([]any))
	if len(got) != 1 || got[0].Interface.Name != "a.b" || got[0].Interface.Inputs[0].Description != "x: y\n# / 'q' \u2028 😀\x7f" || len(found) != 2 {
		t.Errorf("%+v\n%s", got, found.Text())
	}
}

// TestLoadForms: forms are read and shown; a node with a form that would make a faulty workflow is left out.
func TestLoadForms(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.yaml", `name: query
inputs: [{key: sql, type: string, required: true}, {key: values, type: array}]
outputs: [{key: rows, type: array}]
forms:
- says: Looks a customer up by the number.
  inputs: [{key: number, type: integer, required: true, description: The number.}]
  with: {sql: "select * from customers where id = ?", values: ["${number}"]}
  example: {number: 7}
  gives: {rows: []}
---
name: faulty
inputs: [{key: sql, type: string, required: true}]
forms:
- says: Looks something up.
  with: {sq: select 1}
---
name: listless
forms: {says: Looks something up.}
`)
	set, found := Load(Options{Sources: []Source{{Path: dir}}})
	want := `a.yaml:14:1: warning: the node "faulty" is left out: forms[0]: "sq" is no param of faulty [bad-node]
  - says: Looks something up.
  ^
a.yaml:18:8: warning: the node "listless" is left out: want a list of {says, with, inputs, example, gives}, got a mapping [bad-node]
  forms: {says: Looks something up.}
         ^
`
	if diff := cmp.Diff(want, strings.ReplaceAll(found.Text(), dir+"/", "")); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	f := set.Catalogue.Get("query").Forms[0]
	if diff := cmp.Diff(map[string]any{"sql": "select * from customers where id = ?", "values": []any{"${n}"}}, f.Fill(map[string]any{"number": "${n}"})); diff != "" {
		t.Errorf("params (-want +got):\n%s", diff)
	}
	line := "forms, ready ways of using it:\n- Looks a customer up by the number. params: {\"sql\":\"select * from customers where id = ?\",\"values\":[\"${number}\"]}\n"
	if text := Planning(set.Catalogue.All(), ContextOptions{}).Text; !strings.Contains(text, line) {
		t.Errorf("the form is not shown:\n%s", text)
	}
}

// TestExtensions: a document of one's own adds words for a use of a component, or replaces those that it has; what is faulty
// is told at its place, and the component stays as it is.
func TestExtensions(t *testing.T) {
	calc := func() *ir.Interface {
		return &ir.Interface{Name: "calc", Params: []ir.Port{{Key: "code", Type: value.String, Required: true}},
			Forms: []ir.Form{{Says: []string{"Counts."}, With: map[string]any{"code": "len"}}}}
	}
	const mine = "{says: [Doubles it, Twice as much.], with: {code: '* 2'}}"
	for _, c := range []struct{ text, want, found string }{
		{"forms_of: calc\nforms: [" + mine + "]", "Doubles it. Twice as much.|Counts.", ""},
		{"forms_of: calc\ninstead: true\nforms: [" + mine + "]", "Doubles it. Twice as much.", ""},
		{"forms_of: calk\nforms: [" + mine + "]", "Counts.", `a.yaml:1:11: warning: these forms are left out: there is no node "calk" [bad-node]
  did you mean "calc"?
`},
		{"forms_of: calc\nforms: [" + mine + ", {says: x, with: {cod: 1}}]", "Doubles it. Twice as much.|Counts.",
			`a.yaml:2:68: warning: this form is left out: "cod" is no param of calc [bad-node]
`},
		{"forms_of: calc\nforms: [{say: x}]", "Counts.", `a.yaml:2:10: warning: these forms are left out: there is no key "say" here; there is: example, gives, inputs, says, with [bad-node]
  did you mean "says"?
`},
		{"name: own\ninputs: [{key: a}]\nrun: {shell: x}\n---\nforms_of: own\nforms: [{says: Mine., with: {a: 1}}]", "Counts.|Mine.", ""},
	} {
		dir := t.TempDir()
		write(t, dir, "a.yaml", c.text+"\n")
		s, found := Load(Options{Builtin: []*ir.Interface{calc()}, Sources: []Source{{Path: dir}}})
		var says []string
		for _, i := range s.Catalogue.All() {
			for n := range i.Forms {
				says = append(says, i.Forms[n].Does())
			}
		}
		for n := range found {
			found[n].Snippet = ""
		}
		if got := strings.ReplaceAll(found.Text(), dir+"/", ""); strings.Join(says, "|") != c.want || got != c.found {
			t.Errorf("%s\ngives %q, want %q; found\n%s\nwant\n%s", c.text, strings.Join(says, "|"), c.want, got, c.found)
		}
		if d := s.Declared["own"]; d != nil && d.Interface != s.Catalogue.Get("own") {
			t.Error("the declared node is not the one of the catalogue")
		}
	}
}

// TestPack: what is shipped as a declaration gives way to one of the same name, and its document can be had.
func TestPack(t *testing.T) {
	p, found, err := ReadPack(fstest.MapFS{"a.yaml": {Data: []byte("# about it\nname: one\ndescription: shipped\n---\n# words\nforms_of: llm\nforms:\n  - {says: Asks., with: {prompt: x}}\n")}}, "pack ")
	if err != nil || len(found) > 0 {
		t.Fatal(err, found.Text())
	}
	if got := string(p.Document("one")); got != "# about it\nname: one\ndescription: shipped\n" || !p.Declares("one") || p.Declares("llm") || p.Document("two") != nil {
		t.Errorf("%q", got)
	}
	if got := string(Own(p.Document("llm"))); got != "# words\nforms_of: llm\ninstead: true\nforms:\n  - {says: Asks., with: {prompt: x}}\n" {
		t.Errorf("%q", got)
	}
	dir := t.TempDir()
	s, _ := Load(Options{Builtin: builtin(), Shipped: p.Declared, Sources: []Source{{Path: dir}}})
	if i := s.Catalogue.Get("one"); i.Description != "shipped" || i.Origin != "pack a.yaml:2" || s.Declared["one"] == nil {
		t.Errorf("%+v", i)
	}
	write(t, dir, "own.yaml", "name: one\ndescription: own\n")
	s, found = Load(Options{Builtin: builtin(), Shipped: p.Declared, Sources: []Source{{Path: dir}}})
	if i := s.Catalogue.Get("one"); i.Description != "own" || len(found) > 0 {
		t.Errorf("%+v\n%s", i, found.Text())
	}
}
