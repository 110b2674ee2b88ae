package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"pflow/internal/runs"
)

// manyRuns is how many runs the home of BenchmarkManyRuns has.
const manyRuns = 100_000

// fillWithRuns makes runs in a home: the folders of one that pflow ran, with other beginnings and ends. The index is made of the
// folders, as where it was lost; how long that took is given.
func fillWithRuns(tb testing.TB, home, like string, n int) time.Duration {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(like, "journal.jsonl"))
	if err != nil {
		tb.Fatal(err)
	}
	documents, err := os.ReadFile(filepath.Join(like, "documents.json"))
	if err != nil {
		tb.Fatal(err)
	}
	from := time.Now().Add(-time.Duration(n) * time.Minute).UTC()
	statuses := []string{"done", "done", "done", "done", "failed", "cancelled", "waiting", "limit"}
	began := regexp.MustCompile(`"began":"[^"]*"`)
	var group errgroup
	for part := range 4 {
		group.Go(func() error {
			for i := part; i < n; i += 4 {
				at := from.Add(time.Duration(i) * time.Minute)
				dir := filepath.Join(home, "runs", at.Format("20060102-150405-")+fmt.Sprintf("%08x", rand.Uint32()))
				own := began.ReplaceAll(text, []byte(`"began":"`+at.Format(time.RFC3339Nano)+`"`))
				own = bytes.Replace(own, []byte(`"name":"greet"`), []byte(fmt.Sprintf(`"name":"workflow-%d"`, i%300)), 1)
				own = bytes.Replace(own, []byte(`"status":"done"`), []byte(`"status":"`+statuses[i%len(statuses)]+`"`), 1)
				err := os.MkdirAll(dir, 0o700)
				if err == nil {
					err = os.WriteFile(filepath.Join(dir, "journal.jsonl"), own, 0o600)
				}
				if err == nil {
					err = os.WriteFile(filepath.Join(dir, "documents.json"), documents, 0o600)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		tb.Fatal(err)
	}
	if err := os.Remove(filepath.Join(home, "runs.db")); err != nil {
		tb.Fatal(err)
	}
	start := time.Now()
	h := runs.Of(home)
	defer h.Close()
	if _, err := h.List(runs.Query{Limit: 1}); err != nil {
		tb.Fatal(err)
	}
	return time.Since(start)
}

// errgroup is several goroutines and the first of their errors.
type errgroup struct {
	sync.WaitGroup
	once sync.Once
	err  error
}

func (g *errgroup) Go(f func() error) {
	g.WaitGroup.Go(func() {
		if err := f(); err != nil {
			g.once.Do(func() { g.err = err })
		}
	})
}

func (g *errgroup) Wait() error {
	g.WaitGroup.Wait()
	return g.err
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
		if err := os.WriteFile(filepath.Join(home, "settings.yaml"), []byte("retention: {runs: 100000, days: 1000, size: 100GB}\n"), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	pflow := func(home string, args ...string) time.Duration {
		c := exec.Command(bin, append(args, "--home", home)...)
		c.Dir = dir
		began := time.Now()
		if out, err := c.CombinedOutput(); err != nil {
			b.Fatalf("%v: %v\n%s", args, err, out)
		}
		return time.Since(began)
	}
	pflow(homes["many"], "run", greet)
	like, err := filepath.Glob(filepath.Join(homes["many"], "runs", "*"))
	if err != nil || len(like) != 1 {
		b.Fatal(like, err)
	}
	b.Logf("the index of %d folders was made in %v", manyRuns, fillWithRuns(b, homes["many"], like[0], manyRuns).Round(time.Millisecond))
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
