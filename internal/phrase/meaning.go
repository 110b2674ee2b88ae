package phrase

import (
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"pflow/ir"
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
	lit   *literal // a value of the request: it becomes an input
	fixed any      // a value that the grammar has: it stays in the workflow
	of    *step    // an output of a step
	key   string   // of that step: its output, perhaps with a path
	prev  string   // what an earlier clause gave, of this sort
	parts []any    // a text of texts and values
	expr  *expression
	item  bool   // the item of the batch that the step is
	piped bool   // what is piped in
	asked *lack  // what the request lacks: an input without a value
	name  string // of the slot
	sort  string
}

// list reports whether a value is one of several, over which a step is run.
func (v *val) list() bool {
	if v.lit != nil {
		_, ok := v.lit.value.([]any)
		return ok
	}
	return v.of != nil || v.prev != "" || v.expr != nil
}

// files reports whether a value is files that are listed: several, of which none is it.
func (v *val) files() bool { return v != nil && v.of != nil && v.key == "files" }

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
	m, several := &meaning{}, false
	var only *edge
	slots := b.each()
	for _, s := range slots {
		if of := outputOf(s.edge); of != nil && r.Off != "" && slices.Contains(strings.Split(r.Off, "|"), of.kind) {
			return nil
		}
		m.steps = append(m.steps, s.edge.meaning.steps...)
		only = s.edge
		if made := s.edge.meaning.made; made != nil {
			several = several || m.made != nil
			m.made = made
		}
	}
	if several && r.As == sortCond {
		m.made = nil // which of two files that are compared is it, is open
	}
	switch {
	case r.First != "":
		return r.inOrder(g, slots)
	case r.On != "" && r.Do == "" && r.Expr == "":
		return r.narrow(m, slots)
	case r.Branch:
		return r.branch(g, b)
	case r.Prev:
		m.val = &val{prev: r.As, sort: r.As}
	case r.Do != "" || len(r.Steps) > 0:
		if r.On != "" && r.headStep(slots) == nil {
			if head := r.head(slots); head == nil || head.wished(r.On) == nil {
				return nil
			}
		}
		if !r.act(m, b) {
			return nil
		}
	case r.Expr != "":
		if r.On != "" && r.headStep(slots) == nil {
			return nil
		}
		if m.val = r.expression(r.Expr, b, nil); m.val == nil {
			return nil
		}
		m.val.sort = r.As
	case r.Piped:
		m.val = &val{piped: true, sort: r.As}
	case r.Value != nil:
		v := fill(r.Value, b, nil)
		switch v := v.(type) {
		case left:
			return nil // it lacks the slot of which it is made
		case *val:
			if v.sort == "" {
				v.sort = r.As
			}
			m.val = v
		default:
			m.val = &val{fixed: v, sort: r.As}
		}
	case only != nil:
		head := only
		for _, s := range slots {
			if s.slot == "head" {
				head = s.edge
			}
		}
		m.val, m.made = head.meaning.val, head.meaning.made
	}
	if r.Makes != "" {
		if e := b.get(r.Makes); e != nil && !e.meaning.val.files() {
			m.made = e.meaning.val
		}
	}
	return m
}

