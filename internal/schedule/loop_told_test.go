package schedule

import (
	"testing"
	"time"
)

// TestUntold: where processes are killed between the end of a run and what tells of it, that is begun again, by the process that
// carries schedules out or by the next one; what ended by itself has told.
func TestUntold(t *testing.T) {
	m := newMachine(t, noon)
	one := m.add(Schedule{Name: "s", Trigger: hourly()})
	again := func(what, run string) {
		t.Helper()
		if n := len(m.loop.ours); n != 1 {
			t.Fatalf("%s: %d firings are carried out, want that of %s", what, n, run)
		}
		if got := <-m.at; got != run {
			t.Fatalf("%s: %s was begun, want %s", what, got, run)
		}
	}
	closed := func(what, run string) {
		t.Helper()
		st, err := m.store.State(one)
		if err != nil || len(st.Open) > 0 || st.Last == nil || st.Last.Run != run || st.Last.Status != "done" {
			t.Fatalf("%s: %+v, %v", what, st, err)
		}
	}
	m.step(0)
	m.want("first", m.step(time.Hour), "s 13:00:00")
	m.untold["run-1"] = true
	m.restart() // both were killed
	m.loop.read = time.Time{}
	m.loop.step(m.now)
	again("after a restart", "run-1")
	delete(m.untold, "run-1")
	m.end()
	closed("told", "run-1")

	killed := true
	m.loop.Run = func(_ *Schedule, f Firing, _ <-chan struct{}) (string, error) {
		m.at <- f.Run
		if killed {
			return "", &Killed{}
		}
		return "", nil
	}
	m.want("second", m.step(time.Hour), "s 14:00:00")
	m.untold["run-2"] = true
	m.loop.over(<-m.loop.ended, m.now) // the process of the run alone was killed
	again("in the same process", "run-2")
	m.loop.over(<-m.loop.ended, m.now) // and was killed once more
	closed("not for ever", "run-2")

	killed = false
	m.want("third", m.step(time.Hour), "s 15:00:00")
	m.untold["run-3"] = true
	m.end()
	closed("it said why not", "run-3")
}
