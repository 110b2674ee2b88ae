package experiment_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"pflow/engine"
	"pflow/internal/experiment"
	"pflow/internal/fault"
	"pflow/internal/llm"
	"pflow/internal/shelf"
	"pflow/nodes"
)

// TestRun: every case once under each variant and in each repeat, and a report that says so.
func TestRun(t *testing.T) {
	s := specOf(t, 24, "repeats: 2\nconcurrency: 3\n")
	x, store := started(t, s, surroundings(t, nodes.Deps{}))
	rows := 0
	x.Progress = func(p experiment.Progress) { rows = p.Rows }
	ended, err := x.Run(context.Background(), false)
	if err != nil || ended.Rows != 96 || ended.Missing != 0 || rows != 96 {
		t.Fatalf("%+v, %d rows shown: %v", ended, rows, err)
	}
	r := report(t, store)
	c := r.Comparisons[0]
	if r.Cases != 24 || r.Rows != 96 || r.Variants[0].Means[experiment.Pass] != 1 || c.Verdict != "REJECT" || len(c.Broken) != 16 || len(c.Fixed) != 0 {
		t.Errorf("cases %d, rows %d, pass %v, verdict %s, broken %d", r.Cases, r.Rows, r.Variants[0].Means[experiment.Pass], c.Verdict, len(c.Broken))
	}
	d := c.Broken[0].Diverge
	if d == nil || d.Node != "workflow-generation" || d.Baseline.Action != "validate" || d.Variant.Action != "partly" {
		t.Errorf("diverge: %+v", d)
	}
	if !strings.Contains(d.Baseline.Result, `"copy-file"`) {
		t.Errorf("the result at the divergence: %s", d.Baseline.Result)
	}
	if len(c.Metrics) == 0 || c.McNemar != nil {
		t.Errorf("with two repeats there is no McNemar: %+v", c.McNemar)
	}
	again, err := x.Run(context.Background(), false)
	if err != nil || again.Rows != 96 {
		t.Errorf("again: %+v %v", again, err)
	}
}

// TestInterrupt: a run that is stopped anywhere goes on, and makes no row twice.
func TestInterrupt(t *testing.T) {
	s := specOf(t, 40, "concurrency: 2\n")
	o := surroundings(t, nodes.Deps{})
	var plans atomic.Int64
	with := o.Shelf
	o.Shelf = func(c *experiment.Case) (*shelf.Shelf, error) {
		plans.Add(1)
		return with(c)
	}
	x, store := started(t, s, o)
	plans.Store(0) // cases were looked at before any was planned
	cancelled := 0
	for stop := 7; ; stop += 13 {
		ctx, cancel := context.WithCancel(context.Background())
		x.Progress = func(p experiment.Progress) {
			if p.Rows >= stop {
				cancel()
			}
		}
		ended, err := x.Run(ctx, false)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if ended.Missing == 0 {
			break
		}
		cancelled++
		if x, err = experiment.Resume(store, o); err != nil {
			t.Fatal(err)
		}
	}
	if cancelled == 0 {
		t.Error("no run was stopped")
	}
	r := report(t, store)
	if r.Rows != 80 || r.Missing != 0 || r.Errors != 0 {
		t.Errorf("%d rows, %d missing, %d errors", r.Rows, r.Missing, r.Errors)
	}
	if n := plans.Load(); n > 80+int64(cancelled)*3 { // at a stop two are under way, and one may begin before it is seen
		t.Errorf("%d plans for 80 rows, stopped %d times", n, cancelled)
	}
}

// TestResumeRefuses a flow that is not the one that it began with.
func TestResumeRefuses(t *testing.T) {
	s := specOf(t, 3, "")
	o := surroundings(t, nodes.Deps{})
	_, store := started(t, s, o)
	load := o.Load
	for _, change := range []string{"null ?? null", "result.workflow ?? null"} {
		o.Load = func(v experiment.Variant) (*engine.Flow, error) {
			if v.Name == "strict" {
				v.Set[len(v.Set)-1].Value = change
			}
			return load(v)
		}
		if _, err := experiment.Resume(store, o); err == nil || fault.Of(err).Kind != fault.Refused || !strings.Contains(err.Error(), `variant "strict"`) {
			t.Errorf("%v", err)
		}
	}
}

