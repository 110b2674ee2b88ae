package main

import (
	"context"
	"fmt"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/planner"
	"pflow/internal/workflow"
)

// unfinished is the status of a run that has not ended: it goes on, or its process was killed.
const unfinished workflow.Status = "unfinished"

// readRun reads the run of the home that is meant by an id, which may be shortened, and gives the whole one.
func (a *app) readRun(given string) (string, *journal.Past, []byte, error) {
	row, err := a.findRun(given)
	if err != nil {
		return "", nil, nil, err
	}
	id := row.ID
	past, documents, err := journal.Read(a.homeDir(), id)
	if err != nil {
		return "", nil, nil, usage("run %s: %s", id, fileError(err))
	}
	return id, past, documents, nil
}

// Get implements mcpserve.Host.
func (h *mcpHost) Get(ctx context.Context, id string) (any, error) {
	a, _, err := h.begin(ctx)
	if err != nil {
		return nil, err
	}
	id, past, documents, err := a.readRun(id)
	if err != nil {
		return nil, inWords(err)
	}
	if !workflow.IsDocuments(documents) {
		return a.pastPlan(id, past, documents)
	}
	_, program, err := a.reload(id, past, documents)
	if err != nil {
		return nil, inWords(err)
	}
	res, err := program.Past(&past.History, past.Status, engine.Watch{})
	if err != nil {
		return nil, inWords(err)
	}
	if res.RunID = id; past.Status == "" {
		res.Status = unfinished
	}
	return runAnswer{Result: res}, nil
}

// pastPlan is how far the run of a flow came, with its plan, if it made one.
func (a *app) pastPlan(id string, past *journal.Past, documents []byte) (any, error) {
	flow, err := a.host().Recorded(documents)
	if err != nil {
		return nil, inWords(err)
	}
	run, err := engine.Replay(flow, &past.History, engine.Watch{})
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", id, err)
	}
	res := run.Result()
	res.RunID = id
	if res.Error == nil {
		res.Status = past.Status
	}
	out := map[string]any{"status": string(res.Status), "run_id": id, "flow": flow.Name, "steps": res.Steps, "error": res.Error}
	switch {
	case past.Status == "":
		out["status"] = string(unfinished)
	case planner.Is(flow) && past.Status == engine.Done:
		out["plan"] = planner.Of(flow, res)
	}
	return out, nil
}
