package compose

import (
	"slices"
	"strings"

	"pflow/internal/mapparams"
	"pflow/internal/value"
	"pflow/ir"
)

// The least score with which an output of an earlier step is led to an input, and with which a component is put before.
const (
	leastWire  = 1.0
	leastGiver = 2.8
	sureWire   = 3.0 // from here on a clause that refers back means the output, not a value of the request
)

// wire leads outputs to the inputs that have no value, and puts steps before where no earlier one gives it.
func (c *composer) wire() {
	for n := 0; n < len(c.steps); n++ {
		s := c.steps[n]
		for _, p := range s.inputs {
			if !p.Required {
				continue
			}
			had, given := s.given[p.Key]
			from, out, score := c.source(n, &p)
			if from != nil && (!given || c.rather(s, &p, had, score)) {
				s.given[p.Key] = binding{from: from, output: out}
				continue
			}
			if given {
				continue
			}
			if b, ok := c.shared(n, p.Key); ok {
				s.given[p.Key] = b
				continue
			}
			if len(c.steps) >= mostSteps {
				continue
			}
			if before, out := c.giver(s, &p); before != nil {
				s.given[p.Key] = binding{from: before, output: out}
				c.steps = slices.Insert(c.steps, n, before)
				c.bind(c.steps[n : n+1])
				n-- // the new step has inputs of its own; then this one goes on
				break
			}
		}
	}
}

// rather reports whether an output is meant rather than the value that the request has for an input: the clause refers
// back, or the value is a file that another clause speaks of.
func (c *composer) rather(s *step, p *ir.Port, had binding, score float64) bool {
	if score >= sureWire && refersBack(c.request[s.clause[0]:s.clause[1]]) {
		return true
	}
	return mapparams.IsMedium(p.Kind) && (had.at[0] < s.clause[0] || had.at[0] >= s.clause[1])
}

// shared is the value that another step's input of the same key was given by the request.
func (c *composer) shared(n int, key string) (binding, bool) {
	for k, s := range c.steps {
		if b, ok := s.given[key]; ok && k != n && b.from == nil {
			return b, true
		}
	}
	return binding{}, false
}

// source finds the output of an earlier step that fits an input best, the latest of equals.
func (c *composer) source(n int, p *ir.Port) (from *step, output string, score float64) {
	if payload[lastPart(p.Key)] && p.Kind == "" {
		return c.latest(n, p)
	}
	for k := n - 1; k >= 0; k-- {
		s := c.steps[k]
		for at, out := range s.of.Outputs {
			if fit := c.fits(&out, p, s.of) - 0.15*float64(n-1-k) - 0.1*float64(at); fit >= leastWire && fit > score {
				from, output, score = s, out.Key, fit
			}
		}
	}
	return from, output, score
}

// latest finds what the step before gives, for an input that takes whatever there is: the output that is named as such,
// else the first.
func (c *composer) latest(n int, p *ir.Port) (from *step, output string, score float64) {
	for k := n - 1; k >= 0 && from == nil; k-- {
		s := c.steps[k]
		for at, out := range s.of.Outputs {
			if !compatible(&out, p) || out.Kind != "" && p.Kind != "" && out.Kind != p.Kind {
				continue
			}
			fit := 2 - 0.1*float64(at)
			if payload[lastPart(out.Key)] {
				fit += 1.5
			}
			if out.Type == value.Boolean {
				fit--
			}
			if fit > score {
				from, output, score = s, out.Key, fit
			}
		}
	}
	return from, output, score
}

// giver finds a component whose output an input names.
func (c *composer) giver(s *step, p *ir.Port) (*step, string) {
	if payload[lastPart(p.Key)] {
		return nil, "" // everything gives some text or data
	}
	var best *part
	output, score := "", 0.0
	for _, other := range c.parts {
		if slices.ContainsFunc(c.steps, func(o *step) bool { return o.part == other }) {
			continue
		}
		if slices.ContainsFunc(other.inputs, func(in ir.Port) bool { return in.Required && in.Key == p.Key }) {
			continue // it wants the same
		}
		for at, out := range other.of.Outputs {
			if fit := c.named(&out, p, other.of) - 0.05*float64(at); fit >= leastGiver && fit > score {
				best, output, score = other, out.Key, fit
			}
		}
	}
	if best == nil {
		return nil, ""
	}
	return &step{part: best, clause: [2]int{0, len(c.request)}}, output
}

// compatible reports whether a value of one port can be given to another.
func compatible(out, in *ir.Port) bool {
	if out.Kind != "" && in.Kind != "" && out.Kind != in.Kind {
		return false
	}
	if out.Type == in.Type || out.Type == value.Any || in.Type == value.Any {
		return true
	}
	numeric := func(t value.Type) bool { return t == value.Integer || t == value.Number }
	switch {
	case numeric(out.Type) && numeric(in.Type):
		return true
	case in.Type == value.String:
		return numeric(out.Type) || out.Type == value.Object || out.Type == value.Array
	case numeric(in.Type):
		return out.Type == value.String
	case in.Type == value.Array:
		return out.Type == value.String
	}
	return false
}

// fits says how well an output suits an input that has no value of its own.
func (c *composer) fits(out, in *ir.Port, of *ir.Interface) float64 {
	if !compatible(out, in) || len(in.Enum) > 0 {
		return 0
	}
	s := c.named(out, in, of)
	if out.Type == in.Type {
		s += 0.4
	}
	if payload[lastPart(in.Key)] {
		s += 1.2 // it takes whatever there is to be said, written or sent
		if payload[lastPart(out.Key)] {
			s += 0.4
		}
		if out.Type == value.Boolean || out.Type == value.Integer {
			s -= 0.6
		}
	}
	return s
}

// payload are the keys of inputs that take whatever an earlier step gives, and of outputs that give it.
var payload = map[string]bool{"content": true, "text": true, "data": true, "body": true, "message": true, "input": true, "value": true, "values": true,
	"payload": true, "items": true, "stdin": true, "result": true, "response": true, "output": true, "stdout": true, "inputs": true, "list": true,
	"object": true}

// named says how much the names of an output and an input, and what is said of them, are alike.
func (c *composer) named(out, in *ir.Port, of *ir.Interface) float64 {
	if !compatible(out, in) {
		return 0
	}
	s := 0.0
	if out.Kind != "" && out.Kind == in.Kind {
		s += 2.5
	}
	a, b := c.stemsOf(out.Key), c.stemsOf(in.Key)
	if len(a) == 0 {
		a = []string{out.Key}
	}
	if len(b) == 0 {
		b = []string{in.Key}
	}
	common := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			common++
		}
	}
	switch {
	case common == len(a) && common == len(b):
		s += 3
	case common == len(a) && common > 0 && len(a) > 1:
		s += 2.4 // skyId for originSkyId
	case common == len(b) && common > 0:
		s += 1.6
	case common == len(a) && common > 0:
		s += 1.4
	}
	// The description may name the component that gives it.
	about := c.stemsOf(in.Description)
	of1 := c.stemsOf(of.Name)
	hits := 0
	for _, w := range of1 {
		if slices.Contains(about, w) {
			hits++
		}
	}
	if len(of1) > 1 && hits >= 2 {
		s += 1.2
	}
	shared := 0
	for _, w := range c.stemsOf(out.Description) {
		if slices.Contains(about, w) {
			shared++
		}
	}
	return s + min(0.9, 0.3*float64(shared))
}

// lastPart is the last part of a dotted key, or of one with underscores.
func lastPart(key string) string { return key[strings.LastIndexAny(key, "._")+1:] }
