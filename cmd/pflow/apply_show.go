package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"pflow/internal/planner"
	"pflow/internal/trigger"
	"pflow/internal/workflow"
	"pflow/ir"
)

// appliedSchema names the shape of `pflow apply --dry-run --json`.
const appliedSchema = "pflow.apply/v1"

// shownApply is what pflow apply would save and run, and what is to be known to approve it.
type shownApply struct {
	Schema   string `json:"schema"`
	Request  string `json:"request"`
	Dir      string `json:"dir"`             // the folder that relative paths are of
	Digest   string `json:"digest"`          // approves it; "" where it cannot be carried out
	Destroys string `json:"digest_destroys"` // approves it and that it destroys what is listed; "" where it destroys nothing
	Refused  string `json:"refused"`         // why it cannot be carried out as it is; "" if it can
	Do       string `json:"do"`              // what to do about that at a terminal
	Edited   bool   `json:"edited"`          // values or the workflow are others than were planned
	Kept     string `json:"kept"`            // saved: it is a saved workflow; version: it becomes the next version of one; new; "" where there is none
	Note     string `json:"note"`            // on its name, "" where there is nothing to say

	Plan        *planner.Result     `json:"plan"`
	Values      []shownValue        `json:"values"` // of the inputs, and where they come from
	DryRun      *workflow.DryRun    `json:"dry_run"`
	Destructive []workflow.Approval `json:"destructive"` // steps that destroy what may be there
	Effects     []ir.Effect         `json:"effects"`
	Notation    string              `json:"notation"`       // the steps in CLI notation
	Trigger     *shownTrigger       `json:"trigger"`        // when it runs by itself; null where nothing says so
	Gone        []string            `json:"gone,omitempty"` // the candidates that are saved no more
}

// shownValue is an input and its value.
type shownValue struct {
	whyValue
	Type        string `json:"type"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
	Secret      bool   `json:"secret"`
	FromEnv     string `json:"from_env"` // of a secret: its environment variable
}

// shownTrigger is when a plan runs by itself.
type shownTrigger struct {
	Words string   `json:"words"`
	Next  []string `json:"next"` // the next times
}

// foreseeDraft gives what a draft would destroy, "" if nothing, and the draft a digest that is of that, too.
func (a *app) foreseeDraft(d *planDraft) (string, error) {
	if d.loaded == nil {
		return "", nil
	}
	store, _, err := d.loaded.program.Bind(d.given())
	if err != nil {
		return "", usage("%v", err)
	}
	foreseen := d.loaded.program.DryRun(store)
	destroys := destroyed(foreseen)
	if destroys == "" {
		return "", nil
	}
	dir, err := a.runDir()
	if err != nil {
		return "", err
	}
	d.destroys = digestOf(map[string]any{"plan": d.digest, "run": foreseen, "dir": dir, "stdin": d.given().Stdin})
	return destroys, nil
}

// showApplied prints what a plan would come to.
func (a *app) showApplied(ctx context.Context, p *toApply, d *planDraft) error {
	out, err := a.shownApply(ctx, p, d)
	if err != nil {
		return err
	}
	switch {
	case d.plan.Status == planner.NeedsInput:
		out.refuse(missingInput(d.plan))
	case d.stuck != nil && (d.loaded == nil || triggerOf(d.plan) == nil):
		out.refuse(d.stuck)
	}
	if out.DryRun != nil && out.Refused == "" {
		for _, why := range out.DryRun.Refused() {
			out.Refused += why + "\n"
		}
	}
	if out.Refused == "" {
		out.Digest, out.Destroys = d.digest, d.destroys
	}
	return a.printJSON(out)
}

// showUnplanned prints what there is of a plan without a workflow that does what was asked for, and gives why.
func (a *app) showUnplanned(ctx context.Context, p *toApply, why error) error {
	a.couldDo(ctx, p.Request, &p.Result)
	var d *planDraft
	if p.WorkflowIR != nil {
		d, _ = a.partDraft(ctx, p.request, &p.Result, p.made) // its part, if it is one
	}
	out, err := a.shownApply(ctx, p, d)
	if err != nil {
		return err
	}
	out.Plan, out.Kept, out.Note = &p.Result, "", ""
	out.refuse(why)
	if err := a.printJSON(out); err != nil {
		return err
	}
	return why
}

// refuse says why a plan cannot be carried out, and apart from that what to do about it at a terminal.
func (s *shownApply) refuse(why error) {
	s.Refused, s.Do = inWords(why).Error(), ""
	if exit := (*exitError)(nil); errors.As(why, &exit) {
		s.Refused, s.Do = exit.Message, strings.TrimLeft(exit.Do, "; \n")
	}
}

func (a *app) shownApply(ctx context.Context, p *toApply, d *planDraft) (*shownApply, error) {
	out := &shownApply{Schema: appliedSchema, Request: p.Request, Edited: p.edited, Plan: &p.Result, Values: []shownValue{},
		Destructive: []workflow.Approval{}, Effects: []ir.Effect{}}
	var err error
	if out.Dir, err = a.runDir(); err != nil {
		return nil, err
	}
	for _, v := range p.Candidates {
		if of, _ := v.(map[string]any); of["name"] != nil {
			out.Gone = append(out.Gone, a.gone(fmt.Sprint(of["name"]))...)
		}
	}
	if t := triggerOf(&p.Result); t != nil {
		out.Trigger = &shownTrigger{Words: t.Words(), Next: []string{}}
		for _, at := range t.Upcoming(time.Now(), timesShown) {
			out.Trigger.Next = append(out.Trigger.Next, trigger.Moment(at))
		}
	}
	if d == nil || d.workflow == nil {
		return out, nil
	}
	out.Plan, out.Note, out.Kept = d.plan, d.named(), "new"
	switch {
	case d.reuse:
		out.Kept = "saved"
	case d.was != nil:
		out.Kept = "version"
	}
	for _, v := range whyValues(d.workflow, d.plan, wordsBy(d.plan.Coverage)) {
		in, _ := d.workflow.Input(v.Input)
		if v.Value == nil && v.From == "" && in.Required && !in.HasDefault && !in.Secret {
			v.From = "missing" // a reused workflow may call it otherwise than the plan does
		}
		out.Values = append(out.Values, shownValue{v, string(in.Type), in.Description, in.Required, in.Secret, in.FromEnv})
	}
	shelf, err := a.shelfOf(ctx)
	if err != nil {
		return nil, err
	}
	out.Effects = append(out.Effects, d.workflow.Effects(shelf.Catalogue)...)
	var b bytes.Buffer
	a.showSteps(ctx, &b, d.plan, d.workflow)
	out.Notation = b.String()
	if d.loaded == nil {
		return out, nil
	}
	store, _, err := d.loaded.program.Bind(d.given())
	if err != nil {
		out.Refused = err.Error()
		return out, nil
	}
	out.DryRun = d.loaded.program.DryRun(store)
	out.Destructive = append(out.Destructive, out.DryRun.Destructive()...)
	return out, nil
}
