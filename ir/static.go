package ir

import (
	"fmt"
	"slices"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/value"
)

// compile reads the templates of params, batch items, settings and outputs.
func (v *validator) compile() {
	for i := range v.w.Nodes {
		n, component := &v.w.Nodes[i], v.components[i]
		for _, k := range value.SortedKeys(n.Params) {
			c := compiled{key: k}
			if component != nil {
				c.port, _ = component.Param(k)
			}
			if c.port != nil && c.port.Raw {
				c.param = Raw(n.Params[k])
			} else {
				c.param, c.broken = v.template(n.Params[k], v.path(i, "."+paramPath(k)), i)
			}
			v.params[i] = append(v.params[i], c)
		}
		if n.Batch != nil {
			v.items[i], _ = v.template(n.Batch.Items, v.path(i, ".batch.items"), i)
		}
		v.open[i] = v.settings(i)
	}
	for i, out := range v.w.Outputs {
		v.sources[i], _ = v.template(out.Source, key(key("outputs", out.Name), "source"), -1)
	}
}

func paramPath(k string) string { return key("params", k) }

func (v *validator) template(val any, path string, node int) (p *Param, broken bool) {
	p, problems := Compile(val)
	if len(problems) > 0 {
		v.unread.lose(val)
	}
	for _, problem := range problems {
		v.error(BadTemplate, path+joint(problem.Path), node, "%s", problem.Message)
	}
	return p, len(problems) > 0
}

// nodes checks types, the names and types of params, and that what is required is given.
func (v *validator) nodes() {
	for i := range v.w.Nodes {
		component := v.components[i]
		if component == nil && (v.unread.at[index("nodes", i)] || v.unread.at[index("nodes", i)+".type"]) {
			continue
		}
		if component == nil {
			v.unknownType(key(index("nodes", i), "type"), i, v.w.Nodes[i].Type)
			continue
		}
		for _, c := range v.params[i] {
			path := v.path(i, "."+paramPath(c.key))
			if c.port == nil {
				if !component.OpenParams {
					f := v.error(UnknownParam, path, i, "%q is no param of %s", c.key, component.Name)
					v.suggest(f, c.key, component.ParamKeys)
					v.unread.at[v.path(i, "."+paramPath(f.Suggestion))] = f.Suggestion != ""
				}
				continue
			}
			if !c.broken {
				v.literalType(path, i, c.port, c.param)
			}
		}
		if !v.unread.params(v.w, i) {
			v.required(i)
			v.call(i)
			v.cases(i)
		}
	}
}

func (v *validator) unknownType(path string, node int, name string) {
	if why, ok := v.c.Skipped(name); ok {
		v.error(UnknownNodeType, path, node, "%q %s", name, why)
		return
	}
	near, known := v.types[name]
	if !known && v.hints > 0 {
		v.hints--
		near = v.c.Nearest(name)
		v.types[name] = near
	}
	f := v.error(UnknownNodeType, path, node, "there is no node type %q in the catalogue", name)
	f.Suggestion = near
	if near == "" {
		f.Alternatives = few(v.c.Names())
	}
}

// literalType checks a value without templates, and that a text with templates is wanted as text.
func (v *validator) literalType(path string, node int, port *Port, p *Param) {
	literal, fixed := p.Literal()
	switch {
	case p.Whole() != nil:
		return // data flow knows its type
	case !fixed && p.tmpl != nil:
		literal = "" // text of some kind
		if port.Type != value.Array && port.Type != value.Object {
			return // it may come to hold a number
		}
	case !fixed && p.keys != nil:
		literal = map[string]any{}
	case !fixed:
		literal = []any{}
	case literal == nil:
		return // as if it were left out
	}
	if _, err := value.Fits(port.Type, literal); err != nil {
		got := "text"
		if fixed {
			got = value.Describe(literal)
		} else if p.tmpl == nil {
			got = value.Name(literal)
		}
		v.error(BadParamType, path, node, "%q wants %s, got %s%s", port.Key, article(port.Type), got, rewrite(port.Type, literal, fixed))
		return
	}
	if fixed && len(port.Enum) > 0 && !slices.ContainsFunc(port.Enum, func(e any) bool { return value.Equal(e, literal) }) {
		var names []string
		for _, e := range port.Enum {
			names = append(names, Text(e))
		}
		f := v.error(BadParamType, path, node, "%q is one of %s, not %s", port.Key, diag.Names(names, 20), value.Describe(literal))
		if s, ok := literal.(string); ok {
			f.Suggestion = diag.Nearest(s, names)
		}
		f.Alternatives = few(names)
	}
}

// rewrite says how a scalar is written as the type that is wanted.
func rewrite(t value.Type, literal any, fixed bool) string {
	switch literal.(type) {
	case []any, map[string]any:
		return ""
	}
	if fit, err := Coerce(t, literal); err == nil && fixed && fit != nil {
		return "; write " + value.JSON(fit)
	}
	return ""
}

func article(t value.Type) string {
	switch t {
	case value.Any:
		return "anything"
	case value.Integer, value.Array, value.Object:
		return "an " + string(t)
	}
	return "a " + string(t)
}