// narrow gives the step of the head more params, makes another output of it the value, or makes it a step of another type. A
// param that it has is not changed: that would be something else.
func (r *Rule) narrow(m *meaning, slots []*bindings) *meaning {
	head := r.head(slots)
	old := r.headStep(slots)
	if old == nil && head != nil && r.Becomes == "" && r.Gives == "" && (len(r.Lacks) == 0 || slices.Equal(r.Lacks, []string{lackEach})) {
		if old = head.wished(r.On); old != nil && old.each != nil && len(r.Lacks) > 0 {
			return nil
		}
	} else if old != nil && old.each != nil {
		return nil
	}
	if old == nil {
		return nil
	}
	var b *bindings
	for _, s := range slots {
		b = &bindings{s.slot, s.edge, b}
	}
	next := &step{rule: old.rule, kind: old.kind, params: maps.Clone(old.params), id: old.id}
	if r.Becomes != "" {
		next.kind, next.rule, next.params = r.Becomes, r, map[string]any{}
		for k, v := range old.params {
			for _, name := range r.renamed(k) {
				next.params[name] = v
			}
		}
	}
	switch {
	case r.Add == nil && r.Becomes == "" && r.Gives == "" && (head.meaning.val == nil || head.meaning.val.of != old):
		return &meaning{steps: m.steps, val: head.meaning.val, made: m.made} // the phrase says what it does anyway
	case r.Add == nil && r.Becomes == "":
		next = old
	case old.each != nil:
		return nil
	}
	add, _ := fill(r.Add, b, nil).(map[string]any)
	for k, v := range add {
		was, there := next.params[k]
		a, aList := was.([]any)
		c, cList := v.([]any)
		aMap, aIsMap := was.(map[string]any)
		cMap, cIsMap := v.(map[string]any)
		switch {
		case !there || reflect.DeepEqual(was, v):
			next.params[k] = v
		case aList && cList:
			next.params[k] = slices.Concat(a, c)
		case aIsMap && cIsMap && disjoint(aMap, cMap):
			both := maps.Clone(aMap)
			maps.Copy(both, cMap)
			next.params[k] = both
		default:
			return nil
		}
	}
	if r.Becomes != "" {
		for k, v := range old.rule.Default {
			for _, name := range r.renamed(k) {
				if _, there := next.params[name]; !there {
					next.params[name] = v
				}
			}
		}
	}
	out := &meaning{made: m.made, steps: m.steps}
	if next != old {
		out.steps = append(slices.DeleteFunc(slices.Clone(m.steps), func(s *step) bool { return s == old }), next)
	}
	if r.Becomes != "" && r.Gives == "" {
		return out
	}
	if v := head.meaning.val; v == nil || v.of != old {
		return m.with(old, next, head.meaning)
	}
	moved := *head.meaning.val
	moved.of = next
	if r.As != sortShown {
		moved.sort = r.As
	}
	if r.Gives != "" {
		moved.key = r.Gives
	}
	out.val = &moved
	return out
}

// lackEach, among what the head's step must not have, is that it runs for each item of a list.
const lackEach = "each"

// wished is the only step of a kind, or of one of several, a|b, that a wish has; nil if it has none or several.
func (e *edge) wished(kinds string) *step {
	if e.sort != sortDo && e.sort != sortAsk {
		return nil
	}
	var found *step
	for _, s := range e.meaning.steps {
		if !slices.Contains(strings.Split(kinds, "|"), s.kind) {
			continue
		}
		if found != nil {
			return nil // which one is meant is open
		}
		found = s
	}
	return found
}

// with is a meaning of several steps in which one is another: what refers to it refers to that. What narrows goes before.
func (m *meaning) with(old, next *step, head *meaning) *meaning {
	swap := &resolver{keep: true, moved: map[*step]*step{old: next}}
	out := &meaning{}
	for _, s := range m.steps {
		if s == old {
			out.steps = append(out.steps, next)
			continue
		}
		list, ok := swap.steps([]*step{s})
		if !ok {
			return nil
		}
		out.steps = append(out.steps, list...)
	}
	for _, v := range []struct{ from, to **val }{{&head.val, &out.val}, {&head.made, &out.made}} {
		if *v.from == nil {
			continue
		}
		got, ok := swap.value(*v.from)
		if !ok {
			return nil
		}
		*v.to = got.(*val)
	}
	return out
}

// head is what a rule narrows: the slot head, else the first that is of its own sort.
func (r *Rule) head(slots []*bindings) *edge {
	for _, s := range slots {
		if s.slot == "head" {
			return s.edge
		}
	}
	for _, s := range slots {
		if s.edge.sort == r.As {
			return s.edge
		}
	}
	return nil
}

// headStep is the step of the head, if it is one of those that the rule is on.
func (r *Rule) headStep(slots []*bindings) *step {
	head := r.head(slots)
	if head == nil || head.meaning.val == nil || head.meaning.val.of == nil {
		return nil
	}
	of := head.meaning.val.of
	if !slices.Contains(strings.Split(r.On, "|"), of.kind) {
		return nil
	}
	for _, param := range r.Lacks {
		if _, there := of.params[param]; there {
			return nil
		}
	}
	return of
}

