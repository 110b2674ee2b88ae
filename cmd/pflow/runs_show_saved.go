package main

import (
	"pflow/internal/runs"
	"pflow/internal/workflow"
)

// Whether the library has the workflow of a run.
const (
	ranSaved = "yes"
	ranGone  = "gone"  // it did when the run began
	ranDraft = "draft" // it is that of a plan, and is saved once its run is done
)

// ranOf tells whether the library has the workflow of a run; "" of one that was a file. It has a draft that was saved since.
func (a *app) ranOf(r *workflow.Reloaded) string {
	name := r.Source.Name
	switch there := a.library().Has(name); {
	case r.Source.Draft != nil:
		if now, _, err := a.library().Get(name); there && err == nil && now.Workflow().Hash() == r.Source.Workflow.Hash() {
			return ranSaved
		}
		return ranDraft
	case r.Env.Written.Workflow != name:
		return ""
	case there:
		return ranSaved
	}
	return ranGone
}

// savedText says of the workflow of a run that the library does not have it, where one may think so; "" else.
func (s *shownRun) savedText() string {
	switch {
	case s.Saved == ranGone:
		return "saved no more"
	case s.Saved != ranDraft:
		return ""
	case s.Run.Status == runs.Failed || s.Run.Status == runs.Limited:
		return "not saved, since its run failed"
	}
	return "not saved"
}
