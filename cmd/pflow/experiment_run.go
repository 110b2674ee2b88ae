package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pflow/internal/diag"
	"pflow/internal/experiment"
)

// experimentFlags are the flags of experiment run.
type experimentFlags struct {
	gateFlags
	a, b        []string
	cases       string
	repeats     int
	concurrency int
	seed        int
	budget      experiment.Budget
	primary     string
	effect      float64
	id          string
	again       bool
	resume      string
	retry       bool
	carry       bool
	allowEqual  bool
	details     detailsFlag
	power       bool
}

func (a *app) experimentRunCommand() *cobra.Command {
	f := &experimentFlags{}
	c := &cobra.Command{
		Use:   "run [SPEC.yaml | FLOW | PROMPT-FILE]",
		Short: "Run an experiment, or go on with one that was stopped",
		Long: `Run an experiment: a document, or flows on a file of cases. Without either your own planner is compared with the one that
pflow ships, on cases that come along with the recorded replies of a model, so that no key is needed: pflow flow eject planner, edit a prompt, pflow experiment run. FLOW is compared with the
flow that it shadows or extends, PROMPT-FILE with the prompt in whose place it stands.

Results are kept in the home, a row for each case, variant and repeat. The same command again goes on where it was stopped, and shows the report at once
where nothing that decides a row has changed: flows, prompts, cases, replies, this program. Where models are asked anew it asks them. --power runs nothing: it tells
what difference the cases would show, and how many the smallest one that matters needs. Exit status 100 if a gate fails it.

A variant of --a and --b, and the flow of one in a document, is [NAME=]FLOW[@REVISION][+CHANGE]…

  planner, ./mine.yaml              a flow by name, or by path
  shipped:planner                   the one that pflow brings along, with its prompts, whatever lies in your home
  planner@HEAD~3, ./mine.yaml@v1.2  as it was at a revision of git, with the flows and prompts of the folder at that time
  planner+./metadata.tmpl           with this prompt, or schema of a reply; metadata=./FILE.tmpl where its name is another
  planner+./prompts/                with the prompts of a folder
  planner+params.max_attempts=2     with a setting, as --set gives it to all variants
  planner+model=openai/gpt-4.1-mini with a model
  short=planner+./metadata.tmpl     with a name of its own in the report

Changes may follow each other; ++ stands for a +. In a document changes are keys: set, prompts, model.`,
		Example: `  pflow experiment run planner-offline+params.reuse_confidence=0.6
  pflow experiment run ./experiment.yaml
  pflow experiment run --a planner-offline --b ./keyword.yaml --cases cases.jsonl
  pflow experiment run ./experiment.yaml --concurrency 2 --fail-on REJECT --json
  pflow experiment run ./experiment.yaml --power --effect 0.1
  pflow experiment run --resume careful`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if f.power {
				return a.experimentPower(c, args, f)
			}
			return a.runExperiment(c, args, f)
		},
	}
	fl := c.Flags()
	fl.StringArrayVar(&f.a, "a", nil, "the `FLOW` of the baseline; without --b it is scored by itself")
	fl.StringArrayVar(&f.b, "b", nil, "the `FLOW` that is compared with it (repeatable)")
	fl.StringVar(&f.cases, "cases", "", "a `FILE` of cases, one JSON object a line (default those that pflow ships)")
	fl.IntVar(&f.repeats, "repeats", 1, "runs of each case under each variant")
	fl.IntVar(&f.concurrency, "concurrency", 0, "how many plans are made at the same time (default 1; as many as there are processors where every reply is replayed)")
	fl.IntVar(&f.seed, "seed", 1, "of the order of the plans and of the statistics")
	fl.Float64Var(&f.budget.CostUSD, "max-cost", 0, "stop once so many `USD` were spent")
	fl.IntVar(&f.budget.Calls, "max-calls", 0, "stop after so many calls of models")
	fl.IntVar(&f.budget.Tokens, "max-tokens", 0, "stop after so many tokens")
	fl.StringVar(&f.primary, "primary", string(experiment.Pass), "the `METRIC` that decides")
	fl.Float64Var(&f.effect, "effect", experiment.Defaults().Effect, "the smallest difference of it that matters")
	fl.BoolVar(&f.power, "power", false, "run nothing: tell what difference these cases would show with a chance of 80% and 95%")
	fl.BoolVar(&f.allowEqual, "allow-equal", false, "variants may come to the same: an A/A test, which shows how much chance there is")
	fl.StringVar(&f.id, "id", "", "the `NAME` the experiment is kept under (default its name, and what decides its rows)")
	fl.BoolVar(&f.again, "again", false, "begin anew, though nothing has changed since it was run")
	fl.StringVar(&f.resume, "resume", "", "go on with this experiment: an `ID`, the beginning of one, its name, or last")
	fl.BoolVar(&f.retry, "retry-errors", false, "with --resume: plan again what got no answer")
	f.details.add(c)
	f.add(c)
	a.dateFlag(c)
	a.nodeFlags(c)
	a.modelFlags(c)
	fl.BoolVar(&f.carry, "carry", false, "with --replay: answer what is not there by the reply to the same question in other words; quality is then not judged")
	a.setFlag(c)
	return c
}

