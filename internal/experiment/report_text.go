package experiment

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"pflow/internal/stats"
)

// Text is the report for a terminal. most is how long its lists are, AllDetails for whole ones.
func (r *Report) Text(most int) string {
	var b strings.Builder
	for _, line := range r.head() {
		b.WriteString(line + "\n")
	}
	r.diffLines(&b)
	b.WriteByte('\n')
	b.WriteString(r.means().text())
	for _, c := range r.Comparisons {
		fmt.Fprintf(&b, "\n%s against %s\n", c.Variant, r.Baseline)
		if len(r.Comparisons) > inFull {
			fmt.Fprintf(&b, "  %s: %s\n", c.Verdict, c.said())
		}
		b.WriteString(indent(r.differences(c).text()))
		if g := r.ratios(c); len(g) > 1 {
			b.WriteString(indent(g.text()))
		}
		fmt.Fprintf(&b, "  %s: %s\n", r.Primary, c.tests(r.Primary, len(r.Comparisons)))
		for _, g := range c.Guardrails {
			fmt.Fprintf(&b, "  guardrail %s %s: %s\n", g.Metric, g.State, g.Reason)
		}
		caseLines(&b, "fixed", c.Fixed, c.MoreFixed, most)
		caseLines(&b, "broken", c.Broken, c.MoreBroken, most)
	}
	if len(r.Factors) > 0 {
		b.WriteString("\nnode variants, each over all else\n")
		b.WriteString(indent(r.factorTable().text()))
	}
	r.failureLines(&b, most)
	r.matrixLines(&b, most)
	for i, n := range r.Notes {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	return b.String()
}

// shownDiff is how many lines of a difference between flows the text has; the other formats have all.
const shownDiff = 8

// diffLines says what differs between the flows.
func (r *Report) diffLines(b *strings.Builder) {
	for _, c := range r.Comparisons {
		if len(c.Diff) == 0 {
			continue
		}
		fmt.Fprintf(b, "\nwhat %s changes of %s\n", c.Variant, r.Baseline)
		for _, line := range c.Diff[:min(shownDiff, len(c.Diff))] {
			fmt.Fprintf(b, "  %s\n", clip(line, 160))
		}
		if n := len(c.Diff) - shownDiff; n > 0 {
			fmt.Fprintf(b, "  and %s\n", counted(n, "more line"))
		}
	}
}

// tests are the p values of the primary metric, in words.
func (c *Comparison) tests(m Metric, comparisons int) string {
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
	if c.Detectable != nil && !(m.Rate() && *c.Detectable > 1) { // no rate differs by more
		out += "; these cases would show a difference of " + m.size(*c.Detectable)
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
			break
		}
		fmt.Fprintf(b, "    %s  %s\n", c.ID, clip(oneLine(c.Request), 100))
		fmt.Fprintf(b, "      %s\n", c.sides())
		for _, why := range c.failures() {
			fmt.Fprintf(b, "      %s\n", why)
		}
		if c.Diverge != nil {
			fmt.Fprintf(b, "      %s\n", c.Diverge.inWords())
		}
	}
	cutLine(b, "    ", len(cases)+more, min(most, len(cases)))
}

func (c *CaseDifference) sides() string {
	side := func(s Cell) string { return fmt.Sprintf("%s (%d of %d)", clip(s.Plan, 120), s.Passes, s.Runs) }
	return side(c.Baseline) + "  ->  " + side(c.Variant)
}

// failures are what was not as expected, of the sides that fail.
func (c *CaseDifference) failures() []string {
	var out []string
	for _, side := range []Cell{c.Baseline, c.Variant} {
		if side.fails() {
			out = append(out, side.failure())
		}
	}
	return out
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
		g = append(g, []string{string(d.Metric), d.Metric.show(d.Baseline), d.Metric.show(d.Variant), d.Metric.change(d.TTest.Mean), d.Metric.within(d.TTest.Interval), probability(d.TTest.P), fmt.Sprint(d.Cases)})
	}
	return g
}

