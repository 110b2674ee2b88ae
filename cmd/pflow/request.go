package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/fault"
	"pflow/internal/planner"
	"pflow/internal/retrieve"
	"pflow/internal/split"
	"pflow/ir"
)

// requestCommand makes the root command take requests, and, as the first word, what pflow run takes.
func (a *app) requestCommand(root *cobra.Command) {
	a.root = root
	f := &runFlags{schedules: true}
	a.planFlags(root)
	f.approval(root, "approve the plan; --yes=destructive also what destroys")
	f.keeping(root)
	f.dryRunning(root, "plan, show what a run would do and run nothing")
	root.Flags().Bool("version", false, "print the version")
	root.ValidArgsFunction = a.completeRun // the first word may name what is run
	root.RunE = func(c *cobra.Command, args []string) error {
		line, err := readRequestLine(c, args)
		switch {
		case err != nil || line == nil:
			return err
		case c.Flags().Changed("version"):
			return a.versionOnly(line)
		case len(line.words) == 0:
			return c.Help()
		case f.check() != nil:
			return f.check()
		case line.dashed:
			return a.request(c.Context(), line.words, f)
		}
		named, err := a.namesWorkflow(line)
		if err != nil {
			return err
		}
		if named {
			return runInstead(c, args)
		}
		words := line.words
		if err := f.strayYes(words); err != nil {
			return err
		}
		if slices.Contains(reservedCommands, words[0]) {
			return usage("there is no command %q. To ask for it as a request, %s", words[0], quoted(words))
		}
		if len(line.unknown) > 0 {
			return line.noFlag(c)
		}
		if len(words) == 1 && bareWord.MatchString(words[0]) {
			return a.noSuchWord(root, words[0])
		}
		if err := misspelt(root, words); err != nil {
			return err
		}
		return a.request(c.Context(), words, f)
	}
}

// versionOnly is pflow --version, which is about nothing else.
func (a *app) versionOnly(line *requestLine) error {
	if len(line.others) > 0 {
		return usage("--version takes no request; if it is part of one, say: pflow -- %s", shellQuote(strings.Join(append([]string{"--version"}, line.others...), " ")))
	}
	return a.printVersion()
}

// runInstead carries out a command line as one of pflow run.
func runInstead(c *cobra.Command, args []string) error {
	run, _, err := c.Root().Find([]string{"run"})
	if err != nil {
		return err
	}
	run.SetContext(c.Context())
	return run.RunE(run, args)
}

var bareWord = regexp.MustCompile(`^[\pL\d_-]+$`)

// namesWorkflow reports whether the first word is a file or a saved workflow and all others are its inputs. The error is
// that of a saved workflow that cannot be read: its name asks for it, and for nothing else.
func (a *app) namesWorkflow(line *requestLine) (bool, error) {
	for _, word := range line.words[1:] {
		if name, _, ok := strings.Cut(word, "="); !line.values[word] && (!ok || name == "" || strings.ContainsAny(name, " \t")) {
			return false, nil
		}
	}
	ref := line.words[0]
	if ir.IsFile(ref) && !strings.Contains(ref, " ") {
		_, err := readRegular(ref)
		return err == nil, nil
	}
	if a.homeDir() == "" || !workflowRef.MatchString(ref) {
		return false, nil
	}
	switch _, _, err := a.library().Get(ref); {
	case err == nil:
		return true, nil
	case fault.Of(err).Kind == fault.NotFound || fault.Of(err).Kind == fault.InvalidRequest:
		return false, nil
	default:
		return false, a.noWorkflow(ref, err)
	}
}

var workflowRef = regexp.MustCompile(`^[a-z0-9-]+(@\d+)?$`)

// strayYes is the error of --yes with its value behind a blank, which would become a word of the request.
func (f *runFlags) strayYes(args []string) error {
	word := args[0]
	if len(args) == 2 && strings.Contains(word, " ") { // the request, then --yes
		word = args[1]
	}
	if f.yes != yesPlan || !slices.Contains([]string{"true", "false", yesPlan, yesDestructive}, word) {
		return nil
	}
	return usage("--yes takes its value behind an equals sign: write --yes, or --yes=destructive for what destroys, instead of --yes %s", word)
}

// misspelt is the error of a command with arguments whose name is one slip off: taken for a request, it would be planned.
func misspelt(root *cobra.Command, args []string) error {
	word := strings.ToLower(args[0])
	if len(args) < 2 || !bareWord.MatchString(word) || retrieve.IsVerb(word) {
		return nil
	}
	var near []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && oneSlip(word, c.Name()) {
			near = append(near, c.Name())
		}
	}
	if hint := didYouMean(word, near); hint != "" {
		return usage("there is no command %q%s To ask for it as a request, %s", args[0], hint, quoted(args))
	}
	return nil
}

// reservedCommands are words that are commands elsewhere or will be here. Nobody who types one means a request.
var reservedCommands = []string{"trace", "why"}

// quoted says how words are given that are a request although the first is taken for a command.
func quoted(words []string) string {
	if len(words) == 1 {
		return "say: pflow -- " + shellQuote(words[0])
	}
	return "quote it: pflow " + shellQuote(strings.Join(words, " "))
}

// oneSlip reports whether two words differ in one letter, which is missing in one or another one, or in the order of two.
func oneSlip(a, b string) bool {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	swapped := len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
	return len(a) <= 1 && len(b) <= 1 || swapped
}

