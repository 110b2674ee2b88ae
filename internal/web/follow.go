package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"pflow/internal/fault"
)

// hub follows runs for those who watch them: each run once, however many do, and no longer than somebody does.
type hub struct {
	commands Commands
	mu       sync.Mutex
	of       map[string]*topic
}

// topic is a run that is followed.
type topic struct {
	id       string
	watching int // guarded by the hub
	cancel   context.CancelFunc

	mu        sync.Mutex
	changed   chan struct{} // closed and made anew at each change
	entries   int           // of the journal, so far: the id of the last event
	frames    [][]byte      // the last of them; the frame of an entry that says nothing is empty
	steps     map[string]*stepState
	order     []*stepState
	standing  []byte // the event that says how all stands, once it was asked for
	status    string // that it ended with, "" while it goes on
	refreshes int    // how often the page was to be fetched anew
	dirty     bool   // something happened since
	refreshed time.Time
	over      bool // nothing follows
	failure   error
}

// stepState is how a step stands.
type stepState struct {
	Step    string    `json:"step"`
	Label   string    `json:"label"`
	State   string    `json:"state"` // running, waiting, done, failed, kept, interrupted
	Attempt int       `json:"attempt,omitempty"`
	Action  string    `json:"action,omitempty"`
	At      time.Time `json:"at"`
	open    int       // attempts that go on: those of items share a step
}

// maxStates bounds the steps whose states are kept of a run.
const maxStates = 20_000

func (h *hub) follow(id string) *topic {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.of[id]
	if t == nil || t.isOver() { // it may have been gone on with since
		ctx, cancel := context.WithCancel(context.Background())
		t = &topic{id: id, cancel: cancel, changed: make(chan struct{}), steps: map[string]*stepState{}, order: []*stepState{}, refreshed: time.Now()}
		h.of[id] = t
		fault.Go(func() {
			var said bytes.Buffer
			ended := h.commands.Carry(ctx, Command{Args: []string{"runs", "logs", "--json", "--follow", "--until-over", "--", id}, Stdout: &entryLines{t: t, h: h}, Stderr: &said})
			t.end((&Result{Ended: ended, Messages: linesOf(said.String())}).failure())
		}, func(err error) { t.end(err) })
		fault.Go(func() { t.refreshAtTimes(ctx, h) }, func(err error) { t.end(err) })
	}
	t.watching++
	return t
}

func (h *hub) unfollow(t *topic) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t.watching--; t.watching == 0 {
		t.cancel()
		if h.of[t.id] == t {
			delete(h.of, t.id)
		}
	}
}

// viewersOf is how many watch.
func (h *hub) viewersOf(t *topic) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return t.watching
}

func (t *topic) isOver() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.over
}

func (t *topic) change(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
	close(t.changed)
	t.changed = make(chan struct{})
}

func (t *topic) end(failure error) {
	t.change(func() {
		t.over = true
		if t.entries == 0 {
			t.failure = failure
		}
	})
}

