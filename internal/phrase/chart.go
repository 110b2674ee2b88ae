package phrase

import (
	"context"
	"slices"
	"strings"

	"pflow/ir"
)

// Costs of a reading. What is not said by the words of a phrase costs most.
const (
	costOfStep   = 0.2  // each step
	costOfRule   = 0.05 // each phrase
	costOfSkip   = 0.02 // each word or sign that asks for nothing
	costOfTypo   = 0.6  // each word that is read as another one
	bestOf       = 10   // readings that are kept of a sort, for a stretch of the request
	mostEdges    = 60_000
	mostAdvances = 600_000
)

// edge is a stretch of the request that is of a sort: a phrase or a value.
type edge struct {
	sort        string
	first, last int // tokens; last is behind
	cost        float64
	meaning     *meaning
	rule        *Rule // nil: a value
	slots       *bindings
	words       []int // the tokens that are words of the pattern
	typos       []typo
}

// asks reports whether a phrase, or a part of it, lacks something.
func (e *edge) asks() bool {
	return e.rule != nil && (e.rule.asks() || slices.ContainsFunc(e.slots.each(), func(s *bindings) bool { return s.edge.asks() }))
}

// typo is a token that is read as another word.
type typo struct {
	token int
	as    string
}

// chart is one reading of a request.
type chart struct {
	g        *Grammar
	of       func(string) *ir.Interface // a node type
	ctx      context.Context
	text     string
	tokens   []token
	fuzzy    bool
	plain    []token // the tokens, those mended that are a misspelt filler or join
	small    []typo  // these
	skips    [][]int // for each place: from where on it may go on, without what is skipped
	fillers  []bool  // tokens that ask for nothing
	edges    []map[string][]*edge
	agenda   []*edge
	nearest  [][]nearWord // by token, what it may be a slip of; nil where nobody asked
	n        int
	advances int
}

// fill finds all phrases. It works from the last word to the first, so that whatever begins behind a place is known there.
func (c *chart) fill(values []valueAt) error {
	n := len(c.tokens)
	c.edges = make([]map[string][]*edge, n+1)
	for i := range c.edges {
		c.edges[i] = map[string][]*edge{}
	}
	c.nearest = make([][]nearWord, n)
	c.skip()
	at := map[int][]valueAt{}
	for _, v := range values {
		at[v.first] = append(at[v.first], v)
	}
	for i := n - 1; i >= 0; i-- {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		for _, v := range at[i] {
			value := v.value
			if value == nil {
				value = c.text[v.start:v.end]
			}
			c.add(&edge{sort: v.sort, first: v.first, last: v.last, cost: v.cost,
				meaning: &meaning{val: &val{lit: &literal{v.start, v.end, value}, sort: v.sort}}})
		}
		c.begin(i)
		for len(c.agenda) > 0 {
			e := c.agenda[0]
			c.agenda = c.agenda[1:]
			for _, p := range c.g.bySort[e.sort] {
				a := p.automaton()
				for _, arc := range a.states[0] {
					if arc.sort == e.sort {
						c.advance(p.rule, a, arc.to, i, e.last, &bindings{arc.slot, e, nil}, nil, e.cost, nil)
					}
				}
			}
		}
	}
	return nil
}

// skip finds out which tokens ask for nothing, and where one may go on from each place.
func (c *chart) skip() {
	n := len(c.tokens)
	c.plain = c.tokens
	if c.fuzzy {
		c.plain, c.small = c.g.mended(c.tokens)
	}
	c.fillers = make([]bool, n)
	for i := range c.tokens {
		if c.named(i) || greetings[c.tokens[i].word] && i > 0 && !c.tokens[i-1].sign {
			continue
		}
		for k := range c.g.isFiller(c.plain[i:]) {
			c.fillers[i+k] = true
		}
		if t := &c.tokens[i]; t.sign && t.word != `"` && t.word != "`" { // a quote that nothing closes is no mere sign: what it holds is not known
			c.fillers[i] = true
		}
	}
	c.skips = make([][]int, n+1)
	for i := range c.skips {
		c.skips[i] = []int{i}
		for k := i; k < n && c.fillers[k] && k-i < 6; k++ {
			c.skips[i] = append(c.skips[i], k+1)
		}
	}
}

