package phrase

import (
	"context"
	"slices"
	"sort"

	"pflow/internal/coverage"
	"pflow/internal/mapparams"
	"pflow/ir"
)

// Result is what a request means: a workflow, nil where there is no reading of all of it.
type Result struct {
	Workflow *ir.Workflow
	Values   map[string]any // of its inputs
	Places   map[string][2]int
	Parts    []coverage.Part
	Typos    []Typo
	Cost     float64

	Templated string // the request with {key} in the place of its values
	Title     string // a few words of it in kebab case
}

// Coverage is the request, accounted for: nothing of it is open.
func (r *Result) Coverage() coverage.Coverage { return coverage.Coverage{Parts: r.Parts} }

// Typo is a word that is read as another one. Start and End are byte offsets.
type Typo struct {
	Start, End int
	Was, As    string
}

// mostTokens is how long a request is read: what is longer is no sentence or two.
const mostTokens = 120

// Read reads a request. of gives the interface of a node type. The error is that of a context that ended.
func (g *Grammar) Read(ctx context.Context, request *mapparams.Request, of func(string) *ir.Interface) (Result, error) {
	tokens := tokensOf(request)
	if len(tokens) == 0 || len(tokens) > mostTokens {
		return Result{}, nil
	}
	values := g.valuesOf(request, tokens)
	for _, fuzzy := range []bool{false, true} {
		c := &chart{g: g, ctx: ctx, text: request.Text, tokens: tokens, fuzzy: fuzzy}
		if err := c.fill(values); err != nil {
			return Result{}, err
		}
		if r := c.sequence(); r != nil {
			b := build(r, of)
			if len(b.w.Nodes) == 0 {
				continue
			}
			out := Result{Workflow: b.w, Values: b.values, Places: b.places, Parts: c.parts(r, b), Typos: c.typos(r), Cost: r.cost}
			out.Templated = templated(request.Text, b.places)
			out.Title = title(out.Templated, b.w)
			return out, nil
		}
	}
	return Result{}, nil
}

// typos are the words of a reading that are read as others.
func (c *chart) typos(r *reading) []Typo {
	var out []Typo
	for _, e := range r.edges {
		c.typosOf(e, &out)
	}
	return out
}

func (c *chart) typosOf(e *edge, out *[]Typo) {
	for _, t := range e.typos {
		*out = append(*out, Typo{c.tokens[t.token].start, c.tokens[t.token].end, c.tokens[t.token].text, t.as})
	}
	for _, s := range e.slots.each() {
		c.typosOf(s.edge, out)
	}
}

// parts says what stands for each word of a reading.
func (c *chart) parts(r *reading, b *builder) []coverage.Part {
	by := make([]string, len(c.tokens))
	for k := range by {
		by[k] = coverage.Phrase
	}
	for _, e := range r.edges {
		c.stand(e, b, by, "")
	}
	var out []coverage.Part
	for k, t := range c.tokens {
		if n := len(out) - 1; n >= 0 && out[n].By == by[k] {
			out[n].End, out[n].Text = t.end, c.text[out[n].Start:t.end]
			continue
		}
		out = append(out, coverage.Part{Text: t.text, Start: t.start, End: t.end, By: by[k]})
	}
	return out
}

// stand notes what stands for the words of an edge; above is the step that the phrase around it makes.
func (c *chart) stand(e *edge, b *builder, by []string, above string) {
	if e.rule == nil || len(e.sort) > 0 && e.sort[len(e.sort)-1] == '+' {
		who := above
		for name, place := range b.places {
			if place[0] < c.tokens[e.last-1].end && place[1] > c.tokens[e.first].start {
				who = "input:" + name
				break
			}
		}
		if who != "" {
			for k := e.first; k < e.last; k++ {
				by[k] = who
			}
		}
		return
	}
	if id := b.madeBy(e); id != "" {
		above = "node:" + id
	}
	for _, k := range e.words {
		if above != "" {
			by[k] = above
		}
	}
	for _, s := range e.slots.each() {
		c.stand(s.edge, b, by, above)
	}
}

// madeBy is the id of the last step that a phrase itself makes or narrows, "" if it does neither.
func (b *builder) madeBy(e *edge) string {
	if e.rule.Do == "" && len(e.rule.Steps) == 0 && e.rule.Add == nil && !e.rule.Branch {
		return ""
	}
	var ids []string
	var places []int
	for s, id := range b.ids {
		if s.rule == e.rule || e.rule.Add != nil && s.kind == e.rule.On {
			ids = append(ids, id)
			places = append(places, slices.IndexFunc(b.w.Nodes, func(n ir.Node) bool { return n.ID == id }))
		}
	}
	if len(ids) == 0 {
		return ""
	}
	sort.Sort(sort.Reverse(sort.IntSlice(places)))
	return b.w.Nodes[places[0]].ID
}
