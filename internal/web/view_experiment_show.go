package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// shownExperiment is an experiment as it was run.
type shownExperiment struct {
	ID          string         `json:"id"`
	Begun       time.Time      `json:"begun"`
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Command     string         `json:"command"`
	Asked       *asked         `json:"asked"`
	Cases       int            `json:"cases"`
	Rows        int            `json:"rows"`
	Total       int            `json:"total"`
	Replies     string         `json:"replies"`
	Variants    []shownVariant `json:"variants"`
	Document    any            `json:"document"`
}

// asked is what an experiment was begun with.
type asked struct {
	Flow       string      `json:"flow"`
	A          string      `json:"a"`
	B          []string    `json:"b"`
	Cases      string      `json:"cases"`
	Repeats    int         `json:"repeats"`
	Primary    string      `json:"primary"`
	Effect     json.Number `json:"effect"`
	Model      string      `json:"model"`
	AllowEqual bool        `json:"allow_equal"`
}

// moreCases is the form that asks the same on more cases.
type moreCases struct {
	*asked
	Needed int // about so many cases in all
	Has    int
	Same   bool        // these cases can be chosen again
	Kept   []keptCases // other sets
}

// more is the form for a verdict that more cases would decide; nil where there is none, or nothing says what to ask again.
func (s *Server) more(r *http.Request, x *shownExperiment, report *experimentReport) (*moreCases, error) {
	further := 0
	for _, c := range report.Comparisons {
		if c.Verdict == "EXTEND" {
			further = max(further, c.Further)
		}
	}
	if further == 0 || x.Asked == nil || x.Missing() > 0 {
		return nil, nil
	}
	again := askedExperiment{A: x.Asked.A, B: strings.Join(x.Asked.B, "\n"), Flow: x.Asked.Flow, Primary: x.Asked.Primary, Effect: x.Asked.Effect.String(), Model: x.Asked.Model}.params()
	form := s.endpoint("prepareExperiment")
	if form.check(again) != nil {
		return nil, nil // it was begun with files that the page does not open
	}
	if x.Asked.Cases != "" {
		again["cases"] = x.Asked.Cases
	}
	var kept struct {
		Cases []keptCases `json:"cases"`
	}
	if err := s.Call(r.Context(), "listCases", nil, &kept); err != nil {
		return nil, err
	}
	out := &moreCases{asked: x.Asked, Has: x.Cases, Needed: x.Cases + further, Same: form.check(again) == nil}
	for _, c := range kept.Cases {
		if c.Name != x.Asked.Cases {
			out.Kept = append(out.Kept, c)
		}
	}
	return out, nil
}

type shownVariant struct {
	Name    string `json:"name"`
	Flow    string `json:"flow"`
	Rev     string `json:"rev"`
	Model   string `json:"model"`
	Hash    string `json:"hash"`
	Prompts []struct {
		Name string `json:"name"`
		Path string `json:"path"`
	} `json:"prompts"`
	Set []struct {
		Path  string `json:"path"`
		Value string `json:"value"`
	} `json:"set"`
}

// Missing is how many plans are still to be made.
func (x *shownExperiment) Missing() int { return max(0, x.Total-x.Rows) }

// Share is how much of it is made, from 0 to 1.
func (x *shownExperiment) Share() string {
	return fmt.Sprintf("%.3f", float64(x.Rows)/float64(max(1, x.Total)))
}

func (s *Server) showExperiment(r *http.Request) (view, error) {
	var data struct {
		X        shownExperiment
		Report   *experimentReport
		More     *moreCases // nil where more cases would not decide it
		Matrix   *experimentMatrix
		Running  bool
		Job      *Job
		Said     []string // by a job that ended badly
		Formats  []reportFormat
		Document string
	}
	id := r.PathValue("id")
	if err := s.Call(r.Context(), "showExperiment", Params{"id": id}, &data.X); err != nil {
		return view{}, err
	}
	data.Job, data.Running = s.experimentJob(data.X.ID)
	if data.Job != nil && !data.Running && data.X.Missing() > 0 {
		data.Said = data.Job.said(3)
	}
	v := view{Template: "experiments_show", Title: data.X.Name, Section: "experiments", Data: &data}
	if data.Running {
		v.Events = data.Job.Events()
		data.Said = data.Job.said(200)
	} else if data.X.Rows > 0 {
		var err error
		if data.Report, err = s.reportOf(r, &data.X); err != nil {
			return view{}, err
		}
		if data.More, err = s.more(r, &data.X, data.Report); err != nil {
			return view{}, err
		}
	}
	data.Formats = reportFormats
	var err error
	data.Matrix, err = s.matrixOf(r, data.X.ID)
	data.Document = jsonText(data.X.Document, "  ")
	return v, err
}
