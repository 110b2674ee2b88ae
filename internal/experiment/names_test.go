package experiment

import (
	"encoding/xml"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/shelf"
	"pflow/internal/stats"
)

// TestNames: what stands as a name in reports is one line of printable text, and not without end.
func TestNames(t *testing.T) {
	long := strings.Repeat("ä", longestName+1)
	for _, c := range []struct{ line, at, problem string }{
		{`{"id": "a\nb", "request": "x", "expect": {}}`, "id", `want a name of one line without control characters, got "a\nb"`},
		{`{"id": "a\u001b[31m", "request": "x", "expect": {}}`, "id", `got "a\x1b[31m"`},
		{`{"id": "a", "group": "\u202eb", "request": "x", "expect": {}}`, "group", `got "\u202eb"`},
		{`{"id": "` + long + `", "request": "x", "expect": {}}`, "id", "want a name of at most 200 characters, got 201"},
		{`{"id": "a", "request": " \n", "expect": {}}`, "request", "the request is empty"},
		{`{"id": "` + long[:2*longestName] + `", "group": "<b>|=` + "`" + `", "request": "two\nlines \u001b", "expect": {}}`, "", ""},
	} {
		found, err := ReadCases("c.jsonl", strings.NewReader(c.line), func(Case) error { return nil })
		if err != nil || (len(found) == 0) != (c.problem == "") || c.problem != "" && !strings.Contains(found.Text(), "error: "+c.at+": ") || !strings.Contains(found.Text(), c.problem) {
			t.Errorf("%.60s: %v %s", c.line, err, found.Text())
		}
	}
	_, found := ReadSpec("x.yaml", []byte("experiment: \"a\\nb\"\ncases: [{id: a, request: x, expect: {}}]\nvariants: [{name: \"c\\e\", flow: planner}, {flow: planner-offline}]\n"))
	if got := found.Text(); !strings.Contains(got, "x.yaml:1:13: ") || !strings.Contains(got, "x.yaml:3:19: ") || len(found) != 2 {
		t.Error(got)
	}
}

// TestEffect: of a rate no more than all can matter, and numbers are numbers.
func TestEffect(t *testing.T) {
	for _, c := range []struct {
		primary      Metric
		effect, cost float64
		problem      string
	}{
		{Pass, 5, 0, "effect 5: pass is a rate, of which 1 is all; 5 points are 0.05"},
		{Pass, 1, 0, ""},
		{Calls, 5, 0, ""},
		{Calls, math.NaN(), 0, "effect NaN: want a number of at least 0"},
		{Pass, math.Inf(1), 0, "effect +Inf: want a number of at least 0"},
		{Pass, .1, math.NaN(), "a budget is a number of at least 0"},
	} {
		s := Defaults()
		s.Primary, s.Effect, s.Budget.CostUSD = c.primary, c.effect, c.cost
		if got := s.Problem(); got != c.problem {
			t.Errorf("%+v: %q", c, got)
		}
	}
	_, found := ReadSpec("x.yaml", []byte("experiment: a\ncases: [{id: a, request: x, expect: {}}]\nvariants: [{flow: planner}, {flow: planner-offline}]\neffect: 5\n"))
	if len(found) != 1 || found[0].Place != (diag.Place{File: "x.yaml", Line: 4, Col: 9}) {
		t.Error(found.Text())
	}
}

// TestBounds: more runs than fit into memory are refused before any is made, and before an experiment is there.
func TestBounds(t *testing.T) {
	s := Defaults()
	if s.Repeats = mostRepeats + 1; !strings.HasPrefix(s.Problem(), "repeats 10001: want at most 10000") {
		t.Error(s.Problem())
	}
	if s.Repeats = mostRepeats; s.Problem() != "" {
		t.Error(s.Problem())
	}
	_, found := ReadSpec("x.yaml", []byte("experiment: a\ncases: [{id: a, request: x, expect: {}}]\nvariants: [{flow: planner}]\nrepeats: 1000000000000\n"))
	if len(found) != 1 || found[0].Place != (diag.Place{File: "x.yaml", Line: 4, Col: 10}) {
		t.Error(found.Text())
	}
	s.Inline = make([]Case, mostRows/mostRepeats+1)
	for i := range s.Inline {
		s.Inline[i] = Case{ID: fmt.Sprint(i), raw: map[string]any{}}
	}
	s.Variants = []Variant{{Name: "a"}}
	dir := filepath.Join(t.TempDir(), "made")
	store, err := CreateStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{
		Load:  func(Variant) (*engine.Flow, error) { return &engine.Flow{}, nil },
		Shelf: func(*Case) (*shelf.Shelf, error) { return &shelf.Shelf{}, nil },
	}
	if _, err := Create(store, &s, o); err == nil || !strings.Contains(err.Error(), "501 cases, 1 variant and 10000 runs each make 5010000 rows, and an experiment has at most 5000000") {
		t.Error(err)
	}
	store.Close()
	if _, err := ReadStore(dir); err == nil {
		t.Error("it is there")
	}
}

