package schedule

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pflow/internal/consent"
	"pflow/internal/cputime"
	"pflow/internal/trigger"
)

// machine is a loop with a clock that is put, and runs that are begun and end when they are told to. What it knows of runs
// outlives the loop, as the disk does.
type machine struct {
	t      *testing.T
	store  *Store
	now    time.Time
	count  int
	begun  map[string]string // status of each run, "" while it goes on
	order  []string          // runs as they were begun: NAME DUE or NAME FILE
	loop   *Loop
	untold map[string]bool // runs that ended and of which nothing told
	hold   map[string]chan struct{}
	at     chan string // a run that began
}

func newMachine(t *testing.T, now string) *machine {
	at, err := time.Parse(time.RFC3339, now)
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{t: t, store: NewStore(t.TempDir()), now: at, begun: map[string]string{}, untold: map[string]bool{}, hold: map[string]chan struct{}{}, at: make(chan string, 10000)}
	m.restart()
	return m
}

// restart is a new process over the same disk: what the old one knew is gone.
func (m *machine) restart() {
	m.loop = &Loop{Store: m.store, Together: 100, Still: 2 * time.Second, Log: m.t.Logf,
		NewRun:  func(time.Time) string { m.count++; return fmt.Sprintf("run-%d", m.count) },
		Outcome: func(run string) (bool, string, string) { s, ok := m.begun[run]; return ok, s, "" },
		Untold:  func(_ *Schedule, run string) bool { return m.untold[run] },
		Run: func(one *Schedule, f Firing, stop <-chan struct{}) (string, error) {
			m.at <- f.Run
			return "", nil
		}}
	m.loop.begin()
}

func (m *machine) add(s Schedule) *Schedule {
	m.t.Helper()
	s.Workflow, s.Created = "w", m.now
	s.Dir = m.store.dir
	s.Default()
	if err := m.store.Add(context.Background(), &s); err != nil {
		m.t.Fatal(err)
	}
	return &s
}

// step goes on to a time and gives what was begun by then.
func (m *machine) step(after time.Duration) (fired []string) {
	m.t.Helper()
	m.now = m.now.Add(after)
	m.loop.read = time.Time{} // the clock of the disk is another
	before := len(m.loop.ours)
	m.loop.step(m.now)
	return m.started(len(m.loop.ours) - before)
}

// started takes up n runs that the loop began.
func (m *machine) started(n int) (fired []string) {
	m.t.Helper()
	for range n {
		run := <-m.at
		if _, twice := m.begun[run]; twice {
			m.t.Errorf("%s was begun twice", run)
		}
		m.begun[run] = "done"
		name, f := m.firing(run)
		what := f.Due.UTC().Format("15:04:05")
		for _, file := range f.Files {
			what = filepath.Base(file)
		}
		fired = append(fired, name+" "+what)
	}
	slices.Sort(fired)
	m.order = append(m.order, fired...)
	return fired
}

// firing finds an open firing on the disk: one that is not there was begun before it was recorded.
func (m *machine) firing(run string) (string, Firing) {
	m.t.Helper()
	for _, name := range m.store.Names() {
		one, err := m.store.Get(name)
		if err != nil {
			m.t.Fatal(err)
		}
		st, err := m.store.State(one)
		if err != nil {
			m.t.Fatal(err)
		}
		if f, ok := st.firing(run); ok {
			return name, f
		}
	}
	m.t.Fatalf("%s runs and is not on the disk", run)
	return "", Firing{}
}

// end ends what runs, and gives what ran after it.
func (m *machine) end() (fired []string) {
	m.t.Helper()
	for range len(m.loop.ours) {
		m.loop.over(<-m.loop.ended, m.now)
	}
	return m.started(len(m.loop.ours))
}

