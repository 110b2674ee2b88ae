package web

import (
	"fmt"
	"net/http"
	"time"
)

// shownExperiment is an experiment as it was run.
type shownExperiment struct {
	ID          string         `json:"id"`
	Begun       time.Time      `json:"begun"`
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Command     string         `json:"command"`
	Cases       int            `json:"cases"`
	Rows        int            `json:"rows"`
	Total       int            `json:"total"`
	Replies     string         `json:"replies"`
	Variants    []shownVariant `json:"variants"`
	Document    any            `json:"document"`
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
	}
	data.Formats = reportFormats
	var err error
	data.Matrix, err = s.matrixOf(r, data.X.ID)
	data.Document = jsonText(data.X.Document, "  ")
	return v, err
}
