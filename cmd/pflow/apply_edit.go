package main

import (
	"context"
	"maps"
	"slices"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/planner"
	"pflow/internal/value"
	"pflow/internal/workflow"
	"pflow/internal/workflowfile"
	"pflow/ir"
)

// editPlan puts a workflow and values in the place of those that were planned. What comes of it is a plan like any other.
func (a *app) editPlan(ctx context.Context, p *toApply, words []string, file string) error {
	if file != "" {
		if err := a.otherWorkflow(ctx, p, file); err != nil {
			return err
		}
	}
	if len(words) > 0 {
		return a.otherValues(p, words)
	}
	return nil
}

// otherWorkflow takes the workflow of a file for that of a plan. Whoever wrote it says what is done, also of a request that nothing did.
func (a *app) otherWorkflow(ctx context.Context, p *toApply, file string) error {
	data, err := a.readRegular(file)
	if err != nil {
		return err
	}
	text, err := workflowfile.Read(file, data)
	if err != nil {
		return err
	}
	doc, _, err := text.IR()
	if err != nil {
		return usage("%s is no workflow: %v%s", file, err, text.Hint())
	}
	shelf, err := a.shelfOf(ctx)
	if err != nil {
		return err
	}
	w, found := workflow.Check(doc, shelf.Catalogue, a.nodeTypes(), ir.Options{})
	if err := text.Locate(found).Err(); err != nil {
		return err
	}
	planned, err := value.ParseJSON(doc)
	if err != nil {
		return usage("%s: %v", file, err)
	}
	was, undecoded := ir.DecodeValue(p.WorkflowIR)
	if p.WorkflowIR != nil && !undecoded.HasErrors() && was.Hash() == w.Hash() && p.Status != planner.Infeasible {
		return nil // it is the one that was planned; of one that does a part, somebody says now that the part is enough
	}
	p.edited, p.WorkflowIR, p.Path = true, planned, "generate"
	p.Status, p.Error, p.Diagnostics, p.Could = planner.Ready, nil, []any{}, nil
	if name, _ := p.WorkflowName.(string); name == "" {
		p.WorkflowName = nameOfSteps(w)
	}
	params := map[string]any{}
	for _, in := range w.Inputs {
		if v, has := p.ExecutionParams[in.Name]; has && !in.Secret {
			params[in.Name] = v
		} else if in.FromStdin && p.request.Stdin != nil {
			params[in.Name] = p.request.Stdin
		}
	}
	p.ExecutionParams, p.Coverage = params, coveredBy(w, p.Coverage)
	p.lacks(w)
	return nil
}

// lacks says anew which inputs of a plan's workflow are missing. Secrets are asked for elsewhere.
func (p *toApply) lacks(w *ir.Workflow) {
	missing := []any{}
	for _, in := range w.Inputs {
		_, has := p.ExecutionParams[in.Name]
		said := slices.ContainsFunc(p.MissingParams, func(m any) bool {
			of, _ := m.(map[string]any)
			return of["name"] == in.Name
		})
		if !has && !in.Secret && (said || in.Required && !in.HasDefault) {
			missing = append(missing, map[string]any{"name": in.Name, "type": string(in.Type), "description": in.Description})
		}
	}
	switch p.MissingParams = missing; {
	case len(missing) > 0 && p.Status == planner.Ready:
		p.Status = planner.NeedsInput
	case len(missing) == 0 && p.Status == planner.NeedsInput:
		p.Status = planner.Ready
	}
}

// coveredBy is what a workflow covers of a request, of what another covered: what stood for a part and is no more leaves it open.
func coveredBy(w *ir.Workflow, coverage map[string]any) map[string]any {
	parts, open := []any{}, []any{}
	said, _ := coverage["parts"].([]any)
	left, _ := coverage["open"].([]any)
	open = append(open, left...)
	for _, v := range said {
		part, _ := v.(map[string]any)
		by, _ := part["by"].(string)
		kind, name, _ := strings.Cut(by, ":")
		_, input := w.Input(name)
		if kind == "node" && w.Node(name) < 0 || kind == "input" && !input {
			open = append(open, map[string]any{"text": part["text"], "start": part["start"], "end": part["end"], "why": name + " stood for it and was edited away"})
			continue
		}
		parts = append(parts, v)
	}
	out := maps.Clone(coverage)
	if out == nil {
		out = map[string]any{}
	}
	out["parts"], out["open"] = parts, open
	return out
}

// otherValues gives inputs of a plan other values, and those that were missing.
func (a *app) otherValues(p *toApply, words []string) error {
	if p.WorkflowIR == nil {
		return usage("%s has no workflow whose inputs could be given", p.from)
	}
	w, found := ir.DecodeValue(p.WorkflowIR)
	if err := found.Err(); err != nil {
		return err
	}
	var names []string
	for _, in := range w.Inputs {
		names = append(names, in.Name)
	}
	params := maps.Clone(p.ExecutionParams)
	if params == nil {
		params = map[string]any{}
	}
	for _, word := range words {
		name, text, ok := strings.Cut(word, "=")
		in, known := w.Input(name)
		switch {
		case !ok || name == "":
			return usage("pflow apply: %q is no input; inputs are given as key=value", word)
		case !known && len(names) == 0:
			return usage("there is no input %q; this workflow has none", name)
		case !known:
			near := diag.Nearest(name, names)
			if near != "" {
				near = "; did you mean " + near + "?"
			}
			return usage("there is no input %q%s It has %s", name, near, strings.Join(names, ", "))
		case in.Secret:
			return usage("%s is a secret and is never taken from a command line; set the environment variable %s", in.Name, in.FromEnv)
		}
		v, err := workflow.ParseInput(in, text)
		if err != nil {
			return usage("%v", err)
		}
		if now, has := params[name]; has && value.Equal(now, v) {
			continue
		}
		if params[name], p.edited = v, true; p.Given == nil {
			p.Given = map[string]bool{}
		}
		p.Given[name] = true
	}
	p.ExecutionParams, p.Coverage = params, withoutGiven(p.Coverage, p.Given)
	p.lacks(w)
	return nil
}

// withoutGiven is a coverage without the words that stand for values which others have taken the place of.
func withoutGiven(coverage map[string]any, given map[string]bool) map[string]any {
	out, parts := maps.Clone(coverage), []any{}
	said, _ := coverage["parts"].([]any)
	for _, v := range said {
		part, _ := v.(map[string]any)
		by, _ := part["by"].(string)
		if name, ok := strings.CutPrefix(by, "input:"); !ok || !given[name] {
			parts = append(parts, v)
		}
	}
	if out == nil {
		out = map[string]any{}
	}
	out["parts"] = parts
	return out
}
