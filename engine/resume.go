package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// History is what a journal tells of a run that has not ended, or can be gone on with.
type History struct {
	Events  []Event         // EventStart first
	Started map[int]Attempt // attempts that began and have no outcome
	Gaps    []Gap           // times in which no process worked on the run
	Began   time.Time       // by the clock, whatever day the run is taken to begin on; zero: the time of its first event
	Ended   Status          // how it had ended: Cancelled, Waiting; "": its process was killed, or died
	// Retry runs attempts again that began, did not finish, and are of ops that are not idempotent.
	Retry bool
}

// Start is when the run began, by the clock.
func (h *History) Start() time.Time {
	if h.Began.IsZero() {
		return h.Events[0].Time
	}
	return h.Began
}

// Unkept lists the texts that stand in results for what the journal did not keep.
func (h *History) Unkept() []string {
	var out []string
	for i := range h.Events {
		out = append(out, h.Events[i].Unkept...)
	}
	return out
}

// Gap is a time in which no process worked on the run: after the event At, for For.
type Gap struct {
	After int // how many events came before
	For   time.Duration
}

// NeedsDecision is the error of a resume that may not decide by itself: the attempts were under way when the run was
// cancelled, or interrupted, and their ops may have had effects that running them again repeats.
type NeedsDecision struct {
	Attempts  []Attempt
	Cancelled bool // else its process died
}

func (e *NeedsDecision) Error() string {
	names := make([]string, len(e.Attempts))
	for i, a := range e.Attempts {
		names[i] = a.Name()
	}
	what, was := "interrupted", "was"
	if e.Cancelled {
		what = "cancelled"
	}
	if len(names) > 1 {
		was = "were"
	}
	return fmt.Sprintf("the run was %s while %s %s under way, and running that again may repeat its effects", what, strings.Join(names, ", "), was)
}

// replay steps through the events of a killed run, then carries out what was still to be done. Nothing that finished
// runs again.
func (d *driver) replay(h *History) error {
	if len(h.Events) == 0 || h.Events[0].Kind != EventStart {
		return fmt.Errorf("the journal does not begin with the start of a run")
	}
	open := NewOpen(d.run)
	gaps := h.Gaps
	for i, ev := range h.Events {
		d.past = ev.At
		if err := open.Step(&ev); err != nil {
			return fmt.Errorf("the journal does not fit its flow at event %d: %w", i+1, err)
		}
		for len(gaps) > 0 && gaps[0].After == i+1 {
			open.skip(gaps[0].For)
			gaps = gaps[1:]
		}
	}
	for _, w := range open.Waits {
		d.waits = append(d.waits, pendingWait{w.ID, w.Due, w.Running})
	}
	d.zero = h.Start()
	return d.goOn(h, open.Execs())
}

func (d *driver) goOn(h *History, pending []*OpenExec) error {
	pending = slices.DeleteFunc(pending, func(e *OpenExec) bool {
		return !e.Stopped && !e.Op().Instant && d.keeps(&e.Command)
	})
	var undecided []Attempt
	for _, e := range pending {
		if a, began := h.Started[e.ID]; began && !e.Stopped && !e.Op().Idempotent && !h.Retry {
			a.Index = e.Index()
			undecided = append(undecided, a)
		}
	}
	if len(undecided) > 0 {
		return &NeedsDecision{undecided, h.Ended == Cancelled}
	}
	d.follow(d.zero, len(h.Events))
	for _, open := range pending {
		e := &exec{Command: open.Command, stopped: open.Stopped}
		if e.stopped || e.Op().Instant {
			d.inline = append(d.inline, *e)
		} else {
			d.started(e)
			d.launch(e)
		}
	}
	for _, c := range d.run.Held() {
		d.ask(&exec{Command: c})
	}
	return nil
}