// named reports whether an article is none: a name in a list, as in the folders a, b and c, or mkdir a b.
func (c *chart) named(i int) bool {
	switch c.tokens[i].word {
	case "a", "an", "the":
	default:
		return false
	}
	if i+1 == len(c.tokens) {
		return true
	}
	next := &c.tokens[i+1]
	switch next.word {
	case ",", ".", "and", "or":
		return true
	}
	return c.tokens[i].word == "a" && !next.sign && !next.quoted && len(next.text) == 1 && next.text[0] >= 'a'
}

// begin starts the phrases whose first word is at a place.
func (c *chart) begin(i int) {
	t := &c.tokens[i]
	if t.quoted {
		return
	}
	for _, stem := range c.stems(i) {
		for _, p := range c.g.begun(stem) {
			a := p.automaton()
			for k := range a.states[0] {
				arc := &a.states[0][k]
				if arc.empty() || arc.slot != "" || arc.class == nil && arc.stem != stem {
					continue
				}
				for _, m := range c.match(arc, i, stem) {
					c.advance(p.rule, a, arc.to, i, m.end, nil, m.words, m.cost, m.typos)
				}
			}
		}
	}
}

// match is a word, or the words of a class, as they stand at a place.
type match struct {
	end   int
	words []int
	cost  float64
	typos []typo
}

// match gives the ways in which the words of an arc stand at a place; stem, if there is one, is by what it was found.
func (c *chart) match(a *arc, at int, stem string) []match {
	if a.class == nil {
		return c.matchWords([]arc{*a}, at)
	}
	var out []match
	stems := []string{stem}
	if stem == "" {
		stems = c.stems(at)
	}
	for _, stem := range stems {
		for _, k := range a.class.byStem[stem] {
			out = append(out, c.matchWords(a.class.phrases[k], at)...)
		}
	}
	return out
}

// matchWords reads a chain of words, the first of which is at a place; what asks for nothing may stand between.
func (c *chart) matchWords(words []arc, at int) []match {
	found := []match{{end: at}}
	for n := range words {
		var next []match
		for _, m := range found {
			skips := c.skips[m.end]
			if n == 0 {
				skips = skips[:1]
			}
			for skipped, from := range skips {
				if from >= len(c.tokens) {
					break
				}
				ok, bad := c.isWord(from, &words[n])
				if !ok {
					continue
				}
				got := match{from + 1, append(slices.Clone(m.words), from), m.cost + costOfSkip*float64(skipped), m.typos}
				if bad {
					got.cost += costOfTypo
					got.typos = append(slices.Clone(m.typos), typo{from, words[n].word})
				}
				next = append(next, got)
			}
		}
		found = next
	}
	return found
}

// stems are by what a token may be a word of a phrase.
func (c *chart) stems(i int) []string {
	t := &c.tokens[i]
	out := []string{t.stem}
	if c.fuzzy && !c.g.knows(t) {
		for _, w := range c.near(i) {
			out = append(out, w.stem)
		}
	}
	return out
}

// isWord reports whether a token is a word of a pattern, and whether it is misspelt.
func (c *chart) isWord(i int, a *arc) (ok, misspelt bool) {
	t := &c.tokens[i]
	switch {
	case t.quoted:
		return false, false
	case t.word == a.word, !a.exact && len(a.word) > 2 && t.stem == a.stem && !t.sign:
		return true, false
	case c.fuzzy && !c.g.knows(t):
		return slices.ContainsFunc(c.near(i), func(w nearWord) bool { return w.word == a.word }), true
	}
	return false, false
}

// advance goes on with a phrase that was read from first up to a place.
func (c *chart) advance(r *Rule, a *automaton, state, first, at int, slots *bindings, words []int, cost float64, typos []typo) {
	if c.advances++; c.advances > mostAdvances || c.n > mostEdges {
		return
	}
	if a.ends(state) {
		c.done(r, first, at, slots, words, cost, typos)
	}
	for k := range a.states[state] {
		arc := &a.states[state][k]
		if arc.empty() {
			continue
		}
		for skipped, from := range c.skips[at] {
			if from >= len(c.tokens) {
				break
			}
			price := cost + costOfSkip*float64(skipped)
			if arc.slot == "" {
				for _, m := range c.match(arc, from, "") {
					c.advance(r, a, arc.to, first, m.end, slots, slices.Concat(words, m.words), price+m.cost, slices.Concat(typos, m.typos))
				}
				continue
			}
			if slots.get(arc.slot) != nil {
				continue // it has one value
			}
			for _, e := range c.edges[from][arc.sort] {
				if e.isText() && c.wordsBetween(at, from) {
					continue // a text has all its words
				}
				c.advance(r, a, arc.to, first, e.last, &bindings{arc.slot, e, slots}, words, price+e.cost, typos)
			}
		}
	}
}

