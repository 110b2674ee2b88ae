package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pflow/engine/journal"
	"pflow/internal/planner"
	"pflow/internal/runs"
	"pflow/internal/value"
	"pflow/ir"
)

// runWhySchema names the shape of `pflow runs why --json`.
const runWhySchema = "pflow.run-why/v1"

// whyShown is why a run went as it did, and, of the run of a planner or of a plan file, why the plan is what it is. What the
// journal does not know is left out.
type whyShown struct {
	Schema   string    `json:"schema"`
	Run      *runs.Row `json:"run"`       // null of a plan file whose run is not in this home
	PlanRun  string    `json:"plan_run"`  // the run of the plan that a run came of, "" if of none
	PlanFile string    `json:"plan_file"` // "" if the plan was not read from a file
	Plan     *whyPlan  `json:"plan"`      // null of the run of a workflow
	Edges    []whyEdge `json:"edges"`     // in the order in which the steps ended

	result *planner.Result
	ranks  []whyRanked
}

// whyPlan is what chose what a plan consists of.
type whyPlan struct {
	Status     string         `json:"status"`
	Path       any            `json:"path"`
	Workflow   any            `json:"workflow"`
	Request    string         `json:"request"`
	Coverage   map[string]any `json:"coverage"`
	Components []whyComponent `json:"components"`
	Values     []whyValue     `json:"values"`
	Near       []any          `json:"near"`      // saved workflows: [{name, confidence, reason}], best first
	Ranked     []whyRanked    `json:"ranked"`    // what spoke for the best by words, in each step that ranks; none of a plan file whose run is not in this home
	Browsed    []string       `json:"browsed"`   // components and workflows that were looked at and are not in the plan
	Reasoning  string         `json:"reasoning"` // why these were looked at, in the words of who chose them
	Model      bool           `json:"model"`     // a model was asked
}

// whyRanked is what spoke for a component or a saved workflow.
type whyRanked struct {
	Step       string      `json:"step"`
	Name       string      `json:"name"`
	Confidence float64     `json:"confidence"`
	Terms      []whyTerm   `json:"terms"`   // the words of the request that it shares, what told most first
	Example    *whyExample `json:"example"` // the approved request that is most alike; null if none is
}

type whyTerm struct {
	Word   string  `json:"word"`
	Weight float64 `json:"weight"` // the share of the request's words that it is worth
}

type whyExample struct {
	Request string  `json:"request"`
	Alike   float64 `json:"alike"` // from 0 to 1
}

// ranked takes from steps that rank what spoke for the best of them.
func (w *whyShown) ranked(steps []*runs.Step) {
	for _, s := range steps {
		w.ranked(s.Steps)
		result, _ := s.Outputs.(map[string]any)
		if result["evidence"] == nil {
			continue
		}
		var list []whyRanked
		if value.Decode([]byte(value.JSON(result["evidence"])), &list) != nil {
			continue // of an op that means something else by it
		}
		for _, r := range list {
			r.Step = s.Name
			w.ranks = append(w.ranks, r)
		}
	}
}

// whyComponent is a node of a plan. Words are those of the request that it stands for.
type whyComponent struct {
	Node  string   `json:"node"`
	Type  string   `json:"type"`
	Words []string `json:"words"`
}

// whyValue is an input of a plan.
type whyValue struct {
	Input string   `json:"input"`
	Value any      `json:"value"` // null where it is missing
	From  string   `json:"from"`  // words, given, default, stdin, missing; model, of a value that is not written in its words, or has none; composed; "" where the journal does not tell
	Words []string `json:"words"`
}

// whyEdge is the end of a step: the action that it ended with, and what chose it.
type whyEdge struct {
	Step    string         `json:"step"`
	Action  string         `json:"action"`            // "" of a step that did not run
	Because string         `json:"because,omitempty"` // the condition that held
	Not     []string       `json:"not,omitempty"`     // those before it that did not
	Saw     map[string]any `json:"saw,omitempty"`     // what they read, thresholds among it
	Why     string         `json:"why,omitempty"`     // of one that did not run
}

