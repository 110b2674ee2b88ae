//go:build linux && !race

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"pflow/internal/llmtest"
)

// manyCases are cases made of the shipped ones, so that each is another request: the files in it have other names or, where it
// names none, it is worded otherwise.
type manyCases struct {
	lines   []string              // of the file of cases
	of      map[string]*oneOfMany // by request
	asked   atomic.Int64          // requests to the model
	unknown atomic.Int64          // of them, those that no model was asked
}

// oneOfMany is a case and what stands in it for the words of the shipped one.
type oneOfMany struct {
	theirs, ours *strings.Replacer // from the shipped words to its own, and back
}

// namedFile is a file as requests name it: the part that a case varies, and the ending.
var namedFile = regexp.MustCompile(`[A-Za-z0-9_]+\.[a-z]{1,5}\b`)

// wordings are the ways in which a request is worded that names no file.
func wordings(request string) (out []string) {
	for _, before := range []string{"", "please ", "now ", "could you ", "I want you to "} {
		for _, behind := range []string{"", "!", " please", " now", ", thank you"} {
			out = append(out, before+request+behind)
		}
	}
	return out
}

// varied makes n cases of those in a file.
func varied(tb testing.TB, file string, n int) *manyCases {
	tb.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	shipped := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	m := &manyCases{of: map[string]*oneOfMany{}}
	for i := range n {
		line, round := shipped[i%len(shipped)], i/len(shipped)
		var c map[string]any
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			tb.Fatal(err)
		}
		request := c["request"].(string)
		var forth, back []string
		for _, name := range namedFile.FindAllString(request, -1) {
			own := strings.Replace(name, ".", fmt.Sprintf("-%d.", round), 1)
			forth, back = append(forth, name, own), append(back, own, name)
		}
		if len(forth) == 0 {
			own := wordings(request)[round]
			c["request"], back = own, []string{own, request}
		}
		if round == 0 {
			c["request"], forth, back = request, nil, nil
		}
		one := &oneOfMany{strings.NewReplacer(forth...), strings.NewReplacer(back...)}
		c["id"] = fmt.Sprintf("%s-%d", c["id"], round)
		delete(c, "group") // each is a case of its own, as 2,000 requests of people are
		text, err := json.Marshal(c)
		if err != nil {
			tb.Fatal(err)
		}
		own := one.theirs.Replace(string(text))
		if err := json.Unmarshal([]byte(own), &c); err != nil {
			tb.Fatal(err)
		}
		m.lines, m.of[c["request"].(string)] = append(m.lines, own), one
	}
	return m
}

// answers gives what the model said to the request that a case was made of, in the words of the case.
func (m *manyCases) answers(tb testing.TB, replies string) func(*llmtest.Request) *llmtest.Reply {
	tb.Helper()
	said := map[string]llmtest.Reply{}
	for _, k := range recordedIn(tb, replies) {
		for _, key := range askedKeys(k.Schema, k.prompt, k.turns) {
			if _, twice := said[key]; !twice {
				said[key] = k.Reply
			}
		}
	}
	return func(r *llmtest.Request) *llmtest.Reply {
		m.asked.Add(1)
		var prompt strings.Builder
		for _, part := range r.Messages {
			prompt.WriteString(part.Content)
		}
		match := requestFence.FindStringSubmatch(prompt.String())
		if match == nil {
			tb.Errorf("a prompt holds no request: %s", prompt.String())
			return nil
		}
		for _, of := range m.meant(match[1]) {
			for _, key := range askedKeys(r.Schema, of.ours.Replace(prompt.String()), len(r.Messages)) {
				if reply, ok := said[key]; ok {
					return of.reply(reply)
				}
			}
		}
		m.unknown.Add(1)
		return &llmtest.Reply{Status: http.StatusBadRequest, Text: notKnown} // no error that passes, so that it is recorded, too
	}
}

const notKnown = "nobody asked the model for this"

// meant are the cases that a request of a prompt may be of, which may have {keys} in the place of its values.
func (m *manyCases) meant(request string) []*oneOfMany {
	if of := m.of[request]; of != nil {
		return []*oneOfMany{of}
	}
	out := []*oneOfMany{{strings.NewReplacer(), strings.NewReplacer()}}
	for _, w := range wordings("\n") {
		before, behind, _ := strings.Cut(w, "\n")
		if left, ok := strings.CutPrefix(request, before); ok {
			if left, ok := strings.CutSuffix(left, behind); ok {
				out = append(out, &oneOfMany{strings.NewReplacer(), strings.NewReplacer(request, left)})
			}
		}
	}
	return out
}

// reply is what was said of the shipped case, in the words of its own.
func (o *oneOfMany) reply(r llmtest.Reply) *llmtest.Reply {
	r.Text, r.ToolCalls = o.theirs.Replace(r.Text), slices.Clone(r.ToolCalls)
	for i := range r.ToolCalls {
		text, err := json.Marshal(r.ToolCalls[i].Arguments)
		if err == nil {
			err = json.Unmarshal([]byte(o.theirs.Replace(string(text))), &r.ToolCalls[i].Arguments)
		}
		if err != nil {
			panic(err) // it was JSON before
		}
	}
	return &r
}

