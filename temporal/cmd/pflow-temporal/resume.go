package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"pflow/internal/outcome"
	"pflow/internal/value"
	"pflow/internal/workflow"
	"pflow/ir"
	"pflow/temporal/drive"
)

// answers are what a run is told.
type answers struct {
	approve       []string
	yes           bool
	retry, giveUp bool
	line, step    string
	inputs        []string
}

func (a *app) resumeCommand() *cobra.Command {
	by := &answers{}
	var detach bool
	c := &cobra.Command{
		Use:   "resume RUN",
		Short: "Tell a run what it waits for, and wait for its result",
		Long: `Tell a run what it waits for, and wait for its result: that a step is approved, what becomes of a step whose worker was lost
while it was under way, the line that a step asks for, or an input. Without any of them it waits on; a run that waits for inputs
looks again whether they are there.`,
		Example: "  pflow-temporal resume 20240115-120000-1a2b3c4d --approve publish\n  pflow-temporal resume 20240115-120000-1a2b3c4d --input name=Ada\n  pflow-temporal resume 20240115-120000-1a2b3c4d --retry",
		Args:    one("the run"),
		RunE: func(c *cobra.Command, args []string) error {
			if by.retry && by.giveUp {
				return usage("--retry and --give-up exclude each other: a step runs again, or it has failed")
			}
			if err := a.answer(c.Context(), args[0], by, c.Flags().Changed("line")); err != nil || detach {
				return err
			}
			return a.await(c.Context(), args[0])
		},
	}
	f := c.Flags()
	f.StringArrayVar(&by.approve, "approve", nil, "approve this `STEP`, also before it asks (repeatable)")
	f.BoolVarP(&by.yes, "yes", "y", false, "approve all steps that wait for it now")
	f.BoolVar(&by.retry, "retry", false, "run steps again that were under way when their worker was lost, also if that may repeat an effect")
	f.BoolVar(&by.giveUp, "give-up", false, "let them count as failed")
	f.StringVar(&by.line, "line", "", "the `TEXT` that a step asks for")
	f.StringVar(&by.step, "step", "", "the `STEP` that --retry, --give-up or --line is for (default: any)")
	f.StringArrayVarP(&by.inputs, "input", "i", nil, "an input that was missing: `KEY=VALUE` (repeatable)")
	f.BoolVar(&detach, "detach", false, "do not wait for the result")
	return c
}

// answer signals a run what it waits for.
func (a *app) answer(ctx context.Context, id string, by *answers, line bool) error {
	c, err := a.connect(ctx, silent{})
	if err != nil {
		return err
	}
	open, err := a.find(ctx, c, id)
	if err != nil {
		return err
	}
	nothing := len(by.approve) == 0 && !by.yes && !by.retry && !by.giveUp && !line && len(by.inputs) == 0
	if !open {
		if nothing {
			return nil
		}
		return usage("run %s is over; nothing was changed", id)
	}
	s, err := ask(ctx, c, id)
	if err != nil && (!nothing || errors.Is(err, context.Canceled)) {
		return a.unanswered(ctx, c, id, err)
	}
	signals, err := by.signals(s, line, nothing)
	if err != nil {
		return err
	}
	for _, s := range signals {
		if err := c.SignalWorkflow(ctx, id, "", s.name, s.value); err != nil {
			return fail(outcome.Failed, "run %s cannot be told: %v", id, err)
		}
	}
	return nil
}

// unanswered is the error of a run that does not say how it is.
func (a *app) unanswered(ctx context.Context, c client.Client, id string, err error) error {
	if there, e := a.served(ctx, c); e == nil && !there {
		return fail(outcome.Failed, "run %s does not answer: no worker takes runs from the queue %s; start one with: pflow-temporal worker%s", id, a.queue, a.onQueue())
	}
	if why := a.stuck(ctx, c, id); why != "" {
		return fail(outcome.Failed, "run %s does not go on: %s", id, why)
	}
	return fail(outcome.Failed, "run %s does not answer: %v", id, err)
}

// find reports whether a run is open.
func (a *app) find(ctx context.Context, c client.Client, id string) (bool, error) {
	s, err := a.describe(ctx, c, id)
	return err == nil && s.Ended == nil, err
}

type telling struct {
	name  string
	value any
}

// signals are those that tell a run of this state the answers. s is nil where it does not tell and nothing is to be told.
func (by *answers) signals(s *drive.State, line, nothing bool) ([]telling, error) {
	if s == nil {
		return nil, nil
	}
	waits := func(kind string) (out []drive.Wait) {
		for _, w := range s.Waits {
			if w.Kind == kind && (by.step == "" || by.step == w.Step) {
				out = append(out, w)
			}
		}
		return out
	}
	var out []telling
	for _, step := range by.approve {
		out = append(out, telling{drive.ApproveSignal, drive.Approve{Step: step}})
	}
	if by.yes {
		if waits("approval") == nil {
			return nil, by.none(s, "an approval")
		}
		out = append(out, telling{drive.ApproveSignal, drive.Approve{}})
	}
	if by.retry || by.giveUp {
		if waits("decision") == nil {
			return nil, by.none(s, "a decision")
		}
		out = append(out, telling{drive.DecideSignal, drive.Decide{Step: by.step, Again: by.retry}})
	}
	if line {
		if waits("line") == nil {
			return nil, by.none(s, "a line")
		}
		out = append(out, telling{drive.AnswerSignal, drive.Line{Step: by.step, Line: by.line}})
	}
	missing := waits("input")
	if len(by.inputs) > 0 && missing == nil {
		return nil, by.none(s, "an input")
	}
	if len(by.inputs) > 0 || nothing && missing != nil {
		values, err := inputs(by.inputs, missing)
		if err != nil {
			return nil, err
		}
		out = append(out, telling{drive.InputSignal, json.RawMessage(value.AppendJSON(nil, values))})
	}
	return out, nil
}

// none is the error of an answer that nobody waits for.
func (by *answers) none(s *drive.State, what string) error {
	var list []string
	for _, w := range s.Waits {
		list = append(list, w.For)
	}
	text := "it waits for nothing"
	if len(list) > 0 {
		text = "it waits for: " + strings.Join(list, "; ")
	}
	of := ""
	if by.step != "" {
		of = " for " + by.step
	}
	return usage("the run does not wait for %s%s; %s", what, of, text)
}

// inputs types what is given by what is missing.
func inputs(given []string, missing []drive.Wait) (map[string]any, error) {
	out := map[string]any{}
	for _, text := range given {
		name, text, ok := strings.Cut(text, "=")
		if !ok {
			return nil, usage("--input %q: want key=value", name)
		}
		var names []string
		found := false
		for _, w := range missing {
			names = append(names, w.Name)
			if w.Name != name {
				continue
			}
			v, err := workflow.ParseInput(ir.Input{Name: name, Type: value.Type(w.Type)}, text)
			if err != nil {
				return nil, usage("--input %v", err)
			}
			out[name], found = v, true
		}
		if !found {
			return nil, usage("--input %s: the run waits for %s", name, strings.Join(names, ", "))
		}
	}
	return out, nil
}
