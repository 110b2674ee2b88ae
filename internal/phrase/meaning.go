package phrase

import (
	"maps"
	"slices"
	"strings"
)

// meaning is what a phrase means: steps, in their order, and the value that it stands for.
type meaning struct {
	steps []*step
	val   *val // nil: it is something to do, and nothing to show
	made  *val // the path of a file that was made
}

// step is a node to be. It never changes: what narrows it makes another one.
type step struct {
	rule   *Rule
	kind   string         // its node type
	params map[string]any // values, texts of parts, and what YAML has
	each   *val           // it runs for each of these
	id     string         // as a rule calls it

	cond    *val    // of a branch: yes runs if it holds, no if it does not
	yes, no []*step // of a branch

	val *val // of a step of a rule that is an expression: it is no node of its own
}

// val is what stands in a param.
type val struct {
	lit    *literal // a value of the request: it becomes an input
	fixed  any      // a value that the grammar has: it stays in the workflow
	of     *step    // an output of a step
	key    string   // of that step: its output, perhaps with a path
	prev   string   // what an earlier clause gave, of this sort
	parts  []any    // a text of texts and values
	expr   *expression
	item   bool   // the item of the batch that the step is
	piped  bool   // what is piped in
	name   string // of the slot
	sort   string
	places []*val // what of the request it is made of, where it is a list
}

// list reports whether a value is one of several, over which a step is run.
func (v *val) list() bool {
	if v.lit != nil {
		_, ok := v.lit.value.([]any)
		return ok
	}
	return v.of != nil || v.prev != "" || v.expr != nil
}

// bindings are what the slots of a phrase are.
type bindings struct {
	slot string
	edge *edge
	up   *bindings
}

func (b *bindings) get(slot string) *edge {
	for ; b != nil; b = b.up {
		if b.slot == slot {
			return b.edge
		}
	}
	return nil
}

// each gives the slots in their order.
func (b *bindings) each() []*bindings {
	var out []*bindings
	for ; b != nil; b = b.up {
		out = append(out, b)
	}
	slices.Reverse(out)
	return out
}

// mean gives what a rule means with its slots; nil if it means nothing with these.
func (r *Rule) mean(g *Grammar, b *bindings) *meaning {
	m := &meaning{}
	var only *edge
	slots := b.each()
	for _, s := range slots {
		m.steps = append(m.steps, s.edge.meaning.steps...)
		only = s.edge
		if s.edge.meaning.made != nil {
			m.made = s.edge.meaning.made
		}
	}
	switch {
	case r.Add != nil:
		return r.narrow(m, slots)
	case r.Branch:
		return r.branch(g, b)
	case r.Prev:
		m.val = &val{prev: r.As, sort: r.As}
	case r.Do != "" || len(r.Steps) > 0:
		r.act(m, b)
	case r.Expr != "":
		if m.val = r.expression(r.Expr, b, nil); m.val == nil {
			return nil
		}
		m.val.sort = r.As
	case r.Piped:
		m.val = &val{piped: true, sort: r.As}
	case r.Value != nil:
		v := r.fill(r.Value, b, nil)
		switch v := v.(type) {
		case *val:
			m.val = v
		default:
			m.val = &val{fixed: v, sort: r.As}
		}
	case only != nil && len(slots) == 1 || only != nil && len(slots) > 1:
		head := only
		for _, s := range slots {
			if s.slot == "head" {
				head = s.edge
			}
		}
		m.val, m.made = head.meaning.val, head.meaning.made
	}
	if r.Makes != "" {
		if e := b.get(r.Makes); e != nil {
			m.made = e.meaning.val
		}
	}
	return m
}

// narrow gives the step of the head more params. A param that it has is not changed: that would be something else.
func (r *Rule) narrow(m *meaning, slots []*bindings) *meaning {
	var head *edge
	for _, s := range slots {
		if s.edge.sort == r.As {
			head = s.edge
			break
		}
	}
	if head == nil || head.meaning.val == nil || head.meaning.val.of == nil {
		return nil
	}
	old := head.meaning.val.of
	if old.kind != r.On || old.each != nil {
		return nil
	}
	var b *bindings
	for _, s := range slots {
		b = &bindings{s.slot, s.edge, b}
	}
	next := &step{rule: old.rule, kind: old.kind, params: maps.Clone(old.params), id: old.id}
	add, _ := r.fill(r.Add, b, nil).(map[string]any)
	for k, v := range add {
		was, there := next.params[k]
		a, aList := was.([]any)
		c, cList := v.([]any)
		switch {
		case !there:
			next.params[k] = v
		case aList && cList:
			next.params[k] = slices.Concat(a, c)
		default:
			return nil
		}
	}
	out := &meaning{made: m.made}
	for _, s := range m.steps {
		if s == old {
			continue
		}
		out.steps = append(out.steps, s)
	}
	out.steps = append(out.steps, next)
	moved := *head.meaning.val
	moved.of = next
	out.val = &moved
	return out
}

