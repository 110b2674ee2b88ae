package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/fault"
	"pflow/internal/flowdiff"
	"pflow/internal/library"
	"pflow/internal/process"
	"pflow/internal/runs"
	"pflow/internal/value"
	"pflow/internal/workflow"
	"pflow/ir"
)

// runFixSchema names the shape of `pflow runs fix --json` where nothing is run.
const runFixSchema = "pflow.run-fix/v1"

// Whether a fix was found.
const (
	fixFound = "found"
	fixNone  = "none"
)

// fix is a workflow that failed, and what mends it.
type fix struct {
	Schema     string            `json:"schema"`
	Run        string            `json:"run"`     // that failed
	FixRun     string            `json:"fix_run"` // of planner-fix; "" if it is not kept
	Status     string            `json:"status"`
	By         string            `json:"by"`       // rule or model; "" if there is none
	Why        string            `json:"why"`      // what was wrong and what is changed, or why there is none
	Failure    *failure          `json:"failure"`  // of the step
	Name       string            `json:"name"`     // of the workflow that failed
	SaveAs     string            `json:"save_as"`  // "" where nothing of the workflow is changed
	Next       bool              `json:"next"`     // as the next version of that name
	Workflow   *ir.Workflow      `json:"workflow"` // mended; null where nothing of it is changed
	Inputs     map[string]any    `json:"inputs"`   // those of the run that are others
	Changes    []flowdiff.Change `json:"changes"`
	NewEffects []string          `json:"new_effects"`
	Digest     string            `json:"digest"` // approves exactly this; "" where there is nothing to approve, or it is not kept

	failure *failure
	row     runs.Row
	base    *loaded // what failed
	dir     string
	loaded  *loaded // what is run
	moved   string  // why it is saved beside, "" if it is not
	seen    bool    // it was shown before, and is taken as it was

	saveOnly bool
}

// named is what names exactly this fix, or, where its run is not kept, the run that failed.
func (x *fix) named() string { return cmp.Or(x.FixRun, x.row.ID) }

// savedAs says where a fix would be saved.
func (x *fix) savedAs() string {
	if x.Next {
		return fmt.Sprintf("as the next version of '%s'", x.SaveAs)
	}
	return fmt.Sprintf("as '%s'", x.SaveAs)
}

// madeFix gives the fix that a run of planner-fix came to, and the run that it mends. For any other run there is none yet.
func (a *app) madeFix(given string) (string, *engine.Result, error) {
	if err := a.needsHome(); err != nil {
		return "", nil, err
	}
	row, err := a.history().Find(given)
	if err != nil || row.Kind != journal.OfFlow || row.By != journal.ByFix {
		return given, nil, nil // whoever looks for the run of a workflow says what is wrong
	}
	_, past, documents, err := a.readRun(row.ID)
	if err != nil {
		return "", nil, err
	}
	if past.Status != engine.Done {
		return "", nil, usage("run %s, which was to find a fix, is %s; find another with: %s", row.ID, row.Status, a.fixHint(&fix{row: runs.Row{ID: row.Parent}}))
	}
	flow, err := a.host().Recorded(documents)
	if err != nil {
		return "", nil, usage("run %s: %s", row.ID, strings.TrimSpace(err.Error()))
	}
	run, err := engine.Replay(flow, &past.History, engine.Watch{})
	if err != nil {
		return "", nil, usage("run %s: %v", row.ID, err)
	}
	res := run.Result()
	res.RunID = row.ID
	return row.Parent, res, nil
}

// mayFix reports whether planner-fix may mend what failed with an error: one that its rules are about, or, if there is a model, one
// that does not pass by itself; not in a step of a workflow that is called.
func (a *app) mayFix(res *workflow.Result) bool {
	if res.Called {
		return false
	}
	switch kind := fault.Kind(res.Error.Kind); kind {
	case fault.NotFound, fault.MissingKey:
		return true
	default:
		has, err := a.hasModel()
		return err == nil && has && !kind.Temporary()
	}
}

// toldFix is what the result of a run says of the fix that it is with.
type toldFix struct {
	Run     string            `json:"run"`
	FixRun  string            `json:"fix_run"`
	By      string            `json:"by"`
	Why     string            `json:"why"`
	SaveAs  string            `json:"save_as"`
	Next    bool              `json:"next"`
	Inputs  map[string]any    `json:"inputs"`
	Changes []flowdiff.Change `json:"changes"`
}

