package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

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
