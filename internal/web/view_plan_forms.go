package web

import (
	"crypto/rand"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"pflow/internal/outcome"
)

// plans are what this server keeps of plans: how they were edited, and which are being carried out at this moment.
type plans struct {
	mu    sync.Mutex
	of    map[string]*planEdit
	order []string // the oldest first
	begun map[string]bool
}

// planEdit is what somebody made of a plan: values, and a workflow in the place of the planned one.
type planEdit struct {
	run      string
	values   map[string]any
	workflow string
}

// Bounds of the edits that are kept: how many, and how many bytes of workflows; the last is kept whatever it takes.
const (
	maxEdits     = 200
	maxEditsHeld = 32 << 20
)

func (ps *plans) keep(e *planEdit) string {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	id := rand.Text()
	ps.of[id], ps.order = e, append(ps.order, id)
	held := 0
	for _, other := range ps.of {
		held += len(other.workflow)
	}
	for len(ps.order) > maxEdits || held > maxEditsHeld && len(ps.order) > 1 {
		held -= len(ps.of[ps.order[0]].workflow)
		delete(ps.of, ps.order[0])
		ps.order = ps.order[1:]
	}
	return id
}

func (ps *plans) get(id, run string) *planEdit {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if e := ps.of[id]; e != nil && e.run == run {
		return e
	}
	return nil
}

// begin notes that a plan is being carried out; it reports whether it is not already.
func (ps *plans) begin(run string) bool {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if ps.begun[run] {
		return false
	}
	ps.begun[run] = true
	return true
}

func (ps *plans) end(run string) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	delete(ps.begun, run)
}

// into adds an edit to the params of a call.
func (e *planEdit) into(p Params) {
	if len(e.values) > 0 {
		p["inputs"] = e.values
	}
	if e.workflow != "" {
		p["workflow"] = e.workflow
	}
}

// editPlan takes values, or a workflow, from a form, and shows the plan that comes of it.
func (s *Server) editPlan(r *http.Request, ps *plans) (string, *view, error) {
	p, err := s.planPage(r, ps, r.PostFormValue("edit"))
	if err != nil || p.Plan == nil {
		return "", nil, orNoPlan(err)
	}
	if next := p.typed(r, ps); next.changed != "" || r.PostFormValue("do") == "workflow" {
		return s.showEdit(r, ps, p, next, "")
	}
	return p.Page(), nil, nil
}

// typedPlan is what somebody typed over a plan.
type typedPlan struct {
	planEdit
	text    string // of the workflow
	changed string // what is not as it was shown, in words; "" if nothing is
	emptied []string
}

// typed reads the fields of a plan's form. A field that was not sent is as it was.
func (p *planPage) typed(r *http.Request, ps *plans) *typedPlan {
	next := &typedPlan{planEdit: planEdit{run: p.Run.ID, values: map[string]any{}}}
	if e := ps.get(p.Edit, p.Run.ID); e != nil {
		next.workflow = e.workflow
		maps.Copy(next.values, e.values)
	}
	var changed []string
	_, sent := r.PostForm["workflow"]
	if next.text = textOf(r, "workflow"); sent && (r.PostFormValue("do") == "workflow" || strings.TrimSpace(next.text) != strings.TrimSpace(plainLines(p.Text))) {
		changed = append(changed, "the workflow")
		next.workflow, next.values = next.text, map[string]any{} // which were of other inputs
		p.Text, p.Typed = next.text, true
	}
	for i := range p.Plan.Values {
		v := &p.Plan.Values[i]
		if _, sent := r.PostForm["in."+v.Name]; !sent || v.Secret {
			continue
		}
		typed := textOf(r, "in."+v.Name)
		if typed == plainLines(v.Text()) || typed == "" && v.Value == nil {
			continue
		}
		v.Typed, next.values[v.Name] = &typed, typed
		changed = append(changed, v.Name)
		if v.Required && typed == "" {
			next.emptied = append(next.emptied, v.Name)
		}
	}
	next.changed = strings.Join(changed, ", ")
	return next
}

// plainLines is a text as a form sends it.
func plainLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// showEdit leads to the plan that comes of what was typed, or shows what is wrong with it. instead is what was to be done with the plan as it
// was, "" if nothing was.
func (s *Server) showEdit(r *http.Request, ps *plans, p *planPage, next *typedPlan, instead string) (string, *view, error) {
	if len(next.emptied) > 0 {
		p.Error = "a value is needed for " + strings.Join(next.emptied, ", ")
		return "", p.view(http.StatusBadRequest), nil
	}
	_, err := s.plan(r.Context(), p.Run.ID, &next.planEdit)
	if err == nil {
		query := url.Values{"edit": {ps.keep(&next.planEdit)}}
		if instead != "" {
			query.Set("instead", instead)
		}
		return "/plans/" + url.PathEscape(p.Run.ID) + "?" + query.Encode(), nil, nil
	}
	var e *Error
	if !errors.As(err, &e) {
		return "", nil, err
	}
	p.Error, p.Again = e.Message, p.Typed
	return "", p.view(http.StatusBadRequest), nil
}

