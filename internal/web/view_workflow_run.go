package web

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"

	"pflow/internal/outcome"
)

// runForm is the form of a run: the declared inputs, with what was given.
type runForm struct {
	*workflowShown
	Fields   []runField
	Piped    string
	Pipes    bool // piped text is read
	Dry      *dryRun
	Destroys []string // what the run destroys, which has to be agreed to
	Shown    string   // stands for all of the steps, where one destroys
	Error    *Error
}

// runField is an input with what was given for it.
type runField struct {
	inputShown
	Value string
	Lacks bool // a value is needed
}

// Rows are the lines of its box.
func (f runField) Rows() int {
	n := strings.Count(f.Value, "\n") + 1
	if f.Type == "object" || f.Type == "array" {
		n = max(n, 3)
	}
	return min(n, 16)
}

// dryRun is what a run would do.
type dryRun struct {
	Inputs   map[string]any
	Steps    []dryStep
	Warnings []string
}

type dryStep struct {
	Node, Type, Purpose string
	Params              map[string]any
	Pending             []string
	Items               any
	Settings            map[string]any
	Approval            bool
	Destroys            string
	Replaces, Appends   []string
	Absent              []string // what it reads that is not there
	Changes             []string
	Refused             string
}

// destroys names what a run destroys, step by step.
func (d *dryRun) destroys() (out []string) {
	for _, step := range d.Steps {
		if step.Destroys != "" {
			out = append(out, step.Node+" ("+step.Type+"): "+step.Destroys)
		}
	}
	return out
}

// newRunForm is the form of a workflow, with its defaults.
func newRunForm(w *workflowShown) *runForm {
	f := &runForm{workflowShown: w, Pipes: strings.Contains(string(w.IR), "$stdin") || strings.Contains(string(w.IR), "${stdin")}
	for _, in := range w.Inputs {
		f.Fields = append(f.Fields, runField{inputShown: in, Value: in.Text()})
		f.Pipes = f.Pipes || in.FromStdin
	}
	return f
}

// Few reports whether all steps of a dry run are shown with their params.
func (f *runForm) Few() bool { return f.Dry != nil && len(f.Dry.Steps) <= 8 }

func (f *runForm) view(status int) *view {
	return &view{Template: "workflow_run", Title: "Run " + f.Ref, Section: "library", Data: f, Status: status}
}

// read takes what the form was sent with, and gives the values that are no defaults.
func (f *runForm) read(r *http.Request) map[string]any {
	given := map[string]any{}
	for i := range f.Fields {
		in := &f.Fields[i]
		if _, sent := r.PostForm["in."+in.Name]; !sent || in.Secret {
			continue
		}
		in.Value = textOf(r, "in."+in.Name)
		switch {
		case in.HasDefault() && in.Value == in.Text():
		case in.Value == "" && !(in.HasDefault() && in.Type == "string"): // a text that was emptied is meant to be empty
		default:
			given[in.Name] = in.Value
		}
	}
	f.Piped = textOf(r, "stdin")
	return given
}

// fail says why there is no run. Where values are missing, their fields say so.
func (f *runForm) fail(res *Result) {
	f.Error = res.failure()
	var lacks struct {
		Missing []struct {
			Name string `json:"name"`
		} `json:"missing_params"`
	}
	if res.Exit != outcome.Missing || res.decode(&lacks) != nil {
		return
	}
	for _, m := range lacks.Missing {
		for i := range f.Fields {
			if f.Fields[i].Name == m.Name {
				f.Fields[i].Lacks, f.Error = true, nil
			}
		}
	}
}

// Lacks are the fields that need a value, by their numbers.
func (f *runForm) Lacks() (out []int) {
	for i := range f.Fields {
		if f.Fields[i].Lacks {
			out = append(out, i)
		}
	}
	return out
}

func (f *runForm) params(given map[string]any) Params {
	p := Params{"name": f.Ref, "inputs": given}
	if f.Piped != "" {
		p["stdin"] = f.Piped
	}
	return p
}

func (s *Server) runForm(r *http.Request) (view, error) {
	w, err := s.workflow(r)
	if err != nil {
		return view{}, err
	}
	f := newRunForm(w)
	for i := range f.Fields { // a link may give values
		if v := r.URL.Query().Get("in." + f.Fields[i].Name); v != "" && !f.Fields[i].Secret {
			f.Fields[i].Value = v
		}
	}
	return *f.view(0), nil
}

// foresee carries a dry run out. Where that cannot be, the form says why.
func (s *Server) foresee(r *http.Request, f *runForm, given map[string]any) (ok bool, err error) {
	res, err := s.carry(r.Context(), s.endpoint("dryRunWorkflow"), f.params(given), nil)
	if err != nil {
		return false, err
	}
	if res.Exit != outcome.Done {
		f.fail(res)
		return false, nil
	}
	f.Dry = &dryRun{}
	if err := res.decode(f.Dry); err != nil {
		return false, err
	}
	if f.Destroys = f.Dry.destroys(); len(f.Destroys) > 0 {
		sum := sha256.Sum256(res.Stdout)
		f.Shown = hex.EncodeToString(sum[:])
	}
	return true, nil
}

func (s *Server) dryRunWorkflow(r *http.Request) (string, *view, error) {
	w, err := s.workflow(r)
	if err != nil {
		return "", nil, err
	}
	f := newRunForm(w)
	ok, err := s.foresee(r, f, f.read(r))
	if err != nil {
		return "", nil, err
	}
	if !ok {
		return "", f.view(http.StatusUnprocessableEntity), nil
	}
	return "", f.view(0), nil
}

// runWorkflow begins a run. What it destroys is what was agreed to, or it is asked again.
func (s *Server) runWorkflow(r *http.Request) (string, *view, error) {
	w, err := s.workflow(r)
	if err != nil {
		return "", nil, err
	}
	f := newRunForm(w)
	given := f.read(r)
	ok, err := s.foresee(r, f, given)
	if err != nil {
		return "", nil, err
	}
	if !ok {
		return "", f.view(http.StatusUnprocessableEntity), nil
	}
	if seen := r.PostFormValue("revision"); seen != "" && seen != f.Revision {
		f.Error = &Error{Message: "Nothing was run: " + f.Ref + " was changed since this page was shown. See what it does now."}
		return "", f.view(http.StatusConflict), nil
	}
	p := f.params(given)
	var approve []any
	if len(f.Destroys) > 0 {
		if !slices.Equal(r.PostForm["destroys"], f.Destroys) || r.PostFormValue("shown") != f.Shown {
			f.Error = &Error{Message: "Nothing was run: this run destroys what is there. See what, and agree to it."}
			return "", f.view(http.StatusConflict), nil
		}
		approve = append(approve, "foreseen")
	}
	if r.PostFormValue("approve") == "plan" {
		approve = append(approve, "plan")
	}
	if len(approve) > 0 {
		p["approve"] = approve
	}
	job, err := s.Begin("runWorkflow", p)
	if err != nil {
		return "", nil, err
	}
	run, err := job.Run(r.Context())
	if err != nil {
		f.Error = asError(err)
		status := http.StatusUnprocessableEntity
		if f.Error.Status == http.StatusInternalServerError {
			status = f.Error.Status
		}
		return "", f.view(status), nil
	}
	return "/runs/" + run, nil, nil
}