var requestFence = regexp.MustCompile(`(?s)<request-[0-9]+>\n(.*?)\n</request-[0-9]+>`)

// askedKeys name what is asked for with a prompt, the strictest first.
func askedKeys(schema, prompt string, turns int) []string {
	begins, _, _ := strings.Cut(prompt, ",")
	key := schema + "\n" + begins + "\n" + strings.Join(fences(prompt, "request", "draft", "steps", "inputs", "stdin"), "\n")
	return []string{fmt.Sprintf("%s\n%d", key, turns), key, schema + "\n" + begins + "\n" + strings.Join(fences(prompt, "request"), "\n")}
}

// writeMany makes an experiment of n cases with the variants of the shipped one, and the recordings it needs: what the model
// said to each shipped request, in the words of the case. A server gives it, and pflow records it.
func writeMany(tb testing.TB, pflow, dir string, n int) (document string) {
	tb.Helper()
	shipped, err := os.ReadFile(shippedExperiment)
	if err != nil {
		tb.Fatal(err)
	}
	m := varied(tb, filepath.Join(filepath.Dir(shippedExperiment), "planners.jsonl"), n)
	server, err := llmtest.Start(llmtest.Script{Answer: m.answers(tb, shippedReplies)})
	if err != nil {
		tb.Fatal(err)
	}
	defer server.Close()
	document = filepath.Join(dir, "planners.yaml")
	for file, text := range map[string]string{document: string(shipped), filepath.Join(dir, "planners.jsonl"): strings.Join(m.lines, "\n")} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "library"), os.DirFS(filepath.Join(filepath.Dir(shippedExperiment), "library"))); err != nil {
		tb.Fatal(err)
	}
	c := exec.Command(pflow, "experiment", "run", document, "--replay", "", "--record", filepath.Join(dir, "replies"), "--concurrency", "2", "--quiet")
	c.Env = append(os.Environ(), "PFLOW_HOME="+filepath.Join(dir, "home"), "VLLM_BASE_URL="+server.BaseURL())
	if printed, err := c.CombinedOutput(); err != nil {
		tb.Fatalf("%v\n%s", err, printed)
	}
	requests, unanswered := m.asked.Load(), m.unknown.Load()
	tb.Logf("%d requests, %d without a reply", requests, unanswered)
	if 20*unanswered > requests {
		tb.Fatal("too many for the experiment to be like the shipped one")
	}
	return document
}

// What BenchmarkManyCases holds a whole experiment to.
const (
	manyCasesMade = 2000 // PFLOW_MANY_CASES has it make another number
	mostCPU       = 12.0 // milliseconds of a processor for each plan, start and report included: 10,000 in a minute on two
	mostMB        = 300
)

// BenchmarkManyCases runs an experiment of 2,000 cases and the shipped planners from recordings as a process of its own, with two
// plans at once. It reports the time on the clock, the processor time, plans a second and the most memory. It fails over 300 MB, and
// over twice the processor time that 10,000 plans in a minute on two processors have, since the machines that it runs on differ.
func BenchmarkManyCases(b *testing.B) {
	cases := manyCasesMade
	if own := os.Getenv("PFLOW_MANY_CASES"); own != "" {
		n, err := strconv.Atoi(own)
		if err != nil || n < 1 {
			b.Fatalf("PFLOW_MANY_CASES=%s: want a number of cases", own)
		}
		cases = n
	}
	dir := b.TempDir()
	bin := filepath.Join(dir, "pflow")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	document := writeMany(b, bin, dir, cases)
	b.ResetTimer()
	for i := range b.N {
		c := exec.Command(bin, "experiment", "run", document, "--concurrency", "2", "--id", fmt.Sprintf("many-%d", i), "--quiet", "--json")
		c.Env = append(os.Environ(), "PFLOW_HOME="+filepath.Join(dir, "measured"))
		began := time.Now()
		printed, err := c.Output()
		took := time.Since(began)
		if err != nil {
			b.Fatal(err)
		}
		var report struct {
			Cases, Rows, Errors, Missing int
			Variants                     []struct{ Name string }
		}
		if err := json.Unmarshal(printed, &report); err != nil {
			b.Fatal(err)
		}
		if n := cases * len(report.Variants); n == 0 || report.Rows != n || report.Missing > 0 || 20*report.Errors > n {
			b.Fatalf("%+v", report)
		}
		used := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
		each := 1000 * used.Seconds() / float64(report.Rows)
		mb := float64(c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) / 1024
		b.ReportMetric(float64(report.Rows), "plans")
		b.ReportMetric(took.Seconds(), "s")
		b.ReportMetric(used.Seconds(), "cpu-s")
		b.ReportMetric(each, "cpu-ms/plan")
		b.ReportMetric(float64(report.Rows)/took.Seconds(), "plans/s")
		b.ReportMetric(mb, "MB")
		if mb > mostMB {
			b.Errorf("%.0f MB, want at most %d", mb, mostMB)
		}
		if each > 2*mostCPU {
			b.Errorf("%.1f ms of a processor for each plan, want at most %.0f, and on no machine twice as many", each, mostCPU)
		}
	}
}
