package engine_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/engine"
	"pflow/engine/enginetest"
	"pflow/engine/journal"
)

// elsewhere drives a run whose attempts are carried out as data, by a flow that was compiled anew for each, and whose
// events are written and read back: as processes do that share nothing.
type elsewhere struct {
	t       *testing.T
	run     *engine.Run
	compile func() *engine.Flow
	happen  chan engine.Event
	cancel  map[int]func()
	over    map[int]bool // answered, or stopped waits
	log     [][]byte
	began   time.Time
}

func (d *elsewhere) take(ev engine.Event) {
	ev.At = time.Since(d.began)
	text := journal.AppendEvent(nil, ev)
	d.log = append(d.log, text)
	read, err := journal.ParseEvent(text)
	if err != nil {
		d.t.Fatalf("%s: %v", text, err)
	}
	commands, err := d.run.Step(&read)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, c := range commands {
		switch c.Kind {
		case engine.CommandExec:
			ctx, cancel := context.WithCancel(d.t.Context())
			d.cancel[c.ID] = cancel
			text, err := json.Marshal(c.Call(d.run))
			if err != nil {
				d.t.Fatal(err)
			}
			go d.perform(ctx, c.ID, text)
		case engine.CommandWait:
			timer := time.AfterFunc(c.For, func() { d.happen <- engine.Event{Kind: engine.EventTimer, ID: c.ID} })
			d.cancel[c.ID] = func() { timer.Stop(); d.over[c.ID] = true }
		case engine.CommandStop:
			d.cancel[c.ID]()
		}
	}
}

func (d *elsewhere) perform(ctx context.Context, id int, text []byte) {
	var call engine.Call
	err := json.Unmarshal(text, &call)
	var ev engine.Event
	if err == nil {
		ev, err = d.compile().Perform(ctx, call)
	}
	if err != nil {
		d.t.Errorf("%s: %v", text, err)
	}
	ev.Kind, ev.ID = engine.EventOutcome, id
	d.happen <- ev
}

// TestCall runs every test flow with attempts that are carried out elsewhere: each ends as its file says, and its events
// are those of a run that stops and goes on after any of them.
func TestCall(t *testing.T) {
	for _, file := range enginetest.Files(t, ".") {
		inBubble(t, strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, input, want := enginetest.Read(t, file)
			compile := func() *engine.Flow {
				flow, _ := enginetest.Load(t, ar, enginetest.Ops())
				return flow
			}
			flow := compile()
			d := &elsewhere{t: t, run: engine.NewRun(flow, nil), compile: compile, happen: make(chan engine.Event, 100), cancel: map[int]func(){}, over: map[int]bool{}, began: time.Now()}
			d.take(engine.Event{Kind: engine.EventStart, Time: time.Now().UTC(), Seed: 7, Input: input})
			for !d.run.Done() {
				if ev := <-d.happen; !d.over[ev.ID] {
					d.over[ev.ID] = true
					d.take(ev)
				}
			}
			if diff := cmp.Diff(want, enginetest.Show(d.run.Result())); diff != "" {
				t.Error(diff)
			}
			for n := 1; n < len(d.log); n++ {
				if got := onward(t, compile(), d.log[:n]); got == 0 {
					t.Errorf("after %d of %d events nothing is open", n, len(d.log))
				}
			}
		})
	}
}

// onward steps a run through events and counts what it waits for.
func onward(t *testing.T, flow *engine.Flow, log [][]byte) int {
	t.Helper()
	open := engine.NewOpen(engine.NewRun(flow, nil))
	for _, text := range log {
		ev, err := journal.ParseEvent(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := open.Step(&ev); err != nil {
			t.Fatal(err)
		}
	}
	return len(open.Execs()) + len(open.Waits)
}
