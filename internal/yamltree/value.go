// Package yamltree reads YAML into a tree in which every value knows its place. It is the only package that knows the
// YAML library. Of YAML it takes what version 1.2's core schema and JSON share: null, booleans, integers of 64 bits,
// finite numbers, text, lists and mappings with text keys. Anchors and aliases work; an alias shares the value of its
// anchor, so findings point at the anchor. Refused, each with its place: tags that say something else than the value
// is, merge keys (<<), keys that are no text, duplicate keys, NaN and infinities, a second document.
//
// Dates, yes, no, on and off are text, and 0777 is 777, as in YAML 1.2.
//
// Values are shared and must not be changed; whoever wants another tree copies the Value and sets its Entries or Items.
package yamltree

import "pflow/internal/diag"

// Kind is what a value is.
type Kind uint8

// The kinds of values.
const (
	Null Kind = iota
	Bool
	Int
	Float
	String
	Seq
	Map
)

// String is what messages call a value of this kind.
func (k Kind) String() string {
	return [...]string{"null", "a boolean", "an integer", "a number", "text", "a list", "a mapping"}[k]
}

// Value is one value of a document.
type Value struct {
	Kind    Kind
	Place   diag.Place // of its first character; of a quoted string the quote, of a block scalar the | or >
	Doc     *Document
	Scalar  any      // nil, bool, int, float64 or string; nil for Seq and Map
	Text    string   // of a string the string, of other scalars what is written
	Items   []*Value // of a Seq
	Entries []Entry  // of a Map, in document order
	style   style
	lead    int // bytes at the begin of Text that stand nowhere in the document, see After
}

// Entry is one key of a mapping with its value. Key is Name.Text, KeyPlace is Name.Place.
type Entry struct {
	Key      string
	KeyPlace diag.Place
	Name     *Value // the key as a value, for places
	Value    *Value
}

// style is how a scalar is written, which decides how At finds places in it.
type style uint8

const (
	plain style = iota
	singleQuoted
	doubleQuoted
	literal
	folded
)

// Get gives the value of a key, or nil if v is nil, no mapping or without the key. It looks at every key; whoever asks
// for many keys of a long mapping makes an index.
func (v *Value) Get(key string) *Value {
	if e := v.Entry(key); e != nil {
		return e.Value
	}
	return nil
}

// Entry gives the entry of a key, or nil.
func (v *Value) Entry(key string) *Entry {
	if v == nil {
		return nil
	}
	for i := range v.Entries {
		if v.Entries[i].Key == key {
			return &v.Entries[i]
		}
	}
	return nil
}

// After gives the text v with more before it, which nobody wrote. Its places are those of v.
func (v *Value) After(lead string) *Value {
	out := *v
	out.Text = lead + v.Text
	out.Scalar, out.lead = out.Text, v.lead+len(lead)
	return &out
}

// Plain gives the value in the forms of package value. It is nil for a nil Value.
func (v *Value) Plain() any {
	switch {
	case v == nil:
		return nil
	case v.Kind == Seq:
		out := make([]any, len(v.Items))
		for i, item := range v.Items {
			out[i] = item.Plain()
		}
		return out
	case v.Kind == Map:
		out := make(map[string]any, len(v.Entries))
		for _, e := range v.Entries {
			out[e.Key] = e.Value.Plain()
		}
		return out
	}
	return v.Scalar
}

// Snippet gives the source line of a place in the value's document, or "" if there is none worth showing.
func (v *Value) Snippet(p diag.Place) string {
	if v == nil || v.Doc == nil {
		return ""
	}
	return v.Doc.Snippet(p.Line)
}

// Error makes a finding of severity error at the value; a nil value gives one without a place.
func (v *Value) Error(kind, message string) diag.Finding {
	f := diag.Finding{Severity: diag.Error, Kind: kind, Message: message}
	if v != nil {
		f.Place, f.Snippet = v.Place, v.Snippet(v.Place)
	}
	return f
}
