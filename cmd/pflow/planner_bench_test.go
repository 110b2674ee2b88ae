package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pflow/engine"
	"pflow/internal/llmtest"
	"pflow/internal/planner"
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

// BenchmarkPlannerOverhead is what planning with six calls takes beside a model that answers at once over HTTP, with 1,000
// saved workflows, in milliseconds a request: warm in a process that has planned before, as under --from; cold with all
// that one command does besides starting: reading the library, compiling the flow, a journal. The server's own work is in it.
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
	measure := func(b *testing.B, most time.Duration, one func(ctx context.Context, r planner.Request) *planner.Result) {
		var took []time.Duration
		for i := 0; b.Loop(); i++ {
			r := planner.Request{Text: fmt.Sprintf("copy a.txt to b.txt, as for the invoices of week %d", i), Date: "2024-01-15"}
			start := time.Now()
			plan := one(b.Context(), r)
			took = append(took, time.Since(start))
			if plan.Status != planner.Ready || plan.Usage.Calls != 6 {
				b.Fatalf("%s %v", summary(plan), plan.Error)
			}
		}
		slices.Sort(took)
		p95 := took[len(took)*95/100]
		b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
		b.ReportMetric(float64(p95.Microseconds())/1000, "p95-ms")
		if most > 0 && len(took) >= 20 && p95 > most {
			b.Errorf("95%% of the plans take up to %v, more than %v", p95, most)
		}
	}
	b.Run("warm", func(b *testing.B) {
		server := llmtest.New(b, llmtest.Script{Replies: replies})
		a := program(server)
		flow, _, err := a.plannerFlow()
		if err != nil {
			b.Fatal(err)
		}
		measure(b, 20*time.Millisecond, func(ctx context.Context, r planner.Request) *planner.Result {
			return planner.Plan(ctx, flow, r, engine.Options{})
		})
	})
	b.Run("cold", func(b *testing.B) {
		server := llmtest.New(b, llmtest.Script{Replies: replies})
		measure(b, 0, func(ctx context.Context, r planner.Request) *planner.Result {
			plan, err := program(server).plan(ctx, r, false)
			if err != nil {
				b.Fatal(err)
			}
			return plan
		})
	})
}