func orNoPlan(err error) error {
	if err == nil {
		err = &Error{Status: http.StatusConflict, Message: "there is no plan here that could be edited or carried out"}
	}
	return err
}

// applyPlan carries out the plan that was shown, and no other: the form holds its digest. Where somebody typed over what was shown, nothing is
// done yet, and what comes of that is shown.
func (s *Server) applyPlan(r *http.Request, ps *plans) (string, *view, error) {
	edit := r.PostFormValue("edit")
	again := func(why string) (string, *view, error) {
		p, err := s.planPage(r, ps, edit)
		if err != nil {
			return "", nil, err
		}
		p.Error = why
		return "", p.view(http.StatusConflict), nil
	}
	run, do := r.PathValue("run"), r.PostFormValue("do")
	if p, err := s.planPage(r, ps, edit); err == nil && p.Plan != nil { // else it is said below why not
		if next := p.typed(r, ps); next.changed != "" {
			return s.showEdit(r, ps, p, next, do)
		}
	}
	given := Params{"run": run, "yes": r.PostFormValue("digest")}
	if edit != "" {
		e := ps.get(edit, run)
		if e == nil {
			return again("")
		}
		e.into(given)
	}
	agreed := r.PostFormValue("destroys")
	switch {
	case do == "save":
		given["save"] = true
	case r.PostFormValue("would_destroy") != "" && agreed == "":
		return again("Nothing was run: this plan destroys what is there. If that is meant, tick the box that says so.")
	case do == "schedule" && agreed != "":
		given["yes"] = "schedule,destructive," + r.PostFormValue("digest")
	case do == "schedule":
		given["yes"] = "schedule," + r.PostFormValue("digest")
	case do != "run":
		return "", nil, &Error{Status: http.StatusBadRequest, Message: "the form does not say what to do with the plan"}
	case agreed != "":
		given["yes"] = agreed
	}
	if !ps.begin(run) {
		return "", nil, &Error{Status: http.StatusConflict, Message: "this plan is being carried out already", Do: "see its page: /plans/" + run}
	}
	defer ps.end(run)
	if do == "run" {
		if came, err := s.cameOf(r, run); err != nil {
			return "", nil, err
		} else if r.PostFormValue("seen") != strconv.Itoa(came) {
			return again("Nothing was run: the plan was carried out meanwhile. Its runs stand below; approve it again if it is to run once more.")
		}
	}
	next, err := s.carryPlan(r, do, given)
	var e *Error
	if errors.As(err, &e) && r.Context().Err() == nil {
		return again(e.Message)
	}
	return next, nil, err
}

// cameOf counts the runs that came of a plan.
func (s *Server) cameOf(r *http.Request, run string) (n int, err error) {
	d, err := s.run(r.Context(), run, Params{"limit": 1, "cut": 1}, "", 0)
	if err != nil {
		return 0, err
	}
	for _, c := range d.Children {
		if c.Kind == "workflow" {
			n++
		}
	}
	return n, nil
}

// carryPlan carries a plan out as far as there is a page for it: its run, the workflow that was saved, or the schedule.
func (s *Server) carryPlan(r *http.Request, do string, given Params) (string, error) {
	j, err := s.Begin("applyPlan", given)
	if err != nil {
		return "", err
	}
	if do == "run" {
		run, err := j.Run(r.Context())
		return "/runs/" + url.PathEscape(run), err
	}
	res, err := j.Wait(r.Context())
	if err != nil {
		return "", err
	}
	var kept struct {
		Name string `json:"name"`
	}
	if res.Exit != outcome.Done || res.decode(&kept) != nil || kept.Name == "" {
		return "", res.failure()
	}
	if do == "schedule" {
		return "/schedules/" + url.PathEscape(kept.Name), nil
	}
	return "/library/" + url.PathEscape(kept.Name), nil
}

func (s *Server) declinePlan(r *http.Request) (string, error) {
	run := r.PathValue("run")
	return "/plans/" + url.PathEscape(run), s.Call(r.Context(), "declinePlan", Params{"run": run}, nil)
}
