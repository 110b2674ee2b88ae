package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/experiment"
	"pflow/internal/outcome"
)

// comparedSpec is what is compared: a document, the variants of flags, or somebody's own edit of what pflow ships. What says
// no cases has the shipped ones.
func (a *app) comparedSpec(ctx context.Context, args []string, f *experimentFlags) (*experiment.Spec, error) {
	arg := strings.Join(args, "")
	if arg != "" && len(f.a)+len(f.b) > 0 {
		return nil, ofFlag("a", strings.Join(f.a, " "), "either variants are compared, or what %s says: leave one out", arg)
	}
	name, variants, err := "flows", []experiment.Variant(nil), error(nil)
	switch {
	case len(f.a)+len(f.b) > 0:
		if len(f.a) == 0 {
			return nil, outcome.Advise(ofFlag("a", "", "what is compared is held against a baseline: say which flow that is"), ", as in --a FLOW --b FLOW; see pflow experiment run --help")
		}
		variants, err = readVariantFlags(f.a[0], f.b)
	case arg != "" && isExperimentDocument(arg):
		a.noteRead(arg)
		data, err := readRegular(arg)
		if err != nil {
			return nil, err
		}
		spec, found := experiment.ReadSpec(arg, data)
		if spec == nil {
			return nil, &diag.Err{List: found}
		}
		a.showFindings(found)
		return spec, nil
	default:
		name, variants, err = a.ownVariants(ctx, arg)
		if same := (*nothingDiffers)(nil); f.watch && errors.As(err, &same) { // there will be an edit
			a.aside("%s means the same as %s: edit it, or a prompt of it, and it is compared", same.variants[1].Name, same.variants[0].Name)
			name, variants, err = same.name, same.variants[:1], nil
		}
	}
	if err != nil {
		return nil, err
	}
	switch {
	case strings.HasPrefix(f.cases, inHomeCases):
		return a.keptCasesSpec(name, variants, f)
	case f.cases != "":
		return experiment.OfVariants(name, variants), nil
	}
	spec, err := a.shippedSpec(name, variants)
	switch {
	case err != nil:
	case a.replayOrCall: // what was said to other words is not wanted then
		spec.Replies.Carry = false
	case a.model != "": // whose replies nobody recorded
		spec.Replies = experiment.Replies{}
	}
	return spec, err
}

// isExperimentDocument tells the document of an experiment from a flow, a prompt and the name of a flow.
func isExperimentDocument(arg string) bool {
	if _, isPrompt := experiment.PromptName(arg); isPrompt {
		return false
	}
	info, err := os.Stat(arg)
	if err != nil {
		v, problem := experiment.ParseVariant(arg)
		return engine.IsPath(arg) && problem == "" && v.Rev == "" && v.Flow == arg // one that is not there is said to be so
	}
	if !info.Mode().IsRegular() {
		return true
	}
	data, err := os.ReadFile(arg)
	return err != nil || !isFlow(arg, data)
}

// readVariantFlags reads those of --a and --b.
func readVariantFlags(baseline string, others []string) ([]experiment.Variant, error) {
	var out []experiment.Variant
	for i, text := range append([]string{baseline}, others...) {
		v, problem := experiment.ParseVariant(text)
		if problem != "" {
			flag := "b"
			if i == 0 {
				flag = "a"
			}
			return nil, ofFlag(flag, text, "%s", problem)
		}
		out = append(out, v)
	}
	return out, nil
}

