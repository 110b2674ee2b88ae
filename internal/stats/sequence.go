package stats

import (
	"math"

	"pflow/internal/fault"
)

// SequenceOptions say what a Sequence compares. Nothing of it may be chosen by what the units gave.
type SequenceOptions struct {
	Level    float64 // the chance of an error at any look, ever; 0 is Alpha
	Share    float64 // the chance that a unit goes to B, above 0 and below 1
	Expected int     // the number of units at which the interval is to be narrowest for what was seen; at least 1
	Max      float64 // values are from 0 to this; 0 is 1
}

// Sequence compares two arms to which units are assigned at random while they arrive, and may be looked at after every
// unit: see State. Build it with NewSequence. It keeps sums only.
//
// Each unit gives the influence value of the augmented inverse-propensity estimator (AIPW),
//
//	f = mB - mA + z/share·(y - mB) - (1-z)/(1-share)·(y - mA)
//
// with z = 1 for a unit of B and mA, mB the means of the units before it. Its expectation, given what came before, is the
// difference between the arms for this unit, however rates drift, since the chances of the assignment are known. The sum of
// f less that difference is therefore a martingale, and the interval is the asymptotic confidence sequence of Waudby-Smith,
// Arbour, Sinha, Kennedy and Oganisian (Annals of Statistics 52, 2024, theorem 2.2 and section 3): with t units, their mean
// f, s² for the variance of f and Robbins' normal mixture (Annals of Mathematical Statistics 41, 1970),
//
//	f ± s·sqrt(2·(t·r+1)/(t²·r)·log(sqrt(t·r+1)/level)),   r = (-2·log level + log(1 - 2·log level))/Expected
//
// The interval holds the differences d that are not rejected, as Wilson's does for a share: the variance is the one that f
// would have if the arms differed by d (see variance), else an arm with few events would look sure of its rate.
type Sequence struct {
	level, share, max, r float64
	arms                 [2]arm // A, B
	sum                  float64
	p                    float64
	better               Arm
	decidedAt            int

	inverse [2]float64 // sums over the units of 1/(1-share) and 1/share
}

// arm is what is kept of the units of one arm, with values scaled to 0..1.
type arm struct {
	n, sum, residual float64 // residual: sum of (y-m)²
}

// Arm is one of the two compared.
type Arm string

// The arms of a Sequence.
const (
	ArmA Arm = "A"
	ArmB Arm = "B"
)

// Sequential is what a Sequence says after some units. P, Decided, DecidedAt and Better never go back: they tell of the
// look at which the most was shown. The interval is that of now, which may reach over 0 again.
type Sequential struct {
	Units      int      `json:"units"`
	A          int      `json:"a"`
	B          int      `json:"b"`
	MeanA      float64  `json:"mean_a"` // plain means of the arms; their difference need not be Difference
	MeanB      float64  `json:"mean_b"`
	Difference float64  `json:"difference"` // B-A, the average over the units so far
	Interval   Interval `json:"interval"`   // all of them, over all looks, hold the average difference with a chance of 1-Level
	P          float64  `json:"p"`          // anytime-valid: at most x ever with a chance of at most x, if there is no difference
	Decided    bool     `json:"decided"`    // P is at most Level
	DecidedAt  int      `json:"decided_at,omitempty"`
	Better     Arm      `json:"better,omitempty"` // of a decided one
	Note       string   `json:"note,omitempty"`   // why the interval is unknown
}

const (
	leastOfArm  = 10  // units an arm needs before there is an interval
	pseudoMean  = 5   // units of the pooled mean in each arm's prediction
	pseudoUnits = 20  // units of no over- or underdispersion in each arm's dispersion
	pseudoScore = 150 // units of the variance that a difference would have, beside an arm's own: fewer err too often with rates near 0 or 1
)

// NewSequence starts without units. Options out of their range are an error.
func NewSequence(o SequenceOptions) (*Sequence, error) {
	if o.Level == 0 {
		o.Level = Alpha
	}
	if o.Max == 0 {
		o.Max = 1
	}
	switch {
	case !(o.Level > 0 && o.Level < 1):
		return nil, fault.New(fault.InvalidRequest, "the level %v of a sequence is no chance; it lies above 0 and below 1", o.Level)
	case !(o.Share > 0 && o.Share < 1):
		return nil, fault.New(fault.InvalidRequest, "the share %v of B is no chance; it lies above 0 and below 1", o.Share)
	case o.Expected < 1:
		return nil, fault.New(fault.InvalidRequest, "%d units cannot be expected; give at least 1", o.Expected)
	case !(o.Max > 0 && o.Max <= largest):
		return nil, fault.New(fault.InvalidRequest, "the largest value %v of a sequence must lie above 0 and be finite", o.Max)
	}
	twice := -2 * math.Log(o.Level)
	return &Sequence{level: o.Level, share: o.Share, max: o.Max, r: (twice + math.Log(1+twice)) / float64(o.Expected), p: 1}, nil
}

