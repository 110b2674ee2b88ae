package compose

import (
	"slices"

	"pflow/internal/mapparams"
	"pflow/internal/value"
	"pflow/ir"
)

// wire leads outputs to the inputs that have no value, and puts steps before where no earlier one gives it.
func (c *composer) wire() error {
	for n := 0; n < len(c.steps); n++ {
		s := c.steps[n]
		for _, p := range s.inputs {
			had, given := s.given[p.Key]
			if !p.Required || had.from != nil {
				continue
			}
			from, out, score := c.source(n, &p)
			if from != nil && (!given || c.rather(s, &p, had, score)) {
				s.given[p.Key] = binding{from: from, output: out}
				continue
			}
			if given {
				continue
			}
			if b, ok := c.sharedInput(n, p.Key); ok {
				s.given[p.Key] = b
				continue
			}
			if len(c.steps) >= mostSteps {
				continue
			}
			before, out, err := c.giver(s, &p)
			if err != nil {
				return err
			}
			if before != nil {
				s.given[p.Key] = binding{from: before, output: out}
				c.steps = slices.Insert(c.steps, n, before)
				n-- // the new step has inputs of its own; then this one goes on
				break
			}
		}
	}
	return nil
}

// rather reports whether an output is meant rather than the value that the request has for an input: the clause refers
// back, or the value is a file that another clause speaks of.
func (c *composer) rather(s *step, p *ir.Port, had binding, score float64) bool {
	if score >= c.w.sureWire && refersBack(c.Text[s.clause[0]:s.clause[1]]) {
		return true
	}
	return mapparams.IsMedium(p.Kind) && (had.at[0] < s.clause[0] || had.at[0] >= s.clause[1])
}

// sharedInput is the value that another step's input of the same key was given by the request.
func (c *composer) sharedInput(n int, key string) (binding, bool) {
	for k, s := range c.steps {
		if b, ok := s.given[key]; ok && k != n && b.from == nil {
			return b, true
		}
	}
	return binding{}, false
}

// source finds the output of an earlier step that fits an input best, the latest of equals.
func (c *composer) source(n int, p *ir.Port) (from *step, output string, score float64) {
	for k := n - 1; k >= 0; k-- {
		s := c.steps[k]
		for at, out := range s.of.Outputs {
			exact := out.Type == p.Type || out.Type == value.Any || p.Type == value.Any
			if !compatible(&out, p) || len(p.Enum) > 0 || c.steps[n].form != nil && !exact { // code takes what it says

				continue
			}
			fit := c.fits(&out, p, s.of) + c.spoken(c.steps[n], s, &out) - c.w.laterOutput*float64(at)
			if takesAnything(*p) {
				fit -= c.w.fartherOfAny * float64(n-1-k)
			} else {
				fit -= c.w.farther * float64(n-1-k)
			}
			if fit >= c.w.leastWire && fit > score {
				from, output, score = s, out.Key, fit
			}
		}
	}
	return from, output, score
}

// spoken weighs whether the clause of a step speaks of an output: mail the computed volume.
func (c *composer) spoken(s, from *step, out *ir.Port) float64 {
	own := c.stemsOf(s.text())
	clause := c.stemsOf(c.Text[s.clause[0]:s.clause[1]])
	share := func(name string) (had, all float64) {
		for _, stem := range c.stemsOf(name) {
			if slices.Contains(own, stem) || isPayload(stem) {
				continue
			}
			all++
			if slices.Contains(clause, stem) {
				had++
			}
		}
		return had, all
	}
	had, all := share(out.Key)
	if all == 0 {
		had, all = share(from.of.Name) // an output called result
	}
	if had == 0 || 2*had < all {
		return 0
	}
	return c.w.outputSpoken * had / all
}

// giver finds a component whose output an input names.
func (c *composer) giver(s *step, p *ir.Port) (*step, string, error) {
	if isPayload(lastPart(p.Key)) {
		return nil, "", nil // everything gives some text or data
	}
	var best *usage
	output, score := "", 0.0
	for _, other := range c.usages {
		if slices.ContainsFunc(c.steps, func(o *step) bool { return o.usage == other }) {
			continue
		}
		if other.of.Has(ir.Writes) || slices.ContainsFunc(other.inputs, func(in ir.Port) bool { return in.Required && in.Key == p.Key }) {
			continue // nobody asked for what it changes, or it wants the same
		}
		for at, out := range other.of.Outputs {
			if fit := c.named(&out, p, other.of) - c.w.laterOutput/2*float64(at); fit >= c.w.leastGiver && fit > score {
				best, output, score = other, out.Key, fit
			}
		}
	}
	if best == nil {
		return nil, "", nil
	}
	before := &step{usage: best, clause: [2]int{0, len(c.Text)}}
	values := len(c.taken)
	if err := c.bind([]*step{before}); err != nil {
		return nil, "", err
	}
	for _, in := range before.inputs {
		if _, given := before.given[in.Key]; in.Required && !given && !c.canGive(before, s, &in) {
			c.taken = c.taken[:values]
			return nil, "", nil // to ask for what it needs is no better than to ask for what it gives
		}
	}
	return before, output, nil
}

// canGive reports whether any other component gives an input of a step.
func (c *composer) canGive(s, but *step, p *ir.Port) bool {
	return slices.ContainsFunc(c.usages, func(other *usage) bool {
		return other != s.usage && other != but.usage && slices.ContainsFunc(other.of.Outputs, func(out ir.Port) bool {
			return c.named(&out, p, other.of) >= c.w.leastGiver
		})
	})
}
