package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pflow/engine"
	"pflow/internal/experiment"
	"pflow/internal/llm"
	"pflow/internal/shelf"
	"pflow/nodes"
)

// experimentOptions hands an experiment what it needs of the program.
func (a *app) experimentOptions(ctx context.Context, spec *experiment.Spec) (experiment.Options, error) {
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
	a.carry, a.clock = spec.Replies.Carry, spec.Replies.Clock
	client, err := a.theClient()
	if err != nil {
		return experiment.Options{}, err
	}
	var equal *experiment.EqualCalls
	if a.record != "" || a.replayOrCall { // what is only replayed is asked of nobody
		equal = &experiment.EqualCalls{}
	}
	model, _ := client.Default()
	keyIn := a.keyFinder()
	loaded := map[string]*engine.Flow{} // by the variant: its flow is asked for by what names the experiment, and by what makes it
	return experiment.Options{
		Load: func(v experiment.Variant) (flow *engine.Flow, err error) {
			if flow = loaded[v.Name]; flow == nil {
				flow, err = a.loadVariant(ctx, v, equal)
				loaded[v.Name] = flow
			}
			return flow, err
		},
		Answers: func(v experiment.Variant, flow *engine.Flow) error { return a.modelReady(ctx, client, flow, v) },
		Shelf:   shelves.Of,
		Withhold: func(c *experiment.Case, on *shelf.Shelf, text string) error {
			if name, found := keyIn(text, on.Secrets); found {
				return usage("case %s: it holds the secret in %s, which would be kept and sent to a model: leave it out", c.ID, name)
			}
			return nil
		},
		Of: append(thisProgram(), model, a.modelsFile()),
	}, nil
}

// modelReady refuses a variant that asks a model where there is none that could answer: each of its plans would count as a fail
// of the flow. A flow that names models itself is taken to know them.
func (a *app) modelReady(ctx context.Context, client *llm.Client, flow *engine.Flow, v experiment.Variant) error {
	if !slices.Contains(flow.Meters(), "calls") || flow.Gives("model") {
		return nil
	}
	if err := client.Ready(ctx, cmp.Or(v.Model, a.sampledModel(client))); err != nil {
		return usage("variant %s: the flow %s asks a model: %v", v.Name, flow.Name, err)
	}
	return nil
}

// thisProgram tells this program from others that may plan in another way: builds of the same version, too.
func thisProgram() []string {
	out := []string{buildVersion()}
	if path, err := os.Executable(); err == nil {
		if info, err := os.Stat(path); err == nil {
			out = append(out, fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano()))
		}
	}
	return out
}

// modelsFile is what the home says of models, such as their prices and where they are; "" for nothing. One that cannot be
// read was told before.
func (a *app) modelsFile() string {
	file := a.home().Path("models.yaml")
	if file == "" {
		return ""
	}
	data, _ := os.ReadFile(file)
	return string(data)
}

// pinRevisions settles which commits the revisions of variants stand for: an experiment that is gone on with has the same.
func (a *app) pinRevisions(ctx context.Context, spec *experiment.Spec) error {
	for i := range spec.Variants {
		if v := &spec.Variants[i]; v.Rev != "" && v.Commit == "" {
			r, err := a.openRevision(ctx, *v)
			if err != nil {
				return err
			}
			v.Commit = r.commit
		}
	}
	return nil
}

// variantDocument is the flow of a variant, and where what it names is looked up.
func (a *app) variantDocument(ctx context.Context, v experiment.Variant) (doc engine.Document, res engine.Resources, err error) {
	if v.Rev == "" {
		res = a.notedFolders()
		if engine.IsPath(v.Flow) {
			a.noteRead(v.Flow)
		}
		doc, err = a.document(res, v.Flow)
		return doc, res, inVariant(v, err)
	}
	r, err := a.openRevision(ctx, v)
	if err != nil {
		return doc, nil, err
	}
	doc, err = r.document(v)
	return doc, r, err
}

// loadVariant compiles the flow of a variant, with its settings and prompts.
func (a *app) loadVariant(ctx context.Context, v experiment.Variant, equal *experiment.EqualCalls) (*engine.Flow, error) {
	doc, found, err := a.variantDocument(ctx, v)
	if err != nil {
		return nil, err
	}
	res := &variantPrompts{Resources: found, list: v.Prompts, note: a.noteRead, used: map[string]bool{}}
	l := &engine.Loader{Ops: engine.NewRegistry(nodes.All(a.variantDeps(v, equal))...), Resources: res, Set: v.Set}
	flow, problems := l.Load(doc)
	if err := problems.Err(); err != nil {
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
		if a.onAsk != nil {
			a.onAsk(r)
		}
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
	if err == nil {
		return nil
	}
	return usage("variant %s: %v", v.Name, err)
}

// variantPrompts looks for prompts and schemas where a variant says, before anywhere else.
type variantPrompts struct {
	engine.Resources
	list  []experiment.Prompts
	note  func(file string)
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
			r.note(file)
			if _, err := os.Stat(file); err != nil {
				continue
			}
		} else if p.Name != name || !strings.HasSuffix(p.Path, ending) {
			continue
		}
		r.note(file)
		r.used[p.Name] = true
		doc, err := engine.ReadDocument(kind, file)
		doc.Name = name
		return doc, err
	}
	return r.Resources.Find(kind, name, from)
}
