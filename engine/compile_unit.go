package engine

import (
	"slices"

	"pflow/engine/cond"
	"pflow/engine/syntax"
	"pflow/internal/diag"
	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// opUnit settles an op with its options, and gives the static type of its result. ok says that the options are right:
// only then does the op look at them.
func (c *compiler) opUnit(op *Op, withAt *yamltree.Value, with map[string]any, ok bool, opAt syntax.Str, given *yamltree.Value, prep cond.Record) (unitSpec, value.Type) {
	s := &Setup{c: c, op: op, at: opAt.V, withAt: withAt, with: with, given: given, prep: prep, result: op.Result}
	if s.result == "" {
		s.result = value.Any
	}
	u := unitSpec{op: op}
	if ok && prep != nil {
		before := c.runReads
		u.exec = op.New(s)
		if op.Steady && u.exec != nil {
			u.exec = steadyExec(op, with, u.exec)
		}
		u.readsRun = c.runReads > before
	}
	return u, s.result
}

// flowUnit settles an inner flow and checks what it is given; the types are nil if that is not known.
func (c *compiler) flowUnit(name, given *yamltree.Value, types cond.Record, opAt syntax.Str, inMap bool) unitSpec {
	if name == nil || name.Kind != yamltree.String {
		c.openMeters = true
		return unitSpec{} // reported as a missing or a bad option
	}
	flow := c.s.inner(name, c.node, c.chain)
	if flow == nil {
		c.openMeters = true
		return unitSpec{}
	}
	c.parts = append(c.parts, "flow "+flow.Name+" "+flow.Hash)
	c.flow.source.Inner[name.Text] = flow
	if types == nil {
		return unitSpec{flow: flow}
	}
	keys := flow.Inputs()
	var missing, meant []string
	for _, key := range keys {
		_, has := types[key]
		if flow.keys[key].required && !has && !(inMap && (key == "item" || key == "index")) {
			missing = append(missing, key)
		}
	}
	if given != nil {
		for _, e := range given.Entries {
			key, ok := flow.keys[e.Key]
			switch {
			case !ok || e.Key == lastError:
				meant = append(meant, diag.Nearest(e.Key, missing))
				c.report(whole(e.Name), "unknown-state-key", choice{e.Key, keys}, "the flow %q has no state key %s", flow.Name, quoted(e.Key))
			case !canFit(key.typ, types[e.Key]):
				c.report(whole(e.Value), "bad-type", none, "the flow %q declares %s as %s, and this is %s", flow.Name, e.Key, key.typ, types[e.Key])
			}
		}
	}
	for _, key := range missing {
		if slices.Contains(meant, key) {
			continue // the name that it was given by is reported
		}
		c.report(whole(opAt.V), "missing-prep", none, "the flow %q needs the state key %q; give it in prep", flow.Name, key)
	}
	return unitSpec{flow: flow}
}

// isUnitOption tells the options of map that name what it runs from its own.
func isUnitOption(name string) bool {
	return name == "op" || name == "flow" || name == "prep" || name == "with"
}

// compileMap settles what runs for each item, and gives the types of the inner prep; nil if they are not known. ok says
// that map's own options are right.
func (c *compiler) compileMap(n *node, src *syntax.Node, facts *nodeFacts, with map[string]any, ok bool) cond.Record {
	n.concurrency, _ = with["concurrency"].(int)
	n.keepGoing = with["on_error"] == "continue"
	if at := src.With.Get("concurrency"); at != nil && n.concurrency < 1 {
		c.report(whole(at), "bad-param", none, "concurrency must be at least 1")
	}
	if src.With == nil {
		if src.V.Get("with") == nil {
			c.report(whole(src.Op.V), "bad-param", none, "the op \"map\" needs with: {op: NAME} or {flow: NAME}, which runs for each item")
		}
		c.openMeters = true
		return nil
	}
	unit, types := c.innerUnit(src.With, "map", facts, true, !ok)
	n.units = []unitSpec{unit}
	return types
}

// compileParallel settles the branches, and gives the types of prep names that all branches share; nil if they are not
// known.
func (c *compiler) compileParallel(n *node, src *syntax.Node, facts *nodeFacts, with map[string]any) cond.Record {
	n.joinAny = with["join"] == "any"
	branches := src.With.Get("branches")
	if branches == nil || branches.Kind != yamltree.Map {
		c.openMeters = true
		return nil
	}
	if len(branches.Entries) == 0 {
		c.report(whole(branches), "bad-param", none, "the op \"parallel\" needs at least one branch")
	}
	var shared cond.Record
	for i, e := range branches.Entries {
		if !syntax.IsName(e.Key) {
			c.report(whole(e.Name), "bad-name", none, "the branch name %s must be lower-case words joined by - or _", quoted(e.Key))
		}
		unit, types := c.innerUnit(e.Value, "a branch", facts, false, false)
		unit.name = e.Key
		n.units = append(n.units, unit)
		switch {
		case i == 0:
			shared = types
		case types == nil:
			shared = nil
		case shared != nil:
			shared = sharedTypes(shared, types)
		}
	}
	return shared
}

// sharedTypes keeps the names of both records; where the types differ the name is any.
func sharedTypes(a, b cond.Record) cond.Record {
	out := cond.Record{}
	for name, t := range a {
		if u, ok := b[name]; ok {
			out[name] = t
			if t != u {
				out[name] = value.Any
			}
		}
	}
	return out
}

// innerUnit settles the op or flow of a map or of a branch. In map, v also holds map's own options. The types of its
// prep are nil if they are not known. partial says that the options around it have findings.
func (c *compiler) innerUnit(v *yamltree.Value, what string, facts *nodeFacts, inMap, partial bool) (unitSpec, cond.Record) {
	decode := syntax.DecodeBranch
	if inMap {
		decode = syntax.DecodeUnit
	}
	src, found := decode(v)
	for _, f := range found {
		f.Node = c.node
		c.s.add(f)
	}
	if src == nil {
		c.openMeters = true
		return unitSpec{}, nil
	}
	var more vars
	if inMap {
		more = vars{"item": value.Any, "index": value.Integer}
	}
	given := v.Get("prep")
	prep := c.bindings(src.Prep, given, c.seesStore(more))
	facts.reads = append(facts.reads, prep.reads...)
	unit := c.unitOf(v, src, what, given, prep.types, inMap, partial || len(found) > 0)
	unit.prep = prep.out
	return unit, prep.types
}

// unitOf finds the op or the flow of a unit. partial says that findings were made inside it.
func (c *compiler) unitOf(v *yamltree.Value, src *syntax.Unit, what string, given *yamltree.Value, prep cond.Record, inMap, partial bool) unitSpec {
	hasOp, hasFlow := v.Get("op") != nil, v.Get("flow") != nil
	switch {
	case hasOp && hasFlow:
		c.openMeters = true
		c.report(whole(v.Entry("flow").Name), "bad-param", none, "%s runs either an op or a flow; remove one of the two", what)
		return unitSpec{}
	case !hasOp && !hasFlow:
		c.openMeters = true
		c.report(whole(v), "bad-param", none, "%s needs op: NAME or flow: NAME", what)
		return unitSpec{}
	case hasFlow:
		if w := v.Entry("with"); w != nil {
			c.report(whole(w.Name), "unknown-param", none, "a flow takes no with; give its state keys in prep")
		}
		return c.flowUnit(src.Flow.V, given, prep, src.Flow, inMap)
	}
	op := c.op(src.Op)
	if op == nil {
		return unitSpec{}
	}
	if op.New == nil {
		c.openMeters = true
		advice := "put it into a flow and name that: flow: NAME"
		if op.mode == modeFlow {
			advice = "write flow: NAME instead"
		}
		c.report(whole(src.Op.V), "unknown-op", none, "the op %q cannot stand inside map or parallel; %s", op.Name, advice)
		return unitSpec{}
	}
	c.checkPrep(op, given, prep, src.Op, partial)
	with, ok := c.checkWith(op, src.With, src.Op, v.Get("with"), partial)
	unit, _ := c.opUnit(op, src.With, with, ok && !partial, src.Op, given, prep)
	return unit
}
