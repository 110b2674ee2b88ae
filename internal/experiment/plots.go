package experiment

import (
	"fmt"
	"math"
	"slices"
)

// series is the class of a variant in plots: there are eight colours, then they begin again.
func series(i int) string { return fmt.Sprintf("s%d", i%8) }

// intervalPlot shows the difference of the primary metric with its interval, a line for each comparison, against 0 and
// the smallest difference that matters.
func (r *Report) intervalPlot() string {
	bounds := []float64{0}
	effect := r.Effect
	if !r.Primary.More() {
		effect = -effect
	}
	bounds = append(bounds, effect)
	for _, c := range r.Comparisons {
		d := c.difference(r.Primary)
		if d == nil {
			continue
		}
		bounds = append(bounds, d.TTest.Mean)
		if d.TTest.Interval.Known {
			bounds = append(bounds, d.TTest.Interval.Low, d.TTest.Interval.High)
		}
	}
	from, to := span(bounds...)
	n := len(r.Comparisons)
	p := newPlot("differences with 95% intervals", 640, float64(70+34*n), from, to, 0, float64(n))
	p.left = 170
	p.ticks(false, fmt.Sprintf("difference of %s to %s", r.Primary, r.Baseline))
	p.line("zero", p.x(0), p.top, p.x(0), p.height-p.low)
	p.line("effect", p.x(effect), p.top, p.x(effect), p.height-p.low)
	for i, c := range r.Comparisons {
		y := p.y(float64(n-i) - .5)
		p.text(p.left-8, y+4, "end", clip(c.Variant, 24))
		d := c.difference(r.Primary)
		if d == nil {
			continue
		}
		if iv := d.TTest.Interval; iv.Known {
			p.line("bar "+series(i+1), p.x(iv.Low), y, p.x(iv.High), y)
		}
		p.dot("dot "+series(i+1), p.x(d.TTest.Mean), y, 5, fmt.Sprintf("%s: %s (%s), %s", c.Variant, r.Primary.change(d.TTest.Mean), r.Primary.within(d.TTest.Interval), c.Verdict))
	}
	return p.done()
}

func (c *Comparison) difference(m Metric) *Difference {
	for i := range c.Metrics {
		if c.Metrics[i].Metric == m {
			return &c.Metrics[i]
		}
	}
	return nil
}

// slopePlot shows each case as a line from its mean under the baseline to that under the variant. Equal lines are drawn
// once, the wider the more cases they stand for.
func (r *Report) slopePlot(c Comparison) string {
	from, to := 0., 1.
	if !r.Primary.Rate() {
		var all []float64
		for _, s := range c.slopes {
			all = append(all, s.baseline, s.variant)
		}
		from, to = span(all...)
	}
	count := map[slope]int{}
	for _, s := range c.slopes {
		// Lines closer than a two-hundredth of the scale look the same.
		at := func(v float64) float64 { return math.Round((v-from)/(to-from)*200) / 200 }
		count[slope{at(s.baseline), at(s.variant)}]++
	}
	var lines []slope
	for s := range count {
		lines = append(lines, s)
	}
	slices.SortFunc(lines, func(a, b slope) int {
		switch {
		case a.baseline != b.baseline && a.baseline < b.baseline, a.baseline == b.baseline && a.variant < b.variant:
			return -1
		case a == b:
			return 0
		}
		return 1
	})
	p := newPlot("cases under both variants", 360, 300, 0, 1, from, to)
	p.ticks(true, string(r.Primary))
	p.right = 30
	for _, s := range lines {
		class := "same"
		if better := (s.variant > s.baseline) == r.Primary.More(); s.variant != s.baseline {
			class = "worse"
			if better {
				class = "better"
			}
		}
		n := count[s]
		a, b := from+s.baseline*(to-from), from+s.variant*(to-from)
		fmt.Fprintf(&p.b, `<line class="slope %s" stroke-width="%s" x1="%s" y1="%s" x2="%s" y2="%s"><title>%s</title></line>`,
			class, coord(min(14, 1+2*math.Log2(float64(n)))), coord(p.x(0)+8), coord(p.y(a)), coord(p.x(1)-8), coord(p.y(b)),
			fmt.Sprintf("%s: %s to %s", counted(n, "case"), r.Primary.show(a), r.Primary.show(b)))
	}
	p.text(p.x(0), p.height-14, "start", clip(r.Baseline, 22))
	p.text(p.x(1), p.height-14, "end", clip(c.Variant, 22))
	return p.done()
}

