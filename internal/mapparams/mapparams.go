// Package mapparams takes the values of declared inputs from a request, without a model.
//
// What could be a value (what extract finds, names, lists, phrases) is weighed against each input: by type and kind, by
// the words beside it that the input's name and description have, by the preposition before it, and by the order in
// which both stand. The best pair is settled first; a value is given out once.
package mapparams

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pflow/internal/extract"
	"pflow/internal/retrieve"
	"pflow/internal/value"
	"pflow/ir"
)

// Input is a value that is wanted.
type Input struct {
	Name        string
	Key         string // what a component calls it, if that is another name; "" if not
	Type        value.Type
	Kind        string
	Description string
	Required    bool
	Default     any
	HasDefault  bool
	Enum        []any
	FromStdin   bool // takes what is piped in: for the caller, Map looks for a value like for any other
	// Step is what the step of a workflow that uses the input does, in words, and Order which one that is, from 1; 0 if
	// nothing is known. Values are looked for first in the clause that speaks of the step.
	Step  string
	Order int
}

// CommandLine is the kind of an array that is given a program and its arguments, word by word.
const CommandLine = "command-line"

// Result is what a request says of the inputs. Confidence is from 0 to 1: how sure the values are.
type Result struct {
	Extracted  map[string]any
	Missing    []Input // required inputs without a value, in the order given
	Confidence float64
	// Taken are the places in the request, as byte offsets, that values were taken from, by input.
	Taken map[string][2]int
}

// The least score with which an input takes a value. An optional input needs to be spoken of.
const (
	leastRequired = 0.9
	leastOptional = 2.2
)

// Map gives each input a value of the request. about says what is asked for, in words that are no values. It takes time
// linear in the request; the error is that of a context that ended.
func Map(ctx context.Context, request *Request, inputs []Input, about string) (Result, error) {
	r := Result{Extracted: map[string]any{}, Confidence: 1, Taken: map[string][2]int{}}
	m := newMapper(request, inputs, about)
	m.enums(&r)
	m.explained(&r)
	m.lines(&r)
	if err := m.assign(ctx, &r); err != nil {
		return Result{}, err
	}
	m.booleans(&r)
	for _, in := range inputs {
		if _, ok := r.Extracted[in.Name]; !ok && in.Required && !in.HasDefault {
			r.Missing = append(r.Missing, in)
		}
	}
	if n := len(r.Missing); n > 0 {
		r.Confidence *= 1 - float64(n)/float64(len(inputs))
	}
	return r, nil
}

// mapper is one call of Map.
type mapper struct {
	*Request
	inputs     []spec
	candidates []candidate
	covered    []bool         // the bytes of the request that are part of a candidate
	share      map[string]int // how many inputs have a word
	clauses    [][2]int
	wantsBoth  bool // one input takes a town and another the country or state that it lies in
}

// spec is an input with what its words say.
type spec struct {
	Input
	name     map[string]bool // stems of its name
	text     map[string]bool // stems of its description, examples left out
	examples map[string]bool // what its description gives as examples, in lower case
	wants    wants
	role     role
	clause   int             // where its step is spoken of; -1: anywhere
	words    bool            // takes a line word by word
	folder   bool            // is for a folder
	pattern  bool            // is a pattern of names
	series   string          // what inputs that are numbered have in common; "" if it is not numbered
	place    int             // which of them it is
	part     part            // the part of a day that it is called
	units    map[string]bool // what it is measured in
	currency bool            // it is the name of a currency
}

func newMapper(request *Request, inputs []Input, about string) *mapper {
	m := &mapper{Request: request, share: map[string]int{}, covered: make([]bool, len(request.Text))}
	for _, in := range inputs {
		s := spec{Input: in, name: map[string]bool{}, text: map[string]bool{}, clause: -1}
		plain, examples := splitExamples(in.Description)
		s.examples = examples
		for _, w := range retrieve.Words(in.key()) {
			if !numeral(w.Text) && (!w.Stop || w.Text == "from" || w.Text == "to") {
				s.name[w.Stem] = true
			}
		}
		for _, stem := range retrieve.Stems(plain) {
			s.text[stem] = true
		}
		for w := range merged(s.name, s.text) {
			m.share[w]++
		}
		s.words = in.Type == value.Array && in.Kind == CommandLine
		s.wants, s.role = wantsOf(in), cmp.Or(roleOfName(in.key()), roleOfName(in.Name))
		s.folder, s.pattern = folderWords.MatchString(in.Description) && !s.name["fil"], WantsPattern(in)
		s.part, s.units = partOf(in.key()), unitsOf(in.key(), plain)
		s.currency = in.Type == value.String && s.named("currency")
		s.series, s.place = seriesOf(in.key())
		if s.series != "" {
			s.series += "#" + strconv.Itoa(in.Order)
		}
		m.inputs = append(m.inputs, s)
	}
	m.wantsBoth = slices.ContainsFunc(m.inputs, func(s spec) bool { return s.named("city", "town") }) &&
		slices.ContainsFunc(m.inputs, func(s spec) bool { return s.named("country", "state", "province", "region", "county") })
	m.alignSteps()
	m.findCandidates(about)
	return m
}

