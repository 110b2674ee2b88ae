package experiment

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/planner"
	"pflow/internal/value"
	"pflow/ir"
)

// Score is a plan held to what is expected of it.
type Score struct {
	Outcome             string             // what happened; one of Outcomes
	InWords             string             // the plan on one line
	Values              map[Metric]float64 // without those that have no value here
	Nodes, Edges, Param Counts
	Failed              []string // what was not as expected, for people
}

// usage is what a plan took beside what its result says.
type usage struct {
	waitedMS float64 // for rate limits; calls that waited side by side count once
	untimed  bool    // replies come from recordings: how long it took says nothing
}

// score holds a plan to an expectation.
func score(e *Expect, p *planned, s Scoring, u usage) Score {
	out := Score{Outcome: p.outcome(), InWords: p.inWords(), Values: map[Metric]float64{}}
	c := &checker{e: e, p: p, s: s, out: &out}
	r := p.result
	out.Values[Calls] = float64(r.Usage.Calls)
	out.Values[Tokens] = float64(r.Usage.PromptTokens + r.Usage.CompletionTokens)
	if cost := r.Usage.CostUSD; cost != nil {
		out.Values[CostUSD] = *cost
	}
	if !u.untimed {
		out.Values[Latency] = r.DurationMS
		out.Values[NetLatency] = max(0, r.DurationMS-u.waitedMS)
	}
	if r.Attempts > 0 && r.Status != planner.Infeasible {
		out.Values[FirstTry] = truth(r.Attempts == 1 && (r.Status == planner.Ready || r.Status == planner.NeedsInput))
	}
	c.status()
	c.nodes()
	c.edges()
	c.params()
	c.other()
	out.Values[Pass] = truth(len(out.Failed) == 0)
	return out
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

type checker struct {
	e   *Expect
	p   *planned
	s   Scoring
	out *Score
}

func (c *checker) failed(format string, args ...any) {
	c.out.Failed = append(c.out.Failed, fmt.Sprintf(format, args...))
}

func (c *checker) status() {
	r, e := c.p.result, c.e
	if c.p.dead && !slices.Contains(e.Status, r.Status) {
		c.failed(noAnswer+"%s", errorText(r))
		return
	}
	if len(e.Status) > 0 && !slices.Contains(e.Status, r.Status) {
		c.failed("status: want %s, got %s", strings.Join(e.Status, " or "), r.Status)
	}
	if e.Path != "" && r.Path != e.Path {
		c.failed("path: want %s, got %s", e.Path, orNone(r.Path))
	}
	if e.WorkflowName != "" && r.WorkflowName != e.WorkflowName {
		c.failed("workflow_name: want %s, got %s", e.WorkflowName, orNone(r.WorkflowName))
	}
	if e.Workflow != nil {
		reused := ""
		if r.Path == "reuse" {
			reused = text(r.WorkflowName)
		}
		if reused != *e.Workflow {
			c.failed("workflow: want %s, got %s", orNone(*e.Workflow), orNone(reused))
		}
	}
	if e.Abstain && !c.p.abstained() {
		c.failed("abstain: want no plan, got %s", strings.Join(c.p.types, ", "))
	}
	if e.HasAsk {
		c.ask()
	}
	if e.Valid != nil {
		valid := (r.Status == planner.Ready || r.Status == planner.NeedsInput) && !hasErrors(r.Diagnostics)
		if valid != *e.Valid {
			c.failed("valid: want %v, got %v", *e.Valid, valid)
		}
	}
}

func errorText(r *planner.Result) string {
	if e, ok := r.Error.(map[string]any); ok {
		return fmt.Sprintf("%s: %s", text(e["kind"]), text(e["message"]))
	}
	return "status " + r.Status
}

func orNone(v any) string {
	if s, _ := v.(string); s != "" {
		return s
	}
	return "none"
}

func hasErrors(diagnostics []any) bool {
	for _, d := range objects(diagnostics) {
		if s := text(d["severity"]); s == "" || s == string(diag.Error) {
			return true
		}
	}
	return false
}

// ask holds the names that are asked for to those that should be.
func (c *checker) ask() {
	var asked []string
	for _, m := range objects(c.p.result.MissingParams) {
		asked = append(asked, text(m["name"]))
	}
	if c.p.result.Status != planner.NeedsInput {
		c.failed("ask: want needs_input, got %s", c.p.result.Status)
	} else if !matchNames(asked, c.e.Ask).exact() {
		c.failed("ask: want %s, got %s", list(c.e.Ask), list(asked))
	}
}

func (c *checker) nodes() {
	e, got := c.e.Nodes, c.p.usable()
	if e == nil {
		return
	}
	if e.HasExact {
		c.out.Nodes = matchNames(got, e.Exact)
		if len(e.Exact) > 0 {
			c.out.Values[NodeF1] = c.out.Nodes.F1()
		}
		switch {
		case c.p.dead: // said already
		case !c.out.Nodes.exact():
			c.failed("nodes: want %s, got %s", list(e.Exact), list(got))
		case len(e.Exact) == 0 && !c.p.abstained():
			c.failed("nodes: want none, got %s", list(got))
		}
	}
	if c.p.dead {
		return
	}
	if m := matchNames(got, e.All); m.Hits < m.Expected {
		c.failed("nodes: want at least %s, got %s", list(e.All), list(got))
	}
	if len(e.Any) > 0 && !slices.ContainsFunc(e.Any, func(name string) bool { return slices.Contains(got, name) }) {
		c.failed("nodes: want one of %s, got %s", list(e.Any), list(got))
	}
	for _, name := range e.None {
		if slices.Contains(got, name) {
			c.failed("nodes: %s is forbidden", name)
		}
	}
	if !inOrder(got, e.Order) {
		c.failed("nodes: want %s in this order, got %s", list(e.Order), list(got))
	}
}

func (c *checker) edges() {
	e := c.e.Edges
	if e == nil {
		return
	}
	got := c.p.refs
	if c.s.Edges == EdgesDeclared {
		got = c.p.declared
	}
	if len(c.p.usable()) == 0 {
		got = nil
	}
	if e.HasExact {
		c.out.Edges = matchEdges(got, e.Exact)
		if len(e.Exact) > 0 {
			c.out.Values[EdgeF1] = c.out.Edges.F1()
		}
		if !c.p.dead && !c.out.Edges.exact() {
			c.failed("edges: want %s, got %s", edgeList(e.Exact), edgeList(keysOf(got)))
		}
	}
	for _, pair := range e.All {
		if !got[pair] && !c.p.dead {
			c.failed("edges: want %s -> %s", pair.from, pair.to)
		}
	}
	for _, pair := range e.None {
		if got[pair] {
			c.failed("edges: %s -> %s is forbidden", pair.from, pair.to)
		}
	}
}

func (c *checker) params() {
	got, calls := c.p.params, c.p.calls
	if len(c.p.usable()) == 0 {
		got, calls = nil, nil
	}
	if c.e.HasParams {
		mode := c.s.Params
		if c.e.ParamsAtLeast {
			mode = ParamsListed
		}
		m := matchParams(got, c.e.Params, mode)
		c.out.Param = m
		c.out.Values[ParamF1] = m.F1()
		if !c.p.dead && (m.Hits < m.Expected || mode == ParamsAll && m.Hits < m.Planned) {
			c.failed("params: %d of %d as expected, %d planned", m.Hits, m.Expected, m.Planned)
		}
	}
	if c.e.HasCalls {
		c.out.Param = callValues(calls, c.e.Calls)
		c.out.Values[ParamF1] = c.out.Param.F1()
		if !c.p.dead && !matchCalls(calls, c.e.Calls) {
			c.failed("calls: %d of %d values as expected, or an argument that is not accepted", c.out.Param.Hits, c.out.Param.Expected)
		}
	}
}

// other holds what needs the plan as JSON says it, and the bounds.
func (c *checker) other() {
	if c.p.dead {
		return
	}
	for _, m := range Metrics {
		most, bound := c.e.Max[m]
		switch got, measured := c.out.Values[m]; {
		case !bound:
		case m == CostUSD && !measured: // times are not measured where replies are recorded; a price is missing
			c.failed("max %s: want at most %v, got a plan that is unpriced", m, most)
		case got > most:
			c.failed("max %s: want at most %v, got %v", m, most, got)
		}
	}
	if c.e.NoLiteral {
		for _, problem := range literals(c.p.result) {
			c.failed("no_request_literal: %s", problem)
		}
	}
	if len(c.e.Predicates) == 0 && c.e.Schema == nil {
		return
	}
	plain := asPlain(c.p.result)
	for _, p := range c.e.Predicates {
		if ok, why := p.holds(plain); why != "" {
			c.failed("%s: %s", p.Source, why)
		} else if !ok {
			c.failed("%s: does not hold", p.Source)
		}
	}
	if c.e.Schema != nil {
		for _, m := range c.e.Schema.Misfits(plain) {
			c.failed("schema: %s", m)
		}
	}
}

// literals are the values of the request that stand in the workflow as they are.
func literals(r *planner.Result) []string {
	known := map[string]any{}
	for _, m := range []map[string]any{r.Discovered, r.ExecutionParams} {
		for k, v := range m {
			known[k] = v
		}
	}
	if r.WorkflowIR == nil {
		return nil
	}
	var out []string
	_, found := ir.Check(value.AppendJSON(nil, r.WorkflowIR), ir.NewCatalogue(), ir.Options{Discovered: known})
	for _, f := range found {
		if f.Kind == ir.RequestLiteral {
			out = append(out, f.Path+": "+f.Message)
		}
	}
	return out
}

// asPlain is a plan as JSON says it.
func asPlain(r *planner.Result) any {
	data, err := json.Marshal(r)
	if err != nil {
		return map[string]any{}
	}
	v, _ := value.ParseJSON(data)
	return v
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return diag.Names(names, 12)
}

func keysOf(set map[edge]bool) []edge {
	var out []edge
	for e := range set {
		out = append(out, e)
	}
	return out
}

func edgeList(edges []edge) string {
	var names []string
	for _, e := range edges {
		names = append(names, e.from+" -> "+e.to)
	}
	slices.Sort(names)
	return list(names)
}
