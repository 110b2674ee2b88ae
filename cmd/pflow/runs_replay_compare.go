package main

import (
	"fmt"
	"strings"

	"pflow/internal/flowdiff"
	"pflow/internal/llm"
	"pflow/internal/planner"
	"pflow/internal/value"
	"pflow/ir"
)

// runReplay is `runs replay --json`.
type runReplay struct {
	Schema  string   `json:"schema"`
	DryRun  bool     `json:"dry_run"`
	Request string   `json:"request"`
	Newer   []string `json:"newer"` // workflows that were saved since, and were not offered

	Before replaySide `json:"before"`
	After  replaySide `json:"after"`

	Calls    []replayedCall `json:"calls"`
	Recorded int            `json:"recorded"` // calls that were answered as before
	Asked    int            `json:"asked"`    // calls that a model was asked; of a dry run 0
	Failed   int            `json:"failed"`   // calls that were asked, or were to be, and got no answer
	ToAsk    int            `json:"to_ask"`   // calls that are to be asked, as far as that can be foreseen
	Foreseen bool           `json:"foreseen"` // that is all of them, if the model says what it said before
	Asking   []string       `json:"asking"`   // the prompts of those
	Spent    planner.Usage  `json:"spent"`    // on what was asked

	FlowChanges []flowdiff.Change `json:"flow_changes"`
	PlanChanges []flowdiff.Change `json:"plan_changes"`
	PartsAt     string            `json:"parts_at"`
	Differences []runDifference   `json:"differences"`
}

// replaySide is one of the two plans.
type replaySide struct {
	RunID string          `json:"run_id"` // "" of one that is not kept
	Flow  comparedFlow    `json:"flow"`
	Route []replayedEdge  `json:"route"`
	Plan  *planner.Result `json:"plan"`
}

// replayedEdge is a step of the planner that ran, and how it went on.
type replayedEdge struct {
	Step    string `json:"step"`
	Action  string `json:"action"`
	Because string `json:"because"`
	Differs bool   `json:"differs"` // from the other plan
}

// How a call was answered.
const (
	answeredRecorded = "recorded"
	answeredAsked    = "asked"
	answeredToAsk    = "to_ask" // of a dry run
	answeredFailed   = "failed"
	answeredNever    = "dropped" // the run asked it, and the replay does not
)

// replayedCall is a call of a model.
type replayedCall struct {
	Step        string    `json:"step"` // of the replay; of a call that was dropped, of the run
	Prompt      string    `json:"prompt"`
	Model       string    `json:"model"`
	Answered    string    `json:"answered"`
	SentDiff    string    `json:"sent_diff"` // how what is sent differs from what the run sent; "" where it does not
	ReplyBefore *string   `json:"reply_before"`
	ReplyAfter  *string   `json:"reply_after"` // null where it was not asked
	Error       string    `json:"error"`
	Usage       llm.Usage `json:"usage"`
}

// compare holds the run against what was made again.
func (p *planAgain) compare(before *shownRun, foreseen, made *plannedAgain, dry bool) *runReplay {
	out := &runReplay{Schema: "pflow.run-replay/v1", DryRun: dry, Request: p.r.Text, Newer: append([]string{}, p.newer...), Asking: []string{}}
	was := before.Plan
	if was == nil { // it did not come to an end
		was = planner.Refuse(p.before, fmt.Errorf("the run is %s", p.row.Status))
		was.RunID = p.row.ID
	}
	out.Before = replaySide{p.row.ID, comparedFlow{p.before.Name, p.before.File, p.before.Hash}, routeOf(before), was}
	out.After = replaySide{made.run.Run.ID, comparedFlow{p.flow.Name, p.flow.File, p.flow.Hash}, routeOf(made.run), made.plan}
	if dry {
		out.After.RunID, out.After.Plan.RunID = "", ""
	}
	markRoutes(out.Before.Route, out.After.Route)
	for _, x := range foreseen.said {
		if x.Carried {
			out.ToAsk++
			out.Asking = append(out.Asking, x.Prompt)
		}
	}
	if out.Foreseen = len(foreseen.not) == 0; !out.Foreseen {
		out.ToAsk++
		out.Asking = append(out.Asking, foreseen.not[0].Prompt)
	}
	out.Calls = pairCalls(p.said, made, dry)
	for _, c := range out.Calls {
		switch c.Answered {
		case answeredRecorded:
			out.Recorded++
		case answeredAsked:
			out.Asked++
		case answeredFailed:
			out.Failed++
		}
	}
	out.Spent = spent(made.said, dry)
	out.FlowChanges, out.PlanChanges = flowdiff.Compare(p.before, p.flow), planChanges(was, made.plan)
	out.Differences = runDiff(before, made.run)
	out.PartsAt = partsAt(out.Differences)
	return out
}

