//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pflow/internal/schedule"
)

// TestServeTells: of each run of a schedule is told once. Where all was killed after the run had ended and before that was told,
// the next pflow serve tells it; where it was told, it does not.
func TestServeTells(t *testing.T) {
	s := newServer(t)
	if err := os.WriteFile(filepath.Join(s.dir, "tell.json"), []byte(`{"ir_version": "0.1.0", "inputs": {"run": {"type": "string", "required": true}},
	 "nodes": [{"id": "tell", "type": "shell", "params": {"command": "echo ${run} >> told"}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s.pflow("workflow", "save", "./tell.json", "--yes")
	told := func() []string {
		data, _ := os.ReadFile(filepath.Join(s.dir, "told"))
		return strings.Fields(string(data))
	}
	s.pflow("schedule", "add", "note", "--every", "1000h", "what=x", "--yes=schedule,destructive")
	s.pflow("schedule", "run", "note") // nothing is to be told yet
	s.pflow("schedule", "notify", "note", "--on-success", "tell", "--yes=schedule,destructive")
	store := schedule.NewStore(s.home)
	run := ""
	killed := func() { // the disk is as it was between the end of the run and that of its firing
		if err := store.Change(context.Background(), "note", func(_ *schedule.Schedule, st *schedule.State) error {
			run = st.Last.Run
			st.Open = append(st.Open, schedule.Firing{Run: run, Due: st.Last.Due})
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	served := func() {
		s.start("--wait", "5m")
		s.until("the firing is closed", func() bool {
			one, err := store.Get("note")
			if err != nil {
				t.Fatal(err)
			}
			st, err := store.State(one)
			return err == nil && len(st.Open) == 0
		})
		if err := s.end(syscall.SIGTERM); err != nil {
			t.Errorf("ended by SIGTERM: %v", err)
		}
	}
	for _, what := range []string{"it was not told", "it was told"} {
		killed()
		served()
		if got := told(); len(got) != 1 || got[0] != run {
			t.Errorf("%s before: told %q, want %s once", what, got, run)
		}
		if got := s.noted(); len(got) != 1 {
			t.Errorf("%s before: run %d times", what, len(got))
		}
	}
	s.pflow("schedule", "run", "note")
	if got := told(); len(got) != 2 {
		t.Errorf("after one more run: told %q", got)
	}
}
