package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
)

func (s *Server) askRoutes() {
	s.page("GET /{$}", s.ask)
	s.act("POST /{$}", s.asked)
	p := &plans{of: map[string]*planEdit{}, begun: map[string]bool{}}
	s.page("GET /plans/{run}", func(r *http.Request) (view, error) { return s.showPlan(r, p) })
	s.act("POST /plans/{run}/edit", func(r *http.Request) (string, *view, error) { return s.editPlan(r, p) })
	s.act("POST /plans/{run}/apply", func(r *http.Request) (string, *view, error) { return s.applyPlan(r, p) })
	s.form("POST /plans/{run}/decline", s.declinePlan)
	for _, what := range []string{"edit", "apply", "decline"} { // the address of a page that a form gave
		s.form("GET /plans/{run}/"+what, func(r *http.Request) (string, error) { return "/plans/" + url.PathEscape(r.PathValue("run")), nil })
	}
}

// askPage is what templates/ask.html shows.
type askPage struct {
	Request, Stdin, Date, Flow, Model string
	Error                             *Error
	Earlier                           []runRow
	Examples                          []string
	Flows                             []string
	Planner, By                       string // which flow plans, and what says so
	Trouble                           string // why none can
	More                              bool   // there are more plans than these
	Dir                               string // where runs take place
}

// Advanced reports whether any of the further fields was filled in.
func (p *askPage) Advanced() bool { return p.Stdin+p.Date+p.Flow+p.Model != "" }

// askExamples are requests that are planned without a model, and do something in any folder.
var askExamples = []string{
	"show the 5 largest files here",
	"list all .md files here and write them to files.json",
	"fetch https://example.org and save it as page.html",
	"every weekday at 8 list all .md files here and write them to files.json",
}

const earlierPlans = 8

func (s *Server) ask(r *http.Request) (view, error) {
	q := r.URL.Query()
	return s.askView(r, &askPage{Request: q.Get("request"), Flow: q.Get("flow")}, 0)
}

func (s *Server) askView(r *http.Request, p *askPage, status int) (view, error) {
	got, err := s.runs(r.Context(), Params{"kind": "plan", "limit": earlierPlans})
	if err != nil {
		return view{}, err
	}
	flows, err := s.flows(r)
	if err != nil {
		return view{}, err
	}
	for _, f := range flows.Planners() {
		p.Flows = append(p.Flows, f.Name)
	}
	p.Planner, p.By, p.Trouble = strings.Join(flows.Plans.Flows, ", "), flows.Plans.By, flows.Plans.Error
	p.Earlier, p.More, p.Examples, p.Dir = got.Runs, got.More, askExamples, s.o.Dir
	return view{Template: "ask", Title: "Ask", Section: "ask", Data: p, Status: status}, nil
}

// asked begins to plan what the form says, and goes to the page of the plan.
func (s *Server) asked(r *http.Request) (string, *view, error) {
	p := &askPage{Request: textOf(r, "request"), Stdin: textOf(r, "stdin"), Date: strings.TrimSpace(r.PostFormValue("date")),
		Flow: strings.TrimSpace(r.PostFormValue("flow")), Model: strings.TrimSpace(r.PostFormValue("model"))}
	given := Params{"request": strings.TrimSpace(p.Request)}
	for name, v := range map[string]string{"stdin": p.Stdin, "date": p.Date, "flow": p.Flow, "model": p.Model} {
		if v != "" {
			given[name] = v
		}
	}
	run, err := "", error(nil)
	if given["request"] == "" {
		err = &Error{Status: http.StatusBadRequest, Message: "The request is empty: say what is to be done."}
	} else {
		run, err = s.runOf(r, "plan", given)
	}
	if err == nil {
		return "/plans/" + url.PathEscape(run), nil, nil
	}
	if !errors.As(err, &p.Error) {
		return "", nil, err
	}
	v, err := s.askView(r, p, p.Error.Status)
	return "", &v, err
}

// runOf begins a call that takes long, and gives its run.
func (s *Server) runOf(r *http.Request, call string, given Params) (string, error) {
	j, err := s.Begin(call, given)
	if err != nil {
		return "", err
	}
	return j.Run(r.Context())
}
