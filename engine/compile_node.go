package engine

import (
	"fmt"
	"slices"

	"pflow/engine/cond"
	"pflow/engine/syntax"
	"pflow/internal/diag"
	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// compileNode settles one node but for its routes.
func (c *compiler) compileNode(i int, src *syntax.Node) {
	n := &c.flow.nodes[i]
	facts := &c.facts[i]
	facts.src = src
	n.id, n.place = src.ID.Text, src.ID.V.Place
	n.maxVisits, n.timeout = src.MaxVisits, src.Timeout
	if src.Catch != nil {
		n.catch = src.Catch.Text
	}
	op := c.op(src.Op)
	given := src.V.Get("prep")
	prep := c.bindings(src.Prep, given, c.seesStore(nil))
	n.prep, facts.reads = prep.out, prep.reads

	inner := prep.types // what retry.on and fallback see as prep
	result := value.Any
	if op != nil {
		n.mode = op.mode
		facts.known = !src.Partial
		c.checkPrep(op, given, prep.types, src.Op, src.Partial)
		with, ok := c.checkWith(op, src.With, src.Op, src.V.Get("with"), src.Partial)
		switch op.mode {
		case modeOp:
			u, t := c.opUnit(op, src.With, with, ok && !src.Partial, src.Op, given, prep.types)
			n.units, result = []unitSpec{u}, t
		case modeFlow:
			u := c.flowUnit(src.With.Get("flow"), given, prep.types, src.Op, false)
			n.units, result = []unitSpec{u}, value.Object
			facts.known = facts.known && u.flow != nil
		case modeMap:
			inner = c.compileMap(n, src, facts, with, ok)
			result = value.Array
		case modeParallel:
			inner = c.compileParallel(n, src, facts, with)
			result = value.Object
		}
	}
	if op == nil || src.Partial {
		inner = nil // not known
	}
	errs := c.errorEnv(n, inner)
	c.compileRetry(n, src, errs)
	result = c.compileFallback(n, src, errs, result)
	c.compilePost(n, src, facts, prep.types, result)
}

// op finds the op of a node; nil if there is none of the name, which is reported.
func (c *compiler) op(name syntax.Str) *Op {
	op := c.s.loader.Ops.Op(name.Text)
	if op != nil {
		return op
	}
	c.openMeters = true
	if name.V != nil {
		c.report(whole(name.V), "unknown-op", choice{name.Text, c.s.loader.Ops.Names()}, "there is no op %s", quoted(name.Text))
	}
	return nil
}

// bound is a prep or a post: its expressions, their static types, and what they read. types is nil if it cannot be
// known which names there are.
type bound struct {
	out   []Binding
	types cond.Record
	reads []read
}

// bindings compiles prep or post expressions. given is their mapping as it was written: it may hold names whose
// expressions could not be decoded.
func (c *compiler) bindings(src []syntax.Binding, given *yamltree.Value, env *cond.Env) bound {
	var b bound
	if given != nil && given.Kind != yamltree.Map {
		return b // reported
	}
	b.types = cond.Record{}
	if given != nil {
		for _, e := range given.Entries {
			b.types[e.Key] = value.Any
		}
	}
	for i := range src {
		s := &src[i]
		if p := c.value(&s.Expr, env, &b.reads); p != nil {
			b.out = append(b.out, Binding{s.Name.Text, p})
			b.types[s.Name.Text] = p.Type()
		}
	}
	return b
}

// checkPrep compares the names and static types of a prep with what the op takes. The types are nil if they are not
// known; partial says that what is missing may stand in the document, wrongly written.
func (c *compiler) checkPrep(op *Op, given *yamltree.Value, types cond.Record, opAt syntax.Str, partial bool) {
	if types == nil {
		return
	}
	var names, free []string
	for _, f := range op.Prep {
		names = append(names, f.Name)
		if _, taken := types[f.Name]; !taken {
			free = append(free, f.Name)
		}
	}
	var meant []string
	if given != nil {
		for _, e := range given.Entries {
			i := slices.Index(names, e.Key)
			switch {
			case i < 0 && op.OpenPrep:
			case i < 0:
				meant = append(meant, diag.Nearest(e.Key, free))
				c.report(whole(e.Name), "unknown-param", choice{e.Key, free}, "the op %q takes no %s from prep%s", op.Name, quoted(e.Key), op.mode.prepHint())
			case !canFit(op.Prep[i].Type, types[e.Key]):
				c.report(whole(e.Value), "bad-type", none, "the op %q takes %s as %s, and this is %s", op.Name, e.Key, op.Prep[i].Type, types[e.Key])
			}
		}
	}
	for _, f := range op.Prep {
		if f.Required && !partial && slices.Contains(free, f.Name) && !slices.Contains(meant, f.Name) {
			c.report(whole(opAt.V), "missing-prep", none, "the op %q needs %q in prep: %s", op.Name, f.Name, f.Doc)
		}
	}
}

// prepHint says where else a name could stand.
func (m mode) prepHint() string {
	switch m {
	case modeMap:
		return "; what each item needs is named in the prep of its with"
	case modeParallel:
		return "; each branch has a prep of its own"
	}
	return ""
}

// checkWith compares the options of a node with what the op takes, and gives their values with defaults filled in. ok
// says that nothing was reported; partial is as in checkPrep.
func (c *compiler) checkWith(op *Op, with *yamltree.Value, opAt syntax.Str, written *yamltree.Value, partial bool) (out map[string]any, ok bool) {
	out, ok = map[string]any{}, true
	if written != nil && with == nil {
		return out, false // no mapping: reported
	}
	var free []string
	for _, f := range op.With {
		if f.Default != nil {
			out[f.Name] = f.Default
		}
		if with.Get(f.Name) == nil {
			free = append(free, f.Name)
		}
	}
	var meant []string
	if with != nil {
		for _, e := range with.Entries {
			f := op.option(e.Key)
			if f == nil {
				ok, meant = false, append(meant, diag.Nearest(e.Key, free))
				hint := ""
				if op.mode == modeMap {
					hint = c.hintInner(with, e.Key)
				}
				c.report(whole(e.Name), "unknown-param", choice{e.Key, free}, "the op %q has no option %s%s", op.Name, quoted(e.Key), hint)
				continue
			}
			if op.mode == modeMap && isUnitOption(e.Key) {
				continue // checked with the unit
			}
			v, err := value.Fits(f.Type, e.Value.Plain())
			if err != nil {
				ok = false
				c.report(whole(e.Value), "bad-param", none, "the option %s: %v", e.Key, err)
				continue
			}
			if text, is := v.(string); is && len(f.Enum) > 0 && !slices.Contains(f.Enum, text) {
				ok = false
				c.report(whole(e.Value), "bad-param", choice{text, f.Enum}, "the option %s cannot be %s", e.Key, quoted(text))
				continue
			}
			out[e.Key] = v
		}
	}
	for _, f := range op.With {
		if f.Required && slices.Contains(free, f.Name) {
			if !partial && !slices.Contains(meant, f.Name) {
				c.report(whole(opAt.V), "bad-param", none, "the op %q needs the option %q in with: %s", op.Name, f.Name, f.Doc)
			}
			ok = false
		}
	}
	return out, ok
}

// hintInner says where an option belongs that is written beside an inner op, and not in its with.
func (c *compiler) hintInner(with *yamltree.Value, option string) string {
	if name := with.Get("op"); name != nil {
		if op := c.s.loader.Ops.Op(name.Text); op != nil && op.option(option) != nil {
			return fmt.Sprintf("; options of %q stand in a with of their own: with: {op: %[1]s, with: {%s: …}}", op.Name, option)
		}
	}
	return ""
}

func (o *Op) option(name string) *Field {
	for i := range o.With {
		if o.With[i].Name == name {
			return &o.With[i]
		}
	}
	return nil
}

// compileRetry settles the policy for failed attempts.
func (c *compiler) compileRetry(n *node, src *syntax.Node, env *cond.Env) {
	n.retry = retry{
		attempts: src.Retry.Attempts, wait: src.Retry.Wait, maxWait: src.Retry.MaxWait,
		exponential: src.Retry.Exponential, jitter: src.Retry.Jitter,
	}
	if src.Retry.On != nil {
		if p := c.condition(src.Retry.On, env); p != nil {
			n.retry.on = p
		}
	}
}

// compileFallback gives the static type that the node's result may have with it. Of map and parallel it gives the
// result of one item or branch, and the whole stays an array or an object.
func (c *compiler) compileFallback(n *node, src *syntax.Node, env *cond.Env, result value.Type) value.Type {
	if src.Fallback == nil {
		return result
	}
	p := c.expression(src.Fallback, env, value.Any)
	if p == nil {
		return value.Any
	}
	n.fallback = p
	if p.Type() != result && n.mode != modeMap && n.mode != modeParallel {
		return value.Any
	}
	return result
}

// errorEnv is what retry.on and fallback see; nil if prep is not known.
func (c *compiler) errorEnv(n *node, prep cond.Record) *cond.Env {
	if prep == nil {
		return nil
	}
	more := vars{"error": value.Object, "attempt": value.Integer}
	if n.mode == modeMap {
		more["item"], more["index"] = value.Any, value.Integer
	}
	return c.seesPrep(prep, more)
}

// compilePost settles what the node writes and how it names its action. The prep is nil if it is not known.
func (c *compiler) compilePost(n *node, src *syntax.Node, facts *nodeFacts, prep cond.Record, result value.Type) {
	var env *cond.Env
	if prep != nil {
		env = c.compileVars(n, src, facts, func(computed cond.Record) *cond.Env {
			return c.seesResult(prep, computed, vars{"result": result, "attempt": value.Integer, "action": value.String})
		})
	}
	written := src.V.Get("post")
	post := c.bindings(src.Post, written, env)
	for _, b := range post.out {
		n.post = append(n.post, write{b, c.flow.keys[b.Name]})
	}
	facts.reads = append(facts.reads, post.reads...)
	for _, b := range src.Post {
		c.checkWrite(b, post.types[b.Name.Text])
	}
	if written != nil {
		for _, e := range written.Entries {
			facts.writes = append(facts.writes, e.Key)
		}
	}
	for _, a := range src.Actions {
		ac := actionCase{action: a.Action.Text}
		if a.Cond != nil {
			ac.source = a.Cond.Source
			p := c.condition(a.Cond, env)
			if p == nil {
				continue
			}
			ac.test = p
			facts.late = append(facts.late, readsOf(p, a.Cond.V)...)
		}
		n.cases = append(n.cases, ac)
	}
	if src.Action != nil {
		if p := c.expression(src.Action, env, value.String); p != nil {
			n.action = p
			facts.late = append(facts.late, readsOf(p, src.Action.V)...)
		}
	}
}

// checkWrite checks the target of a post: the key is declared and the value can fit its type.
func (c *compiler) checkWrite(b syntax.Binding, got value.Type) {
	name := b.Name.Text
	key, ok := c.flow.keys[name]
	switch {
	case name == lastError:
		// bad-name; the language's own check reports it
	case !ok:
		c.report(whole(b.Name.V), "unknown-state-key", choice{name, c.inputs}, "state declares no key %s", quoted(name))
	case b.Expr.Source == "null" && key.typ != value.Any && !key.nullable:
		c.report(whole(b.Expr.V), "bad-type", none, "the key %q is declared %s and cannot hold null; give it default: null to allow that", name, key.typ)
	case !canFit(key.typ, got):
		c.report(whole(b.Expr.V), "bad-type", none, "the key %q is declared %s, and this is %s", name, key.typ, got)
	}
}
