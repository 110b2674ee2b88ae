package experiment

import (
	"slices"

	"pflow/internal/planner"
	"pflow/internal/value"
	"pflow/ir"
)

// planned is what one plan comes to: node types, edges between types, and the literal values of params.
type planned struct {
	result   *planner.Result
	dead     bool     // the flow broke or was stopped: no answer at all
	types    []string // of the nodes, in the order of the document
	refs     map[edge]bool
	declared map[edge]bool
	params   []param
	calls    []call // one for each node

	values map[string]any // execution_params
	inputs map[string]any
	typeOf map[string]string // node id -> type
	flat   map[string]string // flat key -> id of its one writer, "" if there are several

	components *ir.Catalogue
}

// edge is a pair of node types.
type edge struct{ from, to string }

// param is a literal value of a node, templates filled in. The key has the form of comparableKey.
type param struct {
	node, key string
	value     any
}

// call is one node with all params that are given: missing for those that come from another node.
type call struct {
	node string
	args map[string]any
}

// missing stands for a value that nobody knows before the run.
type missing struct{}

// readPlan reads a plan that was made of components; without them nil.
func readPlan(res *planner.Result, components *ir.Catalogue) *planned {
	if components == nil {
		components = ir.NewCatalogue()
	}
	p := &planned{
		result: res, dead: res.Status == planner.Failed || res.Status == planner.Cancelled,
		refs: map[edge]bool{}, declared: map[edge]bool{}, values: res.ExecutionParams,
		typeOf: map[string]string{}, flat: map[string]string{}, components: components,
	}
	doc, _ := res.WorkflowIR.(map[string]any)
	p.inputs, _ = doc["inputs"].(map[string]any)
	nodes := objects(doc["nodes"])
	var ids []string
	for _, n := range nodes {
		id, component := text(n["id"]), text(n["type"])
		p.types = append(p.types, component)
		if _, twice := p.typeOf[id]; !twice {
			p.typeOf[id] = component
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		component := components.Get(p.typeOf[id])
		if component == nil {
			continue
		}
		for _, out := range component.Outputs {
			if _, taken := p.flat[out.Key]; taken {
				p.flat[out.Key] = ""
			} else {
				p.flat[out.Key] = id
			}
		}
	}
	for _, n := range nodes {
		p.node(n)
	}
	for _, e := range objects(doc["edges"]) {
		if action := text(e["action"]); action != "" && action != "default" {
			continue
		}
		from, ok1 := p.typeOf[text(e["from"])]
		to, ok2 := p.typeOf[text(e["to"])]
		if ok1 && ok2 {
			p.declared[edge{from, to}] = true
		}
	}
	return p
}

// node reads the params of one node.
func (p *planned) node(n map[string]any) {
	id, component := text(n["id"]), text(n["type"])
	params, _ := n["params"].(map[string]any)
	args := map[string]any{}
	known := p.components.Get(component)
	for _, k := range value.SortedKeys(params) {
		used := map[string]bool{}
		v := params[k]
		if known == nil || !rawParam(known, k) {
			v = p.fill(v, used, 0)
		}
		for source := range used {
			if source != id {
				p.refs[edge{p.typeOf[source], component}] = true
			}
		}
		switch key := comparableKey(k); {
		case len(used) > 0:
			args[key] = missing{}
		case v != missing{} && !absent(v):
			args[key] = v
			p.params = append(p.params, param{component, key, v})
		}
	}
	p.calls = append(p.calls, call{component, args})
}

// rawParam reports whether nothing in a param is a template.
func rawParam(component *ir.Interface, key string) bool {
	port, ok := component.Param(key)
	return ok && port.Raw
}

// usable are the types that count: a plan that says nothing fits has none.
func (p *planned) usable() []string {
	if p.dead || p.result.Status == planner.Infeasible {
		return nil
	}
	return p.types
}

// abstained reports whether the planner said that nothing fits.
func (p *planned) abstained() bool {
	return !p.dead && (p.result.Status == planner.Infeasible || len(p.types) == 0)
}

// fill puts known values into the templates of a value. What comes from nodes is missing, and their ids go into used.
func (p *planned) fill(v any, used map[string]bool, depth int) any {
	if depth > deepest {
		return missing{}
	}
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, item := range v {
			if x := p.fill(item, used, depth+1); x != (missing{}) {
				out[k] = x
			}
		}
		return out
	case []any:
		out := []any{}
		for _, item := range v {
			if x := p.fill(item, used, depth+1); x != (missing{}) {
				out = append(out, x)
			}
		}
		return out
	case string:
		return p.fillText(v, used)
	}
	return v
}

// fillText reads a text as package ir does. One that ir refuses stands for itself.
func (p *planned) fillText(text string, used map[string]bool) any {
	param, problems := ir.Compile(text)
	if len(problems) > 0 {
		return text
	}
	known := true
	param.Walk(func(_ string, e *ir.Expr) {
		node, ok := p.source(e)
		if node != "" {
			used[node] = true
		}
		known = known && ok && node == ""
	})
	if !known {
		return missing{}
	}
	v, err := param.Resolve(p)
	if err != nil {
		return missing{}
	}
	return v
}

// source says where an expression's value comes from: of its alternatives the first that is a node, whose id it gives, or
// that has a value; ok is false if there is none before the run.
func (p *planned) source(e *ir.Expr) (node string, ok bool) {
	for _, alt := range e.Alts {
		if alt.Ref == nil {
			return "", true
		}
		if _, known := p.Lookup(alt.Ref.Root); known {
			one, problems := ir.Compile((&ir.Expr{Alts: []ir.Alt{alt}}).String())
			if len(problems) > 0 {
				continue
			}
			if v, err := one.Resolve(p); err == nil && (v != nil || len(e.Alts) == 1) {
				return "", true
			}
			continue
		}
		if _, input := p.inputs[alt.Ref.Root]; input {
			continue // without a value
		}
		if _, node := p.typeOf[alt.Ref.Root]; node {
			return alt.Ref.Root, true
		}
		if id := p.flat[alt.Ref.Root]; id != "" {
			return id, true
		}
	}
	return "", false
}

// Lookup finds what is known before the run: execution parameters, and inputs with a default.
func (p *planned) Lookup(root string) (any, bool) {
	if v, ok := p.values[root]; ok {
		return v, true
	}
	input, _ := p.inputs[root].(map[string]any)
	v := input["default"]
	return v, v != nil
}

// Reach lists what Lookup finds.
func (p *planned) Reach() []string {
	return append(value.SortedKeys(p.values), value.SortedKeys(p.inputs)...)
}

// objects are the objects of a list.
func objects(v any) []map[string]any {
	list, _ := v.([]any)
	var out []map[string]any
	for _, item := range list {
		if m, ok := item.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// inOrder reports whether want is a subsequence of got.
func inOrder(got, want []string) bool {
	for _, name := range want {
		i := slices.Index(got, name)
		if i < 0 {
			return false
		}
		got = got[i+1:]
	}
	return true
}
