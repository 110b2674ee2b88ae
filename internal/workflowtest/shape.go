package workflowtest

import (
	"pflow/ir"
)

// shape is what templates read of a value: keys of an object, or items of a list. nil is a value that is read as a whole.
type shape struct {
	keys  map[string]*shape
	items *shape
	list  bool
}

func (s *shape) inside() bool { return s != nil && (s.list || len(s.keys) > 0) }

func (s *shape) key(name string) *shape {
	if s == nil {
		return nil
	}
	return s.keys[name]
}

func (s *shape) item() *shape {
	if s == nil {
		return nil
	}
	return s.items
}

// made is a value of the shape whose leaves are texts.
func (s *shape) made(label string) any {
	switch {
	case s == nil:
		return label
	case s.list:
		return []any{s.items.made(label + " [0]"), s.items.made(label + " [1]")}
	case len(s.keys) > 0:
		out := map[string]any{}
		for k, inner := range s.keys {
			out[k] = inner.made(label + " " + k)
		}
		return out
	}
	return label
}

// add notes that a path is read; whole tells that what it leads to is a list.
func (s *shape) add(path []ir.Step) *shape {
	at := s
	for _, step := range path {
		if step.IsIndex {
			at.list = true
			if at.items == nil {
				at.items = &shape{}
			}
			at = at.items
			continue
		}
		if at.keys == nil {
			at.keys = map[string]*shape{}
		}
		if at.keys[step.Key] == nil {
			at.keys[step.Key] = &shape{}
		}
		at = at.keys[step.Key]
	}
	return at
}

// demands is what the templates of a workflow read: node -> output -> shape.
func demands(w *ir.Workflow, c *ir.Catalogue) map[string]map[string]*shape {
	nodes := map[string]*shape{}
	inputs := &shape{}
	flat := map[string]string{}
	for i := range w.Nodes {
		n := &w.Nodes[i]
		nodes[n.ID] = &shape{}
		if of := c.Get(n.Type); of != nil && n.Batch == nil {
			for _, k := range of.OutputKeys() {
				if _, taken := flat[k]; taken {
					flat[k] = ""
				} else {
					flat[k] = n.ID
				}
			}
		}
	}
	read := func(v any, item string, items *shape) (whole *shape) {
		p, problems := ir.Compile(v)
		if len(problems) > 0 {
			return nil
		}
		p.Walk(func(_ string, e *ir.Expr) {
			for _, alt := range e.Alts {
				if alt.Ref == nil {
					continue
				}
				root, path := alt.Ref.Root, alt.Ref.Path
				at := nodes[root]
				switch {
				case items != nil && root == item:
					at = items
				case at != nil && !declared(w, root):
				case declared(w, root):
					at, path = inputs, append([]ir.Step{{Key: root}}, path...)
				case flat[root] != "":
					at, path = nodes[flat[root]], append([]ir.Step{{Key: root}}, path...)
				default:
					continue
				}
				whole = at.add(path)
			}
		})
		if p.Whole() == nil {
			return nil
		}
		return whole
	}
	for i := range w.Nodes {
		n := &w.Nodes[i]
		var items *shape
		if n.Batch != nil {
			if list := read(n.Batch.Items, "", nil); list != nil {
				list.list = true
				if list.items == nil {
					list.items = &shape{}
				}
				items = list.items
			} else {
				items = &shape{}
			}
		}
		for _, key := range sortedParams(n, c) {
			if items != nil {
				read(n.Params[key], n.Batch.As, items)
			} else {
				read(n.Params[key], "", nil)
			}
		}
	}
	for _, o := range w.Outputs {
		read(o.Source, "", nil)
	}
	out := map[string]map[string]*shape{}
	for id, s := range nodes {
		out[id] = s.keys
	}
	out[ofInputs] = inputs.keys
	return out
}

// ofInputs stands for the inputs among nodes. No id has a blank.
const ofInputs = "the inputs"

func declared(w *ir.Workflow, input string) bool {
	_, ok := w.Input(input)
	return ok
}
