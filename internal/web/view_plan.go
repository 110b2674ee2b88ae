package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"pflow/internal/printable"
	"pflow/internal/retrieve"
)

// planShown is what `pflow apply --dry-run --json` tells of a plan.
type planShown struct {
	Request  string `json:"request"`
	Dir      string `json:"dir"`
	Digest   string `json:"digest"`
	Destroys string `json:"digest_destroys"`
	Refused  string `json:"refused"`
	Do       string `json:"do"` // at a terminal
	Edited   bool   `json:"edited"`
	Kept     string `json:"kept"`
	Note     string `json:"note"`
	Plan     struct {
		Status      string          `json:"status"`
		Name        *string         `json:"workflow_name"`
		IR          json.RawMessage `json:"workflow_ir"`
		Metadata    map[string]any  `json:"workflow_metadata"`
		Missing     []planMissing   `json:"missing_params"`
		Candidates  []planCandidate `json:"candidates"`
		Coverage    coverage        `json:"coverage"`
		Diagnostics []finding       `json:"diagnostics"`
		Could       *planCould      `json:"could"`
		Error       *planError      `json:"error"`
		Flow        struct {
			Name string `json:"name"`
		} `json:"flow"`
	} `json:"plan"`
	Values      []planValue   `json:"values"`
	DryRun      *dryRun       `json:"dry_run"`
	Destructive []runApproval `json:"destructive"`
	Effects     []string      `json:"effects"`
	Notation    string        `json:"notation"`
	Gone        []string      `json:"gone"` // candidates that are saved no more
	Trigger     *struct {
		Words string   `json:"words"`
		Next  []string `json:"next"`
	} `json:"trigger"`
}

type planMissing struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description"`
	FromEnv     string `json:"from_env"`
}

type planCandidate struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

type planCould struct {
	Components []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"components"`
	Programs []struct {
		Program string `json:"program"`
		Does    string `json:"does"`
		Declare string `json:"declare"`
	} `json:"programs"`
}

type planError struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
	Node    string `json:"node"`
}

// planValue is an input of a plan, and where its value comes from.
type planValue struct {
	Name        string   `json:"input"`
	Value       any      `json:"value"`
	From        string   `json:"from"`
	Words       []string `json:"words"`
	Type        string   `json:"type"`
	Description string   `json:"description"`
	Required    bool     `json:"required"`
	Secret      bool     `json:"secret"`
	FromEnv     string   `json:"from_env"`

	Typed *string `json:"-"` // what somebody typed for it, where that is shown again
}

// Text is the value as a field has it.
func (v planValue) Text() string {
	if v.Typed != nil {
		return *v.Typed
	}
	return asText(v.Value)
}

// Missing reports whether there is no value, and one is needed.
func (v planValue) Missing() bool { return v.From == "missing" }

// Reads is the value with escapes for what would have it read as something else in its box; "" where it holds none.
func (v planValue) Reads() string {
	if text := v.Text(); !v.Secret && printable.Text(text) != text {
		return printable.Text(text)
	}
	return ""
}

// Rows are the lines of its box.
func (v planValue) Rows() int {
	n := strings.Count(v.Text(), "\n") + 1 + len(v.Text())/90
	if v.Type == "object" || v.Type == "array" {
		n = max(n, 3)
	}
	return min(n, 14)
}

// Source says where the value comes from.
func (v planValue) Source() string {
	switch v.From {
	case "words":
		return "your words “" + strings.Join(v.Words, "”, “") + "”"
	case "given":
		return "given by you in the place of what was planned"
	case "default":
		return "its default"
	case "stdin":
		return "the piped text"
	case "missing":
		return "nothing says it"
	case "model":
		if len(v.Words) > 0 {
			return "a model made it of your words “" + strings.Join(v.Words, "”, “") + "”, where it is not written"
		}
		return "a model took it from the request"
	case "composed":
		return "composed: no words of the request stand for it alone"
	}
	return ""
}

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

// replaced adds to what stands for the words of a request those of values that were planned, in whose place others were given.
func (p *planShown) replaced(made *planShown) {
	given := map[string]bool{}
	for _, v := range p.Values {
		given[v.Name] = v.From == "given"
	}
	for _, part := range made.Plan.Coverage.Parts {
		if name, ok := strings.CutPrefix(part.By, "input:"); ok && given[name] {
			part.By = "given:" + name
			p.Plan.Coverage.Parts = append(p.Plan.Coverage.Parts, part)
		}
	}
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

// Given are the params of a step.
func (s dryStep) Given() []shownValue { return valuesOf(s.Params) }

// changedLine is a line of an excerpt: its number, what happens to it, and what it says.
var changedLine = regexp.MustCompile(`^\s*(\d+) ([-+]) (.*)$`)

// ChangedLines is the excerpt of what changes in files.
func (s dryStep) ChangedLines() (out []diffLine) {
	for _, line := range s.Changes {
		mark := ""
		if m := changedLine.FindStringSubmatch(line); m != nil {
			mark, line = map[string]string{"-": "del", "+": "ins"}[m[2]], m[1]+"  "+m[3]
		}
		out = append(out, diffLine{Mark: mark, Text: line})
	}
	return out
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
