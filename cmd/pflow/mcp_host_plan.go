package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/library"
	"pflow/internal/mcpserve"
	"pflow/internal/planner"
	"pflow/internal/split"
	"pflow/internal/workflow"
	"pflow/ir"
)

// plansMade are the plans that a server made, by their digests, as the files that pflow plan -o writes: what is run or saved of
// one is what was planned.
type plansMade struct {
	mu    sync.Mutex
	of    map[string]planMade
	order []string // the oldest first
	bytes int
}

type planMade struct {
	file  []byte
	stdin *string
}

func (p planMade) size() int {
	n := len(p.file)
	if p.stdin != nil {
		n += len(*p.stdin)
	}
	return n
}

// Bounds of what is kept. The newest is kept whatever its size.
const (
	maxPlansMade      = 200
	maxPlansMadeBytes = 64 << 20
)

func (p *plansMade) keep(digest string, made planMade) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of = map[string]planMade{}
	}
	if _, again := p.of[digest]; again {
		return
	}
	p.of[digest], p.order = made, append(p.order, digest)
	p.bytes += made.size()
	for len(p.order) > 1 && (len(p.order) > maxPlansMade || p.bytes > maxPlansMadeBytes) {
		p.bytes -= p.of[p.order[0]].size()
		delete(p.of, p.order[0])
		p.order = p.order[1:]
	}
}

func (p *plansMade) get(digest string) (planMade, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	made, ok := p.of[digest]
	if !ok {
		return made, fmt.Errorf("this server made no plan %q, or has forgotten it: call plan again, and pass the digest that it gives", digest)
	}
	return made, nil
}

// planAnswer is the document of the tool plan.
type planAnswer struct {
	Status      string              `json:"status"`
	Digest      string              `json:"digest,omitempty"` // of a plan that can be saved or run
	Path        any                 `json:"path"`             // reuse: the workflow is saved already
	Name        any                 `json:"name"`
	Description any                 `json:"description"`
	IR          any                 `json:"ir"`
	Inputs      map[string]any      `json:"inputs"`   // the values of this run
	Missing     []any               `json:"missing"`  // [{name, type, description}]; a secret has from_env, too
	NotDone     []any               `json:"not_done"` // [{text, why}]: parts of the request that the workflow does not do
	Effects     []ir.Effect         `json:"effects"`
	Destroys    []workflow.Approval `json:"destroys"` // steps that want approval before the run
	Diagnostics []any               `json:"diagnostics"`
	Error       any                 `json:"error"`
	Usage       planner.Usage       `json:"usage"`
	RunID       string              `json:"run_id"`
}

// Plan implements mcpserve.Host.
func (h *mcpHost) Plan(ctx context.Context, r mcpserve.PlanRequest, c *mcpserve.Client) (mcpserve.Answer, error) {
	a, ctx, err := h.begin(ctx)
	if err != nil {
		return mcpserve.Answer{}, err
	}
	a.watch = func(t engine.Transition) {
		if !strings.ContainsAny(t.Node, "/.[") { // the planner's own nodes
			c.Step("planning: " + t.Node)
		}
	}
	request := planner.Request{Text: r.Text, Source: "args", Date: r.Date}
	if err := a.withoutKeys(ctx, "the request", r.Text); err != nil {
		return mcpserve.Answer{}, inWords(err)
	}
	if r.Stdin != nil && *r.Stdin != "" {
		if err := a.withoutKeys(ctx, "the piped text", *r.Stdin); err != nil {
			return mcpserve.Answer{}, inWords(err)
		}
		request.Stdin = *r.Stdin
	}
	plan, err := a.plan(ctx, request, false, split.Client)
	if err != nil {
		return mcpserve.Answer{}, inWords(err)
	}
	var d *planDraft
	if plan.WorkflowIR != nil {
		var findings *diag.Err // it cannot be run, so it uses nothing
		if d, err = a.draft(ctx, request, plan, nil); err != nil && !errors.As(err, &findings) {
			return mcpserve.Answer{}, inWords(err)
		}
	}
	out := planAnswer{Status: plan.Status, Path: plan.Path, Name: plan.WorkflowName, Description: plan.Metadata["description"], IR: plan.WorkflowIR,
		Inputs: plan.ExecutionParams, Missing: plan.MissingParams, NotDone: []any{}, Effects: []ir.Effect{}, Destroys: []workflow.Approval{},
		Diagnostics: plan.Diagnostics, Error: plan.Error, Usage: plan.Usage, RunID: plan.RunID}
	if open, ok := plan.Coverage["open"].([]any); ok {
		out.NotDone = open
	}
	if err := a.unplanned(request.Text, plan); d == nil || err != nil {
		text := plan.Status
		if err != nil {
			text = inWords(err).Error()
		}
		return mcpserve.Answer{Document: out, Text: text, Failed: true}, nil
	}
	return h.planned(ctx, a, d, out)
}

