package main

import (
	"slices"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/library"
	"pflow/internal/workflow"
)

// fromRun gives the workflow that a run was made of: the record that a request would have saved, else its document alone.
// ended is how the run ended, nil where that says nothing of the workflow.
func (a *app) fromRun(id string) (r *library.Record, src workflow.Source, ended *library.Ended, err error) {
	id, past, documents, err := a.readRun(id)
	switch {
	case err != nil:
		return nil, src, nil, err
	case !workflow.IsDocuments(documents):
		return nil, src, nil, usage("run %s is no run of a workflow; a request whose plan was not run is planned again", id)
	}
	again, err := workflow.Reload(documents, a.nodeTypes())
	if err != nil {
		return nil, src, nil, err
	}
	document := again.Source.Draft
	if document == nil {
		document = again.Source.Workflow.Encode()
	}
	r, _, err = library.Parse("the workflow of the run", document)
	if err != nil {
		return nil, src, nil, err
	}
	return r, workflow.Source{Name: r.Name, Workflow: r.Workflow()}, endOf(id, past), nil
}

// endOf is how a run of a workflow ended, as its journal tells: by the last error in it.
func endOf(id string, past *journal.Past) *library.Ended {
	events := past.History.Events
	e := &library.Ended{Run: id, At: events[0].Time.Add(events[len(events)-1].At)}
	switch past.Status {
	case engine.Done:
		return e
	case engine.Failed, engine.Limited:
		e.Failed = true
	default:
		return nil
	}
	for _, ev := range slices.Backward(events) {
		if ev.Err != nil {
			e.Kind, e.Message = ev.Err.Kind, ev.Err.Message
			return e
		}
	}
	return e
}
