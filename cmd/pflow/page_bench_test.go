//go:build linux

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"pflow/internal/web/assets/browsertest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// used is how long processors have worked for the server so far, by the clock of the system's 10 ms.
func (p *pageServer) used() time.Duration {
	p.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		p.t.Fatal(err)
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])) // from the state, the third, on
	user, err := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	if err = cmp.Or(err, err2); err != nil {
		p.t.Fatal(err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}

// painted fetches a page and gives the time until a browser has something of it to show, its frame, and until all of it is there.
func (p *pageServer) painted(path string) (first, whole time.Duration) {
	p.t.Helper()
	start := time.Now()
	res, err := p.client.Get(p.url + path)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		p.t.Fatalf("GET %s: %d", path, res.StatusCode)
	}
	for lines := bufio.NewReader(res.Body); ; {
		line, err := lines.ReadString('\n')
		if first == 0 && (strings.Contains(line, "</header>") || err == io.EOF) {
			first = time.Since(start)
		}
		if err == io.EOF {
			return first, time.Since(start)
		}
		if err != nil {
			p.t.Fatal(err)
		}
	}
}

// BenchmarkPage opens the pages of a home with 10,000 workflows and 100,000 runs, in the median of the rounds: how long until the frame of
// the page is there, until all of its HTML is, and the server's processor time; and until a browser has painted something of it, where there
// is one. The first time reads all anew.
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
	browser := browsertest.Start(b)
	browser.Do(chromedp.Navigate(p.open))
	for _, path := range []string{"/", "/runs", "/runs?status=failed", "/library", "/planner", "/experiments", "/settings", "/schedules", "/api/v1/runs", "/api/v1/workflows?limit=50"} {
		b.Run(path, func(b *testing.B) {
			anew, _ := p.painted(path)
			var frames, wholes []time.Duration
			used := p.used()
			for b.Loop() {
				for range 15 {
					frame, whole := p.painted(path)
					frames, wholes = append(frames, frame), append(wholes, whole)
				}
			}
			used = p.used() - used
			slices.Sort(frames)
			slices.Sort(wholes)
			if !strings.HasPrefix(path, "/api/") {
				var paints []float64
				for range 5 {
					browser.Do(chromedp.Navigate(p.url + path))
					browser.Wait(`performance.getEntriesByName("first-contentful-paint").length`)
					paints = append(paints, browsertest.JS[float64](browser, `performance.getEntriesByName("first-contentful-paint")[0].startTime`))
				}
				slices.Sort(paints)
				b.ReportMetric(paints[len(paints)/2], "ms-painted")
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(anew.Milliseconds()), "ms-frame-anew")
			b.ReportMetric(float64(frames[len(frames)/2].Milliseconds()), "ms-frame")
			b.ReportMetric(float64(wholes[len(wholes)/2].Milliseconds()), "ms-whole")
			b.ReportMetric(used.Seconds()*1000/float64(len(wholes)), "cpu-ms")
		})
	}
}

// BenchmarkViewers has 200 watch a run of some five events a second for a while, each of whom fetches the page anew when it is told to. It
// gives the share of a core that the server takes while they do, and while nobody watches.
func BenchmarkViewers(b *testing.B) {
	const viewers, watched = 200, 120 * time.Second
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
		idle := p.used()
		time.Sleep(watched / 9)
		idle = 9 * (p.used() - idle)
		counts := make(chan int, viewers)
		var fetched atomic.Int64
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
					switch {
					case strings.HasPrefix(lines.Text(), "event: step"):
						n++
					case strings.HasPrefix(lines.Text(), "event: refresh"):
						if res, err := p.client.Get(p.url + "/runs/" + id); err == nil {
							_, _ = io.Copy(io.Discard, res.Body)
							res.Body.Close()
							fetched.Add(1)
						}
					}
				}
				counts <- n
			}()
		}
		used := p.used()
		time.Sleep(watched)
		used = p.used() - used
		for _, body := range bodies {
			body.Close()
		}
		events := 0
		for range viewers {
			events += <-counts
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(events)/viewers/watched.Seconds(), "events/s")
		b.ReportMetric(float64(fetched.Load())/viewers, "pages-fetched")
		b.ReportMetric(100*used.Seconds()/watched.Seconds(), "%-of-a-core")
		b.ReportMetric(100*idle.Seconds()/watched.Seconds(), "%-unwatched")
	}
}
