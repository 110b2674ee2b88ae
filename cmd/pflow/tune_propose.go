package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"pflow/engine"
	"pflow/internal/experiment"
	"pflow/internal/fault"
	"pflow/internal/llm"
	"pflow/internal/prompt"
	"pflow/internal/tune"
	"pflow/internal/value"
	"pflow/nodes"
)

// The flow that proposes, and how many calls one proposal takes at most: one ask, and one more for each form of a structured reply that an
// endpoint may refuse.
const (
	proposingFlow = "planner-tune"
	proposalCalls = 5
)

// proposer asks for other words of a flow's prompts.
type proposer struct {
	n       int
	plans   int // to find what fails
	flow    *engine.Flow
	prompts map[string]engine.Document // of the flow as it is, by name

	mu     sync.Mutex
	number int                       // of the proposal that is asked for
	filled map[string]map[string]any // what each prompt was first filled in with
}

// proposing reads what --propose needs, and settles the model: nothing has been called.
func (a *app) proposing(v *experiment.Variant, f *tuneFlags) (*proposer, error) {
	if f.propose < 0 || f.propose > 100 {
		return nil, usage("--propose %d: want a number from 1 to 100", f.propose)
	}
	client, err := a.theClient()
	if err != nil {
		return nil, err
	}
	if v.Model == "" {
		v.Model, _ = client.Default()
	}
	if v.Model == "" || v.Model == llm.NoModel {
		return nil, usage("--propose %d: %s, and a model proposes: set the key of a provider, or name one with --model; pflow model list shows what there is", f.propose, noModel)
	}
	if priced, err := client.Priced(v.Model); f.budget.CostUSD > 0 && (err != nil || !priced) {
		return nil, usage("--max-cost: the price of %s is not known; give its prices in models.yaml, or use --max-calls", v.Model)
	}
	p := &proposer{n: f.propose, prompts: map[string]engine.Document{}, filled: map[string]map[string]any{}}
	doc, err := a.document(a.folders(), v.Flow)
	if err != nil {
		return nil, err
	}
	l := &engine.Loader{Ops: a.host().Ops(), Resources: noted{a.folders(), p.prompts}, Set: v.Set}
	if _, found := l.Load(doc); found.HasErrors() {
		return nil, found.Err()
	}
	deps := a.deps()
	deps.Model = func(ctx context.Context, r llm.Request) (*llm.Reply, error) {
		r.Model, r.Repeat = v.Model, p.number // equal questions are to be answered anew
		return a.callModel(ctx, r)
	}
	if doc, err = a.document(a.folders(), proposingFlow); err != nil {
		return nil, err
	}
	flow, found := (&engine.Loader{Ops: engine.NewRegistry(nodes.All(deps)...), Resources: a.folders()}).Load(doc)
	p.flow = flow
	return p, found.Err()
}

// noted notes the prompts that a flow finds.
type noted struct {
	engine.Resources
	prompts map[string]engine.Document
}

func (n noted) Find(kind engine.DocumentKind, name string, from []string) (engine.Document, error) {
	doc, err := n.Resources.Find(kind, name, from)
	if err == nil && kind == engine.PromptDocument {
		n.prompts[name] = doc
	}
	return doc, err
}

func (p *proposer) find(name string) (string, []byte, error) {
	doc, ok := p.prompts[name]
	if !ok {
		return "", nil, fmt.Errorf("the flow has no prompt %q", name)
	}
	return doc.Path, doc.Data, nil
}

// propose plans the searched part with the flow as it is, asks for proposals from what failed, and adds those that hold to what is searched.
// What was proposed before is not asked for again.
func (a *app) propose(ctx context.Context, t *tuneRun) error {
	p, s := t.proposer, t.search
	if err := p.keepFilled(a, filepath.Join(s.Dir, "filled.json")); err != nil {
		return err
	}
	file := filepath.Join(s.Dir, "proposals.json")
	proposals, err := readProposals(file)
	if err != nil {
		return err
	}
	for _, one := range proposals {
		t.took(one.Took)
	}
	failures, err := s.Failures(ctx)
	a.onAsk = nil
	if err != nil {
		return err
	}
	wanted := tune.Want(failures, t.flow.Prompts(), p.n)
	for i := len(proposals); i < len(wanted); i++ {
		if ctx.Err() != nil {
			return &tune.Stopped{Stage: "the proposals", Missing: len(wanted) - i}
		}
		if err := s.Afford("the proposals", len(wanted)-i); err != nil {
			return err
		}
		one, err := p.ask(ctx, wanted[i], s.Dir)
		if err != nil {
			return err
		}
		t.took(one.Took)
		proposals = append(proposals, one)
		data, err := json.Marshal(proposals)
		if err == nil {
			err = writeAtomic(file, data)
		}
		if err != nil {
			return fail(exitFailed, "%s", fileError(err))
		}
	}
	s.Space = s.Space.With(proposals)
	told := newTuneReport(t.told.ID, t)
	told.Proposals = proposals
	for _, one := range proposals {
		if one.Problem != "" {
			told.Left = append(told.Left, tune.Left{Label: one.Label(), Why: one.Problem})
		}
	}
	if len(wanted) == 0 {
		told.Left = append(told.Left, tune.Left{Label: "prompts", Why: "no case of the searched part failed that asked one, so there is nothing to propose from"})
	}
	t.told = told
	return nil
}

