// Package schedule keeps which workflows run by themselves, when and with what, and runs them: Store is the documents and what
// was fired, Loop what waits and begins runs. A firing is on the disk, with the id of its run, before the run begins: whatever
// is killed when, what was due is run once.
package schedule

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"time"

	"pflow/internal/consent"
	"pflow/internal/diag"
	"pflow/internal/trigger"
)

// What is done about times that passed while nobody ran schedules, and for a watch about files that came then.
const (
	Skip = "skip" // nothing
	Once = "once" // one run for all of them; of a watch each file
	All  = "all"  // one run for each
)

// What is done about a time that comes while a run of the schedule goes on. Skip is one, too.
const (
	Queue = "queue" // it runs after
	Allow = "allow" // it runs beside
)

// The rules there are.
var (
	MissedRules  = []string{Skip, Once, All}
	OverlapRules = []string{Skip, Queue, Allow}
)

// Schedule is a workflow that runs by itself.
type Schedule struct {
	Name            string            `json:"-"`
	consent.Consent                   // another workflow than the approved one does not run
	Params          map[string]any    `json:"params"`            // values of inputs
	Phrases         map[string]Phrase `json:"phrases,omitempty"` // of inputs whose values are worked out for each run; they are not in Params
	Trigger         trigger.Trigger   `json:"trigger"`
	Dir             string            `json:"dir"` // the folder that it runs in, absolute
	Missed          string            `json:"missed"`
	Overlap         string            `json:"overlap"`
	Jitter          string            `json:"jitter,omitempty"` // each time is put off by less than this: 30s, 5m
	Paused          bool              `json:"paused,omitempty"`
	Nodes           []string          `json:"nodes,omitempty"`      // files of declared nodes, absolute; Approved.Digest has what the workflow uses of them
	NoBuiltin       bool              `json:"no_builtin,omitempty"` // only these, and saved workflows
	Created         time.Time         `json:"created"`
	consent.Notices                   // in the place of those of its workflow
}

var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)

// Default gives the rules that were not said. What arrives in a folder is not left out because a run goes on.
func (s *Schedule) Default() {
	if s.Missed == "" {
		s.Missed = Once
	}
	if s.Overlap == "" {
		s.Overlap = Skip
		if s.Trigger.Watch != nil {
			s.Overlap = Queue
		}
	}
}

// Check says what is wrong with a schedule. Paths are those of its JSON.
func (s *Schedule) Check() diag.List {
	var out diag.List
	wrong := func(path, message string, args ...any) {
		out = append(out, diag.Finding{Severity: diag.Error, Kind: "malformed-schedule", Path: path, Message: fmt.Sprintf(message, args...)})
	}
	if !namePattern.MatchString(s.Name) {
		wrong("", "%q is no name of a schedule: it has letters, digits, - and _, at most 100", s.Name)
	}
	if s.Workflow == "" {
		wrong("workflow", "a schedule names a saved workflow")
	}
	for name, p := range s.Phrases {
		if _, twice := s.Params[name]; twice {
			wrong("phrases."+name, "its value is in params, too")
		} else if len(marks(p.Text, time.Now())) == 0 || !markForm.MatchString(p.Form) {
			wrong("phrases."+name, "want a text such as \"last week\", and a form such as \"{from}\" with the day that is meant")
		}
	}
	for _, kind := range consent.Kinds {
		if n := s.Notices.Of(kind); n != nil && n.Workflow == "" {
			wrong(kind+".workflow", "it names a saved workflow")
		}
	}
	for _, f := range s.Trigger.Check() {
		f.Path = strings.TrimSuffix("trigger."+f.Path, ".")
		out = append(out, f)
	}
	if !slices.Contains(MissedRules, s.Missed) {
		wrong("missed", "%q: want %s", s.Missed, strings.Join(MissedRules, ", "))
	}
	if !slices.Contains(OverlapRules, s.Overlap) {
		wrong("overlap", "%q: want %s", s.Overlap, strings.Join(OverlapRules, ", "))
	}
	if s.Jitter != "" {
		if d, err := time.ParseDuration(s.Jitter); err != nil || d < 0 || d > 24*time.Hour {
			wrong("jitter", "%q: want a length of time up to 24h, such as 30s or 5m", s.Jitter)
		}
	}
	return out
}

// Values are those of the inputs for a run at a time, but for what a file gives that arrives.
func (s *Schedule) Values(at time.Time) (map[string]any, error) {
	zone, err := s.Trigger.Zone()
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	for name, v := range s.Params {
		out[name] = v
	}
	for name, p := range s.Phrases {
		if out[name], err = p.Value(at.In(zone)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return out, nil
}

// After is how long after a time its run begins: the same for the same schedule and time, and spread over Jitter.
func (s *Schedule) After(due time.Time) time.Duration {
	d, err := time.ParseDuration(s.Jitter)
	if err != nil || d <= 0 {
		return 0
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d", s.Name, due.Unix())
	return time.Duration(mix(h.Sum64()) % uint64(d))
}

// mix spreads what differs in few bits over all of them.
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// most is how many times that passed are counted at most: the last ones.
const most = 1000

// passed are the times after one moment and not after another, the last ones of them.
func (s *Schedule) passed(after, now time.Time) []time.Time {
	t := &s.Trigger
	if d, err := time.ParseDuration(t.Every); t.Every != "" && err == nil && d > 0 {
		if n := now.Sub(after)/d - most; n > 0 {
			after = after.Add(n * d) // an interval counts from the one before
		}
		return s.between(after, now)
	}
	for back := time.Hour; ; back *= 2 { // so that a year of minutes is not gone through
		from := now.Add(-back)
		if back <= 0 || !from.After(after) {
			return s.between(after, now)
		}
		if times := s.between(from, now); len(times) >= most {
			return times
		}
	}
}

func (s *Schedule) between(after, now time.Time) (out []time.Time) {
	for {
		next, ok := s.Trigger.Next(after)
		if !ok || next.After(now) {
			return out[max(0, len(out)-most):]
		}
		out, after = append(out, next), next
	}
}
