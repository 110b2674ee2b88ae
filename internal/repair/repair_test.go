package repair

import (
	"strings"
	"testing"

	"pflow/internal/fault"
	"pflow/internal/value"
)

func TestJSON(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"valid", `{"a": [1, 2.5, "x", null, true], "b": {}}`, `{"a":[1,2.5,"x",null,true],"b":{}}`},
		{"valid scalar", ` "a\nb" `, `"a\nb"`},
		{"a text that holds JSON stays a text", `"{\"a\": 1}"`, `"{\"a\": 1}"`},
		{"byte order mark", "\uFEFF{\"a\": 1}", `{"a":1}`},

		{"prose around", `Sure! Here is the plan: {"a": 1} Let me know.`, `{"a":1}`},
		{"prose with brackets", `As noted [1], use [sic] the {name}: {"a": [1]}`, `{"a":[1]}`},
		{"fence", "Here:\n```json\n{\"a\": 1}\n```\nDone (1).", `{"a":1}`},
		{"fence without a tag", "```\n[1, 2]\n```", `[1,2]`},
		{"open fence", "```json\n{\"a\": \"b", `{"a":"b"}`},
		{"fence inside a text", "{\"code\": \"```go\\nx := 1\\n```\", \"n\": 1,}", "{\"code\":\"```go\\nx := 1\\n```\",\"n\":1}"},
		{"reasoning", "<think>maybe {\"a\": 1}?</think>{\"a\": 2}", `{"a":2}`},

		{"python", `{'a': None, 'b': True, 'c': False, 'd': (1, 2), 'e': 'it\'s'}`, `{"a":null,"b":true,"c":false,"d":[1,2],"e":"it's"}`},
		{"apostrophe in single quotes", `{'a': 'it's', 'b': 1}`, `{"a":"it's","b":1}`},
		{"javascript", `{a: 1, $b: undefined, c_d: .5, 'e': "x"}`, `{"$b":null,"a":1,"c_d":0.5,"e":"x"}`},
		{"trailing commas", `{"a": [1, 2, ], "b": {"c": 1, }, }`, `{"a":[1,2],"b":{"c":1}}`},
		{"comments", "{\n// one\n\"a\": 1, # two\n/* three */ \"b\": 2 // four\n}", `{"a":1,"b":2}`},
		{"a URL is no comment", `{"a": "http://x.y/z", b: http://q.r/s}`, `{"a":"http://x.y/z","b":"http://q.r/s"}`},
		{"unquoted text", `{"city": New York, "n": 1}`, `{"city":"New York","n":1}`},
		{"smart quotes", `{“a”: “b”, ‘c’: 1}`, `{"a":"b","c":1}`},
		{"ellipsis", `[1, 2, ...]`, `[1,2]`},
		{"numbers", `[+1, 1., .5, 1e, 1_000, 0x1F, 007, 1/3, 2020-01-02, -]`, `[1,1,0.5,1,1000,"0x1F","007","1/3","2020-01-02"]`},
		{"an integer beyond 64 bits keeps its digits", `{"id": 12345678901234567890}`, `{"id":"12345678901234567890"}`},

		{"inner quotes", `{"a": "say "hi" now", "b": ["x "y" z", "w"]}`, `{"a":"say \"hi\" now","b":["x \"y\" z","w"]}`},
		{"line breaks in a text", "{\"a\": \"one\ntwo\", \"b\": 1}", `{"a":"one\ntwo","b":1}`},
		{"escapes", `{"a": "C:\dir\x", "b": "\u00e9\ud83d\ude00", "c": '\'q\''}`, `{"a":"C:\\dir\\x","b":"é😀","c":"'q'"}`},
		{"missing comma", "{\"a\": 1\n\"b\": \"x\"\n\"c\": [1 2]}", `{"a":1,"b":"x","c":["1 2"]}`},
		{"missing commas in a list", `["a" "b" "c"]`, `["a","b","c"]`},
		{"a word before a key", `{"a": "x" NOTE "b": 1, NOTE "c": 2}`, `{"a":"x","b":1,"c":2}`},
		{"missing colon", `{"a" 1, "b": 2}`, `{"a":1,"b":2}`},
		{"missing closing quote", "{\"a\": \"one,\n \"b\": 2}", `{"a":"one","b":2}`},
		{"missing opening brace", `"a": 1, "b": [2]}`, `{"a":1,"b":[2]}`},
		{"missing inner brace", `{"a": [{"b": 1], "c": 2}`, `{"a":[{"b":1}],"c":2}`},
		{"missing inner bracket", `{"a": {"b": [1, 2}, "c": 3}`, `{"a":{"b":[1,2]},"c":3}`},
		{"brace closed too early", `{"a": 1}, "b": 2}`, `{"a":1,"b":2}`},
		{"missing braces between items", `[{"a": 1, "a": 2}, ]`, `[{"a":1},{"a":2}]`},
		{"a word that nobody asked for", `{"a": "x" yes, "b": 2}`, `{"a":"x","b":2}`},

		{"cut off in a text", `{"a": {"b": ["one", "tw`, `{"a":{"b":["one","tw"]}}`},
		{"cut off after a colon", `{"a": 1, "b":`, `{"a":1}`},
		{"cut off in a key", `{"a": 1, "b`, `{"a":1}`},
		{"cut off after a comma", `[{"a": 1},`, `[{"a":1}]`},
		{"cut off after a brace", `{"a": {`, `{"a":{}}`},
		{"no value", `{"a": , "b": 2}`, `{"a":"","b":2}`},

		{"several values", `{"a": 1} {"b": 2}`, `[{"a":1},{"b":2}]`},
		{"lines of values", "{\"a\": 1}\n{\"a\": 2}\n", `[{"a":1},{"a":2}]`},
		{"a corrected version", `{"a": 1}{"a": 2}`, `{"a":2}`},
		{"the longest of several, with prose between", `First {"x": 1}, but better: {"x": 1, "y": [1, 2]}`, `{"x":1,"y":[1,2]}`},
		{"two keys of one name", `{"a": 1, "a": 2}`, `{"a":2}`},

		{"nothing", `I cannot help with that.`, ``},
		{"empty", ` `, ``},
		{"a bracket", `}`, ``},
		{"a smile", `:-{ and {oops}`, ``},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			v, err := JSON(c.text)
			if err == nil {
				got = value.JSON(v)
			} else if fault.Of(err).Kind != fault.Malformed {
				t.Errorf("kind %s: %v", fault.Of(err).Kind, err)
			}
			if got != c.want {
				t.Errorf("\ntext %s\ngot  %s\nwant %s", c.text, got, c.want)
			}
		})
	}
}

