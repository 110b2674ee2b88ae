package phrase

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"pflow/ir"
)

// The sorts that a clause may be: something to do, or something to show.
const (
	sortDo   = "do"
	sortAsk  = "ask"
	sortCond = "cond" // what can hold
	sortLead = "lead" // only where a request begins with it

	sortSource = "original"  // the file that was copied last
	sortTarget = "made-file" // what something that is done only if it is not there yet makes

	sortShown = "shown" // how something is shown: a table as text stays a table for the clauses behind
)

// kept is how many readings of the first clauses are gone on with.
const kept = 6

// reading is what the clauses of a request mean, up to a place.
type reading struct {
	steps  []*step
	last   *val // what was given last
	made   *val // the file that was made last
	source *val // the file that was copied last
	asked  []asked
	given  *val // by something to do: it is shown, unless what is done next takes it
	cost   float64
	edges  []*edge
	done   bool  // nothing may follow: what is behind a condition could be part of it
	open   []int // tokens that nothing stands for, of a reading of a part
}

// costOfOpen is what a word costs that nothing stands for, where only a part can be read: more than any other word.
const costOfOpen = 3

// asked is what is shown, once so many steps were done.
type asked struct {
	val *val
	at  int
	raw *val // what it is before it is taken as what is shown
}

// sequence joins clauses to a reading of the whole request, the cheapest; nil if there is none. With part, words may be left
// open.
func (c *chart) sequence(part bool) *reading {
	n := len(c.tokens)
	at := make([][]*reading, n+1)
	at[0] = []*reading{{}}
	for i := 0; i < n; i++ {
		slices.SortStableFunc(at[i], func(a, b *reading) int { return cmp.Compare(a.cost, b.cost) })
		for _, r := range at[i][:min(kept, len(at[i]))] {
			if part {
				at[i+1] = append(at[i+1], r.leaving(i, c.fillers[i] || longest(c.g.joins, c.plain[i:i+1]) > 0))
			}
			for from, price := range c.goOn(i, len(r.edges) > 0 && !r.leaves(i-1)) {
				for _, sort := range []string{sortDo, sortAsk, sortLead} {
					if sort == sortLead && (len(r.edges) > 0 || len(r.open) > 0 || c.joinedIn(i, from)) {
						continue
					}
					for _, e := range c.edges[from][sort] {
						if part && e.asks() {
							continue // what lacks something itself is no part that could be done
						}
						if next := r.with(c, e, price); next != nil {
							at[e.last] = append(at[e.last], next)
						}
					}
				}
			}
		}
	}
	var best *reading
	for i := 0; i <= n; i++ {
		rest := c.skips[i]
		if !slices.Contains(rest, n) && !c.onlyFiller(i) {
			continue
		}
		for _, r := range at[i] {
			if len(r.edges) > 0 && (best == nil || r.cost < best.cost) {
				best = r.settle(c.g)
			}
		}
	}
	return best
}

// joinedIn reports whether a word that joins wishes stands in some tokens: before a thing it says which, as in the first rows.
func (c *chart) joinedIn(from, to int) bool {
	for k := from; k < to; k++ {
		if longest(c.g.joins, c.plain[k:]) > 0 {
			return true
		}
	}
	return false
}

func (c *chart) onlyFiller(from int) bool {
	for k := from; k < len(c.tokens); k++ {
		if !c.fillers[k] {
			return false
		}
	}
	return true
}

// leaving is the reading with a token behind it that nothing stands for; one that asks for nothing is not open.
func (r *reading) leaving(token int, filler bool) *reading {
	next := *r
	if !filler {
		next.open, next.cost = append(slices.Clone(r.open), token), r.cost+costOfOpen
	}
	return &next
}

func (r *reading) leaves(token int) bool { return len(r.open) > 0 && r.open[len(r.open)-1] == token }

