package yamltree

import (
	"testing"

	"pflow/internal/value"
)

// reads holds a value that is written to what is read again.
func reads(t *testing.T, v any) {
	t.Helper()
	text := string(Append([]byte("v:"), v, 2))
	tree, found := Parse("written.yaml", []byte(text))
	if err := found.Err(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if got := tree.Get("v").Plain(); !value.Equal(got, v) {
		t.Fatalf("want %s, got %s from\n%s", value.JSON(v), value.JSON(got), text)
	}
}

func TestAppend(t *testing.T) {
	for _, text := range []string{
		"", " ", "a", "two words", "true", "null", "~", "12", "1e3", "0x1F", "2024-01-15", "a: b", "a:", "https://example.com/x?y=1", "x #y", "# x", "- x", "[x]",
		"{a}", "${a}", "*a", "&a", "!a", "|", ">", "'a'", "it's", `"a"`, `\`, "a\nb", "a\nb\n", "a\nb\n\n", "\na\nb", " a\nb", "a\n b", "a \nb", "a\n\nb", "a\tb", "\ta\nb",
		"a\r\nb", "a\x00b", "a\u0085b\u2028\ufeff", "\u007f", "ä€😀", "a\n---\nb", "a\n# b\nc", "<<", "=", "é: x", "x:y", "a\u00a0b\nc", "no", "\ufffe",
	} {
		reads(t, text)
		reads(t, map[string]any{"k": text, "l": []any{text, 1}, "m": []any{map[string]any{"a": text, "b": []any{[]any{text}, nil, 1.5}}}})
		if text != "" {
			reads(t, map[string]any{text: text})
		}
	}
	for _, v := range []any{nil, true, 0, -7, 1.5, 1e-9, 1e300, []any{}, map[string]any{}, []any{map[string]any{}, []any{}, []any{[]any{1}}},
		[]any{map[string]any{"a": map[string]any{"b": []any{map[string]any{"c": 1, "d": "x\ny"}}}}}} {
		reads(t, v)
	}
	const want = "v:\n  items: [One, 2, \"3\", null]\n  list:\n    - a: https://example.com\n      b: |-\n        one\n        two\n    - {}\n"
	got := string(Append([]byte("v:"), map[string]any{"items": []any{"One", 2, "3", nil}, "list": []any{map[string]any{"a": "https://example.com", "b": "one\ntwo"}, map[string]any{}}}, 2))
	if got != want {
		t.Errorf("want\n%s\ngot\n%s", want, got)
	}
}

// FuzzAppend writes JSON values as YAML and reads them again.
func FuzzAppend(f *testing.F) {
	f.Add(`{"a": ["x\ny", {"b": "${c}"}], "true": " - "}`)
	f.Add(`"a: b #"`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := value.ParseJSON([]byte(text))
		if err != nil || len(text) > 1000 {
			return
		}
		written := Append([]byte("v:"), v, 2)
		tree, found := Parse("written.yaml", written)
		if found.HasErrors() {
			t.Skip() // nested deeper than is read
		}
		if got := tree.Get("v").Plain(); !value.Equal(got, v) {
			t.Errorf("want %s, got %s from\n%s", value.JSON(v), value.JSON(got), written)
		}
	})
}
