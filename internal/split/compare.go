package split

import (
	"math"
	"slices"
	"time"

	"pflow/internal/stats"
)

// The error rates. Level is of all that can stop an arm, over all looks: four fifths of it are for the score, one for the guardrails,
// and each is split evenly (Bonferroni) among the arms that are held against the first.
const (
	Level      = stats.Alpha
	scoreLevel = .8 * Level
	guardLevel = .2 * Level
)

// expectedUnits is where the intervals are narrowest for what was seen: an arm that is far better or worse shows within a few hundred
// requests of one's own, and nobody waits for many thousands.
const expectedUnits = 500

// worth is the difference in score of which it is told how many units would show it.
const worth = .1

// A guard bounds what an arm may take more than the first one. What it looks at is known for every request, whoever was asked.
type guard struct {
	name   string
	margin float64 // by which the arm may be worse, on the scale of value
	limit  string  // the same, in words
	max    float64
	value  func(*Ended) float64
	timed  bool // it is not known of a planning whose process was killed
}

// Times and costs have long tails: they are compared as logarithms, where a ratio is a difference and one slow plan is not all.
var guards = []guard{
	{"failures", .05, "5 points", 1, func(e *Ended) float64 {
		if e.Failed {
			return 1
		}
		return 0
	}, false},
	{"time", math.Log(1.5), "1.5 times", math.Log(maxMS), func(e *Ended) float64 { return math.Log(min(max(e.MS, 1), maxMS)) }, true},
	{"cost", math.Log(1.5), "1.5 times", math.Log1p(maxUSD / unitUSD), func(e *Ended) float64 { return math.Log1p(min(max(e.USD, 0), maxUSD) / unitUSD) }, true},
}

const (
	maxMS   = 600_000. // a planning that takes longer counts as one of ten minutes
	maxUSD  = 10.
	unitUSD = .001 // differences far below a tenth of a cent are none
)

// Live is how the arms of a split do.
type Live struct {
	Schema      string     `json:"schema"`
	Verdict     string     `json:"verdict"`  // in one line
	Says        []string   `json:"says"`     // from where
	Since       *time.Time `json:"since"`    // of the first request that counts; null if there is none
	Narrowed    bool       `json:"narrowed"` // --since chose what is counted: the error rates do not hold then
	Level       float64    `json:"level"`
	HorizonDays int        `json:"horizon_days"`
	Arms        []ArmState `json:"arms"`
	Comparisons []Compared `json:"comparisons"`
	Before      int        `json:"before"` // requests that are not counted: of earlier texts of a flow, or of before an arm was started again
}

// Schema names the shape of Live.
const Schema = "pflow.experiment-live/v1"

// ArmState is what there is to tell of one arm.
type ArmState struct {
	Flow     string          `json:"flow"`
	Share    float64         `json:"share"` // of the requests that come, now
	Stopped  *Stop           `json:"stopped"`
	Requests int             `json:"requests"` // all that went to it
	Asked    int             `json:"asked"`    // those of them that were to be judged: Scored and Open
	Scored   int             `json:"scored"`
	Open     int             `json:"open"` // not answered yet, or not run to the end
	Score    *float64        `json:"score"`
	Outcomes map[Outcome]int `json:"outcomes"`
	Fixed    int             `json:"fixed"`  // of the workflows of scored ones: mended, or run again with changes, after a run that failed
	Reused   int             `json:"reused"` // found by another request
	Planned  int             `json:"planned"`
	Failures int             `json:"failures"` // of those planned
	MS       float64         `json:"ms"`       // the geometric mean
	USD      float64         `json:"usd"`      // the mean
}

// Compared is an arm held against the first. Units count in the order in which they came, up to the first that is open: so what is
// looked at is always a beginning of one and the same sequence, however long answers take with either arm, and nobody's delay is in it.
type Compared struct {
	Flow    string           `json:"flow"`
	Against string           `json:"against"`
	Score   stats.Sequential `json:"score"`
	Level   float64          `json:"level"`  // of this interval
	Better  string           `json:"better"` // the flow that is, once that is decided
	Loses   string           `json:"loses"`  // the flow that is to be stopped, by its score or by a guardrail; "" while neither is decided
	Why     string           `json:"why"`
	Waiting int              `json:"waiting"`     // units that have an outcome, and count once that of an earlier one is known
	Until   *time.Time       `json:"until"`       // when that is at the latest; null where none waits
	Worth   int              `json:"worth_units"` // about how many scored units would show a difference of 10 points, from the first on
	Seen    int              `json:"seen_units"`  // the same of the difference seen; 0 if there is none
	Guards  []Guarded        `json:"guards"`
}

