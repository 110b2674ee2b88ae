package web

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"pflow/internal/outcome"
	"pflow/internal/printable"
	"pflow/internal/runs"
)

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
		if json.Unmarshal(data, &l) != nil || step != "" && !runs.Within(l.Step, step) {
			continue
		}
		lines = append(lines, l)
	}
	if before = len(lines) - most; before > 0 {
		return lines[before:], before, nil
	}
	return lines, 0, nil
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
