package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"pflow/internal/printable"
	"pflow/internal/retrieve"
)

// planPage is what templates/plan.html shows.
type planPage struct {
	Run     *runRow
	Shown   *runShown // how it was planned
	Flow    *Graph    // of that
	Calls   []modelCall
	More    int // calls that are not shown
	Plan    *planShown
	Marks   []mark
	Legend  []meaning
	Made    *Graph // the workflow
	Instead bool   // it is shown in the place of doing what was approved, since that was typed over
	Edit    string // which edit of the plan it is, "" if it is none
	Text    string // of the workflow, for the editor
	Typed   bool   // the text is what somebody typed, and not what is planned
	Error   string // why what was asked for was not done
	Again   bool   // the error is of the workflow's text: its editor is open
	Runs    []runRow
}

// Since is the last run, where it is none of Runs: one of them was run again.
func (p *planPage) Since() *cameOf {
	c := p.Run.Came
	if c == nil || slices.ContainsFunc(p.Runs, func(r runRow) bool { return r.ID == c.Run }) {
		return nil
	}
	return c
}

// Seen is how many runs came of the plan so far.
func (p *planPage) Seen() int { return len(p.Runs) }

// Ready reports whether the plan is one that can be carried out.
func (p *planPage) Ready() bool { return p.Plan != nil && p.Plan.Digest != "" }

// Page is the address of the plan as it is shown.
func (p *planPage) Page() string {
	page := "/plans/" + url.PathEscape(p.Run.ID)
	if p.Edit != "" {
		page += "?edit=" + url.QueryEscape(p.Edit)
	}
	return page
}

// Lacks are the inputs that nothing says, but secrets.
func (p *planPage) Lacks() (out []planValue) {
	for _, v := range p.Plan.Values {
		if v.Missing() && !v.Secret {
			out = append(out, v)
		}
	}
	return out
}

// Given are the inputs that have a value which can be shown.
func (p *planPage) Given() (out []planValue) {
	for _, v := range p.Plan.Values {
		if !v.Missing() && !v.Secret {
			out = append(out, v)
		}
	}
	return out
}

// Secrets are those that are not set.
func (p *planPage) Secrets() (out []planMissing) {
	for _, m := range p.Plan.Plan.Missing {
		if m.FromEnv != "" {
			out = append(out, m)
		}
	}
	return out
}

// Near are the saved workflows that share words with the request, but the one that the plan is of.
func (p *planPage) Near() (out []planCandidate) {
	for _, c := range p.Plan.Plan.Candidates {
		if p.Plan.Plan.Name != nil && c.Name == *p.Plan.Plan.Name || slices.Contains(p.Plan.Gone, c.Name) {
			continue
		}
		if said, near := retrieve.Said(c.Reason, p.Plan.Request); near {
			out = append(out, planCandidate{c.Name, said})
		}
	}
	return out
}

// Description is what the workflow is said to do.
func (p *planPage) Description() string {
	text, _ := p.Plan.Plan.Metadata["description"].(string)
	return text
}

// Open are the parts of the request that nothing does.
func (p *planPage) Open() (out []coverPart) {
	for _, o := range p.Plan.Plan.Coverage.Open {
		if strings.TrimSpace(o.Text) != "" {
			out = append(out, o)
		}
	}
	return out
}

// Headline says what came of it.
func (p *planPage) Headline() string {
	if p.Plan == nil {
		switch p.Run.Status {
		case "running":
			return "Planning…"
		case "interrupted":
			return "Planning was interrupted"
		case "cancelled":
			return "Planning was stopped"
		}
		return "There is no plan"
	}
	switch {
	case p.Run.Decided == "declined" && p.Edit == "":
		return "Declined"
	case p.Ready() && len(p.Runs) > 0 && p.Edit == "":
		return "Approved: what came of it stands below"
	case p.Ready() && len(p.Open()) > 0:
		return "Ready to run, as a part of what you asked for"
	case p.Ready() && p.Plan.Trigger != nil:
		return "Ready to be scheduled"
	case p.Ready():
		return "Ready to run"
	case len(p.Lacks()) > 0:
		return "It needs to know more"
	case len(p.Secrets()) > 0:
		return "A secret is not set"
	case p.Plan.Plan.Status == "infeasible" && len(p.Plan.Plan.IR) > 4:
		return "Only a part of it can be done"
	case p.Plan.Plan.Status == "infeasible":
		return "Nothing here does that"
	case p.Plan.Plan.Status == "ready":
		return "It cannot be run here"
	}
	return "No plan came of it"
}

