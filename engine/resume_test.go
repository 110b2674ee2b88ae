package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"pflow/engine"
	"pflow/engine/enginetest"
	"pflow/engine/journal"
)

// runWithJournal runs a flow in a home and gives how it ended and its journal.
func runWithJournal(t *testing.T, home, id string, flow *engine.Flow, docs *engine.Recording, input map[string]any) (string, []byte) {
	t.Helper()
	data, err := docs.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	w, err := journal.Create(home, id, journal.About{}, data)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	res, err := engine.Execute(context.Background(), flow, input, engine.Options{RunID: id, Seed: 7, Journal: w})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(home, "runs", id, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return enginetest.Show(res), text
}

// TestResumeFromEveryPrefix kills every test flow after each record of its journal, and within the record that follows:
// the resumed run ends like the one that was not killed, and no attempt that finished runs again.
func TestResumeFromEveryPrefix(t *testing.T) {
	for _, file := range enginetest.Files(t, ".") {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		inBubble(t, name, func(t *testing.T) {
			ar, input, _ := enginetest.Read(t, file)
			flow, docs := enginetest.Load(t, ar, enginetest.Ops())
			checkEveryPrefix(t, flow, docs, input)
		})
	}
}

// checkEveryPrefix resumes a run from each prefix of its journal.
func checkEveryPrefix(t *testing.T, flow *engine.Flow, docs *engine.Recording, input map[string]any) {
	t.Helper()
	home := t.TempDir()
	want, text := runWithJournal(t, home, "whole", flow, docs, input)
	lines := bytes.SplitAfter(text, []byte("\n"))
	for n := 1; n < len(lines)-1; n++ { // without its end the run was killed
		for _, torn := range []int{0, len(lines[n]) / 2, len(lines[n]) - 1} {
			prefix := append(bytes.Join(lines[:n], nil), lines[n][:torn]...)
			got, after := resume(t, home, flow, docs, prefix)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("resumed after %d records and %d bytes of the next:\n%s\njournal:\n%s", n, torn, diff, prefix)
			}
			if id := ranTwice(t, after); id != 0 {
				t.Fatalf("resumed after %d records: attempt %d ran again after it had finished:\n%s", n, id, after)
			}
		}
	}
}

func resume(t *testing.T, home string, flow *engine.Flow, docs *engine.Recording, prefix []byte) (string, []byte) {
	t.Helper()
	dir := filepath.Join(home, "runs", "killed")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	data, err := docs.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"documents.json": data, "journal.jsonl": prefix} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	past, _, w, err := journal.Resume(home, "killed", time.Now())
	if err != nil {
		t.Fatalf("%v\njournal:\n%s", err, prefix)
	}
	defer w.Close()
	res, err := engine.Execute(context.Background(), flow, nil, engine.Options{RunID: "killed", Journal: w, History: &past.History})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return enginetest.Show(res), text
}

