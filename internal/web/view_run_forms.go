package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"pflow/internal/outcome"
)

// settling is how long a form waits for a command that may end at once, so that the page that follows says what it said.
const settling = 700 * time.Millisecond

// inputField is an input of a workflow, as a form asks for it.
type inputField struct {
	Name, Type, Description string
	Value                   string // as it was
	Required                bool
	Secret                  bool
	Lines                   bool
}

// inputFields are those of a workflow's document, with the values of a run.
func inputFields(document json.RawMessage, values map[string]any) []inputField {
	var d struct {
		Inputs map[string]struct {
			Type        string `json:"type"`
			Required    bool   `json:"required"`
			Description string `json:"description"`
			Secret      bool   `json:"secret"`
		} `json:"inputs"`
	}
	if json.Unmarshal(document, &d) != nil {
		return nil
	}
	var out []inputField
	for name, in := range d.Inputs {
		f := inputField{Name: name, Type: in.Type, Description: in.Description, Required: in.Required, Secret: in.Secret}
		if v, ok := values[name]; ok && v != nil {
			if f.Value = asText(v); isCut(v) {
				f.Value = ""
			}
		}
		f.Lines = in.Type == "object" || in.Type == "array" || strings.Contains(f.Value, "\n") || len(f.Value) > 80
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b inputField) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func isCut(v any) bool {
	object, _ := v.(map[string]any)
	_, cut := object["$cut"]
	return cut
}

// again says of a run how it can be run again.
func (p *runPage) again(d *runShown) {
	if d.Run.Kind != "workflow" || d.Run.Running() {
		return
	}
	p.Fields = inputFields(d.Source.Workflow, d.Inputs)
	for _, n := range d.Source.Nodes {
		if !slices.Contains([]string{"skipped", "not_reached"}, n.Status) {
			p.FromStep = append(p.FromStep, n.Node)
		}
	}
}

// AllSteps are all of them, as the field of a form.
func (p *runPage) AllSteps() string { return strings.Join(p.FromStep, ",") }

// CanAgain reports whether it can be run again.
func (p *runPage) CanAgain() bool {
	return p.Run.Kind == "workflow" && !p.Run.Running() && !strings.HasPrefix(p.Run.By, "each:")
}

// CanFix reports whether its workflow can be mended.
func (p *runPage) CanFix() bool { return p.CanAgain() && p.Run.Status == "failed" }

// runSaid is what a command of this page said of a run when it ended otherwise than well.
type runSaid struct {
	Message  string
	Terminal string // what to do about it there
	Repeats  bool   // it waits for somebody to agree that it may repeat effects,
	Destroys bool   // that it may destroy what is there
}

func saidOf(res *Result) *runSaid {
	why := res.failure()
	return &runSaid{cmp.Or(res.Message, why.Message), why.Terminal, res.Repeats, res.Destroys}
}

// saidOf gives the last command of this page that works or worked on a run: the one that does, or what the one said that does no more.
func (s *Server) saidOf(run *runRow) (busy *Job, said *runSaid) {
	s.jobs.mu.Lock()
	defer s.jobs.mu.Unlock()
	for _, id := range slices.Backward(s.jobs.order) {
		j := s.jobs.of[id]
		j.mu.Lock()
		has, res := slices.Contains(j.runs, run.ID), j.result
		j.mu.Unlock()
		switch {
		case !has:
			continue
		case res == nil:
			return j, nil
		case res.Exit == outcome.Declined && run.Status != "waiting":
			return nil, saidOf(res)
		}
		return nil, nil
	}
	return nil, nil
}

// runQuestion is what templates/run_question.html shows: a command that ended before anything ran, and what lets it go on.
type runQuestion struct {
	*runSaid
	Run     *runRow
	Action  string // where the form goes to
	Fields  []formField
	Missing []inputField
}

// Asks reports whether there is anything that would let it go on.
func (q *runQuestion) Asks() bool { return q.Repeats || q.Destroys || len(q.Missing) > 0 }

// Title is the heading of the page.
func (q *runQuestion) Title() string {
	if q.Asks() {
		return "A question first"
	}
	return "Nothing was done"
}

type formField struct{ Name, Value string }

// runForms adds what the forms of runs are sent to.
func (s *Server) runForms() {
	s.runPost("cancel", "cancelRun", func(*http.Request) Params { return Params{} })
	s.runPost("resume", "resumeRun", func(r *http.Request) Params {
		p := yesAndAgain(r)
		if only := listed(r.PostForm["only"]); len(only) > 0 {
			p["only"] = only
		}
		return p
	})
	s.runPost("retry", "retryRun", func(r *http.Request) Params {
		p := yesAndAgain(r)
		if from := listed(strings.Split(r.PostFormValue("from"), ",")); len(from) > 0 {
			p["from"] = from
		}
		if inputs := changedInputs(r.PostForm); len(inputs) > 0 {
			p["inputs"] = inputs
		}
		return p
	})
	s.runPost("fix/approve", "fixRun", func(r *http.Request) Params {
		p := yesAndAgain(r)
		if r.PostForm.Get("save") == "true" {
			p["save"] = true
		}
		return p
	})
	s.form("POST /runs/{id}/fix", s.findFix)
	s.form("POST /runs/{id}/save", s.saveRun)
}

func listed(values []string) (out []any) {
	for _, v := range values {
		if v != "" {
			out = append(out, v)
		}
	}
	return out
}

// yesAndAgain is what forms say of approvals, and of what may repeat an effect.
func yesAndAgain(r *http.Request) Params {
	p := Params{}
	if yes := listed(r.PostForm["yes"]); len(yes) > 0 {
		p["yes"] = yes
	}
	if r.PostForm.Get("again") == "true" {
		p["again"] = true
	}
	return p
}

const inputPrefix, wasPrefix = "input.", "was."

// changedInputs are the inputs of a form that are others than they were.
func changedInputs(form url.Values) map[string]any {
	out := map[string]any{}
	for name, values := range form {
		name, ok := strings.CutPrefix(name, inputPrefix)
		if v := strings.ReplaceAll(values[0], "\r\n", "\n"); ok && v != form.Get(wasPrefix+name) {
			out[name] = v
		}
	}
	return out
}

// runPost adds a form that begins a command about a run. It leads to the run that comes of it, or asks what the command asks.
func (s *Server) runPost(name, endpoint string, params func(r *http.Request) Params) {
	s.act("POST /runs/{id}/"+name, func(r *http.Request) (string, *view, error) {
		next, asked, err := s.begun(r, endpoint, params)
		if err != nil || asked == nil {
			return next, nil, err
		}
		return "", &view{Template: "run_question", Title: asked.Title(), Section: "runs", Data: asked, Status: http.StatusConflict}, nil
	})
}

func (s *Server) begun(r *http.Request, endpoint string, params func(r *http.Request) Params) (next string, asked *runQuestion, err error) {
	p := params(r)
	p["id"] = r.PathValue("id")
	j, err := s.Begin(endpoint, p)
	if err != nil {
		return "", nil, err
	}
	id, err := j.Run(r.Context())
	settled, cancel := withSettling(r)
	defer cancel()
	res, late := j.Wait(settled)
	switch {
	case late == nil && res.Exit == outcome.Done && id == "" && j.unkept() == nil: // it began no run: it was one of another process, or was given up
		return "/runs/" + url.PathEscape(r.PathValue("id")), nil, nil
	case err == nil:
		return "/runs/" + url.PathEscape(id), nil, nil
	case late != nil:
		return "", nil, err
	}
	var failed *Error
	if errors.As(err, &failed) && (failed.Exit == outcome.Declined || failed.Exit == outcome.Missing) {
		asked, err = s.question(r, endpoint, res)
		return "", asked, err
	}
	return "", nil, err
}

// question makes of a command that declined the question that it asks.
func (s *Server) question(r *http.Request, endpoint string, res *Result) (*runQuestion, error) {
	d, err := s.run(r.Context(), r.PathValue("id"), Params{"limit": 1, "cut": 1}, "", 0)
	if err != nil {
		return nil, err
	}
	q := &runQuestion{runSaid: saidOf(res), Run: &d.Run, Action: r.URL.Path}
	q.Repeats = q.Repeats && slices.ContainsFunc(s.endpoint(endpoint).Params, func(p Param) bool { return p.Name == againInRun.Name })
	for name, values := range r.PostForm {
		if name == "token" || name == "once" {
			continue
		}
		for _, v := range values {
			q.Fields = append(q.Fields, formField{name, v})
		}
	}
	slices.SortFunc(q.Fields, func(a, b formField) int { return strings.Compare(a.Name, b.Name) })
	var lacks struct {
		Missing []struct {
			Name        string `json:"name"`
			Type        string `json:"type"`
			Description string `json:"description"`
			Secret      bool   `json:"secret"`
		} `json:"missing_params"`
	}
	if res.Exit == outcome.Missing && json.Unmarshal(res.Stdout, &lacks) == nil {
		for _, m := range lacks.Missing {
			q.Missing = append(q.Missing, inputField{Name: m.Name, Type: m.Type, Description: m.Description, Secret: m.Secret, Required: true, Lines: m.Type == "object" || m.Type == "array"})
		}
	}
	return q, nil
}

// saveRun saves the workflow of a run.
func (s *Server) saveRun(r *http.Request) (string, error) {
	name := strings.TrimSpace(r.PostForm.Get("name"))
	p := Params{"id": r.PathValue("id"), "name": name, "next": r.PostForm.Get("next") == "true"}
	if d := strings.TrimSpace(r.PostForm.Get("description")); d != "" {
		p["description"] = d
	}
	if err := s.Call(r.Context(), "saveRun", p, nil); err != nil {
		return "", err
	}
	return "/library/" + url.PathEscape(name), nil
}

// withSettling is the time that a form waits for a command that may end at once.
func withSettling(r *http.Request) (context.Context, context.CancelFunc) {
	return context.WithTimeout(r.Context(), settling)
}
