package web

import (
	"net/http"
	"strings"
)

// stepStats is how long a step took over many runs.
type stepStats struct {
	Step     string  `json:"step"`
	Type     string  `json:"type"`
	Inside   bool    `json:"inside"`
	N        int     `json:"n"`
	P50      float64 `json:"p50_ms"`
	P95      float64 `json:"p95_ms"`
	P99      float64 `json:"p99_ms"`
	Max      float64 `json:"max_ms"`
	Failures int     `json:"failures"`
	Retries  int     `json:"retries"`
	Share    float64 `json:"share"`
	Targets  []struct {
		Percent  int     `json:"percent"`
		WithinMS float64 `json:"within_ms"`
		SeenMS   float64 `json:"seen_ms"`
		Met      bool    `json:"met"`
	} `json:"targets"`
}

// Percent is the share in percent.
func (s stepStats) Percent() int { return int(s.Share*100 + 0.5) }

func (s *Server) runStats(r *http.Request) (view, error) {
	q := r.URL.Query()
	f := runsFilter{Kind: q.Get("kind"), Workflow: strings.TrimSpace(q.Get("workflow")), Since: strings.TrimSpace(q.Get("since"))}
	var got struct {
		Runs   int  `json:"runs"`
		More   bool `json:"more"`
		Unread int  `json:"unread"`
		Of     []struct {
			Kind  string      `json:"kind"`
			Name  string      `json:"name"`
			Runs  int         `json:"runs"`
			Whole stepStats   `json:"whole"`
			Steps []stepStats `json:"steps"`
		} `json:"of"`
	}
	p := f.params()
	p["limit"] = 200
	err := s.Call(r.Context(), "statsOfRuns", p, &got)
	v := view{Template: "run_stats", Title: "How long steps take", Section: "runs"}
	wrong := f.wrong(err)
	if wrong != "" {
		v.Status = http.StatusBadRequest
	} else if err != nil {
		return view{}, err
	}
	v.Data = map[string]any{"Stats": got, "Filter": f, "Inside": q.Get("inside") == "true", "Wrong": wrong}
	return v, nil
}
