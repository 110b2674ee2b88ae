package compose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pflow/internal/extract"
	"pflow/internal/retrieve"
	"pflow/internal/value"
	"pflow/ir"
)

// mostRanked is how many of the usages that fit a clause best a draft keeps.
const mostRanked = 5

// fit is a usage as it fits a text.
type fit struct {
	*usage
	confidence float64
	reason     string
}

// overall is how a usage fits the words of the whole request.
type overall struct {
	confidence float64
	place      int // from 0, the best
}

// choose picks the usages, in the order of mention. It reports whether anything fits.
func (c *composer) choose(clauses [][2]int) (bool, error) {
	text := c.masked()
	media := mediaOf(c.Text)
	whole, err := c.rank(text, c.values, media)
	if err != nil {
		return false, err
	}
	if len(whole) == 0 {
		c.reason = "there is nothing to make a workflow of"
		return false, nil
	}
	if err := c.rankWhole(text); err != nil {
		return false, err
	}
	c.best = whole[0].confidence
	for _, clause := range clauses {
		if err := c.ctx.Err(); err != nil {
			return false, err
		}
		if err := c.chooseFor(clause, text, media, len(clauses)); err != nil {
			return false, err
		}
		if c.partial {
			return false, nil
		}
	}
	if c.best < c.w.Workflow {
		c.reason = "nothing there is does what is asked for"
		if whole[0].confidence > 0 {
			c.reason += fmt.Sprintf("; nearest is %s, which %s", whole[0].of.Name, whole[0].reason)
		}
		return false, nil
	}
	c.reason = whole[0].of.Name + " " + whole[0].reason
	if len(c.steps) == 0 {
		c.steps = []*step{{usage: whole[0].usage}}
	}
	if len(c.steps) == 1 {
		c.steps[0].clause = [2]int{0, len(c.Text)}
	}
	return true, nil
}

// rankWhole notes how the usages fit the words of the whole request.
func (c *composer) rankWhole(text string) error {
	ranked, err := c.rankedFor(c.ctx, text)
	if err != nil {
		return err
	}
	c.whole = map[*usage]overall{}
	for k, r := range ranked {
		c.whole[c.usages[r.Index]] = overall{r.Confidence, k}
	}
	return nil
}

// chooseFor picks the usages for one of so many clauses; text is the request without its values.
func (c *composer) chooseFor(clause [2]int, text string, media map[string]bool, clauses int) error {
	values := within(c.values, clause)
	if len(c.steps) > 0 && !slices.ContainsFunc(retrieve.Words(Unvalued(c.Request)[clause[0]:clause[1]]), c.tells) {
		for k := range values { // nothing but to put what there is somewhere
			values[k].goal = values[k].target
		}
		if w := c.writer(); w != nil && len(values) == 1 && values[0].goal && values[0].kind == extract.Path && len(c.steps) < mostSteps {
			c.steps = append(c.steps, &step{usage: w, clause: clause})
			return nil
		}
	}
	ranked, err := c.rankClause(c.unreferred(text, clause), values, media, clauses)
	if err != nil {
		return err
	}
	c.ranked = append(c.ranked, ranked[:min(mostRanked, len(ranked))])
	best := ranked[0]
	if clauses > 1 {
		c.best = max(c.best, c.w.share*best.confidence)
	}
	said := retrieve.Stems(text[clause[0]:clause[1]])
	byTheWay := clauses > 1 && len(values) == 0 && best.confidence < c.w.Remark && !(len(said) > 0 && slices.Contains(best.heads, said[0])) &&
		float64(c.whole[best.usage].place) >= c.w.bestOfWhole*float64(clauses)
	if best.confidence < c.w.Step && clauses > 1 || byTheWay {
		if asksForMore(c.Text[clause[0]:clause[1]]) {
			c.skipped = append(c.skipped, clause)
		}
		return nil
	}
	if n := len(c.steps); n > 0 && c.steps[n-1].usage == best.usage {
		c.steps[n-1].clause[1] = clause[1]
		return nil
	}
	if err := c.fetchInstead(best.usage, text, media, clauses); err != nil {
		return err
	}
	for _, p := range c.around(best.usage, ranked, values, text[clause[0]:clause[1]]) {
		if len(c.steps) == mostSteps {
			c.partial = true
			c.reason = fmt.Sprintf("it asks for more than %d steps, the most that a workflow made of a sentence has: %q is one more", mostSteps, excerpt(c.Text[clause[0]:clause[1]]))
			return nil
		}
		c.steps = append(c.steps, &step{usage: p, clause: clause})
		for _, out := range p.of.Outputs {
			media[out.Kind] = true
		}
	}
	return nil
}

// fetchInstead looks again at the last step where next works on data that the step does not give: it puts something at a place that
// its clause does not name (download X, take its title), or reads it as something else (read X, count its lines). What just gets
// at the data is meant.
func (c *composer) fetchInstead(next *usage, text string, media map[string]bool, clauses int) error {
	n := len(c.steps)
	if n == 0 || !slices.ContainsFunc(next.inputs, takesAnything) {
		return nil
	}
	last := c.steps[n-1]
	values := within(c.values, last.clause)
	had := map[string]int{}
	for _, v := range values {
		had[v.kind]++
	}
	if feeds(last.usage, next) || len(values) == 0 || last.of.Has(ir.Writes) && last.wanted[extract.Path] <= had[extract.Path] {
		return nil
	}
	ranked, err := c.rankClause(text[last.clause[0]:last.clause[1]], values, media, clauses)
	if err != nil {
		return err
	}
	if r := c.reader(next, ranked, values); r != nil && feeds(r, next) {
		last.usage = r
	}
	return nil
}

