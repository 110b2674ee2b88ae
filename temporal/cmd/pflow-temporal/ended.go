package main

import (
	"encoding/json"

	"pflow/engine"
	"pflow/internal/outcome"
	"pflow/internal/value"
	"pflow/temporal/drive"
)

// told is what a result of a workflow or a flow says, as both have it.
type told struct {
	Error    *engine.RunError `json:"error"`
	Warnings []string         `json:"warnings"`
	Outputs  json.RawMessage  `json:"outputs"` // of a workflow
	Store    json.RawMessage  `json:"store"`   // of a flow
}

// ended prints how a run ended and gives the error that stands for it, as pflow run does.
func (a *app) ended(id string, e *drive.Ended) error {
	var res told
	if err := json.Unmarshal(e.Result, &res); err != nil {
		return fail(outcome.Failed, "the result of run %s cannot be read: %v", id, err)
	}
	for _, w := range res.Warnings {
		a.warn("%s", w)
	}
	switch {
	case a.asJSON:
		if err := a.printJSON(e.Result); err != nil {
			return err
		}
	case e.Status == engine.Done:
		if err := a.printResult(&res); err != nil {
			return err
		}
	}
	switch {
	case e.Status == engine.Done:
		return nil
	case e.Status == engine.Cancelled:
		return fail(outcome.Failed, "the run was cancelled")
	case res.Error != nil:
		return fail(outcome.Failed, "%s; its steps: pflow-temporal show %s --json", outcome.Failure(res.Error), id)
	}
	return fail(outcome.Failed, "run %s ended: %s", id, e.Status)
}

// printResult prints the outputs of a workflow, or the store of a flow.
func (a *app) printResult(res *told) error {
	if res.Outputs == nil {
		return a.printJSON(res.Store)
	}
	v, err := value.ParseWritten(res.Outputs)
	if err != nil {
		return err
	}
	outputs, _ := v.(map[string]any)
	return outcome.Outputs(a.stdout, outputs)
}
