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

// start is when every tested run begins: now() and today() are the same each time.
var start = time.Date(2024, 1, 15, 12, 0, 0, 0, time.UTC)

// outcome is what a canned attempt gives.
type outcome struct {
	result any
	action string
	err    *fault.Error
	meters map[string]float64
}

// run drives a flow to its end. canned gives the outcomes of steps by name, one an attempt, the last again for all that
// follow; a step with none runs for real if its op is instant, and is an error of the test otherwise.
func run(ctx context.Context, flow *engine.Flow, input map[string]any, canned map[string][]outcome) (*engine.Result, []engine.Transition, error) {
	var seen []engine.Transition
	used := map[string]int{}
	res, err := Drive(ctx, flow, input, func(r *engine.Run, c *engine.Command, ev *engine.Event) error {
		return answer(ctx, r, c, ev, canned, used)
	}, func(t engine.Transition) { seen = append(seen, t) })
	if err != nil {
		return nil, nil, err
	}
	for _, name := range value.SortedKeys(canned) {
		if used[name] == 0 {
			return nil, nil, fmt.Errorf("results: the step %q never ran; these did: %s", name, strings.Join(ran(res), ", "))
		}
	}
	return res, seen, nil
}

// Drive takes a run of a flow to its end, or until all that is left waits for approval, one attempt after the other: answer
// makes ev the outcome of each. Waits pass at once, and every run begins at the same instant. observe, if not nil, is told of
// every node that ends.
func Drive(ctx context.Context, flow *engine.Flow, input map[string]any, answer func(r *engine.Run, c *engine.Command, ev *engine.Event) error, observe func(engine.Transition)) (*engine.Result, error) {
	r := engine.NewRun(flow, observe)
	queue := []engine.Event{{Kind: engine.EventStart, Time: start, Seed: 1, Input: input}}
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

// answer makes ev the outcome of an attempt.
func answer(ctx context.Context, r *engine.Run, c *engine.Command, ev *engine.Event, canned map[string][]outcome, used map[string]int) error {
	name, _, _ := c.Step()
	if i := c.Index(); i != "" {
		if _, own := canned[name+"["+i+"]"]; own {
			name += "[" + i + "]"
		} else if _, own := canned[name+"."+i]; own {
			name += "." + i
		}
	}
	list := canned[name]
	if len(list) == 0 {
		switch {
		case c.Op().Name == sleepOp:
			*ev = engine.Event{Kind: engine.EventOutcome, ID: c.ID}
		case !c.Op().Instant:
			return fmt.Errorf("the step %q runs the op %s, which reaches outside: give it results", name, c.Op().Name)
		default:
			c.Perform(ctx, r, ev)
		}
		return nil
	}
	o := list[min(used[name], len(list)-1)]
	used[name]++
	*ev = engine.Event{Kind: engine.EventOutcome, ID: c.ID, Result: o.result, Action: o.action, Err: o.err, Meters: o.meters}
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
