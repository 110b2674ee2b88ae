package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/planner"
	"pflow/internal/runs"
	"pflow/internal/value"
)

// approvedRequest is the run of a plan that was approved.
type approvedRequest struct {
	row     runs.Row
	request string
	stdin   any
	day     string
	plan    *planner.Result
}

func (r *approvedRequest) leftOut(why string) casesLeftOut {
	return casesLeftOut{r.row.ID, r.row.Request, why}
}

// approvedRequests reads the plans of the history that were approved, oldest first.
func (a *app) approvedRequests(ctx context.Context, q runs.Query) ([]approvedRequest, *casesMade, error) {
	made := &casesMade{Schema: experimentCasesSchema, LeftOut: []casesLeftOut{}}
	rows, err := a.history().List(q)
	if err != nil {
		return nil, nil, fail(exitFailed, "the runs in %s: %s", a.home().Path("runs"), fileError(err))
	}
	slices.Reverse(rows)
	made.started = map[string]time.Time{}
	var out []approvedRequest
	for _, row := range rows {
		made.started[row.ID] = row.Started
		r := approvedRequest{row: row}
		ok, why, err := a.wasApproved(ctx, &r)
		switch {
		case err != nil:
			made.LeftOut = append(made.LeftOut, r.leftOut(strings.TrimSpace(err.Error())))
		case why != "":
			made.LeftOut = append(made.LeftOut, r.leftOut(why))
		case ok:
			out = append(out, r)
		}
	}
	return out, made, nil
}

// wasApproved reads the plan of a run, if a person approved it. why says why an approved one is no case.
func (a *app) wasApproved(ctx context.Context, r *approvedRequest) (ok bool, why string, err error) {
	if r.row.Decided == runs.ByDeclining || r.row.Status != runs.Ready && r.row.Status != runs.NeedsInput {
		return false, "", nil
	}
	children, err := a.history().Children(r.row.ID)
	if err != nil {
		return false, "", err
	}
	children = slices.DeleteFunc(children, func(c runs.Row) bool { return c.Kind != journal.OfWorkflow })
	if r.row.Decided == "" && (len(children) == 0 || children[0].Status != runs.Done) {
		return false, "", nil // nobody was asked, and no run says that it was right
	}
	if mended, err := a.wasMended(runs.Row{}, children); mended || err != nil {
		return false, "its workflow was mended afterwards, so the plan was not right", err
	}
	s, err := a.showRun(r.row)
	if err != nil {
		return false, "", err
	}
	_, past, _, err := a.readRun(r.row.ID)
	if err != nil || s.Plan == nil || len(past.History.Events) == 0 {
		return false, "its journal does not tell the plan", err
	}
	start := past.History.Events[0]
	r.plan, r.stdin = s.Plan, start.Input["stdin_data"]
	r.request, _ = start.Input["user_input"].(string)
	if r.day, _ = start.Input["current_date"].(string); r.day == "" {
		r.day = start.Time.Format(time.DateOnly)
	}
	if r.row.Decided == runs.ByEditing {
		if len(children) == 0 {
			return false, "it was edited and never run, so what was approved is not in the history", nil
		}
		if err := a.takeEdited(r, children[0].ID); err != nil {
			return false, "", err
		}
	}
	if a.holdsSecret(ctx, r) {
		return false, "a secret stands in it", nil
	}
	return true, "", nil
}

// wasMended reports whether one of the runs that came of a run, or what came of those, was a fix, or a retry of a run that failed with
// another workflow or other inputs that was done.
func (a *app) wasMended(of runs.Row, list []runs.Row) (bool, error) {
	for _, row := range list {
		if row.By == journal.ByFix {
			return true, nil
		}
		if row.By == journal.ByRetry && of.Status == runs.Failed && row.Status == runs.Done {
			if changed, err := a.runsDiffer(of.ID, row.ID); changed || err != nil {
				return changed, err
			}
		}
		more, err := a.history().Children(row.ID)
		if err != nil {
			return false, err
		}
		if mended, err := a.wasMended(row, more); mended || err != nil {
			return mended, err
		}
	}
	return false, nil
}

// runsDiffer reports whether two runs are of different workflows, or got different inputs.
func (a *app) runsDiffer(one, other string) (bool, error) {
	var workflows, inputs [2]string
	for i, id := range []string{one, other} {
		saved, _, _, err := a.fromRun(id)
		if err != nil {
			return false, err
		}
		_, past, _, err := a.readRun(id)
		if err != nil {
			return false, err
		}
		workflows[i] = saved.Workflow().Hash()
		if len(past.History.Events) > 0 {
			inputs[i] = value.JSON(past.History.Events[0].Input)
		}
	}
	return workflows[0] != workflows[1] || inputs[0] != inputs[1], nil
}

// takeEdited takes the workflow and its values from the run that was made of an edited plan.
func (a *app) takeEdited(r *approvedRequest, run string) error {
	saved, _, _, err := a.fromRun(run)
	if err != nil {
		return err
	}
	_, past, _, err := a.readRun(run)
	if err != nil {
		return err
	}
	doc, err := value.ParseJSON(saved.IR())
	if err != nil {
		return err
	}
	edited := *r.plan
	edited.Status, edited.Path, edited.WorkflowIR, edited.WorkflowName, edited.MissingParams = planner.Ready, "generate", doc, saved.Name, nil
	if len(past.History.Events) > 0 && past.History.Events[0].Kind == engine.EventStart {
		edited.ExecutionParams = past.History.Events[0].Input
	}
	r.plan = &edited
	return nil
}

// maskBegins is how what stands for a secret begins: mask.Env.
const maskBegins = `{"$env":`

// holdsSecret reports whether a secret stands, or stood, in what would become a case.
func (a *app) holdsSecret(ctx context.Context, r *approvedRequest) bool {
	found := a.withoutKeys(ctx, "the request", r.request) != nil
	look := func(text string) {
		found = found || strings.Contains(strings.ReplaceAll(text, " ", ""), maskBegins) || a.withoutKeys(ctx, "a value", text) != nil
	}
	look(r.request)
	for _, v := range []any{r.stdin, r.plan.WorkflowIR, r.plan.ExecutionParams} {
		value.EachText(v, look)
	}
	return found || strings.Contains(value.JSON(r.plan.ExecutionParams), `"$env"`)
}