// goOn gives the places at which the next clause may begin, and what that costs. Something has to join it to the one before: a
// word, a sign, a new line.
func (c *chart) goOn(i int, later bool) map[int]float64 {
	out := map[int]float64{}
	joined, behind := !later, -1
	for k := i; ; {
		if k > 0 && k < len(c.tokens) && strings.Contains(c.text[c.tokens[k-1].end:c.tokens[k].start], "\n") {
			joined = true
		}
		if joined {
			out[k] = costOfSkip * float64(k-i)
		}
		if k >= len(c.tokens) {
			return out
		}
		switch n := longest(c.g.joins, c.plain[k:]); {
		case n > 0 && k == behind && c.plain[k].word == joinsAlike:
			return out // the first and the last: the first is no word for what is done first
		case n > 0:
			joined = true
			k += n
			behind = k
		case c.isNumbering(k):
			joined = true
			k += 2
		case c.fillers[k]:
			joined = joined || c.tokens[k].sign && strings.Contains(",.;:!?", c.tokens[k].word)
			k++
		default:
			return out
		}
	}
}

// joinsAlike stands between two things of a kind, and so not behind a word that joins two wishes.
const joinsAlike = "and"

// isNumbering reports whether a number and a sign behind it count the clauses: 1. or 2).
func (c *chart) isNumbering(k int) bool {
	return k+1 < len(c.tokens) && wholeForm.MatchString(c.tokens[k].text) && len(c.tokens[k].text) < 3 &&
		(c.tokens[k+1].word == "." || c.tokens[k+1].word == ")") && c.tokens[k+1].start == c.tokens[k].end
}

// with adds a clause. It is nil if the clause refers to what no clause before gave.
func (r *reading) with(c *chart, e *edge, price float64) *reading {
	if r.done {
		return nil
	}
	m := e.meaning
	next := &reading{last: r.last, made: r.made, cost: r.cost + e.cost + price, open: r.open}
	s := &resolver{g: c.g, last: r.last, made: r.made, source: r.source, moved: map[*step]*step{}, of: c.of}
	steps, ok := s.steps(m.steps)
	if !ok || s.product && c.destroys(steps) { // nothing is made to be destroyed: what it was made of could be meant
		return nil
	}
	next.asked = slices.Clone(r.asked)
	next.edges = append(slices.Clone(r.edges), e)
	if m.val != nil {
		v, ok := s.value(m.val)
		if !ok {
			return nil
		}
		next.last = v.(*val)
	}
	if m.made != nil {
		v, ok := s.value(m.made)
		if !ok {
			return nil
		}
		next.made = v.(*val)
	}
	if !s.used {
		next.asked = slices.Clone(r.settle(c.g).asked)
	}
	next.steps = slices.Concat(r.steps, s.more, steps)
	if next.source = r.source; len(steps) > 0 && steps[0].kind == "copy-file" {
		next.source = subject(steps)
	}
	next.cost += s.cost
	if m.val != nil {
		if e.sort == sortAsk {
			next.asked = shows(c.g, next.asked, next.last, len(next.steps))
		} else {
			next.given = next.last
		}
	}
	next.done = len(steps) > 0 && steps[len(steps)-1].cond != nil
	return next
}

// destroys reports whether one of the steps is of a type that destroys, or empties a file.
func (c *chart) destroys(steps []*step) bool {
	return slices.ContainsFunc(steps, func(n *step) bool {
		return c.of != nil && c.of(n.kind) != nil && c.of(n.kind).Has(ir.Destructive) || n.params["overwrite"] == true && n.params["content"] == ""
	})
}

// shows adds a value to those that are shown. One that is among them is shown once.
func shows(g *Grammar, all []asked, v *val, at int) []asked {
	if slices.ContainsFunc(all, func(a asked) bool {
		return v.expr != nil && a.raw.expr == v.expr || v.of != nil && a.raw.of == v.of && a.raw.key == v.key
	}) {
		return all
	}
	return append(all, asked{g.display(v), at, v})
}

// settle shows what was given last, where nothing took it.
func (r *reading) settle(g *Grammar) *reading {
	if r.given == nil {
		return r
	}
	out := *r
	out.asked, out.given = shows(g, slices.Clone(r.asked), r.given, len(r.steps)), nil
	return &out
}