// key is the name whose words say what an input is.
func (in *Input) key() string {
	if in.Key != "" {
		return in.Key
	}
	return in.Name
}

func merged(a, b map[string]bool) map[string]bool {
	out := make(map[string]bool, len(a)+len(b))
	for k := range a {
		out[k] = true
	}
	for k := range b {
		out[k] = true
	}
	return out
}

func numeral(s string) bool { return strings.Trim(s, "0123456789") == "" }

// used reports whether a part of a candidate was given out.
func (m *mapper) used(r *Result, c *candidate) bool {
	for _, t := range r.Taken {
		if c.start < t[1] && c.end > t[0] {
			return true
		}
	}
	return false
}

// convert brings a candidate to the form that an input has.
func (m *mapper) convert(in *spec, c *candidate) (any, bool) {
	if len(in.Enum) > 0 || !m.mayTake(in, c) {
		return nil, false // enums was there before
	}
	switch in.Type {
	case value.Integer, value.Number:
		n := in.numberOf(c)
		if n == nil {
			return nil, false
		}
		if f, ok := number(n); ok && c.is(extract.Percent) && in.Type == value.Number && in.fraction() {
			n = f / 100
		}
		if d := compassBehind.FindStringSubmatch(m.behind(c)); d != nil && in.named("latitude", "lat", "longitude", "lon", "lng", "long") && (d[1][0]|0x20 == 's' || d[1][0]|0x20 == 'w') {
			n = negative(n)
		}
		v, err := ir.Coerce(in.Type, n)
		return v, err == nil
	case value.Array:
		if in.words && c.list == nil && c.class != classList && c.number == nil {
			return splitWords(c.text), true
		}
		if in.words && len(c.list) == 1 {
			return splitWords(c.text), true
		}
		if c.list == nil {
			if in.Required && c.class != classPhrase && c.object == nil { // a list of one
				if n := c.number; n != nil && c.class == classEntity && !c.is(extract.Quoted) {
					return in.items([]any{n})
				}
				return in.items([]any{c.text})
			}
			return nil, false
		}
		return in.items(c.list)
	case value.Object:
		return c.object, c.object != nil
	case value.Boolean:
		return nil, false
	}
	if c.list != nil && c.class == classList || c.object != nil {
		return nil, false
	}
	if in.wants == wantsDuration && c.is(extract.DateRange) && c.part == wholePart && c.number != nil {
		return periodLead.ReplaceAllString(c.text, ""), true
	}
	if c.kind == extract.Path && in.pattern && c.ending {
		return "*" + c.text, true
	}
	if t, ok := c.instant(); ok {
		return formatDate(t, in.Description), true
	}
	text, _ := m.trimmed(in, c)
	return text, true
}

// items brings the items of a list to the type that an input's description says they have; not ok if they are of another.
func (s *spec) items(list []any) (v any, ok bool) {
	for k, item := range list {
		_, isNumber := number(item)
		switch {
		case numberItems.MatchString(s.Description) && !isNumber && reflect.TypeOf(item).Kind() == reflect.String:
			return nil, false
		case textItems.MatchString(s.Description) && isNumber:
			list = slices.Clone(list)
			list[k] = fmt.Sprint(item)
		}
	}
	return list, true
}

var (
	numberItems = regexp.MustCompile(`(?i)\b(?:list|array|items|series|set|vector|sequence)(?: of|:)? (?:\pL+ )?(?:integer|number|float|int)s?\b`)
	textItems   = regexp.MustCompile(`(?i)\b(?:list|array|items)(?: of|:)? (?:\pL+ )?(?:string|name|word|text)s?\b`)
)

// fraction reports whether an input takes a share of one and not of a hundred: its description says so, or it is a rate and
// nothing speaks of percent.
func (s *spec) fraction() bool {
	if decimalWords.MatchString(s.Description) {
		return true
	}
	if percentWords.MatchString(s.Description) || percentWords.MatchString(strings.ReplaceAll(s.key(), "_", " ")) {
		return false
	}
	if f, ok := number(s.Default); ok && f != 0 && math.Abs(f) >= 1 {
		return false
	}
	return s.name[retrieve.Stem("rate")] || fractionWords.MatchString(s.Description)
}

var (
	percentWords  = regexp.MustCompile(`(?i)percent|%`)
	decimalWords  = regexp.MustCompile(`(?i)\b(?:as an?|in) (?:decimal|fraction)`)
	fractionWords = regexp.MustCompile(`(?i)\b(?:decimal|fraction|proportion|between 0 and 1|0 to 1)\b`)
)

// number gives a number of any type.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// splitWords cuts a line as a command line.
func splitWords(line string) []any {
	out := []any{}
	for _, w := range strings.Fields(line) {
		out = append(out, strings.Trim(w, `"'`))
	}
	return out
}
