package web

import (
	"net/url"
	"strings"
	"time"
)

func (s *Server) runRoutes() {
	s.page("GET /runs", s.listRuns)
	s.page("GET /runs/stats", s.runStats)
	s.page("GET /runs/{id}", s.showRun)
	s.page("GET /runs/{id}/steps/{step}", s.showStep)
	s.page("GET /runs/{id}/timeline", s.showTimeline)
	s.page("GET /runs/{id}/log", s.showLog)
	s.page("GET /runs/{id}/calls", s.showCalls)
	s.page("GET /runs/{id}/diff/{other}", s.diffRuns)
	s.page("GET /runs/{id}/fix", s.showFix)
	s.mux.HandleFunc("GET /runs/compare", s.compareRuns)
	s.runForms()
	s.stream("GET /api/v1/runs/events", s.listEvents)
}

// runRow is a run as `pflow runs list --json` tells of it.
type runRow struct {
	ID         string    `json:"id"`
	Status     string    `json:"status"`
	Kind       string    `json:"kind"`
	Name       string    `json:"name"`
	Request    string    `json:"request"`
	By         string    `json:"by"`
	Parent     string    `json:"parent"`
	Started    time.Time `json:"started"`
	DurationMS float64   `json:"duration_ms"`
	Steps      int       `json:"steps"`
	CostUSD    float64   `json:"cost_usd"`
	Tokens     int       `json:"tokens"`
	Error      *runError `json:"error"`
	Decided    string    `json:"decided"`
	Resumable  bool      `json:"resumable"`
	Bytes      int64     `json:"bytes"`
	Came       *cameOf   `json:"came"` // of a plan in a list: the last run that came of it
}

// cameOf is the last run that came of a plan.
type cameOf struct {
	Run    string `json:"run"`
	Status string `json:"status"`
}

// Page is the page of the run.
func (c *cameOf) Page() string { return "/runs/" + url.PathEscape(c.Run) }

// Words say what became of it.
func (c *cameOf) Words() string {
	switch c.Status {
	case "running":
		return "its run goes on"
	case "waiting":
		return "its run waits"
	case "limit":
		return "its run hit a limit"
	case "failed":
		return "its run failed"
	}
	return "its run: " + stateWords(c.Status)
}

// runError is why a run, or an attempt, failed.
type runError struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Node    string `json:"node"`
}

// What is what ran: of a plan its request.
func (r *runRow) What() string {
	switch {
	case r.Kind == "plan" && r.Request != "":
		return r.Request
	case r.Name != "":
		return r.Name
	}
	return r.ID
}

// Href is the page of a run; that of a plan is another.
func (r *runRow) Href() string {
	if r.Kind == "plan" {
		return "/plans/" + url.PathEscape(r.ID)
	}
	return r.Page()
}

// Page is the page with the steps of a run.
func (r *runRow) Page() string { return "/runs/" + url.PathEscape(r.ID) }

// Events is the address of the stream that tells of the run while it goes on.
func (r *runRow) Events() string { return "/api/v1/runs/" + url.PathEscape(r.ID) + "/events" }

// Running reports whether a process works on it.
func (r *runRow) Running() bool { return r.Status == "running" }

// Took is how long it took; of one that was interrupted nobody knows.
func (r *runRow) Took() string {
	if r.Status == "interrupted" {
		return ""
	}
	return took(r.DurationMS)
}

// Starter is who began it, and the page of that, if it has one.
func (r *runRow) Starter() string {
	switch kind, name, _ := strings.Cut(r.By, ":"); kind {
	case "schedule":
		return "/schedules/" + url.PathEscape(name)
	case "run":
		return "/runs/" + url.PathEscape(name)
	}
	return ""
}