// planned keeps a plan that can be run or saved, and tells what it is.
func (h *mcpHost) planned(ctx context.Context, a *app, d *planDraft, out planAnswer) (mcpserve.Answer, error) {
	uses, err := d.uses()
	if err != nil {
		return mcpserve.Answer{}, inWords(err)
	}
	made := planMade{}
	made.file, out.Digest = planner.FileOf(d.request.Text, d.plan, uses, nil)
	if text, ok := d.request.Stdin.(string); ok {
		made.stdin = &text
	}
	h.plans.keep(out.Digest, made)
	if s, err := a.shelfOf(ctx); err == nil {
		out.Effects = append(out.Effects, d.workflow.Effects(s.Catalogue)...)
	}
	for _, step := range a.foresee(ctx, d.plan, d.workflow) {
		if step.Destroys != "" {
			out.Destroys = append(out.Destroys, workflow.Approval{Node: step.Node, Type: step.Type, Destructive: true, Why: step.Destroys})
		}
	}
	var b bytes.Buffer
	a.showPlan(ctx, &b, d.request.Text, d.plan, d.workflow, false)
	b.WriteString(d.named())
	if d.stuck != nil {
		fmt.Fprintf(&b, "it cannot be run here: %v\n", inWords(d.stuck))
	}
	if d.plan.Status == planner.NeedsInput {
		fmt.Fprintf(&b, "%v\nor pass the values as inputs of run_workflow\n", missingInput(d.plan))
	}
	fmt.Fprintf(&b, "nothing was saved or run. To run exactly this: run_workflow {\"plan\": %q}; to keep it without running it: save_workflow {\"plan\": %[1]q}\n", out.Digest)
	return mcpserve.Answer{Document: out, Text: b.String()}, nil
}

// redraft makes the draft of a plan again, and makes sure that it is what was planned.
func (h *mcpHost) redraft(ctx context.Context, a *app, digest string) (*planDraft, error) {
	made, err := h.plans.get(digest)
	if err != nil {
		return nil, err
	}
	p, err := planner.ReadFile(made.file)
	if err != nil {
		return nil, err
	}
	r := planner.Request{Text: p.Request, Source: "file"}
	if made.stdin != nil {
		r.Stdin = *made.stdin
	}
	planned := p.Result // a draft may get another name
	if p.Path == "reuse" {
		if err := a.unchanged(p); err != nil {
			return nil, err
		}
	}
	d, err := a.draft(ctx, r, &p.Result, &invocation{path: "pflow"})
	if err != nil {
		return nil, err
	}
	uses, err := d.uses()
	if err != nil {
		return nil, err
	}
	if d.digest = planned.Digest(p.Request, uses); d.digest != digest {
		return nil, fmt.Errorf("what the plan uses was changed since it was made: call plan again")
	}
	d.plan.Secrets(a.secrets().Has)
	return d, nil
}

// savedAnswer is the document of the tool save_workflow.
type savedAnswer struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
	Next    string `json:"next"`
}

// Save implements mcpserve.Host.
func (h *mcpHost) Save(ctx context.Context, r mcpserve.SaveRequest) (any, error) {
	a, ctx, err := h.begin(ctx)
	if err != nil {
		return nil, err
	}
	name, err := a.saveRequested(ctx, h, r)
	if err != nil {
		return nil, inWords(err)
	}
	got, _, err := a.library().Get(name)
	if err != nil {
		return nil, inWords(err)
	}
	return savedAnswer{got.Name, got.Version, fmt.Sprintf("run it with run_workflow {\"name\": %q}, or by its own tool", got.Name)}, nil
}

// saveRequested saves and gives the name.
func (a *app) saveRequested(ctx context.Context, h *mcpHost, r mcpserve.SaveRequest) (string, error) {
	var rec *library.Record
	if r.Plan != "" {
		d, err := h.redraft(ctx, a, r.Plan)
		if err != nil {
			return "", err
		}
		a.answered(d, true)
		own := (r.As == "" || r.As == d.name) && r.Description == "" && len(r.Keywords) == 0
		switch {
		case own && d.reuse:
			return d.name, nil
		case own:
			return a.keep(ctx, d.record().Encode())
		}
		rec = d.record()
	} else {
		var err error
		if rec, _, err = library.Parse("ir", documentText(r.IR)); err != nil {
			return "", err
		}
		list, err := a.checkWorkflow(ctx, rec, workflow.Source{Name: rec.Name, Workflow: rec.Workflow()})
		if err != nil {
			return "", err
		}
		if err := list.Err(); err != nil {
			return "", err
		}
	}
	if r.As != "" {
		rec.Name = r.As
	}
	if r.Description != "" {
		rec.Description = r.Description
	}
	if len(r.Keywords) > 0 {
		rec.Keywords = r.Keywords
	}
	if rec.Name == "" {
		return "", fmt.Errorf("save_workflow: the document has no name: pass one as name")
	}
	if err := a.library().ValidName(rec.Name); err != nil {
		return "", err
	}
	got, err := a.library().Save(ctx, rec, library.SaveOptions{Now: time.Now(), Next: r.Replace, Once: true})
	if isTaken(err) {
		return "", fmt.Errorf("there is a saved workflow %q: pass another name, or replace: true to make this its next version", rec.Name)
	}
	if err != nil {
		return "", err
	}
	return got.Name, nil
}