// runExperiment starts or resumes, runs, and shows the report.
func (a *app) runExperiment(c *cobra.Command, args []string, f *experimentFlags) error {
	failOn, failIf, err := f.read()
	if err != nil {
		return err
	}
	x, store, done, err := a.openExperiment(c, args, f)
	if err != nil {
		return err
	}
	defer done()
	p := a.followExperiment()
	x.Progress = p.show
	ended, err := x.Run(c.Context(), f.retry)
	p.stop()
	if err != nil {
		return fail(exitFailed, "%v", err)
	}
	id := filepath.Base(store.Dir)
	if c.Context().Err() != nil {
		return fail(exitFailed, "stopped with %d rows still to make; go on with: pflow experiment run --resume %s", ended.Missing, id)
	}
	r, err := experiment.NewReport(store)
	if err != nil {
		return fail(exitFailed, "%v", err)
	}
	if err := a.showReport(r, "", f.details.cases()); err != nil {
		return err
	}
	if ended.Budget != "" && ended.Missing > 0 {
		return fail(exitFailed, "the budget %s is used up with %d rows still to make; go on with a larger one: pflow experiment run --resume %s --max-…", ended.Budget, ended.Missing, id)
	}
	a.aside("kept as experiment %s", id)
	return gate(r, append(failOn, x.Spec.FailOn...), append(failIf, x.Spec.FailIf...))
}

// openExperiment makes a new experiment, or opens the one to go on with.
func (a *app) openExperiment(c *cobra.Command, args []string, f *experimentFlags) (*experiment.Experiment, *experiment.Store, func(), error) {
	fails := func(err error) (*experiment.Experiment, *experiment.Store, func(), error) { return nil, nil, nil, err }
	if f.resume != "" {
		if len(args) > 0 {
			return fails(usage("--resume goes on with an experiment as it began: leave out %s", args[0]))
		}
		store, err := a.storeToResume(c, f)
		if err != nil {
			return fails(err)
		}
		x, err := a.resumeExperiment(c.Context(), store)
		if err != nil {
			store.Close()
			return fails(err)
		}
		f.changeable(c, x.Spec)
		return x, store, func() { store.Close() }, nil
	}
	if f.again && f.id != "" {
		return fails(usage("--again begins an experiment of the same rows anew, and --id gives it a name of its own: leave out one of them"))
	}
	if f.retry {
		return fails(usage("--retry-errors goes with --resume ID"))
	}
	spec, err := a.experimentSpec(c, args, f)
	if err != nil {
		return fails(err)
	}
	o, err := a.experimentOptions(c.Context(), spec)
	if err != nil {
		return fails(err)
	}
	if f.id != "" {
		return a.newExperiment(f.id, spec, o)
	}
	return a.sameExperiment(spec, o, f)
}

