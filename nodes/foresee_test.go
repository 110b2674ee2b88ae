package nodes

import (
	"slices"
	"testing"

	"pflow/internal/nodetype"
	"pflow/ir"
)

type destroyingNode struct {
	node    string
	params  map[string]any
	pending []string
}

// destroying is the specification's list of what destroys. A node type that is not built yet has its row, too.
var destroying = []destroyingNode{
	{"delete-file", map[string]any{"file_path": "a", "confirm_delete": true}, nil},
	{"delete-folder", map[string]any{"path": "f", "confirm_delete": true}, nil},
	{"replace-text", map[string]any{"paths": []any{"f/x"}, "pattern": "x", "replacement": "y", "overwrite": true}, nil},
	{"replace-text", map[string]any{"paths": "${l.files}", "pattern": "x", "replacement": "y", "overwrite": true}, []string{"paths"}},
	{"replace-text", map[string]any{"paths": []any{"f/x"}, "pattern": "x", "replacement": "${y}", "overwrite": true}, []string{"replacement"}},
	{"copy-folder", map[string]any{"source_path": "b", "dest_path": "f", "overwrite": true}, nil},
	{"copy-folder", map[string]any{"source_path": "b", "dest_path": "${d}", "overwrite": true}, []string{"dest_path"}},
	{"git-push", map[string]any{}, nil},
	{"http", map[string]any{"url": "https://a.example/1", "method": "DELETE"}, nil},
	{"http", map[string]any{"url": "https://a.example/1", "method": "delete"}, nil},
	{"http", map[string]any{"url": "https://a.example/1", "method": "PUT"}, nil},
	{"http", map[string]any{"url": "https://a.example/1", "method": "PATCH"}, nil},
	{"http", map[string]any{"url": "https://a.example/1", "method": "${m}"}, []string{"method"}},
	{"http", map[string]any{"url": "https://a.example/1", "method": "POST", "headers": map[string]any{"x-http-method-override": "Delete"}}, nil},
	{"http", map[string]any{"url": "https://a.example/1", "method": "POST", "headers": map[string]any{"X-HTTP-Method": "${m}"}}, []string{"headers.X-HTTP-Method"}},
	{"http", map[string]any{"url": "https://a.example/1?_method=delete", "method": "POST"}, nil},
	{"http", map[string]any{"url": "https://a.example/1", "method": "POST", "params": map[string]any{"_method": []any{"PUT"}}}, nil},
	{"copy-file", map[string]any{"source_path": "b", "dest_path": "a", "overwrite": true}, nil},
	{"move-file", map[string]any{"source_path": "b", "dest_path": "a", "overwrite": true}, nil},
	{"write-file", map[string]any{"file_path": "a", "content": "", "overwrite": true}, nil},
	{"write-table", map[string]any{"file_path": "a", "rows": []any{}, "overwrite": true}, nil},
	{"download", map[string]any{"url": "https://a.example/1", "dest_path": "a", "overwrite": true}, nil},
	{"archive", map[string]any{"paths": []any{"b"}, "dest_path": "a", "overwrite": true}, nil},
	{"unarchive", map[string]any{"source_path": "p.zip", "dest_path": ".", "overwrite": true}, nil},
	{"unarchive", map[string]any{"source_path": "${p}", "dest_path": "f", "overwrite": true}, []string{"source_path"}},
	{"unarchive", map[string]any{"source_path": "p.zip", "dest_path": "${d}", "overwrite": true}, []string{"dest_path"}},
	{"unarchive", map[string]any{"source_path": "p.zip", "dest_path": ".", "overwrite": "${o}"}, []string{"overwrite"}},
	{"git-restore", map[string]any{"paths": []any{"a"}}, nil},
	{"git-restore", map[string]any{"paths": "${p}"}, []string{"paths"}},
	{"agent", map[string]any{"prompt": "tidy up"}, nil},
	{"shell", map[string]any{"command": "rm a"}, nil},
	{"convert-table", map[string]any{"source_path": "b", "dest_path": "a", "overwrite": true}, nil},
	{"edit-json", map[string]any{"file_path": "b", "dest_path": "a", "remove": []any{"x"}, "overwrite": true}, nil},
	{"edit-json", map[string]any{"file_path": "${f}", "remove": []any{"x"}, "overwrite": true}, []string{"file_path"}},
	{"shell", map[string]any{"command": "git push --force"}, nil},
}

// Every effect that the specification calls destructive is foreseen by its node type.
func TestWhatDestroysIsForeseen(t *testing.T) {
	t.Parallel()
	r := newRepository(t, map[string]string{"a": "", "b": "", "f/x": "x"})
	dir := r.dir
	r.write("a", "changed")
	if _, err := runIn(t, "archive", dir, map[string]any{"paths": []any{"f/x"}, "dest_path": "p.zip"}); err != nil {
		t.Fatal(err)
	}
	types := map[string]nodetype.Type{}
	for _, nt := range Types(r.deps) {
		types[nt.Interface.Name] = nt
	}
	for _, d := range destroying {
		nt, built := types[d.node]
		if !built {
			continue
		}
		if nt.Foresee == nil {
			t.Errorf("%s foresees nothing", d.node)
		} else if seen := nt.Foresee(nodetype.Call{Params: d.params, Dir: dir}, d.pending); seen.Destroys == "" {
			t.Errorf("%s %v: not foreseen that it destroys", d.node, d.params)
		}
	}
	for name, nt := range types {
		_, overwrites := nt.Interface.Param("overwrite")
		listed := slices.ContainsFunc(destroying, func(d destroyingNode) bool { return d.node == name })
		if (overwrites || nt.Interface.Has(ir.Destructive)) && !listed {
			t.Errorf("%s destroys and is not in the list of this test", name)
		}
	}
}

func TestRequestsThatDestroyNothing(t *testing.T) {
	t.Parallel()
	for _, params := range []map[string]any{
		{"url": "https://a.example/?q=delete"},
		{"url": "https://a.example/", "method": "POST", "headers": map[string]any{"X-HTTP-Method-Override": "GET", "X-Note": "DELETE"}},
		{"url": "${u}", "body": "DELETE", "headers": map[string]any{"Authorization": "${t}"}},
	} {
		if seen := foreseeHTTP(nodetype.Call{Params: params}, []string{"url", "headers.Authorization"}); seen.Destroys != "" {
			t.Errorf("%v: %s", params, seen.Destroys)
		}
	}
}
