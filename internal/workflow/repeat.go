package workflow

import (
	"maps"
	"strings"

	"pflow/engine"
	"pflow/engine/cond"
	"pflow/internal/fault"
	"pflow/ir"
)

// itemKey is where the store of the rounds of a node keeps the item of its batch.
const itemKey = "the item"

// repeat settles the rounds of a node that was compiled. inner is as component gives it, of one round; what is given
// reads the outputs of the whole off the last store of the rounds.
func (c *compiler) repeat(at int, i *ir.Interface, d *engine.DAGNode, inner func(map[string]any) any) func(map[string]any) any {
	n := &c.w.Nodes[at]
	writes := i
	if i.Call != nil {
		writes = nil
	}
	program, problems := ir.CompileUntil(n.Repeat.Until, writes, c.program.Inputs)
	if program == nil {
		c.report(at, NotRunnable, "repeat.until: %s", problems[0].Message)
		return nil
	}
	u := until{c: c.shared, node: n, program: program, whole: writes == nil || writes.OpenOutputs,
		before: strings.Contains(n.Repeat.Until, ir.PreviousRoot)}
	for _, read := range program.Reads() {
		if read.Record == "result" {
			u.reads = append(u.reads, read.Member)
		}
		if from, ok := c.sources.of(read.Member, nil, false); ok && read.Record == "inputs" && from.kind == fromSecret {
			c.report(at, BadSecret, "repeat.until: the secret %q cannot stand in a condition; give it to the node in a param, and compare what the node writes", read.Member)
		}
	}
	d.Repeat = &engine.Repeat{Store: roundStore{item: n.Batch != nil}, Until: u}
	if inner != nil {
		d.Repeat.Result = innerResult(inner)
	}
	return lastRound
}

// lastRound gives the outputs of a node that repeats: those of its last round, and those of each.
func lastRound(store map[string]any) any {
	last, _ := store[engine.PreviousKey].(map[string]any)
	out := maps.Clone(last)
	if out == nil {
		out = map[string]any{}
	}
	out[ir.RepeatResults] = store[engine.RoundsKey]
	return out
}

// roundStore is what the rounds of a node see: the store of the run as it was when they began, and the item.
type roundStore struct{ item bool }

// Eval implements engine.Evaluator.
func (r roundStore) Eval(s *cond.Scope) (any, error) {
	store := maps.Clone(s.Get("store").(map[string]any))
	if r.item {
		store[itemKey] = s.Get("item")
	}
	return store, nil
}

// until is the condition that ends the rounds.
type until struct {
	c       *shared
	node    *ir.Node
	program *cond.Program
	whole   bool     // it may read all that a round wrote
	before  bool     // it may read what the round before wrote
	reads   []string // the outputs that it reads
}

// Test implements engine.Tester.
func (u until) Test(s *cond.Scope) (bool, error) {
	if in := u.c.env.StandIn; in != nil && in.Ends(u.node) {
		return true, nil
	}
	inputs, _ := s.Get("store").(map[string]any)[inputsKey].(map[string]any)
	s.Set("inputs", inputs)
	var previous any
	if ended, _ := s.Get("store").(map[string]any)[engine.RoundsKey].([]any); len(ended) > 1 {
		previous = ended[len(ended)-2]
	}
	s.Set(ir.PreviousRoot, previous)
	var err error
	wrote, _ := s.Get("result").(map[string]any)
	if u.whole {
		err = u.c.gone(wrote)
	}
	if u.before && err == nil {
		err = u.c.gone(previous)
	}
	for _, k := range u.reads {
		if err == nil {
			err = u.c.gone(wrote[k])
		}
	}
	holds := false
	if err == nil {
		holds, err = u.program.Test(s)
	}
	if err != nil {
		e := fault.Of(err)
		return false, &fault.Error{Kind: e.Kind, Message: e.Message, Cause: err, Place: e.Place, Path: "repeat.until"}
	}
	return holds, nil
}

// roundScopes gives what is known of each round of a node that repeats: of the first that there is none before it, of the
// others their number. Rounds that nothing tells apart are looked at once.
func roundScopes(n *ir.Node, step *PlannedStep, reads capture, known ir.Values, most int) []ir.Values {
	index, previous := reads[ir.IndexRoot].kind == fromIndex, reads[ir.PreviousRoot].kind == fromPrevious
	if !index && !previous {
		return []ir.Values{known}
	}
	round := func(n int) ir.Values {
		scope := maps.Clone(known)
		scope[ir.IndexRoot] = n
		return scope
	}
	first := round(0)
	first[ir.PreviousRoot] = ir.Nothing
	out := []ir.Values{first}
	rounds, err := ir.ReadCount(step.Settings["repeat.max"])
	switch {
	case err == nil && rounds == 1:
	case !index || err != nil || rounds > most:
		out = append(out, known)
	default:
		for i := 1; i < rounds; i++ {
			out = append(out, round(i))
		}
	}
	return out
}

// stepNode is the id of the node of the outermost workflow that a step belongs to.
func stepNode(step string) string {
	if at := strings.IndexAny(step, "/[#"); at >= 0 {
		return step[:at]
	}
	return step
}
