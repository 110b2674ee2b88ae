package main

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/planner"
	"pflow/internal/workflow"
	"pflow/nodes"
)

func (a *app) resumeCommand() *cobra.Command {
	var retry bool
	yes := &runFlags{}
	c := &cobra.Command{
		Use:   "resume RUN",
		Short: "Go on with a run that was killed or cancelled",
		Long: `Go on with a run that was killed or cancelled, with the exact flow it began with. No step that finished runs again. A step
that was under way runs again if that cannot repeat an effect; otherwise resume names it and leaves the decision to you.`,
		Example: "  pflow resume 20240115-120000-1a2b3c4d\n  pflow resume 20240115-120000-1a2b3c4d --retry",
		Args:    one("the run to go on with"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return a.runs(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := yes.check(); err != nil {
				return err
			}
			if err := a.needsHome(); err != nil {
				return err
			}
			past, documents, w, err := journal.Resume(a.homeDir(), args[0], time.Now())
			var unread *fs.PathError
			if errors.As(err, &unread) {
				return fail(exitFailed, "%s", fileError(err))
			}
			if err != nil {
				hint := ""
				if !slices.Contains(a.runs(), args[0]) {
					hint = didYouMean(args[0], a.runs())
				}
				return usage("%v%s", err, hint)
			}
			defer w.Close()
			past.History.Retry = retry
			if workflow.IsDocuments(documents) {
				return a.resumeWorkflow(c.Context(), args[0], past, documents, w, yes)
			}
			flow, err := a.recorded(documents)
			if err != nil {
				return err
			}
			p := a.follow("running " + flow.Name)
			res, err := engine.Execute(nodes.Resuming(p.within(a.withExchanges(c.Context(), args[0])), args[0]), flow, nil, engine.Options{
				RunID: args[0], Journal: w, History: &past.History, Began: p.began, Observe: a.observer(),
			})
			p.stop()
			var undecided *engine.NeedsDecision
			if errors.As(err, &undecided) {
				return fail(exitDeclined, "%v: %s --retry", err, a.resumeHint(args[0]))
			}
			if err != nil {
				return err
			}
			if planner.Is(flow) {
				return a.showPlanned(c.Context(), planner.Of(flow, res))
			}
			return a.finish(res)
		},
	}
	c.Flags().BoolVar(&retry, "retry", false, "run steps again that were under way, also if that may repeat an effect")
	yes.approval(c, "approve nodes of a workflow that want approval")
	return c
}

// recorded compiles a flow from the documents that lie beside a journal.
func (a *app) recorded(documents []byte) (*engine.Flow, error) {
	res, err := engine.LoadRecording(documents)
	if err != nil {
		return nil, err
	}
	doc, err := res.Given()
	if err != nil {
		return nil, err
	}
	l := &engine.Loader{Ops: a.ops(), Resources: res, Set: res.Set}
	flow, found := l.Load(doc)
	if err := found.Err(); err != nil {
		return nil, err
	}
	return flow, nil
}

// runs lists the runs of the home, the newest first.
func (a *app) runs() []string {
	entries, _ := os.ReadDir(a.home().Path("runs"))
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") { // what killed processes left
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	slices.Reverse(names)
	return names
}
