package experiment

import (
	"slices"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/fault"
)

// Differences are how the variants of a case can stand to each other.
var Differences = []string{"differ", "fixed", "broken", "fails", "passes", "varies", "missing"}

// Filter says which cases of an experiment are wanted. What it does not say is free.
type Filter struct {
	Diff    string // one of Differences
	Of      string // a variant, that Diff and Outcome look at alone; the baseline is looked at by Outcome, fails, passes, varies and missing
	Outcome string // one of Outcomes
	Group   string
	Text    string // in the id, the request, a plan or a finding; case does not matter
	Skip    int    // cases that were shown before
	Limit   int    // 0: all
}

// Matrix is the cases of an experiment that a filter lets pass, under every variant.
type Matrix struct {
	Name     string         `json:"name"`
	Variants []string       `json:"variants"` // the first is the baseline
	Repeats  int            `json:"repeats"`
	Cases    int            `json:"cases"`    // of the experiment
	Matching int            `json:"matching"` // that the filter lets pass
	Skip     int            `json:"skip"`
	Diffs    map[string]int `json:"diffs"`    // how many cases each difference would show, beside what else the filter says
	Outcomes map[string]int `json:"outcomes"` // the same of each outcome
	Groups   map[string]int `json:"groups"`   // the same of each group
	Rows     []MatrixRow    `json:"rows"`
}

// ReadMatrix reads cases of an experiment in their order.
func ReadMatrix(s *Store, f Filter) (*Matrix, error) {
	spec, variants, err := s.Spec()
	if err != nil {
		return nil, err
	}
	out := &Matrix{Name: spec.Name, Repeats: spec.Repeats, Skip: f.Skip, Diffs: map[string]int{}, Outcomes: map[string]int{}, Groups: map[string]int{}, Rows: []MatrixRow{}}
	for _, v := range variants {
		out.Variants = append(out.Variants, v.Name)
	}
	of := slices.Index(out.Variants, f.Of)
	if f.Of != "" && of < 0 {
		return nil, fault.New(fault.NotFound, "%s has no variant %q; it has: %s", s.id(), f.Of, diag.Names(out.Variants, 12))
	}
	lines, err := s.caseLines()
	if err != nil {
		return nil, err
	}
	rows := make([]MatrixRow, 0, len(lines))
	for _, c := range lines {
		rows = append(rows, newMatrixRow(c, len(variants)))
	}
	if err := s.eachRow(func(r *Row) error { rows[r.Case].Cells[r.Variant].add(r); return nil }); err != nil {
		return nil, err
	}
	out.Cases = len(rows)
	text := strings.ToLower(f.Text)
	for i := range rows {
		out.take(&rows[i], &f, of, text)
	}
	return out, nil
}

// take counts a case, and keeps it if the filter lets it pass and it is in the part that is wanted.
func (m *Matrix) take(row *MatrixRow, f *Filter, of int, text string) {
	if text != "" && !row.says(text) {
		return
	}
	diffs, outcomes := row.differences(of), row.outcomes(of)
	diff := f.Diff == "" || slices.Contains(diffs, f.Diff)
	outcome := f.Outcome == "" || slices.Contains(outcomes, f.Outcome)
	group := f.Group == "" || row.Group == f.Group
	if outcome && group {
		for _, d := range diffs {
			m.Diffs[d]++
		}
	}
	if diff && group {
		for _, o := range outcomes {
			m.Outcomes[o]++
		}
	}
	if diff && outcome && row.Group != "" {
		m.Groups[row.Group]++
	}
	if !diff || !outcome || !group {
		return
	}
	if m.Matching++; m.Matching > f.Skip && (f.Limit == 0 || len(m.Rows) < f.Limit) {
		m.Rows = append(m.Rows, *row)
	}
}

// says reports whether any of the words of a case hold a text in lower case.
func (m *MatrixRow) says(text string) bool {
	holds := func(s string) bool { return strings.Contains(strings.ToLower(s), text) }
	return holds(m.ID) || holds(m.Request) || slices.ContainsFunc(m.Cells, func(c Cell) bool { return holds(c.Plan) || slices.ContainsFunc(c.Failed, holds) })
}

// share is how often a cell passes; one that is not made yet passes never.
func (c Cell) share() float64 {
	if c.Runs == 0 {
		return 0
	}
	return float64(c.Passes) / float64(c.Runs)
}

// differences are those of Differences that hold, of all variants or of one.
func (m *MatrixRow) differences(of int) []string {
	looked, against := m.Cells, m.Cells[1:]
	if of >= 0 {
		looked, against = m.Cells[of:of+1], m.Cells[of:of+1]
	}
	base := m.Cells[0]
	compared := func(worse, better bool) bool {
		return slices.ContainsFunc(against, func(c Cell) bool {
			if c.Runs == 0 || base.Runs == 0 {
				return false
			}
			d := c.share() - base.share()
			return better && d > 0 || worse && d < 0
		})
	}
	all := func(is func(Cell) bool) bool {
		return !slices.ContainsFunc(looked, func(c Cell) bool { return !is(c) })
	}
	var out []string
	for name, holds := range map[string]bool{
		"differ":  compared(true, true),
		"fixed":   compared(false, true),
		"broken":  compared(true, false),
		"fails":   all(func(c Cell) bool { return c.Runs > 0 && c.Passes == 0 }),
		"passes":  all(func(c Cell) bool { return c.Runs > 0 && c.Passes == c.Runs }),
		"varies":  slices.ContainsFunc(looked, func(c Cell) bool { return c.Passes > 0 && c.Passes < c.Runs }),
		"missing": slices.ContainsFunc(looked, func(c Cell) bool { return c.Runs == 0 }),
	} {
		if holds {
			out = append(out, name)
		}
	}
	return out
}

// outcomes are those of the cells of all variants, or of one, each once.
func (m *MatrixRow) outcomes(of int) []string {
	var out []string
	for i, c := range m.Cells {
		if c.Outcome != "" && (of < 0 || of == i) && !slices.Contains(out, c.Outcome) {
			out = append(out, c.Outcome)
		}
	}
	return out
}
