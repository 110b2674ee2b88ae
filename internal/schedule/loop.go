package schedule

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"pflow/internal/filewatch"
)

// Loop carries the schedules of a home out.
type Loop struct {
	Store *Store
	// Run carries a firing out in a process of its own, which claims it, and waits for its end. said is what it said last.
	// Once stop is closed it waits no longer; the process goes on.
	Run func(one *Schedule, f Firing, stop <-chan struct{}) (said string, err error)
	// NewRun makes the id of a run.
	NewRun func(time.Time) string
	// Outcome tells how a run stands: begun says that it is there at all, status and message how it ended, "" if it has not.
	Outcome func(run string) (begun bool, status, message string)
	// Own reports whether a workflow wrote a file itself, which then has not arrived; nil: none did.
	Own func(workflow, path string) bool
	// Untold reports whether a run has ended and nothing has begun yet of what is to tell so.
	Untold func(one *Schedule, run string) bool
	// Log is told what is done, in lines for people.
	Log func(format string, args ...any)

	Together int           // how many runs at the same time
	Still    time.Duration // how long a file does not change before it is taken
	Wait     time.Duration // how long runs are waited for at the end

	plans   map[string]*plan
	times   timetable
	read    time.Time // the change of the folder that was read, zero: it is to be read again
	ended   chan ended
	slots   chan struct{}
	stop    chan struct{} // closed: runs are no longer waited for
	ending  chan struct{} // closed: none is begun
	stepped time.Time
	ours    map[string]bool // firings that this process carries out, by run
	retold  map[string]bool // those whose process was killed before it told of its run, and was begun again for that
	others  map[string]bool // schedules with firings that other processes carry out
	asked   time.Time       // when others were last looked at
	events  *filewatch.Folders
	folders map[string]bool // that events come of
}

// ended is a firing that is over.
type ended struct {
	one  *Schedule
	f    Firing
	said string
	err  error
	kept bool // it was not begun, and stays open
}

// plan is one schedule as the loop holds it.
type plan struct {
	*Schedule
	entry   entry
	changed stamp
	watch   *watching
}

// watching is a folder as the loop holds it.
type watching struct {
	seen    map[string]Print
	pending map[string]settling
	at      time.Time // when it is looked at next
	looked  bool      // once at least
	problem string    // why it cannot be looked at
	unnamed string    // files whose name is no text, as they were told of
}

type stamp struct {
	size int64
	at   time.Time
}

// Bounds of waiting: how often the folder of schedules is asked whether it changed, other processes whether they run still,
// and a watched folder what is in it where no event came.
const (
	tick      = time.Second
	askOthers = 2 * time.Second
	rescan    = 30 * time.Second
)

func (l *Loop) begin() {
	l.plans, l.ours, l.others, l.folders, l.retold = map[string]*plan{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	l.ended, l.stop, l.ending = make(chan ended), make(chan struct{}), make(chan struct{})
	l.slots = make(chan struct{}, max(1, l.Together))
}

// Serve carries schedules out until the context ends, and then waits for the runs that go on, at most Wait. It gives the runs
// that go on without it.
func (l *Loop) Serve(ctx context.Context) (left []string) {
	l.begin()
	var events <-chan filewatch.Event
	var problems <-chan error
	if w, err := filewatch.NewFolders(); err == nil {
		defer w.Close()
		l.events, events, problems = w, w.Events, w.Errors
	} else {
		l.Log("folders are looked at every %s only: %v", rescan, err)
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return l.finish()
		case e := <-l.ended:
			l.over(e, time.Now())
		case e := <-events:
			l.stirred(e.Name, time.Now())
		case <-problems: // events were lost
			for _, p := range l.plans {
				if p.watch != nil {
					p.watch.at = time.Time{}
				}
			}
		case <-timer.C:
		}
		timer.Reset(max(0, min(tick, time.Until(l.step(time.Now())))))
	}
}

// finish waits for what runs.
func (l *Loop) finish() (left []string) {
	close(l.ending)
	if len(l.ours) > 0 {
		l.Log("no more is begun; waiting up to %s for %d runs", l.Wait, len(l.ours))
	}
	bound := time.After(l.Wait)
	for waiting := true; len(l.ours) > 0; {
		select {
		case e := <-l.ended:
			delete(l.ours, e.f.Run)
			switch {
			case e.kept || l.untold(e): // the next process takes it up
			case waiting:
				l.close(e, time.Now())
			default:
				left = append(left, e.f.Run)
			}
		case <-bound:
			waiting = false
			close(l.stop)
		}
	}
	return left
}

// step does what is due and says when the next is.
func (l *Loop) step(now time.Time) (wake time.Time) {
	if now.Before(l.stepped.Add(-ahead)) { // the clock was wrong altogether: everything is planned again
		for name := range l.plans {
			l.drop(name)
		}
		l.read = time.Time{}
	}
	l.stepped = now
	l.reload(now)
	if now.Sub(l.asked) >= askOthers || now.Before(l.asked) {
		l.asked = now
		for name := range l.others {
			if p := l.plans[name]; p != nil {
				l.adopt(p, now)
			} else {
				delete(l.others, name)
			}
		}
	}
	for {
		e, ok := l.times.first()
		if !ok || e.at.After(now) {
			break
		}
		l.fire(l.plans[e.name], now)
	}
	wake = now.Add(tick)
	if e, ok := l.times.first(); ok && e.at.Before(wake) {
		wake = e.at
	}
	for _, p := range l.plans {
		if p.watch == nil {
			continue
		}
		if !p.watch.at.After(now) || p.watch.at.After(now.Add(rescan*100)) {
			l.scan(p, now)
		}
		if p.watch.at.Before(wake) {
			wake = p.watch.at
		}
	}
	return wake
}

