package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/internal/experiment"
	"pflow/internal/tune"
)

// tuneFlags are the flags of tune.
type tuneFlags struct {
	goalFlags
	over        []string
	cases       string
	library     string
	plans       int
	propose     int
	heldOut     float64
	repeats     int
	concurrency int
	seed        int
	id          string
	out         string
	force       bool
	dryRun      bool
}

func (a *app) tuneCommand() *cobra.Command {
	f := &tuneFlags{}
	c := &cobra.Command{
		Use:   "tune FLOW --cases FILE",
		Short: "Search better numbers and alternatives for a flow, judged on cases that the search never saw",
		Long: `Search what a flow declares under search, or what --over says, by successive halving: many candidates plan a few cases,
the better half plans more. The cases are cut once, by a hash of their ids or groups: the search never sees the part that is
held out, and the verdict comes from that part alone. Only a flow that is shown to be better is written.

With --propose N a model reads cases of the searched part that fail, and proposes N edits of the prompts that they asked (the
flow planner-tune). Proposals are candidates like all others.

Nothing is called unless you say so: without --propose, --model, --record or --replay only flows that ask no model can be tuned.
Whatever stops it, the same command goes on where it was.`,
		Example: `  pflow tune ./keyword.yaml --cases cases.jsonl --over params.careful=false|true --dry-run
  pflow tune planner-offline --cases cases.jsonl --over params.reuse_confidence=0.3:0.6:0.1 --plans 100
  pflow tune planner-offline --cases cases.jsonl --over params.unspoken.lead,params.reuse_confidence --plans 100 --json`,
		Args:              one("the flow to tune"),
		ValidArgsFunction: a.completeFlows,
		RunE:              func(c *cobra.Command, args []string) error { return a.tune(c, args[0], f) },
	}
	fl := c.Flags()
	fl.StringArrayVar(&f.over, "over", nil, "what to search: `PATH`s that the flow declares, or PATH=FROM:TO:STEP, PATH=A|B|C, with commas between (default all declared)")
	fl.StringVar(&f.cases, "cases", "", "a `FILE` of cases, one JSON object a line, or home:NAME of those kept in the home")
	fl.StringVar(&f.library, "library", "", "a `FOLDER` of saved workflows instead of those of your home")
	fl.IntVar(&f.plans, "plans", 2000, "the budget of the search, in plans")
	fl.IntVar(&f.propose, "propose", 0, "ask the model for so many `N` edits of the prompts, from cases that fail, and search those (and --over, if given)")
	fl.Float64Var(&f.heldOut, "held-out", 0.5, "the share of the cases that is held out")
	fl.IntVar(&f.repeats, "repeats", 1, "runs of each case")
	fl.IntVar(&f.concurrency, "concurrency", 0, "how many plans are made at the same time (default 1; as many as there are processors where no model is called)")
	fl.IntVar(&f.seed, "seed", 1, "of the candidates, of the order of cases and of the statistics")
	f.goalFlags.add(c)
	fl.StringVar(&f.id, "id", "", "the `NAME` it is kept under (default made of what is tuned)")
	fl.StringVarP(&f.out, "output", "o", "", "write the tuned flow to this `FILE` (default FLOW-tuned.yaml, beside a flow that is a file)")
	fl.BoolVar(&f.force, "force", false, "replace files that are there already")
	fl.BoolVar(&f.dryRun, "dry-run", false, "say what would be searched, and plan nothing")
	a.dateFlag(c)
	a.nodeFlags(c)
	a.modelFlags(c)
	a.setFlag(c)
	a.completes(c, "over", a.completeOver)
	return c
}

