package web

import (
	"errors"
	"net/http"
	"net/url"

	"pflow/internal/outcome"
)

// foreseeSchedule gives what would be approved, or why it cannot be, and what the command came to.
func (s *Server) foreseeSchedule(r *http.Request, call string, p Params, into *scheduleRow) (res *Result, why *Error, err error) {
	res, err = s.carry(r.Context(), s.endpoint(call), p, nil)
	switch {
	case errors.As(err, &why):
		return nil, why, nil
	case err != nil:
		return nil, nil, err
	case res.Exit != outcome.Done:
		return res, res.failure(), nil
	}
	return res, nil, res.decode(into)
}

// disagreed says why what is to be approved is not what was agreed to; "" if it is.
func disagreed(r *http.Request, shown *scheduleRow) string {
	switch {
	case r.PostFormValue("words") != shown.Words || r.PostFormValue("ran") != shown.Workflow || r.PostFormValue("version") != asText(shown.Version), r.PostFormValue("digest") != shown.Approved.Digest:
		return "It is not what was shown any more: look at it again."
	case shown.Destroys != "" && r.PostFormValue("destroys") != shown.Destroys:
		return "It destroys what is there. See what, and agree to it."
	}
	return ""
}

// approvedBy is the approval of what was shown.
func approvedBy(shown *scheduleRow) []any {
	out := []any{"schedule"}
	if shown.Destroys != "" {
		out = append(out, "destructive")
	}
	return out
}

// scheduleApproval is what is to be approved of a schedule that is paused or waits.
type scheduleApproval struct {
	*scheduleRow
	Preview *scheduleRow
	Diff    *workflowDiff // how its workflow changed since it was approved
	Error   string
}

// OnlyDestroys reports whether all there is to agree to is what it would destroy.
func (a *scheduleApproval) OnlyDestroys() bool {
	return a.Waiting == "" && a.Preview != nil && a.Preview.Destroys != "" && !a.Approved.Destructive
}

func (s *Server) scheduleApproval(r *http.Request) (*scheduleApproval, error) {
	one, err := s.schedule(r)
	if err != nil {
		return nil, err
	}
	a := &scheduleApproval{scheduleRow: one, Preview: &scheduleRow{}}
	_, why, err := s.foreseeSchedule(r, "resumeSchedule", Params{"name": one.Name, "dry_run": true}, a.Preview)
	if err != nil {
		return nil, err
	}
	if why != nil {
		a.Error, a.Preview = why.Error(), nil
		return a, nil
	}
	if a.Preview.Version != one.Version {
		a.Diff = &workflowDiff{}
		if err := s.Call(r.Context(), "diffWorkflows", Params{"name": one.Workflow, "from": one.Workflow + "@" + asText(one.Version)}, a.Diff); err != nil {
			a.Diff = nil // the version is not kept any more
		}
	}
	return a, nil
}

func (a *scheduleApproval) view(status int) *view {
	return &view{Template: "schedule_approve", Title: a.Name + ": approve", Section: "library", Data: a, Status: status}
}

func (s *Server) approveSchedule(r *http.Request) (view, error) {
	a, err := s.scheduleApproval(r)
	if err != nil {
		return view{}, err
	}
	return *a.view(0), nil
}

// resumeSchedule lets a schedule run again. One that waits for somebody, or whose runs would be refused, is shown first.
func (s *Server) resumeSchedule(r *http.Request) (string, *view, error) {
	a, err := s.scheduleApproval(r)
	if err != nil {
		return "", nil, err
	}
	p := Params{"name": a.Name}
	switch do := r.PostFormValue("do"); {
	case a.Waiting == "" && do == "as-it-was", a.Waiting == "" && do == "" && !a.OnlyDestroys():
	case a.Error == "" && disagreed(r, a.Preview) == "":
		p["approve"] = approvedBy(a.Preview)
	default:
		if a.Error == "" && (do != "" || !a.OnlyDestroys()) {
			a.Error = disagreed(r, a.Preview)
		}
		return "", a.view(http.StatusConflict), nil
	}
	return "/schedules/" + url.PathEscape(a.Name), nil, s.Call(r.Context(), "resumeSchedule", p, nil)
}
