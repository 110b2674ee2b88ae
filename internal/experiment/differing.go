package experiment

import (
	"fmt"
	"strings"

	"pflow/internal/diag"
)

// slope is one case in the plot of pairs.
type slope struct{ baseline, variant float64 }

// differing finds the cases that a variant fixed and broke, and why.
func (x *results) differing(c *Comparison, variant int) error {
	c.Fixed, c.Broken = []CaseDifference{}, []CaseDifference{}
	pass, primary := x.values[Pass], x.values[x.spec.Primary]
	for i := range x.cases {
		if a, b := primary[0][i], primary[variant][i]; len(a) > 0 && len(b) > 0 {
			c.slopes = append(c.slopes, slope{mean(a), mean(b)})
		}
		a, b := pass[0][i], pass[variant][i]
		if len(a) == 0 || len(b) == 0 || mean(a) == mean(b) {
			continue
		}
		to, more := &c.Fixed, &c.MoreFixed
		if mean(b) < mean(a) {
			to, more = &c.Broken, &c.MoreBroken
		}
		if len(*to) == shownCases {
			*more++
			continue
		}
		d, err := x.difference(i, a, b, variant)
		if err != nil {
			return err
		}
		*to = append(*to, d)
	}
	return nil
}

// difference tells one case, by the first repeat in which one passed and the other did not.
func (x *results) difference(at int, a, b []float64, variant int) (CaseDifference, error) {
	line := x.cases[at]
	out := CaseDifference{ID: line.id, Group: line.group, Request: clip(line.request, keepRequest)}
	for out.Repeat < min(len(a), len(b))-1 && a[out.Repeat] == b[out.Repeat] {
		out.Repeat++
	}
	left, err := x.detail(0, at, out.Repeat)
	if err != nil {
		return out, err
	}
	right, err := x.detail(variant, at, out.Repeat)
	if err != nil {
		return out, err
	}
	out.Baseline, out.Variant = left.cell(a), right.cell(b)
	out.Diverge = diverge(left.steps, right.steps)
	return out, nil
}

// cell is a case of which this repeat is told.
func (d *detail) cell(passes []float64) Cell {
	failed := d.failed
	if failed == nil {
		failed = []string{}
	}
	return Cell{Passes: int(sum(passes)), Runs: len(passes), Outcome: d.outcome, Plan: d.inWords, Failed: failed}
}

// inWords is a plan on one line.
func (p *planned) inWords() string {
	r := p.result
	var ask []string
	for _, m := range objects(r.MissingParams) {
		ask = append(ask, text(m["name"]))
	}
	switch p.outcome() {
	case OutcomeFail:
		return errorText(r)
	case OutcomeAbstain:
		return "nothing fits"
	case OutcomeReuse:
		return "reuse " + orNone(r.WorkflowName)
	case OutcomeAsk:
		return fmt.Sprintf("%s, asks for %s", strings.Join(p.types, " >> "), diag.Names(ask, 6))
	case OutcomeInvalid:
		return strings.Join(p.types, " >> ") + ", invalid"
	}
	return strings.Join(p.types, " >> ")
}
