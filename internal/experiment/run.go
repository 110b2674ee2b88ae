package experiment

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/planner"
	"pflow/internal/shelf"
	"pflow/ir"
)

// Options are an experiment's surroundings.
type Options struct {
	// Load compiles the flow of a variant.
	Load func(v Variant) (*engine.Flow, error)
	// Answers says why what a flow asks can have no answer; nil: it is not known before.
	Answers func(v Variant, flow *engine.Flow) error
	// Shelf gives the components and saved workflows that a case may use.
	Shelf func(c *Case) (*shelf.Shelf, error)
	// Withhold says why the text of a case must not be kept, such as that it holds a key; nil: anything may.
	Withhold func(c *Case, on *shelf.Shelf, text string) error
	// Of says what else decides rows: the version of the program, the model that is asked where nothing names one.
	Of []string
}

// Experiment is one that is ready to run, or to go on.
type Experiment struct {
	Spec *Spec
	// Progress is told of every row that is kept, one at a time; may be nil.
	Progress func(Progress)
	// After is the run whose budget this one goes on with, as if both were one; nil: the rows that there are have used it.
	After *Ended

	store *Store
	o     Options
	flows []*engine.Flow
	cases int
	began time.Time // when it was begun, or gone on with
}

// Ended says how far a run came.
type Ended struct {
	Rows    int    // that there are now
	Missing int    // that there are not
	Budget  string // the bound that was reached, or ""
	Made    int    // rows that this run made

	spent spending
}

// Create makes a new experiment of a spec: flows are loaded and cases read before anything is kept. When it returns the
// experiment is there, to go on with whatever happens; with an error there is none.
func Create(s *Store, spec *Spec, o Options) (*Experiment, error) {
	x := &Experiment{Spec: spec, store: s, o: o}
	if err := x.load(); err != nil {
		return nil, err
	}
	if !spec.AllowEqual {
		if err := equalVariants(spec.Variants, x.flows); err != nil {
			return nil, err
		}
	}
	if err := spec.settleTargets(x.flows); err != nil {
		return nil, err
	}
	n, err := s.writeCases(x.checkedCases)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, fault.New(fault.InvalidRequest, "%s has no cases", spec.CasesFile)
	}
	x.cases = n
	if n := x.total(); n > mostRows {
		return nil, fault.New(fault.InvalidRequest, "%s, %s and %s each make %d rows, and an experiment has at most %d: take fewer",
			counted(x.cases, "case"), counted(len(spec.Variants), "variant"), counted(spec.Repeats, "run"), n, mostRows)
	}
	if err := x.answerable(); err != nil {
		return nil, err
	}
	if err := spec.absolute(); err != nil { // only now: findings show paths as they were written
		return nil, err
	}
	for i, v := range spec.Variants {
		if err := s.addVariant(i, v, x.flows[i].Name, x.flows[i].Hash); err != nil {
			return nil, err
		}
	}
	if err := s.SetMeta(metaDiffs, jsonText(flowDiffs(spec.Variants, x.flows))); err != nil {
		return nil, err
	}
	if err := s.SetMeta(metaIdentity, spec.identity); err != nil {
		return nil, err
	}
	if err := s.SetMeta("spec", jsonText(spec)); err != nil {
		return nil, err
	}
	return x, s.begin()
}

// checkedCases hands on every case, and ends with what cannot be as it is expected.
func (x *Experiment) checkedCases(add func(Case) error) error {
	var found diag.List
	err := x.Spec.eachCase(func(c Case) error {
		if len(found) < maxFindings {
			found = append(found, x.foreseen(&c)...)
		}
		return add(c)
	})
	if err == nil {
		err = found.Sort().Err()
	}
	return err
}

// Resume goes on with an experiment. Its flows must be those that it began with.
func Resume(s *Store, o Options) (*Experiment, error) {
	spec, variants, err := s.Spec()
	if err != nil {
		return nil, err
	}
	x := &Experiment{Spec: spec, store: s, o: o}
	if err := x.load(); err != nil {
		return nil, err
	}
	if err := x.unchanged(variants); err != nil {
		return nil, err
	}
	if err := x.answerable(); err != nil {
		return nil, err
	}
	x.cases, err = s.count()
	return x, err
}