// ready waits until there is something to tell. The error is why there never will be.
func (t *topic) ready(ctx context.Context) error {
	for {
		t.mu.Lock()
		failure, there, changed := t.failure, t.entries > 0, t.changed
		t.mu.Unlock()
		if there || failure != nil {
			return failure
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// since gives what happened after an event, -1 for none: how all stands, if it was too long ago. told is how often its reader was told to
// fetch the page anew.
func (t *topic) since(after, told int) (frames [][]byte, last, refreshes int, over bool, changed <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch first := t.entries - len(t.frames); {
	case after > t.entries && !t.over: // it is being read again from its beginning
		return nil, after, told, false, t.changed
	case after < first || after > t.entries:
		frames = append(frames, t.stands())
	default:
		frames = append(frames, t.frames[after-first:]...)
	}
	if told != t.refreshes && after >= 0 {
		frames = append(frames, frameOf(0, "refresh", struct{}{}))
	}
	if t.over {
		frames = append(frames, frameOf(t.entries, "end", map[string]string{"status": t.status}))
	}
	return frames, t.entries, t.refreshes, t.over, t.changed
}

// stands is the event that says how all steps stand.
func (t *topic) stands() []byte {
	if t.standing == nil {
		t.standing = frameOf(t.entries, "state", map[string]any{"steps": t.order, "status": t.status})
	}
	return t.standing
}

// entryLines takes the lines of pflow runs logs --json.
type entryLines struct {
	t    *topic
	h    *hub
	rest []byte
}

func (l *entryLines) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		var e logEntry
		if err := json.Unmarshal(line, &e); err != nil {
			return 0, err
		}
		l.rest = rest
		l.t.change(func() { l.t.take(&e) })
	}
}

// logEntry is what is read of a line of pflow runs logs --json.
type logEntry struct {
	Event   string    `json:"event"`
	At      time.Time `json:"at"`
	Step    string    `json:"step"`
	Attempt int       `json:"attempt"`
	Action  string    `json:"action"`
	Waits   string    `json:"waits"`
	Kind    string    `json:"kind"`
	Kept    string    `json:"kept"`
	Status  string    `json:"status"`
}

// take takes one more entry.
func (t *topic) take(e *logEntry) {
	t.entries++
	t.standing = nil
	t.dirty = t.dirty || e.At.After(t.refreshed.Add(-2*time.Second)) // whoever watches has a page of about now
	var frame []byte
	switch e.Event {
	case "started", "finished", "approved":
		if s := t.step(e); s != nil {
			frame = frameOf(t.entries, "step", s)
		}
	case "end", "interrupted":
		t.status = cmp.Or(e.Status, stateOpen)
		for _, s := range t.order { // nobody works on what was under way
			if s.State == stateRunning {
				s.State, s.open = stateOpen, 0
			}
		}
		frame = t.stands()
	case "resumed":
		t.status = ""
		for _, s := range t.order { // what was under way begins anew
			s.open = 0
		}
	}
	if t.frames = append(t.frames, frame); len(t.frames) > 2*maxFrames {
		t.frames = append([][]byte(nil), t.frames[len(t.frames)-maxFrames:]...)
	}
}

// step notes what an entry says of its step.
func (t *topic) step(e *logEntry) *stepState {
	s := t.steps[e.Step]
	if s == nil {
		if len(t.order) >= maxStates {
			return nil
		}
		s = &stepState{Step: e.Step, Label: e.Step[strings.LastIndexByte(e.Step, '/')+1:]}
		t.steps[e.Step] = s
		t.order = append(t.order, s)
	}
	s.At, s.Attempt, s.Action = e.At, e.Attempt, e.Action
	if e.Event == "started" {
		s.open++
		s.State = stateRunning
		return s
	}
	s.open = max(0, s.open-1)
	switch {
	case e.Waits != "":
		s.State = stateWaiting
	case s.open > 0 && e.Kind == "":
		s.State = stateRunning // other items of it
	case e.Kind != "":
		s.State = stateFailed
	case e.Kept != "":
		s.State = stateKept
	default:
		s.State = stateDone
	}
	return s
}

// refreshAtTimes says that the page is to be fetched anew, where something happened: not more than once a second, and the less often the
// more there are who fetch it, or the longer it is.
func (t *topic) refreshAtTimes(ctx context.Context, h *hub) {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		watching := h.viewersOf(t)
		t.mu.Lock()
		every := max(time.Second, time.Duration(watching)*refreshPerViewer, time.Duration(len(t.order))*2*time.Millisecond)
		due := t.dirty && !t.over && time.Since(t.refreshed) >= every
		t.mu.Unlock()
		if !due {
			continue
		}
		t.change(func() {
			t.refreshes++
			t.dirty, t.refreshed = false, time.Now()
		})
	}
}
