package experiment

import (
	"pflow/engine/cond"
	"pflow/internal/planner"
	"pflow/internal/prompt"
	"pflow/internal/value"
)

// Expect is what a case expects of its plan. What is not given is free.
//
//	{"status": "ready"}                               or a list of statuses
//	{"path": "reuse"}                                 or generate
//	{"workflow": "fix-issue"}                         this saved workflow is reused; null: none is
//	{"workflow_name": "copy-file"}                    the name of the plan, generated or found
//	{"nodes": ["read-file", "llm"]}                   exactly these types, in any order; [] is {"abstain": true}
//	{"nodes": {"exact", "all", "any", "none", "order"}}  each a list of types
//	{"edges": [["read-file", "llm"]]}                 exactly these pairs of types; or {"exact", "all", "none"}
//	{"params": [["llm", "prompt", "Sum up"]]}         [type, key, value], key "*" is any; or {node, key, value} or {node, key, type}
//	{"params": {"all": […]}}                          at least these: others of the nodes are free, as with scoring: {params: listed}
//	{"calls": [{"node": "f", "args": {"x": [1, 2]}}]} every accepted value of every argument; "" among them: may be left out
//	{"ask": ["repo"]}                                 should ask: needs_input with exactly these names
//	{"abstain": true}                                 should abstain: nothing fits
//	{"valid": true}                                   ready or needs_input, without an error among the diagnostics
//	{"no_request_literal": true}                      no value of the request stands in the workflow as it is
//	{"max": {"calls", "tokens", "cost_usd", "latency_ms"}}
//	{"expr": "result.attempts == 1"}, {"cel": …}      over the plan as JSON says it, under the name result
//	{"schema": {…}}                                   a JSON Schema of the plan
type Expect struct {
	Status        []string
	Path          string
	Workflow      *string // "" for null: none is reused
	WorkflowName  string
	Nodes         *NodeExpect
	Edges         *EdgeExpect
	Params        []ParamExpect
	HasParams     bool
	ParamsAtLeast bool // others are free
	Calls         []CallExpect
	HasCalls      bool
	Ask           []string
	HasAsk        bool
	Abstain       bool
	Valid         *bool
	NoLiteral     bool
	Max           map[Metric]float64
	Predicates    []Predicate
	Schema        *prompt.Schema
}

// NodeExpect is what is expected of the types of nodes. Exact counts only with HasExact.
type NodeExpect struct {
	Exact                 []string
	HasExact              bool
	All, Any, None, Order []string
}

// EdgeExpect is what is expected of the pairs of types.
type EdgeExpect struct {
	Exact     []edge
	HasExact  bool
	All, None []edge
}

// ParamExpect is one param of a node of a type.
type ParamExpect struct {
	Node, Key string // Key "*" is any key
	Value     any
	Type      value.Type // if not "", the type of the value, which is then free
}

// CallExpect is one node with every accepted value of every argument.
type CallExpect struct {
	Node string
	Args map[string][]any
}

// Predicate is a condition over a plan.
type Predicate struct {
	Source  string
	program *cond.Program
}

// The outcomes of a plan, and what a case can expect.
const (
	OutcomePlan    = "plan"    // a workflow was generated, with all its params
	OutcomeReuse   = "reuse"   // a saved workflow was found, with all its params
	OutcomeAsk     = "ask"     // a param is missing
	OutcomeAbstain = "abstain" // nothing fits
	OutcomeInvalid = "invalid" // the workflow that was generated has errors
	OutcomeFail    = "fail"    // the flow broke
)

// Outcomes lists them in the order of reports.
var Outcomes = []string{OutcomePlan, OutcomeReuse, OutcomeAsk, OutcomeAbstain, OutcomeInvalid, OutcomeFail}

// Outcome is what the case expects to happen; "" if it does not say.
func (e *Expect) Outcome() string {
	one := func(status string) bool { return len(e.Status) == 1 && e.Status[0] == status }
	switch {
	case e.Abstain, e.Nodes != nil && e.Nodes.HasExact && len(e.Nodes.Exact) == 0, one(planner.Infeasible):
		return OutcomeAbstain
	case e.HasAsk, one(planner.NeedsInput):
		return OutcomeAsk
	case e.Workflow != nil && *e.Workflow != "", e.Path == "reuse":
		return OutcomeReuse
	case e.Nodes != nil, e.Path == "generate", e.HasCalls, one(planner.Ready):
		return OutcomePlan
	}
	return ""
}

// outcome is what happened.
func (p *planned) outcome() string {
	switch {
	case p.dead:
		return OutcomeFail
	case p.abstained():
		return OutcomeAbstain
	case p.result.Status == planner.NeedsInput:
		return OutcomeAsk
	case p.result.Status == planner.Invalid:
		return OutcomeInvalid
	case p.result.Path == "reuse":
		return OutcomeReuse
	}
	return OutcomePlan
}
