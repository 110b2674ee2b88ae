package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pflow/engine"
	"pflow/experiments"
	"pflow/internal/diag"
	"pflow/internal/experiment"
	"pflow/internal/planner"
	"pflow/internal/yamltree"
)

// shippedExperiment is the folder of the shipped experiment, unpacked when it is asked for the first time.
func (a *app) shippedExperiment() (string, error) {
	if err := a.needsHome(); err != nil {
		return "", err
	}
	dir := a.home().Path("cache", "experiments-"+experiments.Version())
	if err := experiments.Unpack(dir); err != nil {
		return "", fail(exitFailed, "%s", fileError(err))
	}
	return dir, nil
}

// shippedSpec is the shipped experiment with other variants: its cases, library, date, model and recorded replies.
func (a *app) shippedSpec(name string, variants []experiment.Variant) (*experiment.Spec, error) {
	dir, err := a.shippedExperiment()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, experiments.Document)
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fail(exitFailed, "%s", fileError(err))
	}
	spec, found := experiment.ReadSpec(file, data)
	if spec == nil {
		return nil, &diag.Err{List: found}
	}
	spec.Name, spec.Description = name, "On the cases that pflow brings along, with the replies of a model that were recorded for them."
	spec.Variants = experiment.OfVariants(name, variants).Variants
	return spec, nil
}

// unpackedAgain has the shipped experiment there for one that is gone on with, should somebody have emptied the cache.
func (a *app) unpackedAgain(spec *experiment.Spec) error {
	if dir := a.home().Path("cache", "experiments-"+experiments.Version()); spec.Dir != dir {
		return nil
	}
	_, err := a.shippedExperiment()
	return err
}

// ownVariants are what an edit is held against, and the edit: of the planner that differs from the shipped one, or of what
// arg names, a flow or the file of a prompt. name is what the experiment is called.
func (a *app) ownVariants(ctx context.Context, arg string) (name string, list []experiment.Variant, err error) {
	switch _, isPrompt := experiment.PromptName(arg); {
	case arg == "":
		name, list, err = a.editedPlanner(ctx)
	case isPrompt:
		name, list, err = a.ownPrompt(ctx, arg)
	default:
		name, list, err = a.ownFlow(arg)
	}
	if err != nil {
		return "", nil, err
	}
	same, err := a.sameFlows(ctx, list)
	if err != nil {
		return "", nil, err
	}
	if same {
		return "", nil, &nothingDiffers{name, list}
	}
	return name, list, nil
}

// sameFlows reports whether two variants compile to the same flow.
func (a *app) sameFlows(ctx context.Context, list []experiment.Variant) (bool, error) {
	var hashes []string
	for _, v := range list {
		if len(v.Set) == 0 && len(v.Prompts) == 0 && v.Rev == "" && !engine.IsPath(v.Flow) {
			if looked, err := a.known.look(a.notedFolders(), v.Flow); err == nil && looked.flow != nil {
				hashes = append(hashes, looked.flow.Hash)
				continue
			}
		}
		flow, err := a.loadVariant(ctx, v, nil) // which says what is wrong
		if err != nil {
			return false, err
		}
		hashes = append(hashes, flow.Hash)
	}
	return hashes[0] == hashes[1], nil
}

// nothingDiffers is the error of a planner that means the same as the one it is held against.
type nothingDiffers struct {
	name     string
	variants []experiment.Variant
}

func (e *nothingDiffers) Error() string { return e.Unwrap().Error() }

func (e *nothingDiffers) Unwrap() error {
	return usage("%s means the same as %s, so there is nothing to compare. To begin: pflow flow eject %s copies it and its prompts into your home; edit one of them, "+
		"and run this again. Any other two are compared by --a FLOW --b FLOW; see pflow experiment run --help", e.variants[1].Name, e.variants[0].Name, e.name)
}

// shippedAgainst holds a flow of the home to the one that it shadows.
func shippedAgainst(name string) []experiment.Variant {
	return []experiment.Variant{{Name: engine.Shipped + name, Flow: engine.Shipped + name}, {Name: name, Flow: name}}
}

// editedPlanner is the standard planner if the home has edits of it, else that of the settings, else the one planner
// that differs.
func (a *app) editedPlanner(ctx context.Context) (string, []experiment.Variant, error) {
	standard := shippedAgainst(defaultFlow)
	if same, err := a.sameFlows(ctx, standard); err != nil || !same {
		return defaultFlow, standard, err
	}
	by, err := a.settings()
	if err != nil {
		return "", nil, err
	}
	if by.Flow != "" && by.Flow != defaultFlow {
		if name, list, err := a.ownFlow(by.Flow); err == nil {
			if same, err := a.sameFlows(ctx, list); err != nil || !same {
				return name, list, err
			}
		}
	}
	planners, err := a.shippedPlanners(ctx)
	if err != nil {
		return "", nil, err
	}
	var differ, here []string // here: their own files lie in the home; others only extend or run what does
	for _, name := range planners {
		if same, err := a.sameFlows(ctx, shippedAgainst(name)); err != nil {
			return "", nil, err
		} else if same {
			continue
		}
		differ = append(differ, name)
		if doc, err := a.folders().Find(engine.FlowDocument, name, nil); err == nil && !engine.IsShipped(doc.Path) {
			here = append(here, name)
		}
	}
	if len(here) > 0 {
		differ = here
	}
	switch len(differ) {
	case 0:
		return defaultFlow, standard, nil
	case 1:
		return differ[0], shippedAgainst(differ[0]), nil
	}
	return "", nil, usage("several of your planners differ from the shipped ones: name one, as in pflow experiment run %s; there are: %s", differ[0], strings.Join(differ, ", "))
}

