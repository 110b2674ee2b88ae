package compose

import (
	"slices"
	"strings"

	"pflow/internal/value"
	"pflow/ir"
)

// How alike an output and an input are. Names of one meaning differ in most catalogues, so that no single sign decides.
const (
	sameKind     = 2.5
	sameKey      = 3.0
	wholeOutput  = 2.4 // the input's key holds the output's, of more than one word: skyId for originSkyId
	wholeInput   = 1.6 // the output's key holds the input's
	oneWord      = 1.4 // the input's key holds the output's, of one word
	nameSaid     = 1.2 // the input's description speaks of the component, by two words of its name
	wordSaid     = 0.3 // for each word that both descriptions have
	mostSaid     = 0.9 // for all of them
	sameType     = 0.4
	anything     = 2.0 // the input takes whatever there is to be said, written or sent
	anyKind      = 1.2 // the same, but it says of what kind
	givesIt      = 1.5 // and the output is named as what there is
	givesItKind  = 0.4
	onlyAFlag    = -1.0 // but the output says only whether it was done
	onlyANumber  = -0.6
	namedByWords = 2 // words of a component's name that make sure that it is meant
)

// payload are the keys of inputs that take whatever an earlier step gives, and of outputs that give it.
var payload = map[string]bool{"content": true, "text": true, "data": true, "body": true, "message": true, "input": true, "value": true, "values": true,
	"payload": true, "items": true, "stdin": true, "result": true, "response": true, "output": true, "stdout": true, "inputs": true, "list": true,
	"object": true}

// takesAnything reports whether an input takes whatever an earlier step gives.
func takesAnything(p ir.Port) bool { return p.Required && p.Kind == "" && payload[lastPart(p.Key)] }

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
	gives := payload[lastPart(out.Key)]
	if takesAnything(*in) {
		s := anything
		if gives {
			s += givesIt
		}
		if out.Type == value.Boolean {
			s += onlyAFlag
		}
		return s
	}
	s := c.named(out, in, of)
	if out.Type == in.Type {
		s += sameType
	}
	if payload[lastPart(in.Key)] {
		s += anyKind
		if gives {
			s += givesItKind
		}
		if out.Type == value.Boolean || out.Type == value.Integer {
			s += onlyANumber
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
		s += sameKind
	}
	a, b := c.keyStems(out.Key), c.keyStems(in.Key)
	switch both := shared(a, b); {
	case both == 0:
	case both == len(a) && both == len(b):
		s += sameKey
	case both == len(a) && len(a) > 1:
		s += wholeOutput
	case both == len(b):
		s += wholeInput
	case both == len(a):
		s += oneWord
	}
	about := c.stemsOf(in.Description)
	if shared(c.stemsOf(of.Name), about) >= namedByWords {
		s += nameSaid
	}
	return s + min(mostSaid, wordSaid*float64(shared(c.stemsOf(out.Description), about)))
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
