// Package compose makes a workflow of the interfaces of components, without a model.
//
// The request is cut into clauses; each takes the component, or the form of one, whose words it shares most, in the order
// of mention (choose.go), and what it calls for beside that: a reader before, a writer behind (companions.go). The values
// that the request has for a component's inputs become inputs of the workflow, so that the same workflow serves the next
// request too (bind.go). What the request has no value for is led from an earlier step's output that fits by key, type and
// kind; where there is none, a component that gives it is put before, and so on backwards (wiring.go). What would do only a
// part of the request is not made (unmet.go). Nothing here knows any component or any request: it goes by what interfaces
// state.
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
}

// Result is a workflow, nil where nothing fits, and why.
type Result struct {
	Workflow   *ir.Workflow
	Reason     string
	Confidence float64
	Templated  string // the request with {key} in the place of its values
	Title      string // a few words of it in kebab case
	Partial    bool   // nothing was made since it would have done only a usage: Reason says what is left
}

// mostSteps bounds a workflow, those put before for what is missing included.
const mostSteps = 12

// Compose makes the workflow that a request asks for out of interfaces, which come best first. It takes time linear in the
// request; the error is that of a context that ended.
func Compose(ctx context.Context, request *mapparams.Request, interfaces []*ir.Interface, o Options) (Result, error) {
	c, err := newComposer(ctx, request, interfaces, o)
	if err != nil {
		return Result{}, err
	}
	if chosen, err := c.choose(); err != nil {
		return Result{}, err
	} else if !chosen {
		return Result{Reason: c.reason, Confidence: c.best, Partial: c.partial}, nil
	}
	for {
		chosen := slices.Clone(c.steps)
		if err := c.bind(c.steps); err != nil {
			return Result{}, err
		}
		if err := c.wire(); err != nil {
			return Result{}, err
		}
		kept, fewer := c.withoutNeedless(chosen)
		if !fewer {
			break
		}
		c.steps, c.taken = kept, nil // what they took is for others
	}
	if unmet := c.unmet(); unmet != "" {
		return Result{Reason: unmet, Confidence: c.best, Partial: true}, nil
	}
	text := c.templated()
	return Result{Workflow: c.workflow(), Confidence: c.best, Reason: c.reason, Templated: text, Title: Title(text, c.steps[0].of.Name)}, nil
}

// composer is one call of Compose.
type composer struct {
	*mapparams.Request
	ctx     context.Context // of this call
	o       Options
	w       Weights
	usages  []*usage
	index   *retrieve.Index // of usages
	heads   map[string]int  // how many usages say with a word what they do
	whole   map[*usage]overall
	values  []written
	stems   map[string][]string // of texts seen before
	steps   []*step
	skipped [][2]int // clauses that say what to do and made no step
	best    float64
	reason  string
	partial bool
	taken   []taken
}

func newComposer(ctx context.Context, request *mapparams.Request, interfaces []*ir.Interface, o Options) (*composer, error) {
	c := &composer{Request: request, ctx: ctx, o: o, w: Shipped(), usages: usagesOf(spokenOf(interfaces, request.Text)), heads: map[string]int{}, stems: map[string][]string{}}
	if o.Weights != nil {
		c.w = *o.Weights
	}
	var err error
	if c.index, err = retrieve.NewIndex(ctx, candidates(c.usages)); err != nil {
		return nil, err
	}
	for _, p := range c.usages {
		for _, stem := range p.heads {
			c.heads[stem]++
		}
	}
	c.values = writtenValues(request)
	return c, nil
}

// stemsOf gives the stems of a text; those of names and descriptions are asked for again and again.
func (c *composer) stemsOf(text string) []string {
	out, ok := c.stems[text]
	if !ok {
		out = retrieve.Stems(text)
		c.stems[text] = out
	}
	return out
}

// taken is a place of the request that gave a value.
type taken struct {
	start, end int
	key        string
	anyway     bool // it names what is done anyway, and is no input
}

// step is one node to be.
type step struct {
	*usage
	clause [2]int // what speaks of it: byte offsets
	given  map[string]binding
	stems  map[string]bool // of all that its interface says, once asked for
}

// binding is what an input gets: the output of an earlier step, or a value of the request, which becomes an input of the
// workflow.
type binding struct {
	from   *step
	output string
	value  any    // of this request; it decides which steps share an input, and stays out of the workflow
	at     [2]int // where the request says the value; empty if it is not said in one place
}
