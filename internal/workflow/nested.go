package workflow

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pflow/engine"
	"pflow/engine/cond"
	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// workflow compiles a node that runs a workflow known by name as an inner flow of the run: its steps are journaled like
// all others. A workflow that is under way already, so that it calls itself, is called when its turn comes instead.
func (c *compiler) workflow(at int, i *ir.Interface, name string, given map[string]any, d *engine.DAGNode) (func(map[string]any) any, bool) {
	n := &c.w.Nodes[at]
	p := c.params(n, given, i, nil)
	if slices.Contains(c.chain, name) || c.depth+1 >= maxDepth {
		return nil, c.perform(d, &call{c: c, node: n, iface: i, params: p,
			run: func(ctx context.Context, in nodetype.Call) (nodetype.Outcome, error) {
				return c.callNow(ctx, name, in.Params, in)
			}})
	}
	w, err := c.load(name)
	if err != nil {
		c.report(at, NotRunnable, "the workflow %q: %v", name, err)
		return nil, false
	}
	secrets := c.handedSecrets(at, w, p)
	program := c.called(name, w, secrets)
	if program.flow == nil {
		return nil, false
	}
	for _, a := range program.Approvals {
		c.program.Approvals = append(c.program.Approvals, Approval{Node: n.ID + "/" + a.Node, Type: a.Type})
	}
	c.piped(p.reads)
	d.Flow = program.flow
	c.program.steps[n.ID] = toldStep{params: p, inner: program}
	d.Prep = []engine.Binding{{Name: inputsKey, Expr: handedInputs{program: program, params: p}}}
	if len(c.environ) > 0 {
		d.Prep = append(d.Prep, engine.Binding{Name: environKey, Expr: environment{}})
	}
	return func(store map[string]any) any { return program.outputs.values(store, nil) }, true
}

// caller compiles a node whose params name the workflow it runs.
func (c *compiler) caller(at int, i *ir.Interface, d *engine.DAGNode) (func(map[string]any) any, bool) {
	n := &c.w.Nodes[at]
	name, fixed := n.Params[i.Call.Name].(string)
	if fixed {
		t, _ := ir.Compile(name)
		literal, ok := t.Literal()
		name, _ = literal.(string)
		fixed = ok && name != ""
	}
	inputs, object := n.Params[i.Call.Inputs].(map[string]any)
	if !fixed || n.Params[i.Call.Inputs] != nil && !object {
		return nil, c.perform(d, &call{c: c, node: n, iface: i, params: c.params(n, n.Params, i, nil),
			run: func(ctx context.Context, in nodetype.Call) (nodetype.Outcome, error) {
				name, _ := in.Params[i.Call.Name].(string)
				inputs, _ := in.Params[i.Call.Inputs].(map[string]any)
				return c.callNow(ctx, name, inputs, in)
			}})
	}
	component := c.env.Catalogue.Get(name)
	if component == nil || !component.Workflow {
		w, err := c.load(name)
		if err != nil {
			c.report(at, NotRunnable, "the workflow %q: %v", name, err)
			return nil, false
		}
		component = w.AsComponent(name, "", c.env.Catalogue)
	}
	return c.workflow(at, component, name, inputs, d)
}

// load gives a called workflow, always the same one for a name.
func (s *shared) load(name string) (*ir.Workflow, error) {
	for _, c := range s.calls {
		if c.name == name {
			return c.workflow, nil
		}
	}
	if s.env.Load == nil {
		return nil, fmt.Errorf("there are no saved workflows here")
	}
	w, err := s.env.Load(name)
	if err != nil {
		return nil, err
	}
	if err := s.valid(w); err != nil {
		return nil, err
	}
	s.calls = append(s.calls, called{name, w})
	return w, nil
}

// valid checks a called workflow, which may have been saved long before the components it uses changed.
func (s *shared) valid(w *ir.Workflow) error {
	found := ir.Validate(w, s.env.Catalogue, ir.Options{})
	if !found.HasErrors() {
		found = checkTypes(w, s.env.Types)
	}
	if err := found.Err(); err != nil {
		return fault.New(fault.InvalidRequest, "it is not valid: %s", strings.TrimSpace(err.Error()))
	}
	return nil
}

// called compiles a called workflow once for each set of secrets that it is handed.
func (c *compiler) called(name string, w *ir.Workflow, secrets map[string]string) *Program {
	key := name
	for _, k := range value.SortedKeys(secrets) {
		key += "\x00" + k + "=" + secrets[k]
	}
	if p, done := c.programs[key]; done {
		return p
	}
	p := c.compile(name, w, c.chain, secrets, nil)
	c.programs[key] = p
	return p
}

// handedSecrets are the inputs of a called workflow that a param hands a secret to. A secret is handed on as it is or
// not at all: what is made of it would be kept.
func (c *compiler) handedSecrets(at int, w *ir.Workflow, p *params) map[string]string {
	out := map[string]string{}
	for _, q := range p.list {
		whole := q.value.Whole()
		alone := whole != nil && len(whole.Alts) == 1 && whole.Alts[0].Ref != nil && len(whole.Alts[0].Ref.Path) == 0
		handed := false
		q.value.Walk(func(_ string, e *ir.Expr) {
			for _, alt := range e.Alts {
				if alt.Ref == nil || p.reads[alt.Ref.Root].kind != fromSecret {
					continue
				}
				if alone {
					out[q.key], handed = p.reads[alt.Ref.Root].env, true
				} else {
					c.report(at, BadSecret, "%s: a secret is handed to a workflow as it is, ${%s}; make longer text of it there", q.key, alt.Ref.Root)
				}
			}
		})
		if in, ok := w.Input(q.key); ok && in.Secret && !handed {
			c.report(at, BadSecret, "%s: the input is a secret; hand it a secret input of this workflow, or leave it out to read %s", q.key, in.FromEnv)
		}
	}
	return out
}

