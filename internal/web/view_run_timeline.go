package web

import (
	"net/http"
	"time"
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
