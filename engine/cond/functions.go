package cond

import (
	"slices"
	"strings"
	"unicode"

	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/repair"
	"pflow/internal/value"
)

// Function describes a function that both languages have, for generated documentation.
type Function struct {
	Name, Signature, Doc string
	Example, Gives       string // an expression that is one in both languages, and its value as JSON, or the error
}

// Functions lists the functions that both languages have beside their own, in the order of documentation.
func Functions() []Function {
	out := make([]Function, len(shared))
	for i, f := range shared {
		out[i] = f.Function
	}
	return out
}

// function is one function for either language. Its arguments have been checked against params: they are normalised
// values of these types.
type function struct {
	Function
	params   []value.Type
	optional int                              // how many of params, from the end, may be left out
	literals map[int]func(text string) string // what is wrong with a text that is written out as this argument, or ""
	result   value.Type
	call     func(s *Scope, args []any) (any, error)
}

var shared = slices.Concat(basicFunctions, groupFunctions, roundingFunctions, regexFunctions, dateFunctions, csvFunctions, jsonTextFunctions, escapeFunctions)

var basicFunctions = []function{
	{
		Function: Function{"today", "today() string", `The day the run began, as in "2006-01-02".`, `today()`, `"2026-03-04"`},
		result:   value.String,
	},
	{
		Function: Function{"now", "now() string", "The instant the run began, in RFC 3339. It stays the same for the whole run, also after a resume.", `now()`, `"2026-03-04T05:06:07Z"`},
		result:   value.String,
	},
	{
		Function: Function{"fail", "fail(kind string, message string) any", "Fails with an error of this kind. The kinds limit and cancelled are refused.", `fail("not_found", "there is no such issue")`, `not_found: there is no such issue`},
		params:   []value.Type{value.String, value.String},
		literals: map[int]func(string) string{0: badFailKind},
		result:   value.Any,
		call:     func(_ *Scope, args []any) (any, error) { return nil, fail(args[0].(string), args[1].(string)) },
	},
	{
		Function: Function{"to_json", "to_json(x any) string", "The value as JSON: keys sorted, no spaces.", `to_json({"b": 1, "a": [true]})`, `"{\"a\":[true],\"b\":1}"`},
		params:   []value.Type{value.Any},
		result:   value.String,
		call:     func(s *Scope, args []any) (any, error) { return toJSON(s, args[0]) },
	},
	{
		Function: Function{"parse_json", "parse_json(s string) any", "Reads exactly one JSON value; anything else is an error of kind malformed.", `parse_json("{\"a\": 1}").a`, `1`},
		params:   []value.Type{value.String},
		result:   value.Any,
		call:     func(s *Scope, args []any) (any, error) { return parseJSON(s, args[0].(string)) },
	},
	{
		Function: Function{"repair_json", "repair_json(s string) any", "Reads the JSON a model meant: inside fences or prose, with Python literals, trailing commas, comments, missing quotes or a cut-off end. It never invents a key. Null if there is nothing to read.", `repair_json("Here it is: {a: 1,}")`, `{"a":1}`},
		params:   []value.Type{value.String},
		result:   value.Any,
		call: func(s *Scope, args []any) (any, error) {
			if err := s.pay(args[0], cuts); err != nil {
				return nil, err
			}
			v, err := repair.JSON(args[0].(string))
			if err != nil {
				return nil, nil // the caller asks; parse_json insists
			}
			return v, nil
		},
	},
	{
		Function: Function{"merge", "merge(a object, b object) object", "The keys of both, one level deep; where both have a key, b wins.", `merge({"a": 1, "b": 1}, {"b": 2})`, `{"a":1,"b":2}`},
		params:   []value.Type{value.Object, value.Object},
		result:   value.Object,
		call: func(_ *Scope, args []any) (any, error) {
			return value.Merge(args[0].(map[string]any), args[1].(map[string]any)), nil
		},
	},
	{
		Function: Function{"slug", "slug(s string) string", `A name made from text: lower case, letters and digits joined by single hyphens, as in "fix-issue-12".`, `slug("Fix issue #12!")`, `"fix-issue-12"`},
		params:   []value.Type{value.String},
		result:   value.String,
		call: func(s *Scope, args []any) (any, error) {
			if err := s.pay(args[0], 2*converts); err != nil {
				return nil, err
			}
			return slug(args[0].(string)), nil
		},
	},
	{
		Function: Function{"split_lines", "split_lines(s string) array", `The lines of a text without their line breaks. A line break at the end begins no line more, and an empty text has no lines.`, `split_lines("a\nb\n")`, `["a","b"]`},
		params:   []value.Type{value.String},
		result:   value.Array,
		call:     func(s *Scope, args []any) (any, error) { return splitLines(s, args[0].(string)) },
	},
	{
		Function: Function{"join_lines", "join_lines(list array) string", `A text with a line break after each string of the list.`, `join_lines(["a", "b"])`, `"a\nb\n"`},
		params:   []value.Type{value.Array},
		result:   value.String,
		call: func(s *Scope, args []any) (any, error) {
			text, err := join(s, []any{args[0], "\n"})
			if err != nil || len(args[0].([]any)) == 0 {
				return text, err
			}
			return text.(string) + "\n", nil
		},
	},
	{
		Function: Function{"split_words", "split_words(s string) array", `The words of a text: what stands between spaces, tabs and line breaks.`, `split_words("a  b\nc")`, `["a","b","c"]`},
		params:   []value.Type{value.String},
		result:   value.Array,
		call:     func(s *Scope, args []any) (any, error) { return parts(s, args[0].(string), strings.Fields) },
	},
}