// handedInputs are the inputs of a called workflow, out of the params of the node that calls it.
type handedInputs struct {
	program *Program
	params  *params
}

// Eval implements engine.Evaluator.
func (h handedInputs) Eval(s *cond.Scope) (any, error) {
	store := s.Get("store").(map[string]any)
	scope := h.params.reads.known(store, s)
	given := map[string]any{}
	for _, q := range h.params.list {
		v, err := q.value.Resolve(scope)
		if err != nil {
			return nil, inParam(q.key, err)
		}
		if v != nil {
			given[q.key] = v
		}
	}
	if err := h.program.shared.gone(given); err != nil {
		return nil, err
	}
	env, _ := store[environKey].(map[string]any)
	return h.program.hand(given, env)
}

// hand makes the inputs of a called workflow. Secrets that were handed over stay markers.
func (p *Program) hand(given, env map[string]any) (map[string]any, error) {
	input, missing, err := p.Bind(Given{Values: given, handed: true, env: env})
	if err != nil {
		return nil, err
	}
	if len(missing) > 0 {
		return nil, fault.New(fault.InvalidRequest, "the workflow %s needs the input %q", p.Name, missing[0].Name)
	}
	inputs, _ := input[inputsKey].(map[string]any)
	return inputs, nil
}

// environment hands the environment of the run on to a called workflow.
type environment struct{}

// Eval implements engine.Evaluator.
func (environment) Eval(s *cond.Scope) (any, error) {
	return s.Get("store").(map[string]any)[environKey], nil
}

// innerResult reads a node's outputs off the store of its inner flow.
type innerResult func(store map[string]any) any

// Eval implements engine.Evaluator.
func (f innerResult) Eval(s *cond.Scope) (any, error) {
	store, _ := s.Get("result").(map[string]any)
	return f(store), nil
}

// callNow runs a workflow whose name is only known now, or that calls itself, as a run within the node: its steps are
// not journaled, so a resumed run begins it anew.
func (c *compiler) callNow(ctx context.Context, name string, inputs map[string]any, in nodetype.Call) (nodetype.Outcome, error) {
	if in.Depth+1 >= maxDepth {
		return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "workflows call each other more than %d deep: %s calls %s", maxDepth, c.name, name)
	}
	if c.env.Load == nil {
		return nodetype.Outcome{}, fault.New(fault.NotFound, "there are no saved workflows here")
	}
	w, err := c.env.Load(name)
	if err != nil {
		return nodetype.Outcome{}, err
	}
	if err := c.valid(w); err != nil {
		return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "the workflow %s: %s", name, err.Error())
	}
	outer := running(ctx)
	env := c.env
	if outer.written != nil {
		env.Written = outer.written
	}
	p, found := Compile(Source{Name: name, Workflow: w}, env)
	if p == nil {
		return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "the workflow %s cannot be run: %s", name, strings.TrimSpace(found.Text()))
	}
	own, missing, err := p.Bind(Given{Values: inputs, handed: true})
	if len(p.shared.environ) > 0 && err == nil {
		own[environKey] = p.environment()
	}
	if err != nil {
		return nodetype.Outcome{}, err
	}
	if len(missing) > 0 {
		return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "the workflow %s needs the input %q", name, missing[0].Name)
	}
	approved := map[string]bool{}
	foreseen := p.DryRun(own)
	for _, a := range append(foreseen.Destructive(), p.Approvals...) {
		approved[a.Node] = true
		a.Node = name + "/" + a.Node
		if !outer.approves(ctx, a) {
			return nodetype.Outcome{}, fault.New(fault.Refused, "%s needs approval; a workflow that calls itself, or is called by a computed name, cannot wait for it: approve the whole run", a.Node)
		}
	}
	p.Grant(foreseen, c.granted.All)
	nested := newSession(func(ctx context.Context, a Approval) bool {
		return approved[declaredName(a.Node)] || outer.approves(ctx, a)
	}, in.Depth+1)
	res, err := engine.Execute(context.WithValue(ctx, runKey{}, nested), p.flow, own, engine.Options{})
	if err != nil {
		return nodetype.Outcome{}, err
	}
	for _, text := range nested.warnings {
		outer.warn(text)
	}
	if res.Status == engine.Waiting {
		return nodetype.Outcome{Meters: res.Usage}, fault.New(fault.Refused, "%s was not approved", res.Waits[0].For)
	}
	if res.Error != nil {
		if text := res.Error.Message; outer.depth > 0 { // the outermost call says where
			return nodetype.Outcome{Meters: res.Usage}, fault.New(fault.Kind(res.Error.Kind), "%s", text)
		}
		return nodetype.Outcome{Meters: res.Usage}, fault.New(fault.Kind(res.Error.Kind), "%s: %s", res.Error.Node, res.Error.Message)
	}
	out, _ := p.outputs.values(res.Store, nil).(map[string]any)
	return nodetype.Outcome{Outputs: out, Meters: res.Usage}, nil
}