// TestOneWriter: an experiment that is under way in one place cannot be gone on with in another, but can be read.
func TestOneWriter(t *testing.T) {
	_, store := started(t, specOf(t, 3, ""), surroundings(t, nodes.Deps{}))
	if _, err := experiment.OpenStore(store.Dir); err == nil || !strings.Contains(err.Error(), "another process works on the experiment") {
		t.Errorf("%v", err)
	}
	reader, err := experiment.ReadStore(store.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	writer, err := experiment.OpenStore(store.Dir)
	if err != nil {
		t.Fatal(err)
	}
	writer.Close()
}

const asking = `flow: asking
version: 1
description: Ask a model which file is meant.
state:
  user_input: {type: string, required: true}
  answer: {type: any, default: null}
  planner_output: {type: any, default: null}
nodes:
  ask:
    op: llm
    prep: {request: store.user_input}
    with: {prompt: parameters}
    retry: {attempts: 1}
    post: {answer: result.value}
    next: tell
  tell:
    op: eval
    prep: {answer: store.answer}
    with: {expr: '{"status": "infeasible", "attempts": 0, "error": null}'}
    post: {planner_output: result}
    next: end
`

// TestModels: calls are counted and budgeted, their prompts kept, errors planned again where that is asked for, and each
// repeat is a call of its own.
func TestModels(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/asking.yaml", asking)
	s := specOf(t, 30, "repeats: 2\nbudget: {calls: 40}\nvariants: [{name: one, flow: "+dir+"/asking.yaml, model: t/one}, {name: two, flow: "+dir+"/asking.yaml, model: t/two}]\n")
	asked := map[string]int{}
	failing := true
	o := surroundings(t, nodes.Deps{Model: func(ctx context.Context, r llm.Request) (*llm.Reply, error) {
		r = experiment.Ask(ctx, r)
		key := r.Model + " " + string(rune('0'+r.Repeat)) + " " + r.Messages[0].Content
		if failing && strings.Contains(r.Messages[0].Content, "file-0.txt") {
			return nil, fault.New(fault.Unavailable, "not now")
		}
		asked[key]++
		r.OnExchange(llm.Exchange{Model: r.Model, Messages: r.Messages, Reply: `{"params": []}`})
		reply := &llm.Reply{Text: `{"params": []}`, Value: map[string]any{"params": []any{}}, Model: r.Model, Usage: llm.Usage{Calls: 1, PromptTokens: 10, CompletionTokens: 2, CostUSD: .001, Priced: true}}
		experiment.Answered(ctx, reply)
		return reply, nil
	}})
	x, store := started(t, s, o)
	ended, err := x.Run(context.Background(), false)
	if err != nil || ended.Budget != "calls 40" || ended.Missing == 0 {
		t.Fatalf("%+v %v", ended, err)
	}
	if r := report(t, store); r.Rows < 40 || r.Rows > 48 {
		t.Errorf("%d rows with a budget of 40 calls", r.Rows)
	}
	x.Spec.Budget = experiment.Budget{}
	if ended, err = x.Run(context.Background(), false); err != nil || ended.Missing > 0 {
		t.Fatalf("%+v %v", ended, err)
	}
	r := report(t, store)
	if r.Errors != 4 || r.Variants[0].Totals[experiment.Calls] != 58 || r.Variants[1].Totals[experiment.Tokens] != 58*12 {
		t.Errorf("%d errors, totals %v", r.Errors, r.Variants[0].Totals)
	}
	failing = false
	if ended, err = x.Run(context.Background(), true); err != nil || ended.Missing > 0 {
		t.Fatalf("%+v %v", ended, err)
	}
	if r := report(t, store); r.Errors != 0 || r.Rows != 120 {
		t.Errorf("%d errors, %d rows", r.Errors, r.Rows)
	}
	if len(asked) != 120 {
		t.Errorf("%d different calls, want 120", len(asked))
	}
	for key, n := range asked {
		if n != 1 {
			t.Errorf("asked %d times: %s", n, key)
		}
	}
}

// TestUnpriced: a price that is not known is no cost of 0. It ends a run with a budget in dollars, has no value in the
// report, and keeps no guardrail. A call that is free has one.
func TestUnpriced(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/asking.yaml", asking)
	s := specOf(t, 30, "budget: {cost_usd: 1}\nguardrails: {cost_usd: {relative: 0.1}}\nvariants: [{name: dear, flow: "+dir+"/asking.yaml, model: t/dear}, {name: free, flow: "+dir+"/asking.yaml, model: t/free}, {name: some, flow: "+dir+"/asking.yaml, model: t/some}]\n")
	o := surroundings(t, nodes.Deps{Model: func(ctx context.Context, r llm.Request) (*llm.Reply, error) {
		r = experiment.Ask(ctx, r)
		u := llm.Usage{Calls: 1, PromptTokens: 10, CompletionTokens: 2, Priced: true}
		switch {
		case r.Model == "t/dear":
			u.CostUSD = .001
		case r.Model == "t/some" && !strings.Contains(r.Messages[0].Content, "paint"):
			u.Priced = false
		}
		reply := &llm.Reply{Text: `{"params": []}`, Value: map[string]any{"params": []any{}}, Model: r.Model, Usage: u}
		experiment.Answered(ctx, reply)
		return reply, nil
	}})
	x, store := started(t, s, o)
	for range 2 { // the second one knows it from the rows
		ended, err := x.Run(context.Background(), false)
		if err == nil || fault.Of(err).Kind != fault.Unpriced || !strings.Contains(err.Error(), "the budget cost_usd 1 cannot be kept") {
			t.Fatalf("%+v %v", ended, err)
		}
	}
	if r := report(t, store); r.Missing < 80 {
		t.Errorf("%d rows after the first that is unpriced", r.Rows)
	}
	x.Spec.Budget = experiment.Budget{}
	if ended, err := x.Run(context.Background(), false); err != nil || ended.Missing > 0 {
		t.Fatalf("%+v %v", ended, err)
	}
	r := report(t, store)
	if cost, priced := r.Variants[1].Totals[experiment.CostUSD]; !priced || cost != 0 {
		t.Errorf("free: totals %v", r.Variants[1].Totals)
	}
	if _, priced := r.Variants[2].Totals[experiment.CostUSD]; priced || r.Variants[2].Totals[experiment.Calls] != 30 {
		t.Errorf("unpriced: totals %v", r.Variants[2].Totals)
	}
	if g := r.Comparisons[0].Guardrails[0]; g.State != "kept" {
		t.Errorf("free: %+v", g)
	}
	if g := r.Comparisons[1].Guardrails[0]; g.State != "unclear" || g.Reason != "20 rows unpriced, so that cost_usd is not known" {
		t.Errorf("unpriced: %+v", g)
	}
	if notes := strings.Join(r.Notes, "; "); !strings.Contains(notes, "20 rows of some unpriced") || strings.Contains(notes, "of free") {
		t.Errorf("notes: %s", notes)
	}
	spec, _, err := store.Spec()
	if err != nil {
		t.Fatal(err)
	}
	spec.Primary, spec.Effect, spec.Guardrails = experiment.CostUSD, 0, nil
	asCost, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.SetMeta("spec", string(asCost)); err != nil {
		t.Fatal(err)
	}
	if c := report(t, store).Comparisons; c[0].Verdict != "PROMOTE" || c[1].Verdict == "PROMOTE" || !strings.Contains(c[1].Reason, "20 rows unpriced") {
		t.Errorf("cost decides: %s, %s: %s", c[0].Verdict, c[1].Verdict, c[1].Reason)
	}
	plans, err := store.Plans()
	if err != nil {
		t.Fatal(err)
	}
	unpriced := 0
	for k, plan := range plans {
		if strings.Contains(plan, `"cost_usd":null`) {
			unpriced++
		} else if k.Variant == 1 && !strings.Contains(plan, `"cost_usd":0}`) {
			t.Errorf("a plan that was free: %s", plan)
		}
	}
	if unpriced != 20 {
		t.Errorf("%d plans without a cost, want 20", unpriced)
	}
}
