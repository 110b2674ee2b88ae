package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"pflow/internal/experiment"
	"pflow/internal/fault"
)

// Search is one tuning. The same search, run again, goes on where it was stopped: its experiments are where they were, and
// whatever it decides follows from them.
type Search struct {
	Flow     experiment.Variant // as it is
	Space    Space
	Split    Split
	Spec     experiment.Spec   // what its experiments have in common: neither cases nor variants
	Budget   int               // plans of the search; those on the held-out part come on top
	Dir      string            // the rungs are kept in it
	HeldOut  string            // the folder of the experiment on the held-out part
	Proposed experiment.Budget // what proposals took, which the budget holds, too
	// Open hands an experiment what is outside.
	Open func(ctx context.Context, spec *experiment.Spec) (experiment.Options, error)
	// Progress is told of every plan that is kept; may be nil.
	Progress func(stage string, p experiment.Progress)
}

// Schedule is what Run will do at most.
func (s *Search) Schedule() Schedule {
	return Halving(s.Space.Size()-1, len(s.Split.Search), s.Spec.Repeats, s.Budget)
}

// HeldOutPlans is how many plans the verdict takes.
func (s *Search) HeldOutPlans() int { return 2 * len(s.Split.HeldOut) * s.Spec.Repeats }

// Outcome is what a search came to.
type Outcome struct {
	Candidates int       // that were planned, beside the flow as it is
	Unanswered int       // plans of the flow as it is that got no answer, each counted as a fail
	Left       []Left    // candidates that were not, or not to the end
	Rungs      []Ran     // in order
	Best       Candidate // nil where none was better on the cases searched
	Searched   Means     // of the best on the cases that it was chosen by: too good, since it was chosen by them
	Held       *experiment.Report
}

// Left is a candidate that could not be judged.
type Left struct {
	Label string `json:"label"`
	Why   string `json:"why"`
}

// Means are the primary metric of the flow as it is and of the best candidate, over the same cases.
type Means struct {
	Cases int     `json:"cases"`
	AsIs  float64 `json:"as_it_is"`
	Best  float64 `json:"best"`
}

// Ran is a rung that was planned.
type Ran struct {
	Rung
	Seen int     `json:"seen"` // cases of this rung and those before
	AsIs float64 `json:"as_it_is"`
	Best float64 `json:"best"`
	Of   string  `json:"of"` // the label of the best
}

// Stopped is the error of a search that was stopped before its end. What there is is kept.
type Stopped struct {
	Stage   string
	Missing int    // plans of this stage that are still to be made
	Budget  string // the bound that was reached; "" where somebody stopped it
}

func (e *Stopped) Error() string {
	if e.Budget != "" {
		return fmt.Sprintf("the budget %s is used up at %s, with %d plans of it still to make", e.Budget, e.Stage, e.Missing)
	}
	return fmt.Sprintf("stopped at %s, with %d plans of it still to make", e.Stage, e.Missing)
}

// standing is a candidate and what it came to.
type standing struct {
	Candidate
	experiment.Scored
}

func (s standing) mean() float64 {
	if s.Cases == 0 {
		return 0
	}
	return s.Sum / float64(s.Cases)
}

// Run searches, and judges the best on the held-out part.
func (s *Search) Run(ctx context.Context) (*Outcome, error) {
	plan := s.Schedule()
	if len(plan.Rungs) == 0 {
		return nil, fault.New(fault.InvalidRequest, "there is nothing to search, or a budget of %d plans is too small for it", s.Budget)
	}
	o := &Outcome{}
	field, err := s.field(ctx, plan, o)
	if err != nil {
		return nil, err
	}
	o.Candidates = len(field) - 1
	cases := s.Split.Search
	for i, rung := range plan.Rungs {
		if i > 0 {
			field = field[:min(len(field), rung.Candidates+1)]
		}
		if len(field) == 1 {
			break
		}
		more := cases[:rung.Cases]
		cases = cases[rung.Cases:]
		if err := s.rung(ctx, i, field, more); err != nil {
			return nil, err
		}
		if o.Unanswered = field[0].Errors; o.Unanswered == field[0].Plans {
			return nil, fault.New(fault.InvalidRequest, "none of %d plans of the flow as it is got an answer, so there is nothing to compare by; the first: %s", field[0].Plans, field[0].Error)
		}
		if field[0].Cases == 0 {
			return nil, fault.New(fault.InvalidRequest, "no plan of the flow as it is has a %s, so there is nothing to compare by: give another --primary", s.Spec.Primary)
		}
		field = s.rank(field, o)
		o.Rungs = append(o.Rungs, s.ran(field, len(more), len(s.Split.Search)-len(cases)))
	}
	if len(field) == 1 || !s.better(field[1], field[0]) {
		return o, nil
	}
	best := field[1]
	o.Best = best.Candidate
	o.Searched = Means{best.Cases, field[0].mean(), best.mean()}
	o.Held, err = s.judge(ctx, best.Candidate)
	return o, err
}

