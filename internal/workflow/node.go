package workflow

import (
	"context"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/mask"
	"pflow/internal/nodetype"
	"pflow/ir"
)

// valuesKey names what a node's prep holds: the values of the roots that its templates read.
const valuesKey = "values"

// call is a node whose component this process runs itself.
type call struct {
	c      *compiler
	node   *ir.Node
	iface  *ir.Interface
	params *params
	run    func(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error)
	pure   bool // run touches nothing, and may be run where others stand in
	// foresee says what the call would destroy, everything being known; nil: what it calls is asked itself.
	foresee func(c nodetype.Call) nodetype.Foreseen
}

// op is the op of a call. It is the node's own: whether it may run again after a crash is its component's to say.
func (c *call) op() *engine.Op {
	return &engine.Op{Name: "node", Tool: c.node.Type, Actions: append(c.iface.ResultsOf(c.node.Params), ir.ActionError), Idempotent: c.iface.Has(ir.Idempotent), Place: c.place()}
}

// place is where the node wants to run: where the type says that runs it, else by what the component touches.
func (c *call) place() string {
	by := c.node.Type
	if decl := c.c.env.Declared[by]; decl != nil && decl.Run != nil {
		by = decl.Run.By
	}
	if place := c.c.env.Types[by].Place; place != "" {
		return place
	}
	if c.iface.Has(ir.Network) {
		return "network"
	}
	return ""
}

// exec runs one attempt. Secrets are read here and nowhere else, and taken out of whatever comes back.
func (c *call) exec(ctx context.Context, in engine.Input) (out engine.Output, err error) {
	if err := ctx.Err(); err != nil {
		return out, err
	}
	r := running(ctx)
	env := c.c.getenv()
	store := c.c.secretStore()
	if err := c.params.reads.missingSecret(ctx, store); err != nil {
		return out, err
	}
	ctx = mask.With(ctx, func() *mask.Masker { return c.c.secrets.mask(store) })
	defer func() { err = maskedError(c.c.secrets.mask(store), err) }()

	values, _ := in.Prep[valuesKey].(map[string]any)
	scope := secretScope{Values: values, from: c.params.reads, store: store, ctx: ctx}
	params, err := c.params.resolve(scope, c.iface)
	if c.c.env.StandIn != nil {
		return c.standIn(ctx, in, params, scope, err)
	}
	if err != nil {
		return out, err
	}
	if err := c.c.gone(params); err != nil {
		return out, err
	}
	if err := c.c.permitted(c.node.Type, params); err != nil {
		return out, err
	}
	call := nodetype.Call{
		Params: params, Dir: c.c.env.Dir, Env: env, Now: in.Now, Depth: r.depth + c.c.depth,
		Withheld: c.c.secrets.withheld, Secrets: store, Files: r.files(c.c.shared), Permits: c.c.env.permits(),
		Resolve: func(template string) (any, error) {
			v, err := resolveTemplate(template, scope)
			if err == nil {
				err = c.c.gone(v)
			}
			return v, err
		},
	}
	if c.foresee != nil {
		any, err := c.mayDestroy(ctx, in.Step(), c.foresee(call))
		if err != nil {
			return out, err
		}
		if call.Files != nil {
			call.Files = stepFiles{call.Files, any}
		}
	}
	var got nodetype.Outcome
	err = fault.Guard(func() (err error) { // here, so that what a panic says is redacted, too
		got, err = c.run(ctx, call)
		return err
	})
	return c.outcome(r, got, err)
}

// outcome is what an attempt gave, without the secrets in it.
func (c *call) outcome(r *session, got nodetype.Outcome, err error) (out engine.Output, _ error) {
	masker := c.c.secrets.mask(c.c.secretStore()) // the node may have read some
	for _, w := range got.Warnings {
		r.warn(c.node.ID + ": " + masker.Text(w))
	}
	out.Meters = got.Meters
	if err != nil {
		return out, err
	}
	outputs := got.Outputs
	if outputs == nil {
		outputs = map[string]any{}
	}
	out.Action, out.Result = got.Action, masker.Value(normal(outputs))
	if out.Action == ir.ActionError {
		return engine.Output{Meters: got.Meters}, fault.New(fault.Failure, "the node ended with the action error")
	}
	if result, ok := out.Result.(map[string]any); ok {
		if kept, marks := unkept(c.node.ID, result, got.Private); kept != nil {
			out.Kept, out.Unkept = kept, marks
			if c.ofItem() {
				out.Kept = map[string]any{itemOutputs: kept}
			}
		}
	}
	if c.ofItem() {
		out.Result = map[string]any{itemOutputs: out.Result}
	}
	return out, nil
}

// ofItem reports whether a call's result is that of an item. What rounds give is told from failures by itself.
func (c *call) ofItem() bool { return c.node.Batch != nil && c.node.Repeat == nil }

func resolveTemplate(template string, scope ir.Scope) (any, error) {
	p, problems := ir.Compile(template)
	if len(problems) > 0 {
		return nil, fault.New(fault.InvalidRequest, "%s", problems[0].Message)
	}
	return p.Resolve(scope)
}
