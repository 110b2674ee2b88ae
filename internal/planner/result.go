package planner

import (
	"maps"
	"strings"
	"time"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/planshape"
	"pflow/internal/value"
)

// Schema names the shape of Result as JSON.
const Schema = planshape.Schema

// The statuses of a plan.
const (
	Ready      = planshape.Ready
	NeedsInput = planshape.NeedsInput
	Infeasible = planshape.Infeasible
	Invalid    = planshape.Invalid
	Failed     = planshape.Failed
	Cancelled  = planshape.Cancelled
)

// NoModelAnswered is the kind of error of a plan that failed before any model had replied.
const NoModelAnswered = planshape.NoModelAnswered

// Result is a plan. Lists are never null.
type Result struct {
	Schema          string         `json:"schema"`
	Status          string         `json:"status"`
	Path            any            `json:"path"`          // reuse, generate or null
	WorkflowName    any            `json:"workflow_name"` // null where there is none
	WorkflowIR      any            `json:"workflow_ir"`   // null where there is none
	Metadata        map[string]any `json:"workflow_metadata"`
	ExecutionParams map[string]any `json:"execution_params"`
	MissingParams   []any          `json:"missing_params"` // [{name, type, description}]; a secret has from_env, too
	Candidates      []any          `json:"candidates"`     // [{name, confidence, reason}], best first
	Browsed         map[string]any `json:"browsed_components"`
	Discovered      map[string]any `json:"discovered_params"`
	Coverage        map[string]any `json:"coverage"` // {parts: [{text, start, end, by}], open: [{text, start, end, why}]}
	Trigger         any            `json:"trigger"`  // when it runs by itself; null where nothing was said of it
	Diagnostics     []any          `json:"diagnostics"`
	Attempts        int            `json:"attempts"`
	ExecutionPath   []string       `json:"execution_path"`
	Usage           Usage          `json:"usage"`
	Flow            FlowID         `json:"flow"`
	DurationMS      float64        `json:"duration_ms"`
	RunID           string         `json:"run_id"`
	Error           any            `json:"error"` // {kind, message, hint, node, cause} or null
	Could           *Could         `json:"could,omitempty"`

	Given map[string]bool `json:"-"` // inputs whose values somebody gave in the place of what was planned
	Steps []engine.Step   `json:"-"` // of the run, in the order of the flow, whatever ended first
}

// Could is what might do what a plan leaves open; nil if it leaves nothing open. It is what is near and what is there on this
// machine, and nothing of the plan itself.
type Could struct {
	Components []CouldComponent `json:"components"` // the nearest of those that there are, best first
	Programs   []CouldProgram   `json:"programs"`   // on the PATH, best first
}

// CouldComponent is a component that is near.
type CouldComponent struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// CouldProgram is a program that a node can be made of.
type CouldProgram struct {
	Program string `json:"program"`
	Does    string `json:"does"`    // what it is good for, in words
	Declare string `json:"declare"` // the command that makes a node of it
}

// Usage is what a plan cost.
type Usage struct {
	Calls            int      `json:"calls"`
	PromptTokens     int      `json:"prompt_tokens"`
	CompletionTokens int      `json:"completion_tokens"`
	CostUSD          *float64 `json:"cost_usd"` // null where models were called and their price is not known
}

// FlowID names the flow that planned.
type FlowID struct {
	Name string `json:"name"`
	Hash string `json:"hash"`
}

// empty is the plan of a flow that has done nothing yet.
func empty(flow *engine.Flow) *Result {
	r := &Result{
		Schema: Schema, Status: Failed, ExecutionParams: map[string]any{}, MissingParams: []any{}, Candidates: []any{},
		Metadata: map[string]any{"suggested_name": "", "description": "", "inputs": []any{}, "outputs": []any{}, "keywords": []any{}},
		Browsed:  map[string]any{"node_ids": []any{}, "workflow_names": []any{}, "reasoning": ""}, Discovered: map[string]any{},
		Coverage:    map[string]any{"parts": []any{}, "open": []any{}},
		Diagnostics: []any{}, ExecutionPath: []string{}, Usage: Usage{CostUSD: new(float64)},
	}
	if flow != nil {
		r.Flow = FlowID{flow.Name, flow.Hash}
	}
	return r
}