// Again goes on with an experiment by a spec that decides the same rows: where things lie, and what is said of reports,
// holds from now on.
func Again(s *Store, spec *Spec, o Options) (*Experiment, error) {
	_, variants, err := s.Spec()
	if err != nil {
		return nil, err
	}
	if err := s.isOf(spec); err != nil {
		return nil, err
	}
	x := &Experiment{Spec: spec, store: s, o: o}
	if err := x.load(); err != nil {
		return nil, err
	}
	if err := x.unchanged(variants); err != nil {
		return nil, err
	}
	if err := spec.settleTargets(x.flows); err != nil {
		return nil, err
	}
	if err := spec.absolute(); err != nil {
		return nil, err
	}
	if x.cases, err = s.count(); err != nil {
		return nil, err
	}
	return x, s.begunAgain(spec)
}

// unchanged holds the flows to those that the experiment began with.
func (x *Experiment) unchanged(variants []storedVariant) error {
	if len(variants) != len(x.flows) {
		return fault.New(fault.Refused, "the experiment began with %s, and there are %d now: start a new experiment", counted(len(variants), "variant"), len(x.flows))
	}
	for i, v := range variants {
		if x.flows[i].Hash != v.FlowHash {
			return fault.New(fault.Refused, "the flow of variant %q was changed since the experiment began, so its rows would not be of one flow: start a new experiment", v.Name)
		}
	}
	return nil
}

func (x *Experiment) load() error {
	for _, v := range x.Spec.Variants {
		flow, err := x.o.Load(v)
		if err != nil {
			return err
		}
		x.flows = append(x.flows, flow)
	}
	return nil
}

// total is the number of rows of the whole experiment.
func (x *Experiment) total() int { return x.cases * len(x.Spec.Variants) * x.Spec.Repeats }

// Kept says what there is of an experiment.
type Kept struct {
	Rows, Missing int
	Settled       bool // a model's answers, if it was asked at all, are kept: another run would make the same rows
}

// Kept looks at the rows that there are.
func (x *Experiment) Kept() (Kept, error) {
	all := func() *marks { return newMarks(x.cases, len(x.Spec.Variants), x.Spec.Repeats) }
	rows, spent, err := x.store.done(all(), false)
	if err != nil {
		return Kept{}, err
	}
	answered, _, err := x.store.done(all(), true)
	return Kept{rows, x.total() - rows, x.Spec.Replies.Kept() || spent.Calls == 0 && answered == rows}, err
}