// Guarded is a guardrail of an arm.
type Guarded struct {
	Name   string      `json:"name"`
	Limit  string      `json:"limit"` // by which the arm may be worse than the first
	State  stats.State `json:"state"`
	Units  int         `json:"units"`
	Excess *float64    `json:"excess"` // by how much it is worse: the difference of rates, or the ratio less 1; null while one of the two has no request
}

// Compare holds the arms against each other; without arms it says that there are none. since, if not zero, leaves out units that came before.
func (s *State) Compare(h History, arms Split, since time.Time) (*Live, error) {
	out := &Live{Schema: Schema, Says: []string{}, Level: Level, HorizonDays: int(Horizon / (24 * time.Hour)), Narrowed: !since.IsZero(), Arms: []ArmState{}, Comparisons: []Compared{}}
	if len(arms) == 0 {
		out.Verdict = "requests are not split"
		return out, nil
	}
	t := s.trials[keyOf(arms.Flows())]
	if t == nil {
		t = anew(nil)
	}
	counts := func(u *unit) bool { return since.IsZero() || !u.at.Before(since) }
	var units []*unit
	for _, u := range t.units {
		if counts(u) {
			units = append(units, u)
		}
	}
	out.Before = t.before + len(t.units) - len(units)
	var left *past
	if len(units) > 0 {
		out.Since = &units[0].at
		var err error
		if left, err = h.since(units[0].at); err != nil {
			return nil, err
		}
	}
	open, stops := s.Open(arms), s.Stopped(arms)
	total := 0.
	for _, a := range open {
		total += a.Weight
	}
	for _, a := range open {
		state := armState(a.Flow, units, left)
		if total > 0 {
			state.Share = a.Weight / total
		}
		if i := slices.IndexFunc(stops, func(x Stop) bool { return x.Flow == a.Flow }); i >= 0 {
			state.Stopped = &stops[i]
		}
		out.Arms = append(out.Arms, state)
	}
	for _, a := range arms[1:] {
		c, err := compare(arms, a.Flow, units)
		if err != nil {
			return nil, err
		}
		out.Comparisons = append(out.Comparisons, *c)
	}
	out.say()
	return out, nil
}

// armState counts the units of an arm.
func armState(flow string, units []*unit, left *past) ArmState {
	out := ArmState{Flow: flow, Outcomes: map[Outcome]int{}}
	for _, o := range Outcomes {
		out.Outcomes[o] = 0
	}
	sum, logs, usd, timed := 0., 0., 0., 0.
	for _, u := range units {
		if u.arm != flow {
			continue
		}
		out.Requests++
		if u.ended != nil && !u.ended.Lost {
			out.Planned++
			if u.ended.Failed {
				out.Failures++
			}
			if u.ended.MS > 0 {
				logs, usd, timed = logs+math.Log(max(u.ended.MS, 1)), usd+u.ended.USD, timed+1
			}
		}
		if !u.asked.judged() {
			continue
		}
		out.Asked++
		if u.scored == nil {
			out.Open++
			continue
		}
		out.Scored++
		out.Outcomes[u.scored.Outcome]++
		sum += u.scored.Score()
		later := left.later(u)
		if later.Fixed {
			out.Fixed++
		}
		if later.Reused {
			out.Reused++
		}
	}
	if out.Scored > 0 {
		score := sum / float64(out.Scored)
		out.Score = &score
	}
	if timed > 0 {
		out.MS, out.USD = math.Exp(logs/timed), usd/timed
	}
	return out
}

// share is the chance that a unit had to go to an arm and not to the first, and whether it had a choice of these two and took one.
func (u *unit) share(first, flow string) (share float64, ok bool) {
	a, b := u.arms.weight(first), u.arms.weight(flow)
	return b / (a + b), a > 0 && b > 0 && (u.arm == first || u.arm == flow)
}

