package experiment

import (
	"crypto/sha256"
	"path/filepath"
	"slices"

	"pflow/internal/fault"
	"pflow/internal/stats"
)

// Power is what the cases of an experiment can show, worked out before any of it runs.
type Power struct {
	Schema   string  `json:"schema"`
	Name     string  `json:"name"`
	Primary  Metric  `json:"primary"`
	Effect   float64 `json:"effect"`
	Cases    int     `json:"cases"`
	Clusters int     `json:"clusters"` // groups, and cases of no group
	Repeats  int     `json:"repeats"`
	Compared int     `json:"comparisons"`
	// Measured is the kept experiment that says how the differences of these cases vary; null if none does.
	Measured *PowerMeasured `json:"measured"`
	Rows     []PowerRow     `json:"rows"` // one if measured; else one for each assumption, none if there is nothing to assume
}

// PowerMeasured names two variants that were run on the same cases.
type PowerMeasured struct {
	Experiment string `json:"experiment"`
	Baseline   string `json:"baseline"`
	Variant    string `json:"variant"`
	Same       bool   `json:"same_names"` // those variants have the names of two that are to be compared
	Cases      int    `json:"cases"`      // that have a value under both
	Differ     int    `json:"differ"`
	Repeats    int    `json:"repeats"`
}

// PowerRow is what is shown if differences vary as they did, or if this share of the cases differs.
type PowerRow struct {
	Discordance *float64     `json:"discordance"`
	Chances     []PowerShows `json:"chances"`
}

// PowerShows is what is shown with one chance.
type PowerShows struct {
	Power      float64  `json:"power"`
	Difference *float64 `json:"difference"` // the smallest true difference; null if none
	Needed     *int     `json:"needed"`     // cases with which one of Effect is shown; null if none, or more than stats.MaxCases
}

// PowerSchema names the form of a Power.
const PowerSchema = "pflow.experiment-power/v1"

// The chances that are asked for, and the shares of differing cases that are assumed.
var (
	powerChances = []float64{.8, .95}
	discordances = []float64{.1, .2, .4}
)

// PlanPower works out what the cases of a spec would show. kept are the folders of kept experiments, the newest first; those
// that cannot be read, or have other cases, say nothing.
func PlanPower(spec *Spec, kept []string) (*Power, error) {
	if len(spec.Variants) < 2 {
		return nil, fault.New(fault.InvalidRequest, "power is that of a comparison, and there is one variant: give a second to compare it with")
	}
	p := &Power{Schema: PowerSchema, Name: spec.Name, Primary: spec.Primary, Effect: spec.Effect, Repeats: spec.Repeats, Compared: len(spec.Variants) - 1, Rows: []PowerRow{}}
	sums := map[string][32]byte{}
	groups := map[string]int{} // the place of each in sizes
	var sizes []int
	err := spec.eachCase(func(c Case) error {
		sums[c.ID] = sha256.Sum256([]byte(jsonText(c.raw)))
		at, seen := groups[c.Group]
		if !seen || c.Group == "" {
			at = len(sizes)
			groups[c.Group] = at
			sizes = append(sizes, 0)
		}
		sizes[at]++
		p.Cases++
		return nil
	})
	if err != nil {
		return nil, err
	}
	if p.Cases == 0 {
		return nil, fault.New(fault.InvalidRequest, "%s has no cases", spec.CasesFile)
	}
	p.Clusters = len(sizes)
	var seen stats.TTest
	for _, dir := range kept {
		if m, t := measured(dir, spec, sums); m != nil && (p.Measured == nil || m.Same) {
			p.Measured, seen = m, t
			if m.Same {
				break
			}
		}
	}
	switch {
	case p.Measured != nil:
		p.Rows = append(p.Rows, p.ofMeasured(seen))
	case spec.Primary.Rate():
		for _, share := range discordances {
			p.Rows = append(p.Rows, p.ofAssumed(stats.Discordant{Sizes: sizes, Share: share}))
		}
	}
	return p, nil
}

func (p *Power) ofMeasured(t stats.TTest) PowerRow {
	row := PowerRow{}
	for _, chance := range powerChances {
		s := PowerShows{Power: chance}
		if d, ok := t.Detectable(chance); ok && !(p.Primary.Rate() && d > 1) {
			s.Difference = &d
		}
		if n, ok := t.CasesToDecide(p.Effect, chance); ok {
			n = (n*p.Cases + t.Cases - 1) / t.Cases // as many more have no value
			s.Needed = &n
		}
		row.Chances = append(row.Chances, s)
	}
	return row
}

func (p *Power) ofAssumed(d stats.Discordant) PowerRow {
	row := PowerRow{Discordance: &d.Share}
	for _, chance := range powerChances {
		s := PowerShows{Power: chance}
		if least, ok := d.Detectable(chance); ok {
			s.Difference = &least
		}
		if t, ok := d.Test(p.Effect); ok {
			if n, ok := t.CasesToDecide(p.Effect, chance); ok {
				s.Needed = &n
			}
		}
		row.Chances = append(row.Chances, s)
	}
	return row
}

// measured finds two variants of a kept experiment over the same cases, those with the names of the spec's if there are.
// Nothing is said by an experiment that was not finished, or in which no case differs.
func measured(dir string, spec *Spec, sums map[string][32]byte) (best *PowerMeasured, test stats.TTest) {
	s, err := ReadStore(dir)
	if err != nil {
		return nil, test
	}
	defer s.Close()
	lines, err := s.caseLines()
	if err != nil || len(lines) != len(sums) || slices.ContainsFunc(lines, func(c caseLine) bool { return sums[c.id] != c.sum }) {
		return nil, test
	}
	x, err := collect(s)
	if err != nil || x.missing > 0 {
		return nil, test
	}
	named := func(v storedVariant) int {
		return slices.IndexFunc(spec.Variants, func(o Variant) bool { return o.Name == v.Name })
	}
	for i := range x.variants {
		for k := i + 1; k < len(x.variants); k++ {
			a, b := named(x.variants[i]), named(x.variants[k])
			same := a >= 0 && b >= 0 && (a == 0) != (b == 0) // the baseline comes first
			if best != nil && (best.Same || !same) {
				continue
			}
			pair, err := x.pair(spec.Primary, x.values[spec.Primary][i], x.values[spec.Primary][k])
			if err != nil || pair.Differ() == 0 {
				continue
			}
			t := pair.TTest()
			if _, ok := t.Detectable(stats.Power); !ok {
				continue
			}
			best, test = &PowerMeasured{
				Experiment: filepath.Base(dir), Baseline: x.variants[i].Name, Variant: x.variants[k].Name, Same: same,
				Cases: pair.Cases(), Differ: pair.Differ(), Repeats: x.spec.Repeats,
			}, t
		}
	}
	return best, test
}
