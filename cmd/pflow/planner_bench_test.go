package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pflow/engine"
	"pflow/internal/cputime"
	"pflow/internal/llmtest"
	"pflow/internal/planner"
	"pflow/internal/split"
)

// manyWorkflows writes n different saved workflows into a home.
func manyWorkflows(t testing.TB, home string, n int) {
	t.Helper()
	verbs := []string{"archive", "fetch", "summarize", "compare", "rename", "merge", "split", "translate", "publish", "check"}
	things := []string{"invoices", "photos", "weather readings", "build logs", "meeting notes", "contracts", "tickets", "backups", "recipes", "survey answers"}
	places := []string{"of the week", "for a customer", "from the shared drive", "by department", "into a report", "before the release", "with their owners", "as a table", "for the board", "in the attic"}
	dir := filepath.Join(home, "workflows")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		about := fmt.Sprintf("%s %s %s", verbs[i%10], things[i/10%10], places[i/100%10])
		name := fmt.Sprintf("%s-%d", strings.ReplaceAll(about, " ", "-"), i)
		record := strings.NewReplacer("duplicate-file", name, "Copy a file to another place.", strings.ToUpper(about[:1])+about[1:]+".", `["copy"]`, `["`+verbs[i%10]+`"]`).Replace(duplicateFile)
		if err := os.WriteFile(filepath.Join(dir, name+".json"), []byte(record), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// bareCalls sends the last n requests that a server got once more, and does nothing else: what any client would do.
func bareCalls(b *testing.B, server *llmtest.Server, n int) func() {
	b.Helper()
	all := server.Requests()
	var bodies [][]byte
	for _, r := range all[len(all)-n:] {
		body, err := json.Marshal(r.Body)
		if err != nil {
			b.Fatal(err)
		}
		bodies = append(bodies, body)
	}
	return func() {
		for i, body := range bodies {
			r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, server.BaseURL()+"/chat/completions", bytes.NewReader(body))
			if err != nil {
				b.Fatal(err)
			}
			r.Header = all[len(all)-n+i].Header.Clone()
			reply, err := http.DefaultClient.Do(r)
			if err != nil {
				b.Fatal(err)
			}
			var read any
			err = json.NewDecoder(reply.Body).Decode(&read)
			reply.Body.Close()
			if err != nil || reply.StatusCode != http.StatusOK {
				b.Fatal(reply.Status, err)
			}
		}
	}
}

// mostOverhead is how many times the processor time of its six calls alone a plan may take. It was 5.4 when it was measured.
const mostOverhead = 12

// BenchmarkPlannerOverhead is what planning with six calls takes beside a model that answers at once over HTTP, with 1,000
// saved workflows, in milliseconds a request: warm in a process that has planned before, as under --from; cold with all
// that one command does besides starting: reading the library, compiling the flow, a journal. The server's own work is in it.
// What may not grow is a ratio to the same six calls and nothing else, sent after each plan, in processor time: it is the
// same on a slower machine, and on one that others use.
func BenchmarkPlannerOverhead(b *testing.B) {
	var replies []llmtest.Reply
	for _, name := range []string{"not-found", "chosen", "named", "good", "described", "taken"} {
		script, found := llmtest.Parse("script", []byte("replies:\n  - "+scripted[name]))
		if found.HasErrors() {
			b.Fatal(found.Text())
		}
		script.Replies[0].Times = llmtest.Any
		replies = append(replies, script.Replies[0])
	}
	home := b.TempDir()
	manyWorkflows(b, home, 1000)
	unlimited := "providers: {openai: {limits: {requests_per_minute: null}}}\n" // the provider's bound is no overhead
	if err := os.WriteFile(filepath.Join(home, "models.yaml"), []byte(unlimited), 0o600); err != nil {
		b.Fatal(err)
	}
	program := func(server *llmtest.Server) *app {
		env := map[string]string{"PFLOW_HOME": home, "OPENAI_BASE_URL": server.BaseURL(), "OPENAI_API_KEY": serverKey}
		a := newApp(strings.NewReader(""), io.Discard, os.Stderr, func(name string) string { return env[name] })
		a.flowName, a.quiet, a.root = "planner", true, a.rootCommand()
		return a
	}
	measure := func(b *testing.B, server *llmtest.Server, most float64, one func(ctx context.Context, r planner.Request) *planner.Result) {
		var took []time.Duration
		var ratios []float64
		var calls func()
		for i := 0; b.Loop(); i++ {
			r := planner.Request{Text: fmt.Sprintf("copy a.txt to b.txt, as for the invoices of week %d", i), Date: "2024-01-15"}
			start, used := time.Now(), cputime.Used()
			plan := one(b.Context(), r)
			took = append(took, time.Since(start))
			used = cputime.Used() - used
			if plan.Status != planner.Ready || plan.Usage.Calls != 6 {
				b.Fatalf("%s %v", summary(plan), plan.Error)
			}
			if calls == nil {
				calls = bareCalls(b, server, 6)
				calls() // connects
			}
			before := cputime.Used()
			calls()
			ratios = append(ratios, float64(used)/float64(cputime.Used()-before))
		}
		slices.Sort(took)
		slices.Sort(ratios)
		ratio := ratios[len(ratios)/2]
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
		b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		b.ReportMetric(ratio, "x-calls")
		if most > 0 && len(ratios) >= 20 && ratio > most {
			b.Errorf("half of the plans take more than %.1f times the processor time of their six calls; %v are allowed", ratio, most)
		}
	}
	b.Run("warm", func(b *testing.B) {
		server := llmtest.New(b, llmtest.Script{Replies: replies})
		a := program(server)
		flow, _, err := a.plannerFlow()
		if err != nil {
			b.Fatal(err)
		}
		measure(b, server, mostOverhead, func(ctx context.Context, r planner.Request) *planner.Result {
			return planner.Plan(ctx, flow, r, engine.Options{})
		})
	})
	b.Run("cold", func(b *testing.B) {
		server := llmtest.New(b, llmtest.Script{Replies: replies})
		measure(b, server, 0, func(ctx context.Context, r planner.Request) *planner.Result {
			plan, err := program(server).plan(ctx, r, false, split.Nobody)
			if err != nil {
				b.Fatal(err)
			}
			return plan
		})
	})
}
