package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// How much of a run one page shows: so many steps on a level, and so many bytes of a value.
const (
	stepsOfPage = 25
	valueOfPage = 1200
	rowsOfPage  = 200 // of the timeline
)

// runPage is what templates/run_show.html shows.
type runPage struct {
	runTop
	Shown    *runShown
	Graph    *Graph
	Timeline *Timeline // nil where it has a page of its own
	Chips    []chip
	Total    int
	From, To int // which steps these are, counted from 1
	Earlier  string
	Later    string
	Outputs  []shownValue
	Given    []shownValue
	Fields   []inputField // of a run that is run again
	FromStep []string     // the nodes from which it can be run again
	Busy     *Job         // a command of this page that works on it
	Said     *runSaid     // what a command of this page said at its end
}

// runTop is the head that all pages of a run have.
type runTop struct {
	Run *runRow
	Tab string
}

// Tabs are the pages of a run.
func (t runTop) Tabs() []tab {
	page := t.Run.Page()
	var out []tab
	for _, of := range [][3]string{{"steps", "Steps", page}, {"timeline", "Timeline", page + "/timeline"}, {"log", "Log", page + "/log"}, {"calls", "Model calls", page + "/calls"}} {
		out = append(out, tab{of[1], of[2], of[0] == t.Tab})
	}
	return out
}

type tab struct {
	Label, Href string
	Current     bool
}

func (s *Server) showRun(r *http.Request) (view, error) {
	id := r.PathValue("id")
	status, skip := r.URL.Query().Get("state"), numberOr(r.URL.Query().Get("skip"), 0)
	d, err := s.run(r.Context(), id, Params{"source": true, "limit": stepsOfPage, "cut": valueOfPage}, status, skip)
	if err != nil {
		return view{}, err
	}
	run := &d.Run
	p := &runPage{runTop: runTop{run, "steps"}, Shown: d, Graph: d.graph(), Outputs: valuesOf(d.Outputs), Given: valuesOf(anyMap(d.Inputs))}
	address := func(status string) string { return pageOf(run.Page(), status, 0) }
	p.Chips = chipsOf(run, d.Counts, status, address)
	p.Total = sum(d.Counts)
	if status != "" {
		p.Total = d.Counts[status]
	}
	p.From, p.To = skip+1, skip+len(d.Steps)
	p.Earlier, p.Later = pagesAround(run.Page(), status, skip, len(d.Steps), p.Total)
	if status == "" && skip == 0 {
		if rows := timelineRows(run, d.Steps); len(rows) > 1 && len(rows) <= rowsOfPage && !anyLeft(d.Steps, d.Counts) {
			p.Timeline = timelineOf(run, rows)
		}
	}
	for _, step := range d.Steps {
		step.Open = step.Status == "failed" || step.Status == "waiting" && !step.gate() || len(d.Steps) == 1 // what waits at a gate stands above
	}
	p.again(d)
	p.Busy, p.Said = s.saidOf(run)
	v := view{Template: "run_show", Title: shortText(run.What(), 60), Section: "runs", Data: p}
	switch {
	case run.Running() || run.Resumable:
		v.Events = run.Events()
	case p.Busy != nil: // the run has ended, and with it what its stream tells
		v.Events = p.Busy.Events()
	}
	return v, nil
}

// run fetches a part of a run.
func (s *Server) run(ctx context.Context, id string, p Params, status string, skip int) (*runShown, error) {
	if status != "" {
		p["status"] = []any{status}
	}
	if skip > 0 {
		p["skip"] = skip
	}
	p["id"] = id
	d := &runShown{}
	if err := s.Call(ctx, "showRun", p, d); err != nil {
		return nil, err
	}
	d.Run.settle(d.Steps)
	return d, nil
}

func anyMap(m map[string]any) any {
	if m == nil {
		return nil
	}
	return m
}

// pageOf is the address of a page of steps.
func pageOf(page, status string, skip int) string {
	q := url.Values{}
	if status != "" {
		q.Set("state", status)
	}
	if skip > 0 {
		q.Set("skip", strconv.Itoa(skip))
	}
	if len(q) > 0 {
		page += "?" + q.Encode()
	}
	return page + "#steps"
}

// pagesAround are the pages before and after one; "" where there is none.
func pagesAround(page, status string, skip, shown, total int) (earlier, later string) {
	if skip > 0 {
		earlier = pageOf(page, status, max(0, skip-stepsOfPage))
	}
	if skip+shown < total {
		later = pageOf(page, status, skip+shown)
	}
	return earlier, later
}

// anyLeft reports whether steps are not told of.
func anyLeft(steps []*runStep, counts map[string]int) bool {
	if sum(counts) > len(steps) {
		return true
	}
	for _, s := range steps {
		if s.Left() > 0 || anyLeft(s.Steps, nil) {
			return true
		}
	}
	return false
}

// stepPage is what templates/run_step.html shows.
type stepPage struct {
	runTop
	Step    *runStep
	Trail   []crumb
	Chips   []chip
	Total   int
	From    int
	To      int
	Earlier string
	Later   string
	Log     []logLine
	Before  int // events of the log that are not shown
	Calls   []modelCall
	Whole   bool // values are not cut
}

type crumb struct{ Label, Href string }

func (s *Server) showStep(r *http.Request) (view, error) {
	name := r.PathValue("step")
	q := r.URL.Query()
	status, skip := q.Get("state"), numberOr(q.Get("skip"), 0)
	d, err := s.run(r.Context(), r.PathValue("id"), Params{"limit": 1, "cut": 1}, "", 0)
	if err != nil {
		return view{}, err
	}
	run := &d.Run
	p := &stepPage{runTop: runTop{Run: run}, Whole: q.Get("whole") == "true"}
	ask := Params{"id": run.ID, "step": name, "limit": stepsOfPage, "cut": 20_000}
	if p.Whole {
		delete(ask, "cut")
	}
	if status != "" {
		ask["status"] = []any{status}
	}
	if skip > 0 {
		ask["skip"] = skip
	}
	step := &runStep{}
	if err := s.Call(r.Context(), "showStep", ask, step); err != nil {
		return view{}, err
	}
	run.settle([]*runStep{step})
	step.Open = true
	p.Step, p.Trail = step, trailOf(run, name)
	p.Chips = chipsOf(run, step.Inside, status, func(status string) string { return pageOf(step.Href, status, 0) })
	if p.Total = step.Total(); status != "" {
		p.Total = step.Inside[status]
	}
	p.From, p.To = skip+1, skip+len(step.Steps)
	p.Earlier, p.Later = pagesAround(step.Href, status, skip, len(step.Steps), p.Total)
	if p.Log, p.Before, err = s.log(r.Context(), run.ID, name, 40); err != nil {
		return view{}, err
	}
	if p.Calls, err = s.calls(r.Context(), run.ID, name); err != nil {
		return view{}, err
	}
	if len(p.Calls) > callsOfPage {
		p.Calls = p.Calls[:callsOfPage]
	}
	v := view{Template: "run_step", Title: shortText(name, 60), Section: "runs", Data: p}
	if run.Running() {
		v.Events = run.Events()
	}
	return v, nil
}

// trailOf are the steps that a step is inside of: of get[3]/fetch get and get[3].
func trailOf(run *runRow, name string) []crumb {
	var out []crumb
	add := func(name string) {
		if len(out) == 0 || out[len(out)-1].Label != name {
			out = append(out, crumb{name, run.StepPage(name)})
		}
	}
	for i := range name {
		if i > 0 && strings.ContainsRune("/[#", rune(name[i])) {
			add(name[:i])
		}
	}
	return out
}
