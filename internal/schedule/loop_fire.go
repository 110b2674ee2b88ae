package schedule

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"pflow/internal/fault"
)

// fire deals with the times of a schedule that have come.
func (l *Loop) fire(p *plan, now time.Time) {
	var run []Firing
	var after *State
	err := l.Store.fired(context.Background(), p.Schedule, func(st *State) error {
		queued, waits := len(st.Queue), l.waiting(p.Schedule, st)
		due, left := st.take(p.Schedule, now, waits || l.running(p, st))
		if waits { // nothing that is to come ends it
			st.Queue = st.Queue[:queued]
			left = "run " + st.Last.Run + " waits for approval: pflow resume " + st.Last.Run + " --yes, or give it up with: pflow runs cancel " + st.Last.Run
		}
		for _, t := range due {
			run = append(run, st.open(l.NewRun(now), t))
		}
		if left != "" {
			l.Log("%s: not run, %s", p.Name, left)
		}
		after = st
		return nil
	})
	if err != nil {
		l.trouble(p, err)
		return
	}
	for _, f := range run {
		l.start(p.Schedule, f)
	}
	l.plan(p, after, now)
}

// waitsForApproval is the status of a run that a person has to look at.
const waitsForApproval = "waiting"

// waiting reports whether the last run waits for somebody's approval, of a schedule that leaves out a time that comes while a run is not
// over: runs that wait are never removed, and would be more with each time.
func (l *Loop) waiting(one *Schedule, st *State) bool {
	if one.Overlap != Skip || st.Last == nil || st.Last.Status != waitsForApproval {
		return false
	}
	_, status, _ := l.Outcome(st.Last.Run) // somebody may have gone on with it
	return status == waitsForApproval
}

// running reports whether a run of a schedule goes on, here or elsewhere.
func (l *Loop) running(p *plan, st *State) bool {
	for _, f := range st.Open {
		if l.ours[f.Run] {
			return true
		}
		if l.Store.alive(f.Run) {
			l.others[p.Name] = true
			return true
		}
	}
	return false
}

// start carries a firing out that is on the disk.
func (l *Loop) start(one *Schedule, f Firing) {
	l.ours[f.Run] = true
	what := fmt.Sprintf("for %s", f.Due.Local().Format(time.DateTime))
	if len(f.Files) > 0 {
		what = "for " + strings.Join(f.Files, ", ")
	}
	l.Log("%s: run %s %s", one.Name, f.Run, what)
	out := ended{one: one, f: f}
	fault.Go(func() {
		select {
		case l.slots <- struct{}{}:
			select {
			case <-l.ending:
				out.kept = true
			default:
				out.said, out.err = l.Run(one, f, l.stop)
			}
			<-l.slots
		case <-l.ending:
			out.kept = true
		}
		l.ended <- out
	}, func(err error) {
		out.err = err
		l.ended <- out
	})
}

// over takes up a firing whose process ended, and what waited for it.
func (l *Loop) over(e ended, now time.Time) {
	if !l.retold[e.f.Run] && l.untold(e) {
		l.retold[e.f.Run] = true
		l.start(e.one, e.f)
		return
	}
	delete(l.ours, e.f.Run)
	delete(l.retold, e.f.Run)
	if l.close(e, now); l.plans[e.one.Name] == nil {
		return
	}
	p := l.plans[e.one.Name]
	l.adopt(p, now)
	if p.watch != nil {
		p.watch.at = now
	}
}

// untold reports whether a process was killed between the end of its run and the beginning of what tells of it. One that ended
// by itself has told, or said why not.
func (l *Loop) untold(e ended) bool {
	killed := new(Killed)
	return errors.As(e.err, &killed) && !l.Store.alive(e.f.Run) && l.Untold(e.one, e.f.Run)
}

// close notes how a firing came out.
func (l *Loop) close(e ended, now time.Time) {
	if l.Store.alive(e.f.Run) { // another process was before ours, and goes on
		l.others[e.one.Name] = true
		return
	}
	begun, status, message := l.Outcome(e.f.Run)
	out := Ended{Run: e.f.Run, At: now, Status: status, Message: message}
	waits := ""
	switch {
	case begun && status == "":
		out.Status, out.Message = "interrupted", "its process was killed; go on with: pflow resume "+e.f.Run
	case !begun:
		out.Status, out.Message = "failed", e.said
		if e.err != nil && e.said == "" {
			out.Message = e.err.Error()
		}
		if refused := new(Refused); errors.As(e.err, &refused) {
			waits = e.said
		}
	}
	l.Log("%s: run %s is %s%s", e.one.Name, e.f.Run, out.Status, because(out.Message))
	var gone *Unknown
	if err := l.Store.End(context.Background(), e.one, out, waits); err != nil && !errors.As(err, &gone) {
		l.Log("%s: %v", e.one.Name, err)
	}
}

// Refused is the error of Run where a person has to look at the schedule before it runs again.
type Refused struct{}

func (*Refused) Error() string { return "it waits for a person" }

// Killed is the error of Run where its process ended by a signal.
type Killed struct{}

func (*Killed) Error() string { return "its process was killed" }

func because(message string) string {
	if message == "" {
		return ""
	}
	return ": " + message
}
