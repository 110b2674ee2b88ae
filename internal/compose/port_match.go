package compose

import (
	"slices"
	"strings"

	"pflow/internal/value"
	"pflow/ir"
)

// takesAnything reports whether an input takes whatever an earlier step gives.
func takesAnything(p ir.Port) bool { return p.Required && p.Kind == "" && isPayload(lastPart(p.Key)) }

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
	case numeric(in.Type), in.Type == value.Array:
		return out.Type == value.String
	}
	return false
}

// fits says how well an output that is compatible suits an input that has no value of its own.
func (c *composer) fits(out, in *ir.Port, of *ir.Interface) float64 {
	gives := isPayload(lastPart(out.Key))
	if takesAnything(*in) {
		s := c.w.anything
		if gives {
			s += c.w.givesIt
		}
		if out.Type == value.Boolean {
			s += c.w.onlyAFlag
		}
		return s
	}
	s := c.named(out, in, of)
	if out.Type == in.Type {
		s += c.w.sameType
	}
	if isPayload(lastPart(in.Key)) {
		s += c.w.anyKind
		if gives {
			s += c.w.givesItKind
		}
		if out.Type == value.Boolean || out.Type == value.Integer {
			s += c.w.onlyANumber
		}
	}
	return s
}

// named says how much the names of an output and an input, and what is said of them, are alike; 0 if they are not
// compatible.
func (c *composer) named(out, in *ir.Port, of *ir.Interface) float64 {
	if !compatible(out, in) {
		return 0
	}
	s := 0.0
	if out.Kind != "" && out.Kind == in.Kind {
		s += c.w.sameKind
	}
	a, b := c.keyStems(out.Key), c.keyStems(in.Key)
	switch both := shared(a, b); {
	case both == 0:
	case both == len(a) && both == len(b):
		s += c.w.sameKey
	case both == len(a) && len(a) > 1:
		s += c.w.wholeOutput
	case both == len(b):
		s += c.w.wholeInput
	case both == len(a):
		s += c.w.oneWord
	}
	about := c.stemsOf(in.Description)
	if shared(c.stemsOf(of.Name), about) >= c.w.nameWords {
		s += c.w.nameSaid
	}
	return s + min(c.w.mostSaid, c.w.wordSaid*float64(shared(c.stemsOf(out.Description), about)))
}

// keyStems are the stems of a key; a key of small words alone, such as to, is its own.
func (c *composer) keyStems(key string) []string {
	if stems := c.stemsOf(key); len(stems) > 0 {
		return stems
	}
	return []string{key}
}

// shared counts the stems of one list that the other has.
func shared(a, b []string) int {
	n := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			n++
		}
	}
	return n
}

// lastPart is the last part of a dotted key, or of one with underscores.
func lastPart(key string) string { return key[strings.LastIndexAny(key, "._")+1:] }
