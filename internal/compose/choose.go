package compose

import (
	"cmp"
	"fmt"
	"slices"

	"pflow/internal/retrieve"
	"pflow/ir"
)

// clauseShare is how much the confidence in a part for one clause counts for the request as a whole: one clause says
// less than all of them.
const clauseShare = 0.8

// fit is a part as it fits a text.
type fit struct {
	*part
	confidence float64
	reason     string
}

// choose picks the parts, in the order of mention. It reports whether anything fits.
func (c *composer) choose() bool {
	text := Masked(c.request, c.o.Now)
	all := [2]int{0, len(c.request)}
	media := mediaOf(c.request)
	whole := c.rank(text, c.values, media, false)
	c.whole = map[*part]float64{}
	for _, r := range c.index.Rank(text) {
		c.whole[c.parts[r.Index]] = r.Confidence
	}
	if len(whole) == 0 {
		c.reason = "there is nothing to make a workflow of"
		return false
	}
	c.best = whole[0].confidence
	spans := retrieve.Clauses(c.request, func(w string) bool { return c.heads[retrieve.Stem(w)] > 0 })
	for _, span := range spans {
		values := within(c.values, span)
		ranked := c.rankClause(text[span[0]:span[1]], values, media)
		if len(spans) > 1 {
			c.best = max(c.best, clauseShare*ranked[0].confidence)
		}
		if ranked[0].confidence < c.o.LeastStep || len(c.steps) >= mostSteps {
			continue
		}
		p := ranked[0].part
		if n := len(c.steps); n > 0 && c.steps[n-1].part == p {
			c.steps[n-1].clause[1] = span[1]
			continue
		}
		if first := reader(p, ranked, values); first != nil {
			c.steps = append(c.steps, &step{part: first, clause: span})
		}
		c.steps = append(c.steps, &step{part: p, clause: span})
		for _, out := range p.of.Outputs {
			media[out.Kind] = true
		}
	}
	if c.best < c.o.Least {
		c.reason = "nothing there is does what is asked for"
		if whole[0].confidence > 0 {
			c.reason += fmt.Sprintf("; nearest is %s, which %s", whole[0].of.Name, whole[0].reason)
		}
		return false
	}
	c.reason = whole[0].of.Name + " " + whole[0].reason
	if len(c.steps) == 0 {
		c.steps = []*step{{part: whole[0].part}}
	}
	if len(c.steps) == 1 {
		c.steps[0].clause = all
	}
	return true
}

// reader is the part that gets at what a clause names where the part chosen for the clause takes whatever it is given, but
// no path and no address: "count the lines of FILE" reads it first. It is the best that needs just what the clause
// names and that writes nothing; nil if there is no need or no such part.
func reader(p *part, ranked []fit, values []written) *part {
	if len(values) == 0 || values[0].target || len(p.wanted()) > 0 || !slices.ContainsFunc(p.inputs, takesAnything) {
		return nil
	}
	had := map[string]int{}
	for _, v := range values {
		had[v.kind]++
	}
	for _, r := range ranked {
		wanted := r.wanted()
		needs := 0
		for _, in := range r.inputs {
			if in.Required {
				needs++
			}
		}
		fits := needs == len(values) && len(wanted) == len(had) && !r.of.Has(ir.Writes) && len(r.of.Outputs) > 0
		for kind, n := range had {
			fits = fits && wanted[kind] == n
		}
		if fits {
			return r.part
		}
	}
	return nil
}

// takesAnything reports whether an input takes whatever an earlier step gives.
func takesAnything(p ir.Port) bool { return p.Required && p.Kind == "" && payload[lastPart(p.Key)] }

// rank orders the parts for a text, best first.
func (c *composer) rank(text string, values []written, media map[string]bool, later bool) []fit {
	ranked := c.index.Rank(text)
	out := make([]fit, len(ranked))
	for k, r := range ranked {
		p := c.parts[r.Index]
		confidence := r.Confidence + p.suits(values, media, later) + c.headed(p, text)
		out[k] = fit{p, min(1, max(0, confidence)), r.Reason}
	}
	slices.SortStableFunc(out, func(a, b fit) int { return cmp.Compare(b.confidence, a.confidence) })
	return out
}

// rankClause orders the parts for a clause. What they share with the rest of the request breaks ties.
func (c *composer) rankClause(text string, values []written, media map[string]bool) []fit {
	out := c.rank(text, values, media, len(c.steps) > 0)
	slices.SortStableFunc(out, func(a, b fit) int {
		return cmp.Compare(b.confidence+restOfRequest*c.whole[b.part], a.confidence+restOfRequest*c.whole[a.part])
	})
	return out
}
