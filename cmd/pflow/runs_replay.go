package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/library"
	"pflow/internal/llm"
	"pflow/internal/planner"
	"pflow/internal/runs"
	"pflow/internal/shelf"
)

func (a *app) runsReplayCommand() *cobra.Command {
	var dry bool
	c := &cobra.Command{
		Use:   "replay [RUN|last]",
		Short: "Plan the request of a run again, with the planner as it is now",
		Long: `Plan the request of a run again, with the flow that planned it as it is now, another one (--flow), or texts that are not saved (--draft), and
show both plans with what differs. A call of a model that is what it was is answered as the run was; only the others are asked. The
request is planned as on the day of the run, without the workflows that were saved since. last is the plan that was made last.

With --dry-run no model is called, and nothing is kept: calls that would be asked anew get the reply to the same question in its former
words, as far as there is one, so that it is said how many there would be. The exit status is 0 whatever came of the request.`,
		Example:           "  pflow runs replay\n  pflow runs replay last --flow planner-offline --dry-run\n  pflow runs replay 1a2b3c4d --draft prompts/metadata.tmpl=edited.tmpl",
		Args:              atMostOne,
		ValidArgsFunction: a.completeRuns(),
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.readDrafts(c.Context()); err != nil {
				return err
			}
			given := runs.Last
			if len(args) > 0 {
				given = args[0]
			}
			return a.replayRun(c.Context(), given, dry)
		},
	}
	f := c.Flags()
	f.StringVar(&a.optionsOf(c).flowName, "flow", "", "the `FLOW` that plans (default: the one that planned, as it is now)")
	f.BoolVar(&dry, "dry-run", false, "say what would be asked, and ask nothing")
	a.completes(c, "flow", a.completeFlows)
	a.setFlag(c)
	a.draftFlag(c)
	a.modelFlag(c)
	return c
}

// planAgain is a request that is planned again.
type planAgain struct {
	a      *app
	row    runs.Row // of the run that planned it
	r      planner.Request
	flow   *engine.Flow
	docs   *engine.Recording
	before *engine.Flow
	said   []keptExchange // of that run
	replay string         // the folder of their recordings
	shelf  *shelf.Shelf
	newer  []string // saved workflows that were not there
}

// replayRun plans the request of a run again and shows what differs.
func (a *app) replayRun(ctx context.Context, given string, dry bool) error {
	p, past, documents, err := a.again(ctx, given)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "pflow-replay-*")
	if err != nil {
		return fail(exitFailed, "%v", err)
	}
	defer os.RemoveAll(dir)
	p.replay = filepath.Join(dir, "exchanges")
	if err := os.Mkdir(p.replay, 0o700); err != nil {
		return fail(exitFailed, "%v", err)
	}
	for _, x := range p.said {
		if err := llm.KeepExchange(p.replay, &x.Exchange); err != nil {
			return fail(exitFailed, "%v", err)
		}
	}
	foreseen, err := p.plan(ctx, filepath.Join(dir, "home"))
	if err != nil {
		return err
	}
	before := &shownRun{Run: p.row}
	if err := a.showFlow(before, past, documents); err != nil {
		return usage("run %s: %s", p.row.ID, strings.TrimSpace(err.Error()))
	}
	made := foreseen
	if !dry {
		if made, err = p.plan(ctx, ""); err != nil {
			return err
		}
	}
	return a.printReplay(p.compare(before, foreseen, made, dry))
}

// again reads what a run planned, and what plans it now.
func (a *app) again(ctx context.Context, given string) (p *planAgain, past *journal.Past, documents []byte, err error) {
	p = &planAgain{a: a}
	if p.row, err = a.plannedRun(given); err != nil {
		return
	}
	if _, past, documents, err = a.readRun(p.row.ID); err != nil {
		return
	}
	kept, err := readInvocationOf(documents)
	if err == nil && kept.Request == nil {
		err = usage("run %s does not say what was asked of it, so it cannot be planned again", p.row.ID)
	}
	if err != nil {
		return
	}
	a.goOnWith(kept)
	p.r = kept.Request.request()
	if p.r.Date == "" {
		p.r.Date = past.History.Start().Local().Format(time.DateOnly)
	}
	if p.said, err = a.exchangesKept(p.row.ID); err != nil {
		return
	}
	if p.before, err = a.host().Recorded(documents); err != nil {
		err = usage("run %s: %s", p.row.ID, strings.TrimSpace(err.Error()))
		return
	}
	if err = a.plansAgain(p, documents); err != nil {
		return
	}
	err = p.offer(ctx)
	return
}

// plannedRun is the run of a plan; the last one is no replay.
func (a *app) plannedRun(given string) (runs.Row, error) {
	if err := a.needsHome(); err != nil {
		return runs.Row{}, err
	}
	if given == runs.Last {
		rows, err := a.history().List(runs.Query{Kind: journal.OfPlan, Limit: 100})
		if err != nil {
			return runs.Row{}, fail(exitFailed, "the runs in %s: %s", a.home().Path("runs"), fileError(err))
		}
		for _, row := range rows {
			if row.By != journal.ByReplay && row.Status != runs.Running {
				return row, nil
			}
		}
		return runs.Row{}, usage("nothing was planned yet that could be planned again; plan something with: pflow plan REQUEST")
	}
	row, err := a.findRun(given)
	switch {
	case err != nil:
	case row.Kind != journal.OfPlan:
		err = usage("run %s made no plan: it is one of the %s %s; pflow runs list --kind plan shows those that did", row.ID, row.Kind, shellQuote(row.Name))
	case row.Status == runs.Running:
		err = usage("a process works on run %s; wait for its end, or end it with: pflow runs cancel %s", row.ID, row.ID)
	}
	return row, err
}

