package experiment

import (
	"slices"

	"pflow/internal/diag"
	"pflow/internal/fault"
)

// CompareStores holds a variant of experiment B to one of experiment A, over the cases that are the same in both. ""
// stands for the last variant of each.
func CompareStores(a, b *Store, variantA, variantB string) (*Report, error) {
	left, err := collect(a)
	if err != nil {
		return nil, err
	}
	right, err := collect(b)
	if err != nil {
		return nil, err
	}
	i, err := left.find(variantA)
	if err != nil {
		return nil, err
	}
	k, err := right.find(variantB)
	if err != nil {
		return nil, err
	}
	x := join(left, i, right, k)
	if len(x.cases) == 0 {
		return nil, fault.New(fault.InvalidRequest, "the two experiments have no case in common that expects the same")
	}
	return x.report()
}

// find gives the index of a variant.
func (x *results) find(name string) (int, error) {
	if name == "" {
		return len(x.variants) - 1, nil
	}
	var names []string
	for _, v := range x.variants {
		names = append(names, v.Name)
	}
	if i := slices.Index(names, name); i >= 0 {
		return i, nil
	}
	return 0, fault.New(fault.NotFound, "%s has no variant %q; it has: %s", x.spec.Name, name, diag.Names(names, 12))
}

// join puts one variant of each side by side, in the order of A's cases.
func join(a *results, i int, b *results, k int) *results {
	spec := *a.spec
	spec.Name = a.spec.Name + " and " + b.spec.Name
	spec.Repeats = min(a.spec.Repeats, b.spec.Repeats)
	if b.spec.Replies.Kept() {
		spec.Replies = b.spec.Replies
	}
	va, vb := a.variants[i], b.variants[k]
	if va.Name == vb.Name {
		va.Name, vb.Name = va.Name+" (A)", vb.Name+" (B)"
	}
	spec.Targets = nil // those of what is held to A
	for _, t := range b.spec.Targets {
		if t.Variant == b.variants[k].Name {
			t.Variant = vb.Name
			spec.Targets = append(spec.Targets, t)
		}
	}
	va.Levels, vb.Levels = nil, nil
	out := &results{
		spec: &spec, variants: []storedVariant{va, vb}, values: map[Metric][][][]float64{},
		times:   make([][]nodeTimes, 2),
		silent:  make([][]int, 2),
		carried: make([][]Carried, 2),
		timed:   make([][]timings, 2),
		tally:   make([]tally, 2), // outcomes are told by each experiment's own report
		from:    []rowSource{{store: a.from[i].store, variant: a.from[i].variant}, {store: b.from[k].store, variant: b.from[k].variant}},
	}
	at := map[string]int{}
	for n, c := range b.cases {
		at[c.id] = n
	}
	for _, m := range Metrics {
		out.values[m] = make([][][]float64, 2)
	}
	for n, c := range a.cases {
		other, both := at[c.id]
		if !both || b.cases[other].sum != c.sum {
			continue
		}
		out.cases = append(out.cases, c)
		out.matrix = append(out.matrix, newMatrixRow(c, 0))
		out.matrix[len(out.matrix)-1].Cells = append(a.matrixOf(c.ord, i), b.matrixOf(b.cases[other].ord, k)...)
		out.from[0].ords = append(out.from[0].ords, c.ord)
		out.from[1].ords = append(out.from[1].ords, b.cases[other].ord)
		out.silent[0], out.silent[1] = append(out.silent[0], a.silent[i][n]), append(out.silent[1], b.silent[k][other])
		out.carried[0], out.carried[1] = append(out.carried[0], a.carried[i][n]), append(out.carried[1], b.carried[k][other])
		out.timed[0], out.timed[1] = append(out.timed[0], a.timed[i][n]), append(out.timed[1], b.timed[k][other])
		out.times[0], out.times[1] = append(out.times[0], nil), append(out.times[1], b.times[k][other])
		for _, m := range Metrics {
			out.values[m][0] = append(out.values[m][0], a.values[m][i][n])
			out.values[m][1] = append(out.values[m][1], b.values[m][k][other])
		}
		for v, rows := range []struct{ n, failed int }{{len(a.values[Pass][i][n]), a.failed[i][n]}, {len(b.values[Pass][k][other]), b.failed[k][other]}} {
			out.tally[v].rows += rows.n
			out.tally[v].errors += rows.failed
		}
	}
	out.from[0].joined, out.from[1].joined = out.from[0].ords, out.from[1].ords
	out.rows = out.tally[0].rows + out.tally[1].rows
	out.all = len(out.cases)
	out.left = len(a.cases) + len(b.cases) - 2*len(out.cases)
	out.errors = out.tally[0].errors + out.tally[1].errors
	return out
}