func (a *app) runsWhyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "why RUN|PLAN",
		Short: "Say why a plan is what it is, or why a run took its edges",
		Long: `Say why. Of a plan, by the id of its run or as a file of pflow plan -o: which words of the request chose each component and each
value, what else was near, and the conditions, with the thresholds that they read, that decided. Of a run of a workflow: why each
edge was taken, and why steps were skipped. All of it is read from the journal; what that does not tell is not said.`,
		Example:           "  pflow runs why last\n  pflow runs why plan.json\n  pflow runs why 1a2b3c4d --json",
		Args:              one("a run, last, or a plan file"),
		ValidArgsFunction: a.completeRunsOrFiles,
		RunE: func(_ *cobra.Command, args []string) error {
			w, err := a.why(args[0])
			switch {
			case err != nil:
				return err
			case a.asJSON:
				return a.printJSON(w)
			}
			return a.printWhy(w)
		},
	}
}

// completeRunsOrFiles completes ids of runs, and files where none begins so.
func (a *app) completeRunsOrFiles(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	out, directive := a.completeRuns()(c, args, begun)
	if len(out) == 0 {
		directive = cobra.ShellCompDirectiveDefault
	}
	return out, directive
}

// why tells of a run, or of a plan file.
func (a *app) why(given string) (*whyShown, error) {
	if ir.IsFile(given) {
		return a.whyFile(given)
	}
	row, err := a.findRun(given)
	if err != nil {
		return nil, err
	}
	out := &whyShown{Schema: runWhySchema, Run: &row, Edges: []whyEdge{}}
	s, err := a.showRun(row)
	if err != nil {
		return nil, err
	}
	out.edges(s.Steps)
	out.ranked(s.Steps)
	if row.Parent != "" {
		if parent, err := a.history().Find(row.Parent); err == nil && parent.Kind == journal.OfPlan {
			out.PlanRun = parent.ID
		}
	}
	if s.Plan != nil {
		request := row.Request // a long one is cut there, and whole in the journal
		if _, past, _, err := a.readRun(row.ID); err == nil && len(past.History.Events) > 0 {
			if text, ok := past.History.Events[0].Input["user_input"].(string); ok {
				request = text
			}
		}
		out.of(request, s.Plan)
	}
	return out, nil
}

// whyFile tells of a plan file; of its run, too, where that is in this home.
func (a *app) whyFile(name string) (*whyShown, error) {
	data, err := readRegular(name)
	if err != nil {
		return nil, usage("%v", err)
	}
	p, err := planner.ReadFile(data)
	if err != nil {
		return nil, usage("%s: %v", name, err)
	}
	out := &whyShown{Schema: runWhySchema, PlanFile: name, Edges: []whyEdge{}}
	if a.homeDir() != "" && p.RunID != "" {
		if row, err := a.history().Find(p.RunID); err == nil && row.ID == p.RunID {
			if s, err := a.showRun(row); err == nil {
				out.Run = &row
				out.edges(s.Steps)
				out.ranked(s.Steps)
			}
		}
	}
	out.of(p.Request, &p.Result)
	return out, nil
}

// edges takes from steps, and from what is inside them, why each ended as it did.
func (w *whyShown) edges(steps []*runs.Step) {
	for _, s := range steps {
		w.edges(s.Steps) // what is inside a step ended before it
		if !ran(s) {
			w.Edges = append(w.Edges, whyEdge{Step: s.Name, Why: s.Why})
		} else if s.Action != nil {
			w.Edges = append(w.Edges, whyEdge{Step: s.Name, Action: *s.Action, Because: s.Because, Not: s.Not, Saw: s.Saw})
		} else if s.Because != "" || len(s.Not) > 0 {
			w.Edges = append(w.Edges, whyEdge{Step: s.Name, Because: s.Because, Not: s.Not, Saw: s.Saw})
		}
	}
}

