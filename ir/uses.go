package ir

import (
	"slices"

	"pflow/internal/value"
)

// rootKind is what the root of a reference stands for.
type rootKind uint8

const (
	rootNone     rootKind = iota
	rootItem              // the item of the node's batch
	rootIndex             // the round of a node that repeats
	rootPrevious          // what the round before wrote
	rootInput             // a declared input
	rootNode              // a node: the object of its outputs
	rootFlat              // a flat key that one node writes
	rootShared            // a flat key that several nodes write
	rootStdin
	rootImplied // a root that the document, which declares no inputs, makes an input
)

// root looks a name up: what the node itself gives (item, index, previous), inputs, node ids, flat keys, stdin. index is of the input or the node.
func (v *validator) root(name string, node int) (kind rootKind, index int) {
	if node >= 0 && v.w.Nodes[node].Batch != nil && v.w.Nodes[node].Batch.As == name {
		return rootItem, node
	}
	if node >= 0 && v.w.Nodes[node].Repeat != nil {
		switch name {
		case IndexRoot:
			return rootIndex, node
		case PreviousRoot:
			return rootPrevious, node
		}
	}
	if i, ok := v.declared[name]; ok {
		return rootInput, i
	}
	if i, ok := v.g.ids[name]; ok {
		return rootNode, i
	}
	switch at := v.writers[name]; {
	case len(at) == 1:
		return rootFlat, at[0]
	case len(at) > 1:
		return rootShared, at[0]
	}
	if name == StdinRoot {
		return rootStdin, -1
	}
	if v.w.Inputs == nil {
		return rootImplied, -1
	}
	return rootNone, -1
}

// implied lists the inputs that templates imply where the document declares none, in the order of their first use.
func (v *validator) implied() []string {
	if v.w.Inputs != nil {
		return nil
	}
	var names []string
	pathed, seen := map[string]bool{}, map[string]bool{}
	v.eachExpr(func(u use, e *Expr) {
		for _, alt := range e.Alts {
			if alt.Ref == nil || u.node < 0 {
				continue // the workflow's outputs imply no inputs
			}
			if kind, _ := v.root(alt.Ref.Root, u.scope()); kind != rootImplied || e.Longer != nil {
				continue // of a name that a hyphen cuts short it is not known what was meant
			}
			if len(alt.Ref.Path) > 0 {
				pathed[alt.Ref.Root] = true
			} else if !seen[alt.Ref.Root] {
				seen[alt.Ref.Root] = true
				names = append(names, alt.Ref.Root)
			}
		}
	})
	return slices.DeleteFunc(names, func(n string) bool { return pathed[n] })
}

// use is the place of an expression.
type use struct {
	node  int // -1: an output
	path  string
	text  string // that it stands in
	items bool   // the list of a batch, or a setting: it does not see the item
	span  bool   // it gives a duration
	whole bool   // the param is this one template
	port  *Port  // the param, nil if it has no type
}

// scope is the node whose batch item the expression sees, or -1.
func (u use) scope() int {
	if u.items {
		return -1
	}
	return u.node
}

// batch is that of the node, nil if it has none.
func (u use) batch(w *Workflow) *Batch {
	if u.node < 0 {
		return nil
	}
	return w.Nodes[u.node].Batch
}

func (v *validator) eachExpr(f func(u use, e *Expr)) {
	list := &Port{Key: "batch.items", Type: value.Array}
	for i := range v.w.Nodes {
		for _, c := range v.params[i] {
			base := v.path(i, "."+paramPath(c.key))
			c.param.Walk(func(path string, e *Expr) {
				f(use{node: i, path: base + joint(path), text: e.in, whole: c.param.Whole() == e, port: c.port}, e)
			})
		}
		if p := v.items[i]; p != nil {
			p.Walk(func(path string, e *Expr) {
				f(use{node: i, path: v.path(i, ".batch.items") + joint(path), whole: p.Whole() == e, port: list, items: true}, e)
			})
		}
		for _, s := range v.open[i] {
			s.param.Walk(func(_ string, e *Expr) {
				f(use{node: i, path: v.path(i, "."+s.Path), whole: true, port: s.port, items: true, span: s.Duration}, e)
			})
		}
	}
	for i := range v.w.Outputs {
		v.sources[i].Walk(func(_ string, e *Expr) {
			f(use{node: -1, path: key(key("outputs", v.w.Outputs[i].Name), "source")}, e)
		})
	}
}

// joint puts the dot before a path that begins with a key.
func joint(path string) string {
	if path == "" || path[0] == '[' {
		return path
	}
	return "." + path
}