// experimentSpec is the document with what the flags say, or an experiment of flags alone.
func (a *app) experimentSpec(c *cobra.Command, args []string, f *experimentFlags) (*experiment.Spec, error) {
	given := func(flag string) bool { return c.Flags().Changed(flag) }
	if len(f.a) > 1 {
		return nil, usage("--a names the one baseline; give the others as --b")
	}
	asked := a.askedFor(c, args, f)
	spec, err := a.comparedSpec(c.Context(), args, f)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(f.cases, inHomeCases) { // with a document
		if f.cases, _, err = a.keptCasesFile(f.cases); err != nil {
			return nil, err
		}
	}
	if f.cases != "" {
		spec.CasesFile, spec.Inline = f.cases, nil
	}
	set, err := a.setFlags()
	if err != nil {
		return nil, err
	}
	for i := range spec.Variants {
		spec.Variants[i].Set = append(spec.Variants[i].Set, set...)
		spec.Variants[i].Model = cmp.Or(spec.Variants[i].Model, a.model, spec.Model)
	}
	for flag, take := range map[string]func(){
		"repeats": func() { spec.Repeats = f.repeats }, "allow-equal": func() { spec.AllowEqual = f.allowEqual },
		"seed": func() { spec.Seed = uint64(max(0, f.seed)) }, "date": func() { spec.Date = a.date },
		"record": func() { spec.Replies.Record = a.record }, "replay": func() { spec.Replies.Replay = a.replay },
		"replay-or-call": func() { spec.Replies.ReplayOrCall = a.replayOrCall },
		"carry":          func() { spec.Replies.Carry = f.carry },
		"primary":        func() { spec.Primary = experiment.Metric(f.primary) }, "effect": func() { spec.Effect = f.effect },
		"nodes": func() { spec.Catalogue = append(spec.Catalogue, a.nodeFiles...) }, "no-builtin": func() { spec.NoBuiltin = a.noBuiltin },
	} {
		if given(flag) {
			take()
		}
	}
	if r := &spec.Replies; (given("replay-or-call") || given("record") || given("replay") && r.Replay == "") && !given("carry") {
		r.Carry = false // of the document: to call what is not recorded is to want no other answer
	}
	if !spec.Replies.Kept() {
		spec.Replies.Clock = nil
	}
	f.changeable(c, spec)
	if err := a.pinRevisions(c.Context(), spec); err != nil {
		return nil, err
	}
	if len(spec.Variants) == 1 && len(f.failOn) > 0 && !f.watch {
		return nil, usage("--fail-on needs a second variant to compare with; hold one alone by --fail-if, such as 'variants[0].means.pass < 0.9'")
	}
	spec.Command, spec.Asked = experimentCommand(args, f, a.replay), asked
	if problem := spec.Problem(); problem != "" {
		return nil, usage("%s", problem)
	}
	return spec, nil
}

// alsoDecides are the flags of an experiment that decide its rows and that nothing keeps but its document.
var alsoDecides = []string{"set", "seed", "date", "record", "replay", "replay-or-call", "carry", "nodes", "no-builtin"}

// askedFor is what an experiment is begun with; nil where more decides it than that can say.
func (a *app) askedFor(c *cobra.Command, args []string, f *experimentFlags) *experiment.Asked {
	given := c.Flags().Changed
	if slices.ContainsFunc(alsoDecides, given) {
		return nil
	}
	out := &experiment.Asked{Flow: strings.Join(args, ""), A: strings.Join(f.a, ""), B: f.b, Cases: f.cases, Model: a.model, AllowEqual: f.allowEqual}
	if given("repeats") {
		out.Repeats = f.repeats
	}
	if given("primary") {
		out.Primary = f.primary
	}
	if given("effect") {
		out.Effect = f.effect
	}
	return out
}

// experimentCommand is what makes an experiment of the same flows and cases again.
func experimentCommand(args []string, f *experimentFlags, replay string) string {
	words := []string{"pflow", "experiment", "run"}
	words = append(words, args...)
	for _, flow := range f.a {
		words = append(words, "--a", flow)
	}
	for _, flow := range f.b {
		words = append(words, "--b", flow)
	}
	if f.cases != "" {
		words = append(words, "--cases", f.cases)
	}
	if replay != "" {
		words = append(words, "--replay", replay)
	}
	for i := range words {
		words[i] = shellQuote(words[i])
	}
	return strings.Join(words, " ")
}
