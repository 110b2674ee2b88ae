package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"pflow/engine"
	"pflow/internal/library"
	"pflow/internal/mcpserve"
	"pflow/internal/value"
	"pflow/internal/workflow"
	"pflow/ir"
)

// mcpRun is a call that runs a workflow.
type mcpRun struct {
	*mcpHost
	a *app
	r mcpserve.RunRequest
	c *mcpserve.Client
	d *planDraft // of a plan, nil of anything else

	refused bool // the user said no
}

// Run implements mcpserve.Host.
func (h *mcpHost) Run(ctx context.Context, r mcpserve.RunRequest, c *mcpserve.Client) (mcpserve.Answer, error) {
	a, ctx, err := h.begin(ctx)
	if err != nil {
		return mcpserve.Answer{}, err
	}
	a.watch = func(t engine.Transition) {
		action := "failed"
		if t.Action != nil {
			action = *t.Action
		}
		c.Step(fmt.Sprintf("%s: %s", t.Node, action))
	}
	m := &mcpRun{mcpHost: h, a: a, r: r, c: c}
	var answer mcpserve.Answer
	if r.Resume != "" {
		answer, err = m.resume(ctx)
	} else {
		answer, err = m.run(ctx)
	}
	if err != nil {
		return answer, inWords(err)
	}
	return answer, nil
}

// load makes what is meant ready to run, with the values that come with it.
func (m *mcpRun) load(ctx context.Context) (*loaded, workflow.Given, error) {
	given := workflow.Given{Values: map[string]any{}, Stdin: m.r.Stdin}
	switch {
	case m.r.Plan != "":
		d, err := m.redraft(ctx, m.a, m.r.Plan)
		if err != nil {
			return nil, given, err
		}
		if d.stuck != nil {
			return nil, given, d.stuck
		}
		if !d.reuse {
			if err := m.a.library().Writable(ctx); err != nil { // better now than once it has run
				return nil, given, err
			}
		}
		maps.Copy(given.Values, d.params)
		if text, ok := d.request.Stdin.(string); ok && given.Stdin == nil && d.loaded.program.Piped {
			given.Stdin = &text
		}
		m.d = d
		return d.loaded, given, nil
	case m.r.IR != nil:
		rec, _, err := library.Parse("ir", documentText(m.r.IR))
		if err != nil {
			return nil, given, err
		}
		if rec.Name == "" {
			rec.Name = "workflow"
		}
		rec.Version = 0 // a document is no saved workflow, whatever it says: it may not replace what one wrote
		l, err := m.a.compileWorkflow(ctx, rec, workflow.Source{Name: rec.Name, Workflow: rec.Workflow()})
		return l, given, err
	case ir.IsFile(m.r.Name):
		return nil, given, fmt.Errorf("%q is the name of a file; give the name of a saved workflow, or the document itself as ir", m.r.Name)
	}
	l, err := m.a.loadWorkflow(ctx, m.r.Name)
	return l, given, err
}

func (m *mcpRun) run(ctx context.Context) (mcpserve.Answer, error) {
	l, given, err := m.load(ctx)
	if err != nil {
		return mcpserve.Answer{}, err
	}
	maps.Copy(given.Values, m.r.Inputs)
	if given.Stdin != nil && !l.program.Piped {
		return mcpserve.Answer{}, fmt.Errorf("%s reads no piped text; leave stdin out", l.program.Name)
	}
	store, missing, err := l.program.Bind(given)
	if err == nil && len(missing) > 0 {
		var answer *mcpserve.Answer
		if answer, err = m.complete(ctx, l, given.Values, missing); answer != nil {
			return *answer, err
		}
		if err == nil {
			store, missing, err = l.program.Bind(given)
		}
		if err == nil && len(missing) > 0 {
			return m.lacks(l, missing), nil
		}
	}
	if err != nil {
		return mcpserve.Answer{}, err
	}
	if answer := m.mayDestroy(ctx, l, store, given.Stdin); answer != nil {
		if m.refused {
			m.a.answered(m.d, false)
		}
		return *answer, ctx.Err()
	}
	m.a.answered(m.d, true)
	res, err := m.a.execute(ctx, l, store, m.approve(nil))
	if err != nil {
		return mcpserve.Answer{}, err
	}
	return m.settled(ctx, l, res)
}

// complete asks for missing inputs. The answer is that of a call that ends here.
func (m *mcpRun) complete(ctx context.Context, l *loaded, values map[string]any, missing []ir.Input) (*mcpserve.Answer, error) {
	end := m.lacks(l, missing)
	for _, in := range missing {
		if in.Secret {
			return &end, nil // no client is asked for a secret
		}
	}
	if !m.c.Asks() {
		return &end, nil
	}
	got, err := m.c.Inputs(ctx, l.program.Name+" needs more to run", missing, workflow.ParseInput)
	if err != nil {
		return nil, err
	}
	if got == nil {
		end.Text = "nothing was run: the user gave no values for " + inputNames(missing)
		return &end, nil
	}
	maps.Copy(values, got)
	return nil, nil
}

