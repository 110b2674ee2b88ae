package value

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// byTokens reads a document as Tree.Read does, with nothing but encoding/json.
func byTokens(t Tree, data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var read func(depth int) (any, error)
	read = func(depth int) (any, error) {
		token, err := d.Token()
		if err != nil || depth > t.Depth {
			return nil, errors.Join(err, fmt.Errorf("depth %d", depth))
		}
		switch token {
		case json.Delim('['):
			out := []any{}
			for d.More() {
				v, err := read(depth + 1)
				if err != nil {
					return nil, err
				}
				out = append(out, v)
			}
			_, err := d.Token()
			return out, err
		case json.Delim('{'):
			var keys []string
			var values []any
			known := map[string]bool{}
			for d.More() {
				k, err := d.Token()
				if err != nil || known[k.(string)] {
					return nil, errors.Join(err, errors.New("no key"))
				}
				known[k.(string)] = true
				v, err := read(depth + 1)
				if err != nil {
					return nil, err
				}
				keys, values = append(keys, k.(string)), append(values, v)
			}
			_, err := d.Token()
			return t.Object(keys, values), err
		}
		if n, ok := token.(json.Number); ok {
			return t.Number(string(n))
		}
		return token, nil
	}
	v, err := read(0)
	if _, more := d.Token(); err == nil && more != io.EOF {
		err = errors.New("more")
	}
	return v, err
}

// documents are JSON, and what is nearly JSON.
var documents = []string{
	"", " ", "null", "nul", "nulll", "true", "false", "tru e", "0", "-0", "-", "01", "1.", "1.5e+9", ".5", "1e", "1e5", "1E-07", "+1", "9223372036854775808", `""`, `"a`, `"\"`,
	`"a\u00e9\ud83d\ude00\ud800 \n\/"`, `"\x"`, "\"\t\"", `"é😀"`, "[]", "[ ]", "[,]", "[1,]", "[1 2]", "[1,2", "[1]]", "[1] 2", "{}", "{ }", "{,}", `{"a":1,}`, `{"a" 1}`, `{"a":}`, `{"a":1 "b":2}`,
	`{a:1}`, `{1:1}`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"b":{"c":[1,{"d":null}],"e":"f"},"a":[[],{}]}`, `[1}`, `{"a":1]`, "[[[[1]]]]", "[[[[[1]]]]]", "\ufeff1", "[1]\x00", "[1,\n\t\r 2 ]\n",
	`{"0":0,"1":0,"2":0,"3":0,"4":0,"5":0,"6":0,"7":0,"8":0,"9":0,"10":0,"11":0,"12":0,"13":0,"14":0,"15":0,"16":0,"17":0}`,
	`{"0":0,"1":0,"2":0,"3":0,"4":0,"5":0,"6":0,"7":0,"8":0,"9":0,"10":0,"11":0,"12":0,"13":0,"14":0,"15":0,"16":0,"3":0}`,
	`{"0":0,"1":0,"2":0,"3":0,"4":0,"5":0,"6":0,"7":0,"8":0,"9":0,"10":0,"11":0,"12":0,"13":0,"14":0,"15":0,"16":0,"16":0}`,
}

func sameAsTokens(t *testing.T, data []byte) {
	tree := Tree{4, ParseNumber, func(keys []string, values []any) any {
		return fmt.Sprint(len(keys), keys, values)
	}}
	want, fails := byTokens(tree, data)
	got, offset, err := tree.Read(data)
	if (err == nil) != (fails == nil) {
		t.Fatalf("%q: %v, encoding/json says %v", data, err, fails)
	}
	if offset < 0 || offset > int64(len(data)) {
		t.Errorf("%q: the error is at %d", data, offset)
	}
	if fails == nil {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-encoding/json +read):\n%s", data, diff)
		}
	}
}

// TestRead: a document is read as encoding/json reads it, and what is none for that is none here.
func TestRead(t *testing.T) {
	for _, text := range documents {
		sameAsTokens(t, []byte(text))
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range documents {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if utf8.Valid(data) {
			sameAsTokens(t, data)
		}
	})
}
