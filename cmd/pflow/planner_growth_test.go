package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"pflow/engine"
	"pflow/internal/cputime"
	"pflow/internal/planner"
)

// longRequests are kinds of long requests, each by what it repeats. Between them they have everything that planning reads:
// written forms, dates, numbers, names, clauses, and the same broken off, nested and without an end.
var longRequests = []struct {
	name string
	unit func(i int) string
}{
	{"paths", func(i int) string { return fmt.Sprintf("src/dir%d/file_%d.go ", i%7, i) }},
	{"relative-paths", func(i int) string { return fmt.Sprintf("./a%d/../b ~/c%d /etc/x%d ", i, i, i) }},
	{"files", func(i int) string { return fmt.Sprintf("file%d.txt ", i) }},
	{"patterns", func(i int) string { return fmt.Sprintf("*.go%d lib/**/*.c ", i) }},
	{"copy-files", func(i int) string { return fmt.Sprintf("copy a%d.txt to b%d.txt and ", i, i) }},
	{"quoted", func(i int) string { return fmt.Sprintf("\"text number %d\" ", i) }},
	{"single-quoted", func(i int) string { return fmt.Sprintf("'it %d' ", i) }},
	{"backticks", func(i int) string { return fmt.Sprintf("`go test %d` ", i) }},
	{"curly-quotes", func(i int) string { return fmt.Sprintf("“a %d” ‘b’ ", i) }},
	{"signs-in-quotes", func(int) string { return "\"+\" " }},
	{"open-quotes", func(int) string { return "“ \"a\" ' " }},
	{"only-quotes", func(int) string { return "\"" }},
	{"only-apostrophes", func(int) string { return "'" }},
	{"dates", func(i int) string { return fmt.Sprintf("2024-%02d-%02d ", i%12+1, i%28+1) }},
	{"spoken-dates", func(i int) string { return fmt.Sprintf("next Monday, %d May 2023, last week ", i%28+1) }},
	{"ranges", func(i int) string { return fmt.Sprintf("from March to May, 3-%d July ", i%20+4) }},
	{"times", func(i int) string { return fmt.Sprintf("at %d:30 pm ", i%12+1) }},
	{"durations", func(i int) string { return fmt.Sprintf("%d hours ", i) }},
	{"short-durations", func(i int) string { return fmt.Sprintf("%dh ", i%60) }},
	{"numbers", func(i int) string { return fmt.Sprintf("%d ", i) }},
	{"decimals", func(i int) string { return fmt.Sprintf("%d.5 -%d ", i, i) }},
	{"number-words", func(int) string { return "two hundred and six thousand " }},
	{"hundreds", func(int) string { return "hundred " }},
	{"points", func(int) string { return "one point one " }},
	{"ones", func(int) string { return "one " }},
	{"money", func(i int) string { return fmt.Sprintf("$%d.50 and %d euros ", i, i) }},
	{"percent", func(i int) string { return fmt.Sprintf("%d%% of %d km ", i%100, i) }},
	{"huge-numbers", func(int) string { return strings.Repeat("9", 400) + " " }},
	{"one-number", func(int) string { return "7" }},
	{"grouped-number", func(int) string { return ",123" }},
	{"dotted-number", func(int) string { return "1." }},
	{"urls", func(i int) string { return fmt.Sprintf("https://example.org/a/%d?b=c ", i) }},
	{"emails", func(i int) string { return fmt.Sprintf("ann%d@example.org ", i) }},
	{"versions", func(i int) string { return fmt.Sprintf("v1.%d.0-rc1 ", i) }},
	{"issues", func(i int) string { return fmt.Sprintf("#%d in the repo acme/site%d ", i, i) }},
	{"words", func(i int) string { return fmt.Sprintf("lorem ipsum dolor sit amet w%c ", 'a'+i%26) }},
	{"known-words", func(int) string { return "the file copy content path text read write " }},
	{"distinct-words", func(i int) string {
		return "q" + strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(i)) + " "
	}},
	{"one-word", func(int) string { return "a" }},
	{"one-dotted-word", func(int) string { return "+.aa" }},
	{"one-slashed-word", func(int) string { return "a/" }},
	{"one-at-word", func(int) string { return "a@" }},
	{"one-dashed-word", func(int) string { return "-.é" }},
	{"camel-case", func(int) string { return "getUserID" }},
	{"names", func(i int) string { return fmt.Sprintf("Ann Bo of Rome, Paris%d, ", i) }},
	{"codes", func(i int) string { return fmt.Sprintf("X%dq ", i) }},
	{"commas", func(int) string { return ", " }},
	{"list", func(i int) string { return fmt.Sprintf("item%d, ", i) }},
	{"and-clauses", func(i int) string { return fmt.Sprintf("read a%d and write it and ", i) }},
	{"then-clauses", func(int) string { return "look at it, then show it. Then " }},
	{"sentences", func(int) string { return "Send it. Read it! Is it so? " }},
	{"ands", func(int) string { return "and " }},
	{"negations", func(int) string { return "but not this, do not read it, except that, " }},
	{"parentheses", func(int) string { return "(" }},
	{"brackets", func(int) string { return "[{(<" }},
	{"braces", func(int) string { return "{a} {" }},
	{"json", func(i int) string { return fmt.Sprintf("{\"key%d\": [1, true, \"x\"]}, ", i) }},
	{"unicode", func(i int) string { return fmt.Sprintf("größe %c 日本語 été ", 0x4e00+i%1000) }},
	{"emoji", func(int) string { return "👩‍👩‍👧 🎉" }},
	{"combining", func(int) string { return "e\u0301\u200d" }},
	{"newlines", func(int) string { return "\n" }},
	{"blank-lines", func(int) string { return " \n" }},
	{"lines", func(i int) string { return fmt.Sprintf("line %d of it\n", i) }},
	{"blanks", func(int) string { return " " }},
	{"ellipses", func(int) string { return ". " }},
	{"closers", func(int) string { return ".)\"" }},
	{"control", func(i int) string { return string([]byte{byte(i % 32), 'x', 0x7f, 0}) }},
	{"nul", func(int) string { return "\x00" }},
	{"bad-encoding", func(i int) string { return fmt.Sprintf("\ufffd a%d \u00c3( \u200b ", i) }},
	{"templates", func(i int) string { return fmt.Sprintf("${a%d.b} $${ ${ ", i) }},
	{"shell", func(i int) string { return fmt.Sprintf("run `rm -rf x%d` | sh && ", i) }},
	{"mixed", func(i int) string {
		return fmt.Sprintf("copy a%d.txt to \"b %d\" on 2024-01-%02d at 5pm, send $%d to ann%d@example.org and not https://x.org/%d v1.2.%d {x}\n", i, i, i%28+1, i, i, i, i)
	}},
}

