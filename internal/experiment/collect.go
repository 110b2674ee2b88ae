package experiment

import (
	"math"
	"slices"
)

// results are the numbers of an experiment, by metric, variant and case.
type results struct {
	spec     *Spec
	variants []storedVariant
	cases    []caseLine
	matrix   []MatrixRow              // of all cases, with those that have no row yet
	values   map[Metric][][][]float64 // metric -> variant -> case -> repeats
	times    [][]nodeTimes            // variant -> case -> target; those of its repeats together
	tally    []tally                  // of the variants
	diffs    [][]string               // of the variants: how its flow differs from the first
	failed   [][]int                  // variant -> case -> rows without an answer
	silent   [][]int                  // variant -> case -> those of them that failed for a model that gave no answer
	carried  [][]Carried              // variant -> case
	timed    [][]timings              // the same
	from     []rowSource              // of the variants
	rows     int
	errors   int
	all      int  // cases, with those that have no row yet
	missing  int  // rows that are still to be made
	left     int  // cases of one of two experiments that are not compared
	brief    bool // verdicts are wanted, and nothing beside them that takes time
}

// rowSource is where the rows of a variant are kept.
type rowSource struct {
	store   *Store
	variant int
	ords    []int // of the cases
	joined  []int // of the rows of the matrix, where two experiments are compared
}

// ordOf gives the case of a row of the matrix.
func (f *rowSource) ordOf(row int) int {
	if f.joined != nil {
		return f.joined[row]
	}
	return row
}

// detail reads what a row holds beside its numbers.
func (x *results) detail(variant, at, repeat int) (*detail, error) {
	f := x.from[variant]
	return f.store.detail(Key{f.ords[at], f.variant, repeat})
}

// tally counts what is no metric.
type tally struct {
	rows, errors int
	outcomes     map[string]map[string]int
	micro        map[Metric]*Counts
}

// collect reads the rows of an experiment. Plans and steps stay in the store.
func collect(s *Store) (*results, error) {
	spec, variants, err := s.Spec()
	if err != nil {
		return nil, err
	}
	out := &results{spec: spec, variants: variants, values: map[Metric][][][]float64{}, times: make([][]nodeTimes, len(variants))}
	if out.diffs, err = s.flowDiffs(); err != nil {
		return nil, err
	}
	lines, err := s.caseLines()
	if err != nil {
		return nil, err
	}
	out.all = len(lines)
	for _, c := range lines {
		out.matrix = append(out.matrix, newMatrixRow(c, len(variants)))
	}
	for _, m := range Metrics {
		out.values[m] = make([][][]float64, len(variants))
	}
	for i := range variants {
		out.from = append(out.from, rowSource{store: s, variant: i})
		out.failed = append(out.failed, nil)
		out.silent = append(out.silent, nil)
		out.carried = append(out.carried, nil)
		out.timed = append(out.timed, nil)
		out.tally = append(out.tally, tally{outcomes: map[string]map[string]int{}, micro: map[Metric]*Counts{NodeF1: {}, EdgeF1: {}, ParamF1: {}}})
	}
	err = s.eachRow(func(r *Row) error {
		c := lines[r.Case]
		out.matrix[r.Case].Cells[r.Variant].add(r)
		if n := len(out.cases); n == 0 || out.cases[n-1].ord != c.ord {
			out.cases = append(out.cases, c)
			for _, m := range Metrics {
				for v := range variants {
					out.values[m][v] = append(out.values[m][v], nil)
				}
			}
			for v := range variants {
				out.from[v].ords = append(out.from[v].ords, c.ord)
				out.failed[v] = append(out.failed[v], 0)
				out.silent[v] = append(out.silent[v], 0)
				out.carried[v] = append(out.carried[v], Carried{})
				out.timed[v] = append(out.timed[v], timings{})
				out.times[v] = append(out.times[v], nil)
			}
		}
		at := len(out.cases) - 1
		for m, v := range r.Values {
			of := &out.values[m][r.Variant][at]
			*of = append(*of, v)
		}
		out.addTimes(r.Variant, at, r.times)
		if r.ErrorKind != "" {
			out.failed[r.Variant][at]++
		}
		if ofModels[r.ErrorKind] {
			out.silent[r.Variant][at]++
		}
		out.carried[r.Variant][at].row(r)
		out.timed[r.Variant][at].row(r)
		out.count(c, r)
		return nil
	})
	out.missing = out.all*len(variants)*spec.Repeats - out.rows
	return out, err
}

// addTimes adds those of the nodes that have targets.
func (x *results) addTimes(variant, at int, times nodeTimes) {
	for _, t := range x.spec.Targets {
		if list := times[t.Node]; len(list) > 0 && t.Variant == x.variants[variant].Name {
			if x.times[variant][at] == nil {
				x.times[variant][at] = nodeTimes{}
			}
			x.times[variant][at][t.metric()] = append(x.times[variant][at][t.metric()], list...)
		}
	}
}

func (x *results) count(c caseLine, r *Row) {
	t := &x.tally[r.Variant]
	x.rows++
	t.rows++
	if r.ErrorKind != "" {
		x.errors++
		t.errors++
	}
	expected := c.expected
	if expected == "" {
		expected = "any"
	}
	if t.outcomes[expected] == nil {
		t.outcomes[expected] = map[string]int{}
	}
	t.outcomes[expected][r.Outcome]++
	if c.expected != OutcomeAbstain {
		t.micro[NodeF1].add(r.Nodes)
		t.micro[EdgeF1].add(r.Edges)
		t.micro[ParamF1].add(r.Param)
	}
}

// metrics are those that have values and say something: what is 0 in every row, as the cost of an experiment without
// models, is left out. Rows with replies from recordings have no times.
func (x *results) metrics() []Metric {
	var out []Metric
	for _, m := range Metrics {
		if x.spec.Metrics != nil && m != x.spec.Primary && !slices.Contains(x.spec.Metrics, m) {
			continue
		}
		if m == NetLatency && m != x.spec.Primary && !x.waited() {
			continue // the same as Latency
		}
		if m == Pass || m == x.spec.Primary || x.says(m) {
			out = append(out, m)
		}
	}
	return out
}

// waited reports whether any row waited for a rate limit.
func (x *results) waited() bool {
	for v := range x.variants {
		for i := range x.cases {
			if !slices.Equal(x.values[Latency][v][i], x.values[NetLatency][v][i]) {
				return true
			}
		}
	}
	return false
}

// asked reports whether a model was asked anything, as far as rows tell: where none was it does not matter where replies come from.
func (x *results) asked() bool { return x.says(Calls) || x.errors > 0 || x.rows == 0 }

func (x *results) says(m Metric) bool {
	for _, cases := range x.values[m] {
		for _, runs := range cases {
			if slices.ContainsFunc(runs, func(v float64) bool { return v != 0 || m.Rate() }) {
				return true
			}
		}
	}
	return false
}

// means are the means over repeats of the cases that have values.
func means(cases [][]float64) []float64 {
	var out []float64
	for _, runs := range cases {
		if len(runs) > 0 {
			out = append(out, mean(runs))
		}
	}
	return out
}

// mean is 0 for no values.
func mean(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	return sum(list) / float64(len(list))
}

func sum(list []float64) float64 {
	total := 0.
	for _, v := range list {
		total += v
	}
	return total
}

// quantileOf gives a quantile of sorted values, linear between neighbours.
func quantileOf(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	at := q * float64(len(sorted)-1)
	low := int(math.Floor(at))
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}