// reload takes over what changed in the folder of schedules.
func (l *Loop) reload(now time.Time) {
	info, err := os.Stat(l.Store.dir)
	if err != nil || info.ModTime().Equal(l.read) {
		return
	}
	l.read = info.ModTime()
	if now.Sub(l.read) < 2*tick {
		l.read = time.Time{} // it may change again in the same moment of a coarse clock
	}
	entries, err := os.ReadDir(l.Store.dir)
	if err != nil {
		l.Log("%v", err)
		return
	}
	there := map[string]bool{}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok || !namePattern.MatchString(name) {
			continue
		}
		there[name] = true
		info, err := e.Info()
		if err != nil {
			continue
		}
		now1 := stamp{info.Size(), info.ModTime()}
		if p := l.plans[name]; p != nil && p.changed == now1 {
			continue
		}
		l.drop(name)
		one, err := l.Store.Get(name)
		if err != nil {
			l.Log("%s does not run: %v", name, err)
			one = &Schedule{Name: name, Paused: true} // until it changes
		}
		p := &plan{Schedule: one, changed: now1}
		l.plans[name] = p
		if err == nil {
			l.adopt(p, now)
		}
	}
	for name := range l.plans {
		if !there[name] {
			l.drop(name)
		}
	}
}

func (l *Loop) drop(name string) {
	if p := l.plans[name]; p != nil {
		l.times.remove(name)
		delete(l.plans, name)
	}
}

// adopt takes up a schedule as the disk has it: firings whose process was killed are closed, or carried out if their run had
// not begun.
func (l *Loop) adopt(p *plan, now time.Time) {
	delete(l.others, p.Name)
	var again []Firing
	st, err := l.Store.State(p.Schedule)
	wrong := err == nil && st.Due.After(now.Add(ahead))
	if err == nil && (wrong || len(st.Open)+len(st.Queue) > 0) {
		err = l.Store.fired(context.Background(), p.Schedule, func(fresh *State) error {
			if st = fresh; wrong {
				st.Due = now
			}
			for _, f := range append([]Firing{}, st.Open...) {
				switch {
				case l.ours[f.Run]:
				case l.Store.alive(f.Run):
					l.others[p.Name] = true
				default:
					if e, over := l.orphan(p.Schedule, f, now); over {
						st.close(e)
						l.Store.forget(f.Run)
						l.Log("%s: run %s is %s%s", p.Name, f.Run, e.Status, because(e.Message))
					} else if p.Paused || st.Waits != "" {
						l.others[p.Name] = true
					} else {
						again = append(again, f)
					}
				}
			}
			l.dequeue(p.Schedule, st, now, &again)
			return nil
		})
	}
	if err != nil {
		l.trouble(p, err)
		return
	}
	for _, f := range again {
		l.start(p.Schedule, f)
	}
	l.plan(p, st, now)
}

// orphan says how a firing that nobody carries out came out; not over: it is to be carried out.
func (l *Loop) orphan(one *Schedule, f Firing, now time.Time) (Ended, bool) {
	begun, status, message := l.Outcome(f.Run)
	e := Ended{Run: f.Run, At: now, Status: status, Message: message}
	switch {
	case begun && status == "":
		e.Status, e.Message = "interrupted", "its process was killed; go on with: pflow resume "+f.Run
	case begun && l.Untold(one, f.Run):
		return e, false // what is left is to tell
	case begun:
	case f.Person:
		e.Status, e.Message = "failed", "its process was killed before the run began"
	case one.Missed == Skip && len(f.Files) == 0 && f.Due.Add(one.After(f.Due)).Before(now.Add(-grace)):
		e.Status, e.Message = "skipped", "it was missed"
	default:
		return e, false
	}
	return e, true
}

// dequeue opens the next time that waited, if nothing runs.
func (l *Loop) dequeue(one *Schedule, st *State, now time.Time, run *[]Firing) {
	if len(st.Open) == 0 && len(st.Queue) > 0 && !one.Paused && st.Waits == "" {
		*run = append(*run, st.open(l.NewRun(now), st.Queue[0]))
		st.Queue = st.Queue[1:]
	}
}

// plan puts a schedule into the timetable.
func (l *Loop) plan(p *plan, st *State, now time.Time) {
	l.times.remove(p.Name)
	if p.Trigger.Watch != nil {
		l.watch(p, st, now)
		return
	}
	if due, at, ok := st.next(p.Schedule); ok {
		p.entry = entry{name: p.Name, due: due, at: at}
		l.times.add(p.entry)
	}
}

// trouble puts a schedule off whose files cannot be read or written.
func (l *Loop) trouble(p *plan, err error) {
	l.times.remove(p.Name)
	var gone *Unknown
	if errors.As(err, &gone) {
		return
	}
	l.Log("%s: %v", p.Name, err)
	p.changed = stamp{} // it is read again with the next change, and after a while
	l.times.add(entry{name: p.Name, at: time.Now().Add(rescan)})
}
