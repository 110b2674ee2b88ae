package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"pflow/internal/outcome"
)

// notifyForm says what is run to tell of the runs of a workflow.
type notifyForm struct {
	*workflowShown
	Failure, Success string   // names of workflows, "" for none
	Shown            []string // what is to be approved
	Destroys         []string // of it
	Error            string
}

func (f *notifyForm) view(status int) *view {
	return &view{Template: "workflow_notify", Title: f.Name + ": who is told", Section: "library", Data: f, Status: status}
}

func nameOfNotice(n *noticeShown) string {
	if n == nil {
		return ""
	}
	return n.Workflow
}

func (s *Server) notifyForm(r *http.Request) (view, error) {
	w, err := s.workflow(r)
	if err != nil {
		return view{}, err
	}
	return *(&notifyForm{workflowShown: w, Failure: nameOfNotice(w.OnFailure), Success: nameOfNotice(w.OnSuccess)}).view(0), nil
}

// noticeLabels are what the form calls what it is given.
var noticeLabels = map[string]string{"on_failure": scheduleLabels["on_failure"], "on_success": scheduleLabels["on_success"]}

// setNotices shows what would tell of runs; what was shown and agreed to is kept.
func (s *Server) setNotices(r *http.Request) (string, *view, error) {
	w, err := s.workflow(r)
	if err != nil {
		return "", nil, err
	}
	f := &notifyForm{workflowShown: w, Failure: strings.TrimSpace(r.PostFormValue("on_failure")), Success: strings.TrimSpace(r.PostFormValue("on_success"))}
	p := Params{"name": w.Ref, "on_failure": f.Failure, "on_success": f.Success}
	if f.Failure == "" && w.OnFailure == nil {
		delete(p, "on_failure")
	}
	if f.Success == "" && w.OnSuccess == nil {
		delete(p, "on_success")
	}
	page := "/library/" + url.PathEscape(w.Name)
	if len(p) == 1 {
		return page, nil, nil // nothing tells of its runs, and nothing is to
	}
	res, err := s.carry(r.Context(), s.endpoint("notifyWorkflow"), p, nil)
	switch {
	case err != nil:
		return "", nil, err
	case res.Exit == outcome.Done: // taken away, which nobody has to approve
		return page, nil, nil
	case res.Exit != outcome.Declined:
		f.Error = res.failure().labelled(noticeLabels).Message
		return "", f.view(http.StatusUnprocessableEntity), nil
	}
	f.Shown = slices.DeleteFunc(res.Messages, func(line string) bool { return strings.HasPrefix(line, "pflow: ") })
	for _, line := range f.Shown {
		if what, ok := strings.CutPrefix(line, "  destroys: "); ok {
			f.Destroys = append(f.Destroys, what)
		}
	}
	if r.PostFormValue("do") != "approve" {
		return "", f.view(0), nil
	}
	approve := []any{"schedule"}
	switch {
	case !slices.Equal(r.PostForm["shown"], f.Shown):
		f.Error = "It is not what was shown any more: look at it again."
	case !slices.Equal(r.PostForm["destroys"], f.Destroys):
		f.Error = "It destroys what is there. See what, and agree to it."
	}
	if f.Error != "" {
		return "", f.view(http.StatusConflict), nil
	}
	if len(f.Destroys) > 0 {
		approve = append(approve, "destructive")
	}
	p["approve"] = approve
	return page, nil, s.Call(r.Context(), "notifyWorkflow", p, nil)
}
