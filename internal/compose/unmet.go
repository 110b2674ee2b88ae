package compose

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"pflow/internal/extract"
	"pflow/internal/mapparams"
	"pflow/internal/retrieve"
	"pflow/internal/value"
	"pflow/ir"
)

// unmet says what of the request the steps leave undone; "" if nothing is known to be left. A workflow that does a part of
// what was asked for, under a description that promises the whole, is worse than none.
func (c *composer) unmet() string {
	if why := Refuses(c.Text); why != "" {
		return why
	}
	if at := lexicon().exception.FindStringIndex(c.Text); at != nil {
		return fmt.Sprintf("nothing there is makes exceptions: %q", excerpt(c.Text[at[0]:]))
	}
	touches := slices.ContainsFunc(c.steps, func(s *step) bool { return len(s.of.Effects) > 0 })
	if !touches {
		return "" // nothing in the world depends on it
	}
	if len(c.skipped) > 0 {
		return fmt.Sprintf("nothing there is does %q", excerpt(c.Text[c.skipped[0][0]:c.skipped[0][1]]))
	}
	for _, e := range c.Entities {
		if e.Kind == extract.Quoted && !c.covers(e.Start) && !c.covers(e.Start+1) {
			return fmt.Sprintf("nothing in it takes %s", e.Text)
		}
	}
	for _, v := range c.values {
		taken := slices.ContainsFunc(c.taken, func(t taken) bool { return t.start <= v.start && v.start < t.end })
		if !taken && !slices.ContainsFunc(c.steps, func(s *step) bool { return s.couldTake(v) }) {
			return fmt.Sprintf("nothing in it takes %q", c.Text[v.start:v.end])
		}
	}
	if left := c.undone(); left != "" {
		return fmt.Sprintf("no step is for %q", left)
	}
	for _, s := range c.steps {
		if left := c.unexplained(s); left != "" {
			return fmt.Sprintf("%s does not do all of %q: nothing is known of %q", s.of.Name, excerpt(c.Text[s.clause[0]:s.clause[1]]), left)
		}
	}
	return ""
}

// undone is a word or a number of the request that no step has anything to do with, though some component knows the word.
func (c *composer) undone() string {
	for _, e := range c.Entities {
		if measured[e.Kind] && !c.covers(e.Start) {
			return e.Text
		}
	}
	known := map[string]bool{}
	for _, s := range c.steps {
		for _, text := range s.texts() {
			for _, stem := range c.stemsOf(text) {
				known[stem] = true
			}
		}
	}
	for _, w := range retrieve.Words(c.Text) {
		if !w.Stop && !known[w.Stem] && !retrieve.IsVerb(w.Text) && c.index.Knows(w.Stem) && !c.covers(w.Start) {
			return w.Text
		}
	}
	return ""
}

// measured are the kinds of what limits or times what is done.
var measured = map[string]bool{extract.Number: true, extract.Percent: true, extract.Currency: true, extract.Dimension: true, extract.Duration: true,
	extract.Date: true, extract.DateRange: true, extract.DateTime: true, extract.Time: true}

// covers reports whether a place of the request is inside a value that an input takes, or a path or an address.
func (c *composer) covers(at int) bool {
	k := sort.Search(len(c.values), func(k int) bool { return c.values[k].end > at })
	return k < len(c.values) && c.values[k].start <= at ||
		slices.ContainsFunc(c.taken, func(t taken) bool { return t.start <= at && at < t.end })
}

// couldTake reports whether a step has an input left that a value may be meant for.
func (s *step) couldTake(v written) bool {
	for k, p := range s.inputs {
		if _, given := s.given[p.Key]; given || p.Type != value.String && p.Type != value.Any && p.Type != value.Array {
			continue
		}
		if s.kinds[k] == v.kind {
			return true
		}
	}
	return false
}

// isRefused reports whether a clause says what is not to be done.
func isRefused(clause string) bool {
	m := lexicon().refusal.FindStringSubmatch(clause)
	return m != nil && retrieve.IsVerb(strings.ToLower(m[1]))
}

// Refuses says why a request is not one for a workflow that does what it speaks of: it says what is not to be done. It is ""
// for any other.
func Refuses(request string) string {
	for _, clause := range retrieve.Clauses(request, nil) {
		if text := strings.TrimSpace(request[clause[0]:clause[1]]); isRefused(text) {
			return fmt.Sprintf("it is not to be done: %q", excerpt(text))
		}
	}
	return ""
}

// unexplained is what the clause of a form says beyond the form: a form is a ready piece of code, and does what it says and
// nothing else. What the words of steps beside it, of values and of whatever reads say is explained.
func (c *composer) unexplained(s *step) string {
	if s.form == nil || slices.ContainsFunc(s.inputs, func(p ir.Port) bool { return p.Kind == mapparams.CommandLine }) {
		return ""
	}
	clause := c.Text[s.clause[0]:s.clause[1]]
	for _, e := range c.Entities {
		if e.Start >= s.clause[0] && e.End <= s.clause[1] && !c.covers(e.Start) && e.Kind != extract.Path {
			return e.Text
		}
	}
	known := map[string]bool{}
	for _, text := range c.explaining() {
		for _, stem := range c.stemsOf(text) {
			known[stem] = true
		}
	}
	for _, w := range retrieve.Words(clause) {
		if !w.Stop && !known[w.Stem] && !retrieve.IsVerb(w.Text) && !c.covers(s.clause[0]+w.Start) {
			return w.Text
		}
	}
	return ""
}

// explaining are the texts whose words a clause may use: what the steps say, and any component that gets at something.
func (c *composer) explaining() []string {
	var out []string
	for _, other := range c.steps {
		out = append(out, other.texts()...)
	}
	for _, p := range c.usages {
		if len(p.wanted) > 0 && len(p.of.Outputs) > 0 && p.form == nil {
			out = append(out, p.texts()...)
		}
	}
	return out
}

// texts are all that a usage says: of itself, its inputs and its outputs.
func (p *usage) texts() []string {
	out := []string{p.text()}
	for _, ports := range [][]ir.Port{p.inputs, p.of.Outputs} {
		for _, port := range ports {
			out = append(out, port.Key, port.Description)
		}
	}
	return out
}

// excerpt is a text as a message quotes it: without the blanks around it, and its beginning only if it is long.
func excerpt(text string) string {
	const most = 200
	text = strings.TrimSpace(text)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