// Add takes the next unit in order of arrival, with the chance that it had to go to B, which must not depend on what the unit gave: where
// shares are changed it is another for those that come later. A value outside 0..Max is an error, and the unit is not counted.
func (s *Sequence) Add(b bool, share, y float64) error {
	if !(share > 0 && share < 1) {
		return fault.New(fault.InvalidRequest, "the share %v of B is no chance; it lies above 0 and below 1", share)
	}
	if !(y >= 0 && y <= s.max) {
		return fault.New(fault.InvalidRequest, "%v is no value of this sequence; they are from 0 to %v", y, s.max)
	}
	y /= s.max
	pooled := (s.arms[0].sum + s.arms[1].sum + .5) / (s.arms[0].n + s.arms[1].n + 1)
	a, at, chance, sign := s.arms[0].predicted(pooled), 0, 1-share, -1.
	c := s.arms[1].predicted(pooled)
	own := a
	if b {
		at, chance, sign, own = 1, share, 1, c
	}
	s.sum += c - a + sign*(y-own)/chance
	s.inverse[0] += 1 / (1 - share)
	s.inverse[1] += 1 / share
	arm := &s.arms[at]
	arm.n++
	arm.sum += y
	arm.residual += (y - own) * (y - own)
	if s.known() {
		if p := s.against(0); p < s.p {
			s.p = p
			if p <= s.level && s.decidedAt == 0 {
				s.decidedAt, s.better = s.units(), ArmB
				if s.sum < 0 {
					s.better = ArmA
				}
			}
		}
	}
	return nil
}

// predicted is the mean of an arm's units so far, with some of the mean of both.
func (a arm) predicted(pooled float64) float64 {
	return (a.sum + pseudoMean*pooled) / (a.n + pseudoMean)
}

func (s *Sequence) units() int { return int(s.arms[0].n + s.arms[1].n) }

func (s *Sequence) known() bool { return s.arms[0].n >= leastOfArm && s.arms[1].n >= leastOfArm }

// variance is that of an influence value if the arms differ by d: qB/share + qA/(1-share), on average over the
// units, which is at least the variance of f, drift included. Each q is the mean squared residual y-m of the arm's units, to which pseudoScore units are added
// with the variance k·c·(1-c) that belongs to the arm's mean c if the arms differ by d (Miettinen and Nurminen, Statistics in
// Medicine 4, 1985, with the pooled mean for c). k is the arm's dispersion, 1 for passes and fails.
func (s *Sequence) variance(d float64) float64 {
	a, b := s.arms[0], s.arms[1]
	n := a.n + b.n + 2 // one unit of 0 and one of 1 are added
	pooled := (a.sum + b.sum + 1) / n
	u := pseudoUnits * pooled * (1 - pooled)
	q := func(x arm, c float64) float64 {
		m := x.sum / x.n
		k := (x.residual + u) / (x.n*m*(1-m) + u)
		return (x.residual + pseudoScore*k*c*(1-c)) / (x.n + pseudoScore)
	}
	c := min(max(pooled-d*(b.n+1)/n, 0, -d), 1, 1-d)
	return (q(b, c+d)*s.inverse[1] + q(a, c)*s.inverse[0]) / (a.n + b.n)
}

// against is the inverse of the mixture's likelihood ratio against a difference of d: the p of this look alone.
func (s *Sequence) against(d float64) float64 {
	t := s.arms[0].n + s.arms[1].n
	grown, e := 1+s.r*t, s.sum-d*t
	return min(1, math.Sqrt(grown)*math.Exp(-s.r*e*e/(2*s.variance(d)*grown)))
}

// end is how far from the estimate towards -1 or 1 a difference is not rejected.
func (s *Sequence) end(estimate, towards float64) float64 {
	if s.against(towards) > s.level {
		return towards
	}
	in, out := estimate, towards
	for range 50 {
		if mid := (in + out) / 2; s.against(mid) > s.level {
			in = mid
		} else {
			out = mid
		}
	}
	return in
}

// State is what the units so far say. It may be asked after every unit.
func (s *Sequence) State() Sequential {
	a, b := s.arms[0], s.arms[1]
	t := a.n + b.n
	out := Sequential{Units: s.units(), A: int(a.n), B: int(b.n), P: s.p, Decided: s.decidedAt > 0, DecidedAt: s.decidedAt, Better: s.better}
	if t == 0 {
		out.Note = "there are no units"
		return out
	}
	out.MeanA, out.MeanB, out.Difference = s.max*a.sum/max(1, a.n), s.max*b.sum/max(1, b.n), s.max*min(max(s.sum/t, -1), 1)
	if !s.known() {
		out.Note = "an interval needs at least 10 units of each arm"
		return out
	}
	estimate := out.Difference / s.max
	out.Interval = Interval{s.max * s.end(estimate, -1), s.max * s.end(estimate, 1), true}
	return out
}

// Needed is about how many units in all it takes until a difference is decided, if units are assigned as those so far, or, while there are
// few, as the options say, with values as far apart as they can be. ok is false where it takes more than mostNeeded.
func (s *Sequence) Needed(difference float64) (units int, ok bool) {
	d, v := difference/s.max, .25/s.share+.25/(1-s.share)
	if s.known() {
		v = s.variance(0)
	}
	enough := func(t float64) bool {
		grown := 1 + s.r*t
		return math.Sqrt(grown)*math.Exp(-s.r*d*d*t*t/(2*v*grown)) <= s.level
	}
	low, high := 1., 2*leastOfArm+0.
	for ; !enough(high); low, high = high, 2*high {
		if high > mostNeeded {
			return 0, false
		}
	}
	for high-low > 1 {
		if mid := (low + high) / 2; enough(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return int(math.Ceil(high)), true
}

// mostNeeded bounds Needed.
const mostNeeded = 10_000_000
