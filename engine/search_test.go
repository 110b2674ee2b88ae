package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pflow/engine"
	"pflow/engine/enginetest"
)

// TestSearch: what may be searched comes with what stands there now. A flow that extends another may go beyond what that one
// searches, or remove it, and so may --set; and the hash of a flow, by which runs are told apart, takes no notice of search.
func TestSearch(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	const nodes = "nodes: {a: {op: flow, with: {flow: low}, next: end}}\n"
	write("flows/low.yaml", "flow: low\nversion: 1\nparams: {depth: 2}\nnodes: {say: {op: template, prep: {name: '\"x\"'}, with: {prompt: greeting}, next: end}}\n")
	for _, name := range []string{"greeting", "farewell"} {
		write("prompts/"+name+".tmpl", "---\nname: "+name+"\ndescription: Says something.\nvariables: [name]\n---\nHello {{.name}}\n")
	}
	base := "flow: base\nversion: 1\nparams: {least: 0.5, tries: 3}\n" + nodes
	plain := write("plain.yaml", base)
	searched := write("flows/base.yaml", base+"search: {params.least: {from: 0.4, to: 0.6, step: 0.1}, low:params.depth: [1, 2], prompts.greeting: [greeting, farewell]}\n")
	child := write("child.yaml", "flow: child\nversion: 1\nextends: base\nparams: {least: 0.9, tries: null}\nsearch: {low:params.depth: [2, 5]}\n")
	var hashes []string
	for _, c := range []struct {
		file string
		set  []engine.Setting
		want string
	}{
		{plain, nil, ""},
		{searched, nil, "params.least [0.4 0.5 0.6] now 0.5; low:params.depth [1 2] now 2; prompts.greeting [greeting farewell] now greeting"},
		{searched, []engine.Setting{{Path: "params.least", Value: "0.99"}, {Path: "*:params.depth", Value: "7"}},
			"params.least [0.4 0.5 0.6] now 0.99; low:params.depth [1 2] now 7; prompts.greeting [greeting farewell] now greeting"},
		{child, nil, "params.least [0.4 0.5 0.6] now 0.9; low:params.depth [2 5] now 2; prompts.greeting [greeting farewell] now greeting"},
	} {
		doc, err := engine.ReadDocument(engine.FlowDocument, c.file)
		if err != nil {
			t.Fatal(err)
		}
		l := &engine.Loader{Ops: engine.NewRegistry(enginetest.Ops()...), Resources: engine.Folders{Home: dir}, Set: c.set}
		f, found := l.Load(doc)
		if f == nil || len(found) > 0 {
			t.Fatalf("%s: %s", c.file, found.Text())
		}
		hashes = append(hashes, f.Hash)
		var got []string
		for _, d := range f.Search() {
			got = append(got, fmt.Sprint(d.Path, " ", d.Values, " now ", d.Now))
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s %v: %s, want %s", c.file, c.set, strings.Join(got, "; "), c.want)
		}
	}
	if hashes[0] != hashes[1] {
		t.Error("the hash of a flow depends on what may be searched")
	}
}
