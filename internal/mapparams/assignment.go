package mapparams

import (
	"cmp"
	"context"
	"math"
	"regexp"
	"slices"
	"strings"

	"pflow/internal/value"
)

// pair is an input and what could be its value.
type pair struct {
	input, candidate int
	score            float64
	gain             float64 // over the least that it needs
	value            any
}

const (
	mostPairs  = 10  // for one input
	beamWidth  = 48  // partial assignments kept
	checkEvery = 256 // candidates weighed between two looks at the context
	inversion  = 1.5 // what two values lose whose inputs are numbered the other way round
)

// assign gives inputs the values that suit them best as a whole: no part of the request is given out twice.
func (m *mapper) assign(ctx context.Context, r *Result) error {
	var lists [][]pair
	for i := range m.inputs {
		list, err := m.pairsOf(ctx, i, r)
		if err != nil {
			return err
		}
		if len(list) > 0 {
			lists = append(lists, list)
		}
	}
	// What is surest is settled first; what the beam drops then is what is least likely.
	slices.SortStableFunc(lists, func(a, b []pair) int { return cmp.Compare(b[0].gain, a[0].gain) })
	beam := []assignment{{}}
	for _, list := range lists {
		var next []assignment
		for _, a := range beam {
			next = append(next, a)
			for k := range list {
				if m.free(a.pairs, &list[k]) {
					next = append(next, assignment{append(slices.Clip(a.pairs), &list[k]), a.gain + list[k].gain - m.inverted(a.pairs, &list[k])})
				}
			}
		}
		slices.SortStableFunc(next, func(a, b assignment) int { return cmp.Compare(b.gain, a.gain) })
		beam = next[:min(len(next), beamWidth)]
	}
	for _, p := range beam[0].pairs {
		in, c := &m.inputs[p.input], &m.candidates[p.candidate]
		r.Extracted[in.Name] = p.value
		r.Taken[in.Name] = [2]int{c.start, c.end}
		r.Confidence = min(r.Confidence, 1-math.Exp(-p.score/2))
	}
	return nil
}

// assignment is what some of the inputs are given.
type assignment struct {
	pairs []*pair
	gain  float64
}

// pairsOf lists what could be the value of an input, best first.
func (m *mapper) pairsOf(ctx context.Context, i int, r *Result) ([]pair, error) {
	in := &m.inputs[i]
	if _, done := r.Extracted[in.Name]; done || in.Type == value.Boolean {
		return nil, nil
	}
	least := leastOptional
	if in.Required && !in.HasDefault {
		least = leastRequired
	}
	var out []pair
	for c := range m.candidates {
		if c%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if m.used(r, &m.candidates[c]) {
			continue
		}
		v, ok := m.convert(in, &m.candidates[c])
		if !ok {
			continue
		}
		if s := m.score(i, c); s >= least {
			out = append(out, pair{i, c, s, s - least + filled, v})
		}
	}
	slices.SortStableFunc(out, func(a, b pair) int { return cmp.Compare(b.score, a.score) })
	return out[:min(len(out), mostPairs)], nil
}

// filled is what it is worth that an input has a value at all.
const filled = 0.5

// free reports whether a pair takes nothing that others took. The ends of one period, and the parts of one day, are apart.
func (m *mapper) free(pairs []*pair, p *pair) bool {
	c := &m.candidates[p.candidate]
	for _, q := range pairs {
		d := &m.candidates[q.candidate]
		if c.start < d.end && c.end > d.start && !apart(c.part, d.part) {
			return false
		}
	}
	return true
}

// apart reports whether two values of one place are two things: the ends of a period, an amount and its currency.
func apart(a, b part) bool {
	return a != b && (a != wholePart && b != wholePart || a == unitPart || b == unitPart)
}

// inverted is what a pair loses with others that stand the other way round than their inputs are numbered: of num1 and num2
// the first takes what stands first.
func (m *mapper) inverted(pairs []*pair, p *pair) float64 {
	a := &m.inputs[p.input]
	if a.series == "" {
		return 0
	}
	lost := 0.0
	for _, q := range pairs {
		b := &m.inputs[q.input]
		if a.series == b.series && (a.place < b.place) != (m.candidates[p.candidate].start < m.candidates[q.candidate].start) {
			lost += inversion
		}
	}
	return lost
}

var seriesForm = regexp.MustCompile(`(?i)^(.*?)_?(\d|first|second|third|fourth|[abcxyz])(_.*)?$`)

// seriesOf reads the place of an input among others that are called the same: num1, point_b, first_name is of another sort.
func seriesOf(key string) (series string, place int) {
	m := seriesForm.FindStringSubmatch(key)
	if m == nil || len(m[2]) == 1 && !numeral(m[2]) && !strings.HasSuffix(m[1], "_") && !strings.Contains(key, "_"+m[2]) && len(key) > 1 {
		return "", 0
	}
	switch w := strings.ToLower(m[2]); w {
	case "first", "second", "third", "fourth":
		place = slices.Index([]string{"first", "second", "third", "fourth"}, w) + 1
	default:
		place = int(w[0])
	}
	return m[1] + "#" + m[3], place
}
