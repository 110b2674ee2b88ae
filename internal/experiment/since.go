package experiment

import (
	"fmt"
	"slices"
	"strings"

	"pflow/internal/stats"
)

// Since says what became of an experiment after an edit of what it reads.
type Since struct {
	Comparisons []SinceVerdict `json:"comparisons"`
	Outcomes    int            `json:"outcomes"` // how many came out otherwise, cases under variants
	Cases       []SinceCase    `json:"cases"`    // the first of them
	Added       int            `json:"added"`    // cases
	Removed     int            `json:"removed"`
}

// SinceVerdict is a verdict and what it was.
type SinceVerdict struct {
	Variant string        `json:"variant"`
	Before  stats.Verdict `json:"before,omitempty"` // "" where there was none
	Verdict stats.Verdict `json:"verdict"`
	Reason  string        `json:"reason"`
}

// SinceCase is a case that came out otherwise under a variant.
type SinceCase struct {
	ID      string `json:"id"`
	Variant string `json:"variant"`
	Request string `json:"request"`
	Before  Cell   `json:"before"`
	After   Cell   `json:"after"`
}

// sinceCases is how many of them are told.
const sinceCases = 5

// NewSince compares a report with the one before; nil: there was none.
func NewSince(before, after *Report) *Since {
	out := &Since{Comparisons: []SinceVerdict{}, Cases: []SinceCase{}}
	for _, c := range after.Comparisons {
		v := SinceVerdict{Variant: c.Variant, Verdict: c.Verdict, Reason: c.Reason}
		if before != nil {
			if i := slices.IndexFunc(before.Comparisons, func(b Comparison) bool { return b.Variant == c.Variant }); i >= 0 {
				v.Before = before.Comparisons[i].Verdict
			}
		}
		out.Comparisons = append(out.Comparisons, v)
	}
	if before == nil {
		return out
	}
	rows := map[string]MatrixRow{}
	for _, row := range before.Matrix {
		rows[row.ID] = row
	}
	for _, row := range after.Matrix {
		was, there := rows[row.ID]
		delete(rows, row.ID)
		if !there {
			out.Added++
			continue
		}
		for i, v := range after.Variants {
			k := slices.IndexFunc(before.Variants, func(b VariantReport) bool { return b.Name == v.Name })
			if k < 0 || was.Cells[k].Mark() == row.Cells[i].Mark() && was.Cells[k].Outcome == row.Cells[i].Outcome {
				continue
			}
			if out.Outcomes++; len(out.Cases) < sinceCases {
				out.Cases = append(out.Cases, SinceCase{row.ID, v.Name, row.Request, was.Cells[k], row.Cells[i]})
			}
		}
	}
	out.Removed = len(rows)
	return out
}

// SinceText is what became of an experiment, for people: in a few lines the verdict and what it was, and what came out otherwise.
func (r *Report) SinceText(before *Report) string {
	var b strings.Builder
	s := NewSince(before, r)
	if len(r.Comparisons) == 0 {
		fmt.Fprintln(&b, r.score(0))
	}
	for i, c := range r.Comparisons {
		verdict := string(c.Verdict)
		switch was := s.Comparisons[i].Before; was {
		case c.Verdict:
			verdict += " as before"
		case "":
		default:
			verdict = string(was) + " -> " + verdict
		}
		fmt.Fprintf(&b, "%s against %s: %s, %s\n  %s\n", c.Variant, r.Baseline, verdict, r.advice(&c), c.said())
	}
	for _, w := range r.Warnings {
		if before == nil || !slices.Contains(before.Warnings, w) {
			b.WriteString("!! " + w + "\n")
		}
	}
	if s.Added+s.Removed > 0 {
		fmt.Fprintf(&b, "%s new, %d gone\n", counted(s.Added, "case"), s.Removed)
	}
	if before != nil && s.Outcomes == 0 {
		b.WriteString("no case came out otherwise than before\n")
	}
	if s.Outcomes > 0 {
		fmt.Fprintf(&b, "%s otherwise than before:\n", counted(s.Outcomes, "outcome"))
	}
	for _, c := range s.Cases {
		fmt.Fprintf(&b, "  %s under %s: %s -> %s  %s\n", c.ID, c.Variant, c.Before.Mark(), c.After.Mark(), oneLine(clip(c.Request, 80)))
		if c.After.fails() {
			fmt.Fprintf(&b, "    %s\n", c.After.failure())
		}
	}
	if more := s.Outcomes - len(s.Cases); more > 0 {
		fmt.Fprintf(&b, "  and %d more\n", more)
	}
	return r.Masks.Text(b.String())
}