// compare holds an arm against the first. The chance that a unit had is that of the weights with which it was assigned, whatever they
// are now: only with that the estimate has no bias. The weights of arms, none of which is 0, are for what is foreseen before there are units.
func compare(arms Split, flow string, units []*unit) (*Compared, error) {
	first, others := arms[0].Flow, float64(len(arms)-1)
	out := &Compared{Flow: flow, Against: first, Level: scoreLevel / others, Guards: []Guarded{}}
	share := arms.weight(flow) / (arms.weight(flow) + arms.weight(first))
	seq, err := stats.NewSequence(stats.SequenceOptions{Level: out.Level, Share: share, Expected: expectedUnits})
	if err != nil {
		return nil, err
	}
	var until *time.Time
	for _, u := range units {
		chance, ok := u.share(first, flow)
		switch {
		case !ok || !u.asked.judged():
		case u.scored == nil && until == nil:
			at := u.at.Add(Horizon)
			until = &at
		case u.scored == nil:
		case until != nil:
			out.Waiting, out.Until = out.Waiting+1, until
		default:
			if err := seq.Add(u.arm == flow, chance, u.scored.Score()); err != nil {
				return nil, err
			}
		}
	}
	out.Score = seq.State()
	if out.Score.Decided {
		out.Better, out.Loses, out.Why = flow, first, "its score is worse than that of "+flow
		if out.Score.Better == stats.ArmA {
			out.Better, out.Loses, out.Why = first, flow, "its score is worse than that of "+first
		}
	}
	out.Worth, _ = seq.Needed(worth)
	if seen := math.Abs(out.Score.Difference); seen > 0 {
		out.Seen, _ = seq.Needed(seen)
	}
	for _, g := range guards {
		held, err := g.check(first, flow, share, 2*guardLevel/float64(len(guards))/others, units)
		if err != nil {
			return nil, err
		}
		if held.State == stats.Broken && out.Loses == "" {
			out.Loses, out.Why = flow, "its guardrail "+g.name+" is broken"
		}
		out.Guards = append(out.Guards, *held)
	}
	return out, nil
}

// check looks at a guardrail. The first arm has the margin added, so that an arm which is surely above that is beyond its limit. Only that
// side of the sequence counts, which has half of its level.
func (g guard) check(first, flow string, share, level float64, units []*unit) (*Guarded, error) {
	seq, err := stats.NewSequence(stats.SequenceOptions{Level: level, Share: share, Expected: expectedUnits, Max: g.max + g.margin})
	if err != nil {
		return nil, err
	}
	has := map[string]bool{}
	for _, u := range units {
		chance, ok := u.share(first, flow)
		if ok && u.ended == nil { // one that is still planned may be slow, or fail
			break
		}
		if !ok || u.ended.Lost || g.timed && u.ended.MS == 0 {
			continue
		}
		y := g.value(u.ended)
		if u.arm == first {
			y += g.margin
		}
		if err := seq.Add(u.arm == flow, chance, y); err != nil {
			return nil, err
		}
		has[u.arm] = true
	}
	s := seq.State()
	out := &Guarded{Name: g.name, Limit: g.limit, State: stats.Unclear, Units: s.Units}
	if has[first] && has[flow] {
		excess := s.MeanB - s.MeanA + g.margin
		if g.name != "failures" {
			excess = math.Exp(excess) - 1
		}
		out.Excess = &excess
	}
	switch {
	case s.Decided && s.Better == stats.ArmB:
		out.State = stats.Broken
	case s.Interval.Known && s.Interval.High <= 0:
		out.State = stats.Kept
	}
	return out, nil
}

// Losing lists the arms of a split that lose, by their score or a guardrail, and have requests still. One always goes on.
func (s *State) Losing(arms Split) (out []Stop, err error) {
	t := s.trials[keyOf(arms.Flows())]
	if t == nil {
		return nil, nil
	}
	open := s.Open(arms)
	left := 0
	for _, a := range open {
		if a.Weight > 0 {
			left++
		}
	}
	for _, a := range arms[1:] {
		c, err := compare(arms, a.Flow, t.units)
		if err != nil {
			return nil, err
		}
		if c.Loses == "" || left < 2 || open.weight(c.Loses) == 0 {
			continue
		}
		out = append(out, Stop{Flow: c.Loses, Why: c.Why})
		open, left = open.Without([]string{c.Loses}), left-1
	}
	return out, nil
}
