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

// runDiff is where two runs part.
type runDiff struct {
	A           runRow          `json:"a"`
	B           runRow          `json:"b"`
	PartsAt     string          `json:"parts_at"`
	Differences []runDifference `json:"differences"`
}

type runDifference struct {
	Step string `json:"step"`
	What string `json:"what"`
	A    any    `json:"a"`
	B    any    `json:"b"`
}

// Was and Is are the two values.
func (d runDifference) Was() shownValue { return valueOf("", d.A) }
func (d runDifference) Is() shownValue  { return valueOf("", d.B) }

// diffGroup are the differences of a step.
type diffGroup struct {
	Step        string // "" of the run itself
	Differences []runDifference
}

func (s *Server) diffRuns(r *http.Request) (view, error) {
	var d runDiff
	if err := s.Call(r.Context(), "diffRuns", Params{"id": r.PathValue("id"), "other": r.PathValue("other")}, &d); err != nil {
		return view{}, err
	}
	groups := []diffGroup{{}} // of the run itself first
	at := map[string]int{"": 0}
	for _, x := range d.Differences {
		i, ok := at[x.Step]
		if !ok {
			i, at[x.Step] = len(groups), len(groups)
			groups = append(groups, diffGroup{Step: x.Step})
		}
		groups[i].Differences = append(groups[i].Differences, x)
	}
	if len(groups[0].Differences) == 0 {
		groups = groups[1:]
	}
	left := max(0, len(groups)-100)
	groups = groups[:len(groups)-left]
	return view{Template: "run_diff", Title: "Two runs compared", Section: "runs", Data: map[string]any{"A": &d.A, "B": &d.B, "PartsAt": d.PartsAt, "Groups": groups, "Left": left}}, nil
}

// stepStats is how long a step took over many runs.
type stepStats struct {
	Step     string  `json:"step"`
	Type     string  `json:"type"`
	Inside   bool    `json:"inside"`
	N        int     `json:"n"`
	P50      float64 `json:"p50_ms"`
	P95      float64 `json:"p95_ms"`
	P99      float64 `json:"p99_ms"`
	Max      float64 `json:"max_ms"`
	Failures int     `json:"failures"`
	Retries  int     `json:"retries"`
	Share    float64 `json:"share"`
	Targets  []struct {
		Percent  int     `json:"percent"`
		WithinMS float64 `json:"within_ms"`
		SeenMS   float64 `json:"seen_ms"`
		Met      bool    `json:"met"`
	} `json:"targets"`
}

// Percent is the share in percent.
func (s stepStats) Percent() int { return int(s.Share*100 + 0.5) }

func (s *Server) runStats(r *http.Request) (view, error) {
	q := r.URL.Query()
	f := runsFilter{Kind: q.Get("kind"), Workflow: strings.TrimSpace(q.Get("workflow")), Since: strings.TrimSpace(q.Get("since"))}
	var got struct {
		Runs   int  `json:"runs"`
		More   bool `json:"more"`
		Unread int  `json:"unread"`
		Of     []struct {
			Kind  string      `json:"kind"`
			Name  string      `json:"name"`
			Runs  int         `json:"runs"`
			Whole stepStats   `json:"whole"`
			Steps []stepStats `json:"steps"`
		} `json:"of"`
	}
	p := f.params()
	p["limit"] = 200
	err := s.Call(r.Context(), "statsOfRuns", p, &got)
	v := view{Template: "run_stats", Title: "How long steps take", Section: "runs"}
	wrong := f.wrong(err)
	if wrong != "" {
		v.Status = http.StatusBadRequest
	} else if err != nil {
		return view{}, err
	}
	v.Data = map[string]any{"Stats": got, "Filter": f, "Inside": q.Get("inside") == "true", "Wrong": wrong}
	return v, nil
}
