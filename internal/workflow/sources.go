package workflow

import (
	"pflow/engine"
	"pflow/engine/cond"
	"pflow/ir"
)

// Keys of the store that no node id can be.
const (
	inputsKey  = "the inputs"
	stdinKey   = "the piped text"
	environKey = "the environment"
)

// sourceKind is what a root of a template stands for.
type sourceKind uint8

const (
	fromInput sourceKind = iota + 1
	fromSecret
	fromNode
	fromFlat
	fromStdin
	fromItem     // from here on: what only a call of the node has
	fromIndex    // the round of a node that repeats
	fromPrevious // the outputs of the round before
)

// source is where the value of a root comes from.
type source struct {
	kind sourceKind
	name string // of the input or the node
	key  string // of a flat key
	env  string // the environment variable of a secret
	in   ir.Input
}

// sources settles roots: what the node itself gives (item, index, previous), inputs, node ids, flat keys, stdin. It is the order in which the validator
// looks them up.
type sources struct {
	w       *ir.Workflow
	inputs  map[string]ir.Input
	secrets map[string]string // inputs that a calling workflow hands a secret to -> environment variable
	ids     map[string]bool
	flat    map[string]string // flat key -> the one node that writes it
}

func newSources(w *ir.Workflow, inputs []ir.Input, secrets map[string]string, c *ir.Catalogue) *sources {
	s := &sources{w: w, inputs: make(map[string]ir.Input, len(inputs)), secrets: secrets,
		ids: make(map[string]bool, len(w.Nodes)), flat: map[string]string{}}
	for _, in := range inputs {
		s.inputs[in.Name] = in
	}
	shared := map[string]bool{}
	for i := range w.Nodes {
		n := &w.Nodes[i]
		s.ids[n.ID] = true
		for _, k := range outputKeys(n, c) {
			if by, taken := s.flat[k]; taken && by != n.ID {
				shared[k] = true
			}
			s.flat[k] = n.ID
		}
	}
	for k := range shared {
		delete(s.flat, k)
	}
	return s
}

// outputKeys lists what a node writes, as far as its interface says.
func outputKeys(n *ir.Node, c *ir.Catalogue) []string {
	if n.Batch != nil {
		return []string{ir.BatchResults, ir.BatchCount, ir.BatchErrors}
	}
	i := c.Get(n.Type)
	if i != nil && i.Call != nil {
		name, _ := n.Params[i.Call.Name].(string)
		i = c.Get(name)
		if i != nil && !i.Workflow {
			i = nil
		}
	}
	var keys []string
	if i != nil {
		keys = i.OutputKeys()
	}
	if n.Repeat != nil {
		keys = append(keys, ir.RepeatResults)
	}
	return keys
}

// of settles a root as node n sees it; n is nil outside nodes, and item tells whether what the node itself gives is in scope.
func (s *sources) of(root string, n *ir.Node, item bool) (source, bool) {
	if item && n.Batch != nil && n.Batch.As == root {
		return source{kind: fromItem}, true
	}
	if item && n.Repeat != nil && root == ir.IndexRoot {
		return source{kind: fromIndex}, true
	}
	if item && n.Repeat != nil && root == ir.PreviousRoot {
		return source{kind: fromPrevious}, true
	}
	if in, ok := s.inputs[root]; ok {
		if env, secret := s.secrets[root]; secret {
			return source{kind: fromSecret, name: root, env: env, in: in}, true
		}
		if in.Secret {
			return source{kind: fromSecret, name: root, env: in.FromEnv, in: in}, true
		}
		return source{kind: fromInput, name: root}, true
	}
	if s.ids[root] {
		return source{kind: fromNode, name: root}, true
	}
	if node, ok := s.flat[root]; ok {
		return source{kind: fromFlat, name: node, key: root}, true
	}
	if root == ir.StdinRoot {
		return source{kind: fromStdin}, true
	}
	return source{}, false
}

// value reads a root's value out of a store. There is none of a node that did not run.
func (f *source) value(store map[string]any, scope *cond.Scope) (any, bool) {
	switch f.kind {
	case fromInput, fromSecret:
		inputs, _ := store[inputsKey].(map[string]any)
		v, ok := inputs[f.name]
		return v, ok
	case fromNode:
		v, ok := store[f.name]
		return v, ok
	case fromFlat:
		outputs, _ := store[f.name].(map[string]any)
		v, ok := outputs[f.key]
		return v, ok
	case fromStdin:
		v, ok := store[stdinKey]
		return v, ok
	case fromIndex:
		v, ok := store[engine.RoundKey]
		return v, ok
	case fromPrevious:
		v, ok := store[engine.PreviousKey]
		return v, ok
	case fromItem:
		if v, ok := store[itemKey]; ok {
			return v, true
		}
		if scope != nil {
			return scope.Get("item"), true
		}
	}
	return nil, false
}

// inTemplates is a root's value as templates see it: there is nothing in the round before the first.
func (f source) inTemplates(v any) any {
	if f.kind == fromPrevious && v == nil {
		return ir.Nothing
	}
	return v
}

// capture takes the values that some templates read out of a store: the roots that have one. Values are shared and
// never written to, so they may go to another goroutine.
type capture map[string]source

func (c capture) add(root string, s source) { c[root] = s }

// values gives the roots and what they hold; secrets are left out, whoever may use them reads them itself.
func (c capture) values(store map[string]any, scope *cond.Scope) map[string]any {
	out := make(map[string]any, len(c))
	for root := range c {
		f := c[root]
		if f.kind == fromSecret {
			continue
		}
		if v, ok := f.value(store, scope); ok {
			out[root] = v
		}
	}
	return out
}

// Eval implements engine.Evaluator: it is what a node's prep holds.
func (c capture) Eval(s *cond.Scope) (any, error) {
	return c.values(s.Get("store").(map[string]any), s), nil
}

// known is the scope of templates outside the call of a node: a secret is {"$env": NAME} there.
func (c capture) known(store map[string]any, scope *cond.Scope) ir.Values {
	return c.told(c.values(store, scope))
}

// told is the scope of templates that read the values of a prep.
func (c capture) told(values map[string]any) ir.Values {
	scope := ir.Values{}
	for root, f := range c {
		v, ok := values[root]
		switch {
		case f.kind == fromSecret:
			scope[root] = envMarker(f.env)
		case ok:
			scope[root] = f.inTemplates(v)
		}
	}
	return scope
}