// Run plans what has no row yet. Plans of one case stand side by side in time, whatever the variant. When ctx is done,
// or a budget reached, what is left is left for later. With retry, rows without an answer are planned again.
func (x *Experiment) Run(ctx context.Context, retry bool) (Ended, error) {
	x.began = time.Now()
	done := newMarks(x.cases, len(x.Spec.Variants), x.Spec.Repeats)
	n, spent, err := x.store.done(done, retry)
	if err != nil {
		return Ended{}, err
	}
	if x.After != nil {
		spent = x.After.spent
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	p := newPace(x.Spec.Budget, spent, n, x.total())
	jobs, workers := make(chan job), x.Spec.AtOnce()
	rows := make(chan Row, 2*workers)
	wrote := make(chan error, 1)
	wrong := func(err error) { // workers must not wait for a writer that has ended
		stop(err)
		for range rows {
		}
		wrote <- err
	}
	fault.Go(func() {
		err := x.store.writeRows(rows, func(r Row) {
			if now := p.row(r); x.Progress != nil {
				x.Progress(now)
			}
		})
		if err != nil {
			wrong(err)
			return
		}
		wrote <- nil
	}, wrong)
	var working sync.WaitGroup
	for range workers {
		working.Add(1)
		fault.Go(func() {
			for j := range jobs {
				if r, ok := x.plan(ctx, j); ok {
					p.spent(r)
					rows <- r
				}
			}
			working.Done()
		}, func(err error) {
			stop(err)
			working.Done()
		})
	}
	err = x.feed(ctx, jobs, done, p)
	close(jobs)
	working.Wait()
	close(rows)
	if werr := <-wrote; werr != nil {
		return Ended{}, fmt.Errorf("the results cannot be kept: %w; those before are, and once that is mended pflow experiment run --resume goes on", werr)
	}
	if cause := context.Cause(ctx); err == nil && cause != nil && fault.Of(cause).Kind == fault.Bug {
		err = cause
	}
	now := p.now()
	return Ended{Rows: now.Rows, Missing: now.Total - now.Rows, Budget: p.reached(), Made: now.Rows - n, spent: p.used()}, err
}

// plan makes one row. It is false where the run was stopped: then there is nothing to keep.
func (x *Experiment) plan(ctx context.Context, j job) (Row, bool) {
	v := x.Spec.Variants[j.Variant]
	rec := &recorder{times: nodeTimes{}}
	res, components := x.ask(context.WithValue(ctx, askingKey{}, &asking{recorder: rec, model: v.Model, repeat: j.Repeat}), j, rec)
	if ctx.Err() != nil && res.Status == planner.Cancelled {
		return Row{}, false
	}
	rec.price(&res.Usage)
	rec.order(res.Steps)
	timed := rec.timed()
	s := score(&j.c.Expect, readPlan(res, components), x.Spec.Scoring, x.usage(rec, timed))
	times := rec.times
	if !x.Spec.Replies.Timed() || timed.Untimed {
		times = nil
	}
	r, err := newRow(j.Key, res, s, rec.steps, times, rec.heard())
	if err != nil {
		res = planner.Refuse(x.flows[j.Variant], fmt.Errorf("the plan cannot be written as JSON: %w", err))
		s = score(&j.c.Expect, readPlan(res, components), x.Spec.Scoring, usage{untimed: true})
		r, _ = newRow(j.Key, res, s, nil, nil, rec.heard())
	}
	r.timing = timed
	return r, true
}

// usage is what a plan took beside what its result says. By a clock that jumps, nothing waits for rate limits.
func (x *Experiment) usage(rec *recorder, timed timing) usage {
	u := usage{untimed: !x.Spec.Replies.Timed() || timed.Untimed}
	if x.Spec.Replies.Clock == nil {
		u.waitedMS = rec.waited()
	}
	return u
}

// ask plans. Whatever happens there is a plan: one request must not take the others with it.
func (x *Experiment) ask(ctx context.Context, j job, rec *recorder) (res *planner.Result, components *ir.Catalogue) {
	flow := x.flows[j.Variant]
	if err := fault.Guard(func() error { res, components = x.asked(ctx, j, rec); return nil }); err != nil {
		return planner.Refuse(flow, err), nil
	}
	return res, components
}

func (x *Experiment) asked(ctx context.Context, j job, rec *recorder) (*planner.Result, *ir.Catalogue) {
	flow := x.flows[j.Variant]
	offered, err := x.o.Shelf(j.c)
	if err != nil {
		return planner.Refuse(flow, err), nil
	}
	// The jitter of retries is the same in each run of the experiment.
	seed := rand.New(rand.NewPCG(x.Spec.Seed^uint64(j.Case), uint64(j.Variant)<<32|uint64(j.Repeat))).Uint64() | 1
	o := engine.Options{Seed: seed, Observe: rec.observed, Simulated: x.Spec.Replies.Clock != nil}
	request := j.c.planRequest(x.Spec.Date)
	ctx = offered.Within(ctx)
	if x.Spec.Replies.Kept() { // what follows from the same cases and replies is the same whenever that is
		o.Began, ctx = x.instant(request.Date), engine.WithAnswers(ctx, j.answers)
	}
	return planner.Plan(ctx, flow, request, o), offered.Catalogue
}

// instant is when plans from recordings are taken to begin: at noon of the day they are asked on.
func (x *Experiment) instant(date string) time.Time {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil { // today
		return x.began
	}
	return day.Add(12 * time.Hour)
}
