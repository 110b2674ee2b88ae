package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pflow/internal/library"
	"pflow/internal/llm"
	"pflow/internal/outcome"
	"pflow/internal/planner"
	"pflow/internal/planshape"
	"pflow/internal/printable"
	"pflow/internal/retrieve"
	"pflow/internal/value"
	"pflow/ir"
)

// unplanned is the error of a plan without a workflow to run: why there is none, what of it could be done, and what would help.
func (a *app) unplanned(request string, p *planner.Result) error {
	if p.WorkflowIR != nil && (p.Status == planner.Ready || p.Status == planner.NeedsInput) {
		return nil
	}
	e, _ := p.Error.(map[string]any)
	message, _ := e["message"].(string)
	before := "; "
	if e["kind"] == planshape.Uncovered {
		message, before = leftOpen(request, p), "\n"
	}
	hint, _ := e["hint"].(string)
	if hint == "" {
		before = ""
	}
	if e["kind"] == "invalid_request" && e["node"] == "" { // of the request itself; one with a node is a model's endpoint's
		return outcome.Advise(usage("%s", message), "%s", before+hint)
	}
	if found := requestFindings(request, p); len(found) > 0 {
		return fail(exitUnplanned, "%s: %s", p.Status, strings.TrimRight(hint+"\n"+found.Text(), "\n"))
	}
	var b strings.Builder
	b.WriteString(before + hint + "\n")
	writeCould(&b, p.Could)
	if p.Status == planner.Infeasible {
		b.WriteString(a.modelWould(p))
	}
	return outcome.Advise(fail(exitUnplanned, "%s: %s", p.Status, message), "%s", strings.TrimRight(b.String(), "\n"))
}

// modelWould says how a model comes to plan, where none was asked.
func (a *app) modelWould(p *planner.Result) string {
	if e, _ := p.Error.(map[string]any); p.Usage.Calls > 0 || a.samples || e["kind"] == planshape.UnclearTrigger {
		return ""
	}
	if has, err := a.hasModel(); err != nil {
		return ""
	} else if has {
		return fmt.Sprintf("a model may know how, and was not asked: --flow %s asks it\n", defaultFlow)
	}
	c, err := a.modelClient(llm.Options{})
	if err != nil {
		return ""
	}
	models := c.Models()
	var ways []string
	for _, name := range models.Default {
		if key := models.Providers[name].KeyVar; key != "" {
			ways = append(ways, "export "+key+"=… for "+name)
			break
		}
	}
	for _, name := range models.Names() {
		if of := models.Providers[name]; of.KeyOptional && of.DefaultModel == "" && of.BaseURL != "" {
			ways = append(ways, "--model "+name+"/NAME for one of your own")
			break
		}
	}
	ways = append(ways, "pflow model list shows all")
	return "a model may know how: " + strings.Join(ways, ", ") + "\n"
}

// How much of a request is said again in a decline: so many pieces, of so many characters.
const (
	mostSaid  = 5
	mostRunes = 80
)

// leftOpen says of a request what could be done, in its own words, and what nothing does.
func leftOpen(request string, p *planner.Result) string {
	could, open := saidPieces(request, p)
	left := "nothing I know does " + strings.Join(open, ", ")
	if len(could) == 0 {
		return left
	}
	last := len(could) - 1
	if last > 0 {
		could[last] = "and " + could[last]
	}
	join := ", "
	if last == 1 {
		join = " "
	}
	return "I can " + strings.Join(could, join) + "; " + left
}