// noSuchWord is the error of a single word that is no command and no saved workflow.
func (a *app) noSuchWord(root *cobra.Command, word string) error {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	if a.homeDir() != "" {
		names = append(names, a.library().List().Names()...)
	}
	hint := didYouMean(word, names)
	if hint == "" {
		hint = "; pflow --help lists the commands, pflow workflow list the workflows"
	}
	const most = 60 // characters of a word that are shown
	return usage("%q is no command and no saved workflow%s; as a request: pflow -- %s", shortened(word, most), hint, shellQuote(shortened(word, most)))
}

// The flows that plan where nobody says which: without a model, and with one.
const (
	offlineFlow = "planner-offline"
	defaultFlow = "planner"
)

// plannerName is the flow that plans, and what says so.
func (a *app) plannerName() (name, source string, err error) {
	if a.flowName != "" {
		return a.flowName, "--flow", nil
	}
	s, err := a.settings()
	if err != nil {
		return "", "", err
	}
	if s.Flow != "" {
		return s.Flow, s.Places["flow"].String(), nil
	}
	has, err := a.hasModel()
	switch {
	case err != nil:
		return "", "", err
	case has:
		return defaultFlow, "default", nil
	}
	return offlineFlow, noModel, nil
}

// noModel is why the offline flow plans.
const noModel = "no model is configured"

// plannerFlow loads the flow that plans.
func (a *app) plannerFlow() (*engine.Flow, *engine.Recording, error) {
	name, source, err := a.plannerName()
	if err != nil {
		return nil, nil, err
	}
	flow, docs, err := a.load(name)
	if err != nil {
		return nil, nil, err
	}
	if source == noModel && !a.quiet {
		fmt.Fprintf(a.stderr, "%s, so %s plans; pflow model list shows what can be\n", noModel, name)
	}
	if !planner.Is(flow) {
		return nil, nil, usage("the flow %q (%s) is no planner: it has no state key planner_output", flow.Name, source)
	}
	return flow, docs, nil
}

// readRequest puts the request of a command line together: its words, or, where they are a single -, standard input. Piped
// text beside words is what the request is about.
func (a *app) readRequest(ctx context.Context, words []string) (planner.Request, error) {
	r := planner.Request{Text: strings.Join(words, " "), Source: "args", Date: a.date}
	if err := a.withoutKeys(ctx, "the request", r.Text); err != nil {
		return r, err
	}
	if isTerminal(a.stdin) {
		return r, nil
	}
	piped, err := a.piped(ctx)
	if err != nil {
		return r, err
	}
	switch {
	case r.Text == "-":
		r.Text, r.Source = strings.TrimSpace(*piped), "stdin"
		if err := a.withoutKeys(ctx, "the request", r.Text); err != nil {
			return r, err
		}
	case *piped != "":
		if err := a.withoutKeys(ctx, "the piped text", *piped); err != nil {
			return r, err
		}
		r.Stdin = *piped
	}
	return r, nil
}

// plan plans one request, with a journal of how. decide says whether the plan is to be decided on, for when it is resumed, asked by whom.
// The error is of what kept it from being tried.
func (a *app) plan(ctx context.Context, r planner.Request, decide bool, asked split.Asked) (*planner.Result, error) {
	if err := a.offerModel(ctx); err != nil {
		return nil, err
	}
	by, err := a.plannerFor(r.Text)
	if err != nil {
		return nil, err
	}
	flow, docs := by.flow, by.docs
	if _, err := a.shelfOf(ctx); err != nil {
		return nil, err
	}
	p := a.followPlan()
	defer p.stop()
	o := engine.Options{RunID: journal.NewID(time.Now()), Progress: p.told(), Observe: a.observer()}
	if r.Check() != nil {
		return planner.Plan(ctx, flow, r, o), nil
	}
	about := a.about(journal.OfPlan, flow.Name, r.Text)
	about.Arm = by.arm
	w, unkept := a.newJournal(o.RunID, about, &keptRequest{r.Text, r.Source, r.Stdin, r.Date, decide}, docs.Marshal)
	if unkept != nil {
		a.warn("how the plan was made is not kept: %s", fileError(unkept))
	} else {
		defer w.Close()
		o.Journal = w
		ctx = a.withExchanges(ctx, o.RunID)
		a.countRequest(by, r.Text, o.RunID, asked)
	}
	plan := planner.Plan(p.within(ctx), flow, r, o)
	plan.Secrets(a.secrets().Has)
	a.couldDo(ctx, r.Text, plan)
	return plan, nil
}

// asked says who is to be asked about the plan of a request.
func (a *app) asked(f *runFlags) split.Asked {
	switch {
	case f.dryRun:
		return split.Nobody
	case f.yes != "" || f.save:
		return split.Flag
	case a.interactive():
		return split.Person
	}
	return split.Nobody
}

// request plans, shows the plan, asks, saves and runs.
func (a *app) request(ctx context.Context, words []string, f *runFlags) error {
	r, err := a.readRequest(ctx, words)
	if err != nil {
		return err
	}
	p, err := a.plan(ctx, r, !f.dryRun, a.asked(f))
	if err != nil {
		return err
	}
	return a.decide(ctx, r, p, a.made(words), f)
}