// field is the flow as it is, and the candidates that begin: of those that do the same only the first.
func (s *Search) field(ctx context.Context, plan Schedule, o *Outcome) ([]standing, error) {
	spec := s.spec(nil, nil)
	spec.Variants = []experiment.Variant{s.Flow}
	open, err := s.Open(ctx, spec)
	if err != nil {
		return nil, err
	}
	field := []standing{}
	same := map[string]string{}
	for i, c := range append([]Candidate{s.Space.Baseline()}, s.Space.Draw(plan.Candidates, s.Spec.Seed)...) {
		if ctx.Err() != nil {
			return nil, &Stopped{Stage: "the candidates", Missing: plan.Plans}
		}
		flow, err := open.Load(s.Space.Variant(c, s.Flow, s.Space.Label(c)))
		switch {
		case err != nil && i == 0:
			return nil, err
		case err != nil:
			o.Left = append(o.Left, Left{s.Space.Label(c), "it cannot be loaded: " + err.Error()})
		case same[flow.Hash] != "":
			o.Left = append(o.Left, Left{s.Space.Label(c), "it is the same flow as " + same[flow.Hash]})
		default:
			same[flow.Hash] = s.Space.Label(c)
			field = append(field, standing{Candidate: c})
		}
	}
	return field, nil
}

// rung lets all of the field plan some cases more, and adds to their scores.
func (s *Search) rung(ctx context.Context, number int, field []standing, cases []experiment.Case) error {
	var variants []experiment.Variant
	for _, f := range field {
		variants = append(variants, s.Space.Variant(f.Candidate, s.Flow, s.Space.Label(f.Candidate)))
	}
	store, err := s.run(ctx, fmt.Sprintf("rung %d", number+1), s.rungDir(number), variants, cases)
	if err != nil {
		return err
	}
	defer store.Close()
	scores, err := experiment.Scores(store, s.Spec.Primary)
	if err != nil {
		return err
	}
	for i, of := range scores {
		field[i].Cases += of.Cases
		field[i].Sum += of.Sum
		field[i].Errors += of.Errors
		field[i].Plans += of.Plans
		field[i].Error = cmp.Or(field[i].Error, of.Error)
	}
	return nil
}

func (s *Search) rungDir(number int) string {
	return filepath.Join(s.Dir, fmt.Sprintf("rung-%d", number+1))
}

// rank sorts the candidates behind the flow as it is, the best first; of equals the one with fewer changes. Where nothing is
// called, a candidate that got fewer answers than the flow as it is asks what is not recorded, and can be no part of a comparison.
func (s *Search) rank(field []standing, o *Outcome) []standing {
	kept := field[:1:1]
	for _, f := range field[1:] {
		if r := s.Spec.Replies; r.Replay != "" && !r.ReplayOrCall && f.Errors > field[0].Errors {
			o.Left = append(o.Left, Left{s.Space.Label(f.Candidate),
				fmt.Sprintf("%d of its plans got no answer: what it asks is not recorded", f.Errors-field[0].Errors)})
			continue
		}
		if f.Cases == 0 {
			o.Left = append(o.Left, Left{s.Space.Label(f.Candidate), fmt.Sprintf("none of its plans has a %s", s.Spec.Primary)})
			continue
		}
		kept = append(kept, f)
	}
	slices.SortStableFunc(kept[1:], func(a, b standing) int {
		switch {
		case s.better(a, b):
			return -1
		case s.better(b, a):
			return 1
		}
		return s.Space.Changes(a.Candidate) - s.Space.Changes(b.Candidate)
	})
	return kept
}

// better compares means. Sums of equal cases in another order may differ by rounding.
func (s *Search) better(a, b standing) bool {
	const rounding = 1e-9
	if !s.Spec.Primary.More() {
		a, b = b, a
	}
	return a.mean() > b.mean()+rounding
}

func (s *Search) ran(field []standing, cases, seen int) Ran {
	r := Ran{Rung: Rung{len(field) - 1, cases}, Seen: seen, AsIs: field[0].mean(), Best: field[0].mean(), Of: s.Space.Label(field[0].Candidate)}
	if len(field) > 1 && s.better(field[1], field[0]) {
		r.Best, r.Of = field[1].mean(), s.Space.Label(field[1].Candidate)
	}
	return r
}

