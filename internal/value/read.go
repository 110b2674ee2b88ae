package value

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// Tree says what is made of a JSON document.
type Tree struct {
	Depth  int                                   // how deep it may be nested
	Number func(text string) (any, error)        // what a number is
	Object func(keys []string, values []any) any // what an object is; it keeps none of the slices
}

// Read reads exactly one JSON value into nil, bool, string, []any, and what the tree makes of numbers and objects. The text
// is valid UTF-8. A key that stands twice is an error. The error comes with the offset in bytes up to which the text was read.
func (t Tree) Read(data []byte) (v any, offset int64, err error) {
	r := reader{data: data, to: t}
	if v, ok := r.value(0); ok && r.blanks() == len(data) {
		return v, 0, nil
	}
	// What is wrong is said by encoding/json, which takes several times as long.
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err = t.check(d, 0); err == nil {
		_, _ = d.Token() // goes on to what is too much
		err = errors.New("text follows the value")
	}
	return nil, d.InputOffset(), err
}

// reader reads a JSON document. It says no more than that something is wrong.
type reader struct {
	data   []byte
	at     int
	to     Tree
	keys   []string // of the objects that are being read
	values []any    // and of arrays
}

// blanks goes on to what is no blank.
func (r *reader) blanks() int {
	for r.at < len(r.data) {
		switch r.data[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
			continue
		}
		break
	}
	return r.at
}

// next reports whether a character comes next, blanks before it left out, and goes on behind it.
func (r *reader) next(c byte) bool {
	if r.blanks() < len(r.data) && r.data[r.at] == c {
		r.at++
		return true
	}
	return false
}

func (r *reader) value(depth int) (any, bool) {
	if r.blanks() == len(r.data) || depth > r.to.Depth {
		return nil, false
	}
	switch c := r.data[r.at]; c {
	case '{':
		r.at++
		return r.object(depth)
	case '[':
		r.at++
		return r.array(depth)
	case '"':
		return r.string()
	case 't':
		return true, r.word("true")
	case 'f':
		return false, r.word("false")
	case 'n':
		return nil, r.word("null")
	}
	return r.number()
}

func (r *reader) word(w string) bool {
	ok := bytes.HasPrefix(r.data[r.at:], []byte(w))
	r.at += len(w)
	return ok
}

func (r *reader) array(depth int) (any, bool) {
	if r.next(']') {
		return []any{}, true
	}
	first := len(r.values)
	for {
		v, ok := r.value(depth + 1)
		if !ok {
			return nil, false
		}
		r.values = append(r.values, v)
		if r.next(']') {
			out := slices.Clone(r.values[first:])
			r.values = r.values[:first]
			return out, true
		}
		if !r.next(',') {
			return nil, false
		}
	}
}

// manyKeys is from how many keys on an object has a set of them.
const manyKeys = 16

func (r *reader) object(depth int) (any, bool) {
	if r.next('}') {
		return r.to.Object(nil, nil), true
	}
	keys, values := len(r.keys), len(r.values)
	var known map[string]bool
	for {
		if r.blanks() == len(r.data) || r.data[r.at] != '"' {
			return nil, false
		}
		read, ok := r.string()
		if !ok || !r.next(':') {
			return nil, false
		}
		key := read.(string)
		own := r.keys[keys:]
		if len(own) == manyKeys {
			known = make(map[string]bool, 2*manyKeys)
			for _, k := range own {
				known[k] = true
			}
		}
		if known[key] || known == nil && slices.Contains(own, key) {
			return nil, false
		}
		if known != nil {
			known[key] = true
		}
		r.keys = append(r.keys, key)
		v, ok := r.value(depth + 1)
		if !ok {
			return nil, false
		}
		r.values = append(r.values, v)
		if r.next('}') {
			out := r.to.Object(r.keys[keys:], r.values[values:])
			r.keys, r.values = r.keys[:keys], r.values[:values]
			return out, true
		}
		if !r.next(',') {
			return nil, false
		}
	}
}

func (r *reader) string() (any, bool) {
	start := r.at
	plain := true
	for r.at++; r.at < len(r.data); r.at++ {
		switch c := r.data[r.at]; {
		case c == '"':
			r.at++
			if plain {
				return string(r.data[start+1 : r.at-1]), true
			}
			var s string
			err := json.Unmarshal(r.data[start:r.at], &s) // which knows the escapes
			return s, err == nil
		case c == '\\':
			plain = false
			r.at++
		case c < ' ':
			return nil, false
		}
	}
	return nil, false
}

func (r *reader) number() (any, bool) {
	start := r.at
	digits := func() bool {
		from := r.at
		for r.at < len(r.data) && r.data[r.at] >= '0' && r.data[r.at] <= '9' {
			r.at++
		}
		return r.at > from
	}
	one := func(of string) bool {
		if r.at < len(r.data) && bytes.IndexByte([]byte(of), r.data[r.at]) >= 0 {
			r.at++
			return true
		}
		return false
	}
	one("-")
	if !one("0") && !digits() || one(".") && !digits() {
		return nil, false
	}
	if one("eE") {
		one("+-")
		if !digits() {
			return nil, false
		}
	}
	v, err := r.to.Number(string(r.data[start:r.at]))
	return v, err == nil
}

// check says what is wrong with a value.
func (t Tree) check(d *json.Decoder, depth int) error {
	if depth > t.Depth {
		return fmt.Errorf("nested deeper than %d levels", t.Depth)
	}
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch token := token.(type) {
	case json.Number:
		_, err := t.Number(string(token))
		return err
	case json.Delim:
		known := map[any]bool{}
		for d.More() {
			if token == '{' {
				key, err := d.Token()
				if err != nil {
					return err
				}
				if known[key] {
					return errors.New("the key " + strconv.Quote(key.(string)) + " stands twice")
				}
				known[key] = true
			}
			if err := t.check(d, depth+1); err != nil {
				return err
			}
		}
		_, err := d.Token()
		return err
	}
	return nil
}