// plan fetches a plan as it would be carried out.
func (s *Server) plan(ctx context.Context, run string, e *planEdit) (*planShown, error) {
	p, call := Params{"run": run}, "showPlan"
	if e != nil {
		call = "editPlan"
		e.into(p)
	}
	out := &planShown{}
	return out, s.Call(ctx, call, p, out)
}

const callsOfPlan = 40

func (s *Server) showPlan(r *http.Request, ps *plans) (view, error) {
	p, err := s.planPage(r, ps, r.URL.Query().Get("edit"))
	if err != nil {
		return view{}, err
	}
	p.Instead = r.URL.Query().Get("instead") != "" && p.Edit != "" && len(p.Runs) == 0
	return *p.view(0), nil
}

func (p *planPage) view(status int) *view {
	v := &view{Template: "plan", Title: shortText(p.Run.What(), 60), Section: "ask", Data: p, Status: status}
	if p.Run.Running() {
		v.Events = p.Run.Events()
	}
	return v
}

// planPage gathers what there is to show of a plan, and of how it was made.
func (s *Server) planPage(r *http.Request, ps *plans, edit string) (*planPage, error) {
	ctx := r.Context()
	d, err := s.run(ctx, r.PathValue("run"), Params{"source": true, "cut": valueOfPage}, "", 0)
	if err != nil {
		return nil, err
	}
	if d.Run.Kind != "plan" {
		return nil, &Error{Status: http.StatusNotFound, Message: "run " + d.Run.ID + " made no plan", Do: "its page is " + d.Run.Page()}
	}
	p := &planPage{Run: &d.Run, Shown: d, Flow: d.graph(), Edit: edit}
	for _, c := range d.Children {
		if c.Kind == "workflow" {
			p.Runs = append(p.Runs, c)
		}
	}
	if p.Calls, err = s.calls(ctx, d.Run.ID, ""); err != nil {
		return nil, err
	}
	if n := len(p.Calls); n > callsOfPlan {
		p.Calls, p.More = p.Calls[:callsOfPlan], n-callsOfPlan
	}
	if slices.Contains([]string{"running", "interrupted", "cancelled", "waiting"}, d.Run.Status) {
		return p, nil
	}
	var e *planEdit
	if edit != "" {
		if e = ps.get(edit, d.Run.ID); e == nil {
			return nil, &Error{Status: http.StatusNotFound, Message: "what was edited of this plan is forgotten: pflow serve was started again, or it is long ago", Do: "go back to the plan, and edit it again"}
		}
	}
	plan, err := s.plan(ctx, d.Run.ID, e)
	var failed *Error
	if errors.As(err, &failed) {
		p.Error = failed.Message // what it uses may be gone since
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	if e != nil && e.workflow == "" {
		if made, err := s.plan(ctx, d.Run.ID, nil); err == nil { // else its words are not marked
			plan.replaced(made)
		}
	}
	p.take(plan)
	return p, nil
}

// take shows a plan.
func (p *planPage) take(plan *planShown) {
	p.Plan = plan
	p.Marks, p.Legend = marksOf(plan.Request, plan.Plan.Coverage)
	if !isObject(plan.Plan.IR) {
		return
	}
	var ir any
	if json.Unmarshal(plan.Plan.IR, &ir) == nil {
		p.Text = string(printable.JSON([]byte(jsonText(ir, "  "))))
	}
	if g, err := GraphOfWorkflow(plan.Plan.IR); err == nil {
		g.Label = "the workflow"
		if plan.Plan.Name != nil {
			g.Label = *plan.Plan.Name
		}
		g.Link(func(n *GraphNode) string { return "#do-" + url.PathEscape(n.ID) })
		p.Made = g
	}
}

// Absent are the files and folders that the plan reads from and that are not there.
func (p *planPage) Absent() (out []string) {
	if p.Plan.DryRun == nil {
		return nil
	}
	for _, step := range p.Plan.DryRun.Steps {
		out = append(out, step.Absent...)
	}
	return out
}

// Waits are the steps that would wait for approval, and do not once the plan is approved.
func (p *planPage) Waits() (out []string) {
	if p.Plan.DryRun == nil {
		return nil
	}
	for _, s := range p.Plan.DryRun.Steps {
		if s.Approval {
			out = append(out, s.Node)
		}
	}
	return out
}
