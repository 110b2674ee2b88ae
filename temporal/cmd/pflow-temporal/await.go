package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"pflow/internal/fault"
	"pflow/internal/outcome"
	"pflow/temporal/drive"
)

// How often a run is asked whether it waits for somebody, at first and at last, and how long it may take to answer.
const (
	firstAsked = 200 * time.Millisecond
	lastAsked  = 3 * time.Second
	mayAnswer  = 5 * time.Second
)

// await waits until a run has ended or waits for somebody, and prints how it is.
func (a *app) await(ctx context.Context, id string) error {
	c, err := a.connect(ctx, silent{})
	if err != nil {
		return err
	}
	within, stop := context.WithCancel(ctx)
	defer stop()
	over := fault.Async(func() (*drive.Ended, error) { return result(within, c, id) })
	told := ""
	for pause := firstAsked; ; pause = min(2*pause, lastAsked) {
		select {
		case <-ctx.Done():
			return fail(outcome.Failed, "not waiting any longer; the run goes on: pflow-temporal show %s; stop it with: pflow-temporal cancel %[1]s", id)
		case got := <-over:
			if got.Err != nil {
				return a.lost(id, got.Err)
			}
			return a.ended(id, got.Value)
		case <-time.After(pause):
		}
		s, err := ask(ctx, c, id)
		if err == nil && s.Status == "waiting" && len(s.Waits) > 0 {
			return a.waiting(ctx, c, id, s)
		}
		if err != nil {
			if why := a.stuck(ctx, c, id); why != "" && why != told {
				a.warn("run %s does not go on: %s", id, why)
				told = why
			}
		}
	}
}

// stuck says why no worker takes a run on, "" if nothing speaks for that: the last of what came of it is that a worker failed.
func (a *app) stuck(ctx context.Context, c client.Client, id string) string {
	ctx, cancel := context.WithTimeout(ctx, mayAnswer)
	defer cancel()
	s, err := c.DescribeWorkflowExecution(ctx, id, "")
	if err != nil || s.GetWorkflowExecutionInfo().GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return ""
	}
	o, err := a.clientOptions(silent{})
	if err != nil {
		return ""
	}
	got, err := c.WorkflowService().GetWorkflowExecutionHistoryReverse(ctx, &workflowservice.GetWorkflowExecutionHistoryReverseRequest{
		Namespace: cmp.Or(o.Namespace, client.DefaultNamespace), Execution: s.GetWorkflowExecutionInfo().GetExecution(), MaximumPageSize: 10})
	if err != nil {
		return ""
	}
	for _, ev := range got.GetHistory().GetEvents() {
		switch {
		case ev.GetWorkflowTaskCompletedEventAttributes() != nil:
			return ""
		case ev.GetWorkflowTaskFailedEventAttributes() != nil:
			failure := ev.GetWorkflowTaskFailedEventAttributes().GetFailure()
			if o.FailureConverter != nil {
				return o.FailureConverter.FailureToError(failure).Error()
			}
			return failure.GetMessage()
		}
	}
	return ""
}

// waiting tells that a run waits for somebody.
func (a *app) waiting(ctx context.Context, c client.Client, id string, s *drive.State) error {
	if a.asJSON {
		shown, err := a.describe(ctx, c, id)
		if err != nil {
			return err
		}
		shown.Status, shown.State = s.Status, s
		if err := a.printJSON(shown); err != nil {
			return err
		}
	}
	return waits(id, s)
}

// result waits for how a run ended. A run that failed or was cancelled tells it in its error.
func result(ctx context.Context, c client.Client, id string) (*drive.Ended, error) {
	var ended drive.Ended
	err := c.GetWorkflow(ctx, id, "").Get(ctx, &ended)
	if err == nil {
		return &ended, nil
	}
	if ended := drive.EndedBy(err); ended != nil {
		return ended, nil
	}
	return nil, err
}

// lost is the error of a run that ended without a result.
func (a *app) lost(id string, err error) error {
	var none *serviceerror.NotFound
	var application *temporal.ApplicationError
	var cancelled *temporal.CanceledError
	var terminated *temporal.TerminatedError
	switch {
	case errors.As(err, &none):
		return usage("there is no run %q; pflow-temporal show lists those there are", id)
	case errors.As(err, &application):
		return fail(outcome.Failed, "run %s: %s", id, application.Message())
	case errors.As(err, &cancelled):
		return fail(outcome.Failed, "run %s was cancelled before anything was run", id)
	case errors.As(err, &terminated):
		return fail(outcome.Failed, "run %s was terminated", id)
	}
	return fail(outcome.Failed, "run %s: %v", id, err)
}

// ask asks a run for its state.
func ask(ctx context.Context, c client.Client, id string) (*drive.State, error) {
	ctx, cancel := context.WithTimeout(ctx, mayAnswer)
	defer cancel()
	got, err := c.QueryWorkflow(ctx, id, "", drive.StateQuery)
	if err != nil {
		return nil, err
	}
	s := &drive.State{}
	return s, got.Get(s)
}

// waits says what a run waits for, and how it is answered.
func waits(id string, s *drive.State) error {
	by := map[string][]drive.Wait{}
	for _, w := range s.Waits {
		by[w.Kind] = append(by[w.Kind], w)
	}
	answer := "pflow-temporal resume " + id
	var says []string
	code := outcome.Declined
	if list := by["input"]; list != nil {
		code = outcome.Missing
		var b strings.Builder
		words := []string{answer}
		for _, w := range list {
			fmt.Fprintf(&b, "\n  %s (%s)", w.Name, w.Type)
			if w.Description != "" {
				b.WriteString(": " + w.Description)
			}
			words = append(words, "--input "+w.Name+"="+strings.ToUpper(w.Type))
		}
		if s.Refused != "" {
			says = append(says, s.Refused)
		}
		says = append(says, fmt.Sprintf("run %s needs more to run:%s\ngive it: %s", id, b.String(), strings.Join(words, " ")))
	}
	if list := by["approval"]; list != nil {
		var names, words []string
		for _, w := range list {
			names, words = append(names, w.Step), append(words, "--approve "+w.Step)
		}
		says = append(says, fmt.Sprintf("the run waits for the approval of %s; approve and go on with: %s %s", strings.Join(names, ", "), answer, strings.Join(words, " ")))
	}
	for _, w := range by["decision"] {
		says = append(says, fmt.Sprintf("%s; run it again with: %s --retry; let it count as failed with: %[2]s --give-up", w.For, answer))
	}
	for _, w := range by["line"] {
		says = append(says, fmt.Sprintf("%s asks: %s; answer with: %s --line TEXT", w.Step, w.For, answer))
	}
	return fail(code, "%s", strings.Join(says, "\n"))
}
