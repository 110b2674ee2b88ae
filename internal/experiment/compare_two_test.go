//go:build !race

package experiment_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"pflow/internal/experiment"
	"pflow/nodes"
)

// TestCompareStores: two experiments are compared on the cases that are the same in both, and on nothing else.
func TestCompareStores(t *testing.T) {
	o := surroundings(t, nodes.Deps{})
	one := specOf(t, 30, "")
	two := specOf(t, 30, "repeats: 2\n")
	// In the second experiment one case expects something else, and one is new.
	text := ""
	for i, line := range strings.SplitAfter(read(t, two.CasesFile), "\n") {
		switch i {
		case 0:
			line = strings.Replace(line, "copy-file\"]", "move-file\"]", 1)
		case 1:
			line = strings.Replace(line, `"c1"`, `"new"`, 1)
		}
		text += line
	}
	write(t, two.CasesFile, text)
	var stores []*experiment.Store
	for _, s := range []*experiment.Spec{one, two} {
		x, store := started(t, s, o)
		if _, err := x.Run(context.Background(), false); err != nil {
			t.Fatal(err)
		}
		stores = append(stores, store)
	}
	r, err := experiment.CompareStores(stores[0], stores[1], "planner-offline", "")
	if err != nil {
		t.Fatal(err)
	}
	if r.Cases != 28 || r.Rows != 28+56 || r.Missing != 0 || r.Baseline != "planner-offline" || r.Variants[1].Name != "strict" {
		t.Errorf("cases %d, rows %d, missing %d, %s against %s", r.Cases, r.Rows, r.Missing, r.Variants[1].Name, r.Baseline)
	}
	if c := r.Comparisons[0]; len(c.Broken) != 18 || c.Verdict != "REJECT" || c.Broken[0].Variant.Runs != 2 {
		t.Errorf("%s, %d broken", c.Verdict, len(c.Broken))
	}
	if m := r.Matrix; len(m) != 28 || m[0].ID != "c2" || len(m[0].Cells) != 2 || m[0].Cells[0].Runs != 1 || m[0].Cells[1].Runs != 2 || m[1].ID != "c3" || m[1].Cells[1].Passes != 0 {
		t.Errorf("matrix: %d cases, %+v", len(m), m[:2])
	}
	if !strings.Contains(strings.Join(r.Notes, "; "), "4 cases of one experiment alone, or with other expectations, left out") {
		t.Errorf("notes: %q", r.Notes)
	}
	same, err := experiment.CompareStores(stores[0], stores[0], "strict", "strict")
	if err != nil || same.Baseline != "strict (A)" || len(same.Comparisons[0].Fixed) != 0 {
		t.Errorf("%v", err)
	}
	if _, err := experiment.CompareStores(stores[0], stores[1], "lax", ""); err == nil || !strings.Contains(err.Error(), `no variant "lax"; it has: planner-offline, strict`) {
		t.Errorf("%v", err)
	}
}

// TestGate: verdicts and conditions fail a report; a condition that cannot be computed does, too.
func TestGate(t *testing.T) {
	x, store := started(t, specOf(t, 24, ""), surroundings(t, nodes.Deps{}))
	if _, err := x.Run(context.Background(), false); err != nil {
		t.Fatal(err)
	}
	r := report(t, store)
	for source, fails := range map[string]bool{
		"errors > 0": false, "cases == 24": true, "comparisons[0].p_holm < 0.5": true, "comparisons[7].p > 0": true,
		"any(variants, .means.pass < 0.5)": true, "variants[0].means.pass < 0.5": false, "any(comparisons, .nothing)": true,
	} {
		c, problem := experiment.ReadCondition(source)
		if problem != "" {
			t.Fatalf("%s: %s", source, problem)
		}
		if why := r.Gate(nil, []experiment.Condition{c}); (len(why) > 0) != fails {
			t.Errorf("%s: %q", source, why)
		}
	}
	if why := r.Gate([]string{"REJECT"}, nil); len(why) != 1 || !strings.HasPrefix(why[0], "strict against planner-offline: REJECT: ") {
		t.Errorf("%q", why)
	}
	for _, c := range []struct {
		failOn []string
		fails  bool
	}{{nil, true}, {[]string{"INCONCLUSIVE", "REJECT"}, true}, {[]string{"EXTEND"}, false}} {
		r.FailOn = c.failOn
		if text, err := r.JUnit(); err != nil || strings.Contains(text, `<failure type="REJECT"`) != c.fails {
			t.Errorf("JUnit with %q: %v\n%s", c.failOn, err, text)
		}
	}
	if why := r.Gate([]string{"PROMOTE"}, nil); len(why) != 0 {
		t.Errorf("%q", why)
	}
	if _, problem := experiment.ReadCondition("eror > 0"); !strings.Contains(problem, "unknown name \"eror\"") {
		t.Error(problem)
	}
}

func TestStores(t *testing.T) {
	dir := t.TempDir()
	if _, err := experiment.ReadStore(dir); err == nil || !strings.Contains(err.Error(), "there is no experiment in "+dir) {
		t.Errorf("%v", err)
	}
	write(t, filepath.Join(dir, "results.db"), "this is no database, but it is long enough to be taken for one if nobody looks")
	if _, err := experiment.ReadStore(dir); err == nil {
		t.Error("a text is taken for a database")
	}
	if _, err := experiment.CreateStore(dir); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("%v", err)
	}
	empty := filepath.Join(dir, "empty")
	s, err := experiment.CreateStore(empty)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := experiment.NewReport(s); err == nil || !strings.Contains(err.Error(), "was never begun") {
		t.Errorf("%v", err)
	}
	s.Close()
}