// spent is what the calls cost that were asked.
func spent(said []keptExchange, dry bool) planner.Usage {
	total := llm.Usage{Priced: true}
	for _, x := range said {
		if !x.Replayed && !dry {
			total.Add(x.Usage)
		}
	}
	out := planner.Usage{Calls: total.Calls, PromptTokens: total.PromptTokens, CompletionTokens: total.CompletionTokens}
	if total.Priced {
		out.CostUSD = &total.CostUSD
	}
	return out
}

// routeOf lists the steps of the planner itself that ran.
func routeOf(s *shownRun) []replayedEdge {
	out := []replayedEdge{}
	for _, step := range s.Steps {
		if ran(step) {
			out = append(out, replayedEdge{Step: step.Name, Action: action(step), Because: step.Because})
		}
	}
	return out
}

// markRoutes marks the edges that only one of two routes took.
func markRoutes(a, b []replayedEdge) {
	mark := func(of, other []replayedEdge) {
		took := map[string]string{}
		for _, e := range other {
			took[e.Step] = e.Action
		}
		for i := range of {
			act, ran := took[of[i].Step]
			of[i].Differs = !ran || act != of[i].Action
		}
	}
	mark(a, b)
	mark(b, a)
}

// pairCalls holds the calls of a replay against those of the run: the same one, else the next one of the same prompt.
func pairCalls(before []keptExchange, made *plannedAgain, dry bool) []replayedCall {
	out := []replayedCall{}
	taken := make([]bool, len(before))
	take := func(fits func(x *keptExchange) bool) *keptExchange {
		for i := range before {
			if !taken[i] && fits(&before[i]) {
				taken[i] = true
				return &before[i]
			}
		}
		return nil
	}
	not := made.not
	if dry {
		not = not[:min(len(not), 1)]
	}
	after := append(made.said[:len(made.said):len(made.said)], not...)
	same := make([]*keptExchange, len(after))
	for i, x := range after { // those that are the same first: what is left over is what changed
		if x.Replayed && !x.Carried {
			same[i] = take(func(was *keptExchange) bool { return was.Key == x.Key && was.Error == "" })
		}
	}
	for i := range after {
		x, was := &after[i], same[i]
		if was == nil {
			was = take(func(was *keptExchange) bool {
				return was.Prompt == x.Prompt && was.Question == x.Question && x.Question != ""
			})
		}
		if was == nil {
			was = take(func(was *keptExchange) bool { return was.Prompt == x.Prompt && was.Step == x.Step })
		}
		if was == nil {
			was = take(func(was *keptExchange) bool { return was.Prompt == x.Prompt })
		}
		c := replayedCall{Step: x.Step, Prompt: x.Prompt, Model: x.Model, Answered: answeredAsked, Error: x.Error, Usage: x.Usage}
		switch {
		case x.Replayed && !x.Carried:
			c.Answered = answeredRecorded
		case !dry && x.Error != "":
			c.Answered = answeredFailed
		case dry:
			c.Answered, c.Usage, c.Error = answeredToAsk, llm.Usage{}, ""
		}
		if c.Answered != answeredToAsk && x.Error == "" {
			c.ReplyAfter = &x.Reply
		}
		if was != nil {
			c.ReplyBefore, c.SentDiff = &was.Reply, sentDiff(was, x)
		}
		out = append(out, c)
	}
	for i := range before {
		if x := &before[i]; !taken[i] {
			out = append(out, replayedCall{Step: x.Step, Prompt: x.Prompt, Model: x.Model, Answered: answeredNever, ReplyBefore: &x.Reply, Error: x.Error, Usage: x.Usage})
		}
	}
	return out
}

// sentDiff is how what was sent differs, as a unified diff.
func sentDiff(was, is *keptExchange) string {
	text := func(x *keptExchange) string {
		var b strings.Builder
		for _, m := range x.Messages {
			fmt.Fprintf(&b, "--- %s\n%s\n", m.Role, strings.TrimRight(m.Content, "\n"))
		}
		return b.String()
	}
	out := flowdiff.Lines(text(was), text(is))
	if out == "" && was.Model != is.Model {
		return fmt.Sprintf("-model %s\n+model %s\n", was.Model, is.Model)
	}
	return out
}

// planChanges is how two plans differ in what they would do. A plan without a workflow is as an empty one.
func planChanges(before, after *planner.Result) []flowdiff.Change {
	workflow := func(p *planner.Result) *ir.Workflow {
		if p.WorkflowIR != nil {
			if w, found := ir.Decode([]byte(value.JSON(p.WorkflowIR))); !found.HasErrors() {
				return w
			}
		}
		return &ir.Workflow{}
	}
	changes, err := flowdiff.Workflows(workflow(before), workflow(after))
	if err != nil {
		return []flowdiff.Change{}
	}
	return changes
}