// ratios is one row for each metric that is no rate: by how much its mean is less or more, and the median difference, since
// means say little of what has a long tail.
func (r *Report) ratios(c Comparison) grid {
	g := grid{{"metric", "change", "95% interval", "p", "by Holm", "median difference", "95% interval"}}
	for _, d := range c.Metrics {
		if d.Ratio == nil || d.Median == nil {
			continue
		}
		change, within := "unknown", "unknown"
		if d.Ratio.Note == "" || d.Ratio.Estimate > 0 {
			change = lessOrMore(d.Ratio.Estimate)
		}
		if i := d.Ratio.Interval; i.Known {
			within = fromTo(i.Low, i.High)
		}
		g = append(g, []string{string(d.Metric), change, within, probability(d.Ratio.P), probability(d.Ratio.PHolm), d.Metric.change(d.Median.Estimate), d.Metric.within(d.Median.Interval)})
	}
	return g
}

// lessOrMore writes a ratio as a change: "31% less", "2.5 times" from twice as much on.
func lessOrMore(ratio float64) string {
	switch n := math.Round(100 * (ratio - 1)); {
	case ratio >= 2:
		return fmt.Sprintf("%.1f times", ratio)
	case n < 0:
		return fmt.Sprintf("%.0f%% less", -n)
	case n == 0:
		return "the same"
	default:
		return fmt.Sprintf("%.0f%% more", n)
	}
}

// fromTo writes the interval of a ratio, the nearer end to the same first: "24 to 38% less", "5% less to 12% more".
func fromTo(low, high float64) string {
	switch a, b := math.Round(100*(low-1)), math.Round(100*(high-1)); {
	case a < b && b < 0:
		return fmt.Sprintf("%.0f to %.0f%% less", -b, -a)
	case 0 < a && a < b && high < 2:
		return fmt.Sprintf("%.0f to %.0f%% more", a, b)
	}
	if lessOrMore(low) == lessOrMore(high) {
		return lessOrMore(low)
	}
	return lessOrMore(low) + " to " + lessOrMore(high)
}

func (r *Report) factorTable() grid {
	g := grid{{"node", "variant", "against", string(r.Primary), "95% interval", "p"}}
	for _, f := range r.Factors {
		g = append(g, []string{f.Node, f.Level, f.Versus, r.Primary.change(f.TTest.Mean), r.Primary.within(f.TTest.Interval), probability(f.TTest.P)})
	}
	return g
}

// show writes a value of the metric with its unit: rates in percent.
func (m Metric) show(v float64) string {
	if math.Abs(v) < 5e-13 {
		v = 0
	}
	switch {
	case m.Rate():
		return fmt.Sprintf("%.1f%%", 100*v)
	case m == CostUSD && v < 0:
		return fmt.Sprintf("-$%.6f", -v)
	case m == CostUSD:
		return fmt.Sprintf("$%.6f", v)
	case m.Timed():
		return fmt.Sprintf("%.1f ms", v)
	}
	return fmt.Sprintf("%.1f", v)
}

// size writes a difference of the metric without its sign: of rates in points.
func (m Metric) size(v float64) string {
	v = math.Abs(v)
	if !m.Rate() {
		return m.show(v)
	}
	number := strings.TrimSuffix(fmt.Sprintf("%.1f", 100*v), ".0")
	if number == "1" {
		return "1 point"
	}
	return number + " points"
}

// change writes a difference of the metric.
func (m Metric) change(v float64) string {
	if m.Rate() {
		return m.points(v, "%+.1f") + " points"
	}
	s := m.show(v)
	if !strings.HasPrefix(s, "-") {
		s = "+" + s
	}
	return s
}

// within writes the interval of a difference.
func (m Metric) within(i stats.Interval) string {
	switch {
	case !i.Known:
		return "unknown"
	case m.Rate():
		return m.points(i.Low, "%.1f") + " to " + m.points(i.High, "%.1f")
	}
	return m.show(i.Low) + " to " + m.show(i.High)
}

// points writes a part of 1 in points; what rounds to none has no sign but +.
func (m Metric) points(v float64, as string) string {
	v *= 100
	if math.Abs(v) < .05 {
		v = 0
	}
	return fmt.Sprintf(as, v)
}

// probability writes a p value.
func probability(p float64) string {
	if p < .0001 {
		return "<0.0001"
	}
	return fmt.Sprintf("%.4f", p)
}
