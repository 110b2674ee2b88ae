package workflow

import (
	"context"
	"strings"

	"pflow/engine"
	"pflow/engine/cond"
	"pflow/internal/catalogue"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// declared compiles a node whose type is declared in YAML. `run` holds params of the node type shell or http, in which
// templates read the params of the declared node, or the name of a flow, whose first state those params are.
func (c *compiler) declared(at int, decl *catalogue.Declared, d *engine.DAGNode) (func(map[string]any) any, bool) {
	n := &c.w.Nodes[at]
	p := c.params(n, n.Params, decl.Interface, nil)
	run := decl.Run
	switch {
	case run == nil:
		c.report(at, NotRunnable, "%q can be planned with, but not run: its declaration (%s) has no run", n.Type, decl.Interface.Origin)
		return nil, false
	case run.By == "flow":
		return c.declaredFlow(at, decl, p, d)
	case run.By == "mcp":
		return nil, c.declaredTool(at, decl, p, d)
	}
	t, ok := c.env.Types[run.By]
	if !ok {
		c.report(at, NotRunnable, "%q is run by %s, which is not there (%s)", n.Type, run.By, run.Place)
		return nil, false
	}
	spec, ok := run.Spec.(map[string]any)
	if !ok {
		spec = map[string]any{mainParam[run.By]: run.Spec}
	}
	inner := &params{}
	for _, k := range value.SortedKeys(spec) {
		port, known := t.Interface.Param(k)
		if !known {
			c.report(at, NotRunnable, "%s: %s has no param %q; it has %s", run.Place, run.By, k, strings.Join(t.Interface.ParamKeys(), ", "))
			return nil, false
		}
		v, problems := ir.Compile(spec[k])
		if port.Raw {
			v, problems = ir.Raw(spec[k]), nil
		}
		for _, problem := range problems {
			c.report(at, NotRunnable, "%s: %s", run.Place, problem.Message)
		}
		q := param{key: k, port: port, value: v, raw: spec[k]}
		for _, late := range t.Late {
			q.late = q.late || late == k
		}
		inner.list = append(inner.list, q)
	}
	if t.Check != nil {
		for _, problem := range t.Check(spec) {
			c.report(at, NotRunnable, "%s: %s: %s", run.Place, problem.Path, problem.Message)
		}
	}
	parse, ok := c.parser(at, decl, t.Interface)
	if !ok {
		return nil, false
	}
	given := func(in nodetype.Call) (nodetype.Call, error) {
		scope := portValues(decl.Interface, in.Params)
		params, err := inner.resolve(scope, t.Interface)
		in.Params = params
		in.Resolve = func(template string) (any, error) { return resolveTemplate(template, scope) }
		return in, err
	}
	foresee := func(in nodetype.Call) nodetype.Foreseen {
		inner, err := given(in)
		if err != nil {
			return nodetype.Foreseen{} // the node fails before it runs anything
		}
		return foreseeStep(t, decl.Interface, inner)
	}
	return nil, c.perform(d, &call{c: c, node: n, iface: decl.Interface, params: p, foresee: foresee, run: func(ctx context.Context, in nodetype.Call) (nodetype.Outcome, error) {
		inner, err := given(in)
		if err != nil {
			return nodetype.Outcome{}, err
		}
		out, err := t.Run(ctx, inner)
		if err != nil {
			return out, err
		}
		if parse != nil {
			out.Outputs, err = parse(ctx, in, out.Outputs)
			return out, err
		}
		out.Outputs, err = declaredOutputs(decl.Interface, run.By, out.Outputs)
		return out, err
	}})
}

// portValues is what the templates of a declaration see: the params of its node, null where one is left out.
func portValues(i *ir.Interface, params map[string]any) ir.Values {
	out := ir.Values{}
	for _, k := range i.ParamKeys() {
		out[k] = nil
	}
	for k, v := range params {
		out[k] = v
	}
	return out
}

// mainParam is the param that a declaration of text alone gives: {shell: COMMAND}, {http: URL}.
var mainParam = map[string]string{"shell": "command", "http": "url"}

// mainOutput is what of a node type's outputs holds the data that a declared node is about.
var mainOutput = map[string]string{"shell": "stdout", "http": "response", "mcp": "text"}

// declaredOutputs brings what the shell or a server answered to the outputs that the node declares: one that the node
// type itself has (stdout, status_code) is that; the others are the keys of the answer, if it is a JSON object that has
// them all, and a single one is the whole answer otherwise.
func declaredOutputs(i *ir.Interface, by string, got map[string]any) (map[string]any, error) {
	if len(i.Outputs) == 0 {
		return got, nil
	}
	out := map[string]any{}
	var rest []ir.Port
	for _, port := range i.Outputs {
		if v, ok := got[port.Key]; ok {
			out[port.Key] = v
		} else {
			rest = append(rest, port)
		}
	}
	answer := got[mainOutput[by]]
	object, _ := answer.(map[string]any)
	if text, ok := answer.(string); ok {
		if parsed, err := value.ParseJSON([]byte(text)); err == nil {
			object, _ = parsed.(map[string]any)
		}
		answer = strings.TrimRight(text, "\r\n")
	}
	for _, port := range rest {
		v, ok := object[port.Key]
		if !ok && len(rest) == 1 {
			v = answer
		}
		fitted, err := ir.Coerce(port.Type, v)
		if err != nil {
			return nil, inParam("the output "+port.Key, err)
		}
		out[port.Key] = fitted
	}
	return out, nil
}

// declaredFlow runs a flow as the program of a declared node: its params are the first state, its outputs are read off
// the last one.
func (c *compiler) declaredFlow(at int, decl *catalogue.Declared, p *params, d *engine.DAGNode) (func(map[string]any) any, bool) {
	name, _ := decl.Run.Spec.(string)
	if name == "" || c.env.Flow == nil {
		c.report(at, NotRunnable, "%s: want the name of a flow", decl.Run.Place)
		return nil, false
	}
	flow, err := c.env.Flow(name)
	if err != nil {
		c.report(at, NotRunnable, "%s: %v", decl.Run.Place, err)
		return nil, false
	}
	if decl.Parse != nil {
		c.report(at, NotRunnable, "%s: parse goes with shell and http; the outputs of a flow are keys of its state", decl.Parse.Place)
		return nil, false
	}
	c.noSecrets(at, "params", p.reads)
	keys := map[string]bool{}
	for _, k := range flow.State() {
		keys[k.Name] = true
	}
	for _, port := range append(append([]ir.Port{}, decl.Interface.Inputs...), decl.Interface.OnlyParams()...) {
		given := port.Default != nil
		for _, q := range p.list {
			given = given || q.key == port.Key
		}
		switch {
		case !given:
		case !keys[port.Key]:
			c.report(at, NotRunnable, "%s: the flow %s has no state key %q", decl.Run.Place, name, port.Key)
			return nil, false
		default:
			d.Prep = append(d.Prep, engine.Binding{Name: port.Key, Expr: flowParam{c.shared, p, decl.Interface, port.Key}})
		}
	}
	d.Flow = flow
	return func(store map[string]any) any {
		out := make(map[string]any, len(decl.Interface.Outputs))
		for _, port := range decl.Interface.Outputs {
			out[port.Key] = store[port.Key]
		}
		return out
	}, true
}

// flowParam is one param of a node that a flow runs.
type flowParam struct {
	c      *shared
	params *params
	iface  *ir.Interface
	key    string
}

// Eval implements engine.Evaluator.
func (f flowParam) Eval(s *cond.Scope) (any, error) {
	all, err := f.params.resolve(f.params.reads.known(s.Get("store").(map[string]any), s), f.iface)
	if err != nil {
		return nil, err
	}
	return all[f.key], f.c.gone(all[f.key])
}