// resolver puts what earlier clauses gave in the place of what refers to it.
type resolver struct {
	g          *Grammar
	last, made *val
	source     *val            // the file that was copied last
	target     *val            // the file that what is done makes, in a condition that stands behind it
	keep       bool            // what refers to an earlier clause stays as it is
	moved      map[*step]*step // steps that are another one for it
	exprs      map[*expression]*expression
	as         map[string]*val // what was given last, taken as another sort
	more       []*step         // that this needs
	cost       float64
	used       bool // what was given last was taken
	product    bool // the file that was made last was taken
	of         func(string) *ir.Interface
}

// gives reports whether a node type has an output.
func (s *resolver) gives(kind, output string) bool {
	if s.of == nil || s.of(kind) == nil {
		return false
	}
	return slices.ContainsFunc(s.of(kind).Outputs, func(p ir.Port) bool { return p.Key == output })
}

func (s *resolver) steps(all []*step) ([]*step, bool) {
	var out []*step
	for _, old := range all {
		n := *old
		params, ok := s.tree(old.params)
		if !ok {
			return nil, false
		}
		n.params, _ = params.(map[string]any)
		for _, v := range []**val{&n.each, &n.cond} {
			if *v == nil {
				continue
			}
			got, ok := s.value(*v)
			if !ok {
				return nil, false
			}
			*v, _ = got.(*val)
		}
		if n.each != nil && n.each.one() { // what was given is no list: the step is done once
			n.params, _ = instead(n.params, n.each).(map[string]any)
			n.each = nil
		}
		for _, list := range []*[]*step{&n.yes, &n.no} {
			if *list, ok = s.steps(*list); !ok {
				return nil, false
			}
		}
		s.moved[old] = &n
		out = append(out, &n)
	}
	return out, true
}

func (s *resolver) tree(v any) (any, bool) {
	switch v := v.(type) {
	case *val:
		return s.value(v)
	case map[string]any:
		out := maps.Clone(v)
		for k, item := range v {
			got, ok := s.tree(item)
			if !ok {
				return nil, false
			}
			out[k] = got
		}
		return out, true
	case []any:
		out := make([]any, len(v))
		for k, item := range v {
			var ok bool
			if out[k], ok = s.tree(item); !ok {
				return nil, false
			}
		}
		return out, true
	}
	return v, true
}

func (s *resolver) value(v *val) (any, bool) {
	switch {
	case v.prev != "" && s.keep:
		return v, true
	case v.prev == sortSource:
		if s.source == nil {
			return nil, false
		}
		return s.source, true
	case v.prev == sortTarget:
		if s.target == nil {
			return nil, false
		}
		return s.target, true
	case v.prev != "" && (s.g.is(v.prev, "file") || v.prev == "target") && s.made != nil && !s.made.folder() && (s.made.lit == nil || s.made.one()):
		s.product = true
		return s.made, true
	case (v.prev == "dir" || v.prev == "named" || v.prev == "thither") && s.made != nil && s.made.folder():
		s.product = v.prev != "thither"
		return s.made, true
	case v.prev != "":
		given := s.previous(v.prev)
		if given == nil {
			return nil, false
		}
		s.used = true
		if v.key != "" { // another output of the same step
			if given.of == nil || !s.gives(given.of.kind, v.key) {
				return nil, false
			}
			return &val{of: given.of, key: v.key}, true
		}
		named := *given
		if named.name == "" {
			named.name = v.name
		}
		return &named, true
	case v.expr != nil:
		return s.expression(v)
	case v.of != nil && s.moved[v.of] != nil:
		n := *v
		n.of = s.moved[v.of]
		return &n, true
	case v.fixed != nil:
		n := *v
		var ok bool
		n.fixed, ok = s.tree(v.fixed)
		return &n, ok
	case v.parts != nil:
		n := *v
		parts, ok := s.tree(v.parts)
		if !ok {
			return nil, false
		}
		n.parts = parts.([]any)
		return &n, true
	}
	return v, true
}

