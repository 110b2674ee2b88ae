package experiment

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"pflow/internal/stats"
)

// Text is the report for a terminal. most is how many fixed, and how many broken cases are listed.
func (r *Report) Text(most int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s, %s each; baseline %s\n", r.Name, counted(r.Cases, "case"), counted(len(r.Variants), "variant"), counted(r.Repeats, "run"), r.Baseline)
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "!! %s\n", w)
	}
	b.WriteByte('\n')
	b.WriteString(r.means().text())
	for _, c := range r.Comparisons {
		fmt.Fprintf(&b, "\n%s against %s: %s\n  %s\n", c.Variant, r.Baseline, c.Verdict, c.Reason)
		b.WriteString(indent(r.differences(c).text()))
		if g := r.bootstraps(c); len(g) > 1 {
			b.WriteString(indent(g.text()))
		}
		fmt.Fprintf(&b, "  %s: %s\n", r.Primary, c.tests(len(r.Comparisons)))
		for _, g := range c.Guardrails {
			fmt.Fprintf(&b, "  guardrail %s %s: %s\n", g.Metric, g.State, g.Reason)
		}
		caseLines(&b, "fixed", c.Fixed, c.MoreFixed, most)
		caseLines(&b, "broken", c.Broken, c.MoreBroken, most)
	}
	if len(r.Factors) > 0 {
		b.WriteString("\nnode variants, each over all else:\n")
		b.WriteString(indent(r.factorTable().text()))
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "\nnote: %s", n)
	}
	if len(r.Notes) > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}

// tests are the p values of the primary metric, in words.
func (c *Comparison) tests(comparisons int) string {
	out := "p " + probability(c.P)
	if comparisons > 1 {
		out += ", by Holm " + probability(c.PHolm)
	}
	kind := "sign-flip"
	if c.SignFlip.Exact {
		kind = "exact sign-flip"
	}
	out += fmt.Sprintf(", %s p %s", kind, probability(c.SignFlip.P))
	if c.McNemar != nil {
		out += fmt.Sprintf(", McNemar p %s (%d fixed, %d broken)", probability(c.McNemar.P), c.McNemar.Fixed, c.McNemar.Broken)
	}
	out += "; differs on " + counted(c.Differ, "case")
	if c.Detectable != nil {
		out += "; these cases would show a difference of " + plain(*c.Detectable)
	}
	return out
}

func caseLines(b *strings.Builder, kind string, cases []CaseDifference, more, most int) {
	if len(cases) == 0 {
		return
	}
	fmt.Fprintf(b, "  %s: %s\n", kind, counted(len(cases)+more, "case"))
	for i, c := range cases {
		if i == most {
			fmt.Fprintf(b, "    and %d more\n", len(cases)+more-most)
			break
		}
		fmt.Fprintf(b, "    %s  %s\n", c.ID, clip(oneLine(c.Request), 100))
		fmt.Fprintf(b, "      %s\n", c.sides())
		if c.Diverge != nil {
			fmt.Fprintf(b, "      %s\n", c.Diverge.inWords())
		}
	}
}

func (c *CaseDifference) sides() string {
	side := func(s Cell) string { return fmt.Sprintf("%s (%d of %d)", clip(s.Plan, 120), s.Passes, s.Runs) }
	return side(c.Baseline) + "  ->  " + side(c.Variant)
}

