package yamltree

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"pflow/internal/diag"
)

// The kinds of findings of a Decoder.
const (
	UnknownKey = "unknown-key"
	WrongKind  = "wrong-kind"
	MissingKey = "missing-key"
	BadValue   = "bad-value"
)

// Decoder reads a tree into Go values and collects what is wrong with it, each with its place. The methods that take
// the target first give a function for a Fields: what the value of a key is read with. What is wrong leaves the target as
// it was.
type Decoder struct {
	Found diag.List
	// Lenient makes keys that nobody reads warnings: the document may be of a later version.
	Lenient bool
	// NullIsAbsent takes a key whose value is null for one that is left out.
	NullIsAbsent bool
}

// Fields are what the values of the keys of a mapping are read with.
type Fields map[string]func(*Value)

// Report adds an error at a value. The finding may be added to until the next one is reported.
func (d *Decoder) Report(at *Value, kind, format string, args ...any) *diag.Finding {
	d.Found = append(d.Found, at.Error(kind, fmt.Sprintf(format, args...)))
	return &d.Found[len(d.Found)-1]
}

// Want reports a value that is of another kind; what says what it should be, such as "a list of tests".
func (d *Decoder) Want(v *Value, kind Kind, what string) bool {
	if v.Kind != kind {
		d.Report(v, WrongKind, "want %s, got %s", what, v.Kind)
	}
	return v.Kind == kind
}

// Mapping reads each key of a mapping with its field, in the order of the document, and reports keys that have none.
// what says what the mapping is, such as "a variant: {name, flow}".
func (d *Decoder) Mapping(v *Value, what string, fields Fields) {
	if !d.Want(v, Map, what) {
		return
	}
	for _, e := range v.Entries {
		switch read := fields[e.Key]; {
		case read == nil:
			names := slices.Sorted(maps.Keys(fields))
			f := d.Report(e.Name, UnknownKey, "there is no key %q here", e.Key)
			f.Suggestion, f.Alternatives = diag.Nearest(e.Key, names), names
			if d.Lenient {
				f.Severity, f.Message = diag.Warning, f.Message+"; it is ignored"
			}
		case e.Value.Kind == Null && d.NullIsAbsent:
		default:
			read(e.Value)
		}
	}
}

// Every is Mapping where each of the keys has to be there.
func (d *Decoder) Every(v *Value, what string, fields Fields) {
	d.Mapping(v, what, fields)
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if v.Kind == Map && v.Get(key) == nil {
			d.Report(v, MissingKey, "the key %q is missing: want %s", key, what)
		}
	}
}

// Words reads a text of words as the set of them.
func (d *Decoder) Words(to *map[string]bool) func(*Value) {
	return func(v *Value) {
		var text string
		d.Text(&text)(v)
		*to = map[string]bool{}
		for _, w := range strings.Fields(text) {
			(*to)[w] = true
		}
	}
}

// Each reads the items of a list.
func (d *Decoder) Each(v *Value, what string, read func(*Value)) {
	if !d.Want(v, Seq, what) {
		return
	}
	for _, item := range v.Items {
		read(item)
	}
}

// Named reads the entries of a mapping whose keys are names.
func (d *Decoder) Named(v *Value, what string, read func(Entry)) {
	if !d.Want(v, Map, what) {
		return
	}
	for _, e := range v.Entries {
		if e.Value.Kind != Null || !d.NullIsAbsent {
			read(e)
		}
	}
}

// Text reads text that says something.
func (d *Decoder) Text(to *string) func(*Value) {
	return func(v *Value) {
		if !d.Want(v, String, "text") {
			return
		}
		if strings.TrimSpace(v.Text) == "" {
			d.Report(v, BadValue, "this text is empty; leave the key out, or say something")
			return
		}
		*to = v.Text
	}
}

// Written reads a scalar as it is written: a name that looks like a number is text, and text may be empty.
func (d *Decoder) Written(to *string) func(*Value) {
	return func(v *Value) {
		if v.Kind == Seq || v.Kind == Map || v.Kind == Null {
			d.Want(v, String, "text")
			return
		}
		*to = v.Text
	}
}

// Truth reads true or false.
func (d *Decoder) Truth(to *bool) func(*Value) {
	return func(v *Value) {
		if d.Want(v, Bool, "true or false") {
			*to = v.Scalar.(bool)
		}
	}
}

// Whole reads a whole number of at least least.
func (d *Decoder) Whole(to *int, least int) func(*Value) { return d.Within(to, least, math.MaxInt) }

// Within reads a whole number from least to most.
func (d *Decoder) Within(to *int, least, most int) func(*Value) {
	return func(v *Value) {
		if !d.Want(v, Int, "a whole number") {
			return
		}
		switch n := v.Scalar.(int); {
		case n < least:
			d.Report(v, BadValue, "want at least %d", least)
		case n > most:
			d.Report(v, BadValue, "want at most %d", most)
		default:
			*to = n
		}
	}
}

// Number reads a number of at least least.
func (d *Decoder) Number(to *float64, least float64) func(*Value) {
	return func(v *Value) {
		n, ok := v.Scalar.(float64)
		if i, whole := v.Scalar.(int); whole {
			n, ok = float64(i), true
		}
		switch {
		case !ok:
			d.Report(v, WrongKind, "want a number, got %s", v.Kind)
		case n < least:
			d.Report(v, BadValue, "want at least %v", least)
		default:
			*to = n
		}
	}
}

// OneOf reads one of the names given.
func (d *Decoder) OneOf(to *string, names ...string) func(*Value) {
	return func(v *Value) {
		var text string
		if d.Text(&text)(v); text == "" {
			return
		}
		if !slices.Contains(names, text) {
			d.Report(v, BadValue, "want one of: %s; got %q", strings.Join(names, ", "), text).Suggestion = diag.Nearest(text, names)
			return
		}
		*to = text
	}
}

// Texts reads a list of texts, or one text.
func (d *Decoder) Texts(to *[]string) func(*Value) {
	return func(v *Value) {
		items := []*Value{v}
		if v.Kind != String {
			if !d.Want(v, Seq, "a list of texts") {
				return
			}
			items = v.Items
		}
		*to = []string{}
		for _, item := range items {
			var text string
			if d.Text(&text)(item); text != "" {
				*to = append(*to, text)
			}
		}
	}
}

// Object reads a mapping as a plain value.
func (d *Decoder) Object(to *map[string]any) func(*Value) {
	return func(v *Value) {
		if d.Want(v, Map, "a mapping") {
			*to = v.Plain().(map[string]any)
		}
	}
}

// Plain reads any value.
func Plain(to *any) func(*Value) { return func(v *Value) { *to = v.Plain() } }

// Keep keeps a value as it stands in the tree.
func Keep(to **Value) func(*Value) { return func(v *Value) { *to = v } }
