package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
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

// runsList is what templates/runs_list.html shows.
type runsList struct {
	Runs     []runRow
	Statuses []string
	Filter   runsFilter
	Filtered bool
	Wrong    string // what is wrong with since; then no runs are shown
	Next     string // the page of older runs, "" if there are none
	First    string // the page of the newest, "" if this is it
}

// runsFilter are the fields of the list's form.
type runsFilter struct{ Status, Kind, Workflow, Since, By, Before string }

func (f runsFilter) params() Params {
	p := Params{}
	for name, v := range map[string]string{"kind": f.Kind, "workflow": f.Workflow, "since": f.Since, "by": f.By} {
		if v != "" {
			p[name] = v
		}
	}
	switch {
	case f.Status == "failing":
		p["failed"] = true
	case f.Status != "":
		p["status"] = []any{f.Status}
	}
	return p
}

// address is that of the list with this filter, behind a run.
func (f runsFilter) address(before string) string {
	q := url.Values{}
	for name, v := range map[string]string{"status": f.Status, "kind": f.Kind, "workflow": f.Workflow, "since": f.Since, "by": f.By, "before": before} {
		if v != "" {
			q.Set(name, v)
		}
	}
	if len(q) == 0 {
		return "/runs"
	}
	return "/runs?" + q.Encode()
}

// wrong says what is wrong with the time of a filter, where that is why its runs cannot be listed.
func (f runsFilter) wrong(err error) string {
	if err == nil || asError(err).Where != "since" {
		return ""
	}
	return asError(err).Message
}

const runsOfPage = listMost

func (s *Server) listRuns(r *http.Request) (view, error) {
	q := r.URL.Query()
	text := func(name string) string { return strings.TrimSpace(q.Get(name)) }
	f := runsFilter{text("status"), text("kind"), text("workflow"), text("since"), text("by"), text("before")}
	out := runsList{Statuses: runStatuses, Filter: f}
	if !slices.Contains(append(runStatuses, "failing", ""), f.Status) {
		return view{}, &Error{Status: http.StatusBadRequest, Message: "there is no such status", Where: "status"}
	}
	p := f.params()
	out.Filtered = len(p) > 0
	p["limit"] = runsOfPage
	if f.Before != "" {
		p["before"], out.First = f.Before, f.address("")
	}
	got, err := s.runs(r.Context(), p)
	if out.Wrong = f.wrong(err); out.Wrong != "" {
		return view{Template: "runs_list", Title: "Runs", Section: "runs", Data: out, Status: http.StatusBadRequest}, nil
	}
	if err != nil {
		return view{}, err
	}
	if out.Runs = got.Runs; got.More && len(got.Runs) > 0 {
		out.Next = f.address(got.Runs[len(got.Runs)-1].ID)
	}
	v := view{Template: "runs_list", Title: "Runs", Section: "runs", Data: out}
	if f.Before == "" {
		stands := standingOf(got.Runs)
		if out.Filtered {
			if stands, err = s.standing(r.Context()); err != nil {
				return view{}, err
			}
		}
		v.Events = "/api/v1/runs/events?seen=" + stands
	}
	return v, nil
}

// gotRuns is what listRuns gives.
type gotRuns struct {
	Runs []runRow `json:"runs"`
	More bool     `json:"more"`
}

func (s *Server) runs(ctx context.Context, p Params) (got gotRuns, err error) {
	err = s.Call(ctx, "listRuns", p, &got)
	return got, err
}

// compareRuns goes to the page that compares the two runs that were chosen in the list.
func (s *Server) compareRuns(w http.ResponseWriter, r *http.Request) {
	chosen := r.URL.Query()["run"]
	if len(chosen) != 2 {
		s.render(w, r, errorView(r, &Error{Status: http.StatusBadRequest, Message: "choose two runs to compare", Do: "go back to the list and mark two"}))
		return
	}
	http.Redirect(w, r, "/runs/"+url.PathEscape(chosen[1])+"/diff/"+url.PathEscape(chosen[0]), http.StatusSeeOther)
}