func (x *fix) told() *toldFix {
	return &toldFix{x.Run, x.FixRun, x.By, x.Why, x.SaveAs, x.Next, x.Inputs, x.Changes}
}

// findFix runs planner-fix for a workflow that failed; not anew, it looks only whether a rule comes to the same again: nobody is
// asked, and nothing of it is kept.
func (a *app) findFix(ctx context.Context, x *fix, anew bool) (*engine.Result, error) {
	document, err := x.base.program.Workflow.Plain()
	if err != nil {
		return nil, usage("run %s: %v", x.row.ID, err)
	}
	has, err := a.hasModel()
	if err != nil {
		return nil, err
	}
	has = has && anew
	mask := x.base.program.Mask()
	input := map[string]any{"user_input": x.row.Request, "failed_workflow": document, "failure": x.failure.value(), "ask_model": has}
	masked, _ := mask.Value(input).(map[string]any)
	if has {
		if err := a.withoutKeys(ctx, "what is known of the failure", value.JSON(masked)); err != nil {
			return nil, err
		}
	}
	flow, docs, err := a.load(fixFlow)
	if err != nil {
		return nil, err
	}
	o := engine.Options{RunID: journal.NewID(time.Now()), Observe: a.observer()}
	about := a.about(journal.OfFlow, flow.Name, "")
	about.By, about.Parent = journal.ByFix, x.row.ID
	if !anew {
		return engine.Execute(process.InRun(ctx, o.RunID), flow, masked, o)
	}
	w, unkept := a.newJournal(o.RunID, about, nil, docs.Marshal)
	if unkept == nil {
		defer w.Close()
		o.Journal = w
		ctx = a.withExchanges(ctx, o.RunID)
	} else {
		a.warn("how the fix was found is not kept: %s", fileError(unkept))
	}
	p := a.follow("looking for a fix")
	o.Progress = p.told()
	res, err := engine.Execute(process.InRun(p.within(ctx), o.RunID), flow, masked, o)
	p.stop()
	if err != nil {
		return nil, err
	}
	if unkept != nil {
		res.RunID = ""
	}
	for _, text := range res.Warnings {
		a.warn("%s", text)
	}
	return res, nil
}

// takeFix takes over what planner-fix came to: a workflow that is valid and not the one that failed, other inputs, or why there is
// neither.
func (a *app) takeFix(ctx context.Context, x *fix, res *engine.Result) error {
	x.Schema, x.Run, x.FixRun, x.Status, x.Failure, x.Name = runFixSchema, x.row.ID, res.RunID, fixNone, x.failure, x.base.program.Name
	x.Inputs, x.Changes, x.NewEffects = map[string]any{}, []flowdiff.Change{}, []string{}
	if res.Status != engine.Done {
		return fail(exitFailed, "no fix was found: %s ended as %s: %v", fixFlow, res.Status, res.Error)
	}
	text := func(key string) string { s, _ := res.Store[key].(string); return s }
	x.By, x.Why = text("by"), text("why")
	if last, _ := res.Store["last_error"].(map[string]any); last != nil && res.Store["workflow"] == nil && x.By != "rule" {
		x.Why = fmt.Sprint(last["message"])
	}
	inputs, _ := res.Store["inputs"].(map[string]any)
	if res.Store["workflow"] == nil && len(inputs) == 0 || res.Action == "invalid" {
		x.By = ""
		var why []string
		for _, s := range []string{text("ruled_out"), x.Why} {
			if s != "" && !slices.Contains(why, s) {
				why = append(why, s)
			}
		}
		x.Why = strings.Join(why, "; the model: ")
		if res.Action == "invalid" {
			x.Why += "; what the model gave is not valid: " + firstFinding(res.Store["validation_errors"])
		}
		return nil
	}
	x.Status, x.Inputs = fixFound, inputs
	old := x.base.program.Workflow
	given := x.failure.inputs
	for _, name := range value.SortedKeys(inputs) {
		x.Changes = append(x.Changes, flowdiff.Change{Kind: "value", Path: name, Change: flowdiff.Changed, Old: given[name], New: inputs[name]})
	}
	if res.Store["workflow"] == nil {
		return nil
	}
	shelf, err := a.shelfOf(ctx)
	if err != nil {
		return err
	}
	w, found := workflow.Check([]byte(value.JSON(res.Store["workflow"])), shelf.Catalogue, a.nodeTypes(), ir.Options{})
	if err := found.Err(); err != nil { // what it uses is here no more
		return err
	}
	inOrder(w, old)
	x.Workflow = w
	changes, err := flowdiff.Workflows(old, w)
	if err != nil {
		return usage("%v", err)
	}
	x.Changes = append(x.Changes, changes...)
	had := old.Effects(shelf.Catalogue)
	for _, e := range w.Effects(shelf.Catalogue) {
		if !slices.Contains(had, e) && e != ir.Idempotent {
			x.NewEffects = append(x.NewEffects, string(e))
		}
	}
	return nil
}