// feeds reports whether a usage gives data of the type that another works on.
func feeds(p, next *usage) bool {
	return slices.ContainsFunc(p.of.Outputs, func(out ir.Port) bool {
		return slices.ContainsFunc(next.inputs, func(in ir.Port) bool {
			if !takesAnything(in) || !isPayload(lastPart(out.Key)) && in.Type != value.Array {
				return false
			}
			return out.Type == in.Type || out.Type == value.Any || in.Type == value.Any
		})
	})
}

// tells reports whether a word says something of what is to be done: some component knows it, and it is none for whatever
// there is, as in put the result into.
func (c *composer) tells(w retrieve.Word) bool {
	return !w.Stop && !isPayload(w.Text) && !lexicon().puts[w.Text] && c.index.Knows(w.Stem)
}

// asksForMore reports whether a clause says what to do, beyond giving the result.
func asksForMore(clause string) bool {
	words := retrieve.Words(clause)
	if len(words) == 0 || !retrieve.IsVerb(words[0].Text) {
		return false
	}
	return !lexicon().givesResult[words[0].Text] || slices.ContainsFunc(words[1:], func(w retrieve.Word) bool { return !w.Stop && !isPayload(w.Text) })
}

// rank orders the usages for a text, best first.
func (c *composer) rank(text string, values []written, media map[string]bool) ([]fit, error) {
	ranked, err := c.rankedFor(c.ctx, text)
	if err != nil {
		return nil, err
	}
	out := make([]fit, len(ranked))
	var stems []string
	telling, counted := false, false // a word that is no verb and no ending of a file, a number
	for _, w := range retrieve.Words(text) {
		counted = counted || strings.Trim(w.Text, "0123456789") == ""
		if w.Stop {
			continue
		}
		stems = append(stems, w.Stem)
		ending := w.Start > 0 && text[w.Start-1] == '.'
		telling = telling || !ending && !retrieve.IsVerb(w.Text)
	}
	for k, r := range ranked {
		p := c.usages[r.Index]
		head := c.headed(p, stems)
		confidence := r.Confidence + c.w.suits(p, values, media, len(c.steps) > 0) + head
		if p.form != nil && p.number != counted {
			confidence += c.w.otherNumber
		}
		if r.Confidence == 0 && head == 0 && !p.goesWithoutSaying(values, telling, len(c.steps) > 0) {
			confidence = 0
		}
		out[k] = fit{p, min(1, max(0, confidence)), r.Reason}
	}
	slices.SortStableFunc(out, func(a, b fit) int { return cmp.Compare(b.confidence, a.confidence) })
	return out, nil
}

// goesWithoutSaying reports whether a usage may be meant though no word speaks of it: one that finds by the pattern that there
// is, one with effects first only without other words, one that changes something only where a value says where what earlier steps gave goes to, and never one
// that destroys.
func (p *usage) goesWithoutSaying(values []written, telling, later bool) bool {
	finds := p.pattern && slices.ContainsFunc(values, func(v written) bool { return v.glob })
	if !later && len(p.of.Effects) > 0 && telling && !finds {
		return false
	}
	return !p.of.Has(ir.Destructive) && (!p.of.Has(ir.Writes) || later && len(values) == 1 && values[0].target)
}

// rankClause orders the usages for one of some clauses; what they share with the rest of the request counts, too.
func (c *composer) rankClause(text string, values []written, media map[string]bool, clauses int) ([]fit, error) {
	out, err := c.rank(text, values, media)
	if err != nil {
		return nil, err
	}
	rest := c.w.rest / float64(clauses)
	if clauses == 1 {
		rest = c.w.restOfOne
	}
	addressed := slices.ContainsFunc(values, func(v written) bool { return v.kind != extract.Path })
	weight := func(f fit) float64 {
		if addressed && f.wanted[extract.URL]+f.wanted[extract.Email] == 0 {
			return f.confidence // the rest is not about what the clause names
		}
		return f.confidence + rest*c.whole[f.usage].confidence
	}
	slices.SortStableFunc(out, func(a, b fit) int { return cmp.Compare(weight(b), weight(a)) })
	return out, nil
}

// unreferred is a clause without the words by which it refers to what the steps before it give: the mean of the heights. They
// say what the step works on, not what it does.
func (c *composer) unreferred(text string, clause [2]int) string {
	given := map[string]bool{}
	for _, s := range c.steps {
		for _, out := range s.of.Outputs {
			for _, stem := range c.stemsOf(out.Key) {
				given[stem] = !isPayload(stem)
			}
		}
	}
	out := []byte(text[clause[0]:clause[1]])
	definite, left := false, 0
	for _, w := range retrieve.Words(text[clause[0]:clause[1]]) {
		switch {
		case lexicon().definite[w.Text]:
			definite = true
		case definite && given[w.Stem]:
			for k := w.Start; k < w.End; k++ {
				out[k] = ' '
			}
		case !w.Stop:
			left++
		default:
			definite = false
		}
	}
	if left < 2 {
		return text[clause[0]:clause[1]]
	}
	return string(out)
}
