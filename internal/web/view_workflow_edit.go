package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"pflow/internal/outcome"
)

// workflowEditor is the form in which the text of a workflow is edited.
type workflowEditor struct {
	Name      string // "" of a new one
	Text      string
	Language  string
	Base      string // the revision that was edited
	Findings  []finding
	Error     string        // why it was not saved
	Meanwhile *workflowDiff // what the text would change of what somebody else saved meanwhile
	Now       string        // the revision of that
	Gone      bool          // it was deleted meanwhile
	Sent      bool          // the text was sent, and is nowhere else
	Refused   bool          // it should be saved, and has errors
}

// Check is the call that finds what is wrong with the text as it is typed.
func (e *workflowEditor) Check() string { return "/api/v1/workflow-check/" + e.Language }

// params adds the text to the params of a call, under its language.
func (e *workflowEditor) params(more Params) Params {
	more[e.Language] = e.Text
	return more
}

func (e *workflowEditor) view(status int) *view {
	title := "New workflow"
	if e.Name != "" {
		title = "Edit " + e.Name
	}
	return &view{Template: "workflow_edit", Title: title, Section: "library", Data: e, Status: status}
}

// textOf is a text of a form, whose lines browsers end with CR LF.
func textOf(r *http.Request, name string) string {
	return strings.ReplaceAll(r.PostFormValue(name), "\r\n", "\n")
}

// find notes what is wrong with the text, and reports whether it can be saved.
func (e *workflowEditor) find(s *Server, r *http.Request) (valid bool, err error) {
	name := "checkWorkflowYAML"
	if e.Language == "json" {
		name = "checkWorkflowJSON"
	}
	var got struct {
		Valid       bool
		Diagnostics []finding
	}
	if err := s.Call(r.Context(), name, Params{"text": e.Text}, &got); err != nil {
		var failed *Error
		if errors.As(err, &failed) && failed.Exit == outcome.Usage {
			e.Error = failed.Message
			return false, nil
		}
		return false, err
	}
	e.Findings = got.Diagnostics
	return got.Valid, nil
}

func languageOf(r *http.Request) string {
	if r.PostFormValue("language") == "json" {
		return "json"
	}
	return "yaml"
}

func (s *Server) editWorkflow(r *http.Request) (view, error) {
	w, err := s.workflow(r)
	if err != nil {
		return view{}, err
	}
	if slices.Contains(w.Gone, w.Name) { // it was deleted: a kept version of it is saved anew
		return view{Template: "workflow_new", Title: "New workflow", Section: "library",
			Data: newForm{&workflowEditor{Text: w.Text, Language: w.Language, Findings: w.Diagnostics}, w.Name}}, nil
	}
	if w.OfVersion() { // its text becomes the next version
		now := &workflowShown{}
		if err := s.Call(r.Context(), "showWorkflow", Params{"name": w.Name}, now); err != nil {
			return view{}, err
		}
		w.Revision = now.Revision
	}
	e := &workflowEditor{Name: w.Name, Text: w.Text, Language: w.Language, Base: w.Revision, Findings: w.Diagnostics}
	return *e.view(0), nil
}

func (s *Server) saveWorkflow(r *http.Request) (string, *view, error) {
	e := &workflowEditor{Name: r.PathValue("name"), Text: textOf(r, "text"), Language: languageOf(r), Base: r.PostFormValue("base"), Sent: true}
	valid, err := e.find(s, r)
	if err != nil {
		return "", nil, err
	}
	e.Refused = !valid && e.Error == "" && r.PostFormValue("do") != "check"
	if !valid || r.PostFormValue("do") == "check" {
		return "", e.view(map[bool]int{true: 0, false: http.StatusUnprocessableEntity}[valid]), nil
	}
	err = s.Call(r.Context(), "editWorkflow", e.params(Params{"name": e.Name, "base": e.Base}), nil)
	var failed *Error
	switch {
	case err == nil:
		return "/library/" + e.Name, nil, nil
	case errors.As(err, &failed) && failed.Exit == outcome.Declined:
		return s.meanwhile(r, e)
	case errors.As(err, &failed) && failed.Exit == outcome.Usage:
		e.Error = failed.Message
		e.Gone = failed.Status == http.StatusNotFound
		return "", e.view(http.StatusUnprocessableEntity), nil
	}
	return "", nil, err
}

// meanwhile shows the text again with how it differs from what somebody else saved. Saved again, it is made of that.
func (s *Server) meanwhile(r *http.Request, e *workflowEditor) (string, *view, error) {
	now := &workflowShown{}
	e.Meanwhile = &workflowDiff{}
	err := s.Call(r.Context(), "showWorkflow", Params{"name": e.Name}, now)
	if err == nil {
		err = s.Call(r.Context(), "diffWorkflowText", e.params(Params{"name": e.Name}), e.Meanwhile)
	}
	if err != nil {
		return "", nil, err
	}
	e.Now = now.Revision
	return "", e.view(http.StatusConflict), nil
}

func (s *Server) newWorkflow(r *http.Request) (view, error) {
	name := r.URL.Query().Get("name")
	e := &workflowEditor{Language: "yaml"}
	start := name
	if start == "" {
		start = "my-workflow"
	}
	var got struct{ Text string }
	if err := s.Call(r.Context(), "newWorkflowText", Params{"name": start}, &got); err != nil {
		return view{}, err
	}
	e.Text = got.Text
	return view{Template: "workflow_new", Title: "New workflow", Section: "library", Data: newForm{e, name}}, nil
}

// newForm is the form of a workflow that is not saved yet.
type newForm struct {
	*workflowEditor
	As string
}

func (s *Server) createWorkflow(r *http.Request) (string, *view, error) {
	form := newForm{&workflowEditor{Text: textOf(r, "text"), Language: languageOf(r), Sent: true}, strings.TrimSpace(r.PostFormValue("as"))}
	again := func() (string, *view, error) {
		return "", &view{Template: "workflow_new", Title: "New workflow", Section: "library", Data: form, Status: http.StatusUnprocessableEntity}, nil
	}
	valid, err := form.find(s, r)
	if err != nil {
		return "", nil, err
	}
	form.Refused = !valid && form.Error == "" && r.PostFormValue("do") != "check"
	if !valid {
		return again()
	}
	if r.PostFormValue("do") == "check" {
		return "", &view{Template: "workflow_new", Title: "New workflow", Section: "library", Data: form}, nil
	}
	given := form.params(Params{"name": form.As})
	if form.Language == "yaml" {
		given["keep"] = true
	}
	err = s.Call(r.Context(), "createWorkflow", given, nil)
	var failed *Error
	if errors.As(err, &failed) && failed.Status < 500 {
		form.Error = failed.Error()
		return again()
	}
	return "/library/" + url.PathEscape(form.As), nil, err
}

func (s *Server) renameWorkflow(r *http.Request) (string, *view, error) {
	to := strings.TrimSpace(r.PostFormValue("to"))
	err := s.Call(r.Context(), "renameWorkflow", Params{"name": r.PathValue("name"), "to": to}, nil)
	return "/library/" + url.PathEscape(to), nil, err
}

func (s *Server) deleteWorkflow(r *http.Request) (string, *view, error) {
	if r.PostFormValue("sure") != "yes" {
		return "", nil, &Error{Status: http.StatusBadRequest, Message: "nothing was deleted", Do: "tick that it shall be"}
	}
	name := r.PathValue("name")
	err := s.Call(r.Context(), "deleteWorkflow", Params{"name": name}, nil)
	return "/library/" + url.PathEscape(name) + "/versions", nil, err
}
