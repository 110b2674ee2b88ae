package engine

import (
	"slices"
	"time"
)

// Open steps a run through its past and knows what the run still waits for: what is to be carried out where it goes on.
type Open struct {
	run   *Run
	execs map[int]*OpenExec
	Waits []OpenWait // in the order in which they began
}

// OpenExec is an attempt that has no outcome.
type OpenExec struct {
	Command
	Stopped bool // it was asked to end: its outcome is that it was stopped
}

// OpenWait is a wait that is not over.
type OpenWait struct {
	ID      int
	Due     time.Duration // since the run began
	Running bool          // see Command
}

// NewOpen looks at a run that has not begun.
func NewOpen(r *Run) *Open { return &Open{run: r, execs: map[int]*OpenExec{}} }

// Step takes the run one event on.
func (o *Open) Step(ev *Event) error {
	delete(o.execs, ev.ID)
	o.end(ev.ID)
	commands, err := o.run.Step(ev)
	if err != nil {
		return err
	}
	for _, c := range commands {
		switch c.Kind {
		case CommandExec:
			o.execs[c.ID] = &OpenExec{Command: c}
		case CommandWait:
			o.Waits = append(o.Waits, OpenWait{c.ID, ev.At + c.For, c.Running})
		case CommandStop:
			if e := o.execs[c.ID]; e != nil {
				e.Stopped = true
			} else {
				o.end(c.ID)
			}
		}
	}
	return nil
}

// Execs lists the attempts that have no outcome, in the order in which they were asked for.
func (o *Open) Execs() []*OpenExec {
	out := make([]*OpenExec, 0, len(o.execs))
	for _, e := range o.execs {
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b *OpenExec) int { return a.ID - b.ID })
	return out
}

func (o *Open) end(wait int) {
	o.Waits = slices.DeleteFunc(o.Waits, func(w OpenWait) bool { return w.ID == wait })
}

// skip moves the budgets that only run while a process does.
func (o *Open) skip(gap time.Duration) {
	for i := range o.Waits {
		if o.Waits[i].Running {
			o.Waits[i].Due += gap
		}
	}
}
