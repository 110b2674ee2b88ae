package experiment

import (
	"fmt"
	"slices"

	"pflow/internal/stats"
)

// variant is one variant by itself.
func (x *results) variant(i int, metrics []Metric) VariantReport {
	v, t := x.variants[i], x.tally[i]
	out := VariantReport{
		Name: v.Name, Flow: v.FlowName, Hash: v.FlowHash, Model: v.Model, Levels: v.Levels, Rows: t.rows, Errors: t.errors,
		Means: map[Metric]float64{}, Medians: map[Metric]float64{}, Totals: map[Metric]float64{}, Outcomes: t.outcomes,
		PassK: x.passK(i), Carried: x.carriedBy(i),
	}
	for _, m := range metrics {
		list := means(x.values[m][i])
		if len(list) == 0 {
			continue
		}
		out.Means[m] = mean(list)
		slices.Sort(list)
		out.Medians[m] = quantileOf(list, .5)
		if m == Latency {
			out.Latency = &Quantiles{quantileOf(list, .5), quantileOf(list, .9), quantileOf(list, .99), list[len(list)-1]}
			out.latencies = list
		}
		if m == Calls || m == Tokens || m == CostUSD && x.unpriced(i) == 0 {
			for _, runs := range x.values[m][i] {
				out.Totals[m] += sum(runs)
			}
		}
		if c := t.micro[m]; c != nil && c.Expected > 0 {
			if out.Micro == nil {
				out.Micro = map[Metric]float64{}
			}
			out.Micro[m] = c.F1()
		}
	}
	return out
}

// score estimates the primary metric of a variant by itself.
func (x *results) score(i int) (*stats.Estimate, error) {
	list := make([]stats.Case, len(x.cases))
	for n, c := range x.cases {
		list[n] = stats.Case{ID: c.id, Group: c.group, A: x.values[x.spec.Primary][i][n]}
	}
	score, err := stats.Score(list, x.spec.Primary.Rate())
	if err != nil || score.Cases == 0 {
		return nil, err
	}
	return &score, nil
}

// passK gives pass^k for every k up to the number of repeats, over the cases that have that many runs.
func (x *results) passK(i int) []float64 {
	var out []float64
	for k := 1; k <= x.spec.Repeats; k++ {
		total, n := 0., 0
		for _, runs := range x.values[Pass][i] {
			if chance, err := stats.PassK(int(sum(runs)), len(runs), k); err == nil {
				total += chance
				n++
			}
		}
		if n == 0 {
			break
		}
		out = append(out, total/float64(n))
	}
	return out
}

// pair puts the values of one metric side by side.
func (x *results) pair(m Metric, a, b [][]float64) (stats.Paired, error) {
	list := make([]stats.Case, len(x.cases))
	for i, c := range x.cases {
		list[i] = stats.Case{ID: c.id, Group: c.group, A: a[i], B: b[i]}
	}
	return stats.Pair(list, m.Rate())
}

// compare holds every variant to the baseline.
func (x *results) compare(r *Report) error {
	type held struct {
		t     stats.TTest
		guard []stats.Checked
	}
	var all []held
	var ps []float64
	for i := 1; i < len(x.variants); i++ {
		c := Comparison{Variant: x.variants[i].Name, Diff: x.flowDiff(i), Guardrails: []stats.Checked{}, Metrics: []Difference{}}
		h := held{}
		for _, m := range r.Metrics {
			p, err := x.pair(m, x.values[m][0], x.values[m][i])
			if err != nil {
				return err
			}
			if p.Cases() == 0 && m != r.Primary {
				continue
			}
			d := Difference{Metric: m, Cases: p.Cases(), Missing: p.Missing, Baseline: p.MeanA(), Variant: p.MeanB(), TTest: p.TTest()}
			if !m.Rate() {
				median, ratio := p.Median(), p.Ratio()
				d.Median, d.Ratio = &median, &ratio
			}
			c.Metrics = append(c.Metrics, d)
			if m == r.Primary {
				h.t = d.TTest
				c.P, c.Differ = d.TTest.P, d.TTest.Differ
				if !x.brief {
					c.SignFlip = p.SignFlip(r.Seed, 0)
				}
				if least, ok := d.TTest.Detectable(stats.Power); ok {
					c.Detectable = &least
				}
			}
			if m == Pass {
				if mc, err := p.McNemar(); err == nil {
					c.McNemar = &mc
				}
			}
		}
		checked, err := x.guardrails(i)
		if err != nil {
			return err
		}
		h.guard, c.Guardrails = checked, append(c.Guardrails, checked...)
		if n := x.unpriced(0) + x.unpriced(i); n > 0 && r.Primary == CostUSD {
			h.guard = append(h.guard, notPriced(n))
		}
		if !x.brief {
			if err := x.differing(&c, i); err != nil {
				return err
			}
		}
		all, ps = append(all, h), append(ps, h.t.P)
		r.Comparisons = append(r.Comparisons, c)
	}
	r.adjustRatios()
	for i, p := range stats.Holm(ps) {
		c := &r.Comparisons[i]
		d := stats.Decide(all[i].t, stats.Rule{
			Metric: string(r.Primary), Unit: r.Primary.unit(), Comparisons: len(ps), Threshold: r.Effect, LowerWins: !r.Primary.More(), P: p, Guards: all[i].guard,
		})
		if d, c.unjudged = x.unjudged(r, i+1, all[i].guard, d); c.unjudged == "" {
			d, c.unjudged = x.unanswered(r, i+1, all[i].t.Mean, d)
		}
		c.PHolm, c.Verdict, c.Reason, c.Further = p, d.Verdict, d.Reason, d.Further
	}
	return nil
}

