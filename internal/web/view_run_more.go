package web

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"pflow/internal/outcome"
	"pflow/internal/printable"
)

// Timeline is what <pflow-timeline> draws.
type Timeline struct {
	Label string        `json:"-"`
	Rows  []timelineRow `json:"rows"`
	NowMS float64       `json:"now_ms,omitempty"`
}

type timelineRow struct {
	Name   string   `json:"name"`
	FromMS float64  `json:"from_ms"`
	ToMS   *float64 `json:"to_ms"` // null while it runs
	State  string   `json:"state"`
	Href   string   `json:"href"`
	Step   string   `json:"step"`
	Note   string   `json:"note,omitempty"`
}

// Took is how long a row took, for the text of the timeline.
func (r timelineRow) Took() string {
	if r.ToMS == nil {
		return ""
	}
	return took(*r.ToMS - r.FromMS)
}

// After is when it began.
func (r timelineRow) After() string { return took(r.FromMS) }

// timelineRows are the steps that began, and what is inside them.
func timelineRows(run *runRow, steps []*runStep) (out []timelineRow) {
	for _, s := range steps {
		if s.StartedAt != nil {
			from := max(0, float64(s.StartedAt.Sub(run.Started).Microseconds())/1000)
			row := timelineRow{Name: s.Name, FromMS: from, State: s.State, Href: s.Href, Step: s.Name, Note: s.Type}
			if s.Status != "open" && s.Status != "waiting" {
				to := from + s.DurationMS
				row.ToMS = &to
			}
			out = append(out, row)
		}
		out = append(out, timelineRows(run, s.Steps)...)
	}
	return out
}

func timelineOf(run *runRow, rows []timelineRow) *Timeline {
	t := &Timeline{Label: "When the steps ran", Rows: rows}
	if run.Running() {
		t.NowMS = float64(time.Since(run.Started).Microseconds()) / 1000
	}
	return t
}

// maxRows bounds the rows of a timeline.
const maxRows = 20_000

func (s *Server) showTimeline(r *http.Request) (view, error) {
	d, err := s.run(r.Context(), r.PathValue("id"), Params{"cut": 1}, "", 0)
	if err != nil {
		return view{}, err
	}
	rows := timelineRows(&d.Run, d.Steps)
	left := max(0, len(rows)-maxRows)
	data := map[string]any{"Top": runTop{&d.Run, "timeline"}, "Timeline": timelineOf(&d.Run, rows[:len(rows)-left]), "Left": left, "Run": &d.Run}
	return view{Template: "run_timeline", Title: "Timeline of " + shortText(d.Run.What(), 50), Section: "runs", Data: data}, nil
}

// logLine is an event of a run.
type logLine struct {
	Event   string    `json:"event"`
	At      time.Time `json:"at"`
	Step    string    `json:"step"`
	Visit   int       `json:"visit"`
	Attempt int       `json:"attempt"`
	Action  string    `json:"action"`
	Waits   string    `json:"waits"`
	Kind    string    `json:"kind"`
	Message string    `json:"message"`
	Kept    string    `json:"kept"`
	Status  string    `json:"status"`
	Decided string    `json:"decided"`
}

// State is what the event says of its step, as pages show it.
func (l *logLine) State() string {
	switch {
	case l.Event == "started", l.Event == "resumed", l.Event == "start":
		return stateRunning
	case l.Waits != "":
		return stateWaiting
	case l.Event == "end":
		return l.Status
	case l.Kind != "":
		return stateFailed
	case l.Kept != "":
		return stateKept
	}
	return stateDone
}

// Text is the event in words.
func (l *logLine) Text() string {
	step := printable.Line(l.Step)
	switch l.Event {
	case "start":
		return "The run begins"
	case "started":
		return step + " begins"
	case "approved":
		return step + " is approved"
	case "timer":
		return "A wait is over"
	case "resumed":
		return "Another process goes on with the run"
	case "end":
		if l.Decided != "" {
			return "The plan is " + l.Decided
		}
		text := "The run ends: " + stateWords(l.Status)
		if l.Message != "" {
			text += ": " + step + ": " + printable.Line(l.Message)
		}
		return text
	}
	switch {
	case l.Waits != "":
		return step + " waits for approval"
	case l.Kind != "":
		return step + " fails: " + printable.Line(l.Message) + " [" + l.Kind + "]"
	case l.Kept != "":
		return step + " is kept from " + l.Kept
	case l.Action != "" && l.Action != "default":
		return step + " is done → " + l.Action
	}
	return step + " is done"
}

