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
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit is the report as CI systems read it: a suite for each comparison. Its first test is the verdict, which fails
// where it is among FailOn, as the gate does; each case that the variant broke is a test that fails, each that it fixed one that passes.
func (r *Report) JUnit() (string, error) {
	failOn := r.FailOn
	if len(failOn) == 0 {
		failOn = []string{string(stats.Reject)}
	}
	out := junitSuites{Name: r.Name}
	for _, c := range r.Comparisons {
		s := junitSuite{Name: c.Variant + " against " + r.Baseline}
		verdict := junitCase{Class: s.Name, Name: "verdict", Out: fmt.Sprintf("%s: %s\n%s", c.Verdict, c.Reason, r.differences(c).text())}
		if slices.Contains(failOn, string(c.Verdict)) {
			verdict.Failure = &junitFailure{Type: string(c.Verdict), Message: c.Reason}
		}
		s.Cases = append(s.Cases, verdict)
		for _, d := range c.Broken {
			s.Cases = append(s.Cases, junitCase{Class: s.Name, Name: d.ID, Failure: &junitFailure{
				Type: "broken", Message: d.sides(), Text: strings.Join(append([]string{d.Request, d.parted()}, d.Variant.Failed...), "\n"),
			}})
		}
		for _, d := range c.Fixed {
			s.Cases = append(s.Cases, junitCase{Class: s.Name, Name: d.ID, Out: d.sides() + "\n" + d.parted()})
		}
		s.Tests = len(s.Cases)
		for _, c := range s.Cases {
			if c.Failure != nil {
				s.Failures++
			}
		}
		out.Tests, out.Failures = out.Tests+s.Tests, out.Failures+s.Failures
		out.Suites = append(out.Suites, s)
	}
	data, err := xml.MarshalIndent(out, "", "  ")
	return xml.Header + string(data) + "\n", err
}

// parted says where the runs of a case parted, in words.
func (c *CaseDifference) parted() string {
	if c.Diverge == nil {
		return "every node took the same action"
	}
	return c.Diverge.inWords()
}
