package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestRealModel plans and carries out a request with a real model (make test-llm), and plans another one that finds what
// the first one made.
func TestRealModel(t *testing.T) {
	if os.Getenv("RUN_LLM_TESTS") == "" {
		t.Skip("calls a real model: make test-llm")
	}
	d := newDesk(t)
	run := func(args ...string) []byte {
		cmd := d.command(args...)
		cmd.Stdin = strings.NewReader("")
		var errs strings.Builder
		cmd.Stderr = &errs
		out, err := cmd.Output()
		t.Logf("pflow %s\n%s", strings.Join(args, " "), errs.String())
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return out
	}
	run("model", "check")
	run("--yes", "--flow", "planner", "copy README.md to out.md")
	if !d.has("out.md") {
		t.Fatal("it was not copied")
	}
	var plan struct{ Status, Path string }
	if err := json.Unmarshal(run("plan", "--json", "--flow", "planner", "copy other.md to out2.md"), &plan); err != nil || plan.Status != "ready" || plan.Path != "reuse" {
		t.Errorf("%v, %+v, want ready and reuse", err, plan)
	}
}