// Every prefix of a document must be read, in little time, and without a key that the document does not have.
func TestJSONOfEveryPrefix(t *testing.T) {
	text := `{"nodes": [{"id": "get issue", "params": {"n": 12, "deep": [[1, 2], {"x": null}]}, "on": true}, {"id": "b"}], "name": "it's \"quoted\""}`
	keys := map[string]bool{"nodes": true, "id": true, "params": true, "n": true, "deep": true, "x": true, "on": true, "name": true}
	for n := 1; n <= len(text); n++ {
		v, err := JSON(text[:n])
		if err != nil {
			t.Fatalf("%s: %v", text[:n], err)
		}
		eachKey(v, func(k string) {
			if !keys[k] {
				t.Errorf("%s: invented key %q", text[:n], k)
			}
		})
	}
}

func eachKey(v any, f func(string)) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			eachKey(item, f)
		}
	case map[string]any:
		for k, item := range v {
			f(k)
			eachKey(item, f)
		}
	}
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"a": 1}`, `{'a': None,}`, "```json\n[1]\n```", `{"a": "b "c" d", e: f`, `[{"a": 1, "a": 2}`, `("a",)`, `{"a": "\ud83d`, `1e5`, `"x": 1`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		strict, strictErr := value.ParseJSON([]byte(text))
		got, err := JSON(text)
		if strictErr == nil && (err != nil || value.JSON(strict) != value.JSON(got)) {
			t.Fatalf("valid JSON changed: %q gave %v, %v", text, got, err)
		}
		if err != nil {
			return
		}
		if again, err := value.Normalize(got); err != nil || !value.Equal(again, got) {
			t.Fatalf("not normalised: %v, %v", got, err)
		}
		eachKey(got, func(k string) {
			for _, r := range k {
				if !strings.ContainsRune(text, r) && !strings.Contains(text, `\`) && r != '\uFFFD' {
					t.Fatalf("key %q is not in %q", k, text)
				}
			}
		})
	})
}

// What a model wrote is refused by the number of its values, too, however it is to be repaired.
func TestTooManyValues(t *testing.T) {
	for name, text := range map[string]string{
		"a trailing comma": "[" + strings.Repeat("[],", 2_000_000) + "]",
		"cut off":          `{"a": ` + strings.Repeat("[{},", 10) + strings.Repeat("{b: 1},", 1_000_000),
		"one by one":       "here: " + strings.Repeat("[1]\n", 1_500_000),
		"fenced":           "```json\n[" + strings.Repeat("'a',", 1_500_000) + "]\n```",
	} {
		if v, err := JSON(text); err == nil || !strings.Contains(err.Error(), "1000000 values") {
			t.Errorf("%s: %T, %v", name, v, err)
		}
	}
}
