package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// experimentJob is the last job of this server that ran an experiment, nil if there is none, and whether it goes on.
func (s *Server) experimentJob(id string) (j *Job, runs bool) {
	s.jobs.mu.Lock()
	defer s.jobs.mu.Unlock()
	for _, at := range slices.Backward(s.jobs.order) {
		j := s.jobs.of[at]
		j.mu.Lock()
		of, ended := j.experiment, j.result != nil
		j.mu.Unlock()
		if of == id {
			return j, !ended
		}
	}
	return nil, false
}

// said is what a job wrote last to its standard error, at most so many lines.
func (j *Job) said(most int) []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	lines := linesOf(j.messages.String())
	return lines[max(0, len(lines)-most):]
}

// experimentBegun gives the page of the experiment that a job runs, as soon as it is there.
func experimentBegun(ctx context.Context, j *Job) (string, error) {
	if err := j.until(ctx, func() bool { return j.experiment != "" }); err != nil {
		return "", err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.experiment == "" {
		return "", j.result.failure()
	}
	return "/experiments/" + url.PathEscape(j.experiment), nil
}

// budget reads the bounds of a form.
func budget(form url.Values, p Params) {
	if v := strings.TrimSpace(form.Get("max_cost")); v != "" {
		p["max_cost"] = v
	}
	for _, name := range []string{"max_calls", "max_tokens"} {
		if n := numberOr(form.Get(name), 0); n > 0 {
			p[name] = n
		}
	}
}

func (s *Server) beginExperiment(r *http.Request) (string, error) {
	a := readAsked(r.PostForm)
	p := a.params()
	budget(r.PostForm, p)
	if r.PostForm.Get("again") == "true" {
		p["again"] = true
	}
	j, err := s.Begin("runExperiment", p)
	if err != nil {
		return "", err
	}
	return experimentBegun(r.Context(), j)
}

func (s *Server) resumeExperiment(r *http.Request) (string, error) {
	id := r.PathValue("id")
	if j, runs := s.experimentJob(id); runs {
		return experimentBegun(r.Context(), j)
	}
	p := Params{"id": id}
	budget(r.PostForm, p)
	if r.PostForm.Get("retry") == "true" {
		p["retry"] = true
	}
	j, err := s.Begin("resumeExperiment", p)
	if err != nil {
		return "", err
	}
	return experimentBegun(r.Context(), j)
}

// stopExperiment stops one that this server runs. What is made is kept.
func (s *Server) stopExperiment(r *http.Request) (string, error) {
	id := r.PathValue("id")
	j, runs := s.experimentJob(id)
	if !runs {
		return "", &Error{Status: http.StatusConflict, Message: "this page does not run the experiment " + id, Do: "if it runs in a terminal, stop it there by Ctrl-C"}
	}
	j.cancel()
	if _, err := j.Wait(r.Context()); err != nil {
		return "", err
	}
	return "/experiments/" + url.PathEscape(id), nil
}
