package experiment_test

import (
	"encoding/xml"
	"regexp"
	"strings"
	"testing"

	"pflow/internal/experiment"
)

// three are variants of which the first two fail five cases of thirty, the third all.
const three = `variants:
  - {name: strict, flow: ./length.yaml, set: {params.least: 10}}
  - {name: same, flow: ./length.yaml, set: {params.least: 11}}
  - {name: never, flow: ./length.yaml, set: {params.least: 1000}}
metrics: [pass]
fail_if: ["errors > 0", "comparisons[1].p < 0.5"]
`

// TestFailures: cases that fail everywhere are told in every format, as is every case under every variant.
func TestFailures(t *testing.T) {
	r := compared(t, three)
	text := r.Text(2)
	for _, want := range []string{
		"\nfails under all: 5 cases\n  c0  copy\n    nodes: want copy-file, got none\n  c1  copy\n    nodes: want copy-file, got none\n  and 3 more\n",
		"\nfails under never, not under all: 25 cases\n  c5  copy a very long request\n    nodes: want copy-file, got none\n",
		"\n  case  strict  same  never  request\n  c0         -     -      -  copy\n",
		"\n  c5         +     +      -  copy a very long request\n",
		"  and 22 more\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	all := r.Text(experiment.AllDetails)
	if n := len(regexp.MustCompile(`(?m)^  c\d+ +[-+] +[-+] +[-+]  copy`).FindAllString(all, -1)); n != 30 || strings.Contains(all, " more\n") {
		t.Errorf("%d cases of 30 in the whole matrix:\n%s", n, all)
	}
	markdown := r.Markdown(2)
	if n := strings.Count(markdown, "| copy a very long request | plan | + | + | - nothing fits |"); n != 25 {
		t.Errorf("markdown: %d cases of 25 pass under two:\n%s", n, markdown)
	}
	if !contains(markdown, "## Fails under all: 5 cases\n", "| c0 | copy | nodes: want copy-file, got none |", "| c4 | copy | plan | - nothing fits | - nothing fits | - nothing fits |") {
		t.Errorf("markdown:\n%s", markdown)
	}
}

// TestHead: ten lines say whether to keep each of four variants.
func TestHead(t *testing.T) {
	r := compared(t, strings.Replace(three, "metrics", `  - {name: lenient, flow: ./length.yaml}
  - {name: dear, flow: ./length.yaml, set: {params.asks: true}}
metrics`, 1))
	head, _, _ := strings.Cut(r.Text(3), "\n\n")
	lines := strings.Split(head, "\n")
	if len(lines) > 10 {
		t.Errorf("%d lines:\n%s", len(lines), head)
	}
	want := []string{`^lengths: 30 cases, 5 variants, 1 run each; baseline strict$`, `^same against strict: (EXTEND|INCONCLUSIVE), `, `; fixes and breaks no case$`,
		`^never against strict: REJECT, do not keep it$`, `; fixes 0 cases, breaks 25$`, `^lenient against strict: `, `; fixes 5 cases, breaks 0$`}
	for i, w := range want {
		if !regexp.MustCompile(w).MatchString(lines[i]) {
			t.Errorf("line %d is %q, want %q", i+1, lines[i], w)
		}
	}
	r.Comparisons = append(r.Comparisons, r.Comparisons...)
	if head, _, _ := strings.Cut(r.Text(0), "\n\n"); strings.Count(head, "\n") != 8 || !regexp.MustCompile(`\nnever against strict: REJECT, do not keep it \(pass -83.3 points, 95% interval -\d+.\d to -\d+.\d\)\n`).MatchString(head) {
		t.Errorf("of eight comparisons:\n%s", head)
	}
}

// TestJUnit: every case of every variant is a test. What failed before is skipped; what the variant broke, a verdict and a
// condition fail.
func TestJUnit(t *testing.T) {
	text, err := compared(t, three).JUnit()
	if err != nil {
		t.Fatal(err)
	}
	type test struct {
		Name    string `xml:"name,attr"`
		Failure *struct {
			Message string `xml:"message,attr"`
		} `xml:"failure"`
		Skipped *struct {
			Message string `xml:"message,attr"`
		} `xml:"skipped"`
	}
	var v struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Skipped  int `xml:"skipped,attr"`
		Suites   []struct {
			Name     string `xml:"name,attr"`
			Failures int    `xml:"failures,attr"`
			Skipped  int    `xml:"skipped,attr"`
			Cases    []test `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	if v.Tests != 94 || v.Failures != 27 || v.Skipped != 15 || len(v.Suites) != 4 {
		t.Fatalf("%d tests, %d failures, %d skipped, %d suites", v.Tests, v.Failures, v.Skipped, len(v.Suites))
	}
	for i, want := range []struct {
		name              string
		failures, skipped int
	}{{"verdicts", 2, 0}, {"strict", 0, 5}, {"same", 0, 5}, {"never", 25, 5}} {
		if s := v.Suites[i]; s.Name != want.name || s.Failures != want.failures || s.Skipped != want.skipped {
			t.Errorf("%s: %d failures, %d skipped, want %+v", s.Name, s.Failures, s.Skipped, want)
		}
	}
	if c := v.Suites[0].Cases[2]; c.Name != "fail_if errors > 0" || c.Failure != nil {
		t.Errorf("%+v", c)
	}
	if c := v.Suites[3].Cases[5]; c.Failure == nil || c.Failure.Message != "passes 0 of 1 runs, and 1 of 1 under strict" {
		t.Errorf("%+v", c)
	}
	if c := v.Suites[3].Cases[0]; c.Skipped == nil || c.Skipped.Message != "fails: nodes: want copy-file, got none" {
		t.Errorf("%+v", c)
	}
}
