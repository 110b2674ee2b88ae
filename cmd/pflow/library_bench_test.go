package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pflow/internal/cputime"
	"pflow/nodes"
)

// variedWorkflows writes n saved workflows into a home: of five kinds, with other words and past requests each, changed long
// ago, so that an index trusts them.
func variedWorkflows(t testing.TB, home string, n int) {
	t.Helper()
	manyWorkflows(t, home, n)
	kinds := []string{
		`{"id": "get", "type": "http", "params": {"url": "${source}"}}, {"id": "save", "type": "write-file", "params": {"file_path": "${target}", "content": "${get.response}"}}`,
		`{"id": "read", "type": "read-file", "params": {"file_path": "${source}"}}, {"id": "cut", "type": "shell", "params": {"command": "head -n %d > ${target}", "stdin": "${read.content}"}}`,
		`{"id": "list", "type": "list-files", "params": {"folder": "${source}", "pattern": "*.x%d"}}, {"id": "save", "type": "write-file", "params": {"file_path": "${target}", "content": "${list.files}"}}`,
		`{"id": "run", "type": "shell", "params": {"command": "tool-%d ${source} ${target}"}}`,
	}
	files, err := filepath.Glob(filepath.Join(home, "workflows", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-time.Hour)
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		if kind := i % (len(kinds) + 1); kind < len(kinds) {
			steps := kinds[kind]
			if strings.Contains(steps, "%d") {
				steps = fmt.Sprintf(steps, i)
			}
			was := `{"id": "copy-it", "type": "copy-file", "params": {"source_path": "${source}", "dest_path": "${target}"}}`
			text = strings.Replace(text, was, steps, 1)
		}
		words := strings.ReplaceAll(strings.TrimSuffix(filepath.Base(file), ".json"), "-", " ")
		text = strings.Replace(text, `"ir": {`, fmt.Sprintf(`"examples": [%q, %q], "ir": {`, words+" from in.csv to out.csv", "please "+words), 1)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkLibrary plans as a process over 10,000 saved workflows, with an index, after one change and without an index; and
// for comparison over none. It gives the time on the clock and the processor time, in the median of the rounds.
func BenchmarkLibrary(b *testing.B) {
	requests := []string{"copy a.txt to b.txt", "summarize the invoices for a customer", "sort the build logs and tell the board"}
	for _, n := range []int{0, 10_000} {
		home := b.TempDir()
		variedWorkflows(b, home, n)
		plan := func(b *testing.B, k int) (wall, used time.Duration) {
			c := exec.Command("pflow", "plan", "--json", requests[k%len(requests)])
			c.Env = append(os.Environ(), "PFLOW_HOME="+home)
			start := time.Now()
			err := c.Run()
			if c.ProcessState == nil {
				b.Fatal(err)
			}
			return time.Since(start), c.ProcessState.UserTime() + c.ProcessState.SystemTime()
		}
		measure := func(name string, rounds int, before func(k int)) {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				var walls, uses []time.Duration
				for b.Loop() {
					for k := range rounds {
						before(k)
						wall, used := plan(b, k)
						walls, uses = append(walls, wall), append(uses, used)
					}
				}
				slices.Sort(walls)
				slices.Sort(uses)
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(walls[len(walls)/2].Milliseconds()), "ms-p50")
				b.ReportMetric(float64(uses[len(uses)/2].Milliseconds()), "cpu-ms-p50")
			})
		}
		if n > 0 {
			measure("without an index", 1, func(int) { os.RemoveAll(filepath.Join(home, "cache")) })
		}
		plan(b, 0)
		measure("as it was", 9, func(int) {})
		if n > 0 {
			file := filepath.Join(home, "workflows", "changed.json")
			measure("after a change", 5, func(k int) {
				text := strings.NewReplacer("duplicate-file", "changed", "another place", fmt.Sprintf("place %d", k)).Replace(duplicateFile)
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// BenchmarkLibraryInProcess finds workflows among 100,000 in a process that has found some before, as an MCP server does; it
// gives how long reading and indexing takes, too.
func BenchmarkLibraryInProcess(b *testing.B) {
	home := b.TempDir()
	variedWorkflows(b, home, 100_000)
	a := newApp(strings.NewReader(""), io.Discard, os.Stderr, func(name string) string { return map[string]string{"PFLOW_HOME": home}[name] })
	a.root = a.rootCommand()
	start, used := time.Now(), cputime.Used()
	find := func(request string) {
		if _, err := nodes.FindWorkflows(b.Context(), a.deps(), request, time.Now(), 10); err != nil {
			b.Fatal(err)
		}
	}
	find("copy a.txt to b.txt")
	first, firstUsed := time.Since(start), cputime.Used()-used
	var times []time.Duration
	for i := 0; b.Loop(); i++ {
		request := fmt.Sprintf("please %s the %s of week %d", []string{"archive", "fetch", "summarize", "compare"}[i%4], []string{"invoices", "photos", "build logs"}[i%3], i)
		used := cputime.Used()
		find(request)
		times = append(times, cputime.Used()-used)
	}
	slices.Sort(times)
	b.ReportMetric(first.Seconds(), "s/first")
	b.ReportMetric(firstUsed.Seconds(), "cpu-s/first")
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "ms-p50")
	b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "ms-p95")
}