// long makes a request of so many bytes. It begins with a wish that can be fulfilled.
func long(unit func(i int) string, bytes int) string {
	var b strings.Builder
	b.WriteString("copy x.txt to y.txt ")
	for i := 0; b.Len() < bytes; i++ {
		b.WriteString(unit(i))
	}
	return strings.ToValidUTF8(b.String()[:bytes], "?")
}

// offlinePlanner plans without a model, with some saved workflows, in a process that has planned before.
func offlinePlanner(t testing.TB) func(ctx context.Context, request string) *planner.Result {
	t.Helper()
	home := t.TempDir()
	manyWorkflows(t, home, 20)
	env := map[string]string{"PFLOW_HOME": home}
	a := newApp(strings.NewReader(""), io.Discard, os.Stderr, func(name string) string { return env[name] })
	a.flowName, a.quiet, a.root = "planner-offline", true, a.rootCommand()
	flow, _, err := a.plannerFlow()
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, request string) *planner.Result {
		return planner.Plan(ctx, flow, planner.Request{Text: request, Date: "2024-01-15"}, engine.Options{})
	}
}

// BenchmarkPlanningGrowth plans requests of 50 and of 100 KB of every kind, and fails where the longer takes more than 2.3
// times as long: planning is linear in the request. What counts is the time of the processor, since others use the machine,
// too, and of some rounds the quickest.
func BenchmarkPlanningGrowth(b *testing.B) {
	const (
		half, full = 50_000, 100_000
		least      = 2 // rounds
		most       = 6
		bound      = 2.3
	)
	plan := offlinePlanner(b)
	for _, kind := range longRequests {
		b.Run(kind.name, func(b *testing.B) {
			best := map[int]time.Duration{}
			ratio := func() float64 { return float64(best[full]) / float64(best[half]) }
			for b.Loop() {
				for round := 0; round < least || round < most && ratio() > bound; round++ {
					for _, bytes := range []int{half, full} {
						request := long(kind.unit, bytes-round) // a request that was planned before is not read again
						runtime.GC()
						start := cputime.Used()
						if _, err := json.Marshal(plan(b.Context(), request)); err != nil {
							b.Fatal(err)
						}
						if took := cputime.Used() - start; best[bytes] == 0 || took < best[bytes] {
							best[bytes] = took
						}
					}
				}
			}
			b.ReportMetric(ratio(), "ratio")
			b.ReportMetric(float64(best[full].Milliseconds()), "ms/100KB")
			if ratio() > bound {
				b.Errorf("100 KB take %v, %.2f times as long as 50 KB", best[full], ratio())
			}
		})
	}
}