// TestReportsSteerNothing: whatever names, requests and plans say, a report in a file has no control characters, and its XML
// is XML.
func TestReportsSteerNothing(t *testing.T) {
	const evil = "a\x1b[31m\x00\u009b\u202e\x7f\r]]>&<b>"
	cell := Cell{Runs: 1, Plan: evil, Failed: []string{evil}, Outcome: "plan"}
	r := &Report{
		Name: evil, Description: evil, Replies: evil, Baseline: evil, Primary: Pass, Repeats: 1, Cases: 1, Warnings: []string{evil}, Notes: []string{evil},
		Variants: []VariantReport{{Name: evil}, {Name: "b" + evil}},
		Comparisons: []Comparison{{Variant: "b" + evil, Diff: []string{evil}, Verdict: stats.Inconclusive, Reason: evil,
			Fixed: []CaseDifference{{ID: evil, Request: evil, Baseline: cell, Variant: cell}}}},
		Matrix: []MatrixRow{{ID: evil, Request: evil, Cells: []Cell{cell, cell}}},
	}
	for _, format := range []string{"text", "json", "junit", "markdown"} {
		out, err := r.Format(format, AllDetails)
		if err != nil || !strings.Contains(out, "[31m") {
			t.Errorf("%s: %v %s", format, err, out)
		}
		if i := strings.IndexFunc(out, func(c rune) bool { return c != '\n' && (unicode.IsControl(c) || c == '\u202e') }); i >= 0 {
			t.Errorf("%s: %q", format, out[i:min(len(out), i+20)])
		}
		if err := xml.Unmarshal([]byte(out), &junitSuites{}); format == "junit" && err != nil {
			t.Error(err)
		}
	}
}

// TestAdvice: what is said to do about a verdict does not go against what the head warns of.
func TestAdvice(t *testing.T) {
	for _, c := range []struct {
		verdict stats.Verdict
		missing int
		few     bool
		want    string
	}{
		{stats.Promote, 0, false, "keep it"},
		{stats.Promote, 0, true, "but on too few cases to rely on"},
		{stats.Reject, 0, true, "but on too few cases to rely on"},
		{stats.Extend, 0, true, "run about 7 more cases to know"},
		{stats.Promote, 3, true, "of a part of the run alone"},
		{stats.Extend, 3, false, "of a part of the run alone"},
		{stats.Inconclusive, 0, true, "no reason to change from base"},
	} {
		r := &Report{Baseline: "base", Missing: c.missing, few: c.few}
		if got := r.advice(&Comparison{Verdict: c.verdict, Further: 7}); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestHeadByChance: what a case takes more or less is told as what it takes only if chance could not do it, all ratios that
// are told together counted.
func TestHeadByChance(t *testing.T) {
	made := func(m Metric, mean, p, holm float64) Difference {
		return Difference{Metric: m, TTest: stats.TTest{Mean: mean, P: p}, Ratio: &stats.Ratio{P: p, PHolm: holm}}
	}
	c := &Comparison{Metrics: []Difference{
		made(Calls, -2, .001, .003), made(Tokens, 1, .001, .002), made(CostUSD, .001, .02, .06), made(Latency, -300, .5, .5),
	}}
	if got, want := strings.Join(c.aside(), "; "), "fixes and breaks no case; a case takes 2.0 fewer calls, 1 more token; a case took $0.001000 more, 300 ms less, which chance could do"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
