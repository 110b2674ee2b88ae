package llm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/value"
)

func object(wrong ...string) *Schema {
	return &Schema{Name: "x", JSON: map[string]any{"type": "object"}, Check: func(v any) []string {
		if _, ok := v.(map[string]any)["a"]; !ok {
			return []string{"a is missing"}
		}
		return wrong
	}}
}

func TestReadReply(t *testing.T) {
	list := &Schema{JSON: map[string]any{"type": "array"}}
	number := &Schema{JSON: map[string]any{"type": []any{"number", "null"}}}
	for _, c := range []struct {
		name, text string
		schema     *Schema
		want       string // JSON, with "mended" before and what is wrong after it; "" for none
	}{
		{"strict", ` {"a": 1} `, object(), `{"a":1}`},
		{"misfit", `{"b": 1}`, object(), `{"b":1} [a is missing]`},
		{"wrong type", `[1]`, object(), ``},
		{"as text", `"{\"a\": 1}"`, object(), `mended {"a":1}`},
		{"fence", "```json\n{\"a\": \"```\"}\n```", object(), "mended {\"a\":\"```\"}"},
		{"fence without end", "```\n{\"a\": 1}", object(), `mended {"a":1}`},
		{"second fence", "```sh\nls\n```\nand\n```\n{\"a\": 1}\n```", object(), `mended {"a":1}`},
		{"thoughts", "<think>\n{\"a\": 0}\n</think>\n{\"a\": 1}", object(), `{"a":1}`},
		{"thoughts without beginning", "{\"a\": 0} no\n</think>{\"a\": 1}", object(), `mended {"a":0}`},
		{"words and thoughts' end", "so it is {\"a\": 0} no\n</think>{\"a\": 1}", object(), `{"a":1}`},
		{"a tag inside", `{"a": "<think>x</think>"}`, object(), `{"a":"<think>x</think>"}`},
		{"prose", `Sure {here}: {"a": {"b": "}"}} and {"c": 2}`, object(), `mended {"a":{"b":"}"}}`},
		{"first that passes", `Instead of {"b": 1} I say {"a": 1}`, object(), `mended {"a":1}`},
		{"first that fits", `Instead of {"b": 1} I say {"c": 1}`, object(), `mended {"b":1} [a is missing]`},
		{"list in prose", `It is {"a": 1} or [1, 2]`, list, `mended [1,2]`},
		{"python", `{'a': True, 'b': None}`, object(), `mended {"a":true,"b":null}`},
		{"python around JSON", `{'a': {'b': True, 'c': {}}}`, object(), `mended {"a":{"b":true,"c":{}}}`},
		{"python around JSON that misfits", `{'b': {'c': {}}}`, object(), `mended {"b":{"c":{}}} [a is missing]`},
		{"trailing comma", `{"a": [1, 2,],}`, object(), `mended {"a":[1,2]}`},
		{"repeated key", `{"a": 1, "a": 2}`, object(), `mended {"a":2}`},
		{"words", `I do not know.`, object(), ``},
		{"nothing", ``, object(), ``},
		{"number", `12`, number, `12`},
		{"null", `null`, number, `null`},
		{"exact integers", `{"a": 1234567890123456789}`, object(), `{"a":1234567890123456789}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := readReply(c.text, c.schema, false, false)
			got := ""
			if r.Found {
				got = value.JSON(r.Value)
				if r.Mended {
					got = "mended " + got
				}
				if len(r.Wrong) > 0 {
					got += " " + fmt.Sprint(r.Wrong)
				}
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestReadWrapped(t *testing.T) {
	s := &Schema{JSON: map[string]any{"type": "array", "items": map[string]any{"type": "string"}}}
	for _, text := range []string{`{"value": ["x"]}`, `["x"]`} {
		if r := readReply(text, s, true, true); !r.Found || !cmp.Equal(r.Value, any([]any{"x"})) {
			t.Errorf("%s: %+v", text, r)
		}
	}
	if r := readReply(`{"value": 1}`, s, true, true); r.Found {
		t.Errorf("%+v", r)
	}
}

// TestReadHostile keeps the search within bounds; a quadratic one would not end.
func TestReadHostile(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("{", 1<<20), strings.Repeat(`{"a":`, 1<<18), strings.Repeat("```\n", 1<<18), strings.Repeat("<think>", 1<<17),
		strings.Repeat("</think>", 1<<17), strings.Repeat(`{"a":1}`, 1<<16), strings.Repeat(`[{"`, 1<<18), strings.Repeat("\"", 1<<20),
	} {
		readReply("x "+text, object(), true, false)
	}
}

// FuzzReadReply: no panic; a value that was found is normalised, of the schema's type, and reads the same again.
func FuzzReadReply(f *testing.F) {
	for _, text := range []string{
		`{"a": 1}`, "```json\n{\"a\": 1}\n```", "<think>x</think>{'a': True}", `x {"b": [1, {"c": "}"}]} y`, `{"value": {"a": null}}`, `"{\"a\": 1}"`, `{"a": 1`,
	} {
		f.Add(text, true, true)
		f.Add(text, false, false)
	}
	s := &Schema{JSON: map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"type": "string"}}}}
	f.Fuzz(func(t *testing.T, text string, isStrict, isWrapped bool) {
		r := readReply(text, s, isStrict, isWrapped)
		if !r.Found {
			return
		}
		if _, err := value.Normalize(r.Value); err != nil {
			t.Fatalf("%#v: %v", r.Value, err)
		}
		if !fitsType(r.Value, s.JSON, isWrapped) {
			t.Fatalf("%#v is no object", r.Value)
		}
		again := readReply(value.JSON(r.Value), s, false, false)
		if !again.Found || again.Mended || !value.Equal(again.Value, r.Value) {
			t.Fatalf("%#v reads as %#v again", r.Value, again)
		}
	})
}
