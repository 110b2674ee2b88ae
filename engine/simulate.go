package engine

import (
	"context"
	"sync/atomic"
	"time"
)

// A simulated run keeps a clock of its own, which jumps from one thing that happens to the next. An attempt takes the time
// that its op spends by Spend, and none beside: waits, retries and limits of time end when they would have ended, attempts
// side by side overlap, and outcomes come in the order in which they would have come. Ops run as ever, in goroutines, but
// no event is taken before every attempt under way has said how long it took; so equal ops give equal runs, however fast
// the machine is. What ends at the same instant is taken in the order in which it began, timers last.

type spentKey struct{}

// Spend takes time by the clock of a simulated run, and gives true. In any other run it takes none and gives false.
func Spend(ctx context.Context, d time.Duration) bool {
	spent, simulated := ctx.Value(spentKey{}).(*atomic.Int64)
	if simulated && d > 0 {
		spent.Add(int64(d))
	}
	return simulated
}

// Sleep waits so long, by the clock of the run, and gives the error of a context that is done before.
func Sleep(ctx context.Context, d time.Duration) error {
	if Spend(ctx, d) {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// simulation is what a driver knows of attempts that have ended in truth and not yet by the clock.
type simulation struct {
	began   map[int]time.Duration
	within  map[int]time.Duration // what an attempt may take; 0 is any time
	spent   map[int]*atomic.Int64
	stopped map[int]time.Duration // when they were asked to end
	ended   []Event
}

func newSimulation() *simulation {
	return &simulation{began: map[int]time.Duration{}, within: map[int]time.Duration{}, spent: map[int]*atomic.Int64{}, stopped: map[int]time.Duration{}}
}

// begin gives an attempt what it spends its time by.
func (s *simulation) begin(ctx context.Context, id int, at, within time.Duration) context.Context {
	spent := &atomic.Int64{}
	s.began[id], s.within[id], s.spent[id] = at, within, spent
	return context.WithValue(ctx, spentKey{}, spent)
}

// end is when an attempt ends. One that was asked to end ends then: what it did in truth came later by the clock.
func (s *simulation) end(id int) time.Duration {
	if at, stopped := s.stopped[id]; stopped {
		return at
	}
	took := time.Duration(s.spent[id].Load())
	if s.late(id) {
		took = s.within[id]
	}
	return s.began[id] + took
}

// late reports whether an attempt took longer than it may.
func (s *simulation) late(id int) bool {
	return s.within[id] > 0 && time.Duration(s.spent[id].Load()) > s.within[id]
}

// jump goes on to the next thing that happens.
func (d *driver) jump() Event {
	s := d.sim
	for len(s.ended) < d.running {
		s.ended = append(s.ended, <-d.outcomes)
	}
	if d.ctx.Err() != nil && !d.cancelled {
		return Event{Kind: EventCancel}
	}
	next := -1
	for i := range s.ended {
		if next < 0 {
			next = i
			continue
		}
		a, b := s.ended[i].ID, s.ended[next].ID
		if x, y := s.end(a), s.end(b); x < y || x == y && a < b {
			next = i
		}
	}
	w := d.nextWait()
	switch {
	case next < 0 && w < 0:
		panic("engine: a simulated run has nothing under way and has not ended")
	case next < 0 || w >= 0 && d.waits[w].due < s.end(s.ended[next].ID):
		d.past = max(d.past, d.waits[w].due)
		return d.waitOver(w)
	}
	ev := s.ended[next]
	d.past = max(d.past, s.end(ev.ID))
	s.ended = append(s.ended[:next], s.ended[next+1:]...)
	if _, stopped := s.stopped[ev.ID]; stopped {
		ev = stoppedEarly(ev.ID)
	} else if s.late(ev.ID) {
		ev = Event{Kind: EventOutcome, ID: ev.ID, Meters: ev.Meters, Err: tooLate(s.within[ev.ID], nil)}
	}
	delete(s.began, ev.ID)
	delete(s.within, ev.ID)
	delete(s.spent, ev.ID)
	delete(s.stopped, ev.ID)
	return ev
}
