package workflow

import (
	"maps"
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

// Needed lists the files, by their real paths, that only an approval lets a run replace.
func (d *DryRun) Needed() []string {
	var out []string
	for _, s := range d.Steps {
		out = append(out, s.needs...)
	}
	return out
}

// files is what the nodes of a run may replace.
func (s *shared) files() nodetype.Files {
	if s.env.Written == nil {
		return nil
	}
	return s.env.Written
}

// files is what the nodes of the run may replace.
func (r *session) files(s *shared) nodetype.Files {
	if r.written == nil {
		return s.files()
	}
	return r.written
}

// foresee asks what a node would do to what is there: its type, or that of its declaration, and the effects of its
// component where neither can say.
func (c *compiler) foresee(step *PlannedStep, n *ir.Node, i *ir.Interface, ps *params, known ir.Values) {
	if i.Workflow || i.Call != nil {
		return // the nodes of that workflow are looked at
	}
	if c.env.Paths != nil {
		for _, scope := range scopes(n, step, ps.reads, known) {
			step.refuse(c.pathRefused(n.Type, ps, scope))
		}
	}
	t, builtin := c.env.Types[n.Type]
	decl := c.env.Declared[n.Type]
	var seen nodetype.Foreseen
	var reasons []string
	look := func(one nodetype.Foreseen) {
		add(&seen, one)
		if one.Destroys != "" && !slices.Contains(reasons, one.Destroys) {
			reasons = append(reasons, one.Destroys)
		}
	}
	switch {
	case builtin && t.Foresee != nil:
		for _, scope := range scopes(n, step, ps.reads, known) {
			pending := ps.pending(scope)
			step.open = step.open || len(pending) > 0
			look(t.Foresee(c.foreseen(ps, scope, t.Late), pending))
		}
	case !builtin && decl != nil && decl.Run != nil && decl.Run.By == "mcp":
		look(c.foreseeTool(decl))
	case !builtin && decl != nil && decl.Run != nil:
		for _, scope := range scopes(n, step, ps.reads, known) {
			pending := ps.pending(scope)
			step.open = step.open || len(pending) > 0
			look(c.foreseeDeclared(decl, ps, pending, scope))
		}
	}
	if seen.Destroys == "" && i.Has(ir.Destructive) { // stated effects add to what is found, and take nothing away
		seen.Destroys = "its effects are destructive"
	}
	step.Destroys, step.Replaces, step.Appends, step.Changes, step.needs = seen.Destroys, seen.Replaces, seen.Appends, seen.Changes, seen.Needs
	step.reasons = reasons
	if seen.Destroys != "" && c.env.Undestroyed != "" {
		step.refuse(seen.Destroys + ", which is turned off by " + c.env.Undestroyed)
	}
}

// maxForeseen bounds the items of a batch that are looked at one by one; of more, the item is not known.
const maxForeseen = 1000

// itemScopes gives what is known for each item of a batch; for a node without one, and where the items are not known,
// what is known at all.
func itemScopes(n *ir.Node, step *PlannedStep, known ir.Values) []ir.Values {
	items, list := step.Items.([]any)
	if n.Batch == nil || !list || len(items) > maxForeseen || slices.ContainsFunc(step.Pending, func(p string) bool { return under(p, batchItems) }) {
		return []ir.Values{known}
	}
	var out []ir.Values
	for _, item := range items {
		scope := maps.Clone(known)
		scope[n.Batch.As] = item
		out = append(out, scope)
	}
	return out
}

// scopes gives what is known for each call of a node: each item, and each round of it.
func scopes(n *ir.Node, step *PlannedStep, reads capture, known ir.Values) []ir.Values {
	items := itemScopes(n, step, known)
	if n.Repeat == nil {
		return items
	}
	var out []ir.Values
	for _, item := range items {
		out = append(out, roundScopes(n, step, reads, item, maxForeseen/len(items))...)
	}
	return out
}

// pending lists the paths into params of what is not known in a scope.
func (p *params) pending(known ir.Values) []string {
	var out []string
	for _, q := range p.list {
		_, open := q.value.Partial(known)
		for _, path := range open {
			out = append(out, pathInto(q.key, path))
		}
	}
	return out
}

// add puts what was foreseen of one item to that of the others.
func add(to *nodetype.Foreseen, seen nodetype.Foreseen) {
	if to.Destroys == "" {
		to.Destroys = seen.Destroys
	}
	for _, l := range []struct{ to, from *[]string }{{&to.Replaces, &seen.Replaces}, {&to.Appends, &seen.Appends}, {&to.Needs, &seen.Needs}} {
		for _, s := range *l.from {
			if !slices.Contains(*l.to, s) {
				*l.to = append(*l.to, s)
			}
		}
	}
	for _, line := range seen.Changes { // the same line may change in two files
		if len(to.Changes) > maxChanges {
			return
		}
		if len(to.Changes) == maxChanges {
			line = "…"
		}
		to.Changes = append(to.Changes, line)
	}
}

// maxChanges bounds the lines of what changes in files that a step shows.
const maxChanges = 100

// foreseen is a call as far as it is known before the run.
func (c *compiler) foreseen(ps *params, known ir.Values, late []string) nodetype.Call {
	call := nodetype.Call{Params: map[string]any{}, Dir: c.env.Dir, Env: c.getenv(), Files: c.files(), Permits: c.env.permits(),
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
	outer := c.foreseen(ps, known, nil)
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
	inner := &params{}
	for k, raw := range spec {
		v, _ := ir.Compile(raw)
		if v == nil {
			return nodetype.Foreseen{Destroys: "its declaration cannot be read"}
		}
		port, _ := t.Interface.Param(k)
		inner.list = append(inner.list, param{key: k, port: port, value: v, raw: raw})
	}
	return t.Foresee(c.foreseen(inner, scope, t.Late), inner.pending(scope))
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
