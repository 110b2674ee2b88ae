package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/planner"
	"pflow/internal/workflow"
	"pflow/ir"
)

// read takes a document as the draft's workflow.
func (d *planDraft) read(document string) diag.List {
	w, found := ir.Decode([]byte(document))
	if !found.HasErrors() {
		d.workflow, d.document = w, []byte(document)
	}
	return found
}

// approvePlan asks what to do with a plan. Without anybody to ask it is shown and no more.
func (a *app) approvePlan(ctx context.Context, d *planDraft) (run bool, err error) {
	if !a.interactive() {
		if a.asJSON {
			if err := a.printJSON(d.plan); err != nil {
				return false, err
			}
		}
		return false, fail(exitDeclined, "nothing was saved or run: --yes approves the plan")
	}
	question, choices := fmt.Sprintf("Save as '%s' and run? [Y/n/e/s]", d.name), "yes, no, edit or save only"
	if d.reuse {
		question, choices = fmt.Sprintf("Run '%s'? [Y/n]", d.name), "yes or no"
	}
	for {
		answer, err := a.readLine(ctx, question)
		if ctx.Err() != nil {
			return false, fail(exitDeclined, "nothing was saved or run")
		}
		if err != nil {
			return false, fail(exitDeclined, "nothing was saved or run: %v", err)
		}
		switch answer = strings.ToLower(strings.TrimSpace(answer)); {
		case answer == "" || answer == "y" || answer == "yes":
			return true, nil
		case answer == "n" || answer == "no":
			return false, fail(exitDeclined, "nothing was saved or run")
		case !d.reuse && (answer == "s" || answer == "save"):
			return false, nil
		case !d.reuse && (answer == "e" || answer == "edit"):
			if err := a.editDraft(ctx, d); err != nil {
				status(a.stderr, err)
			}
		default:
			fmt.Fprintf(a.stderr, "%q is none of %s\n", answer, choices)
		}
	}
}

// editDraft has the workflow of a plan edited, checks it and shows it again.
func (a *app) editDraft(ctx context.Context, d *planDraft) error {
	if err := a.needsHome(); err != nil {
		return err
	}
	file, err := a.draftFile(d.name, d.workflow.Indented())
	if err != nil {
		return err
	}
	defer os.Remove(file)
	if err := a.runEditor(ctx, file); err != nil {
		return err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return fail(exitFailed, "%s", fileError(err))
	}
	shelf, err := a.shelfOf(ctx)
	if err != nil {
		return err
	}
	w, found := workflow.Check(data, shelf.Catalogue, a.nodeTypes(), ir.Options{})
	found = ir.Locate(file, data, found)
	if err := found.Err(); err != nil {
		return err
	}
	d.workflow, d.document = w, data
	a.showFindings(found)
	fmt.Fprint(a.stderr, ir.Display(w, ir.DisplayOptions{Catalogue: shelf.Catalogue, Values: d.params}))
	return nil
}

// askMissing asks for the inputs that the request does not say.
func (a *app) askMissing(ctx context.Context, d *planDraft) error {
	for _, m := range d.plan.MissingParams {
		missing, _ := m.(map[string]any)
		name, _ := missing["name"].(string)
		in, ok := d.workflow.Input(name)
		if !ok {
			continue
		}
		question := fmt.Sprintf("%s (%s)", in.Name, in.Type)
		if in.Description != "" {
			question += ": " + in.Description
		}
		for {
			text, err := a.ask(ctx, question, in.Secret)
			if err != nil {
				return fail(exitMissing, "%s: %v", in.Name, err)
			}
			v, err := workflow.ParseInput(in, text)
			if err == nil {
				d.params[name] = v
				break
			}
			fmt.Fprintln(a.stderr, err)
		}
	}
	return nil
}

// unplanned is the error of a plan without a workflow to show.
func unplanned(p *planner.Result) error {
	if p.WorkflowIR != nil && (p.Status == planner.Ready || p.Status == planner.NeedsInput) {
		return nil
	}
	e, _ := p.Error.(map[string]any)
	message, _ := e["message"].(string)
	if hint, _ := e["hint"].(string); hint != "" {
		message += "; " + hint
	}
	if e["kind"] == "invalid_request" {
		return usage("%s", message)
	}
	return fail(exitUnplanned, "%s: %s", p.Status, message)
}

// missingInput is the error of a plan whose gate is closed.
func missingInput(p *planner.Result) error {
	var lines []string
	for _, m := range p.MissingParams {
		in, _ := m.(map[string]any)
		line := fmt.Sprintf("\n  %s (%s)", in["name"], in["type"])
		if d, _ := in["description"].(string); d != "" {
			line += ": " + d
		}
		lines = append(lines, line)
	}
	return fail(exitMissing, "the request does not say:%s", strings.Join(lines, ""))
}