// costPlot shows quality against cost: dollars if anything was paid and nothing unpriced, else calls of models, else
// time. It is "" where none of them was measured.
func (r *Report) costPlot() string {
	cost := Metric("")
	for _, m := range []Metric{CostUSD, Calls, Latency} {
		unpriced := func(v VariantReport) bool { _, priced := v.Totals[m]; return m == CostUSD && !priced }
		if cost == "" && slices.Contains(r.Metrics, m) && !slices.ContainsFunc(r.Variants, unpriced) {
			cost = m
		}
	}
	if cost == "" {
		return ""
	}
	var xs, ys []float64
	for _, v := range r.Variants {
		xs, ys = append(xs, v.Means[cost]), append(ys, v.Means[r.Primary])
	}
	x0, x1 := span(append(xs, 0)...)
	y0, y1 := span(ys...)
	p := newPlot("cost against quality", 420, 300, max(0, x0), x1, y0, y1)
	p.ticks(true, string(r.Primary))
	p.ticks(false, fmt.Sprintf("%s a case", cost))
	for i, v := range r.Variants {
		p.dot("dot "+series(i), p.x(xs[i]), p.y(ys[i]), 6, fmt.Sprintf("%s: %s %s, %s %s", v.Name, r.Primary, r.Primary.show(ys[i]), cost, cost.show(xs[i])))
		anchor, at := "start", p.x(xs[i])+10
		if xs[i] > (p.x0+p.x1)/2 {
			anchor, at = "end", p.x(xs[i])-10
		}
		beside := 0 // labels of points that lie together stand below each other
		for k := range i {
			if math.Abs(p.x(xs[k])-p.x(xs[i])) < 40 && math.Abs(p.y(ys[k])-p.y(ys[i])) < 12 {
				beside++
			}
		}
		p.text(at, min(p.y(ys[i])-8+13*float64(beside), p.height-p.low-2), anchor, clip(v.Name, 24))
	}
	return p.done()
}

// latencyPlot shows what share of the cases took at most how long, time on a scale of powers of ten. It is "" without
// times.
func (r *Report) latencyPlot() string {
	var ends []float64
	for _, v := range r.Variants {
		if n := len(v.latencies); n > 0 {
			ends = append(ends, math.Log10(max(v.latencies[0], .01)), math.Log10(max(v.latencies[n-1], .01)))
		}
	}
	if len(ends) == 0 {
		return ""
	}
	from, to := span(ends...)
	p := newPlot("latency distribution", 420, 300, from, to, 0, 1)
	p.ticks(true, "share of cases")
	for e := math.Ceil(from); e <= to; e++ {
		p.line("grid", p.x(e), p.top, p.x(e), p.height-p.low)
		p.text(p.x(e), p.height-p.low+16, "middle", fmt.Sprintf("%g ms", math.Pow(10, e)))
	}
	p.text((p.left+p.width-p.right)/2, p.height-6, "middle", "latency, at most")
	for i, v := range r.Variants {
		if len(v.latencies) == 0 {
			continue
		}
		fmt.Fprintf(&p.b, `<polyline class="curve %s" points="`, series(i))
		const points = 100
		for k := range points + 1 {
			q := float64(k) / points
			fmt.Fprintf(&p.b, "%s,%s ", coord(p.x(math.Log10(max(quantileOf(v.latencies, q), .01)))), coord(p.y(q)))
		}
		p.b.WriteString(`"/>`)
	}
	return p.done()
}
