package runs

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/stats"
)

// Stats adds up how long the steps of many runs took.
type Stats struct {
	of    map[statsKey]*sample
	order []*sample
}

type statsKey struct {
	kind journal.Kind
	name string
}

// sample is what the runs of one workflow or flow gave.
type sample struct {
	Sample
	whole   []float64
	spent   float64 // over its runs, in milliseconds: what shares are of
	steps   map[string]*stepSample
	targets []engine.Target
}

type stepSample struct {
	StepStats
	took []float64
}

// Sample is how long the runs of one workflow or flow took, and their steps.
type Sample struct {
	Kind  journal.Kind `json:"kind"`
	Name  string       `json:"name"`
	Runs  int          `json:"runs"`
	Whole Percentiles  `json:"whole"` // of the runs that ended and that no process left meanwhile
	Steps []StepStats  `json:"steps"` // in the order in which they began in the newest run that has them
}

// Percentiles are those of times in milliseconds, by nearest rank.
type Percentiles struct {
	N   int     `json:"n"`
	P50 float64 `json:"p50_ms"`
	P95 float64 `json:"p95_ms"`
	P99 float64 `json:"p99_ms"`
	Max float64 `json:"max_ms"`
}

// StepStats is how long one step took. Each visit counts, also one that failed.
type StepStats struct {
	Step   string `json:"step"`   // in the run: get, get[] of its items, poll# of its rounds, get[]/fetch inside them
	Type   string `json:"type"`   // component or op, "" of an item
	Inside bool   `json:"inside"` // another step
	Percentiles
	Failures   int      `json:"failures"`
	Retries    int      `json:"retries"`
	Unmeasured int      `json:"unmeasured"` // visits left out: kept from another run, or no process worked on the run meanwhile
	Share      float64  `json:"share"`      // of the time of all runs; steps side by side, and inside each other, count each
	Targets    []Target `json:"targets"`
}

// Target is what the flow of the newest run says of a step.
type Target struct {
	Percent  int     `json:"percent"`
	WithinMS float64 `json:"within_ms"`
	SeenMS   float64 `json:"seen_ms"`
	Over     int     `json:"over"` // visits
	Met      bool    `json:"met"`
}

// NewStats has no runs yet.
func NewStats() *Stats { return &Stats{of: map[statsKey]*sample{}} }

// span is a time of a run.
type span struct{ from, to time.Duration }

// gaps are the times in which no process worked on a run.
func gaps(h *engine.History) (out []span) {
	for _, g := range h.Gaps {
		if g.After > 0 && g.After <= len(h.Events) {
			from := h.Events[g.After-1].At
			out = append(out, span{from, from + g.For})
		}
	}
	return out
}

// Add adds a run: its row, what its journal tells, its steps, and the targets of its flow. Newer runs come first.
func (s *Stats) Add(row Row, past *journal.Past, steps []*Step, targets []engine.Target) {
	key := statsKey{row.Kind, row.Name}
	of := s.of[key]
	if of == nil {
		of = &sample{Sample: Sample{Kind: row.Kind, Name: row.Name, Steps: []StepStats{}}, steps: map[string]*stepSample{}, targets: targets}
		s.of[key], s.order = of, append(s.order, of)
	}
	of.Runs++
	h := &past.History
	if len(h.Events) == 0 {
		return
	}
	v := visits{of: of, began: h.Events[0].Time, gaps: gaps(h)}
	took := h.Events[len(h.Events)-1].At
	if past.End != nil {
		took = max(took, past.End.At)
	}
	if past.End != nil && len(v.gaps) == 0 {
		of.whole = append(of.whole, milliseconds(took))
	}
	for _, g := range v.gaps {
		took -= g.to - g.from
	}
	of.spent += milliseconds(max(took, 0))
	v.add("", steps)
}

// visits adds the steps of one run.
type visits struct {
	of    *sample
	began time.Time
	gaps  []span
}

var visitNumber = regexp.MustCompile(`#\d+$`)

// statsName names a step over all its visits, within what it is in.
func statsName(in, label string) string {
	switch {
	case strings.HasPrefix(label, "["):
		return in + "[]"
	case strings.HasPrefix(label, "#"):
		return in + "#"
	case strings.HasPrefix(label, "."), in == "":
		return in + visitNumber.ReplaceAllString(label, "")
	}
	return in + "/" + visitNumber.ReplaceAllString(label, "")
}

func (v *visits) add(in string, steps []*Step) {
	for _, s := range steps {
		name := statsName(in, s.Label)
		if s.ended {
			v.visit(name, s, in != "")
		}
		v.add(name, s.Steps)
	}
}

func (v *visits) visit(name string, s *Step, inside bool) {
	of := v.of.steps[name]
	if of == nil {
		of = &stepSample{StepStats: StepStats{Step: name, Type: s.Type, Inside: inside, Targets: []Target{}}}
		v.of.steps[name] = of
		v.of.Steps = append(v.of.Steps, of.StepStats) // its place
	}
	if s.Status == "failed" {
		of.Failures++
	}
	for _, a := range s.Attempts {
		if a.Attempt > 1 && a.Kept == "" {
			of.Retries++
		}
	}
	if s.kept() || v.left(s) {
		of.Unmeasured++
		return
	}
	of.took = append(of.took, s.DurationMS)
}

// left reports whether no process worked on the run for a time while a step was under way.
func (v *visits) left(s *Step) bool {
	from := s.StartedAt.Sub(v.began)
	to := from + time.Duration(s.DurationMS*float64(time.Millisecond))
	return slices.ContainsFunc(v.gaps, func(g span) bool { return from < g.to && to > g.from })
}

// kept reports whether a step, or one inside it, is of another run.
func (s *Step) kept() bool {
	return slices.ContainsFunc(s.Attempts, func(a Attempt) bool { return a.Kept != "" }) || slices.ContainsFunc(s.Steps, (*Step).kept)
}

// Samples gives what was added up, by kind and name.
func (s *Stats) Samples() []Sample {
	out := make([]Sample, 0, len(s.order))
	for _, of := range s.order {
		of.Whole = percentiles(of.whole)
		for i := range of.Steps {
			of.Steps[i] = of.settle(of.steps[of.Steps[i].Step])
		}
		out = append(out, of.Sample)
	}
	slices.SortFunc(out, func(a, b Sample) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return out
}

func (x *sample) settle(of *stepSample) StepStats {
	out := of.StepStats
	out.Percentiles = percentiles(of.took)
	total := 0.
	for _, ms := range of.took {
		total += ms
	}
	if x.spent > 0 {
		out.Share = total / x.spent
	}
	for _, t := range x.targets {
		if t.Node != out.Step || out.N == 0 {
			continue
		}
		within := milliseconds(t.Within)
		seen := Target{Percent: t.Percent, WithinMS: within, SeenMS: stats.NearestRank(of.took, t.Percent)}
		for _, ms := range of.took {
			if ms > within {
				seen.Over++
			}
		}
		seen.Met = seen.SeenMS <= within
		out.Targets = append(out.Targets, seen)
	}
	return out
}

// percentiles sorts times.
func percentiles(ms []float64) Percentiles {
	slices.Sort(ms)
	p := Percentiles{N: len(ms), P50: stats.NearestRank(ms, 50), P95: stats.NearestRank(ms, 95), P99: stats.NearestRank(ms, 99)}
	if len(ms) > 0 {
		p.Max = ms[len(ms)-1]
	}
	return p
}
