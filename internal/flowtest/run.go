// Package flowtest runs the tests that lie beside a flow as NAME_test.yaml: given a first store and canned results for
// nodes, they expect a path, actions and a store. It is a driver of its own over the engine's Step: ops that reach
// outside never run, waits pass at once.
package flowtest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/value"
)

// Began is when every tested run begins: now() and today() are the same each time.
var Began = time.Date(2024, 1, 15, 12, 0, 0, 0, time.UTC)

// outcome is what a canned attempt gives.
type outcome struct {
	result any
	action string
	err    *fault.Error
	meters map[string]float64
}

// A Driver takes a run of a flow to its end, by the answers where these stand in. prep is what the last node that ended was given.
type Driver func(flow *engine.Flow, input map[string]any, by *Answers) (res *engine.Result, prep map[string]any, err error)

// Here is the driver of this package.
func Here(ctx context.Context) Driver {
	return func(flow *engine.Flow, input map[string]any, by *Answers) (*engine.Result, map[string]any, error) {
		var prep map[string]any
		res, err := Drive(ctx, flow, input, func(r *engine.Run, c *engine.Command, ev *engine.Event) error {
			name, _, _ := c.Step()
			stands, err := by.Answer(name, c.Index(), c.Op(), ev)
			if ev.ID = c.ID; err == nil && !stands {
				c.Perform(ctx, r, ev)
			}
			return err
		}, func(t engine.Transition) { prep = t.Prep })
		return res, prep, err
	}
}

// Drive takes a run of a flow to its end, or until all that is left waits for approval, one attempt after the other: answer
// makes ev the outcome of each. Waits pass at once, and every run begins at the same instant. observe, if not nil, is told of
// every node that ends.
func Drive(ctx context.Context, flow *engine.Flow, input map[string]any, answer func(r *engine.Run, c *engine.Command, ev *engine.Event) error, observe func(engine.Transition)) (*engine.Result, error) {
	r := engine.NewRun(flow, observe)
	queue := []engine.Event{{Kind: engine.EventStart, Time: Began, Seed: 1, Input: input}}
	var now time.Duration
	var waits []engine.Command
	for !r.Done() && (len(queue) > 0 || !r.Waiting()) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(queue) == 0 {
			next := earliest(waits)
			if next < 0 {
				return nil, fmt.Errorf("the run stopped with nothing under way")
			}
			now = max(now, waits[next].For)
			queue = append(queue, engine.Event{Kind: engine.EventTimer, ID: waits[next].ID})
			waits = append(waits[:next], waits[next+1:]...)
		}
		ev := queue[0]
		queue = queue[1:]
		ev.At = now
		cmds, err := r.Step(&ev)
		if err != nil {
			return nil, err
		}
		for _, c := range cmds {
			switch c.Kind {
			case engine.CommandWait:
				c.For += now // from here on the instant at which it is over
				waits = append(waits, c)
			case engine.CommandStop:
				waits, queue = stopped(c.ID, waits, queue)
			case engine.CommandExec:
				var ev engine.Event
				if err := answer(r, &c, &ev); err != nil {
					return nil, err
				}
				queue = append(queue, ev)
			}
		}
	}
	return r.Result(), nil
}

// ran lists the nodes that ran, each once.
func ran(res *engine.Result) []string {
	names := map[string]bool{}
	for _, s := range res.Steps {
		names[s.Node] = true
	}
	return value.SortedKeys(names)
}

// sleepOp is the op that only waits, which a test has no time for.
const sleepOp = "sleep"

// Answers are what stands in for the attempts of one run: the outcomes of steps by name, one an attempt, the last again for all that
// follow.
type Answers struct {
	canned map[string][]outcome
	used   map[string]int
}

// Answer makes ev the outcome of an attempt. It is false for one that is to run for real: a step with no outcomes of an op that is
// instant. It is an error for any other op.
func (a *Answers) Answer(name, index string, op *engine.Op, ev *engine.Event) (bool, error) {
	if index != "" {
		if _, own := a.canned[name+"["+index+"]"]; own {
			name += "[" + index + "]"
		} else if _, own := a.canned[name+"."+index]; own {
			name += "." + index
		}
	}
	list := a.canned[name]
	if len(list) == 0 {
		switch {
		case op.Name == sleepOp:
			*ev = engine.Event{Kind: engine.EventOutcome}
			return true, nil
		case !op.Instant:
			return false, fmt.Errorf("the step %q runs the op %s, which reaches outside: give it results", name, op.Name)
		}
		return false, nil
	}
	o := list[min(a.used[name], len(list)-1)]
	a.used[name]++
	*ev = engine.Event{Kind: engine.EventOutcome, Result: o.result, Action: o.action, Err: o.err, Meters: o.meters}
	return true, nil
}

// left is an error if outcomes were for a step that never ran.
func (a *Answers) left(res *engine.Result) error {
	for _, name := range value.SortedKeys(a.canned) {
		if a.used[name] == 0 {
			return fmt.Errorf("results: the step %q never ran; these did: %s", name, strings.Join(ran(res), ", "))
		}
	}
	return nil
}

// stopped takes a wait away, or turns the answer of an attempt into its being stopped.
func stopped(id int, waits []engine.Command, queue []engine.Event) ([]engine.Command, []engine.Event) {
	for i, w := range waits {
		if w.ID == id {
			return append(waits[:i], waits[i+1:]...), queue
		}
	}
	for i := range queue {
		if queue[i].ID == id {
			queue[i] = engine.Event{Kind: engine.EventOutcome, ID: id, Err: fault.New(fault.Cancelled, "stopped")}
		}
	}
	return waits, queue
}

func earliest(waits []engine.Command) int {
	next := -1
	for i := range waits {
		if next < 0 || waits[i].For < waits[next].For {
			next = i
		}
	}
	return next
}
