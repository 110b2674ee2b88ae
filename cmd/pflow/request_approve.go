package main

import (
	"context"
	"fmt"
	"strings"

	"pflow/internal/planner"
	"pflow/internal/runs"
	"pflow/internal/value"
)

// approvePlan asks what to do with a plan. Without anybody to ask it is shown and no more.
func (a *app) approvePlan(ctx context.Context, d *planDraft) (run bool, err error) {
	if !a.interactive() {
		why := "--yes approves the plan"
		if a.foreseenToDestroy(d) != "" {
			why = "--yes=" + yesDestructive + " approves the plan and what it destroys"
		}
		if d.foreign != "" {
			why = fmt.Sprintf("%s; to approve exactly this: %s", d.foreign, d.made.command("--yes="+d.digest))
		}
		return false, a.planInstead(d.plan, fail(exitDeclined, "nothing was saved or run: %s", why))
	}
	if d.foreign != "" {
		fmt.Fprintln(a.stderr, d.foreign)
	}
	question, choices := "", ""
	destroys := ""
	ask := func() {
		answers, without := "Y/n", ""
		destroys = a.foreseenToDestroy(d)
		if d.editing != "" {
			without = " without what you edited"
		}
		if destroys+without != "" {
			answers = "y/N"
		}
		switch {
		case d.reuse:
			question, choices = fmt.Sprintf("Run '%s'? [%s]", d.name, answers), "yes or no"
		case d.was != nil:
			question, choices = fmt.Sprintf("Save as the next version of '%s' and run%s? [%s/e/s]", d.name, without, answers), "yes, no, edit or save only"
		default:
			question, choices = fmt.Sprintf("Save as '%s' and run%s? [%s/e/s]", d.name, without, answers), "yes, no, edit or save only"
		}
		question = destroysFirst(destroys) + question
	}
	declined := func(why string) error {
		if d.editing != "" {
			why += "; what you edited is kept in " + d.editing
		}
		return fail(exitDeclined, "nothing was saved or run%s", why)
	}
	for {
		ask() // an edit may change the name
		answer, err := a.readLine(ctx, question)
		if ctx.Err() != nil {
			return false, declined("")
		}
		if err != nil {
			return false, declined(": " + err.Error())
		}
		switch answer = strings.ToLower(strings.TrimSpace(answer)); {
		case answer == "" && destroys == "" && d.editing == "" || answer == "y" || answer == "yes":
			d.agreed = destroys
			a.decided(d, true)
			return true, nil
		case answer == "" || answer == "n" || answer == "no":
			a.decided(d, false)
			return false, declined("")
		case !d.reuse && (answer == "s" || answer == "save"):
			a.decided(d, true)
			return false, nil
		case !d.reuse && (answer == "e" || answer == "edit"):
			if err := a.editDraft(ctx, d); err != nil {
				a.status(err)
			}
		default:
			fmt.Fprintf(a.stderr, "%q is none of %s\n", answer, choices)
		}
	}
}

// decided notes in the run of a plan what a person answered who was asked about it. Everything that asks about a plan calls it, once
// there is an answer: a question that is broken off has none.
func (a *app) decided(d *planDraft, approved bool) {
	answer := runs.ByDeclining
	switch {
	case approved && d.edited:
		answer = runs.ByEditing
	case approved:
		answer = runs.ByApproving
	}
	if a.homeDir() == "" || d.plan.RunID == "" {
		return
	}
	if err := a.history().Decide(d.plan.RunID, answer); err != nil {
		a.warn("it is not noted that the plan was %s: %v", answer, err)
	}
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
		if err := a.askInput(ctx, in, d.params, "nothing was saved or run"); err != nil {
			return err
		}
	}
	return nil
}

// missingInput is the error of a plan whose gate is closed.
func missingInput(p *planner.Result) error {
	said, secrets := p.Lacks()
	about := func(in map[string]any) string {
		line := fmt.Sprintf("\n  %v (%v)", in["name"], in["type"])
		if d, _ := in["description"].(string); d != "" {
			line += ": " + d
		}
		return line
	}
	var b strings.Builder
	if len(said) > 0 {
		b.WriteString("the request does not say:")
	}
	example := ""
	for _, in := range said {
		b.WriteString(about(in))
		if in["type"] == string(value.Boolean) { // nobody guesses how a yes is said
			example = fmt.Sprintf(", such as \"…, %s\"", strings.ReplaceAll(fmt.Sprint(in["name"]), "_", " "))
		}
	}
	if len(said) > 0 {
		b.WriteString("\nsay it in the request" + example)
		if p.Path == "reuse" {
			fmt.Fprintf(&b, ", or give it to: pflow run %v", p.WorkflowName)
		}
	}
	for _, in := range secrets {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "a secret is not set:%s\nset the environment variable %v", about(in), in["from_env"])
	}
	return fail(exitMissing, "%s", b.String())
}
