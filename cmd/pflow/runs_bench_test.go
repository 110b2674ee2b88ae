package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/runs"
)

// manyRuns is how many runs the home of BenchmarkManyRuns has.
const manyRuns = 100_000

// fillWithRuns makes runs in a home, all alike but for what they are: the journal of one is made by the writer, the others are it with
// other beginnings and ends. The index is made of the folders, as where it was lost; how long that took is given.
func fillWithRuns(tb testing.TB, home string, n int) time.Duration {
	tb.Helper()
	from := time.Now().Add(-time.Duration(n) * time.Minute).UTC()
	statuses := []engine.Status{engine.Done, engine.Done, engine.Done, engine.Done, engine.Failed, engine.Cancelled, engine.Waiting, engine.Limited}
	for i := range n {
		at := from.Add(time.Duration(i) * time.Minute)
		id := at.Format("20060102-150405-") + fmt.Sprintf("%08x", rand.Uint32())
		w, err := journal.Create(home, id, journal.About{Kind: journal.OfWorkflow, Name: fmt.Sprintf("workflow-%d", i%300), Request: "do what is to be done", By: journal.ByPerson, Began: at}, []byte("{}"))
		if err != nil {
			tb.Fatal(err)
		}
		end := engine.Ending{Status: statuses[i%len(statuses)], At: time.Second, Steps: 3}
		if end.Status == engine.Failed {
			end.Error = &engine.RunError{Kind: "timeout", Message: "no result within 10s", Node: "fetch"}
		}
		if err := w.Begin(engine.Event{Kind: engine.EventStart, Time: at, Input: map[string]any{}}); err != nil {
			tb.Fatal(err)
		}
		if err := w.Ended(end); err != nil {
			tb.Fatal(err)
		}
		w.Close()
	}
	began := time.Now()
	if _, err := runs.List(home, runs.Query{Limit: 1}); err != nil {
		tb.Fatal(err)
	}
	return time.Since(began)
}

// BenchmarkManyRuns compares pflow as a process in a home with 100,000 runs and in an empty one, in turn, by the medians on the
// clock: runs list, runs show, and a run of a workflow. Nothing of it may depend on how many runs there are. It fails where listing,
// showing or running takes more than twice as long, and half a tenth of a second at that.
func BenchmarkManyRuns(b *testing.B) {
	bin := filepath.Join(b.TempDir(), "pflow")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	dir := b.TempDir()
	greet := filepath.Join(dir, "greet.json")
	if err := os.WriteFile(greet, []byte(`{"ir_version": "0.1.0", "nodes": [{"id": "t", "type": "template", "params": {"template": "hello"}}]}`), 0o600); err != nil {
		b.Fatal(err)
	}
	homes := map[string]string{"empty": filepath.Join(dir, "empty"), "many": filepath.Join(dir, "many")}
	for _, home := range homes { // nothing is pruned meanwhile
		if err := os.MkdirAll(home, 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, "settings.yaml"), []byte("retention: {runs: 10000000, days: 100000, size: 1000GB}\n"), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	b.Logf("the index of %d folders was made in %v", manyRuns, fillWithRuns(b, homes["many"], manyRuns).Round(time.Millisecond))
	pflow := func(home string, args ...string) time.Duration {
		c := exec.Command(bin, append(args, "--home", home)...)
		c.Dir = dir
		began := time.Now()
		if out, err := c.CombinedOutput(); err != nil {
			b.Fatalf("%v: %v\n%s", args, err, out)
		}
		return time.Since(began)
	}
	for _, home := range homes {
		pflow(home, "run", greet)
	}
	const rounds = 15
	for b.Loop() {
		for _, c := range [][]string{{"runs", "list"}, {"runs", "list", "--failed"}, {"runs", "list", "--workflow", "greet"}, {"runs", "show", "last"}, {"run", greet}, {"version"}} {
			took := map[string][]time.Duration{}
			for range rounds {
				for name, home := range homes {
					took[name] = append(took[name], pflow(home, c...))
				}
			}
			median := func(name string) time.Duration {
				slices.Sort(took[name])
				return took[name][rounds/2]
			}
			many, empty := median("many"), median("empty")
			b.Logf("%-40v empty %v, many %v, ratio %.2f", c, empty.Round(100*time.Microsecond), many.Round(100*time.Microsecond), float64(many)/float64(empty))
			if many > 2*empty && many-empty > 50*time.Millisecond {
				b.Errorf("%v takes %v with %d runs, %v without", c, many, manyRuns, empty)
			}
		}
	}
}