// one reports whether a value is known to be a single one.
func (v *val) one() bool {
	if v.lit != nil {
		_, one := v.lit.value.(string)
		return one
	}
	return v.parts != nil
}

// instead puts a value in the place of the item of a batch.
func instead(v any, item *val) any {
	switch v := v.(type) {
	case *val:
		switch {
		case v.item && v.key == "":
			out := *item
			return &out
		case v.parts != nil:
			out := *v
			out.parts, _ = instead(v.parts, item).([]any)
			return &out
		}
	case map[string]any:
		out := maps.Clone(v)
		for k, member := range v {
			out[k] = instead(member, item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for k, member := range v {
			out[k] = instead(member, item)
		}
		return out
	}
	return v
}

// folder reports whether a value is the path of one folder.
func (v *val) folder() bool {
	if v.lit != nil {
		if _, one := v.lit.value.(string); !one {
			return false
		}
	}
	return slices.Contains([]string{"folder", "dirname", "slashed", "dir", "named"}, v.sort)
}

// branch is what is done if something holds, and what if it does not. What is tested may be called it in both, and the files that are
// counted them; what is done before it is said when (delete a.txt if it is empty) may be called it in what is tested.
func (r *Rule) branch(g *Grammar, b *bindings) *meaning {
	cond, then := b.get("cond"), b.get("then")
	if cond == nil || then == nil || cond.meaning.val == nil {
		return nil
	}
	tested := cond.meaning
	if then.first < cond.first {
		tested = tested.about(g, then.meaning)
	}
	sides := [2][]*step{then.meaning.steps, nil}
	if e := b.get("else"); e != nil {
		sides[1] = e.meaning.steps
	}
	for k := range sides {
		s := &resolver{g: g, made: tested.made, last: cond.counted(), moved: map[*step]*step{}}
		if s.made == nil && s.last == nil {
			continue
		}
		if got, ok := s.steps(sides[k]); ok {
			sides[k] = slices.Concat(s.more, got)
		}
	}
	for _, side := range sides {
		for _, s := range side {
			if s.cond != nil {
				return nil // one condition inside another: which one an otherwise belongs to is open
			}
		}
	}
	if len(sides[0]) == 0 {
		return nil
	}
	if r.Negate {
		sides[0], sides[1] = sides[1], sides[0]
	}
	choice := &step{rule: r, kind: "switch", cond: tested.val, yes: sides[0], no: sides[1]}
	return &meaning{steps: append(slices.Clone(tested.steps), choice), made: nil}
}

// counted are the files that a condition is about.
func (e *edge) counted() *val {
	for _, s := range e.slots.each() {
		if s.edge.sort == "set" && s.edge.meaning.val != nil && s.edge.meaning.val.prev == "" {
			return s.edge.meaning.val
		}
	}
	return nil
}

// about is a condition in which it is the file, or the folder, of what is done, and a target the file that this makes.
func (m *meaning) about(g *Grammar, done *meaning) *meaning {
	s := &resolver{g: g, made: subject(done.steps), target: done.made, moved: map[*step]*step{}}
	if s.made == nil || done.steps[0].params["append"] == true {
		return m // where something is added, it may be what is added
	}
	if s.target == nil && done.steps[0].kind == "write-file" {
		s.target = s.made
	}
	steps, ok := s.steps(m.steps)
	if !ok {
		return m
	}
	v, ok := s.value(m.val)
	if !ok {
		return m
	}
	return &meaning{steps: steps, val: v.(*val), made: m.made}
}

// subject is the file or the folder that steps are about, if it is one that is named: what the first of them reads, moves or deletes.
func subject(steps []*step) *val {
	if len(steps) == 0 || steps[0].each != nil {
		return nil
	}
	for _, key := range []string{"source_path", "file_path", "path"} {
		if v, ok := steps[0].params[key].(*val); ok && v.lit != nil && v.one() {
			return v
		}
	}
	return nil
}
