// Package compose makes a workflow of the interfaces of components, without a model.
//
// The request is cut into clauses; each takes the component, or the form of one, whose words it shares most, in the order
// of mention (choose.go), and what it calls for beside that: a reader before, a writer behind (companions.go). The values
// that the request has for a component's inputs become inputs of the workflow, so that the same workflow serves the next
// request too (bind.go). What the request has no value for is led from an earlier step's output that fits by key, type and
// kind; where there is none, a component that gives it is put before, and so on backwards (wiring.go). What would do only a
// part of the request is not made (unmet.go). Nothing here knows any component or any request: it goes by what interfaces
// state.
//
// Each of these is a stage that takes a Draft and gives another (Ground.Choose, Bind, Wire, Unmet, Write), and an op of its own in
// package nodes; Compose runs them all. What the stages weigh is in weights.yaml, the words that they go by in lexicon.yaml.
package compose

import (
	"context"
	"slices"

	"pflow/internal/mapparams"
	"pflow/internal/retrieve"
	"pflow/ir"
)

// Options bound what is made.
type Options struct {
	// Weights are those to go by; nil: those of weights.yaml.
	Weights *Weights
	// Piped says that text is piped in: an input that the request has no value for takes it.
	Piped bool
	// Usages keep what is worked out of the interfaces for the next request; nil: it is worked out for this one.
	Usages *Usages
}

// Result is a workflow, nil where nothing fits, and why.
type Result struct {
	Workflow   *ir.Workflow
	Reason     string
	Confidence float64
	Templated  string // the request with {key} in the place of its values
	Title      string // a few words of it in kebab case
	Partial    bool   // nothing was made since it would have done only a part: Reason says what is left
}

// mostSteps bounds a workflow, those put before for what is missing included.
const mostSteps = 12

// Compose makes the workflow that a request asks for out of interfaces, which come best first. It takes time linear in the
// request; the error is that of a context that ended.
func Compose(ctx context.Context, request *mapparams.Request, interfaces []*ir.Interface, o Options) (Result, error) {
	w := Shipped()
	if o.Weights != nil {
		w = *o.Weights
	}
	usages := o.Usages
	if usages == nil {
		usages = &Usages{}
	}
	g, err := newGround(ctx, request, interfaces, usages)
	if err != nil {
		return Result{}, err
	}
	return g.Compose(ctx, w, o.Piped)
}

// Compose goes through all stages; piped says that text is piped in.
func (g *Ground) Compose(ctx context.Context, w Weights, piped bool) (Result, error) {
	d, err := g.Choose(ctx, g.Clauses(), w)
	if err != nil {
		return Result{}, err
	}
	if d.Empty() {
		return Result{Reason: d.reason, Confidence: d.best, Partial: d.partial}, nil
	}
	for {
		bound, err := g.Bind(ctx, d)
		if err != nil {
			return Result{}, err
		}
		wired, needless, err := g.Wire(ctx, bound, w)
		if err != nil {
			return Result{}, err
		}
		if len(needless) == 0 {
			d = wired
			break
		}
		d = d.without(needless) // what they took is for others
	}
	if unmet := g.Unmet(ctx, d); unmet != "" {
		return Result{Reason: unmet, Confidence: d.best, Partial: true}, nil
	}
	written, text, title := g.Write(ctx, d, piped)
	return Result{Workflow: written, Confidence: d.best, Reason: d.reason, Templated: text, Title: title}, nil
}

// Ground is a request and the ways of using components that a workflow for it may be made of. It is safe for concurrent use.
type Ground struct {
	*mapparams.Request
	usages []*usage
	index  *retrieve.Index // of usages
	order  []int           // where those of the index stand in usages
	heads  map[string]int  // how many usages say with a word what they do
	values []written
	known  *known
}

// NewGround takes in a request and the interfaces of components, which come best first.
func NewGround(ctx context.Context, request *mapparams.Request, interfaces []*ir.Interface) (*Ground, error) {
	return newGround(ctx, request, interfaces, &Usages{})
}

func newGround(ctx context.Context, request *mapparams.Request, interfaces []*ir.Interface, usages *Usages) (*Ground, error) {
	g := &Ground{Request: request, usages: usages.of(spokenOf(interfaces, request.Text)), heads: map[string]int{}, values: writtenValues(request), known: &known{}}
	var err error
	if g.index, g.order, err = usages.index(ctx, g.usages); err != nil {
		return nil, err
	}
	for _, p := range g.usages {
		for _, stem := range p.heads {
			g.heads[stem]++
		}
	}
	return g, nil
}

// Clauses cuts the request where a new wish begins: byte offsets.
func (g *Ground) Clauses() [][2]int {
	return retrieve.Clauses(g.Text, func(w string) bool { return g.heads[retrieve.Stem(w)] > 0 })
}

// Choose picks what the clauses of the request ask for, in the order of mention; the draft is empty if nothing fits.
func (g *Ground) Choose(ctx context.Context, clauses [][2]int, w Weights) (*Draft, error) {
	c := g.composer(ctx, &Draft{}, w)
	chosen, err := c.choose(clauses)
	if err != nil {
		return nil, err
	}
	if !chosen {
		c.steps = nil
	}
	c.name()
	return c.Draft, nil
}

// Bind gives the inputs of the steps of a draft the values of the request.
func (g *Ground) Bind(ctx context.Context, d *Draft) (*Draft, error) {
	c := g.composer(ctx, d.clone(), Weights{})
	c.taken = nil
	return c.Draft, c.bind(c.steps)
}

// Wire leads outputs to the inputs that have no value, and puts steps before for what nothing gives. needless are the steps of the
// draft that nothing of the request calls for but what others do already: it is to be bound again without them.
func (g *Ground) Wire(ctx context.Context, d *Draft, w Weights) (wired *Draft, needless []string, err error) {
	c := g.composer(ctx, d.clone(), w)
	chosen := slices.Clone(c.steps)
	if err := c.wire(); err != nil {
		return nil, nil, err
	}
	c.name()
	return c.Draft, c.needless(chosen), nil
}

// Unmet says what of the request a draft leaves undone, "" if nothing is known to be left.
func (g *Ground) Unmet(ctx context.Context, d *Draft) string {
	return g.composer(ctx, d, Weights{}).unmet()
}

// Write makes the workflow of a draft, the request with {key} in the place of its values, and a title of it in kebab case. Text that is
// piped in goes to an input that the request has no value for.
func (g *Ground) Write(ctx context.Context, d *Draft, piped bool) (w *ir.Workflow, templated, title string) {
	c := g.composer(ctx, d, Weights{})
	templated = c.templated()
	return c.workflow(piped), templated, Title(templated, c.steps[0].of.Name)
}

// composer is one stage at work.
type composer struct {
	*Ground
	*Draft
	ctx   context.Context // of this call
	w     Weights
	whole map[*usage]overall
}

func (g *Ground) composer(ctx context.Context, d *Draft, w Weights) *composer {
	return &composer{Ground: g, Draft: d, ctx: ctx, w: w}
}
