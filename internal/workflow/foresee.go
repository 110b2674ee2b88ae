package workflow

import (
	"slices"

	"pflow/internal/catalogue"
	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/ir"
)

// Destructive lists the steps of a run that may destroy what is there.
func (d *DryRun) Destructive() []Approval {
	var out []Approval
	for _, s := range d.Steps {
		if s.Destroys != "" {
			out = append(out, Approval{Node: s.Node, Type: s.Type, Destructive: true, Why: s.Destroys})
		}
	}
	return out
}

// foresee asks what a node would do to what is there: its type, or that of its declaration, and the effects of its
// component where neither can say.
func (c *compiler) foresee(step *PlannedStep, n *ir.Node, i *ir.Interface, ps *params, known ir.Values) {
	if i.Workflow || i.Call != nil {
		return // the nodes of that workflow are looked at
	}
	t, builtin := c.env.Types[n.Type]
	decl := c.env.Declared[n.Type]
	var seen nodetype.Foreseen
	switch {
	case builtin && t.Foresee != nil:
		seen = t.Foresee(c.foreseen(ps, step.Pending, known, t.Late), step.Pending)
	case !builtin && decl != nil && decl.Run != nil && len(i.Effects) == 0:
		seen = c.foreseeDeclared(decl, ps, step.Pending, known)
	case i.Has(ir.Destructive):
		seen.Destroys = "its effects are destructive"
	}
	step.Destroys = seen.Destroys
}

// foreseen is a call as far as it is known before the run.
func (c *compiler) foreseen(ps *params, pending []string, known ir.Values, late []string) nodetype.Call {
	call := nodetype.Call{Params: map[string]any{}, Dir: c.env.Dir, Env: c.getenv(),
		Resolve: func(template string) (any, error) { return resolveKnown(template, known) }}
	for at := range ps.list {
		q := &ps.list[at]
		if slices.Contains(late, q.key) {
			call.Params[q.key] = q.raw
			continue
		}
		v, open := q.value.Partial(known)
		if q.port != nil && len(open) == 0 {
			if fitted, err := fit(q.port, v); err == nil {
				v = fitted
			}
		}
		if v != nil {
			call.Params[q.key] = v
		}
	}
	return call
}

// foreseeDeclared looks at what a declared node runs that states no effects.
func (c *compiler) foreseeDeclared(decl *catalogue.Declared, ps *params, pending []string, known ir.Values) nodetype.Foreseen {
	t, ok := c.env.Types[decl.Run.By]
	if !ok || t.Foresee == nil {
		return nodetype.Foreseen{}
	}
	outer := c.foreseen(ps, pending, known, nil)
	scope := portValues(decl.Interface, outer.Params)
	for _, k := range decl.Interface.ParamKeys() {
		if slices.ContainsFunc(pending, func(p string) bool { return under(p, k) }) {
			delete(scope, k)
		}
	}
	spec, ok := decl.Run.Spec.(map[string]any)
	if !ok {
		spec = map[string]any{mainParam[decl.Run.By]: decl.Run.Spec}
	}
	inner, open := &params{}, []string{}
	for k, raw := range spec {
		v, _ := ir.Compile(raw)
		if v == nil {
			return nodetype.Foreseen{Destroys: "its declaration cannot be read"}
		}
		port, _ := t.Interface.Param(k)
		inner.list = append(inner.list, param{key: k, port: port, value: v, raw: raw})
		_, paths := v.Partial(scope)
		for _, path := range paths {
			open = append(open, pathInto(k, path))
		}
	}
	return t.Foresee(c.foreseen(inner, open, scope, t.Late), open)
}

// under reports whether a path leads into a param, or to it.
func under(path, key string) bool {
	return path == key || len(path) > len(key) && path[:len(key)] == key && (path[len(key)] == '.' || path[len(key)] == '[')
}

// resolveKnown gives the value of a template of which everything is known.
func resolveKnown(template string, known ir.Values) (any, error) {
	p, problems := ir.Compile(template)
	if len(problems) > 0 {
		return nil, fault.New(fault.InvalidRequest, "%s", problems[0].Message)
	}
	v, open := p.Partial(known)
	if len(open) > 0 {
		return nil, fault.New(fault.MissingKey, "%s is not known yet", template)
	}
	return v, nil
}