// took adds to what proposals took.
func (t *tuneRun) took(b experiment.Budget) {
	sum := &t.search.Proposed
	sum.CostUSD, sum.Calls, sum.Tokens = sum.CostUSD+b.CostUSD, sum.Calls+b.Calls, sum.Tokens+b.Tokens
}

// ask runs the flow that proposes, and checks what it proposes.
func (p *proposer) ask(ctx context.Context, w tune.Wanted, dir string) (tune.Proposal, error) {
	out := tune.Proposal{Prompt: w.Prompt, Number: w.Number}
	doc, ok := p.prompts[w.Prompt]
	if !ok {
		out.Problem = "its file is not known"
		return out, nil
	}
	_, body := prompt.Split(doc.Data)
	p.number = w.Number - 1
	run, err := engine.Execute(ctx, p.flow, map[string]any{
		"prompt": w.Prompt, "text": body, "variables": p.variables(w.Prompt), "cases": w.Told(),
	}, engine.Options{})
	switch {
	case err != nil:
		return out, err
	case ctx.Err() != nil:
		return out, &tune.Stopped{Stage: "the proposals", Missing: 1}
	case run.Error != nil:
		return out, fail(exitFailed, "no proposal for the prompt %s: %s", w.Prompt, run.Error.Message)
	}
	out.Took = experiment.Budget{CostUSD: run.Usage["cost_usd"], Calls: int(run.Usage["calls"]), Tokens: int(run.Usage["tokens"])}
	if failed, _ := run.Store["last_error"].(map[string]any); failed != nil && failed["kind"] != string(fault.Schema) {
		// It is not kept that nothing was proposed: the same command asks again.
		return out, fail(exitFailed, "no proposal for the prompt %s: %v; the same command goes on", w.Prompt, failed["message"])
	}
	said, _ := run.Store["proposal"].(string)
	out.Why, _ = run.Store["why"].(string)
	file := filepath.Join(dir, "proposals", fmt.Sprintf("%s-%d.tmpl", w.Prompt, w.Number))
	var data []byte
	if data, out.Problem = tune.Proposed(ctx, file, doc.Data, said, p.find, p.filled[w.Prompt]); out.Problem != "" {
		return out, nil
	}
	out.File = file
	if err = os.MkdirAll(filepath.Dir(file), 0o700); err == nil {
		err = writeAtomic(file, data)
	}
	if err != nil {
		return out, fail(exitFailed, "%s", fileError(err))
	}
	return out, nil
}

// variables are the names that a prompt declares.
func (p *proposer) variables(name string) []any {
	out := []any{}
	for _, v := range tune.Variables(p.prompts[name].Path, p.prompts[name].Data, p.find) {
		out = append(out, v)
	}
	return out
}

// keepFilled keeps what each prompt was first filled in with: a proposal must render with it.
func (p *proposer) keepFilled(a *app, file string) error {
	data, err := os.ReadFile(file)
	if err == nil {
		err = value.Decode(data, &p.filled)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return usage("%s: %v; --id NAME begins anew", file, err)
	}
	a.onAsk = func(r llm.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if r.Prompt == "" || r.Variables == nil || p.filled[r.Prompt] != nil {
			return
		}
		p.filled[r.Prompt] = r.Variables
		all := map[string]any{}
		for name, v := range p.filled {
			all[name] = v
		}
		_ = writeAtomic(file, value.AppendJSON(nil, all)) // without it proposals are checked by less
	}
	return nil
}

func readProposals(file string) (out []tune.Proposal, err error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		return nil, usage("%s: %v; --id NAME begins anew", file, err)
	}
	return out, nil
}

// dimension stands for n proposals that are not there yet, to tell how many plans they take.
func (p *proposer) dimension() tune.Dimension {
	d := tune.Dimension{Path: "prompts", Values: []tune.Value{{Label: "as it is"}}}
	for i := range p.n {
		d.Values = append(d.Values, tune.Value{Label: fmt.Sprintf("proposal %d", i+1)})
	}
	return d
}

// mostCalls is how many calls of models a number of plans takes at most, where the flow bounds them.
func mostCalls(flow *engine.Flow, plans int) (int, bool) {
	limits := flow.Definition().Tree.Get("limits")
	if limits == nil || limits.Get("calls") == nil {
		return 0, false
	}
	n, is := limits.Get("calls").Plain().(int)
	return n * plans, is
}