// act adds the steps of a rule.
func (r *Rule) act(m *meaning, b *bindings) {
	steps := r.Steps
	if r.Do != "" {
		steps = []Step{{ID: "", Do: r.Do, With: r.With, Each: r.Each}}
	}
	local := map[string]*step{}
	var last *step
	for _, s := range steps {
		n := &step{rule: r, kind: s.Do, id: s.ID}
		if s.Expr != "" {
			n.val = r.expression(s.Expr, b, local)
			local[s.ID] = n
			continue
		}
		if e := b.get(s.Each); s.Each != "" && e != nil && e.meaning.val.list() {
			n.each = e.meaning.val
		}
		if id, key, ok := strings.Cut(s.Each, "."); ok && local[id] != nil {
			n.each = &val{of: local[id], key: key}
		} else if s := local[s.Each]; s != nil && s.val != nil {
			n.each = s.val
		}
		n.params, _ = r.fillStep(s, b, local, n.each != nil).(map[string]any)
		if n.params == nil {
			n.params = map[string]any{}
		}
		m.steps = append(m.steps, n)
		local[s.ID] = n
		last = n
	}
	if r.Gives != "" {
		key := r.Gives
		of := last
		if id, rest, ok := strings.Cut(key, "."); ok && local[id] != nil {
			of, key = local[id], rest
		} else if s := local[key]; s != nil && s.val != nil {
			given := *s.val
			given.sort = r.As
			m.val = &given
			return
		}
		if of.each != nil {
			key = "results"
		}
		m.val = &val{of: of, key: key, sort: r.As}
	}
}

func (r *Rule) fillStep(s Step, b *bindings, local map[string]*step, batch bool) any {
	over := b
	if batch {
		over = &bindings{s.Each, &edge{meaning: &meaning{val: &val{item: true}}}, b}
	}
	return r.fillWith(s.With, over, local)
}

// fill puts what the slots are in the place of ${slot}.
func (r *Rule) fill(v any, b *bindings, local map[string]*step) any { return r.fillWith(v, b, local) }

// prevPrefix begins the name of what an earlier clause gave: ${prev:text}. orPrev ends the name of a slot that may lack: it is
// then what an earlier clause gave, of the sort of that name.
const (
	prevPrefix = "prev:"
	orPrev     = "?"
)

// left stands for a param whose slot the phrase does not have.
type left struct{}

func (r *Rule) fillWith(v any, b *bindings, local map[string]*step) any {
	switch v := v.(type) {
	case string:
		return fillText(v, b, local)
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, item := range v {
			got := r.fillWith(item, b, local)
			if _, gone := got.(left); !gone {
				out[k] = got
			}
		}
		return out
	case []any:
		out := []any{}
		for _, item := range v {
			got := r.fillWith(item, b, local)
			if _, gone := got.(left); gone {
				continue
			}
			if x, ok := got.(*val); ok && len(v) == 1 && x.list() {
				return x // [${files}] of what is a list already
			}
			out = append(out, got)
		}
		return out
	}
	return v
}

// fillText reads a text with ${slot}: a value if it is nothing else, else a text of parts.
func fillText(text string, b *bindings, local map[string]*step) any {
	var parts []any
	for rest := text; ; {
		before, after, ok := strings.Cut(rest, "${")
		if before != "" {
			parts = append(parts, before)
		}
		if !ok {
			break
		}
		name, tail, _ := strings.Cut(after, "}")
		rest = tail
		root, key, _ := strings.Cut(name, ".")
		e, s := b.get(strings.TrimSuffix(name, orPrev)), local[root]
		switch {
		case strings.HasPrefix(name, prevPrefix):
			parts = append(parts, &val{prev: name[len(prevPrefix):], sort: name[len(prevPrefix):]})
		case e != nil && e.meaning.val != nil:
			v := *e.meaning.val
			if v.name == "" {
				v.name = strings.TrimSuffix(name, orPrev)
			}
			if v.item && v.name == name {
				v.name = ""
			}
			parts = append(parts, &v)
		case strings.HasSuffix(name, orPrev):
			name = strings.TrimSuffix(name, orPrev)
			parts = append(parts, &val{prev: name, sort: name, name: name})
		case s != nil && s.val != nil:
			parts = append(parts, s.val)
		case s != nil:
			if s.each != nil {
				key = "results"
			}
			parts = append(parts, &val{of: s, key: key})
		default:
			return left{}
		}
	}
	switch {
	case len(parts) == 0:
		return text
	case len(parts) == 1:
		return parts[0]
	}
	return &val{parts: parts}
}