// renamed are the params that have the value of one in the type that a step becomes.
func (r *Rule) renamed(param string) []string {
	switch name := r.Params[param].(type) {
	case nil:
	case []any:
		var out []string
		for _, one := range name {
			out = append(out, ir.Text(one))
		}
		return out
	default:
		return []string{ir.Text(name)}
	}
	return []string{param}
}

func disjoint(a, b map[string]any) bool {
	for k := range a {
		if _, both := b[k]; both {
			return false
		}
	}
	return true
}

// act adds the steps of a rule. It is false if they mean nothing with these slots.
func (r *Rule) act(m *meaning, b *bindings) bool {
	steps := r.Steps
	if r.Do != "" {
		steps = []Step{{ID: "", Do: r.Do, With: r.With, Each: r.Each}}
	}
	local := map[string]*step{}
	var last *step
	for _, s := range steps {
		n := &step{rule: r, kind: s.Do, id: s.ID}
		if s.Expr != "" {
			if n.val = r.expression(s.Expr, b, local); n.val == nil {
				return false
			}
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
		n.params, _ = fillStep(s, b, local, n.each != nil).(map[string]any)
		if n.params == nil {
			n.params = map[string]any{}
		}
		if n.readsNoText() {
			return false
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
			return true
		}
		if of.each != nil {
			key = "results"
		}
		m.val = &val{of: of, key: key, sort: r.As}
	}
	return true
}

// readsNoText reports whether a step reads a file as a text that none is in, by its ending: an archive, a picture.
func (n *step) readsNoText() bool {
	if n.kind != "read-file" || n.params["encoding"] != nil {
		return false
	}
	for _, of := range []any{n.params["file_path"], n.each} {
		v, ok := of.(*val)
		if !ok || v == nil || v.lit == nil {
			continue
		}
		names, several := v.lit.value.([]any)
		if !several {
			names = []any{v.lit.value}
		}
		for _, name := range names {
			if noText[strings.ToLower(path.Ext(ir.Text(name)))] {
				return true
			}
		}
	}
	return false
}

func fillStep(s Step, b *bindings, local map[string]*step, batch bool) any {
	over := b
	if batch {
		item := &edge{meaning: &meaning{val: &val{item: true}}}
		over = &bindings{"item", item, &bindings{s.Each, item, b}}
	}
	return fill(s.With, over, local)
}

// prevPrefix begins the name of what an earlier clause gave: ${prev:text}. orPrev ends the name of a slot that may lack: it is
// then what an earlier clause gave, of the sort of that name.
const (
	prevPrefix = "prev:"
	orPrev     = "?"
)

// askedFor is the name of what a request lacks, as a param: whoever made it is asked for that.
const askedFor = "?"

// lack is something that a request lacks, however often it is spoken of.
type lack struct{ name string }

// mergeKey stands before a slot whose keys a mapping has, too, or whose items a list has.
const mergeKey = "+"

// left stands for a param whose slot the phrase does not have.
type left struct{}

// fill puts what the slots, and the steps of a rule, are in the place of ${slot}.
func fill(v any, b *bindings, local map[string]*step) any {
	switch v := v.(type) {
	case string:
		got := fillText(v, b, local)
		if x, ok := got.(*val); ok && x.fixed != nil {
			switch x.fixed.(type) {
			case map[string]any, []any:
				return x.fixed // what is added to it grows
			}
		}
		return got
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, item := range v {
			got := fill(item, b, local)
			if more, ok := got.(map[string]any); ok && k == mergeKey {
				maps.Copy(out, more)
			} else if _, gone := got.(left); !gone {
				out[k] = got
			}
		}
		return out
	case []any:
		out := []any{}
		for _, item := range v {
			if more, ok := item.(map[string]any); ok && len(more) == 1 && more[mergeKey] != nil {
				if list, ok := fill(more[mergeKey], b, local).([]any); ok {
					out = append(out, list...)
				}
				continue
			}
			got := fill(item, b, local)
			if _, gone := got.(left); gone {
				continue
			}
			if x, ok := got.(*val); ok && len(v) == 1 && x.list() && x.prev != "file" {
				return x // [${files}] of what is a list already
			}
			out = append(out, got)
		}
		return out
	}
	return v
}

// otherEnding stands between a slot that is a file and one that is an ending: ${file~format} is the file's name with that ending.
const otherEnding = "~"

func withEnding(name string, b *bindings) *val {
	file, ending, _ := strings.Cut(name, otherEnding)
	of, with := b.get(file), b.get(ending)
	if of == nil || with == nil || of.meaning.val == nil || of.meaning.val.lit == nil || with.meaning.val == nil {
		return nil
	}
	name, isText := of.meaning.val.lit.value.(string)
	end, isEnding := with.meaning.val.fixed.(string)
	if !isText || !isEnding {
		return nil
	}
	lit := *of.meaning.val.lit
	lit.value = strings.TrimSuffix(name, path.Ext(name)) + "." + end
	return &val{lit: &lit, name: "dest_path", sort: "file"}
}

// outputOf is the step that gives what a slot is; nil if none does.
func outputOf(e *edge) *step {
	if e == nil || e.meaning.val == nil {
		return nil
	}
	return e.meaning.val.of
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
		e, s, of := b.get(strings.TrimSuffix(name, orPrev)), local[root], b.get(root)
		switch {
		case name == askedFor:
			parts = append(parts, &val{asked: &lack{askedFor}})
		case strings.Contains(name, otherEnding):
			v := withEnding(name, b)
			if v == nil {
				return left{}
			}
			parts = append(parts, v)
		case strings.HasPrefix(name, prevPrefix):
			sort, output, _ := strings.Cut(name[len(prevPrefix):], ".")
			parts = append(parts, &val{prev: sort, key: output, sort: sort})
		case e == nil && s == nil && outputOf(b.get(root)) != nil:
			parts = append(parts, &val{of: outputOf(b.get(root)), key: key})
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
		case of != nil && key != "" && of.meaning.val != nil && of.meaning.val.lit != nil:
			v := *of.meaning.val
			members, _ := v.lit.value.(map[string]any)
			if members[key] == nil {
				return left{}
			}
			v.lit, v.name = &literal{v.lit.start, v.lit.end, members[key]}, key
			parts = append(parts, &v)
		case of != nil && key != "" && of.meaning.val != nil && of.meaning.val.prev != "":
			parts = append(parts, &val{prev: of.meaning.val.prev, key: key, sort: of.meaning.val.sort})
		case of != nil && key != "" && of.meaning.val != nil && of.meaning.val.item:
			parts = append(parts, &val{item: true, key: key})
		case of != nil && key != "" && of.meaning.val != nil && of.meaning.val.of != nil && of.meaning.val.of.each == nil:
			parts = append(parts, &val{of: of.meaning.val.of, key: key}) // another output of the same step
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

// inOrder is two deeds, of which the one that is said last may be done first: delete a.txt after copying it. It is there what the
// other one is about.
func (r *Rule) inOrder(g *Grammar, slots []*bindings) *meaning {
	if len(slots) != 2 {
		return nil
	}
	said, behind := slots[0].edge.meaning, slots[1].edge.meaning
	if about := subject(said.steps); about != nil {
		s := &resolver{g: g, made: about, moved: map[*step]*step{}}
		if steps, ok := s.steps(behind.steps); ok {
			moved := &meaning{steps: steps}
			if behind.made != nil {
				if v, ok := s.value(behind.made); ok {
					moved.made, _ = v.(*val)
				}
			}
			behind = moved
		}
	}
	if len(said.steps) == 0 || len(behind.steps) == 0 || anyBranch(said.steps) || anyBranch(behind.steps) {
		return nil
	}
	first, then := said, behind
	if slots[1].slot == r.First {
		first, then = behind, said
	}
	return &meaning{steps: slices.Concat(first.steps, then.steps), made: then.made}
}

func anyBranch(steps []*step) bool {
	return slices.ContainsFunc(steps, func(s *step) bool { return s.cond != nil })
}
