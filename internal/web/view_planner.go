package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

func (s *Server) plannerRoutes() {
	s.slowPage("GET /planner", view{Title: "Planner", Section: "planner"}, s.showPlanner)
	s.form("POST /planner/eject/{name}", s.ejectPlanner)
	s.page("GET /planner/flows/{name}", s.showPlannerFlow)
	s.page("GET /planner/prompts/{file}", s.showPlannerPrompt)
	s.act("POST /planner/flows/{name}", s.savePlannerFlow)
	s.act("POST /planner/prompts/{file}", s.savePlannerPrompt)
	s.form("POST /planner/flows/{name}/delete", s.deletePlannerFlow)
	s.form("POST /planner/prompts/{file}/delete", s.deletePlannerPrompt)
	s.form("POST /planner/flows/{name}/test", s.testPlannerFlow)
	s.form("POST /planner/variant", s.keepPlannerVariant)
	s.page("GET /planner/jobs/{job}", s.showPlannerJob)
	s.page("GET /planner/replay", s.chooseReplay)
	s.form("POST /planner/replay", s.beginReplay)
	s.mux.HandleFunc("POST /api/v1/editor/flows/{name}/check", s.checkText("checkFlow", "name"))
	s.mux.HandleFunc("POST /api/v1/editor/prompts/{file}/check", s.checkText("checkPrompt", "file"))
	s.mux.HandleFunc("GET /api/v1/editor/flows/{name}/options", s.flowOptions)
	s.mux.HandleFunc("GET /api/v1/editor/prompts/{file}/options", s.promptOptions)
}

// flowRow is a flow in lists.
type flowRow struct {
	Name, Description, File       string
	Valid, Own, Shipped, Planner  bool
	Differences                   *int
	PlansNow, Variant, Unmodified bool `json:"-"`
}

// flowList is what `flow list` says.
type flowList struct {
	Plans struct {
		Flows     []string
		By, Error string
	}
	Flows []flowRow
}

// Planners are the flows that can plan.
func (l *flowList) Planners() (out []flowRow) {
	return l.some(func(f *flowRow) bool { return f.Planner })
}

// Parts are the flows that others run.
func (l *flowList) Parts() (out []flowRow) {
	return l.some(func(f *flowRow) bool { return !f.Planner })
}

func (l *flowList) some(wanted func(f *flowRow) bool) (out []flowRow) {
	for i := range l.Flows {
		if wanted(&l.Flows[i]) {
			out = append(out, l.Flows[i])
		}
	}
	return out
}

func (l *flowList) of(name string) *flowRow {
	for i := range l.Flows {
		if l.Flows[i].Name == name {
			return &l.Flows[i]
		}
	}
	return nil
}

// promptRow is a prompt in lists.
type promptRow struct {
	Name, Description, Schema, File, Problem string
	Variables                                []string
	Tokens                                   int
	Own, Shipped, Same                       bool
	UsedBy                                   []string `json:"used_by"`
}

func (s *Server) flows(r *http.Request) (*flowList, error) {
	var l flowList
	if err := s.Call(r.Context(), "listFlows", nil, &l); err != nil {
		return nil, err
	}
	for i := range l.Flows {
		f := &l.Flows[i]
		f.PlansNow = slices.Contains(l.Plans.Flows, f.Name)
		f.Variant = f.Own && !f.Shipped
		f.Unmodified = f.Differences != nil && *f.Differences == 0
	}
	return &l, nil
}

func (s *Server) prompts(r *http.Request) ([]promptRow, error) {
	var l struct{ Prompts []promptRow }
	err := s.Call(r.Context(), "listPrompts", nil, &l)
	return l.Prompts, err
}

func (s *Server) showPlanner(r *http.Request) (view, error) {
	flows, err := s.flows(r)
	if err != nil {
		return view{}, err
	}
	prompts, err := s.prompts(r)
	if err != nil {
		return view{}, err
	}
	return view{Template: "planner", Title: "Planner", Section: "planner", Data: struct {
		*flowList
		Prompts []promptRow
	}{flows, prompts}}, nil
}

func (s *Server) ejectPlanner(r *http.Request) (string, error) {
	name := r.PathValue("name")
	if err := s.Call(r.Context(), "ejectFlow", Params{"name": name}, nil); err != nil {
		return "", err
	}
	return "/planner/flows/" + url.PathEscape(name), nil
}

func (s *Server) deletePlannerFlow(r *http.Request) (string, error) {
	return s.deleteText(r, "deleteFlow", "name", "/planner/flows/")
}

func (s *Server) deletePlannerPrompt(r *http.Request) (string, error) {
	return s.deleteText(r, "deletePrompt", "file", "/planner/prompts/")
}

// deleteText deletes a text of the home, which a param names, if it is as the page showed it. What is shipped in its place is shown next.
func (s *Server) deleteText(r *http.Request, call, param, page string) (string, error) {
	if r.PostFormValue("sure") != "yes" {
		return "", &Error{Status: http.StatusBadRequest, Message: "nothing was deleted", Do: "go back, and tick that there is no way back"}
	}
	name := r.PathValue(param)
	given := Params{param: name}
	if hash := r.PostFormValue("if"); hash != "" {
		given["if"] = hash
	}
	var got struct{ Shipped bool }
	if err := s.Call(r.Context(), call, given, &got); err != nil {
		return "", err
	}
	if !got.Shipped {
		return "/planner", nil
	}
	return page + url.PathEscape(name), nil
}

func (s *Server) testPlannerFlow(r *http.Request) (string, error) {
	j, err := s.Begin("testFlow", Params{"name": r.PathValue("name")})
	if err != nil {
		return "", err
	}
	return "/planner/jobs/" + j.ID, nil
}

// keepPlannerVariant keeps an edit as another flow.
func (s *Server) keepPlannerVariant(r *http.Request) (string, error) {
	given := Params{"name": r.PostFormValue("variant_of"), "as": strings.TrimSpace(r.PostFormValue("as"))}
	if place := r.PostFormValue("place"); place != "" {
		given["place"], given["text"] = place, textOf(r, "text")
	}
	if err := s.Call(r.Context(), "keepVariant", given, nil); err != nil {
		return "", err
	}
	return "/planner/flows/" + url.PathEscape(given["as"].(string)), nil
}
