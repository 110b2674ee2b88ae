package compose

import (
	"slices"

	"pflow/internal/extract"
	"pflow/internal/retrieve"
	"pflow/internal/value"
	"pflow/ir"
)

// around gives the usage chosen for a clause with those that the clause calls for beside it, in their order: one that gets
// at what the clause names, if the chosen one takes only what is got (what is to be sorted is read first), and what makes of it what the chosen one writes; one for words
// beyond it (how many there are); and one that writes the result, where the clause says where it goes.
func (c *composer) around(p *usage, ranked []fit, values []written, clause string) []*usage {
	out := []*usage{p}
	sources, goals := p.leaves(values)
	if len(sources) > 0 && slices.ContainsFunc(p.inputs, takesAnything) {
		if r := c.reader(p, ranked, sources); r != nil {
			out = []*usage{r, p}
			if p.of.Has(ir.Writes) { // it writes what is made of what was read
				if more := c.further(r, p.text(), clause); more != nil {
					out = []*usage{r, more, p}
				}
			}
		}
	}
	if more := c.further(p, "", clause); more != nil {
		out = append(out, more)
	}
	if last := out[len(out)-1]; len(goals) == 1 && len(last.of.Outputs) > 0 && !p.of.Has(ir.Writes) {
		if w := c.writer(); w != nil {
			out = append(out, w)
		}
	}
	return out
}

// isFed reports whether a usage takes none of the values, but what can be read from where they say.
func (p *usage) isFed(values []written) bool {
	return len(p.wanted) == 0 && slices.ContainsFunc(p.inputs, takesAnything) &&
		slices.ContainsFunc(values, func(v written) bool { return !v.goal })
}

// leaves are the values of a clause that a usage has no required inputs for: those that something is got from, and the paths
// that something goes to. What writes takes the goals first, anything else the sources.
func (p *usage) leaves(values []written) (sources, goals []written) {
	room := map[string]int{}
	for kind, n := range p.wanted {
		room[kind] = n
	}
	for _, goalsNow := range []bool{p.of.Has(ir.Writes), !p.of.Has(ir.Writes)} {
		for _, v := range values {
			switch {
			case v.goal != goalsNow:
			case room[v.kind] > 0:
				room[v.kind]--
			case !v.goal:
				sources = append(sources, v)
			case v.kind == extract.Path:
				goals = append(goals, v)
			}
		}
	}
	return sources, goals
}

// reader is the best usage that needs just these values, writes nothing, and gives data of the type that p takes; one that
// gives another type only where there is none of it. It is nil if there is none at all.
func (c *composer) reader(p *usage, ranked []fit, values []written) *usage {
	var other *usage
	had := map[string]int{}
	for _, v := range values {
		had[v.kind]++
	}
	for _, r := range ranked {
		needs := 0
		fits := len(r.wanted) == len(had) && !r.of.Has(ir.Writes) && len(r.of.Outputs) > 0
		for _, in := range r.inputs {
			if !in.Required {
				continue
			}
			needs++
		}
		fits = fits && !(r.folder && slices.ContainsFunc(values, func(v written) bool { return v.file }))
		for kind, n := range had {
			fits = fits && r.wanted[kind] == n
		}
		if !fits || needs != len(values) {
			continue
		}
		if slices.ContainsFunc(p.inputs, func(in ir.Port) bool {
			return takesAnything(in) && (in.Type == r.of.Outputs[0].Type || r.of.Outputs[0].Type == value.Any && isPayload(lastPart(r.of.Outputs[0].Key)) && r.form == nil)
		}) {
			return r.usage
		}
		if other == nil {
			other = r.usage
		}
	}
	return other
}

// writer is the one usage that writes whatever there is to a path; nil if there is none, or a choice.
func (c *composer) writer() *usage {
	var out *usage
	for _, p := range c.usages {
		if p.of.Has(ir.Writes) && !p.of.Has(ir.Destructive) && !p.of.Workflow && p.form == nil && p.wanted[extract.Path] == 1 && len(p.wanted) == 1 &&
			slices.ContainsFunc(p.inputs, takesAnything) {
			if out != nil {
				return nil
			}
			out = p
		}
	}
	return out
}

// further is the form that does what a clause says beyond a usage that gets at something, and beyond other, which says what
// a usage beside it does. It is nil if every word that any usage knows is one of theirs, or no form has all the others and
// takes what the usage gives.
func (c *composer) further(p *usage, other, clause string) *usage {
	if p.form != nil || len(p.of.Outputs) == 0 || len(p.wanted) == 0 || p.of.Has(ir.Writes) {
		return nil
	}
	own := slices.Concat(c.stemsOf(p.text()), c.stemsOf(other))
	var more []string
	for _, w := range retrieve.Words(clause) {
		if !w.Stop && !retrieve.IsVerb(w.Text) && !slices.Contains(own, w.Stem) && c.index.Knows(w.Stem) {
			more = append(more, w.Stem)
		}
	}
	if len(more) == 0 {
		return nil
	}
	for _, f := range c.usages {
		takes := slices.ContainsFunc(f.inputs, func(in ir.Port) bool { return takesAnything(in) && in.Type == p.of.Outputs[0].Type })
		if f.form != nil && takes && shared(more, c.stemsOf(f.does)) == len(more) {
			return f
		}
	}
	return nil
}
