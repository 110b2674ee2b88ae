package engine

import (
	"strconv"
	"time"

	"pflow/internal/fault"
)

// Repeat runs a node of a dag again until a condition holds. The node becomes an inner flow of one node, which is visited
// once a round; its steps are named ID#ROUND, from 1. Attempts, Wait and Timeout of the node's settings are those of each
// round, Rounds and Pause say how many there are at most and how long the run waits between two. A node that reaches the
// end of its rounds fails with the kind exhausted.
type Repeat struct {
	// Store gives the first store of the rounds, an object, which Prep and Until see with RoundKey, PreviousKey and
	// RoundsKey in it. It is evaluated once, before the first round; in a batch once per item.
	Store Evaluator
	// Result is what a round writes; it sees prep and result. nil: the result as it is.
	Result Evaluator
	// Until is asked after each round. It sees the store, result (what the round wrote) and index (the round, from 0).
	Until Tester
}

// Keys of the store of rounds. The last store, which the node's own Result sees as result, has these alone.
const (
	RoundKey    = "the round"        // from 0
	PreviousKey = "the last round"   // what the last round that ended wrote; null in the first
	RoundsKey   = "the ended rounds" // what each round wrote, in order
	storeOfPrep = "store"            // in the prep of a node that repeats
	againAction = "again"            // of the step of a round that another one follows
)

// rounds makes the inner flow of a node that repeats.
func (d *DAGNode) rounds() *Flow {
	round := *d
	round.Repeat, round.Batch, round.Late, round.Result = nil, nil, nil, d.Repeat.Result
	n := round.compile()
	n.until = d.Repeat.Until
	return &Flow{Name: d.ID, params: map[string]any{}, ends: []string{DefaultAction}, nodes: []node{n}, loop: true}
}

// outer is the node around the frame of rounds, with the settings that it was given.
func (f *frame) outer() *node { return f.parent.nr.node }

// pause is how long the run waits before a unit's first attempt.
func (u *unit) pause() time.Duration {
	if u.nr.node.until == nil || u.nr.visit == 1 {
		return 0
	}
	return u.nr.f.outer().settings.Pause
}

// endRound takes what a round gave into the store of the rounds. The condition says whether another one follows.
func (r *Run) endRound(nr *nodeRun) {
	f, n := nr.f, nr.node
	result, action := nr.result()
	if action == "" {
		action = DefaultAction
	}
	r.enter(f)
	r.scope.Set("prep", nr.prep)
	r.scope.Set("result", result)
	wrote, err := n.post[0].Expr.Eval(r.scope)
	if err != nil {
		r.nodeFailed(nr, newFailure(fault.Of(err)))
		return
	}
	ended, _ := f.store[RoundsKey].([]any)
	f.store[RoundsKey], f.store[PreviousKey] = append(ended, wrote), wrote
	r.scope.Set("result", wrote)
	r.scope.Set("index", int(nr.visit)-1)
	holds, err := n.until.Test(r.scope)
	if err != nil {
		r.nodeFailed(nr, newFailure(fault.Of(err)))
		return
	}
	f.store[RoundKey] = int(nr.visit)
	switch most := f.outer().settings.Rounds; {
	case holds:
		f.action = action
		f.store = map[string]any{RoundKey: f.store[RoundKey], PreviousKey: wrote, RoundsKey: f.store[RoundsKey]}
	case int(nr.visit) < most:
		action = againAction
		r.enqueue(f, nr.index)
	default:
		f.fail(newFailure(&fault.Error{Kind: fault.Exhausted, Path: "repeat.max", Message: "the condition of until did not hold after " + rounds(most) +
			"; raise max, or lead an edge with the action \"error\" from this node"}))
	}
	r.recordStep(nr, r.actions.of(action), "")
	r.retire(nr)
	r.settleFrame(f)
}

func rounds(n int) string {
	if n == 1 {
		return "1 round"
	}
	return strconv.Itoa(n) + " rounds"
}