// log fetches the events of a run, or of a step and what is inside it: the last most of them, and how many there are before.
func (s *Server) log(ctx context.Context, id, step string, most int) (lines []logLine, before int, err error) {
	res, err := s.carry(ctx, s.endpoint("logOfRun"), Params{"id": id}, nil)
	if err != nil {
		return nil, 0, err
	}
	if res.Exit != outcome.Done {
		return nil, 0, res.failure()
	}
	in := bufio.NewReader(bytes.NewReader(res.Stdout))
	for {
		data, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		var l logLine
		if json.Unmarshal(data, &l) != nil || step != "" && !isWithin(l.Step, step) {
			continue
		}
		lines = append(lines, l)
	}
	if before = len(lines) - most; before > 0 {
		return lines[before:], before, nil
	}
	return lines, 0, nil
}

// isWithin reports whether a step is another, or inside it.
func isWithin(name, step string) bool {
	rest, ok := strings.CutPrefix(name, step)
	return ok && (rest == "" || strings.ContainsRune("/[#.", rune(rest[0])))
}

const linesOfLog = 500

func (s *Server) showLog(r *http.Request) (view, error) {
	d, err := s.run(r.Context(), r.PathValue("id"), Params{"limit": 1, "cut": 1}, "", 0)
	if err != nil {
		return view{}, err
	}
	most := max(linesOfLog, min(numberOr(r.URL.Query().Get("last"), 0), 100_000))
	lines, before, err := s.log(r.Context(), d.Run.ID, "", most)
	if err != nil {
		return view{}, err
	}
	data := map[string]any{"Top": runTop{&d.Run, "log"}, "Run": &d.Run, "Lines": lines, "Before": before, "More": most * 10}
	v := view{Template: "run_log", Title: "Log of " + shortText(d.Run.What(), 50), Section: "runs", Data: data}
	if d.Run.Running() {
		v.Events = d.Run.Events()
	}
	return v, nil
}

// modelCall is what a run sent to a model, and what came back.
type modelCall struct {
	Step     string `json:"step"`
	Prompt   string `json:"prompt"`
	Model    string `json:"model"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	Reply     string  `json:"reply"`
	Error     string  `json:"error"`
	Replayed  bool    `json:"replayed"`
	LatencyNS float64 `json:"latency_ns"`
	Usage     struct {
		Prompt     int     `json:"prompt_tokens"`
		Completion int     `json:"completion_tokens"`
		CostUSD    float64 `json:"cost_usd"`
	} `json:"usage"`
}

// Took is how long the model took.
func (c *modelCall) Took() string { return took(c.LatencyNS / 1e6) }

// calls fetches what a run, or one step of it, sent to models; none where it sent nothing.
func (s *Server) calls(ctx context.Context, id, step string) ([]modelCall, error) {
	var got struct {
		Exchanges []modelCall `json:"exchanges"`
	}
	p := Params{"id": id}
	if step != "" {
		p["step"] = step
	}
	return got.Exchanges, s.Call(ctx, "callsOfRun", p, &got)
}

const callsOfPage = 25

func (s *Server) showCalls(r *http.Request) (view, error) {
	d, err := s.run(r.Context(), r.PathValue("id"), Params{"limit": 1, "cut": 1}, "", 0)
	if err != nil {
		return view{}, err
	}
	all, err := s.calls(r.Context(), d.Run.ID, "")
	if err != nil {
		return view{}, err
	}
	skip := min(numberOr(r.URL.Query().Get("skip"), 0), len(all))
	part := all[skip:min(len(all), skip+callsOfPage)]
	page := d.Run.Page() + "/calls"
	earlier, later := pagesAround(page, "", skip, len(part), len(all))
	data := map[string]any{"Top": runTop{&d.Run, "calls"}, "Run": &d.Run, "Calls": part, "Total": len(all), "From": skip + 1, "To": skip + len(part), "Earlier": earlier, "Later": later}
	return view{Template: "run_calls", Title: "Model calls of " + shortText(d.Run.What(), 50), Section: "runs", Data: data}, nil
}
