package schedule

import (
	"time"
)

// State is what was fired of a schedule, and what is to be.
type State struct {
	Created time.Time        `json:"created"` // of the schedule that it is of
	Due     time.Time        `json:"due"`     // every time up to this one is dealt with
	Open    []Firing         `json:"open,omitempty"`
	Queue   []time.Time      `json:"queue,omitempty"` // times that run once nothing is open
	Last    *Ended           `json:"last,omitempty"`
	Waits   string           `json:"waits,omitempty"` // why it runs no more until somebody looks at it
	Seen    map[string]Print `json:"seen,omitempty"`  // of a watch: the files that were taken, by name
}

// Firing is one time that a schedule runs. It is there before its run is.
type Firing struct {
	Run    string    `json:"run"`
	Due    time.Time `json:"due"`
	Files  []string  `json:"files,omitempty"`  // paths of what arrived
	Person bool      `json:"person,omitempty"` // somebody asked for it: nobody else begins it
}

// Ended is how a firing came out.
type Ended struct {
	Run     string    `json:"run"`
	Due     time.Time `json:"due"`
	At      time.Time `json:"at"`
	Status  string    `json:"status"` // that of the run, or of one that has no end interrupted, or failed
	Message string    `json:"message,omitempty"`
}

// maxQueue bounds what waits for a run to end.
const maxQueue = most

// grace is how late a time may run that was not missed.
const grace = time.Minute

// ahead is how far in the future the last time may lie that was dealt with: a clock may be put back, and one that was wrong
// altogether is not waited for.
const ahead = 25 * time.Hour

// base is the moment after which the next time is looked for.
func (st *State) base(s *Schedule) time.Time {
	if s.Created.After(st.Due) {
		return s.Created
	}
	return st.Due
}

// next is when the schedule fires next: the time, and when its run begins.
func (st *State) next(s *Schedule) (due, at time.Time, ok bool) {
	if s.Paused || st.Waits != "" {
		return due, at, false
	}
	due, ok = s.Trigger.Next(st.base(s))
	return due, due.Add(s.After(due)), ok
}

// take deals with the times that have come, by the rules, and gives those that are to run now and why others do not.
func (st *State) take(s *Schedule, now time.Time, running bool) (run []time.Time, left string) {
	var missed, due []time.Time
	for _, t := range s.passed(st.base(s), now) {
		at := t.Add(s.After(t))
		if at.After(now) {
			break
		}
		st.Due = t
		if at.Before(now.Add(-grace)) {
			missed = append(missed, t)
		} else {
			due = append(due, t)
		}
	}
	switch {
	case s.Missed == Skip && len(missed) > 0:
		missed, left = nil, "missed"
	case s.Missed == Once && len(missed) > 0:
		if missed = missed[len(missed)-1:]; len(due) > 0 {
			missed = nil
		}
	}
	if s.Overlap == Allow {
		return append(missed, due...), left
	}
	for k, t := range append(missed, due...) {
		switch {
		case !running && len(st.Queue) == 0:
			run, running = append(run, t), true
		case k >= len(missed) && s.Overlap == Skip:
			left = "a run of it goes on"
		case len(st.Queue) >= maxQueue:
			left = "too many wait already"
		default:
			st.Queue = append(st.Queue, t)
		}
	}
	return run, left
}

// open notes a firing.
func (st *State) open(run string, due time.Time, files ...string) Firing {
	f := Firing{Run: run, Due: due, Files: files}
	st.Open = append(st.Open, f)
	return f
}

// firing finds an open one.
func (st *State) firing(run string) (Firing, bool) {
	for _, f := range st.Open {
		if f.Run == run {
			return f, true
		}
	}
	return Firing{}, false
}

// close ends a firing.
func (st *State) close(e Ended) {
	for k, f := range st.Open {
		if f.Run == e.Run {
			e.Due = f.Due
			st.Open = append(st.Open[:k:k], st.Open[k+1:]...)
			st.Last = &e
			return
		}
	}
}