// saidPieces cuts a request into the pieces that steps stand for, each from the beginning of a clause up to what is open or to
// its end, and those that nothing does, quoted. A piece goes on over words that ask for nothing.
func saidPieces(request string, p *planner.Result) (could, open []string) {
	spans := spansOf(request, p.Coverage)
	slices.SortStableFunc(spans, func(x, y span) int { return cmp.Compare(x.start, y.start) })
	clauses, clause := retrieve.Clauses(request, nil), 0
	clauseOf := func(at int) int {
		for clause+1 < len(clauses) && clauses[clause][1] <= at {
			clause++
		}
		return clause
	}
	piece := func(from, to int) string {
		text := []rune(strings.Join(strings.Fields(request[from:to]), " "))
		if len(text) > mostRunes {
			text = append(text[:mostRunes-1], '…')
		}
		return string(text)
	}
	more, before := 0, -1 // before is the clause of the piece before
	for i := 0; i < len(spans); {
		first, end, step := spans[i], spans[i].end, false
		in := clauseOf(first.start)
		begins := in != before
		for ; i < len(spans) && (spans[i].by == "") == (first.by == "") && clauseOf(spans[i].start) == in; i++ {
			end, step = max(end, spans[i].end), step || strings.HasPrefix(spans[i].by, "node:")
		}
		before = in
		switch {
		case first.by == "" && len(open) < mostSaid:
			open = append(open, fmt.Sprintf("%q", piece(first.start, end)))
		case first.by == "":
			more++
		case begins && step && len(could) < mostSaid:
			could = append(could, printable.Line(piece(first.start, end)))
		}
	}
	if more > 0 {
		open = append(open, fmt.Sprintf("and %d more", more))
	}
	return could, open
}

// declinePlan is the end of a request without a workflow that does it all. On a terminal the part that can be done is offered;
// no flag takes it.
func (a *app) declinePlan(ctx context.Context, r planner.Request, p *planner.Result, made *invocation, f *runFlags, why error) error {
	e, _ := p.Error.(map[string]any)
	if e["kind"] != planshape.Uncovered {
		return a.planInstead(p, why)
	}
	if !a.quiet {
		a.showCoverage(a.stderr, r.Text, p)
	}
	could, _ := saidPieces(r.Text, p)
	if len(could) == 0 || p.WorkflowIR == nil || len(p.Diagnostics) > 0 || !a.interactive() || a.asJSON || f.yes != "" || f.save || f.dryRun {
		return a.planInstead(p, why)
	}
	d, err := a.partDraft(ctx, r, p, made)
	if err != nil || d.stuck != nil {
		return why
	}
	a.status(why)
	fmt.Fprintln(a.stderr, "the part that can be done:")
	a.showSteps(ctx, a.stderr, d.plan, d.workflow)
	destroys := a.foreseenToDestroy(d)
	answer, err := a.readLine(ctx, destroysFirst(destroys)+"Run only this part, without keeping it as a workflow? [p/N]")
	if word := strings.ToLower(strings.TrimSpace(answer)); err != nil || word != "p" && word != "part" {
		return fail(exitUnplanned, "nothing was saved or run")
	}
	d.agreed = destroys
	if err := a.askMissing(ctx, d); err != nil {
		return err
	}
	return a.carryOut(ctx, d, true, f)
}

// nameOfSteps is a name for a workflow that nobody has given one.
func nameOfSteps(w *ir.Workflow) string {
	var ids []string
	for _, n := range w.Nodes {
		ids = append(ids, n.ID)
	}
	name := strings.ReplaceAll(strings.ToLower(strings.Join(ids, "-")), "_", "-")
	return strings.Trim(name[:min(len(name), library.MaxName)], "-")
}

// partDraft is the draft of what can be done of a request. It has a name and a description of its own, since those of the
// plan are of the whole.
func (a *app) partDraft(ctx context.Context, r planner.Request, p *planner.Result, made *invocation) (*planDraft, error) {
	part := *p
	part.Status, part.Error = planner.Ready, nil
	w, found := ir.Decode([]byte(value.JSON(p.WorkflowIR)))
	if err := found.Err(); err != nil {
		return nil, err
	}
	name := nameOfSteps(w)
	part.WorkflowName, part.Metadata = name, maps.Clone(p.Metadata)
	if part.Metadata == nil {
		part.Metadata = map[string]any{}
	}
	part.Metadata["suggested_name"], part.Metadata["description"] = name, ""
	d := &planDraft{request: r, plan: &part, made: made, params: p.ExecutionParams, name: name, part: true}
	checked, err := a.check(ctx, d, []byte(value.JSON(p.WorkflowIR)))
	if err == nil {
		err = checked.Err()
	}
	return d, err
}

// foreseenToDestroy names what a draft would destroy, as far as that can be known before what is missing is asked for; ""
// if nothing.
func (a *app) foreseenToDestroy(d *planDraft) string {
	if d.loaded == nil {
		return ""
	}
	store, _, err := d.loaded.program.Bind(d.given())
	if err != nil {
		return ""
	}
	return destroyed(d.loaded.program.DryRun(store))
}