// required reports required params that are not given. Required inputs may be bound by name: that is data flow.
func (v *validator) required(node int) {
	given := v.w.Nodes[node].Params
	for _, p := range v.components[node].OnlyParams() {
		if got, ok := given[p.Key]; p.Required && p.Default == nil && (!ok || got == nil) && !v.unread.at[v.path(node, "."+paramPath(p.Key))] {
			v.error(MissingInput, v.path(node, "."+paramPath(p.Key)), node, "%s needs the param %q (%s)%s",
				v.components[node].Name, p.Key, p.Type, described(p.Description))
		}
	}
}

func described(s string) string {
	if s == "" {
		return ""
	}
	return ": " + strings.TrimSuffix(s, ".")
}

// call checks a node that runs a saved workflow it names: the workflow exists, its inputs are given and fit.
func (v *validator) call(node int) {
	call := v.components[node].Call
	if call == nil {
		return
	}
	params := v.w.Nodes[node].Params
	name, ok := params[call.Name].(string)
	if t, problem := ParseTemplate(name); !ok || problem != nil || IsFile(name) {
		return
	} else if _, fixed := t.fixed(); !fixed {
		return
	}
	called := v.c.Get(name)
	if called == nil || !called.Workflow {
		path := v.path(node, "."+paramPath(call.Name))
		if why, ok := v.c.Skipped(name); ok {
			v.error(UnknownNodeType, path, node, "the workflow %q %s", name, why)
			return
		}
		f := v.error(UnknownNodeType, path, node, "there is no saved workflow %q", name)
		v.suggest(f, name, func() []string {
			var names []string
			for _, i := range v.c.All() {
				if i.Workflow {
					names = append(names, i.Name)
				}
			}
			return names
		})
		return
	}
	path := v.path(node, "."+paramPath(call.Inputs))
	inputs, ok := params[call.Inputs].(map[string]any)
	if given, there := params[call.Inputs]; there && !ok && given != nil {
		return // a template or a wrong type
	}
	for _, k := range value.SortedKeys(inputs) {
		port, ok := called.Param(k)
		if !ok {
			f := v.error(UnknownParam, key(path, k), node, "%q is no input of the workflow %s", k, name)
			v.suggest(f, k, called.ParamKeys)
			continue
		}
		if p, problems := Compile(inputs[k]); len(problems) == 0 {
			v.literalType(key(path, k), node, port, p)
		}
	}
	for _, p := range called.Inputs {
		if got, ok := inputs[p.Key]; p.Required && p.Default == nil && (!ok || got == nil) {
			v.error(MissingInput, key(path, p.Key), node, "the workflow %s needs the input %q (%s)%s", name, p.Key, p.Type, described(p.Description))
		}
	}
}

// IsFile tells a path to a workflow from the name of a saved one.
func IsFile(name string) bool {
	return strings.Contains(name, "/") || strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// inputs checks defaults and shadowed keys. Whether an input is used is known after the data flow.
func (v *validator) inputs() {
	for _, in := range v.w.Inputs {
		path := key("inputs", in.Name)
		if in.HasDefault && in.Default != nil {
			if _, err := value.Fits(in.Type, tidy(in.Default)); err != nil {
				v.error(BadParamType, key(path, "default"), -1, "the default of %q: %v%s", in.Name, err, rewrite(in.Type, in.Default, true))
			}
		}
		if at := v.writers[in.Name]; len(at) > 0 {
			v.add(diag.Warning, AmbiguousKey, path, -1, "the input %q hides the output %q of %s; give the input another name (the output is ${%s.%s} in any case)",
				in.Name, in.Name, v.names(at), v.w.Nodes[at[0]].ID, in.Name)
		}
	}
}

func (v *validator) names(nodes []int) string {
	var ids []string
	for _, n := range nodes[:min(len(nodes), 6)] {
		ids = append(ids, v.w.Nodes[n].ID)
	}
	if more := len(nodes) - len(ids); more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(ids, ", "), more)
	}
	return strings.Join(ids, ", ")
}

// graphs reports cycles, what cannot be reached, and edges whose action never happens.
func (v *validator) graphs() {
	told := map[int]bool{}
	for n := range v.w.Nodes {
		c := v.g.component[n]
		if !v.g.cyclic[c] || told[c] {
			continue
		}
		told[c] = true
		edges := v.g.cycle(n)
		v.error(Cycle, index("edges", edges[len(edges)-1]), n, "the nodes run in a circle: %s; a workflow runs each node at most once, so take out one of these edges",
			v.g.cycleText(edges))
	}
	for n := range v.w.Nodes {
		if id := v.w.Nodes[n].ID; !v.g.reached[n] && !v.unread.reach(n) && id != "" && v.g.ids[id] == n {
			v.error(UnreachableNode, index("nodes", n), n, "%q never runs: no edge leads to it from %s, where the workflow begins; add an edge to it, or take it out",
				v.w.Nodes[n].ID, v.beginning())
		}
	}
	v.starts()
	for n := range v.w.Nodes {
		v.routed(n)
	}
	for i, e := range v.w.Edges {
		from, ok := v.g.ids[e.From]
		if !ok || e.Action == ActionError || v.components[from] == nil {
			continue
		}
		if results := v.results(from); !slices.Contains(results, e.Action) {
			f := v.error(ImpossibleAction, key(index("edges", i), "action"), from, "the edge is never taken: %s (%s) never ends with the action %q",
				e.From, v.components[from].Name, e.Action)
			v.suggest(f, e.Action, func() []string { return append(slices.Clone(results), ActionError) })
		}
	}
}
