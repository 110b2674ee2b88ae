package experiment_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"pflow/internal/experiment"
	"pflow/nodes"
)

// TestMatrix: every case is in the matrix, with those that fail under every variant and those that were not planned yet.
func TestMatrix(t *testing.T) {
	s := specOf(t, 24, "concurrency: 1\n")
	more := `{"id": "never", "group": "hard", "request": "copy a.txt to b.txt", "expect": {"nodes": ["llm", "write-file"]}}` + "\n"
	write(t, s.CasesFile, more+read(t, s.CasesFile))
	x, store := started(t, s, surroundings(t, nodes.Deps{}))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	x.Progress = func(p experiment.Progress) {
		if p.Rows == 5 {
			cancel()
		}
	}
	if _, err := x.Run(ctx, false); err != nil {
		t.Fatal(err)
	}
	r := report(t, store)
	runs := 0
	for _, row := range r.Matrix {
		for _, cell := range row.Cells {
			if runs += cell.Runs; cell.Runs == 0 && (cell.Outcome != "" || cell.Failed == nil) {
				t.Errorf("a cell that is not made: %+v", cell)
			}
		}
	}
	if len(r.Matrix) != 25 || runs != r.Rows || runs == 50 || runs < 5 {
		t.Errorf("stopped: %d cases in the matrix, %d runs, %d rows", len(r.Matrix), runs, r.Rows)
	}
	x.Progress = nil
	if _, err := x.Run(context.Background(), false); err != nil {
		t.Fatal(err)
	}
	r = report(t, store)
	for i, id := range []string{"never", "c0", "c1", "c2"} {
		if r.Matrix[i].ID != id {
			t.Errorf("case %d is %s, want %s", i, r.Matrix[i].ID, id)
		}
	}
	never := r.Matrix[0]
	if never.Group != "hard" || never.Expected != experiment.OutcomePlan || never.Request != "copy a.txt to b.txt" || len(never.Cells) != 2 {
		t.Errorf("%+v", never)
	}
	if c := never.Cells[0]; c.Passes != 0 || c.Runs != 1 || c.Outcome != experiment.OutcomePlan || c.Plan != "copy-file" || len(c.Failed) != 1 || c.Failed[0] != "nodes: want llm, write-file, got copy-file" {
		t.Errorf("%+v", c)
	}
	if c := r.Matrix[1].Cells; c[0].Passes != 1 || len(c[0].Failed) != 0 || c[1].Passes != 0 || c[1].Outcome == experiment.OutcomePlan {
		t.Errorf("%+v", c)
	}
	text, err := r.Format("json", 0)
	if err != nil {
		t.Fatal(err)
	}
	var back struct{ Matrix []experiment.MatrixRow }
	if err := json.Unmarshal([]byte(text), &back); err != nil || len(back.Matrix) != 25 || back.Matrix[0].Cells[0].Failed[0] != never.Cells[0].Failed[0] {
		t.Errorf("as JSON: %v, %d cases", err, len(back.Matrix))
	}
	if strings.Contains(text, `"failed": null`) {
		t.Error("a list is null")
	}
}
