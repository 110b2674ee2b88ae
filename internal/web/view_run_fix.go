package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"pflow/internal/outcome"
)

// runFix is a fix as `pflow runs fix --json` tells of it.
type runFix struct {
	Run     string `json:"run"`
	FixRun  string `json:"fix_run"`
	Status  string `json:"status"`
	By      string `json:"by"`
	Why     string `json:"why"`
	Failure struct {
		Step    string `json:"step"`
		Type    string `json:"type"`
		Kind    string `json:"kind"`
		Message string `json:"message"`
		Params  any    `json:"params"`
	} `json:"failure"`
	Name       string         `json:"name"`
	SaveAs     string         `json:"save_as"`
	Next       bool           `json:"next"`
	Inputs     map[string]any `json:"inputs"`
	Changes    []change       `json:"changes"`
	NewEffects []string       `json:"new_effects"`
	Digest     string         `json:"digest"`
}

// Given are the params of the step that failed.
func (f *runFix) Given() []shownValue { return valuesOf(f.Failure.Params) }

// fixPage is what templates/run_fix.html shows.
type fixPage struct {
	Run  *runRow
	Kept bool    // the library has its workflow
	Fix  *runFix // nil while it is looked for, and where it is not known any more
	Job  *Job
	Busy bool
	None *Error // why there is none
	Log  []string
}

// Looked reports whether a fix was looked for, and none was found.
func (p *fixPage) Looked() bool { return p.None.Exit == outcome.Unplanned }

// Edit is the editor of the workflow, if it is a saved one.
func (p *fixPage) Edit() string {
	name, _, _ := strings.Cut(p.Run.Name, "@")
	if !p.Kept {
		return ""
	}
	return "/library/" + url.PathEscape(name) + "/edit"
}

// findFix begins to look for a fix of a run, and goes to the page that shows it.
func (s *Server) findFix(r *http.Request) (string, error) {
	id := r.PathValue("id")
	j, err := s.Begin("fixRun", Params{"id": id, "dry_run": true})
	if err != nil {
		return "", err
	}
	settle(r, j)
	return "/runs/" + url.PathEscape(id) + "/fix?job=" + url.QueryEscape(j.ID), nil
}

func (s *Server) showFix(r *http.Request) (view, error) {
	d, err := s.run(r.Context(), r.PathValue("id"), Params{"limit": 1, "cut": 1}, "", 0)
	if err != nil {
		return view{}, err
	}
	p := &fixPage{Run: &d.Run, Kept: d.Saved == "yes"}
	v := view{Template: "run_fix", Title: "Fix of " + shortText(d.Run.What(), 50), Section: "runs", Data: p}
	j := s.jobs.get(r.URL.Query().Get("job"))
	if j == nil || j.Endpoint != "fixRun" {
		return v, nil
	}
	p.Job = j
	res := j.Result()
	if res == nil {
		p.Busy, v.Events = true, j.Events()
		return v, nil
	}
	fix := &runFix{}
	if json.Unmarshal(res.Stdout, fix) == nil && fix.Run == d.Run.ID {
		p.Fix = fix
	}
	if p.Fix == nil || p.Fix.Status != "found" {
		p.None = res.failure()
	}
	return v, nil
}

// settle waits a little for the end of a job.
func settle(r *http.Request, j *Job) {
	ctx, cancel := withSettling(r)
	defer cancel()
	_, _ = j.Wait(ctx) // what goes on is looked at on its page
}