// plansAgain loads the flow that plans now: unless --flow says which, that of the run, with its edits, as it is now.
func (a *app) plansAgain(p *planAgain, documents []byte) error {
	name := a.flowName
	if name == "" {
		was, err := engine.LoadRecording(documents)
		if err != nil {
			return usage("run %s: %v", p.row.ID, err)
		}
		doc, err := was.Given()
		if err != nil {
			return usage("run %s: %v", p.row.ID, err)
		}
		name = doc.Name
		switch {
		case strings.HasPrefix(doc.Path, engine.Shipped):
			name = engine.Shipped + doc.Name
		case !engine.IsShipped(doc.Path) && filepath.Clean(doc.Path) != a.home().Path(doc.HomePath()):
			name = doc.Path
			if !engine.IsPath(name) {
				name = "./" + name
			}
		}
		if len(a.set) == 0 {
			for _, s := range was.Set {
				a.set = append(a.set, s.Path+"="+s.Value)
			}
		}
	}
	var err error
	if p.flow, p.docs, err = a.load(name); err != nil {
		return err
	}
	if !planner.Is(p.flow) {
		return usage("the flow %q is no planner: it has no state key planner_output", p.flow.Name)
	}
	return nil
}

// offer leaves out the workflows that were saved after the run began: it could not choose them.
func (p *planAgain) offer(ctx context.Context) error {
	all, err := p.a.shelfOf(ctx)
	if err != nil {
		return err
	}
	since := map[string]bool{}
	for _, r := range all.Records {
		if madeAfter(r, p.row.Started) {
			since[r.Name] = true
			p.newer = append(p.newer, r.Name)
		}
	}
	if p.shelf = all; len(since) == 0 {
		return nil
	}
	var names []string
	for _, i := range all.Catalogue.All() {
		if !since[i.Name] {
			names = append(names, i.Name)
		}
	}
	p.shelf = all.Only(names)
	return nil
}

func madeAfter(r *library.Record, t time.Time) bool { return r.CreatedAt.After(t) }

// plannedAgain is a plan that was made again, and how.
type plannedAgain struct {
	plan *planner.Result
	run  *shownRun
	said []keptExchange
	not  []keptExchange // calls that came to no exchange: of a dry run the first ends what can be foreseen
}

// plan plans the request. With dry, a folder for what is kept of it meanwhile, no model is called.
func (p *planAgain) plan(ctx context.Context, dry string) (*plannedAgain, error) {
	a, own := p.a, p.a.options
	defer func() { a.options = own }()
	a.options = own.again()
	a.drafted, a.record, a.replay, a.replayOrCall, a.carry = own.drafted, "", p.replay, dry == "", dry != ""
	home := a.homeDir()
	if dry != "" {
		home = dry
	}
	out := &plannedAgain{}
	progress := a.followPlan()
	defer progress.stop()
	o := engine.Options{RunID: journal.NewID(time.Now()), Progress: progress.told(), Observe: a.observer()}
	about := a.about(journal.OfPlan, p.flow.Name, p.r.Text)
	about.By, about.Parent = journal.ByReplay, p.row.ID
	request := &keptRequest{p.r.Text, p.r.Source, p.r.Stdin, p.r.Date, false}
	var w *runs.Writer
	var err error
	if dry == "" {
		w, err = a.newJournal(o.RunID, about, request, p.docs.Marshal)
	} else {
		h := runs.Of(home)
		defer h.Close()
		var documents []byte
		if documents, err = p.docs.Marshal(); err == nil {
			w, err = h.Create(o.RunID, about, documents)
		}
	}
	if err != nil {
		return nil, fail(exitFailed, "the run cannot be kept: %s", fileError(err))
	}
	o.Journal = w
	asked := &exchanges{file: filepath.Join(home, "runs", o.RunID, exchangesFile)}
	ctx = context.WithValue(p.shelf.Within(progress.within(ctx)), exchangesKey{}, asked)
	out.plan = planner.Plan(ctx, p.flow, p.r, o)
	w.Close()
	out.not = asked.notSent
	if err := ctx.Err(); err != nil {
		return nil, fail(exitFailed, "the replay was stopped; what it came to is run %s", o.RunID)
	}
	if out.said, err = readExchanges(asked.file); err != nil {
		return nil, err
	}
	past, documents, err := journal.Read(home, o.RunID)
	if err != nil {
		return nil, fail(exitFailed, "run %s: %s", o.RunID, fileError(err))
	}
	row, err := runs.Find(home, o.RunID)
	if err != nil {
		return nil, fail(exitFailed, "run %s: %v", o.RunID, err)
	}
	out.run = &shownRun{Run: row}
	if err := a.showFlow(out.run, past, documents); err != nil {
		return nil, usage("run %s: %s", o.RunID, strings.TrimSpace(err.Error()))
	}
	return out, nil
}