// shippedPlanners are the shipped flows that plan by themselves.
func (a *app) shippedPlanners(ctx context.Context) ([]string, error) {
	var out []string
	for _, name := range a.shipped() {
		looked, err := a.known.look(a.onlyShipped(), name)
		if err != nil {
			return nil, usage("%s", fileError(err))
		}
		if looked.flow != nil && planner.Is(looked.flow) && takesRequest(looked.flow) {
			out = append(out, name)
		}
	}
	return out, nil
}

// takesRequest tells a planner from a part of one.
func takesRequest(f *engine.Flow) bool {
	return slices.ContainsFunc(f.State(), func(k engine.StateKey) bool { return k.Name == "user_input" })
}

// ownFlow is a flow against what it shadows, extends, or is a copy of.
func (a *app) ownFlow(arg string) (string, []experiment.Variant, error) {
	v, problem := experiment.ParseVariant(arg)
	if problem != "" {
		return "", nil, usage("%s", problem)
	}
	if name, inHome := a.inHome("flows", v.Flow, ".yaml"); inHome && v.Rev == "" {
		v.Flow, v.Name = name, strings.Replace(v.Name, v.Flow, name, 1)
	}
	against := func(flow string) (string, []experiment.Variant, error) { // the baseline
		name := flowName(flow)
		if engine.IsPath(v.Flow) {
			name = flowName(v.Flow)
		}
		return name, []experiment.Variant{{Name: experiment.FlowLabel(flow), Flow: flow}, v}, nil
	}
	switch changed := len(v.Set)+len(v.Prompts) > 0 || v.Model != ""; {
	case v.Rev != "" && !changed: // how it was, against how it is
		name, list, err := against(v.Flow)
		slices.Reverse(list)
		return name, list, err
	case changed:
		return against(v.Flow)
	}
	if strings.HasPrefix(v.Flow, engine.Shipped) {
		return "", nil, usage("%s is what pflow brings along: with what shall it be compared? name your flow, or give --a %[1]s --b FLOW", v.Flow)
	}
	doc, err := a.document(a.folders(), v.Flow)
	if err != nil {
		return "", nil, err
	}
	if !engine.IsPath(v.Flow) && (engine.IsShipped(doc.Path) || slices.Contains(a.shipped(), v.Flow)) {
		return against(engine.Shipped + v.Flow)
	}
	tree, found := yamltree.Parse(doc.Path, doc.Data)
	if tree == nil || found.HasErrors() {
		return "", nil, &diag.Err{List: found}
	}
	if base := tree.Get("extends"); base != nil && base.Kind == yamltree.String {
		if strings.HasPrefix(base.Text, engine.Shipped) {
			return against(base.Text)
		}
		at, err := a.folders().Find(engine.FlowDocument, base.Text, []string{doc.Path})
		if err != nil {
			return "", nil, usage("%s extends %s: %v", arg, base.Text, err)
		}
		if _, home := a.inHome("flows", at.Path, ".yaml"); home || engine.IsShipped(at.Path) {
			return against(base.Text)
		}
		return against(at.Path)
	}
	if name := tree.Get("flow"); name != nil && slices.Contains(a.shipped(), name.Text) {
		return against(engine.Shipped + name.Text)
	}
	return "", nil, usage("%s extends no flow, and pflow ships none of its name: say what it is compared with, as in pflow experiment run --a planner --b %s", arg, shellQuote(arg))
}

// inHome is what a file of a folder of the home is found by; false for others.
func (a *app) inHome(folder, file, ending string) (string, bool) {
	name, ok := strings.CutSuffix(filepath.Base(file), ending)
	if !ok || a.homeDir() == "" {
		return "", false
	}
	at, err := os.Stat(file)
	if err != nil {
		return "", false
	}
	in, err := os.Stat(a.home().Path(folder, filepath.Base(file)))
	return name, err == nil && os.SameFile(at, in)
}

// ownPrompt is the first planner that uses a prompt, with and without the file.
func (a *app) ownPrompt(ctx context.Context, file string) (string, []experiment.Variant, error) {
	prompt, _ := experiment.PromptName(file)
	kind, ending := engine.PromptDocument, ".tmpl"
	if strings.HasSuffix(file, ".schema.json") {
		kind, ending = engine.SchemaDocument, ".schema.json"
	}
	if _, err := os.Stat(file); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", nil, usage("there is no file %s", file)
		}
		return "", nil, usage("%s", fileError(err))
	}
	planners, err := a.shippedPlanners(ctx)
	if err != nil {
		return "", nil, err
	}
	planners = append([]string{defaultFlow}, slices.DeleteFunc(planners, func(p string) bool { return p == defaultFlow })...)
	var used []string
	for _, name := range planners {
		looked, err := a.known.look(a.onlyShipped(), name)
		if err != nil {
			return "", nil, usage("%s", fileError(err))
		}
		for _, d := range looked.made.Documents() {
			if d.Kind == kind && d.Name == prompt {
				if _, home := a.inHome("prompts", file, ending); home {
					return name, shippedAgainst(name), nil
				}
				return name, []experiment.Variant{
					{Name: name, Flow: name},
					{Name: name + "+" + filepath.Base(file), Flow: name, Prompts: []experiment.Prompts{{Name: prompt, Path: file}}},
				}, nil
			}
			if d.Kind == kind {
				used = append(used, d.Name)
			}
		}
	}
	slices.Sort(used)
	return "", nil, usage("no planner of pflow uses a %s %q%s; a file of another name than its prompt is given by --a FLOW --b %s", kind, prompt, didYouMean(prompt, slices.Compact(used)),
		shellQuote(fmt.Sprintf("FLOW+PROMPT=%s", file)))
}