// completeOver offers what the flow declares.
func (a *app) completeOver(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	flow, err := a.tunedFlow(experiment.Variant{Flow: args[0]})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	head := begun[:strings.LastIndex(begun, ",")+1]
	var out []string
	for _, d := range flow.Search() {
		if strings.HasPrefix(head+d.Path, begun) {
			out = append(out, head+d.Path)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// tune searches, shows what came of it, and writes the flow if it is better.
func (a *app) tune(c *cobra.Command, name string, f *tuneFlags) error {
	t, err := a.prepareTune(c, name, f)
	if err != nil {
		return err
	}
	if err := a.writable(t, f.force); err != nil {
		return err
	}
	if f.dryRun {
		return a.showTune(t.told)
	}
	if !a.quiet && !a.asJSON {
		fmt.Fprint(a.stderr, t.told.planned())
	}
	unlock, err := t.keep()
	if err != nil {
		return err
	}
	defer unlock()
	p := a.followExperiment()
	t.search.Progress = func(_ string, now experiment.Progress) { p.show(now) }
	o := &tune.Outcome{}
	if t.proposer != nil {
		err = a.propose(c.Context(), t)
	}
	if err == nil && t.search.Space.Size() > 1 {
		o, err = t.search.Run(c.Context())
	}
	p.stop()
	var stopped *tune.Stopped
	switch {
	case errors.As(err, &stopped):
		return fail(exitFailed, "%v; the same command goes on%s", err, map[bool]string{true: ", with a larger budget"}[stopped.Budget != ""])
	case err != nil:
		return tuneError(err)
	}
	t.outcome(o)
	if err := a.writeTuned(t, o, f.force); err != nil {
		return err
	}
	return a.showTune(t.told)
}

// tuneError is an error of a search as the command tells it.
func tuneError(err error) error {
	var exit *exitError
	if errors.As(err, &exit) {
		return err
	}
	return usage("%s", fileError(err))
}

// writeTuned writes the best candidate if it was promoted.
func (a *app) writeTuned(t *tuneRun, o *tune.Outcome, force bool) error {
	if o.Held == nil || t.told.Verdict != "PROMOTE" {
		return nil
	}
	remark := fmt.Sprintf(madeBy+": %s %.3f -> %.3f on %d cases that were held out.", t.told.Primary, t.told.Held.AsIs, t.told.Held.Tuned, t.told.Held.Cases)
	files, err := a.tunedFiles(t, o.Best, remark)
	if err != nil {
		return err
	}
	for _, file := range files {
		if _, err := os.Lstat(file.Path); err == nil && !force && !holds(file.Path, file.Data) {
			return usage("there is a file %s already: --force replaces it, -o FILE writes another; the same command then plans nothing anew", file.Path)
		}
	}
	for _, file := range files {
		if err := writeAtomic(file.Path, file.Data); err != nil {
			return fail(exitFailed, "%s", fileError(err))
		}
		t.told.Files = append(t.told.Files, file.Path)
	}
	return nil
}

// madeBy is how the head of a tuned flow begins.
const madeBy = "Made by pflow tune"

// writable says before anything is planned what is wrong with where the tuned flow is to go: there must be no file of somebody
// else, and a flow of that name must hold together there.
func (a *app) writable(t *tuneRun, force bool) error {
	if info, err := os.Stat(filepath.Dir(t.out)); err != nil || !info.IsDir() {
		return usage("-o %s: there is no folder %s", t.out, filepath.Dir(t.out))
	}
	switch info, err := os.Lstat(t.out); {
	case errors.Is(err, fs.ErrNotExist):
	case err == nil && info.IsDir():
		return usage("-o %s: it is a folder; name a file NAME.yaml", t.out)
	case !force:
		if data, err := os.ReadFile(t.out); err != nil || !strings.HasPrefix(string(data), "# "+madeBy) {
			return usage("there is a file %s already, which pflow tune did not make: --force replaces it, -o FILE writes another", t.out)
		}
	}
	_, err := a.tunedFiles(t, t.search.Space.Baseline(), "")
	return err
}

// tunedFiles are those of a candidate, which hold together where they are to be.
func (a *app) tunedFiles(t *tuneRun, c tune.Candidate, remark string) ([]tune.File, error) {
	v := t.search.Space.Variant(c, t.search.Flow, "tuned")
	extends := experiment.FlowLabel(v.Flow)
	files, err := tune.Variant(t.flow, extends, v, t.out, fmt.Sprintf("%s with %s", t.flow.Name, t.search.Space.Label(c)), remark)
	if err != nil {
		return nil, tuneError(err)
	}
	if _, err := tune.Load(files, extends, t.flow.File, engine.Loader{Ops: a.host().Ops(), Resources: a.folders()}); err != nil {
		return nil, usage("%v", err)
	}
	return files, nil
}

// holds reports whether a file has just this in it.
func holds(file string, data []byte) bool {
	there, err := os.ReadFile(file)
	return err == nil && bytes.Equal(there, data)
}

// tunedFlow loads a flow to look at.
func (a *app) tunedFlow(v experiment.Variant) (*engine.Flow, error) {
	doc, err := a.document(a.folders(), v.Flow)
	if err != nil {
		return nil, err
	}
	l := &engine.Loader{Ops: a.host().Ops(), Resources: a.folders(), Set: v.Set}
	flow, found := l.Load(doc)
	return flow, found.Err()
}