func splitLines(s *Scope, text string) (any, error) {
	if text == "" {
		return []any{}, nil
	}
	return parts(s, text, func(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") })
}

// parts pays for a text that is cut, and gives the parts as a list.
func parts(s *Scope, text string, cut func(string) []string) (any, error) {
	if err := s.spend(len(text)); err != nil {
		return nil, err
	}
	found := cut(text)
	out := make([]any, len(found))
	for i, part := range found {
		out[i] = part
	}
	return out, nil
}

var sharedByName = func() map[string]*function {
	names := map[string]*function{}
	for i, f := range shared {
		names[f.Name] = &shared[i]
	}
	return names
}()

// badLiteral says what is wrong with a text that is written out as argument i of a function, or "".
func badLiteral(name string, i int, text string) string {
	if f := sharedByName[name]; f != nil && f.literals[i] != nil {
		return f.literals[i](text)
	}
	return ""
}

// nearestFunction is the function that was probably meant: of several one of the flow's own, or one that both languages
// have.
func (e *Env) nearestFunction(name string, functions []string) string {
	var own []string
	for _, f := range e.Funcs {
		own = append(own, f.Name)
	}
	if near := diag.Nearest(name, own); near != "" {
		return near
	}
	if near := diag.Nearest(name, value.SortedKeys(sharedByName)); near != "" {
		return near
	}
	return diag.Nearest(name, functions)
}

// fail is the error that an expression asks for.
func fail(kind, message string) error {
	if reason := badFailKind(kind); reason != "" {
		return fault.New(fault.Type, "%s", reason)
	}
	return fault.New(fault.Kind(kind), "%s", message)
}

// badFailKind says why fail() cannot raise a kind, or "".
func badFailKind(kind string) string {
	if k := fault.Kind(kind); k == fault.Limit || k == fault.Cancelled {
		return "fail cannot raise the kind " + kind + ": only the engine ends a run that way"
	}
	ok := kind != "" && kind[0] >= 'a' && kind[0] <= 'z'
	for i := 0; i < len(kind) && ok; i++ {
		c := kind[i]
		ok = c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_'
	}
	if !ok {
		return "fail needs a kind such as \"not_found\": lower-case letters, digits and underscores; got " + value.JSON(kind)
	}
	return ""
}

func parseJSON(s *Scope, text string) (any, error) {
	if err := s.pay(text, parses); err != nil {
		return nil, err
	}
	return value.ParseJSON([]byte(text))
}

func toJSON(s *Scope, v any) (any, error) {
	if !small(v) {
		return nil, tooMuchWork()
	}
	text := value.JSON(v)
	if err := s.text(len(text)); err != nil {
		return nil, err
	}
	if err := s.pay(text, converts); err != nil {
		return nil, err
	}
	return text, nil
}

// slug keeps ASCII letters and digits, folds the accented Latin letters to their base, and turns every run of anything
// else into one hyphen. Text without any gives "".
func slug(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(s) {
		text := latin[r]
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			text = string(r)
		case text == "" && unicode.Is(unicode.Mn, r), r == '\'', r == '’':
			continue // an accent of its own, or an apostrophe, parts no word
		case text == "":
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteString(text)
	}
	return b.String()
}

// latin gives the base of the lower-case Latin letters that European languages use.
var latin = func() map[rune]string {
	m := map[rune]string{}
	for base, letters := range map[string]string{
		"a": "àáâãäåāăą", "ae": "æ", "c": "çćĉċč", "d": "ďđð", "e": "èéêëēĕėęě", "g": "ĝğġģ", "h": "ĥħ", "i": "ìíîïĩīĭįı",
		"j": "ĵ", "k": "ķ", "l": "ĺļľŀł", "n": "ñńņňŋ", "o": "òóôõöøōŏő", "oe": "œ", "r": "ŕŗř", "s": "śŝşšș", "ss": "ß",
		"t": "ţťŧț", "th": "þ", "u": "ùúûüũūŭůűų", "w": "ŵ", "y": "ýÿŷ", "z": "źżž",
	} {
		for _, r := range letters {
			m[r] = base
		}
	}
	return m
}()

// argument checks one argument against the type a function takes, in the forms of value; null fits only any.
func argument(s *Scope, name string, v any, want value.Type) (any, error) {
	if err := s.walk(v); err != nil {
		return nil, err
	}
	v, err := value.Normalize(v)
	if err != nil {
		return nil, err
	}
	switch got := value.TypeOf(v); {
	case want == value.Any, got == want && v != nil, want == value.Number && got == value.Integer:
		return v, nil
	}
	return nil, fault.New(fault.Type, "%s takes %s, got %s", name, withArticle(string(want)), describe(v))
}
