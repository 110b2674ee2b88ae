package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"pflow/internal/experiment"
)

// experimentFlags are the flags of experiment run.
type experimentFlags struct {
	gateFlags
	goalFlags
	a, b        []string
	cases       string
	repeats     int
	concurrency int
	seed        int
	id          string
	again       bool
	resume      string
	retry       bool
	carry       bool
	allowEqual  bool
	details     detailsFlag
	power       bool
	watch       bool
	dry         bool
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
what difference the cases would show, and how many the smallest one that matters needs. --dry-run runs nothing either: it checks what is checked before the first plan,
and tells how many plans would be made and whether models are called. Exit status 100 if a gate fails it. With --verbose standard error has the id
and, for each twentieth of the plans, a line.

--watch shows the report, and after each edit of a flow, a prompt, a schema, the cases or the document what became of it. Only what the edit touches is planned again,
with the replies that the experiment has. Where a model would be called that is refused without --max-calls, --max-cost or --max-tokens, which hold for the whole watch; with --replay alone nothing
is called. Ctrl-C ends it. With --json each report is one line.

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
  pflow experiment run --watch
  pflow experiment run ./experiment.yaml
  pflow experiment run --a planner-offline --b ./keyword.yaml --cases cases.jsonl
  pflow experiment run ./experiment.yaml --concurrency 2 --fail-on REJECT --json
  pflow experiment run ./experiment.yaml --power --effect 0.1
  pflow experiment run ./experiment.yaml --dry-run
  pflow experiment run --resume careful`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.completeFlows,
		RunE: func(c *cobra.Command, args []string) error {
			if f.dry {
				return a.dryExperiment(c, args, f)
			}
			if f.watch {
				return a.watchExperiment(c, args, f)
			}
			if f.power {
				return a.experimentPower(c, args, f)
			}
			return a.runExperiment(c, args, f)
		},
	}
	fl := c.Flags()
	fl.StringArrayVar(&f.a, "a", nil, "the `FLOW` of the baseline; without --b it is scored by itself")
	fl.StringArrayVar(&f.b, "b", nil, "the `FLOW` that is compared with it (repeatable)")
	fl.StringVar(&f.cases, "cases", "", "a `FILE` of cases, one JSON object a line, or home:NAME of those kept in the home (default those that pflow ships)")
	fl.IntVar(&f.repeats, "repeats", 1, "runs of each case under each variant")
	fl.IntVar(&f.concurrency, "concurrency", 0, "how many plans are made at the same time (default 1; as many as there are processors where every reply is replayed)")
	fl.IntVar(&f.seed, "seed", 1, "of the order of the plans and of the statistics")
	f.goalFlags.add(c)
	fl.BoolVar(&f.power, "power", false, "run nothing: tell what difference these cases would show with a chance of 80% and 95%")
	fl.BoolVar(&f.dry, "dry-run", false, "check all that is checked before the first plan, say what would be run and whether models are called, and run nothing")
	fl.BoolVar(&f.watch, "watch", false, "after the report wait for edits of the files that were read, and run again what they touch")
	fl.BoolVar(&f.allowEqual, "allow-equal", false, "variants may come to the same: an A/A test, which shows how much chance there is")
	fl.StringVar(&f.id, "id", "", "the `NAME` the experiment is kept under (default its name, and what decides its rows)")
	fl.BoolVar(&f.again, "again", false, "begin anew, though nothing has changed since it was run")
	fl.StringVar(&f.resume, "resume", "", "go on with this experiment: an `ID`, the beginning of one, its name, or last")
	fl.BoolVar(&f.retry, "retry-errors", false, "with --resume: plan again what got no answer")
	a.completes(c, "resume", a.completeExperiments)
	f.details.add(c)
	f.gateFlags.add(c)
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
	kept, err := x.Kept()
	if err != nil {
		return fail(exitFailed, "%v", err)
	}
	id := filepath.Base(store.Dir)
	p.begin(id, kept.Rows, kept.Rows+kept.Missing)
	keepRoom(a.getenv)
	ended, err := x.Run(c.Context(), f.retry)
	p.stop()
	if err != nil {
		return fail(exitFailed, "%v", err)
	}
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

// aside says something that is no result.
func (a *app) aside(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.stderr, format+"\n", args...)
	}
}