// inWords says where two runs parted.
func (d *Divergence) inWords() string {
	action := func(s *Step) string {
		switch {
		case s == nil:
			return "had ended"
		case s.Action == "":
			return s.Node + " failed"
		}
		return s.Node + " took " + s.Action
	}
	if d.Kind == DivergeAction {
		other := cmp.Or(d.Variant.Action, "failure")
		return fmt.Sprintf("at %s: %s -> %s", d.Node, cmp.Or(d.Baseline.Action, "failure"), other)
	}
	return fmt.Sprintf("the flows part: %s -> %s", action(d.Baseline), action(d.Variant))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func indent(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n  ") + "\n"
}

// grid is a table of cells; the first row is its head.
type grid [][]string

// text aligns columns: the first to the left, the others to the right.
func (g grid) text() string {
	width := []int{}
	for _, row := range g {
		for i, cell := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range g {
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			switch {
			case i == 0 && len(row) == 1:
				b.WriteString(cell)
			case i == 0:
				b.WriteString(cell + pad)
			default:
				b.WriteString("  " + pad + cell)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// means is one row for each variant.
func (r *Report) means() grid {
	head := []string{"variant"}
	for _, m := range r.Metrics {
		head = append(head, string(m))
	}
	if r.Repeats > 1 {
		head = append(head, fmt.Sprintf("pass^%d", r.Repeats))
	}
	g := grid{append(head, "errors")}
	for _, v := range r.Variants {
		row := []string{v.Name}
		for _, m := range r.Metrics {
			if mean, ok := v.Means[m]; ok {
				row = append(row, m.show(mean))
			} else {
				row = append(row, "-")
			}
		}
		if r.Repeats > 1 {
			cell := "-"
			if len(v.PassK) == r.Repeats {
				cell = Pass.show(v.PassK[r.Repeats-1])
			}
			row = append(row, cell)
		}
		g = append(g, append(row, fmt.Sprint(v.Errors)))
	}
	return g
}

// differences is one row for each metric of a comparison.
func (r *Report) differences(c Comparison) grid {
	g := grid{{"metric", "baseline", "variant", "difference", "95% interval", "p", "cases"}}
	for _, d := range c.Metrics {
		interval := "unknown"
		if i := d.TTest.Interval; i.Known {
			interval = d.Metric.show(i.Low) + " to " + d.Metric.show(i.High)
		}
		g = append(g, []string{string(d.Metric), d.Metric.show(d.Baseline), d.Metric.show(d.Variant), signed(d.Metric.show(d.TTest.Mean)), interval, probability(d.TTest.P), fmt.Sprint(d.Cases)})
	}
	return g
}

// bootstraps is one row for each metric that is no rate: means say little of what has a long tail.
func (r *Report) bootstraps(c Comparison) grid {
	g := grid{{"metric", "ratio of means", "95% interval", "median difference", "95% interval"}}
	for _, d := range c.Metrics {
		if d.Ratio == nil || d.Median == nil {
			continue
		}
		ratio, within := "unknown", "unknown"
		if i := d.Ratio.Interval; i.Known {
			ratio, within = fmt.Sprintf("%.3f", d.Ratio.Estimate), fmt.Sprintf("%.3f to %.3f", i.Low, i.High)
		}
		g = append(g, []string{string(d.Metric), ratio, within, signed(d.Metric.show(d.Median.Estimate)), intervalText(d.Metric, d.Median.Interval)})
	}
	return g
}

func (r *Report) factorTable() grid {
	g := grid{{"node", "variant", "against", string(r.Primary), "95% interval", "p"}}
	for _, f := range r.Factors {
		g = append(g, []string{f.Node, f.Level, f.Versus, signed(r.Primary.show(f.TTest.Mean)), intervalText(r.Primary, f.TTest.Interval), probability(f.TTest.P)})
	}
	return g
}

func intervalText(m Metric, i stats.Interval) string {
	if !i.Known {
		return "unknown"
	}
	return m.show(i.Low) + " to " + m.show(i.High)
}

// show writes a value of the metric.
func (m Metric) show(v float64) string {
	if math.Abs(v) < 5e-13 {
		v = 0
	}
	switch {
	case m.Rate():
		return fmt.Sprintf("%.3f", v)
	case m == CostUSD:
		return fmt.Sprintf("$%.6f", v)
	case m.Timed():
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.1f", v)
}

func signed(s string) string {
	if strings.HasPrefix(s, "-") {
		return s
	}
	return "+" + s
}

func plain(v float64) string { return fmt.Sprintf("%.3g", v) }

// probability writes a p value.
func probability(p float64) string {
	if p < .0001 {
		return "<0.0001"
	}
	return fmt.Sprintf("%.4f", p)
}
