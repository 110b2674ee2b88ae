package phrase

import (
	"context"
	"slices"
	"strings"

	"pflow/internal/compose"
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
	Open     []coverage.Open // what nothing stands for, of a part
	Shown    int             // how many of its outputs are asked for: the first ones
	Typos    []Typo
	Cost     float64
	Part     *Result // where there is no reading of all of it: of as much as there is, nil if of nothing

	Templated string // the request with {key} in the place of its values
	Title     string // a few words of it in kebab case
}

// Coverage is the request, accounted for.
func (r *Result) Coverage() coverage.Coverage { return coverage.Coverage{Parts: r.Parts, Open: r.Open} }

// Typo is a word that is read as another one. Start and End are byte offsets.
type Typo struct {
	Start, End int
	Was, As    string
}

// mostTokens is how long a request is read: what is longer is no sentence or two.
const mostTokens = 120

// Here tells what a path is where the request is said, so that a word may be the name of what stands there: copy docs to backup.
type Here func(path string) Stands

// Stands is what a path is.
type Stands int

// What a path is.
const (
	Absent Stands = iota
	File          // or anything else that is no folder
	Folder
)

// Read reads a request. of gives the interface of a node type; here may be nil. The error is that of a context that ended.
func (g *Grammar) Read(ctx context.Context, request *mapparams.Request, of func(string) *ir.Interface, here Here) (Result, error) {
	tokens := g.possessives(tokensOf(request))
	if len(tokens) == 0 || len(tokens) > mostTokens {
		return Result{}, nil
	}
	values := g.valuesOf(ctx, request, tokens, here)
	var c *chart
	for _, fuzzy := range []bool{false, true} {
		c = &chart{g: g, of: of, ctx: ctx, text: request.Text, tokens: tokens, fuzzy: fuzzy}
		if err := c.fill(values); err != nil {
			return Result{}, err
		}
		if r := c.sequence(false); r != nil {
			if out := c.result(r); len(out.Workflow.Nodes) > 0 {
				return out, nil
			}
		}
	}
	if r := c.sequence(true); r != nil {
		if out := c.result(r); len(out.Workflow.Nodes) > 0 {
			return Result{Part: &out}, nil
		}
	}
	return Result{}, nil
}

// result writes a reading.
func (c *chart) result(r *reading) Result {
	b := build(r, c.of)
	out := Result{Workflow: b.w, Shown: b.shown, Values: b.values, Places: b.places, Typos: c.typos(r), Cost: r.cost}
	out.Parts, out.Open = c.parts(r, b)
	out.Templated = templated(c.text, b.w.Inputs, b.places)
	if len(b.w.Nodes) > 0 {
		out.Title = compose.Title(out.Templated, b.w.Nodes[0].Type)
	}
	return out
}

// typos are the words of a reading that are read as others.
func (c *chart) typos(r *reading) []Typo {
	var out []Typo
	for _, e := range r.edges {
		c.typosOf(e, &out)
	}
	for _, t := range c.small {
		out = append(out, Typo{c.tokens[t.token].start, c.tokens[t.token].end, c.tokens[t.token].text, t.as})
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

// parts says what stands for each word of a reading, and what nothing stands for.
func (c *chart) parts(r *reading, b *builder) (parts []coverage.Part, open []coverage.Open) {
	const nothing = ""
	by := make([]string, len(c.tokens))
	for k := range by {
		by[k] = coverage.Phrase
	}
	for _, e := range r.edges {
		c.stand(e, b, by, "")
	}
	for _, k := range r.open {
		by[k] = nothing
	}
	for k := 0; k < len(c.tokens); {
		from := k
		for k < len(c.tokens) && by[k] == by[from] {
			k++
		}
		start, end := c.tokens[from].start, c.tokens[k-1].end
		if by[from] == nothing {
			open = append(open, coverage.Open{Text: c.text[start:end], Start: start, End: end, Why: "no phrase that is known says this"})
			continue
		}
		parts = append(parts, coverage.Part{Text: c.text[start:end], Start: start, End: end, By: by[from]})
	}
	return parts, open
}

// stand notes what stands for the words of an edge; above is the step that the phrase around it makes.
func (c *chart) stand(e *edge, b *builder, by []string, above string) {
	if e.rule == nil || len(e.sort) > 0 && e.sort[len(e.sort)-1] == '+' {
		who := above
		for i := range b.w.Inputs { // of what is made of another, the one that was declared first
			name := b.w.Inputs[i].Name
			if place, there := b.places[name]; there && place[0] < c.tokens[e.last-1].end && place[1] > c.tokens[e.first].start {
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
	who := above
	if who == "" {
		who = b.within(e) // show a.txt: what shows it is what reads it
	}
	for _, k := range e.words {
		if who != "" {
			by[k] = who
		}
	}
	for _, s := range e.slots.each() {
		c.stand(s.edge, b, by, above)
	}
}

// within is the step that a part of a phrase makes, as it stands for one of a request; "" if none does.
func (b *builder) within(e *edge) string {
	for _, s := range e.slots.each() {
		if s.edge.rule == nil {
			continue
		}
		if id := b.madeBy(s.edge); id != "" {
			return "node:" + id
		}
		if who := b.within(s.edge); who != "" {
			return who
		}
	}
	return ""
}

// madeBy is the id of the last step that a phrase itself makes or narrows, "" if it does neither.
func (b *builder) madeBy(e *edge) string {
	if e.rule.Expr != "" {
		return b.made[e.rule]
	}
	if e.rule.Do == "" && len(e.rule.Steps) == 0 && e.rule.On == "" && !e.rule.Branch {
		return ""
	}
	last := -1
	for s, id := range b.ids {
		if s.rule == e.rule || e.rule.On != "" && slices.Contains(strings.Split(e.rule.On, "|"), s.kind) {
			last = max(last, b.w.Node(id))
		}
	}
	if last < 0 {
		return ""
	}
	return b.w.Nodes[last].ID
}
