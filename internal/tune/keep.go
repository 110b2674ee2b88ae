package tune

import (
	"path/filepath"
	"strings"

	"pflow/engine"
	"pflow/engine/syntax"
	"pflow/internal/fault"
	"pflow/internal/yamltree"
)

// Keep writes a flow that was edited in its own text, in flows that it runs or in prompts as a flow over extends, with the keys alone
// that differ, as Variant does: base is the flow as it was, called the name under which extends finds it. Flows lie in dir, and each
// prompt that differs under a name of its own in prompts. The last file is the flow; nothing is written.
func Keep(base, edited *engine.Flow, called, name, dir, prompts, description string) ([]File, error) {
	w := &writer{dir: dir, name: name, trees: map[string]*yamltree.Value{}}
	was, is := base.Called(), edited.Called()
	was[""], is[""] = base, edited
	for of, flow := range was {
		w.trees[of] = flow.Definition().Tree
		if now := is[of]; now != nil && !engine.SameValue(w.trees[of].Plain(), now.Definition().Tree.Plain()) {
			w.trees[of] = now.Definition().Tree
		}
	}
	if err := w.prompts(was, is, edited, prompts); err != nil {
		return nil, err
	}
	if err := w.repoint(base, was); err != nil {
		return nil, err
	}
	w.flows(was, called, description, "", "What "+name+" runs.")
	return w.files, nil
}

// prompts adds the prompts that differ, and has the flows ask those.
func (w *writer) prompts(was, is map[string]*engine.Flow, edited *engine.Flow, dir string) error {
	before := map[string]string{}
	for _, flow := range was {
		for _, d := range flow.Definition().Documents {
			before[string(d.Kind)+" "+d.Name] = string(d.Data)
		}
	}
	seen := map[string]bool{}
	for _, flow := range is {
		for _, d := range flow.Definition().Documents {
			key := string(d.Kind) + " " + d.Name
			text, known := before[key]
			if !known || seen[key] || text == string(d.Data) {
				continue
			}
			seen[key] = true
			paths := edited.Options("prompt", d.Name)
			if d.Kind != engine.PromptDocument || len(paths) == 0 {
				return fault.New(fault.InvalidRequest, "the %s %s differs, and a variant can have one of its own only of a prompt that a node names: keep it in the place of the shipped one", d.Kind, d.Name)
			}
			renamed := w.name + "-" + d.Name
			w.files = append(w.files, File{filepath.Join(dir, renamed+".tmpl"), renamedPrompt(d, renamed), engine.PromptDocument, renamed})
			for _, path := range paths {
				inner, _ := syntax.SplitInner(path)
				if err := w.set(inner, path, renamed); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// renamedPrompt is a prompt with another name in its head.
func renamedPrompt(d engine.Document, name string) []byte {
	lines := strings.SplitAfter(string(d.Data), "\n")
	for i, line := range lines {
		if i > 0 && strings.HasPrefix(line, "---") {
			break
		}
		if strings.TrimSpace(line) == "name: "+d.Name {
			lines[i] = strings.Replace(line, d.Name, name, 1)
		}
	}
	return []byte(strings.Join(lines, ""))
}
