package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pflow/internal/split"
)

// TestRealSplit is a morning under a split: requests are planned by the real planners, and somebody approves some, says no to some, walks
// away from one; a run fails, a request is asked for by --yes, one finds what is saved. pflow experiment live tells it all.
func TestRealSplit(t *testing.T) {
	d := newDesk(t)
	settings := "planner: {split: {planner-offline: 50, planner-words: 50}, stop: losing}\n"
	if err := os.WriteFile(filepath.Join(d.home, "settings.yaml"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.home, "split.key"), []byte(strings.Repeat("01", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(request, question, answer string, status int) {
		t.Helper()
		tt := d.start(request)
		tt.answer(question, answer)
		tt.exits(status)
	}
	ask("copy README.md to never.md", saveAndRun, "n", 4)
	ask(copyRequest, saveAndRun, "y", 0)
	ask("read gone.md", saveAndRun, "y", 1) // approved, and its run fails
	ask("copy other.md to twice.md", "[Y/n", "y", 0)
	tt := d.start("read README.md")
	tt.expect(saveAndRun)
	tt.send(ctrlC)
	tt.exits(130)
	tt = d.start("fly me to the moon")
	tt.exits(5)
	if printed, err := d.command("--yes", "copy other.md to third.md").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}

	live := func() (out split.Live) {
		t.Helper()
		printed, err := d.command("experiment", "live", "--json").Output()
		if err == nil {
			err = json.Unmarshal(printed, &out)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
		return out
	}
	all := split.ArmState{Outcomes: map[split.Outcome]int{}}
	for _, a := range live().Arms {
		all.Requests, all.Asked, all.Scored, all.Open = all.Requests+a.Requests, all.Asked+a.Asked, all.Scored+a.Scored, all.Open+a.Open
		all.Planned, all.Reused = all.Planned+a.Planned, all.Reused+a.Reused
		for o, n := range a.Outcomes {
			all.Outcomes[o] += n
		}
	}
	want := map[split.Outcome]int{split.Worked: 2, split.Declined: 1, split.RunFailed: 1, split.NoPlan: 1, split.Edited: 0, split.Abandoned: 0, split.Lost: 0}
	if fmt.Sprint(all.Outcomes) != fmt.Sprint(want) || all.Requests != 7 || all.Asked != 6 || all.Scored != 5 || all.Open != 1 || all.Planned != 7 {
		t.Errorf("%+v", all)
	}
	if all.Reused == 0 {
		t.Error("no request found what another one had saved")
	}

	// Who is asked again is the same unit, and its answer is the one that was missing.
	ask("read README.md.", saveAndRun, "y", 0)
	r := live()
	if got := r.Arms[0].Scored + r.Arms[1].Scored; got != 6 || r.Arms[0].Requests+r.Arms[1].Requests != 7 {
		t.Errorf("%+v", r.Arms)
	}
	tt = d.start("experiment", "live")
	tt.expect("no verdict yet on planner-words against planner-offline")
	tt.expect("taken as planned, ran well")
	tt.exits(0)
	if strings.Contains(d.ledger(), "README") {
		t.Error("the ledger tells of a request")
	}
}

func (d *desk) ledger() string {
	d.t.Helper()
	data, err := os.ReadFile(filepath.Join(d.home, split.File))
	if err != nil {
		d.t.Fatal(err)
	}
	return string(data)
}