func (m *machine) want(what string, got []string, want ...string) {
	m.t.Helper()
	if !slices.Equal(got, want) {
		m.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

const noon = "2026-03-02T12:00:00Z"

func hourly() trigger.Trigger { return trigger.Trigger{Cron: "0 * * * *", Timezone: "UTC"} }

// TestTimes: each time fires once, and none before it has come.
func TestTimes(t *testing.T) {
	m := newMachine(t, noon)
	m.add(Schedule{Name: "h", Trigger: hourly()})
	m.add(Schedule{Name: "e", Trigger: trigger.Trigger{Every: "40m"}})
	m.want("at noon", m.step(0))
	m.want("12:40", m.step(40*time.Minute), "e 12:40:00")
	m.end()
	m.want("12:40 again", m.step(time.Second))
	m.want("13:00", m.step(20*time.Minute), "h 13:00:00")
	m.end()
	m.want("put back", m.step(-30*time.Minute))
	m.want("13:00 again", m.step(30*time.Minute))
	m.want("13:20", m.step(19*time.Minute+59*time.Second), "e 13:20:00")
	m.end()
	m.now = m.now.Add(100 * 24 * time.Hour) // a clock that was wrong altogether
	m.step(0)
	m.end()
	m.now = m.now.Add(-100 * 24 * time.Hour)
	m.step(0)
	m.want("14:00 after a wrong clock", m.step(41*time.Minute), "e 14:00:00", "h 14:00:00")
	m.end()
}

// TestMissed: what passed while nobody was there goes by the rule.
func TestMissed(t *testing.T) {
	for rule, want := range map[string][]string{
		Skip: nil, Once: {"s 15:00:00"}, All: {"s 13:00:00", "s 14:00:00", "s 15:00:00"},
	} {
		t.Run(rule, func(t *testing.T) {
			m := newMachine(t, noon)
			m.add(Schedule{Name: "s", Trigger: hourly(), Missed: rule})
			m.now = m.now.Add(3*time.Hour + 30*time.Minute)
			m.restart()
			m.step(0)
			for len(m.end()) > 0 {
			}
			m.want("missed", m.order, want...)
			m.restart()
			m.want("again", m.step(time.Minute))
			m.want("in time", m.step(29*time.Minute), "s 16:00:00")
			m.end()
		})
	}
}

// TestMissedYears: years of minutes are not gone through one by one.
func TestMissedYears(t *testing.T) {
	m := newMachine(t, noon)
	m.add(Schedule{Name: "c", Trigger: trigger.Trigger{Cron: "* * * * *", Timezone: "UTC"}})
	m.add(Schedule{Name: "e", Trigger: trigger.Trigger{Every: "1s"}})
	before := cputime.Used()
	m.want("after", m.step(3*365*24*time.Hour+500*time.Millisecond), "c 12:00:00", "e 11:59:01")
	if used := cputime.Used() - before; used > 2*time.Second {
		t.Errorf("it took %s", used)
	}
	m.end()
}

// TestOverlap: what comes while a run goes on goes by the rule.
func TestOverlap(t *testing.T) {
	for rule, want := range map[string][]string{
		Skip:  {"s 13:00:00", "s 16:00:00"},
		Queue: {"s 13:00:00", "s 14:00:00", "s 15:00:00", "s 16:00:00"},
		Allow: {"s 13:00:00", "s 14:00:00", "s 15:00:00", "s 16:00:00"},
	} {
		t.Run(rule, func(t *testing.T) {
			m := newMachine(t, noon)
			m.add(Schedule{Name: "s", Trigger: hourly(), Overlap: rule})
			for k := range 3 {
				fired := m.step(time.Hour)
				if begins := k == 0 || rule == Allow; begins != (len(fired) == 1) {
					t.Errorf("hour %d: %q", k, fired)
				}
			}
			for len(m.end()) > 0 {
			}
			m.step(time.Hour)
			m.end()
			m.want("all", m.order, want...)
		})
	}
}

// TestJitter puts times off by the same each time, within its bound, and differently for each schedule.
func TestJitter(t *testing.T) {
	due, _ := time.Parse(time.RFC3339, noon)
	different := map[time.Duration]bool{}
	for k := range 100 {
		s := &Schedule{Name: fmt.Sprintf("s%d", k), Jitter: "10m"}
		d := s.After(due)
		if d < 0 || d >= 10*time.Minute || d != s.After(due) {
			t.Fatalf("%s", d)
		}
		different[d/time.Minute] = true
	}
	if len(different) != 10 {
		t.Errorf("100 schedules take %d of 10 minutes", len(different))
	}
	m := newMachine(t, noon)
	s := m.add(Schedule{Name: "s", Trigger: hourly(), Jitter: "10m"})
	off := s.After(due.Add(time.Hour))
	m.step(0)
	m.want("before", m.step(time.Hour+off-time.Second))
	m.want("after", m.step(time.Second), "s 13:00:00")
	m.end()
}

// TestKilled kills the process that carries schedules out at every point between a firing and its end, over and over: each
// time is run exactly once.
func TestKilled(t *testing.T) {
	m := newMachine(t, noon)
	m.add(Schedule{Name: "s", Trigger: trigger.Trigger{Every: "1s"}, Missed: All, Overlap: Queue})
	var due []string
	for k := range 60 {
		at := m.now.Add(time.Second)
		due = append(due, "s "+at.Format("15:04:05"))
		switch k % 4 {
		case 0: // killed after the firing was recorded, before its run
			m.now = at
			m.loop.read = time.Time{}
			m.loop.Run = func(_ *Schedule, _ Firing, stop <-chan struct{}) (string, error) { select {} }
			m.loop.step(m.now)
			m.restart()
			m.step(0)
		case 1: // killed while its run goes on, whose process dies, too
			m.step(time.Second)
			for run, status := range m.begun {
				if status == "" {
					t.Fatal(run)
				}
			}
			m.restart()
			m.step(0)
		case 2: // killed before
			m.restart()
			m.step(time.Second)
		case 3:
			m.step(time.Second)
		}
		for len(m.end()) > 0 {
		}
	}
	m.want("all", m.order, due...)
	one, _ := m.store.Get("s")
	if st, err := m.store.State(one); err != nil || len(st.Open)+len(st.Queue) > 0 {
		t.Errorf("left: %v, %v", st, err)
	}
}

// TestInterrupted: a run whose process was killed with it is told as interrupted, and is not begun again.
func TestInterrupted(t *testing.T) {
	m := newMachine(t, noon)
	one := m.add(Schedule{Name: "s", Trigger: hourly()})
	m.step(0)
	m.step(time.Hour)
	m.begun["run-1"] = ""
	m.restart()
	m.want("after", m.step(time.Second))
	st, _ := m.store.State(one)
	if st.Last == nil || st.Last.Status != "interrupted" || len(st.Open) > 0 {
		t.Errorf("%+v", st.Last)
	}
	m.want("the next", m.step(time.Hour), "s 14:00:00")
	m.end()
}

// TestOthers: while another process carries a firing out, that is waited for, and then what is queued runs.
func TestOthers(t *testing.T) {
	m := newMachine(t, noon)
	one := m.add(Schedule{Name: "s", Trigger: hourly(), Overlap: Queue})
	m.step(0)
	if busy, err := m.store.Now(context.Background(), one, "by-hand", m.now); busy || err != nil {
		t.Fatal(busy, err)
	}
	_, release, err := m.store.Claim(context.Background(), one, "by-hand", func(string) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.store.Claim(context.Background(), one, "by-hand", func(string) bool { return false }); err == nil {
		t.Error("a firing is claimed twice")
	}
	if busy, err := m.store.Now(context.Background(), one, "again", m.now); !busy || err != nil {
		t.Error("two run at a time")
	}
	m.begun["by-hand"] = ""
	m.want("while it runs", m.step(time.Hour))
	m.begun["by-hand"] = "done"
	release()
	if _, _, err := m.store.Claim(context.Background(), one, "by-hand", func(string) bool { return true }); err == nil {
		t.Error("a run that was begun is claimed")
	}
	m.want("after it", m.step(10*time.Second), "s 13:00:00")
	m.end()
}

// TestChanges: what is paused, removed, added or waits for a person is taken over.
func TestChanges(t *testing.T) {
	m := newMachine(t, noon)
	m.add(Schedule{Name: "s", Trigger: hourly()})
	m.step(0)
	change := func(f func(*Schedule, *State)) {
		if err := m.store.Change(context.Background(), "s", func(s *Schedule, st *State) error { f(s, st); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	change(func(s *Schedule, _ *State) { s.Paused = true })
	m.want("paused", m.step(2*time.Hour))
	change(func(s *Schedule, st *State) { s.Paused, st.Due = false, m.now })
	m.want("resumed", m.step(time.Second))
	m.want("on", m.step(time.Hour), "s 15:00:00")
	m.end()
	if err := m.store.Remove(context.Background(), "s"); err != nil {
		t.Fatal(err)
	}
	m.want("removed", m.step(time.Hour))
	m.add(Schedule{Name: "s", Trigger: hourly()})
	m.want("made again", m.step(time.Second))
	m.loop.Run = func(_ *Schedule, f Firing, _ <-chan struct{}) (string, error) { return "it was changed", &Refused{} }
	m.now = m.now.Add(time.Hour)
	m.loop.read = time.Time{}
	m.loop.step(m.now)
	m.loop.over(<-m.loop.ended, m.now)
	one, _ := m.store.Get("s")
	if st, _ := m.store.State(one); st.Waits != "it was changed" {
		t.Errorf("%+v", st)
	}
	m.want("waits", m.step(time.Hour))
	if err := os.WriteFile(m.store.Path("s"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.want("unreadable", m.step(time.Hour))
}

// TestWaitingRunIsNotOver: while the last run waits for approval no more of them are made, unless they may run beside each other.
func TestWaitingRunIsNotOver(t *testing.T) {
	m := newMachine(t, noon)
	m.add(Schedule{Name: "s", Trigger: hourly(), Missed: All})
	m.add(Schedule{Name: "t", Trigger: hourly(), Overlap: Allow})
	m.want("nothing", m.step(0))
	m.want("both", m.step(time.Hour), "s 13:00:00", "t 13:00:00")
	for run := range m.begun {
		m.begun[run] = "waiting"
	}
	m.end()
	m.want("beside", m.step(time.Hour), "t 14:00:00")
	m.end()
	m.restart()
	m.want("missed", m.step(2*time.Hour), "t 16:00:00")
	m.end()
	for run := range m.begun {
		m.begun[run] = "done"
	}
	m.want("approved", m.step(time.Hour), "s 17:00:00", "t 17:00:00")
}

// TestWatchOwnFiles: what the workflow wrote itself does not make it run again, and neither does a name that no state can keep.
func TestWatchOwnFiles(t *testing.T) {
	m := newMachine(t, noon)
	dir := t.TempDir()
	put := func(name string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m.loop.Own = func(workflow, path string) bool { return workflow == "w" && filepath.Base(path) == "own.csv" }
	m.add(Schedule{Name: "w", Trigger: trigger.Trigger{Watch: &trigger.Watch{Path: dir, Input: "file"}}})
	m.want("nothing", m.step(0))
	look := func(after time.Duration) []string {
		m.loop.plans["w"].watch.at = time.Time{}
		return m.step(after)
	}
	put("own.csv")
	_ = os.WriteFile(filepath.Join(dir, "b\xff.csv"), []byte("x"), 0o600) // not every system has such names
	m.want("new", look(time.Second))
	m.want("neither", look(3*time.Second))
	put("z.csv")
	m.want("new", look(time.Second))
	m.want("another", look(3*time.Second), "w z.csv")
	m.end()
	m.want("none again", look(time.Minute))
}

// TestWatchedFolderComesAgain: of a folder that was moved away and made again events are asked for again.
func TestWatchedFolderComesAgain(t *testing.T) {
	m := newMachine(t, noon)
	dir := filepath.Join(t.TempDir(), "in")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	m.add(Schedule{Name: "w", Trigger: trigger.Trigger{Watch: &trigger.Watch{Path: dir, Input: "file"}}})
	m.step(0)
	w := m.loop.plans["w"].watch
	m.loop.folders[dir] = true
	m.loop.stirred(filepath.Join(dir, "some.csv"), m.now)
	if !m.loop.folders[dir] || w.at.After(m.now.Add(time.Second)) {
		t.Errorf("%v, looked at %s", m.loop.folders, w.at)
	}
	w.at = m.now.Add(time.Hour)
	m.loop.stirred(dir, m.now)
	if m.loop.folders[dir] || w.at.After(m.now.Add(time.Second)) {
		t.Errorf("%v, looked at %s", m.loop.folders, w.at)
	}
}

// TestWatch: a file is taken once, when it is whole, under its own name, and what was there before has not arrived.
func TestWatch(t *testing.T) {
	m := newMachine(t, noon)
	dir := t.TempDir()
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("old.csv", "x")
	m.add(Schedule{Name: "w", Trigger: trigger.Trigger{Watch: &trigger.Watch{Path: dir, Pattern: "*.csv", Input: "file"}}})
	m.want("nothing", m.step(0))
	look := func(after time.Duration) []string {
		m.loop.plans["w"].watch.at = time.Time{}
		return m.step(after)
	}
	put("a.csv", "half")
	m.want("it is new", look(time.Second))
	put("a.csv", "half and more")
	m.want("it grows", look(3*time.Second))
	for _, name := range []string{"b.csv.part", ".c.csv", "d.txt", "e.csv~", "f.CSV.TMP"} {
		put(name, "x")
	}
	m.want("still too young", look(time.Second))
	m.want("whole", look(2*time.Second), "w a.csv")
	m.end()
	m.want("once", look(time.Minute))
	if err := os.Rename(filepath.Join(dir, "b.csv.part"), filepath.Join(dir, "b.csv")); err != nil {
		t.Fatal(err)
	}
	put("g.csv", "x")
	look(time.Second)
	m.want("renamed into place", look(3*time.Second), "w b.csv")
	m.want("one at a time", look(time.Second))
	m.end()
	m.want("the other", look(time.Second), "w g.csv")
	m.end()
	put("h.csv", "while nobody looks")
	m.restart()
	m.step(time.Hour)
	m.want("after a restart", look(3*time.Second), "w h.csv")
	m.restart() // killed while it runs
	m.step(time.Second)
	m.want("and not again", look(time.Minute))
	put("a.csv", "another content")
	look(time.Second)
	m.want("another content", look(3*time.Second), "w a.csv")
	m.end()
}

// TestManySchedules: ten thousand schedules cost less than a hundredth of a processor.
func TestManySchedules(t *testing.T) {
	const many = 10_000
	m := newMachine(t, noon)
	m.now = time.Now()
	for k := range many {
		s := Schedule{Name: fmt.Sprintf("s%d", k), Consent: consent.Consent{Workflow: "w"}, Created: m.now, Trigger: trigger.Trigger{Cron: fmt.Sprintf("%d %d 1 1 *", k%60, k%24), Timezone: "UTC"}}
		s.Default()
		if err := os.MkdirAll(filepath.Join(m.store.dir, "state"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(m.store.Path(s.Name), document(t, &s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := cputime.Used()
	m.step(0)
	t.Logf("reading %d schedules: %s", many, cputime.Used()-before)
	if len(m.loop.times.heap) != many {
		t.Fatalf("%d are planned", len(m.loop.times.heap))
	}
	old := m.now.Add(-time.Hour)
	if err := os.Chtimes(m.store.dir, old, old); err != nil {
		t.Fatal(err)
	}
	m.step(0)
	const seconds = 600
	before = cputime.Used()
	for range seconds {
		m.now = m.now.Add(time.Second)
		m.loop.step(m.now)
	}
	used := cputime.Used() - before
	t.Logf("%d seconds of waiting: %s, %.4f%% of a processor", seconds, used, 100*used.Seconds()/seconds)
	if used > seconds*time.Second/100 {
		t.Errorf("%s in %d s", used, seconds)
	}
}

func document(t *testing.T, s *Schedule) []byte {
	t.Helper()
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
