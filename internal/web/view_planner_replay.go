package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"pflow/internal/flowdiff"
)

// replayChoice is what a replay can be of.
type replayChoice struct {
	Runs     []runRow // plans, the last first
	Planners []flowRow
	Run      string // that is chosen
	Flow     string
	Form     string // the id of the form that they are fields of
}

// replayed is how many plans a replay is chosen from.
const replayed = 20

func (s *Server) replayChoice(r *http.Request, flows *flowList) (replayChoice, error) {
	got, err := s.runs(r.Context(), Params{"kind": "plan", "limit": replayed})
	if err != nil {
		return replayChoice{}, err
	}
	out := replayChoice{Planners: flows.Planners(), Run: r.FormValue("run"), Flow: r.FormValue("flow")}
	for _, run := range got.Runs {
		if run.Status != stateRunning && (run.By != "replay" || run.ID == out.Run) {
			out.Runs = append(out.Runs, run)
		}
	}
	if out.Run == "" && len(out.Runs) > 0 {
		out.Run = out.Runs[0].ID
	}
	return out, nil
}

func (s *Server) chooseReplay(r *http.Request) (view, error) {
	flows, err := s.flows(r)
	if err != nil {
		return view{}, err
	}
	c, err := s.replayChoice(r, flows)
	if err != nil {
		return view{}, err
	}
	c.Form = "replay"
	return view{Template: "planner_choose", Title: "Replay", Section: "planner", Data: c}, nil
}

// beginReplay begins a replay, of a text that is not saved if the form has one.
func (s *Server) beginReplay(r *http.Request) (string, error) {
	given := Params{"id": r.PostFormValue("run"), "dry_run": r.PostFormValue("dry") != ""}
	if flow := r.PostFormValue("flow"); flow != "" {
		given["flow"] = flow
	}
	if place := r.PostFormValue("place"); place != "" {
		given["place"], given["text"] = place, textOf(r, "text")
	}
	j, err := s.Begin("replayRun", given)
	if err != nil {
		return "", err
	}
	return "/planner/jobs/" + url.PathEscape(j.ID), nil
}

// replayResult is what `runs replay` says.
type replayResult struct {
	DryRun        bool `json:"dry_run"`
	Request       string
	Newer         []string
	Before, After replaySide
	Calls         []replayCall
	Recorded      int
	Asked         int
	Failed        int
	ToAsk         int `json:"to_ask"`
	Foreseen      bool
	Asking        []string
	Spent         planUsage
	FlowChanges   []change `json:"flow_changes"`
	PlanChanges   []change `json:"plan_changes"`
	PartsAt       string   `json:"parts_at"`
	Differences   []struct {
		Step, What string
		A, B       any
	}
}

type replaySide struct {
	RunID string `json:"run_id"`
	Flow  struct{ Flow, File, Hash string }
	Route []struct {
		Step, Action, Because string
		Differs               bool
	}
	Plan struct {
		Status       string
		Path         any
		WorkflowName any `json:"workflow_name"`
		Metadata     struct {
			Description string
			Keywords    []string
		} `json:"workflow_metadata"`
		Params   map[string]any `json:"execution_params"`
		Missing  []any          `json:"missing_params"`
		Coverage struct {
			Parts []struct{ Text, By string }
			Open  []struct{ Text, Why string }
		}
		Diagnostics []any
		Attempts    int
		Usage       planUsage
		Error       *struct{ Kind, Message, Hint string }
	}
}

type planUsage struct {
	Calls            int
	PromptTokens     int      `json:"prompt_tokens"`
	CompletionTokens int      `json:"completion_tokens"`
	CostUSD          *float64 `json:"cost_usd"`
}

// Tokens are those that were sent and those that came back.
func (u planUsage) Tokens() int { return u.PromptTokens + u.CompletionTokens }

// Cost is what it cost, as people say it.
func (u planUsage) Cost() string {
	if u.CostUSD == nil {
		return "not known"
	}
	return money(*u.CostUSD)
}

type replayCall struct {
	Step, Prompt, Model, Answered, Error string
	SentDiff                             string  `json:"sent_diff"`
	ReplyBefore                          *string `json:"reply_before"`
	ReplyAfter                           *string `json:"reply_after"`
	Usage                                planUsage
}

// Says is how a call was answered, in words.
func (c replayCall) Says() string {
	return map[string]string{"recorded": "as recorded", "asked": "asked", "to_ask": "would be asked", "failed": "no answer", "dropped": "asked no more"}[c.Answered]
}

// State is that of the badge.
func (c replayCall) State() string {
	return map[string]string{"recorded": stateKept, "asked": stateDone, "to_ask": stateWaiting, "failed": stateFailed, "dropped": stateSkipped}[c.Answered]
}

// Sent is how what was sent differs.
func (c replayCall) Sent() []diffLine { return linesOfDiff(c.SentDiff) }

// Replies is how the reply differs, by lines of its indented form.
func (c replayCall) Replies() []diffLine {
	if c.ReplyBefore == nil || c.ReplyAfter == nil {
		return nil
	}
	return linesOfDiff(flowdiff.Lines(readable(*c.ReplyBefore), readable(*c.ReplyAfter)))
}

// Reply is what stands there where nothing differs: that of the replay, or of the run.
func (c replayCall) Reply() string {
	switch {
	case c.ReplyAfter != nil:
		return readable(*c.ReplyAfter)
	case c.ReplyBefore != nil:
		return readable(*c.ReplyBefore)
	}
	return ""
}

// readable has JSON on lines of its own.
func readable(reply string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(strings.TrimSpace(reply)), "", "  ") != nil {
		return reply + "\n"
	}
	return b.String() + "\n"
}

// plannerJob is a page of a job.
type plannerJob struct {
	Job      *Job
	Given    Params
	Messages []string
	Failed   string
	Replay   *replayResult
	Tests    *testResult
	Again    *replayAgain
}

// replayAgain is what a form sends to ask what would be asked.
type replayAgain struct{ Run, Flow, Place, Text string }

func (s *Server) showPlannerJob(r *http.Request) (view, error) {
	j, err := s.job(r)
	if err != nil {
		return view{}, err
	}
	d := &plannerJob{Job: j, Given: j.given}
	v := view{Template: "planner_job", Title: "Replay", Section: "planner", Data: d}
	if j.Endpoint == "testFlow" {
		v.Title = "Tests"
	}
	res := j.Result()
	if res == nil {
		v.Events = j.Events()
		return v, nil
	}
	d.Messages = res.Messages
	if len(bytes.TrimSpace(res.Stdout)) == 0 {
		d.Failed = res.failure().Error()
		return v, nil
	}
	switch j.Endpoint {
	case "replayRun":
		d.Replay = &replayResult{}
		err = json.Unmarshal(res.Stdout, d.Replay)
		text := func(name string) string { t, _ := j.given[name].(string); return t }
		if d.Replay.DryRun {
			d.Again = &replayAgain{text("id"), text("flow"), text("place"), text("text")}
		}
	case "testFlow":
		d.Tests = &testResult{}
		err = json.Unmarshal(res.Stdout, d.Tests)
	default:
		return view{}, &Error{Status: http.StatusNotFound, Message: "this job is of another part of the page"}
	}
	if err != nil {
		return view{}, &Error{Status: http.StatusInternalServerError, Message: "the answer cannot be read: " + err.Error()}
	}
	return v, nil
}
