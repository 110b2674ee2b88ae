package experiment

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"pflow/internal/stats"
)

// The elements of JUnit's XML that CI systems read.
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
	Skipped *junitSkipped `xml:"skipped,omitempty"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

// JUnit is the report as CI systems read it: a suite of verdicts and conditions, and one for each variant with every case
// as a test. Only what somebody asked to be told of fails: a verdict among FailOn, a condition of FailIf, and a case that passes
// less often than under the baseline. A case that fails elsewise is one that was skipped, with what was not as expected: it
// failed before the change, and must not make a build fail.
func (r *Report) JUnit() (string, error) {
	out := junitSuites{Name: r.Name}
	out.add(r.gateSuite())
	for i := range r.Variants {
		out.add(r.variantSuite(i))
	}
	data, err := xml.MarshalIndent(out, "", "  ")
	return xml.Header + string(data) + "\n", err
}

// add counts the tests of a suite, if it has any.
func (s *junitSuites) add(suite junitSuite) {
	if len(suite.Cases) == 0 {
		return
	}
	suite.Tests = len(suite.Cases)
	for _, c := range suite.Cases {
		switch {
		case c.Failure != nil:
			suite.Failures++
		case c.Skipped != nil:
			suite.Skipped++
		}
	}
	s.Tests, s.Failures, s.Skipped = s.Tests+suite.Tests, s.Failures+suite.Failures, s.Skipped+suite.Skipped
	s.Suites = append(s.Suites, suite)
}

// gateSuite holds what fails an experiment: the verdicts, and the conditions.
func (r *Report) gateSuite() junitSuite {
	failOn := r.FailOn
	if len(failOn) == 0 {
		failOn = []string{string(stats.Reject)}
	}
	s := junitSuite{Name: "verdicts"}
	for _, c := range r.Comparisons {
		t := junitCase{Class: s.Name, Name: c.Variant + " against " + r.Baseline, Out: fmt.Sprintf("%s: %s\n%s", c.Verdict, c.Reason, r.differences(c).text())}
		if slices.Contains(failOn, string(c.Verdict)) {
			t.Failure = &junitFailure{Type: string(c.Verdict), Message: c.Reason}
		}
		s.Cases = append(s.Cases, t)
	}
	for _, c := range r.FailIf {
		t := junitCase{Class: s.Name, Name: "fail_if " + c.Source}
		if why := r.Gate(nil, []Condition{c}); len(why) > 0 {
			t.Failure = &junitFailure{Type: "fail_if", Message: strings.Join(why, "; ")}
		}
		s.Cases = append(s.Cases, t)
	}
	return s
}

// variantSuite holds every case under one variant.
func (r *Report) variantSuite(i int) junitSuite {
	s := junitSuite{Name: r.Variants[i].Name}
	for _, row := range r.Matrix {
		c, base := row.Cells[i], row.Cells[0]
		t := junitCase{Class: s.Name, Name: row.ID, Out: fmt.Sprintf("%s\n%s (%d of %d)", oneLine(row.Request), c.Plan, c.Passes, c.Runs)}
		switch {
		case c.Runs == 0:
			t.Out, t.Skipped = oneLine(row.Request), &junitSkipped{"not made yet"}
		case base.Runs > 0 && c.Passes*base.Runs < base.Passes*c.Runs:
			t.Failure = &junitFailure{
				Type: "broken", Message: fmt.Sprintf("passes %d of %d runs, and %d of %d under %s", c.Passes, c.Runs, base.Passes, base.Runs, r.Baseline),
				Text: strings.Join(append([]string{row.Request, c.Plan}, c.Failed...), "\n"),
			}
		case c.fails():
			t.Skipped = &junitSkipped{"fails: " + c.failure()}
		}
		s.Cases = append(s.Cases, t)
	}
	return s
}

// parted says where the runs of a case parted, in words.
func (c *CaseDifference) parted() string {
	if c.Diverge == nil {
		return "every node took the same action"
	}
	return c.Diverge.inWords()
}