// ranTwice gives an attempt that started after it had finished, or 0.
func ranTwice(t *testing.T, journal []byte) int {
	t.Helper()
	finished := map[int]bool{}
	for _, line := range bytes.Split(bytes.TrimSpace(journal), []byte("\n")) {
		var r struct {
			E  string
			ID int
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		switch {
		case r.E == "finished" && finished[r.ID], r.E == "started" && finished[r.ID]:
			return r.ID
		case r.E == "finished":
			finished[r.ID] = true
		}
	}
	return 0
}

// TestResumeAfterCancel cancels a run at many points and goes on with it: it ends as if nothing had happened.
func TestResumeAfterCancel(t *testing.T) {
	flow := everything(t, enginetest.Ops())
	res, err := engine.Execute(context.Background(), flow, nil, engine.Options{Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	want := enginetest.Show(res)
	cancelled := 0
	for i := range 40 {
		home := t.TempDir()
		w, err := journal.Create(home, "run", journal.About{}, []byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		o := engine.Options{Seed: 7, Journal: w}
		for {
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(1+i)*200*time.Microsecond)
			res, err := engine.Execute(ctx, flow, nil, o)
			cancel()
			w.Close()
			if err != nil {
				t.Fatal(err)
			}
			if res.Status == engine.Done {
				if diff := cmp.Diff(want, enginetest.Show(res)); diff != "" {
					t.Fatal(diff)
				}
				break
			}
			if res.Status != engine.Cancelled {
				t.Fatalf("status %s: %v", res.Status, res.Error)
			}
			cancelled++
			past, _, again, err := journal.Resume(home, "run", time.Now())
			if err != nil {
				t.Fatal(err)
			}
			w, i = again, i+1
			o = engine.Options{Journal: w, History: &past.History}
		}
	}
	if cancelled < 20 {
		t.Errorf("only %d runs were cancelled in the middle", cancelled)
	}
}

// resumeText goes on with a run whose journal is given as text.
func resumeText(t *testing.T, flow *engine.Flow, text string, retry bool) (*engine.Result, error) {
	t.Helper()
	past, err := journal.Fold(sealed(text))
	if err != nil {
		t.Fatal(err)
	}
	past.History.Retry = retry
	return engine.Execute(context.Background(), flow, nil, engine.Options{History: &past.History})
}

const onceFlow = `-- flow.yaml --
flow: f
version: 1
description: d
nodes:
  act: {op: once, with: {result: 1}, actions: [{action: default}], next: end}
`

func TestResumeNeedsADecision(t *testing.T) {
	flow, _ := enginetest.Load(t, txtar.Parse([]byte(onceFlow)), enginetest.Ops())
	journal := `{"e":"start","v":1,"time":"2024-01-15T12:00:00Z","seed":1,"input":{}}
{"e":"started","id":1,"at":5,"step":"act","visit":1,"attempt":1}
`
	_, err := resumeText(t, flow, journal, false)
	var undecided *engine.NeedsDecision
	if !errors.As(err, &undecided) || undecided.Attempts[0].Step != "act" {
		t.Fatalf("resume decided by itself: %v", err)
	}
	res, err := resumeText(t, flow, journal, true)
	if err != nil || res.Status != engine.Done || res.Usage["calls"] != 1 {
		t.Fatalf("with --retry: %v, %v", err, res)
	}
	finished := journal + `{"e":"finished","id":1,"at":9,"result":1}` + "\n"
	if res, err = resumeText(t, flow, finished, false); err != nil || res.Usage["calls"] != 0 {
		t.Fatalf("a finished attempt ran again: %v, %v", err, res)
	}
}

// TestResumeOfAnotherFlow is refused: the events answer nothing that the flow asks for.
func TestResumeOfAnotherFlow(t *testing.T) {
	flow, _ := enginetest.Load(t, txtar.Parse([]byte(onceFlow)), enginetest.Ops())
	_, err := resumeText(t, flow, `{"e":"start","v":1,"time":"2024-01-15T12:00:00Z","seed":1,"input":{}}
{"e":"finished","id":7,"at":9,"result":1}
`, false)
	if err == nil || !strings.Contains(err.Error(), "the journal does not fit its flow at event 2") {
		t.Fatal(err)
	}
}

// TestWaitsGoOn resumes runs that were killed while they waited. A wait between attempts passes for a dead process,
// too; a timeout only counts the time in which a process works.
func TestWaitsGoOn(t *testing.T) {
	flow, _ := enginetest.Load(t, txtar.Parse([]byte(`-- flow.yaml --
flow: f
version: 1
description: d
limits: {timeout: 60s}
nodes:
  a: {op: probe, with: {fails: 1, after: 10s}, retry: {attempts: 2, wait: 100s}, actions: [{action: default}], next: end}
`)), enginetest.Ops())
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		text := fmt.Sprintf(`{"e":"start","v":1,"time":%q,"seed":1,"input":{}}
{"e":"started","id":2,"at":0,"step":"a","visit":1,"attempt":1,"idempotent":true}
{"e":"finished","id":2,"at":10000000000,"error":{"kind":"unavailable","message":"no"}}
`, began.Format(time.RFC3339Nano))
		// The process died 10 s into the run; another goes on at 90 s, 20 s before the wait of 100 s is over. By then the
		// timeout has counted 10 s, so that 50 s are left: 20 s of waiting and the 10 s of the second attempt fit.
		time.Sleep(90 * time.Second)
		text += `{"e":"resumed","at":90000000000}` + "\n"
		res, err := resumeText(t, flow, text, false)
		if err != nil || res.Status != engine.Done {
			t.Fatalf("%v, %v", err, res.Error)
		}
		if took, want := time.Since(began), 120*time.Second; took != want {
			t.Errorf("the run ended after %v, want %v", took, want)
		}
	})
}
