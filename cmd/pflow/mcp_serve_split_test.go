package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pflow/internal/split"
)

// TestMCPServeSplit: what a client does with plans of a split counts as what a person does: it runs one as it is, one whose run fails, saves
// one, runs one that it saved, or its user says no; what it only looks at is open.
func TestMCPServeSplit(t *testing.T) {
	s := serve(t, serveOptions{files: map[string]string{"a.txt": "hello"}, answer: func(*mcp.ElicitParams) *mcp.ElicitResult { return &mcp.ElicitResult{Action: "decline"} }})
	for name, text := range map[string]string{
		"settings.yaml": "planner: {split: {planner-offline: 50, planner-words: 50}}\n",
		split.File:      "",
		"split.key":     strings.Repeat("01", 32),
	} {
		if err := os.WriteFile(filepath.Join(s.home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	plan := func(request string) any {
		t.Helper()
		return s.call("plan", map[string]any{"request": request}).wants(t, false).document["digest"]
	}
	run := func(request string, fails bool) {
		t.Helper()
		s.call("run_workflow", map[string]any{"plan": plan(request)}).wants(t, fails)
	}
	run("copy a.txt to b.txt", false)
	run("read gone.txt", true)
	s.call("save_workflow", map[string]any{"plan": plan("copy a.txt to c.txt")}).wants(t, false)
	kept := s.call("plan", map[string]any{"request": "copy a.txt to e.txt"}).wants(t, false)
	name := s.call("save_workflow", map[string]any{"plan": kept.document["digest"], "name": "keep-it"}).wants(t, false).document["name"]
	s.call("run_workflow", map[string]any{"name": name, "inputs": kept.document["inputs"]}).wants(t, false)
	run("delete the file a.txt", true)
	plan("copy a.txt to d.txt")
	if !s.has("a.txt") {
		t.Error("the user said no")
	}

	printed, err := exec.Command("pflow", "experiment", "live", "--json", "--home", s.home).Output()
	var live split.Live
	if err == nil {
		err = json.Unmarshal(printed, &live)
	}
	if err != nil {
		t.Fatal(err)
	}
	got, open := map[split.Outcome]int{}, 0
	for _, arm := range live.Arms {
		open += arm.Open
		for o, n := range arm.Outcomes {
			if n > 0 {
				got[o] += n
			}
		}
	}
	if want := (map[split.Outcome]int{split.Worked: 2, split.RunFailed: 1, split.Declined: 1}); fmt.Sprint(got) != fmt.Sprint(want) || open != 2 {
		t.Errorf("%v and %d open, want %v and 2: one that is only saved may still be run", got, open, want)
	}
}