// adjustRatios adjusts the p values of all ratios together: of every metric that is paid for, in every comparison.
func (r *Report) adjustRatios() {
	var ratios []*stats.Ratio
	var ps []float64
	for _, c := range r.Comparisons {
		for _, d := range c.Metrics {
			if d.Ratio != nil {
				ratios, ps = append(ratios, d.Ratio), append(ps, d.Ratio.P)
			}
		}
	}
	for i, p := range stats.Holm(ps) {
		ratios[i].PHolm = p
	}
}

func (x *results) guardrails(i int) ([]stats.Checked, error) {
	var out []stats.Checked
	for _, g := range x.spec.Guardrails {
		if g.Metric.Timed() && !x.spec.Replies.Timed() {
			out = append(out, notTimed(string(g.Metric)))
			continue
		}
		if unknown := x.unheard(i, g.Metric); unknown != "" && g.Metric.Rate() {
			out = append(out, stats.Checked{Metric: string(g.Metric), State: stats.Unclear, Reason: unknown})
			continue
		}
		p, err := x.pair(g.Metric, x.values[g.Metric][0], x.values[g.Metric][i])
		if err != nil {
			return nil, err
		}
		c := stats.Guard{Metric: string(g.Metric), HigherWins: g.Metric.More(), Relative: g.Relative, Absolute: g.Absolute}.Check(p)
		if n := x.unpriced(0) + x.unpriced(i); n > 0 && g.Metric == CostUSD && c.State != stats.Broken {
			unknown := notPriced(n)
			unknown.Worse = c.Worse
			c = unknown
		}
		if unknown := x.unheard(i, g.Metric); unknown != "" && c.State == stats.Kept {
			c.State, c.Reason, c.Needed = stats.Unclear, unknown, 0
		}
		out = append(out, c)
	}
	return append(out, x.targets(i)...), nil
}

// notPriced is the guardrail of a cost that is not known: what is priced says nothing of the rest, and no further case
// makes up for that.
func notPriced(rows int) stats.Checked {
	return stats.Checked{Metric: string(CostUSD), State: stats.Unclear, Reason: fmt.Sprintf("%s unpriced, so that cost_usd is not known", counted(rows, "row"))}
}

// unpriced counts the rows of a variant that called models whose price is not known.
func (x *results) unpriced(variant int) int {
	n := 0
	for i, runs := range x.values[Pass][variant] { // every row has one
		n += len(runs) - len(x.values[CostUSD][variant][i])
	}
	return n
}

// factors gives the main effect of every level of every node's variants: the mean of a case over all variants that have
// it, against that over all that have the first level.
func (x *results) factors() ([]FactorEffect, error) {
	levels := map[string][]string{}
	var nodes []string
	for _, v := range x.variants {
		for node, level := range v.Levels {
			if levels[node] == nil {
				nodes = append(nodes, node)
			}
			if !slices.Contains(levels[node], level) {
				levels[node] = append(levels[node], level)
			}
		}
	}
	slices.Sort(nodes)
	var out []FactorEffect
	for _, node := range nodes {
		of := func(level string) [][]float64 {
			cases := make([][]float64, len(x.cases))
			for v := range x.variants {
				if x.variants[v].Levels[node] != level {
					continue
				}
				for i, runs := range x.values[x.spec.Primary][v] {
					if len(runs) > 0 {
						cases[i] = append(cases[i], mean(runs))
					}
				}
			}
			return cases
		}
		for _, level := range levels[node][1:] {
			p, err := x.pair(x.spec.Primary, of(levels[node][0]), of(level))
			if err != nil {
				return nil, err
			}
			out = append(out, FactorEffect{Node: node, Level: level, Versus: levels[node][0], TTest: p.TTest()})
		}
	}
	return out, nil
}
