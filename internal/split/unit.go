package split

import (
	"slices"
	"time"
)

// unit is a request, once, in one experiment: later plans for the same text only tell more of what came of it.
type unit struct {
	id    string
	arm   string
	arms  Split // as they were when it came
	asked Asked
	at    time.Time
	runs  []string // its plannings by this arm, the first first

	ended  *Ended // the first planning
	scored *Scored
	later  Later
}

// Ended is how the first planning of a unit ended. It is noted for every unit, whoever was asked, and never changes: one that was broken
// off stays so, although it may be resumed.
type Ended struct {
	Failed bool    `json:"failed"` // there is no plan, and that is no answer: an error, a limit, only drafts that are wrong, or it was broken off
	MS     float64 `json:"ms"`     // 0 is unknown: its process was killed
	USD    float64 `json:"usd"`
	Lost   bool    `json:"lost,omitempty"` // within Horizon nothing was known of it, and nothing will be
}

// Outcome is what people did with the plan of a unit.
type Outcome string

// The outcomes. Only Worked scores 1. Lost, too, is an outcome: to leave these units out would favour an arm whose plans are left lying
// until their runs are pruned.
const (
	Worked    Outcome = "worked"    // approved as it was, and its first run was done; or kept, and not run within Horizon
	RunFailed Outcome = "failed"    // approved as it was, and its first run failed, or was not done within Horizon
	Edited    Outcome = "edited"    // approved after a change
	Declined  Outcome = "declined"  // somebody said no
	Abandoned Outcome = "abandoned" // nobody answered within Horizon
	NoPlan    Outcome = "no plan"   // there was nothing to approve; what was broken off is noted so after Horizon
	Lost      Outcome = "lost"      // its runs were gone before an answer was noted, and within Horizon it was not asked for again
)

// Outcomes lists them.
var Outcomes = []Outcome{Worked, RunFailed, Edited, Declined, Abandoned, NoPlan, Lost}

// Horizon is how long a unit may be open. Then silence is an answer: a plan that nobody took was not what they wanted. A weekend lies within; and
// where some plans are never answered it is about how much later a loser is found (TestWait), so that it is no longer than that.
const Horizon = 3 * 24 * time.Hour

// Scored is the outcome of a unit, once it is settled. It never changes.
type Scored struct {
	Outcome Outcome `json:"outcome"`
	Run     string  `json:"plan,omitempty"`  // the planning that was answered
	First   string  `json:"first,omitempty"` // the first run of the workflow
	Name    string  `json:"name,omitempty"`  // of the workflow
}

// Score is 1 if the plan was approved as it was and its first run went well, else 0.
func (s *Scored) Score() float64 {
	if s.Outcome == Worked {
		return 1
	}
	return 0
}

// Later is what became of a workflow after its first run.
type Later struct {
	Fixed  bool `json:"fixed,omitempty"`  // mended, or run again with changes, after a run that failed
	Reused bool `json:"reused,omitempty"` // another request found it
}

// trial is one experiment: the units since its flows are what they are and nobody began it anew.
type trial struct {
	hash   map[string]string
	units  []*unit // in order of arrival
	byID   map[string]*unit
	before int // units of earlier texts of the flows, or of before it was begun anew
}

// Stop is an arm that gets no more requests.
type Stop struct {
	Flow string    `json:"flow"`
	At   time.Time `json:"at"`
	Why  string    `json:"why"`
}

// State is what the ledger of a home tells.
type State struct {
	trials map[string]*trial // the newest of each list of arms
	last   string            // the list of arms that was split last
	stops  map[string][]Stop // by list of arms
	whole  map[string]Split  // the same, with the weights of when none was stopped last
}

// keyOf names a list of arms: the same flows in the same order are the same experiment, whatever their weights.
func keyOf(arms []string) string {
	key := ""
	for _, a := range arms {
		key += a + "\x00"
	}
	return key
}

// Read reads the ledger.
func (l *Ledger) Read() (*State, error) {
	entries, err := l.read()
	if err != nil {
		return nil, err
	}
	s := newState()
	of := map[string]*unit{}
	for i := range entries {
		s.add(&entries[i], of)
	}
	return s, nil
}

func newState() *State {
	return &State{trials: map[string]*trial{}, stops: map[string][]Stop{}, whole: map[string]Split{}}
}

// add takes an entry. of has the units by all their plannings.
func (s *State) add(e *entry, of map[string]*unit) {
	key := keyOf(e.Arms.Flows())
	u := of[e.Run]
	if len(e.Arms) > 0 && !slices.ContainsFunc(e.Arms, func(a Arm) bool { return a.Weight <= 0 }) {
		s.whole[key] = e.Arms
	}
	switch e.E {
	case entryPlan:
		s.last = key
		s.plan(e, key, of)
	case entryEnded:
		if u != nil && u.runs[0] == e.Run && u.ended == nil {
			u.ended = e.Ended
		}
	case entryScored:
		if u != nil && u.scored == nil {
			u.scored = e.Scored
		}
	case entryLater:
		if u != nil && e.Later != nil {
			u.later.Fixed, u.later.Reused = u.later.Fixed || e.Later.Fixed, u.later.Reused || e.Later.Reused
		}
	case entryStopped:
		if !slices.ContainsFunc(s.stops[key], func(x Stop) bool { return x.Flow == e.Arm }) {
			s.stops[key] = append(s.stops[key], Stop{e.Arm, e.At, e.Why})
		}
	case entryStarted:
		s.stops[key] = slices.DeleteFunc(s.stops[key], func(x Stop) bool { return x.Flow == e.Arm })
		if t := s.trials[key]; t != nil {
			s.trials[key] = anew(t)
		}
	}
}

// anew is a trial without units, after another.
func anew(before *trial) *trial {
	t := &trial{hash: map[string]string{}, byID: map[string]*unit{}}
	if before != nil {
		t.before = before.before + len(before.units)
	}
	return t
}

func (s *State) plan(e *entry, key string, of map[string]*unit) {
	t := s.trials[key]
	if t == nil || t.hash[e.Arm] != "" && t.hash[e.Arm] != e.Hash {
		hash := map[string]string{}
		if t != nil { // what the other arms are is not known to have changed
			for arm, h := range t.hash {
				hash[arm] = h
			}
		}
		t = anew(t)
		t.hash = hash
		s.trials[key] = t
	}
	t.hash[e.Arm] = e.Hash
	u := t.byID[e.Unit]
	if u == nil {
		u = &unit{id: e.Unit, arm: e.Arm, arms: e.Arms, asked: e.Asked, at: e.At}
		t.byID[e.Unit] = u
		t.units = append(t.units, u)
	}
	if u.arm == e.Arm { // by another arm it says nothing of this one
		u.runs = append(u.runs, e.Run)
		of[e.Run] = u
	}
}

// Stopped are the arms of a split that get no more requests.
func (s *State) Stopped(arms Split) []Stop {
	return slices.Clone(s.stops[keyOf(arms.Flows())])
}

// Open is the split without what was stopped.
func (s *State) Open(arms Split) Split {
	var flows []string
	for _, stop := range s.Stopped(arms) {
		flows = append(flows, stop.Flow)
	}
	return arms.Without(flows)
}

// Last are the arms that a request was split among last, nil if none was, with the weights that they had when none of them was stopped.
func (s *State) Last() Split { return slices.Clone(s.whole[s.last]) }
