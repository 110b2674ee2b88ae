package tune

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"pflow/engine"
	"pflow/engine/syntax"
	"pflow/internal/experiment"
	"pflow/internal/fault"
	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// File is one that a tuned flow is made of.
type File struct {
	Path string
	Data []byte
	kind engine.DocumentKind
	name string
}

// Variant writes a candidate as a flow over extends, with the keys alone that differ: the file itself, one for each flow that
// it runs and that differs, and each prompt of a file under a name of its own. base is the flow as it is, called the name under
// which extends finds it; remark stands at the head of the file. Paths lie in the folder of file. The last file is the flow; nothing
// is written.
func Variant(base *engine.Flow, called string, v experiment.Variant, file, description, remark string) ([]File, error) {
	w := &writer{dir: filepath.Dir(file), name: strings.TrimSuffix(filepath.Base(file), ".yaml"), trees: map[string]*yamltree.Value{}}
	flows := base.Called()
	flows[""] = base
	for name, f := range flows {
		w.trees[name] = f.Definition().Tree
	}
	set := v.Set
	for _, p := range v.Prompts {
		renamed := w.name + "-" + p.Name
		data, err := engine.ReadDocument(engine.PromptDocument, p.Path)
		if err != nil {
			return nil, err
		}
		w.files = append(w.files, File{filepath.Join(w.dir, "prompts", renamed+".tmpl"), data.Data, engine.PromptDocument, renamed})
		for _, path := range base.Options("prompt", p.Name) {
			set = append(set[:len(set):len(set)], engine.Setting{Path: path, Value: renamed})
		}
	}
	for _, s := range set {
		inner, _ := syntax.SplitInner(s.Path)
		if err := w.set(inner, s.Path, s.Value); err != nil {
			return nil, err
		}
	}
	if err := w.repoint(base, flows); err != nil {
		return nil, err
	}
	w.flows(flows, called, description, remark, "As "+description+" has it.")
	return w.files, nil
}

// flows adds the files of the flows that differ, the flow itself last.
func (w *writer) flows(was map[string]*engine.Flow, called, description, remark, inner string) {
	for _, name := range value.SortedKeys(was) {
		if name == "" || w.trees[name] == was[name].Definition().Tree {
			continue
		}
		extends := name
		if strings.HasPrefix(called, engine.Shipped) { // what that runs is shipped, too
			extends = engine.Shipped + strings.TrimPrefix(name, engine.Shipped)
		}
		w.flow(w.innerName(name), extends, inner, "", was[name].Definition().Tree, w.trees[name])
	}
	w.flow(w.name, called, description, remark, was[""].Definition().Tree, w.trees[""])
}

type writer struct {
	dir, name string
	trees     map[string]*yamltree.Value // by what flows are called; "" is the flow itself
	files     []File
}

func (w *writer) innerName(called string) string {
	return w.name + "-" + strings.TrimPrefix(called, engine.Shipped)
}

func (w *writer) set(inner, path, text string) error {
	tree, found := syntax.Set(w.trees[inner], path, text)
	w.trees[inner] = tree
	return found.Err()
}

// repoint lets flows run those that differ, and whatever runs those in turn, until nothing more is to be changed.
func (w *writer) repoint(base *engine.Flow, flows map[string]*engine.Flow) error {
	done := map[string]bool{}
	for more := true; more; {
		more = false
		for _, name := range value.SortedKeys(flows) {
			if name == "" || done[name] || w.trees[name] == flows[name].Definition().Tree {
				continue
			}
			done[name], more = true, true
			for _, path := range base.Options("flow", name) {
				inner, _ := syntax.SplitInner(path)
				if err := w.set(inner, path, w.innerName(name)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// flow adds the file of one flow.
func (w *writer) flow(name, extends, description, remark string, from, to *yamltree.Value) {
	var b []byte
	for _, line := range strings.Split(remark, "\n") {
		if line != "" {
			b = append(b, "# "+line+"\n"...)
		}
	}
	head := func(key string, v any) {
		b = append(b, key+": "...)
		b = append(yamltree.AppendScalar(b, v), '\n')
	}
	head("flow", name)
	head("version", 1)
	head("extends", extends)
	head("description", description)
	changed, _ := differing(from, to).(map[string]any)
	for _, e := range to.Entries {
		if v, is := changed[e.Key]; is && !slices.Contains(heads, e.Key) {
			b = append(yamltree.AppendKey(b, e.Key), ':')
			b = yamltree.Append(b, v, 2)
		}
	}
	w.files = append(w.files, File{filepath.Join(w.dir, name+".yaml"), b, engine.FlowDocument, name})
}

// heads are the keys that stand at the head of every flow.
var heads = []string{"flow", "version", "extends", "description"}

// differing is what must be merged into from to give to: null removes.
func differing(from, to *yamltree.Value) any {
	if from.Kind != yamltree.Map || to.Kind != yamltree.Map {
		return to.Plain()
	}
	out := map[string]any{}
	for _, e := range to.Entries {
		switch before := from.Get(e.Key); {
		case before == nil:
			out[e.Key] = e.Value.Plain()
		case before != e.Value && !engine.SameValue(before.Plain(), e.Value.Plain()):
			out[e.Key] = differing(before, e.Value)
		}
	}
	for _, e := range from.Entries {
		if to.Get(e.Key) == nil {
			out[e.Key] = nil
		}
	}
	return out
}

// Load compiles the flow that files are, before they are written. base is the file of the flow that it extends: another of the
// same name may lie where it is to be.
func Load(files []File, extends, base string, l engine.Loader) (*engine.Flow, error) {
	last := files[len(files)-1]
	found, err := l.Resources.Find(engine.FlowDocument, extends, []string{last.Path})
	if errors.Is(err, engine.ErrNoDocument) {
		return nil, fault.New(fault.InvalidRequest, "a flow in %s does not find the flow %s, which it would extend: write it beside %s, with -o", filepath.Dir(last.Path), extends, base)
	}
	if err == nil && !sameFile(found.Path, base) {
		err = fault.New(fault.InvalidRequest, "in %s the name %s stands for %s, and not for %s: write it to another folder, with -o", filepath.Dir(last.Path), extends, found.Path, base)
	}
	if err != nil {
		return nil, err
	}
	l.Resources = overlay{l.Resources, files}
	flow, problems := l.Load(engine.Document{Kind: engine.FlowDocument, Name: last.name, Path: last.Path, Data: last.Data})
	if err := problems.Err(); err != nil {
		return nil, fmt.Errorf("the tuned flow does not hold together: %w", err)
	}
	return flow, nil
}

// sameFile compares paths, and those of shipped documents.
func sameFile(a, b string) bool {
	x, err := filepath.Abs(a)
	y, err2 := filepath.Abs(b)
	return a == b || err == nil && err2 == nil && x == y && !engine.IsShipped(a)
}

// overlay finds files that are not written yet beside what asks for them.
type overlay struct {
	engine.Resources
	files []File
}

func (o overlay) Find(kind engine.DocumentKind, name string, from []string) (engine.Document, error) {
	for _, f := range o.files {
		if f.kind == kind && f.name == name {
			return engine.Document{Kind: kind, Name: name, Path: f.Path, Data: f.Data}, nil
		}
	}
	return o.Resources.Find(kind, name, from)
}
