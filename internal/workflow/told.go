package workflow

import (
	"fmt"
	"strings"

	"pflow/engine"
	"pflow/ir"
)

// toldStep is what is known of how a node was compiled, for whoever tells of a run.
type toldStep struct {
	params *params
	inner  *Program // of a node that runs a workflow
}

// find gives the program and the node behind a step: those of fetch of get[3]/fetch#2. The node is nil for a step of a flow that a
// declared node runs.
func (p *Program) find(step string) (*Program, *ir.Node) {
	names := strings.Split(strings.ReplaceAll(declaredName(step), GateSuffix, ""), "/")
	for _, name := range names[:len(names)-1] {
		if p = p.steps[name].inner; p == nil {
			return nil, nil
		}
	}
	at := p.Workflow.Node(names[len(names)-1])
	if at < 0 {
		return p, nil
	}
	return p, &p.Workflow.Nodes[at]
}

// StepType is the component of a step, "" where it is none of a workflow.
func (p *Program) StepType(step string) string {
	if strings.HasSuffix(declaredName(step), GateSuffix) {
		return "approval"
	}
	if _, n := p.find(step); n != nil {
		return n.Type
	}
	return ""
}

// StepParams gives the params that a step got, of its prep, as far as they can be told: a secret is {"$env": NAME}, and one that
// could not be resolved stands as it is written.
func (p *Program) StepParams(step string, prep map[string]any) map[string]any {
	of, n := p.find(step)
	if n == nil {
		return nil
	}
	if strings.HasSuffix(declaredName(step), GateSuffix) {
		return gated(prep)
	}
	if items, ok := prep["items"]; ok && n.Batch != nil && len(prep) == 1 {
		return map[string]any{batchItems: items}
	}
	if inputs, ok := prep[inputsKey].(map[string]any); ok { // of a workflow that was called
		return inputs
	}
	params := of.steps[n.ID].params
	values, ok := prep[valuesKey].(map[string]any)
	if params == nil || !ok {
		return nil
	}
	scope := params.reads.told(values)
	out := map[string]any{}
	for i := range params.list {
		q := &params.list[i]
		if v, err := q.value.Resolve(scope); err == nil {
			out[q.key] = v
		} else {
			out[q.key] = q.raw
		}
	}
	return out
}

// StepOutputs gives what a step wrote, of its result.
func (p *Program) StepOutputs(step string, result any) any {
	of, n := p.find(step)
	if n == nil {
		return result
	}
	inner := of.steps[n.ID].inner
	told := func(v any) any {
		got, ok := v.(map[string]any)
		if _, failed := got[ir.ErrorKey]; ok && len(got) == 1 && failed {
			return v
		}
		if own, wrapped := got[itemOutputs]; wrapped && len(got) == 1 {
			return own
		}
		if last, rounds := got[engine.PreviousKey]; rounds {
			return last
		}
		if ok && inner != nil {
			return inner.outputs.values(got, nil)
		}
		return v
	}
	if list, ok := result.([]any); ok && n.Batch != nil {
		out := make([]any, len(list))
		for i := range list {
			out[i] = told(list[i])
		}
		return out
	}
	return told(result)
}

// Unran is a node that did not run. Skipped tells that no edge that leads there was taken; the others were not reached.
type Unran struct {
	Node    string // as steps name it
	Type    string
	Skipped bool
	Why     string
}

// Unran lists the nodes of a workflow that did not run, by the actions that its steps ended with: "" of one that failed. prefix is
// what the names of its steps begin with, "" for the outermost workflow.
func (p *Program) Unran(prefix string, actions map[string]string) (out []Unran) {
	if prefix != "" {
		if p, _ = p.find(prefix + "x"); p == nil {
			return nil
		}
	}
	why := map[string]string{} // of nodes that are skipped
	var skipped func(id string) bool
	seen := map[string]bool{}
	skipped = func(id string) bool {
		if seen[id] {
			return why[id] != ""
		}
		seen[id] = true
		if _, ran := actions[id]; ran {
			return false
		}
		var because []string
		for _, e := range p.Workflow.Edges {
			if e.To != id {
				continue
			}
			took, ran := actions[e.From]
			switch {
			case ran && took == e.Action || ran && took == "":
				return false
			case ran:
				because = append(because, fmt.Sprintf("%s ended with %s, and only %s leads here", e.From, took, e.Action))
			case skipped(e.From):
				because = append(because, e.From+" was skipped")
			default:
				return false
			}
		}
		why[id] = strings.Join(because, "; ")
		return len(because) > 0
	}
	for i := range p.Workflow.Nodes {
		n := &p.Workflow.Nodes[i]
		if _, ran := actions[n.ID]; ran {
			continue
		}
		u := Unran{Node: prefix + n.ID, Type: n.Type, Skipped: skipped(n.ID)}
		if u.Why = why[n.ID]; u.Why == "" {
			u.Why = "the run did not come so far"
		}
		out = append(out, u)
	}
	return out
}