// of takes from a plan what chose its components and values.
func (w *whyShown) of(request string, p *planner.Result) {
	w.result = p
	out := &whyPlan{
		Status: p.Status, Path: p.Path, Workflow: p.WorkflowName, Request: request, Coverage: p.Coverage, Near: p.Candidates, Ranked: append([]whyRanked{}, w.ranks...),
		Components: []whyComponent{}, Values: []whyValue{}, Browsed: []string{}, Model: p.Usage.Calls > 0,
	}
	w.Plan = out
	words := wordsBy(p.Coverage)
	taken := map[string]bool{}
	flow := &ir.Workflow{}
	if p.WorkflowIR != nil {
		if got, found := ir.Decode([]byte(value.JSON(p.WorkflowIR))); !found.HasErrors() {
			flow = got
		}
	}
	for _, n := range flow.Nodes {
		taken[n.Type] = true
		out.Components = append(out.Components, whyComponent{n.ID, n.Type, orNone(words["node:"+n.ID])})
	}
	out.Values = whyValues(flow, p, words)
	if name, ok := p.WorkflowName.(string); ok {
		taken[name] = true
	}
	for _, key := range []string{"node_ids", "workflow_names"} {
		list, _ := p.Browsed[key].([]any)
		for _, v := range list {
			if name, ok := v.(string); ok && !taken[name] {
				out.Browsed = append(out.Browsed, name)
			}
		}
	}
	out.Reasoning, _ = p.Browsed["reasoning"].(string)
}

// whyValues says of each input of a plan where its value comes from. words are those of the request by what stands for them.
func whyValues(flow *ir.Workflow, p *planner.Result, words map[string][]string) []whyValue {
	out := []whyValue{}
	missing := map[string]bool{}
	for _, m := range p.MissingParams {
		if m, ok := m.(map[string]any); ok {
			name, _ := m["name"].(string)
			missing[name] = true
		}
	}
	for _, in := range flow.Inputs {
		v := whyValue{Input: in.Name, Words: orNone(words["input:"+in.Name])}
		given, has := p.ExecutionParams[in.Name]
		switch v.Value = given; {
		case p.Given[in.Name]:
			v.From, v.Words = "given", []string{}
		case len(v.Words) > 0 && has && p.Usage.Calls > 0 && !standsIn(given, v.Words):
			v.From = "model" // which words stand for it the model said, too
		case len(v.Words) > 0:
			v.From = "words"
		case missing[in.Name]:
			v.From = "missing"
		case has && in.FromStdin:
			v.From = "stdin"
		case in.HasDefault && (!has || value.Equal(given, in.Default)):
			v.Value, v.From = in.Default, "default"
		case has && p.Usage.Calls > 0:
			v.From = "model"
		case has:
			v.From = "composed"
		}
		if in.Secret {
			v.Value = nil
		}
		out = append(out, v)
	}
	return out
}

// standsIn reports whether a value is in words as it is, whatever is in capitals; of a list each item.
func standsIn(v any, words []string) bool {
	if list, ok := v.([]any); ok {
		return !slices.ContainsFunc(list, func(item any) bool { return !standsIn(item, words) })
	}
	text, ok := v.(string)
	if !ok {
		text = value.JSON(v)
	}
	return strings.Contains(strings.ToLower(strings.Join(words, " ")), strings.ToLower(text))
}

// from says it in words; "" where it is not known.
func (v *whyValue) from() string {
	switch v.From {
	case "words":
		return ofWords(v.Words)
	case "given":
		return ": given in the place of what was planned"
	case "default":
		return ": its default"
	case "stdin":
		return ": the piped text"
	case "missing":
		return ": nothing says it"
	case "model":
		if len(v.Words) > 0 {
			return ": a model made it" + strings.Replace(ofWords(v.Words), ":", " of", 1)
		}
		return ": a model took it from the request"
	case "composed":
		return ": composed, no words of the request stand for it alone"
	}
	return ""
}

// wordsBy are the words of a request by what stands for them.
func wordsBy(coverage map[string]any) map[string][]string {
	out := map[string][]string{}
	parts, _ := coverage["parts"].([]any)
	for _, v := range parts {
		m, _ := v.(map[string]any)
		by, _ := m["by"].(string)
		if text, _ := m["text"].(string); strings.TrimSpace(text) != "" {
			out[by] = append(out[by], text)
		}
	}
	return out
}

func orNone(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
