package workflow

import (
	"reflect"
	"slices"
	"strings"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/value"
	"pflow/ir"
)

// FailedIn takes in where the earlier run failed, if the inputs are what they were. A step that failed on what it was given fails
// again with it: if it is not changed, the steps that gave it that run again, too. That is so for certain where it comes of its
// params alone, or where those could not be resolved; where its error only says that something of the wrong form was given, steps
// run again for it that repeat no effect.
func (r *Retry) FailedIn(end *engine.RunError) {
	if end == nil || strings.HasSuffix(end.Node, GateSuffix) {
		return
	}
	p, n := r.now.find(end.Node)
	_, old := r.past[0].program.find(end.Node)
	if n == nil || old == nil || !reflect.DeepEqual(n, old) ||
		value.JSON(declaration(r.now, n.Type)) != value.JSON(declaration(r.past[0].program, n.Type)) {
		return
	}
	sure := r.now.shared.env.Types[n.Type].Pure || r.past[0].program.unresolved(r.past[0].failed[end.Node])
	formed := slices.Contains([]fault.Kind{fault.Malformed, fault.Type, fault.MissingKey, fault.Schema}, fault.Kind(end.Kind))
	if sure || formed {
		s := sourcesOf{r, end.Node, sure}
		s.node(end.Node[:strings.LastIndexByte(end.Node, '/')+1], p, n, "")
	}
}

// unresolved reports whether the params of a step cannot be resolved with what it was given.
func (p *Program) unresolved(a engine.Attempted) bool {
	of, n := p.find(a.Step)
	values, ok := a.Prep[valuesKey].(map[string]any)
	if n == nil || !ok || of.steps[n.ID].params == nil {
		return false
	}
	params := of.steps[n.ID].params
	scope := params.reads.told(values)
	for i := range params.list {
		if _, err := params.list[i].value.Resolve(scope); err != nil {
			return true
		}
	}
	return false
}

// sourcesOf marks the steps that a failed one was given something by.
type sourcesOf struct {
	r      *Retry
	failed string
	sure   bool
}

// node looks at what a node reads, in one of its inputs or, for "", in all. prefix is that of its steps.
func (s sourcesOf) node(prefix string, p *Program, n *ir.Node, input string) {
	params := p.steps[n.ID].params
	if params == nil {
		return
	}
	for i := range params.list {
		q := &params.list[i]
		if input == "" || q.key == input {
			s.value(prefix, p, n, q.value, params.reads)
		}
	}
}

// value looks at what the templates of a value read.
func (s sourcesOf) value(prefix string, p *Program, n *ir.Node, v *ir.Param, reads capture) {
	v.Walk(func(_ string, e *ir.Expr) {
		for _, alt := range e.Alts {
			if alt.Ref == nil {
				continue
			}
			switch from := reads[alt.Ref.Root]; from.kind {
			case fromNode, fromFlat:
				s.step(prefix, p, from.name)
			case fromItem:
				if items, _ := ir.Compile(n.Batch.Items); items != nil {
					s.roots(prefix, p, items)
				}
			case fromInput: // what calls the workflow gave it
				outer := strings.TrimSuffix(prefix, "/")
				if of, caller := s.r.now.find(outer); outer != "" && caller != nil {
					s.node(outer[:strings.LastIndexByte(outer, '/')+1], of, caller, from.name)
				}
			}
		}
	})
}

// roots looks at the nodes that a value outside params names.
func (s sourcesOf) roots(prefix string, p *Program, v *ir.Param) {
	v.Walk(func(_ string, e *ir.Expr) {
		for _, alt := range e.Alts {
			if alt.Ref != nil {
				s.step(prefix, p, alt.Ref.Root)
			}
		}
	})
}

// step marks a step, or what that comes of if it comes of its params alone. The items of a workflow that is called for each are left:
// which of them it was is not known.
func (s sourcesOf) step(prefix string, p *Program, name string) {
	at := p.Workflow.Node(name)
	if at < 0 {
		return
	}
	n := &p.Workflow.Nodes[at]
	inner := p.steps[name].inner
	switch i := p.shared.env.Catalogue.Get(n.Type); {
	case p.shared.env.Types[n.Type].Pure:
		s.node(prefix, p, n, "")
	case inner != nil && n.Batch == nil:
		for _, out := range inner.Workflow.Outputs {
			if v, _ := ir.Compile(out.Source); v != nil {
				s.roots(prefix+name+"/", inner, v)
			}
		}
	case inner == nil && (s.sure || i != nil && i.Has(ir.Idempotent)):
		s.r.anew[prefix+name] = s.failed + " fails again with what it gave"
	}
}
