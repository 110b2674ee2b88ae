//go:build unix

package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pflow/internal/cputime"
)

// BenchmarkPage opens the pages of a home with 10,000 workflows and 100,000 runs, in the median of the rounds: how long until all of its HTML
// is there, and the processor time of that. The first round reads all anew.
func BenchmarkPage(b *testing.B) {
	home := b.TempDir()
	if err := os.WriteFile(filepath.Join(home, "settings.yaml"), []byte("retention: {runs: 100000, days: 1000, size: 100GB}\n"), 0o600); err != nil { // nothing is pruned
		b.Fatal(err)
	}
	greet := filepath.Join(b.TempDir(), "greet.json")
	if err := os.WriteFile(greet, []byte(`{"ir_version": "0.1.0", "nodes": [{"id": "t", "type": "template", "params": {"template": "hello"}}]}`), 0o600); err != nil {
		b.Fatal(err)
	}
	variedWorkflows(b, home, 10_000)
	p := startPage(b, home)
	p.pflow("run", greet)
	like, err := filepath.Glob(filepath.Join(home, "runs", "*"))
	if err != nil || len(like) != 1 {
		b.Fatal(like, err)
	}
	fillWithRuns(b, home, like[0], manyRuns)
	for _, path := range []string{"/", "/runs", "/runs?status=failed", "/library", "/planner", "/experiments", "/settings", "/schedules", "/api/v1/runs", "/api/v1/workflows?limit=50"} {
		b.Run(path, func(b *testing.B) {
			start := time.Now()
			if got := p.get(path); got.Status != http.StatusOK {
				b.Skipf("%d", got.Status)
			}
			first := time.Since(start)
			var walls, uses []time.Duration
			for b.Loop() {
				for range 9 {
					start, used := time.Now(), cputime.Used()
					p.get(path)
					walls, uses = append(walls, time.Since(start)), append(uses, cputime.Used()-used)
				}
			}
			slices.Sort(walls)
			slices.Sort(uses)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(first.Milliseconds()), "ms-first")
			b.ReportMetric(float64(walls[len(walls)/2].Milliseconds()), "ms-p50")
			b.ReportMetric(float64(uses[len(uses)/2].Milliseconds()), "cpu-ms-p50")
		})
	}
}

// BenchmarkViewers has 200 watch a run of some five events a second for a while. It gives the share of a core that the server and the
// clients, both in this process, take while they do, and the same while nobody watches.
func BenchmarkViewers(b *testing.B) {
	const viewers, watched = 200, 20 * time.Second
	home := b.TempDir()
	p := startPage(b, home)
	file := filepath.Join(b.TempDir(), "long.json")
	if err := os.WriteFile(file, []byte(`{"ir_version": "0.1.0", "nodes": [{"id": "each", "type": "shell", "params": {"command": "sleep 0.4"}, "batch": {"items": [`+
		strings.TrimSuffix(strings.Repeat("1,", 2000), ",")+`]}}]}`), 0o600); err != nil {
		b.Fatal(err)
	}
	run := &server{t: b, dir: b.TempDir(), home: home}
	process := run.command("run", file, "--yes", "--batch")
	if err := process.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = process.Process.Kill()
		_ = process.Wait()
	}()
	id := ""
	for end := time.Now().Add(time.Minute); id == "" && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		_, got := p.api("GET", "/api/v1/runs?status=running", nil)
		if all, _ := got["runs"].([]any); len(all) == 1 {
			id, _ = all[0].(map[string]any)["id"].(string)
		}
	}
	for b.Loop() {
		idle := cputime.Used()
		time.Sleep(watched / 4)
		idle = 4 * (cputime.Used() - idle)
		counts := make(chan int, viewers)
		bodies := make([]io.Closer, viewers)
		for i := range viewers {
			res, err := p.client.Get(p.url + "/api/v1/runs/" + id + "/events")
			if err != nil || res.StatusCode != http.StatusOK {
				b.Fatal(res, err)
			}
			bodies[i] = res.Body
			go func() {
				n := 0
				for lines := bufio.NewScanner(res.Body); lines.Scan(); {
					if strings.HasPrefix(lines.Text(), "event: step") {
						n++
					}
				}
				counts <- n
			}()
		}
		used := cputime.Used()
		time.Sleep(watched)
		used = cputime.Used() - used
		for _, body := range bodies {
			body.Close()
		}
		events := 0
		for range viewers {
			events += <-counts
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(events)/viewers/watched.Seconds(), "events/s")
		b.ReportMetric(100*used.Seconds()/watched.Seconds(), "%-of-a-core")
		b.ReportMetric(100*idle.Seconds()/watched.Seconds(), "%-unwatched")
	}
}