// newExperiment makes one of this id.
func (a *app) newExperiment(id string, spec *experiment.Spec, o experiment.Options) (*experiment.Experiment, *experiment.Store, func(), error) {
	fails := func(err error) (*experiment.Experiment, *experiment.Store, func(), error) { return nil, nil, nil, err }
	if !experimentID.MatchString(id) {
		return fails(usage("--id %s: want letters, digits, hyphens and underscores", id))
	}
	dir, err := a.experimentsDir()
	if err != nil {
		return fails(err)
	}
	store, err := experiment.CreateStore(filepath.Join(dir, id))
	if err != nil {
		return fails(usage("the experiment cannot be kept: %s", fileError(err)))
	}
	x, err := experiment.Create(store, spec, o)
	if err != nil {
		store.Close()
		return fails(experimentError(err))
	}
	return x, store, func() { store.Close() }, nil
}

// sameExperiment is the experiment of the same rows, if there is one: it has them all, or is gone on with. Where a model is
// asked anew, or --again says so, the next one begins.
func (a *app) sameExperiment(spec *experiment.Spec, o experiment.Options, f *experimentFlags) (*experiment.Experiment, *experiment.Store, func(), error) {
	fails := func(err error) (*experiment.Experiment, *experiment.Store, func(), error) { return nil, nil, nil, err }
	base, err := experiment.ID(spec, o)
	if err != nil {
		return fails(experimentError(err))
	}
	dir, ids, err := a.experimentIDs()
	if err != nil {
		return fails(err)
	}
	last, n := "", 0
	for _, id := range ids {
		if m := idParts.FindStringSubmatch(id); m != nil && (id == base || strings.HasPrefix(id, base+"-")) {
			if number, _ := strconv.Atoi(cmp.Or(m[2], "1")); number > n {
				last, n = id, number
			}
		}
	}
	if last == "" {
		return a.newExperiment(base, spec, o)
	}
	if !f.again {
		x, store, err := a.knownExperiment(filepath.Join(dir, last), spec, o)
		if err != nil {
			return fails(err)
		}
		if x != nil {
			return x, store, func() { store.Close() }, nil
		}
	}
	return a.newExperiment(fmt.Sprintf("%s-%d", base, n+1), spec, o)
}

// knownExperiment opens an experiment that has, or will have, the rows of a spec; nil where a run would have others.
func (a *app) knownExperiment(dir string, spec *experiment.Spec, o experiment.Options) (*experiment.Experiment, *experiment.Store, error) {
	store, err := experiment.OpenStore(dir)
	if err != nil {
		return nil, nil, usage("%v", err)
	}
	x, err := experiment.Again(store, spec, o)
	var kept experiment.Kept
	if err == nil {
		kept, err = x.Kept()
	}
	id := filepath.Base(dir)
	switch {
	case err != nil:
		store.Close()
		return nil, nil, experimentError(err)
	case kept.Missing > 0:
		a.aside("going on with experiment %s, which has %d of %d rows; to begin anew: --again", id, kept.Rows, kept.Rows+kept.Missing)
	case kept.Settled:
		a.aside("nothing has changed since experiment %s, which is shown again; to run it anew: --again", id)
	default:
		store.Close()
		return nil, nil, nil
	}
	return x, store, nil
}

// aside says something that is no result.
func (a *app) aside(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.stderr, format+"\n", args...)
	}
}

