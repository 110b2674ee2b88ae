package jsonedit

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// Read gives the value at a path, and its text as it stands. A key that a list is asked for is that of each of its objects, one that only
// an object further in has is that one. Errors are of kind malformed, or not_found.
func Read(doc []byte, p Path) (v any, text []byte, err error) {
	root, err := parse(doc)
	if err != nil {
		return nil, nil, err
	}
	at, _, _, err := root.find(p)
	if err != nil {
		if at = root.below(p); at == nil {
			return ofEach(doc, root, p, err)
		}
	}
	text = doc[at.start:at.end]
	v, err = value.ParseJSON(text)
	return v, text, err
}

// below is the value of the last key of a path, where the object at the path before has it not itself, but one object in it: city of
// {"address": {"city": "Rome"}}. It is nil if none has it, or several.
func (n *node) below(p Path) *node {
	if len(p) == 0 {
		return nil
	}
	key, isKey := p[len(p)-1].(string)
	within, _, _, err := n.find(p[:len(p)-1])
	if !isKey || err != nil || within.kind != '{' {
		return nil
	}
	var found *node
	several := false
	var look func(in *node)
	look = func(in *node) {
		for _, m := range in.members {
			if m.of.kind != '{' {
				continue
			}
			if place, err := m.of.place(key, nil); err == nil {
				several = several || found != nil
				found = m.of.members[place].of
			}
			look(m.of)
		}
	}
	if look(within); several {
		return nil
	}
	return found
}

// ofEach gives the value of a key of each object of a list, where a path leads through one: name of [{"name": "Ann"}].
func ofEach(doc []byte, root *node, p Path, lacks error) (any, []byte, error) {
	for i := range p {
		list, _, _, err := root.find(p[:i])
		if err != nil {
			break
		}
		if _, isKey := p[i].(string); !isKey || list.kind != '[' || len(list.members) == 0 {
			continue
		}
		out := []any{}
		for k, m := range list.members {
			of, _, _, err := m.of.find(p[i:])
			if err != nil {
				e := *fault.Of(err)
				e.Message = slices.Concat(p[:i], Path{k}).String() + ": " + e.Message
				return nil, nil, &e
			}
			v, err := value.ParseJSON(doc[of.start:of.end])
			if err != nil {
				return nil, nil, err
			}
			out = append(out, v)
		}
		return out, value.AppendJSON(nil, out), nil
	}
	return nil, nil, lacks
}

// Keys lists the keys of the object at a path, in their order.
func Keys(doc []byte, p Path) ([]string, error) {
	root, err := parse(doc)
	if err != nil {
		return nil, err
	}
	at, _, _, err := root.find(p)
	if err != nil {
		at = root.below(p)
	}
	if at == nil {
		return nil, err
	}
	keys := []string{}
	for _, m := range at.members {
		if at.kind == '{' {
			keys = append(keys, m.key)
		}
	}
	return keys, nil
}

// How Set takes a key.
type Mode int

// The modes.
const (
	Put    Mode = iota // whether it is there or not
	Change             // it has to be there
	Add                // it must not be there
)

// Set gives the value at a path. Objects on the way to it are made where they lack.
func Set(doc []byte, p Path, v any, mode Mode) ([]byte, error) {
	root, err := parse(doc)
	if err != nil {
		return nil, err
	}
	at, in, _, err := root.find(p)
	switch {
	case err == nil && mode == Add:
		return nil, fault.New(fault.InvalidRequest, "%s is there already: %s", p, clip(doc[at.start:at.end]))
	case err == nil:
		indent, unit := layout(doc, root, in)
		return splice(doc, at.start, at.end, render(v, indent, unit)), nil
	case mode == Change || fault.Of(err).Kind != fault.NotFound:
		return nil, err
	}
	n := root
	for i, part := range p {
		place, lacks := n.place(part, p[:i])
		if lacks == nil {
			n = n.members[place].of
			continue
		}
		key, isKey := part.(string)
		if !isKey || n.kind != '{' {
			return nil, lacks
		}
		for k := len(p) - 1; k > i; k-- {
			inner, isKey := p[k].(string)
			if !isKey {
				return nil, lacks
			}
			v = map[string]any{inner: v}
		}
		return put(doc, root, n, &key, v), nil
	}
	return nil, err
}

// Remove takes out the value at a path, with its key.
func Remove(doc []byte, p Path) ([]byte, error) {
	root, err := parse(doc)
	if err != nil {
		return nil, err
	}
	if len(p) == 0 {
		return nil, fault.New(fault.InvalidRequest, "the path to remove is empty: it is the whole document")
	}
	_, in, place, err := root.find(p)
	if err != nil {
		return nil, err
	}
	return take(doc, in, place), nil
}

// RemoveOfEach takes a key out of each object of the list at a path. found is how many have it.
func RemoveOfEach(doc []byte, p Path, key string) (out []byte, found int, err error) {
	root, err := parse(doc)
	if err != nil {
		return nil, 0, err
	}
	at, _, _, err := root.find(p)
	if err != nil {
		return nil, 0, err
	}
	if at.kind != '[' {
		return nil, 0, fault.New(fault.InvalidRequest, "%s is no list", p)
	}
	var last error
	for k := len(at.members) - 1; k >= 0; k-- { // from the end: the places before stay
		of := at.members[k].of
		place, err := of.place(key, append(slices.Clone(p), k))
		if err != nil {
			last = err
			continue
		}
		doc = take(doc, of, place)
		found++
	}
	if found == 0 && last != nil {
		return nil, 0, last
	}
	return doc, found, nil
}

