package tune

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"pflow/engine"
	"pflow/internal/experiment"
)

// Dimension is one place of a flow and what may stand there.
type Dimension struct {
	Path   string
	Values []Value
	Now    int // the index of the one that stands there
}

// Value is one value of a Dimension: edits of the flow, or a prompt from a file. What stands there has neither.
type Value struct {
	Label   string // what people read: 0.6, or the name of a prompt
	Set     []engine.Setting
	Prompts []experiment.Prompts
}

// Candidate is an index into the values of each dimension.
type Candidate []int

// Space is all that is searched.
type Space []Dimension

// Baseline is the flow as it is.
func (s Space) Baseline() Candidate {
	c := make(Candidate, len(s))
	for i, d := range s {
		c[i] = d.Now
	}
	return c
}

// Size is how many candidates there are, the flow as it is among them; at most math.MaxInt.
func (s Space) Size() int {
	n := 1
	for _, d := range s {
		if n > math.MaxInt/len(d.Values) {
			return math.MaxInt
		}
		n *= len(d.Values)
	}
	return n
}

// Changes is how many values differ from those of the flow as it is.
func (s Space) Changes(c Candidate) int {
	n := 0
	for i, d := range s {
		if c[i] != d.Now {
			n++
		}
	}
	return n
}

// Label says what a candidate has else, such as "params.x=0.6 params.y=2".
func (s Space) Label(c Candidate) string {
	var parts []string
	for i, d := range s {
		if c[i] != d.Now {
			parts = append(parts, d.Path+"="+d.Values[c[i]].Label)
		}
	}
	if parts == nil {
		return "as it is"
	}
	return strings.Join(parts, " ")
}

// Variant is a candidate of an experiment: the flow of base with its edits.
func (s Space) Variant(c Candidate, base experiment.Variant, name string) experiment.Variant {
	v := base
	v.Name = name
	v.Set, v.Prompts = slices.Clone(base.Set), slices.Clone(base.Prompts)
	for i, d := range s {
		if c[i] != d.Now {
			v.Set = append(v.Set, d.Values[c[i]].Set...)
			v.Prompts = append(slices.Clone(d.Values[c[i]].Prompts), v.Prompts...) // the first that is found counts
		}
	}
	return v
}

// Draw gives n candidates other than the flow as it is: all there are, in the order of the grid, or as many drawn by the seed,
// each once.
func (s Space) Draw(n int, seed uint64) []Candidate {
	size := s.Size()
	var out []Candidate
	if n >= size-1 {
		c := make(Candidate, len(s))
		for {
			if s.Changes(c) > 0 {
				out = append(out, slices.Clone(c))
			}
			i := len(c) - 1
			for ; i >= 0; i-- {
				if c[i]++; c[i] < len(s[i].Values) {
					break
				}
				c[i] = 0
			}
			if i < 0 {
				return out
			}
		}
	}
	rng := rand.New(rand.NewPCG(seed, 0x74756e65))
	seen := map[string]bool{}
	for len(out) < n {
		c := make(Candidate, len(s))
		for i, d := range s {
			c[i] = rng.IntN(len(d.Values))
		}
		if label := s.Label(c); s.Changes(c) > 0 && !seen[label] {
			seen[label] = true
			out = append(out, c)
		}
	}
	return out
}