// experimentError says what is wrong with an experiment.
func experimentError(err error) error {
	var invalid *diag.Err
	var exit *exitError
	if errors.As(err, &invalid) || errors.As(err, &exit) {
		return err
	}
	return usage("%s", fileError(err))
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

// changeable takes the flags that an experiment can be gone on with: they change no row.
func (f *experimentFlags) changeable(c *cobra.Command, spec *experiment.Spec) {
	for flag, take := range map[string]func(){
		"concurrency": func() { spec.Concurrency = f.concurrency }, "max-cost": func() { spec.Budget.CostUSD = f.budget.CostUSD },
		"max-calls": func() { spec.Budget.Calls = f.budget.Calls }, "max-tokens": func() { spec.Budget.Tokens = f.budget.Tokens },
	} {
		if c.Flags().Changed(flag) {
			take()
		}
	}
}

// storeToResume opens the experiment to go on with. Flags that would make other rows than it began with are refused.
func (a *app) storeToResume(c *cobra.Command, f *experimentFlags) (*experiment.Store, error) {
	for _, flag := range []string{"a", "b", "cases", "repeats", "seed", "allow-equal", "record", "replay", "replay-or-call", "carry", "primary", "effect", "id", "again", "date", "nodes", "no-builtin", "model", "set"} {
		if c.Flags().Changed(flag) {
			return nil, usage("--resume goes on with an experiment as it began: leave out --%s", flag)
		}
	}
	id := f.resume
	if id == "last" {
		id = ""
	}
	dir, err := a.experimentDir(id)
	if err != nil {
		return nil, err
	}
	store, err := experiment.OpenStore(dir)
	if err != nil {
		return nil, usage("%v", err)
	}
	return store, nil
}

var experimentID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)

func (a *app) resumeExperiment(ctx context.Context, store *experiment.Store) (*experiment.Experiment, error) {
	spec, _, err := store.Spec()
	if err != nil {
		return nil, usage("%v", err)
	}
	if err := a.unpackedAgain(spec); err != nil {
		return nil, err
	}
	o, err := a.experimentOptions(ctx, spec)
	if err != nil {
		return nil, err
	}
	x, err := experiment.Resume(store, o)
	if err != nil {
		return nil, experimentError(err)
	}
	return x, nil
}

// readVariantFlags reads those of --a and --b.
func readVariantFlags(baseline string, others []string) ([]experiment.Variant, error) {
	var out []experiment.Variant
	for i, text := range append([]string{baseline}, others...) {
		v, problem := experiment.ParseVariant(text)
		if problem != "" {
			flag := "--b"
			if i == 0 {
				flag = "--a"
			}
			return nil, usage("%s %s: %s", flag, text, problem)
		}
		out = append(out, v)
	}
	return out, nil
}

// comparedSpec is what is compared: a document, the variants of flags, or somebody's own edit of what pflow ships. What says
// no cases has the shipped ones.
func (a *app) comparedSpec(ctx context.Context, args []string, f *experimentFlags) (*experiment.Spec, error) {
	arg := strings.Join(args, "")
	if arg != "" && len(f.a)+len(f.b) > 0 {
		return nil, usage("give %s, or --a and --b, not both", arg)
	}
	name, variants, err := "flows", []experiment.Variant(nil), error(nil)
	switch {
	case len(f.a)+len(f.b) > 0:
		if len(f.a) == 0 {
			return nil, usage("pflow experiment run: --b FLOW is held against a baseline: give that as --a FLOW; see pflow experiment run --help")
		}
		variants, err = readVariantFlags(f.a[0], f.b)
	case arg != "" && isExperimentDocument(arg):
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
	}
	if err != nil {
		return nil, err
	}
	if f.cases != "" {
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
		return experiment.IsPath(arg) && problem == "" && v.Rev == "" && v.Flow == arg // one that is not there is said to be so
	}
	if !info.Mode().IsRegular() {
		return true
	}
	data, err := os.ReadFile(arg)
	return err != nil || !isFlow(arg, data)
}

// experimentSpec is the document with what the flags say, or an experiment of flags alone.
func (a *app) experimentSpec(c *cobra.Command, args []string, f *experimentFlags) (*experiment.Spec, error) {
	given := func(flag string) bool { return c.Flags().Changed(flag) }
	if len(f.a) > 1 {
		return nil, usage("--a names the one baseline; give the others as --b")
	}
	spec, err := a.comparedSpec(c.Context(), args, f)
	if err != nil {
		return nil, err
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
	if len(spec.Variants) == 1 && len(f.failOn) > 0 {
		return nil, usage("--fail-on needs a second variant to compare with; hold one alone by --fail-if, such as 'variants[0].means.pass < 0.9'")
	}
	spec.Command = experimentCommand(args, f, a.replay)
	if problem := spec.Problem(); problem != "" {
		return nil, usage("%s", problem)
	}
	return spec, nil
}
