package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

const slowFlow = `flow: slow
version: 1
state:
  user_input: {type: string, required: true}
  planner_output: {type: any, default: null}
nodes:
  wait: {op: sleep, with: {for: 40ms}, next: tell}
  tell:
    op: eval
    with: {expr: '{"status": "infeasible"}'}
    post: {planner_output: result}
    next: end
`

// TestTerminalExperiment: on a terminal the run shows how far it is; Ctrl-C ends it with 130 and how to go on, and going on
// makes the rest.
func TestTerminalExperiment(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.file("slow.yaml", slowFlow)
	var cases strings.Builder
	for i := range 60 {
		fmt.Fprintf(&cases, `{"id": "c%d", "request": "wait", "expect": {"abstain": true}}`+"\n", i)
	}
	d.file("cases.jsonl", cases.String())
	tt := d.start("experiment", "run", "--a", "./slow.yaml", "--b", "./slow.yaml", "--cases", "cases.jsonl", "--concurrency", "4", "--id", "slow", "--allow-equal")
	tt.expect(" of 120, ")
	tt.expect("s left")
	tt.send(ctrlC)
	tt.expect("go on with: pflow experiment run --resume slow")
	tt.exits(130)
	if !strings.Contains(tt.printed(), codeBelow) {
		t.Errorf("the line is never cleared:\n%q", tt.printed())
	}
	before, err := d.command("experiment", "report", "slow", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var report struct{ Rows, Missing int }
	if err := json.Unmarshal(before, &report); err != nil {
		t.Fatal(err)
	}
	if report.Rows == 0 || report.Missing == 0 || report.Rows+report.Missing != 120 {
		t.Errorf("stopped with %+v", report)
	}
	printed, err := d.command("experiment", "run", "--resume", "slow", "--json").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	if !strings.HasPrefix(string(printed), "{") || !strings.Contains(string(printed), `"missing": 0`) {
		t.Errorf("resumed without a terminal:\n%s", printed)
	}
}
