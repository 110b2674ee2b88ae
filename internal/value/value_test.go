package value

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestNormalize(t *testing.T) {
	type text string
	cases := []struct{ in, want any }{
		{nil, nil}, {true, true}, {int64(3), 3}, {uint8(3), 3}, {2.0, 2}, {2.5, 2.5}, {float32(1), 1}, {1e300, 1e300},
		{-9223372036854775808.0, math.MinInt64}, {9223372036854775808.0, 9223372036854775808.0},
		{json.Number("1234567890123456789"), 1234567890123456789}, {json.Number("1e2"), 100},
		{text("a"), "a"}, {[]string{"a"}, []any{"a"}}, {map[string]int{"a": 1}, map[string]any{"a": 1}},
		{map[any]any{"a": 1.0}, map[string]any{"a": 1}}, {[]any(nil), []any{}}, {map[string]any(nil), map[string]any{}},
		{[]any{1, []any{2.0}}, []any{1, []any{2}}},
	}
	for _, c := range cases {
		got, err := Normalize(c.in)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("Normalize(%#v) = %#v, %v; want %#v", c.in, got, err, c.want)
		}
	}
}

func TestNormalizeRefuses(t *testing.T) {
	cycle := map[string]any{}
	cycle["x"] = cycle
	cases := map[string]any{
		"the value is NaN; a number must be finite":                         math.NaN(),
		"a.b[1] is +Inf; a number must be finite":                           map[string]any{"a": map[string]any{"b": []any{1, math.Inf(1)}}},
		"the value is a Go time.Time, which is no value of a flow":          time.Time{},
		"the value is a time.Duration; give it as text":                     time.Second,
		"the value has a key that is no string: 1":                          map[any]any{1: 2},
		"[0] is text that is not valid UTF-8":                               []any{"\xff"},
		"the value is 18446744073709551615; an integer must fit in 64 bits": uint64(math.MaxUint64),
		"a is a Go func(), which is no value of a flow":                     map[string]any{"a": func() {}},
	}
	for want, in := range cases {
		if _, err := Normalize(in); err == nil || err.Error() != want {
			t.Errorf("Normalize(%#v): %v, want %s", in, err, want)
		}
	}
	if _, err := Normalize(cycle); err == nil || !strings.Contains(err.Error(), "nested deeper") {
		t.Errorf("a cycle: %v", err)
	}
}

func TestNormalizeLeavesItsInputAlone(t *testing.T) {
	inner := []any{1.0, "x"}
	in := map[string]any{"a": inner, "b": 1}
	if _, err := Normalize(in); err != nil {
		t.Fatal(err)
	}
	if inner[0] != 1.0 || len(in) != 2 {
		t.Error("the input was written to")
	}
	normal := map[string]any{"a": []any{1, map[string]any{}}}
	got, _ := Normalize(normal)
	if reflect.ValueOf(got).Pointer() != reflect.ValueOf(normal).Pointer() {
		t.Error("a normal value was copied")
	}
}

func TestFits(t *testing.T) {
	cases := []struct {
		t    Type
		in   any
		want any
		err  string
	}{
		{Number, 3, 3.0, ""}, {Integer, 3, 3, ""}, {Any, nil, nil, ""}, {String, nil, nil, "want string, got null"},
		{Integer, "3", nil, `want integer, got string "3"`}, {Array, map[string]any{}, nil, "want array, got object {}"},
		{Boolean, strings.Repeat("x", 100), nil, "want boolean, got string"},
	}
	for _, c := range cases {
		got, err := Fits(c.t, c.in)
		if c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("Fits(%s, %v): %v, want %s", c.t, c.in, err, c.err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("Fits(%s, %v) = %#v, %v", c.t, c.in, got, err)
		}
	}
}

func TestParseJSON(t *testing.T) {
	v, err := ParseJSON([]byte(` {"b": [1, 1.0, 1.5, 1234567890123456789], "a": {"x": null, "s": "é\n\u0001<"}} `))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := JSON(v), "{\"a\":{\"s\":\"é\\n\\u0001<\",\"x\":null},\"b\":[1,1,1.5,1234567890123456789]}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for in, want := range map[string]string{
		"":                             "not valid JSON at line 1, column 1: the text ends too early",
		"[1,]":                         "not valid JSON at line 1, column 4: invalid character ']' looking for beginning of value",
		"{\"a\": 1,\n \"a\": 2}":       "the key \"a\" stands twice",
		"1 2":                          "text follows the value",
		"NaN":                          "invalid character 'N'",
		"\xff":                         "not UTF-8",
		"{\"a\"}":                      "invalid character",
		"123456789012345678901":        "does not fit in 64 bits",
		"18446744073709551615":         "does not fit in 64 bits",
		"1" + strings.Repeat("0", 400): "does not fit in 64 bits",
		strings.Repeat("[", 5000):      "nested deeper than 1000 levels",
	} {
		if _, err := ParseJSON([]byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseJSON(%.20q): %v, want %s", in, err, want)
		}
	}
}

