package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"pflow/internal/printable"
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

// shownNotice is a workflow that would tell of runs.
type shownNotice struct {
	Kind, Workflow   string
	Version          int
	Effects          []string
	Digest, Destroys string
}

// line says what would run, and when.
func (n *shownNotice) line() string {
	line := strings.ReplaceAll(n.Kind, "_", " ") + ": runs " + n.Workflow + "@" + asText(n.Version)
	if len(n.Effects) > 0 {
		line += " (effects: " + strings.Join(n.Effects, ", ") + ")"
	}
	if n.Destroys != "" {
		line += ", which destroys " + n.Destroys
	}
	return printable.Line(line) + " " + n.Digest
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
	p["dry_run"] = true
	var would struct{ Notices []shownNotice }
	err = s.Call(r.Context(), "notifyWorkflow", p, &would)
	var failed *Error
	switch {
	case errors.As(err, &failed):
		f.Error = failed.labelled(noticeLabels).Message
		return "", f.view(http.StatusUnprocessableEntity), nil
	case err != nil:
		return "", nil, err
	}
	delete(p, "dry_run")
	if len(would.Notices) == 0 { // what is only taken away nobody has to approve
		return page, nil, s.Call(r.Context(), "notifyWorkflow", p, nil)
	}
	for _, n := range would.Notices {
		f.Shown = append(f.Shown, n.line())
		if n.Destroys != "" {
			f.Destroys = append(f.Destroys, printable.Line(n.Destroys))
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