// judge holds the best against the flow as it is, on what no candidate has seen.
func (s *Search) judge(ctx context.Context, best Candidate) (*experiment.Report, error) {
	asIs := s.Flow
	variants := []experiment.Variant{asIs, s.Space.Variant(best, s.Flow, "tuned")}
	store, err := s.run(ctx, "the held-out part", s.HeldOut, variants, s.Split.HeldOut)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	return experiment.NewReport(store)
}

// spec is one of the experiments.
func (s *Search) spec(variants []experiment.Variant, cases []experiment.Case) *experiment.Spec {
	spec := s.Spec
	spec.Variants, spec.Inline, spec.CasesFile = variants, cases, ""
	spec.Catalogue = slices.Clone(spec.Catalogue)
	return &spec
}

// run makes what is missing of one of the experiments, and hands it on.
func (s *Search) run(ctx context.Context, stage, dir string, variants []experiment.Variant, cases []experiment.Case) (*experiment.Store, error) {
	left, reached, err := s.left(dir)
	if err != nil {
		return nil, err
	}
	store, x, err := s.open(ctx, dir, s.spec(variants, cases))
	if err != nil {
		return nil, err
	}
	x.Spec.Concurrency = s.Spec.Concurrency
	x.Spec.Budget = left
	if s.Progress != nil {
		x.Progress = func(p experiment.Progress) { s.Progress(stage, p) }
	}
	if reached { // what there is already may still be all
		var stop context.CancelFunc
		ctx, stop = context.WithCancel(ctx)
		stop()
	}
	ended, err := x.Run(ctx, false)
	if reached && ended.Missing > 0 {
		ended.Budget = s.Spec.Budget.String()
	}
	if err == nil && reached && ended.Missing == 0 {
		return store, nil
	}
	if err == nil && (ended.Missing > 0 || ctx.Err() != nil) {
		err = &Stopped{stage, ended.Missing, ended.Budget}
	}
	if err != nil {
		store.Close()
		return nil, err
	}
	return store, nil
}

// open makes an experiment, or opens the one that was begun.
func (s *Search) open(ctx context.Context, dir string, spec *experiment.Spec) (*experiment.Store, *experiment.Experiment, error) {
	store, err := experiment.OpenStore(dir)
	if begun := err == nil; begun {
		var kept *experiment.Spec
		if kept, _, err = store.Spec(); err == nil {
			var o experiment.Options
			if o, err = s.Open(ctx, kept); err == nil {
				var x *experiment.Experiment
				if x, err = experiment.Resume(store, o); err == nil {
					return store, x, nil
				}
			}
		}
		store.Close()
		return nil, nil, err
	}
	if _, missing := os.Stat(dir); !errors.Is(missing, fs.ErrNotExist) {
		return nil, nil, err
	}
	if store, err = experiment.CreateStore(dir); err != nil {
		return nil, nil, err
	}
	o, err := s.Open(ctx, spec)
	if err == nil {
		var x *experiment.Experiment
		if x, err = experiment.Create(store, spec, o); err == nil {
			return store, x, nil
		}
	}
	store.Close()
	return nil, nil, err
}

// Afford is the error of a search that has nothing left for a stage of so many steps.
func (s *Search) Afford(stage string, steps int) error {
	_, reached, err := s.left("")
	if err == nil && reached {
		err = &Stopped{stage, steps, s.Spec.Budget.String()}
	}
	return err
}

// left is what is left of the budget for one of the experiments, with what that one took itself; reached tells that nothing is.
func (s *Search) left(dir string) (left experiment.Budget, reached bool, err error) {
	left = s.Spec.Budget
	dirs, err := filepath.Glob(filepath.Join(s.Dir, "*-*"))
	if err != nil {
		return left, false, err
	}
	for _, other := range dirs {
		if other == dir {
			continue
		}
		store, err := experiment.ReadStore(other)
		if err != nil {
			continue // it is none, or has not begun: there are no rows
		}
		took, err := store.Spent()
		store.Close()
		if err != nil {
			return left, false, err
		}
		left.CostUSD, left.Calls, left.Tokens = left.CostUSD-took.CostUSD, left.Calls-took.Calls, left.Tokens-took.Tokens
	}
	b := s.Spec.Budget
	left.CostUSD, left.Calls, left.Tokens = left.CostUSD-s.Proposed.CostUSD, left.Calls-s.Proposed.Calls, left.Tokens-s.Proposed.Tokens
	if b.CostUSD == 0 {
		left.CostUSD = 0
	}
	if b.Calls == 0 {
		left.Calls = 0
	}
	if b.Tokens == 0 {
		left.Tokens = 0
	}
	reached = b.CostUSD > 0 && left.CostUSD <= 0 || b.Calls > 0 && left.Calls <= 0 || b.Tokens > 0 && left.Tokens <= 0
	return left, reached, nil
}