func inputNames(list []ir.Input) string {
	var names []string
	for _, in := range list {
		names = append(names, in.Name)
	}
	return strings.Join(names, ", ")
}

// lacks is the answer to a call without all inputs.
func (m *mcpRun) lacks(l *loaded, missing []ir.Input) mcpserve.Answer {
	var b strings.Builder
	fmt.Fprintf(&b, "nothing was run: %s needs more:", l.program.Name)
	for _, in := range missing {
		fmt.Fprintf(&b, "\n  %s (%s)", in.Name, in.Type)
		if in.Description != "" {
			b.WriteString(": " + in.Description)
		}
		switch {
		case in.Secret:
			fmt.Fprintf(&b, "; a secret, which no call gives: set the environment variable %s where the server is started", in.FromEnv)
		case m.r.Bare:
			b.WriteString("; pass it as an argument")
		default:
			fmt.Fprintf(&b, "; pass it as inputs.%s", in.Name)
		}
	}
	out := mcpserve.Answer{Text: b.String(), Failed: true}
	if !m.r.Bare {
		out.Document = l.program.Lacks(missing)
	}
	return out
}

// mayDestroy allows a run what it would destroy, or gives the answer to a call that may not. A digest approves what is listed, of
// exactly this workflow with exactly these inputs, on the files that are there now.
func (m *mcpRun) mayDestroy(ctx context.Context, l *loaded, store map[string]any, stdin *string) *mcpserve.Answer {
	foreseen := l.program.DryRun(store)
	if len(foreseen.Destructive()) == 0 {
		return nil
	}
	uses, err := l.program.Uses(l.flows)
	if err != nil {
		return &mcpserve.Answer{Text: err.Error(), Failed: true}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s destroys what may be there:", l.program.Name)
	for _, step := range foreseen.Steps {
		if step.Destroys == "" {
			continue
		}
		fmt.Fprintf(&b, "\n  %s (%s) %s", step.Node, step.Type, value.JSON(step.Params))
		for _, note := range step.Notes() {
			b.WriteString("\n    " + note)
		}
	}
	digest := digestOf(map[string]any{"run": foreseen, "workflow": json.RawMessage(l.source.Workflow.Encode()), "uses": uses, "stdin": stdin})
	if no := m.decide(ctx, b.String(), digest); no != "" {
		out := &mcpserve.Answer{Text: no, Failed: true}
		if !m.r.Bare {
			res := l.program.Unrun(workflow.Waiting)
			res.Approvals = foreseen.Destructive()
			out.Document = res
		}
		return out
	}
	l.program.Grant(foreseen, false)
	return nil
}

// decide has something approved: by the user, where the client can ask; else by a digest that the call brings. It gives why not,
// "" if it is approved.
func (m *mcpRun) decide(ctx context.Context, what, digest string) string {
	switch {
	case m.c.Asks():
		yes, err := m.c.Approves(ctx, what)
		switch {
		case err != nil:
			return fmt.Sprintf("nothing was run: %v. Approval was asked for, since %s", err, what)
		case !yes:
			m.refused = true
			return "nothing was run: the user did not approve it. " + what
		}
		return ""
	case m.askOnly:
		return "nothing was run, since this client cannot ask its user, and this server takes no other approval. " + what
	case m.r.Approve == digest:
		return ""
	case m.r.Approve != "":
		return fmt.Sprintf("nothing was run: what was approved is not what would run now. %s\nShow this to the user; to approve exactly this, call again with the same arguments and \"approve\": %q", what, digest)
	}
	return fmt.Sprintf("nothing was run. %s\nShow this to the user; to approve exactly this, call again with the same arguments and \"approve\": %q", what, digest)
}

// answered notes that a client took a plan as it is, by running or saving it, or that its user refused it. The first answer stays.
func (a *app) answered(d *planDraft, approved bool) {
	if d == nil || d.plan.RunID == "" {
		return
	}
	if row, err := a.history().Find(d.plan.RunID); err == nil && row.Decided == "" {
		a.decided(d, approved)
	}
}

// approve decides on nodes that want approval while the run goes on: those shown are approved, and any that the user approves.
func (m *mcpRun) approve(shown []workflow.Approval) workflow.Approve {
	return func(ctx context.Context, n workflow.Approval) bool {
		if slices.ContainsFunc(shown, func(s workflow.Approval) bool { return sameApproval(s, n) }) {
			return true
		}
		if !m.c.Asks() {
			return false
		}
		what := fmt.Sprintf("Run %s (%s)?\n%s", n.Node, n.Type, approvalText(n))
		if n.Destructive {
			what = fmt.Sprintf("Run %s (%s)? It destroys what may be there: %s", n.Node, n.Type, n.Why)
		}
		yes, err := m.c.Approves(ctx, what)
		return yes && err == nil
	}
}

// resume goes on with a run. What it waits for is approved by the digest that tells it, or asked.
func (m *mcpRun) resume(ctx context.Context) (mcpserve.Answer, error) {
	if len(m.r.Inputs) > 0 || m.r.Stdin != nil {
		return mcpserve.Answer{}, errors.New("run_workflow: a run goes on with the inputs that it began with; leave inputs and stdin out")
	}
	id, past, documents, err := m.a.readRun(m.r.Resume)
	if err != nil {
		return mcpserve.Answer{}, err
	}
	if !workflow.IsDocuments(documents) {
		return mcpserve.Answer{}, fmt.Errorf("run %s made a plan; call plan again", id)
	}
	a := m.a
	a.options = a.options.again()
	before, err := a.soFar(id, past, documents)
	if err != nil {
		return mcpserve.Answer{}, err
	}
	var shown []workflow.Approval
	if before.Status == workflow.Waiting && m.r.Approve != "" && !m.c.Asks() {
		if m.askOnly || m.r.Approve != waitDigest(id, before.Approvals) {
			return m.ended(before, "")
		}
		shown = before.Approvals
	}
	past, documents, w, err := a.history().Resume(id, time.Now())
	if err != nil {
		return mcpserve.Answer{}, err
	}
	defer w.Close()
	l, res, err := a.goOn(ctx, id, past, documents, w, m.approve(shown))
	if err != nil {
		return mcpserve.Answer{}, err
	}
	return m.settled(ctx, l, res)
}

// settled is the end of a run: what is new is saved, the outcome is noted.
func (m *mcpRun) settled(ctx context.Context, l *loaded, res *workflow.Result) (mcpserve.Answer, error) {
	name, unsaved := m.a.settle(ctx, l, res)
	m.a.tell(ctx, m.a.endingOf(l, res, keptAs(l, res, name, unsaved)))
	if m.d != nil && m.d.reuse && res.Status == workflow.Done {
		m.a.exemplify(ctx, m.d.name, m.d.request.Text)
	}
	if unsaved != nil {
		res.Warnings = append(res.Warnings, inWords(unsaved).Error())
	}
	if l.source.Draft == nil || res.Status != workflow.Done || unsaved != nil {
		name = ""
	}
	return m.ended(res, name)
}

// runAnswer is the document of run_workflow and get_run.
type runAnswer struct {
	*workflow.Result
	SavedAs string `json:"saved_as,omitempty"` // of a plan's first run
}

// ended is the answer to how a run ended.
func (m *mcpRun) ended(res *workflow.Result, savedAs string) (mcpserve.Answer, error) {
	out := mcpserve.Answer{Failed: res.Status != workflow.Done}
	if !m.r.Bare {
		out.Document = runAnswer{res, savedAs}
	}
	switch res.Status {
	case workflow.Done:
		if m.r.Bare {
			out.Document = res.Outputs
			out.Notes = append(out.Notes, res.Warnings...)
			out.Notes = append(out.Notes, "run "+res.RunID)
		}
	case workflow.Waiting:
		out.Text = fmt.Sprintf("run %s waits for the approval of %s.\n%s", res.RunID, waitedFor(res.Approvals), approvalTexts(res.Approvals))
		switch {
		case m.c.Asks():
			out.Text += fmt.Sprintf("The user did not approve it; run_workflow {\"resume\": %q} asks again", res.RunID)
		case m.askOnly:
			out.Text += "This client cannot ask its user, and this server takes no other approval: go on with " + m.a.resumeHint(res.RunID) + " --yes"
		default:
			out.Text += fmt.Sprintf("Show this to the user; to approve exactly this and go on: run_workflow {\"resume\": %q, \"approve\": %q}", res.RunID, waitDigest(res.RunID, res.Approvals))
		}
	case workflow.Cancelled:
		out.Text = fmt.Sprintf("run %s was cancelled; run_workflow {\"resume\": %q} goes on with it", res.RunID, res.RunID)
	default:
		out.Text = fmt.Sprintf("run %s ended as %s", res.RunID, res.Status)
		if res.Error != nil {
			out.Text += fmt.Sprintf(": %v [%s]", res.Error, res.Error.Kind)
		}
		for _, w := range res.Warnings {
			out.Text += "\n" + w
		}
	}
	return out, nil
}