// isText reports whether an edge is words as they stand, and nothing else.
func (e *edge) isText() bool {
	if e.rule != nil {
		return len(e.words) == 0 && e.slots != nil && e.slots.up == nil && e.slots.edge.isText()
	}
	v := e.meaning.val
	return v.lit != nil && (v.sort == "words" || v.sort == "rest")
}

func (c *chart) wordsBetween(from, to int) bool {
	return slices.ContainsFunc(c.tokens[from:to], func(t token) bool { return !t.sign })
}

// done takes up a phrase that was read as a whole.
func (c *chart) done(r *Rule, first, last int, slots *bindings, words []int, cost float64, typos []typo) {
	m := r.mean(c.g, slots)
	if m == nil {
		return
	}
	cost += costOfRule + r.Cost
	switch {
	case r.Do != "":
		cost += costOfStep
	case len(r.Steps) > 0:
		cost += costOfStep * float64(len(r.Steps))
	}
	c.add(&edge{sort: r.As, first: first, last: last, cost: cost, meaning: m, rule: r, slots: slots, words: words, typos: typos})
}

// add takes up an edge, if it is one of the best of its sort there. A list begins with it, too.
func (c *chart) add(e *edge) {
	if !c.keep(e) {
		return
	}
	c.n++
	c.agenda = append(c.agenda, e)
	if c.g.lists[e.sort] && e.meaning.val != nil && e.meaning.val.lit != nil && len(e.meaning.steps) == 0 && !strings.HasSuffix(e.sort, "+") {
		c.list(e)
	}
}

// keep puts an edge among those of its sort that begin and end where it does, the cheapest first.
func (c *chart) keep(e *edge) bool {
	all := c.edges[e.first][e.sort]
	if k := slices.IndexFunc(all, func(o *edge) bool { return o.last == e.last && o.alike(e) }); k >= 0 {
		if all[k].cost <= e.cost {
			return false
		}
		all = slices.Delete(slices.Clone(all), k, k+1)
		c.edges[e.first][e.sort] = all
	}
	same, worst := 0, -1
	for k, other := range all {
		if other.last != e.last {
			continue
		}
		same++
		if worst < 0 || other.cost > all[worst].cost {
			worst = k
		}
	}
	if same >= bestOf {
		if all[worst].cost <= e.cost {
			return false
		}
		all = slices.Delete(slices.Clone(all), worst, worst+1)
	}
	c.edges[e.first][e.sort] = append(all, e)
	return true
}

// alike reports whether two edges mean the same: the same phrase of the same slots.
func (e *edge) alike(other *edge) bool {
	if e.rule != other.rule {
		return false
	}
	if e.rule == nil {
		return true
	}
	a, b := e.slots, other.slots
	for ; a != nil && b != nil; a, b = a.up, b.up {
		if a.slot != b.slot || a.edge != b.edge {
			return false
		}
	}
	return a == nil && b == nil
}

// list adds the lists that begin with a value: it alone, and it before each list behind.
func (c *chart) list(e *edge) {
	name := e.sort + "+"
	c.add(&edge{sort: name, first: e.first, last: e.last, cost: e.cost,
		meaning: &meaning{val: &val{lit: &literal{e.meaning.val.lit.start, e.meaning.val.lit.end, []any{e.meaning.val.lit.value}}, sort: name}}})
	from, joined := e.last, false
	for from < len(c.tokens) {
		if t := &c.tokens[from]; t.word != "," && t.word != "and" && t.word != "&" && t.word != "plus" {
			break
		}
		joined = true
		from++
	}
	price := 0.0
	if !joined {
		price = 0.25 // q1 q2 q3
		if from >= len(c.tokens) || c.fillers[from] || c.g.knows(&c.tokens[from]) {
			return
		}
	}
	if from >= len(c.tokens) {
		return
	}
	for _, rest := range c.edges[from][name] {
		lit := rest.meaning.val.lit
		items := append([]any{e.meaning.val.lit.value}, lit.value.([]any)...)
		c.add(&edge{sort: name, first: e.first, last: rest.last, cost: e.cost + rest.cost + price,
			meaning: &meaning{val: &val{lit: &literal{e.meaning.val.lit.start, lit.end, items}, sort: name}}})
	}
}
