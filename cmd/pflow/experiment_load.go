package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pflow/engine"
	"pflow/internal/experiment"
	"pflow/internal/llm"
	"pflow/nodes"
)

// experimentOptions hands an experiment what it needs of the program.
func (a *app) experimentOptions(spec *experiment.Spec) (experiment.Options, error) {
	by, err := a.settings()
	if err != nil {
		return experiment.Options{}, err
	}
	shelves, found, err := experiment.NewShelves(spec, a.sources(), by)
	if err != nil {
		return experiment.Options{}, documentError(err)
	}
	a.showFindings(found)
	a.record, a.replay, a.replayOrCall = spec.Replies.Folders()
	if _, err := a.theClient(); err != nil {
		return experiment.Options{}, err
	}
	var equal *experiment.EqualCalls
	if spec.Replies.Kept() {
		equal = &experiment.EqualCalls{}
	}
	return experiment.Options{
		Load:  func(v experiment.Variant) (*engine.Flow, error) { return a.loadVariant(v, equal) },
		Shelf: shelves.Of,
	}, nil
}

// loadVariant compiles the flow of a variant, with its settings and prompts.
func (a *app) loadVariant(v experiment.Variant, equal *experiment.EqualCalls) (*engine.Flow, error) {
	res := &variantPrompts{Resources: a.folders(), list: v.Prompts, used: map[string]bool{}}
	doc, err := a.document(res, v.Flow)
	if err != nil {
		return nil, inVariant(v, err)
	}
	l := &engine.Loader{Ops: engine.NewRegistry(nodes.All(a.variantDeps(v, equal))...), Resources: res, Set: v.Set}
	flow, found := l.Load(doc)
	if err := found.Err(); err != nil {
		return nil, inVariant(v, usage("%s", strings.TrimRight(err.Error(), "\n")))
	}
	for _, p := range v.Prompts {
		if p.Name != "" && !res.used[p.Name] {
			return nil, usage("variant %s: the flow %s uses no prompt %q%s", v.Name, flow.Name, p.Name, didYouMean(p.Name, res.asked))
		}
	}
	if !slices.ContainsFunc(flow.State(), func(k engine.StateKey) bool { return k.Name == "planner_output" }) {
		return nil, usage("variant %s: the flow %q is no planner: it has no state key planner_output", v.Name, flow.Name)
	}
	return flow, nil
}

// variantDeps are the program's, with the model of a variant, and each repeat's calls its own.
func (a *app) variantDeps(v experiment.Variant, equal *experiment.EqualCalls) nodes.Deps {
	d := a.deps()
	d.Model = func(ctx context.Context, r llm.Request) (*llm.Reply, error) {
		r = experiment.Ask(ctx, r)
		if equal != nil {
			defer equal.Wait(r)()
		}
		reply, err := a.callModel(ctx, r)
		experiment.Answered(ctx, reply)
		return reply, err
	}
	d.Priced = func(model string) (bool, error) { return a.priced(cmp.Or(model, v.Model)) }
	return d
}

func inVariant(v experiment.Variant, err error) error {
	return usage("variant %s: %v", v.Name, err)
}

// variantPrompts looks for prompts and schemas where a variant says, before anywhere else.
type variantPrompts struct {
	engine.Resources
	list  []experiment.Prompts
	used  map[string]bool
	asked []string
}

var promptEndings = map[engine.DocumentKind]string{engine.PromptDocument: ".tmpl", engine.SchemaDocument: ".schema.json"}

func (r *variantPrompts) Find(kind engine.DocumentKind, name string, from []string) (engine.Document, error) {
	ending, ok := promptEndings[kind]
	if !ok {
		return r.Resources.Find(kind, name, from)
	}
	r.asked = append(r.asked, name)
	for _, p := range r.list {
		file := p.Path
		if p.Name == "" {
			file = filepath.Join(p.Path, name+ending)
			if _, err := os.Stat(file); err != nil {
				continue
			}
		} else if p.Name != name || !strings.HasSuffix(p.Path, ending) {
			continue
		}
		r.used[p.Name] = true
		doc, err := engine.ReadDocument(kind, file)
		doc.Name = name
		return doc, err
	}
	return r.Resources.Find(kind, name, from)
}
