package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"pflow/internal/experiment"
)

// experimentMatrix is cases under every variant, and what the filter beside them says.
type experimentMatrix struct {
	Experiment string         `json:"experiment"`
	Variants   []string       `json:"variants"`
	Repeats    int            `json:"repeats"`
	Cases      int            `json:"cases"`
	Matching   int            `json:"matching"`
	Skip       int            `json:"skip"`
	Diffs      map[string]int `json:"diffs"`
	Outcomes   map[string]int `json:"outcomes"`
	Groups     map[string]int `json:"groups"`
	Rows       []matrixRow    `json:"rows"`

	Diff, Of, Outcome, Group, Text string
}

type matrixRow struct {
	ID      string       `json:"id"`
	Group   string       `json:"group"`
	Request string       `json:"request"`
	Cells   []matrixCell `json:"cells"`
}

type matrixCell struct {
	Passes  int      `json:"passes"`
	Runs    int      `json:"runs"`
	Outcome string   `json:"outcome"`
	Plan    string   `json:"plan"`
	Failed  []string `json:"failed"`
}

// State is that of a badge.
func (c matrixCell) State() string {
	switch {
	case c.Runs == 0:
		return "not_reached"
	case c.Passes == c.Runs:
		return "pass"
	case c.Passes > 0:
		return "inconclusive"
	}
	return "fail"
}

// Word is the state as people read it.
func (c matrixCell) Word() string {
	switch {
	case c.Runs == 0:
		return "not made yet"
	case c.Passes == c.Runs:
		return "passes"
	case c.Passes > 0:
		return fmt.Sprintf("%d of %d", c.Passes, c.Runs)
	}
	return "fails"
}

// Why is what was not as expected.
func (c matrixCell) Why() string { return strings.Join(c.Failed, "; ") }

// matrixPage is how many cases a page has.
const matrixPage = 50

func (s *Server) matrixOf(r *http.Request, id string) (*experimentMatrix, error) {
	q := r.URL.Query()
	m := &experimentMatrix{Diff: q.Get("diff"), Of: q.Get("of"), Outcome: q.Get("outcome"), Group: q.Get("group"), Text: strings.TrimSpace(q.Get("text"))}
	p := Params{"id": id, "limit": matrixPage, "skip": numberOr(q.Get("skip"), 0)}
	for name, v := range map[string]string{"diff": m.Diff, "of": m.Of, "outcome": m.Outcome, "group": m.Group, "text": m.Text} {
		if v != "" {
			p[name] = v
		}
	}
	return m, s.Call(r.Context(), "listExperimentCases", p, m)
}

// Choice is one of a filter.
type Choice struct {
	Value, Label string
	Count        int
	Chosen       bool
}

func choices(values []string, label map[string]string, counts map[string]int, chosen string) []Choice {
	var out []Choice
	for _, v := range values {
		c := Choice{v, v, counts[v], v == chosen}
		if l := label[v]; l != "" {
			c.Label = l
		}
		if c.Count > 0 || c.Chosen {
			out = append(out, c)
		}
	}
	return out
}

// DiffChoices are the differences that some case has.
func (m *experimentMatrix) DiffChoices() []Choice {
	return choices(experiment.Differences, map[string]string{"differ": "differs from the baseline", "fixed": "fixed", "broken": "broken", "fails": "fails everywhere", "passes": "passes everywhere",
		"varies": "varies between runs", "missing": "not made yet"}, m.Diffs, m.Diff)
}

// OutcomeChoices are the outcomes that some case has.
func (m *experimentMatrix) OutcomeChoices() []Choice {
	return choices(experiment.Outcomes, map[string]string{"plan": "a new workflow", "reuse": "a saved workflow", "ask": "asks for something", "abstain": "nothing fits", "invalid": "not valid", "fail": "failed"}, m.Outcomes, m.Outcome)
}

// GroupChoices are the groups, by name.
func (m *experimentMatrix) GroupChoices() []Choice {
	var names []string
	for name := range m.Groups {
		names = append(names, name)
	}
	if m.Group != "" && !slices.Contains(names, m.Group) {
		names = append(names, m.Group)
	}
	slices.Sort(names)
	return choices(names, nil, m.Groups, m.Group)
}

// Filtered reports whether anything is asked for but all.
func (m *experimentMatrix) Filtered() bool {
	return m.Diff+m.Of+m.Outcome+m.Group+m.Text != ""
}

// First and Last are the places of the rows among those that match, from 1.
func (m *experimentMatrix) First() int { return min(m.Skip+1, m.Matching) }
func (m *experimentMatrix) Last() int  { return m.Skip + len(m.Rows) }

// Before and After are the addresses of the parts beside this one, "" where there is none.
func (m *experimentMatrix) Before() string {
	if m.Skip == 0 {
		return ""
	}
	return m.part(max(0, m.Skip-matrixPage))
}

func (m *experimentMatrix) After() string {
	if m.Last() >= m.Matching {
		return ""
	}
	return m.part(m.Skip + matrixPage)
}

func (m *experimentMatrix) part(skip int) string {
	q := m.query()
	if skip > 0 {
		q.Set("skip", fmt.Sprint(skip))
	}
	return "/experiments/" + m.Experiment + "?" + q.Encode() + "#cases"
}

func (m *experimentMatrix) query() url.Values {
	q := url.Values{}
	for name, v := range map[string]string{"diff": m.Diff, "of": m.Of, "outcome": m.Outcome, "group": m.Group, "text": m.Text} {
		if v != "" {
			q.Set(name, v)
		}
	}
	return q
}

// Cell is the address of a case, beginning with one variant.
func (m *experimentMatrix) Cell(id string, variant int) string {
	q := url.Values{}
	if variant > 0 {
		q.Set("variant", m.Variants[variant])
	}
	address := "/experiments/" + m.Experiment + "/cases/" + url.PathEscape(id)
	if len(q) > 0 {
		address += "?" + q.Encode()
	}
	return address
}