// take takes out a member, with the comma that parts it from the others.
func take(doc []byte, in *node, place int) []byte {
	m := in.members[place]
	switch {
	case len(in.members) == 1:
		return splice(doc, in.start+1, in.end-1, nil)
	case place == len(in.members)-1:
		return splice(doc, in.members[place-1].of.end, m.of.end, nil)
	}
	return splice(doc, m.keyStart, in.members[place+1].keyStart, nil)
}

// Rename gives the key at the end of a path another name.
func Rename(doc []byte, p Path, name string) ([]byte, error) {
	root, err := parse(doc)
	if err != nil {
		return nil, err
	}
	_, in, place, err := root.find(p)
	switch {
	case err != nil:
		return nil, err
	case in == nil || in.kind != '{':
		return nil, fault.New(fault.InvalidRequest, "%s is no key, so it cannot be renamed", p)
	}
	for k, m := range in.members {
		if m.key == name && k != place {
			return nil, fault.New(fault.InvalidRequest, "there is a key %s already", value.JSON(name))
		}
	}
	m := in.members[place]
	return splice(doc, m.keyStart, m.keyEnd, value.AppendString(nil, name)), nil
}

// Append adds a value to the end of the list at a path, or the keys of an object to the object that is there, which has none of them.
func Append(doc []byte, p Path, v any) ([]byte, error) {
	root, err := parse(doc)
	if err != nil {
		return nil, err
	}
	at, _, _, err := root.find(p)
	switch {
	case err != nil:
		return nil, err
	case at.kind == '{':
		keys, isObject := v.(map[string]any)
		if !isObject {
			break
		}
		for _, key := range value.SortedKeys(keys) {
			if doc, err = Set(doc, slices.Concat(p, Path{key}), keys[key], Add); err != nil {
				return nil, err
			}
		}
		return doc, nil
	}
	if at.kind != '[' {
		return nil, fault.New(fault.InvalidRequest, "%s is no list, so nothing can be added to its end", p)
	}
	return put(doc, root, at, nil, v), nil
}

// put adds a member to the end of an object or a list, in the layout of those before.
func put(doc []byte, root, in *node, key *string, v any) []byte {
	var text []byte
	indent, unit := layout(doc, root, in)
	if key != nil {
		text = append(value.AppendString(text, *key), ':')
		if spaced(doc, root) {
			text = append(text, ' ')
		}
	}
	text = append(text, render(v, indent, unit)...)
	if n := len(in.members); n > 0 {
		between := []byte(", ")
		if indent != "" {
			between = []byte(",\n" + indent)
		} else if n > 1 {
			between = doc[in.members[n-2].of.end:in.members[n-1].keyStart]
		} else if !spaced(doc, root) {
			between = []byte(",")
		}
		return splice(doc, in.members[n-1].of.end, in.members[n-1].of.end, append(slices.Clone(between), text...))
	}
	if indent != "" {
		text = []byte("\n" + indent + string(text) + "\n" + strings.TrimSuffix(indent, unit))
	}
	return splice(doc, in.start+1, in.end-1, text)
}

// layout is how the members of an object or a list are indented, and by how much each level is; both are "" where a document
// is not written in lines.
func layout(doc []byte, root, in *node) (indent, unit string) {
	if in == nil {
		in = root
	}
	unit = lineIndent(doc, root)
	if unit == "" {
		return "", ""
	}
	if len(in.members) > 0 {
		return lineIndent(doc, in), unit
	}
	line := doc[:in.start]
	line = line[bytes.LastIndexByte(line, '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))]) + unit, unit
}

// lineIndent is what stands before the first member on its line; "" if it does not begin a line.
func lineIndent(doc []byte, in *node) string {
	if len(in.members) == 0 {
		return ""
	}
	before := doc[in.start+1 : in.members[0].keyStart]
	if k := bytes.LastIndexByte(before, '\n'); k >= 0 {
		return string(before[k+1:])
	}
	return ""
}

// spaced reports whether a blank stands behind the colons of a document.
func spaced(doc []byte, n *node) bool {
	for _, m := range n.members {
		if n.kind == '{' {
			return m.of.start-m.keyEnd > 1
		}
		if len(m.of.members) > 0 {
			return spaced(doc, m.of)
		}
	}
	return lineIndent(doc, n) != ""
}

func render(v any, indent, unit string) []byte {
	text := value.AppendJSON(nil, v)
	if indent == "" {
		return text
	}
	var b bytes.Buffer
	if json.Indent(&b, text, indent, unit) != nil {
		return text
	}
	return b.Bytes()
}

func splice(doc []byte, from, to int, text []byte) []byte {
	return slices.Concat(doc[:from], text, doc[to:])
}

func clip(text []byte) string {
	const most = 40
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

// Merge puts the keys of an object into the document, or adds a list to the end of the one that it is.
func Merge(doc []byte, v any) ([]byte, error) {
	root, err := parse(doc)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case map[string]any:
		if root.kind != '{' {
			break
		}
		for _, key := range value.SortedKeys(v) {
			if doc, err = Set(doc, Path{key}, v[key], Put); err != nil {
				return nil, err
			}
		}
		return doc, nil
	case []any:
		if root.kind != '[' {
			break
		}
		for _, item := range v {
			if doc, err = Append(doc, nil, item); err != nil {
				return nil, err
			}
		}
		return doc, nil
	}
	return nil, fault.New(fault.InvalidRequest, "the document and %s do not go together: an object is merged with an object, a list with a list", value.Describe(v))
}
