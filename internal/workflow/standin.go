package workflow

import (
	"context"
	"maps"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/ir"
)

// StandIn answers for the components of a workflow and of those it calls. What such a run touches is what StandIn does:
// declared nodes, tools and flows are asked for like all others.
type StandIn struct {
	// Answer gives the outcome of one attempt of a node.
	Answer func(ctx context.Context, u Use) (nodetype.Outcome, error)
	// Ends says that a node that repeats takes no further round: what it waits for would never come.
	Ends func(n *ir.Node) bool
}

// Use is one attempt of a node.
type Use struct {
	Step      string // as steps are named: outer/inner, poll#2
	Index     string // the item of a batch; "" outside of one
	Node      *ir.Node
	Interface *ir.Interface
	// Params are resolved and of their declared types, secrets masked; one that its component fills in itself, such as a
	// command, has its values filled in. nil with Err, which says why they cannot be had.
	Params map[string]any
	Err    error
	// Run runs the component itself; nil if it would touch or wait for anything, and with Err.
	Run func() (nodetype.Outcome, error)
}

// Name is the name of the node in the whole run, without items and rounds.
func (u *Use) Name() string { return declaredName(u.Step) }

// standIn asks for the outcome of an attempt. err is why there are no params.
func (c *call) standIn(ctx context.Context, in engine.Input, params map[string]any, scope secretScope, err error) (engine.Output, error) {
	u := Use{Step: in.Step(), Index: in.Index(), Node: c.node, Interface: c.iface}
	shown := maps.Clone(params)
	for i := range c.params.list {
		if q := &c.params.list[i]; q.late && err == nil {
			if shown[q.key], err = q.value.Resolve(scope); err != nil {
				err = inParam(q.key, err)
			}
		}
	}
	masker := c.c.secrets.mask(scope.store)
	if u.Err = maskedError(masker, err); err == nil {
		u.Params, _ = masker.Value(normal(shown)).(map[string]any)
	}
	if c.pure && err == nil {
		call := nodetype.Call{Params: params, Now: in.Now,
			Resolve: func(template string) (any, error) { return resolveTemplate(template, scope) }}
		u.Run = func() (got nodetype.Outcome, err error) {
			err = fault.Guard(func() (err error) {
				got, err = c.run(ctx, call)
				return err
			})
			return got, err
		}
	}
	got, err := c.c.env.StandIn.Answer(ctx, u)
	return c.outcome(running(ctx), got, err)
}
