package main

import (
	"fmt"
	"slices"
	"strings"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/value"
	"pflow/internal/workflow"
)

// failure is what is known of a step that failed, as planner-fix is given it. It comes of the journal: a secret is {"$env": NAME}.
type failure struct {
	Node    string         `json:"node"` // in the workflow
	Step    string         `json:"step"` // with its item and its round
	Type    string         `json:"type"`
	Kind    string         `json:"kind"`
	Message string         `json:"message"`
	Params  map[string]any `json:"params"`
	inputs  map[string]any
	outputs []any // [{id, shape}] of the steps that ended
	details map[string]any
	path    string
	place   map[string]any
	dir     string
}

// value is the failure as a value of the flow.
func (f *failure) value() map[string]any {
	out := map[string]any{"node": f.Node, "step": f.Step, "type": f.Type, "kind": f.Kind, "message": f.Message, "params": orEmpty(f.Params), "inputs": orEmpty(f.inputs),
		"outputs": f.outputs, "dir": f.dir}
	if len(f.details) > 0 {
		out["details"] = f.details
	}
	if f.path != "" {
		out["path"] = f.path
	}
	if f.place != nil {
		out["place"] = f.place
	}
	return out
}

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// failureOf reads off the journal of a run which step failed, and of what.
func (a *app) failureOf(past *journal.Past, p *workflow.Program, dir string) (*failure, error) {
	var failed []engine.Attempted
	var order []string
	ended := map[string]any{}
	watch := engine.Watch{
		Attempted: func(at engine.Attempted) {
			if at.Outcome != nil && at.Outcome.Err != nil {
				failed = append(failed, at)
			}
		},
		Ended: func(t engine.Transition) {
			if !strings.ContainsAny(t.Node, "/:") && t.Action != nil {
				if _, known := ended[t.Node]; !known {
					order = append(order, t.Node)
				}
				ended[t.Node] = p.StepOutputs(t.Node, t.Result)
			}
		},
	}
	res, err := p.Past(&past.History, past.Status, watch)
	if err != nil {
		return nil, err
	}
	if res.Error == nil {
		return nil, fmt.Errorf("its journal does not tell which step failed")
	}
	f := &failure{Step: res.Error.Node, Kind: res.Error.Kind, Message: res.Error.Message, outputs: []any{}, dir: dir}
	for _, of := range slices.Backward(failed) {
		if of.Outcome.Err.Message != res.Error.Message {
			continue
		}
		f.Step = of.Step
		if of.Index != "" {
			f.Step += "[" + of.Index + "]"
		}
		f.Params, f.details, f.path = p.StepParams(of.Step, of.Prep), of.Outcome.Err.Details, of.Outcome.Err.Path
		if at := of.Outcome.Err.Place; at.Line > 0 {
			f.place = map[string]any{"line": at.Line, "column": at.Col}
		}
		break
	}
	outer, _, inside := strings.Cut(f.Step, "/")
	if f.Node = outer; strings.ContainsAny(outer, "#[") { // its item, its round
		f.Node = outer[:strings.IndexAny(outer, "#[")]
	}
	at := p.Workflow.Node(f.Node)
	if at < 0 {
		return nil, fmt.Errorf("%s, which failed, is no step of the workflow", f.Step)
	}
	f.Type = p.Workflow.Nodes[at].Type
	if inside && p.StepType(f.Step) != "" {
		return nil, fmt.Errorf("the step %s, which failed, is one of a workflow that %s calls, and no change of this one mends that: run that one by itself, and mend its run", f.Step, f.Node)
	}
	f.inputs = p.Again(past.History.Events[0].Input).Values
	for _, id := range order {
		f.outputs = append(f.outputs, map[string]any{"id": id, "shape": shapeOf(ended[id], 0)})
	}
	return f, nil
}

// The bounds of a shape: enough to see what there is, and small beside the prompt.
const (
	shapeDepth = 4
	shapeKeys  = 40
)

// shapeOf tells what a value consists of and none of what it says: {total: number, items: [{name: string}]}.
func shapeOf(v any, depth int) string {
	switch v := v.(type) {
	case map[string]any:
		if depth == shapeDepth {
			return "{…}"
		}
		var parts []string
		keys := value.SortedKeys(v)
		for _, k := range keys[:min(len(keys), shapeKeys)] {
			parts = append(parts, k+": "+shapeOf(v[k], depth+1))
		}
		if len(keys) > shapeKeys {
			parts = append(parts, "…")
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		if len(v) == 0 || depth == shapeDepth {
			return "[…]"
		}
		return "[" + shapeOf(v[0], depth+1) + "]"
	}
	return string(value.TypeOf(v))
}