func firstFinding(v any) string {
	list, _ := v.([]any)
	if len(list) == 0 {
		return "it does not say why"
	}
	first, _ := list[0].(map[string]any)
	return fmt.Sprint(first["message"])
}

// inOrder gives inputs and outputs the order that they had: an object of a flow has none.
func inOrder(w, old *ir.Workflow) {
	place := func(names []string) func(name string) int {
		return func(name string) int {
			if at := slices.Index(names, name); at >= 0 {
				return at
			}
			return len(names)
		}
	}
	var inputs, outputs []string
	for _, in := range old.Inputs {
		inputs = append(inputs, in.Name)
	}
	for _, out := range old.Outputs {
		outputs = append(outputs, out.Name)
	}
	in, out := place(inputs), place(outputs)
	slices.SortStableFunc(w.Inputs, func(a, b ir.Input) int { return cmp.Compare(in(a.Name), in(b.Name)) })
	slices.SortStableFunc(w.Outputs, func(a, b ir.Output) int { return cmp.Compare(out(a.Name), out(b.Name)) })
}

// fixLoaded compiles what is run: the mended workflow under the name that it is saved as, or, where only inputs change, the one
// that failed.
func (a *app) fixLoaded(ctx context.Context, x *fix) error {
	if x.Workflow == nil {
		x.loaded = x.base
		return nil
	}
	r, err := a.fixRecord(x)
	if err != nil {
		return err
	}
	own, err := a.ownName(ctx, r)
	if err != nil {
		return err
	}
	r.Name, r.Version = own.name, 0
	if own.was != nil { // so it may replace what that one wrote
		r.Version = own.was.Version
	}
	x.SaveAs, x.Next, x.moved = own.name, own.was != nil, own.moved
	x.loaded, err = a.program(ctx, r, workflow.Source{Name: r.Name, Workflow: r.Workflow(), Draft: r.Encode()})
	return err
}

// sealed gives a fix the digest that approves it: what would be saved and run, with what it uses.
func (x *fix) sealed() error {
	uses, err := x.loaded.program.Uses(x.loaded.flows)
	if err != nil || x.FixRun == "" {
		return err
	}
	x.Digest = digestOf(map[string]any{"fix": x.FixRun, "workflow": json.RawMessage(x.loaded.source.Workflow.Encode()), "uses": uses,
		"inputs": x.Inputs, "save_as": x.SaveAs, "next": x.Next})
	return nil
}

// fixRecord is the record of the workflow that failed, with what mends it in its place.
func (a *app) fixRecord(x *fix) (*library.Record, error) {
	was := x.base.record
	if draft := x.base.source.Draft; draft != nil {
		r, _, err := library.Parse("the record of the run", draft)
		if err != nil {
			return nil, err
		}
		was = r
	}
	r := library.NewRecord(x.base.source.Name, nil, x.base.program.Workflow)
	if was != nil {
		copied := *was
		r = &copied
	}
	origin := map[string]any{}
	_ = json.Unmarshal(r.Origin(), &origin) // what is no object tells none
	origin["fixes"], origin["fixed_run"], origin["fix_run"] = x.base.program.Workflow.Hash(), x.row.ID, x.FixRun
	r.SetOrigin(value.AppendJSON(nil, origin))
	r.SetIR(x.Workflow.Encode(), x.Workflow)
	r.Examples = slices.Clone(r.Examples)
	return r, nil
}
