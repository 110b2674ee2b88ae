package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// History is what a journal tells of a run that was killed.
type History struct {
	Events  []Event         // EventStart first
	Started map[int]Attempt // attempts that began and have no outcome
	Gaps    []Gap           // times in which no process worked on the run
	Began   time.Time       // by the clock, whatever day the run is taken to begin on; zero: the time of its first event
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
// killed, and their ops may have had effects that running them again repeats.
type NeedsDecision struct{ Attempts []Attempt }

func (e *NeedsDecision) Error() string {
	names := make([]string, len(e.Attempts))
	for i, a := range e.Attempts {
		names[i] = a.Name()
	}
	return fmt.Sprintf("the run was killed while %s was under way, and running it again may repeat its effects; "+
		"if that is right, resume with --retry", strings.Join(names, ", "))
}

// replay steps through the events of a killed run, then carries out what was still to be done. Nothing that finished
// runs again.
func (d *driver) replay(h *History) error {
	if len(h.Events) == 0 || h.Events[0].Kind != EventStart {
		return fmt.Errorf("the journal does not begin with the start of a run")
	}
	pending := map[int]*exec{}
	gaps := h.Gaps
	for i, ev := range h.Events {
		d.past = ev.At
		delete(pending, ev.ID)
		d.waits = slices.DeleteFunc(d.waits, func(w pendingWait) bool { return w.id == ev.ID })
		cmds, err := d.run.Step(&ev)
		if err != nil {
			return fmt.Errorf("the journal does not fit its flow at event %d: %w", i+1, err)
		}
		for _, c := range cmds {
			switch c.Kind {
			case CommandExec:
				pending[c.ID] = &exec{Command: c}
			case CommandWait:
				d.waits = append(d.waits, pendingWait{c.ID, ev.At + c.For, c.Running})
			case CommandStop:
				if e := pending[c.ID]; e != nil {
					e.stopped = true
				} else {
					d.stop(c.ID)
				}
			}
		}
		for len(gaps) > 0 && gaps[0].After == i+1 {
			d.skip(gaps[0].For)
			gaps = gaps[1:]
		}
	}
	d.zero = h.Start()
	return d.goOn(h, pending)
}

// skip moves the budgets that only run while a process does.
func (d *driver) skip(gap time.Duration) {
	for i := range d.waits {
		if d.waits[i].running {
			d.waits[i].due += gap
		}
	}
}

func (d *driver) goOn(h *History, pending map[int]*exec) error {
	ids := make([]int, 0, len(pending))
	for id := range pending {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	ids = slices.DeleteFunc(ids, func(id int) bool {
		e := pending[id]
		return !e.stopped && !e.Op().Instant && d.keeps(&e.Command)
	})
	var undecided []Attempt
	for _, id := range ids {
		e := pending[id]
		if a, began := h.Started[id]; began && !e.stopped && !e.unit.spec.op.Idempotent && !h.Retry {
			a.Index = e.Index()
			undecided = append(undecided, a)
		}
	}
	if len(undecided) > 0 {
		return &NeedsDecision{undecided}
	}
	d.follow(d.zero, len(h.Events))
	for _, id := range ids {
		e := pending[id]
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
