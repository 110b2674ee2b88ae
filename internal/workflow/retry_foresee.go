package workflow

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"pflow/engine"
)

// Ahead is what a run that runs another again keeps and what it runs, as far as that is known before.
type Ahead struct {
	Kept []string // nodes of the workflow that are kept whole, in the order of the document
	Runs []string // those that run again, and all that may follow them
	Asks string   // the first of these that finished and may repeat an effect, so that the run stops before it; "" if none does

	runs  map[string]bool
	steps map[string]bool // steps that are kept within those that run: false of one that is not
}

// Foresee tells what is kept of the earlier run by one that begins with a store that Bind made, on a day. It decides nothing for
// the run itself: a step that turns out to run after all is asked about then.
func (r *Retry) Foresee(ctx context.Context, store map[string]any, day time.Time) (*Ahead, error) {
	c := *r
	c.Again, c.kept, c.ran, c.past = true, nil, maps.Clone(r.ran), nil
	for _, e := range r.past { // Keep forgets what it gave
		own := *e
		own.finished = maps.Clone(e.finished)
		c.past = append(c.past, &own)
	}
	a := &Ahead{runs: map[string]bool{}, steps: map[string]bool{}}
	kept := map[string]bool{}
	err := engine.Foresee(ctx, r.now.flow, store, day, func(at engine.Attempted) *engine.Event {
		if isGate(at) {
			return &engine.Event{Result: map[string]any{"approved": true}}
		}
		ev, _ := c.Keep(at)
		if ev == nil {
			a.runs[stepNode(at.Step)], a.steps[at.Name()] = true, false
		} else if was, seen := a.steps[at.Name()]; was || !seen {
			a.steps[at.Name()], kept[stepNode(at.Step)] = true, true
		}
		return ev
	}, nil)
	if err != nil {
		return nil, err
	}
	w := r.now.Workflow
	open := slices.Sorted(maps.Keys(a.runs))
	for ; len(open) > 0; open = open[1:] {
		for _, e := range w.Edges {
			if e.From == open[0] && !a.runs[e.To] {
				a.runs[e.To], open = true, append(open, e.To)
			}
		}
	}
	for i := range w.Nodes {
		switch id := w.Nodes[i].ID; {
		case a.runs[id]:
			if a.Runs = append(a.Runs, id); a.Asks == "" && r.asks(id) {
				a.Asks = id
			}
		case kept[id]:
			a.Kept = append(a.Kept, id)
		}
	}
	return a, nil
}

// asks reports whether a node that runs again is one that needs leave for it.
func (r *Retry) asks(id string) bool {
	if r.Again {
		return false
	}
	for _, e := range r.past {
		for _, at := range e.finished {
			if stepNode(at.Step) == id && !at.Idempotent && !r.wanted(at.Step) {
				return true
			}
		}
	}
	return false
}

// Of is a dry run without the steps that do not run.
func (a *Ahead) Of(d *DryRun) *DryRun {
	out := *d
	out.Steps = slices.DeleteFunc(slices.Clone(d.Steps), func(s PlannedStep) bool {
		node, _, _ := strings.Cut(s.Node, "/")
		return !a.runs[node] || a.steps[s.Node]
	})
	return &out
}