// Refuse is the plan of a request that never came to a flow.
func Refuse(flow *engine.Flow, err error) *Result {
	r := empty(flow)
	r.fail(fault.Of(err), "", "")
	return r
}

func (r *Result) fail(err *fault.Error, node, hint string) {
	r.Status = Failed
	if err.Kind == fault.Cancelled {
		r.Status = Cancelled
	}
	r.Error = map[string]any{"kind": string(err.Kind), "message": err.Message, "hint": hint, "node": node, "cause": nil}
}

// read takes the plan from the run of a flow: what the flow says is the plan, also of a run that broke.
func (r *Result) read(run *engine.Result) {
	drafts := 0
	for _, s := range run.Steps {
		if !strings.ContainsAny(s.Node, "/.[") { // the planner's own nodes, not those of flows inside them
			r.ExecutionPath = append(r.ExecutionPath, s.Node)
			if s.Node == generation {
				drafts++
			}
		}
	}
	r.RunID, r.Steps = run.RunID, run.Steps
	r.Usage = Usage{
		Calls: int(run.Usage["calls"]), PromptTokens: int(run.Usage["prompt_tokens"]),
		CompletionTokens: int(run.Usage["completion_tokens"]),
	}
	// A call without a price leaves no meter of its cost, and 0 would be a lie.
	if cost, paid := run.Usage["cost_usd"]; paid || r.Usage.Calls == 0 {
		r.Usage.CostUSD = &cost
	}
	said, whole := run.Store["planner_output"].(map[string]any)
	if run.Error != nil || !whole {
		said = shaped(run, drafts)
	}
	if status, ok := said["status"].(string); ok {
		r.Status = status
	}
	r.Path, r.WorkflowIR = said["path"], said["workflow_ir"]
	r.WorkflowName = said["workflow_name"]
	take(&r.Metadata, said["workflow_metadata"])
	take(&r.ExecutionParams, said["execution_params"])
	take(&r.MissingParams, said["missing_params"])
	take(&r.Candidates, said["candidates"])
	take(&r.Browsed, said["browsed_components"])
	take(&r.Discovered, said["discovered_params"])
	take(&r.Coverage, said["coverage"])
	take(&r.Diagnostics, said["diagnostics"])
	take(&r.Attempts, said["attempts"])
	r.Error, r.Trigger = said["error"], said["trigger"]
	switch e := run.Error; {
	case e != nil && r.Status != Failed: // no node stands for it
		r.fail(fault.New(fault.Kind(e.Kind), "%s", e.Message), e.Node, "")
	case e != nil && fault.Kind(e.Kind) == fault.Cancelled:
		r.Status = Cancelled
	case e == nil && !whole:
		r.fail(fault.New(fault.MissingKey, "the flow ended without a planner_output"), "", "a planner flow leaves its result in the state key planner_output")
	}
}

// generation is the node of planners that makes a draft.
const generation = "workflow-generation"

// shaped is the plan of a run that broke, as its last store has it.
func shaped(run *engine.Result, drafts int) map[string]any {
	facts := map[string]any{}
	maps.Copy(facts, run.Store)
	facts["attempts"] = drafts
	if e := run.Error; e != nil {
		facts["failed_at"] = e.Node
		facts["errors"] = []any{map[string]any{"node": e.Node, "kind": e.Kind, "message": e.Message, "attempt": e.Attempts}}
	}
	return planshape.Of(facts, time.Now().Format(time.RFC3339))
}

// take sets what the flow gave in the form it must have; what it gave in another form, or not at all, stays as it is.
func take[T any](into *T, v any) {
	if got, ok := v.(T); ok && !isNil(v) {
		*into = got
	}
}

func isNil(v any) bool {
	return value.TypeOf(v) == value.Any
}