func TestEqual(t *testing.T) {
	a := map[string]any{"x": []any{1, 2.5, nil}}
	if !Equal(a, map[string]any{"x": []any{1.0, 2.5, nil}}) || Equal(a, map[string]any{"x": []any{1, 2.5}}) || Equal(nil, false) {
		t.Error("Equal is wrong")
	}
	if diff := cmp.Diff(map[string]any{"a": 1, "b": 3}, Merge(map[string]any{"a": 1, "b": 2}, map[string]any{"b": 3})); diff != "" {
		t.Error(diff)
	}
}

// roundTrip fails unless a normalised value reads back as it was, whoever wrote it.
func roundTrip(t *testing.T, v any) {
	t.Helper()
	text := AppendJSON(nil, v)
	back, err := ParseJSON(text)
	if err != nil || !reflect.DeepEqual(v, back) || JSON(back) != string(text) {
		t.Fatalf("%s reads back as %#v, %v", text, back, err)
	}
	foreign, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := ParseJSON(foreign); err != nil || !reflect.DeepEqual(v, back) {
		t.Fatalf("encoding/json's %s reads back as %#v, %v", foreign, back, err)
	}
	var decoded any
	if err := Decode(foreign, &decoded); err != nil {
		t.Fatal(err)
	}
	if back, err := Normalize(decoded); err != nil || !reflect.DeepEqual(v, back) {
		t.Fatalf("%s decodes to %#v, %v", foreign, back, err)
	}
}

func TestRoundTrip(t *testing.T) {
	for _, f := range []float64{1e20, -1e20, 1 << 63, -(1 << 63), 1<<63 - 1024, 1 << 64, 1e21, 1e-7, 123456789012345678901, 5e-324, math.MaxFloat64, math.Copysign(0, -1), 0.1} {
		v, err := Normalize(f)
		if err != nil {
			t.Fatal(err)
		}
		roundTrip(t, v)
	}
	roundTrip(t, []any{math.MaxInt64, math.MinInt64, "\u2028\ufffd\x7f\x00<", map[string]any{"": nil, "\"": 1e20}})
}

// FuzzRoundTrip makes a value of what it is given: a number of any bits, an integer, a text, nested.
func FuzzRoundTrip(f *testing.F) {
	f.Add(uint64(0x4415af1d78b58c40), int64(math.MinInt64), "a\x00\"", uint8(3)) // 1e20
	f.Add(uint64(0x43e0000000000000), int64(math.MaxInt64), "\u2028\xff", uint8(0))
	f.Fuzz(func(t *testing.T, bits uint64, i int64, text string, depth uint8) {
		if len(text) > 1000 {
			return // it would only cost time
		}
		var v any = []any{math.Float64frombits(bits), float64(i), i, text, map[string]any{text: math.Float64frombits(bits), "k": nil}, true}
		for range depth {
			v = map[string]any{text: []any{v}}
		}
		v, err := Normalize(v)
		if err != nil {
			return
		}
		roundTrip(t, v)
	})
}

func FuzzNormalize(f *testing.F) {
	f.Add([]byte(`{"a":[1,2.5,"x",null,true,{"b":[]}]}`))
	f.Add([]byte(`1e308`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := ParseJSON(data)
		if err != nil {
			return
		}
		again, err := Normalize(v)
		if err != nil || !reflect.DeepEqual(v, again) {
			t.Fatalf("normalising twice: %#v, %v", again, err)
		}
		text := AppendJSON(nil, v)
		back, err := ParseJSON(text)
		if err != nil || !Equal(v, back) || JSON(back) != string(text) {
			t.Fatalf("%s does not read back: %#v, %v", text, back, err)
		}
		var loose any
		if json.Unmarshal(data, &loose) == nil {
			if _, err := Normalize(loose); err != nil {
				t.Fatalf("what encoding/json reads is refused: %v", err)
			}
		}
	})
}
