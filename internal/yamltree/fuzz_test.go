package yamltree

import (
	"testing"

	"pflow/internal/value"
)

// FuzzParse: nothing panics, every finding and every value has a place in the document, every text can be followed,
// and what is accepted is normal.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"a: b\n", "a: 'it''s'\n", "a: \"\\u00e9\\\n  b\"", "- |2-\n   x\n- >+\n  a\n\n   b\n", "&a [*a]", "? [x]\n: y", "a: {b: [1, 0o7, .5]}",
		"--- a\n--- b\n", "\uFEFFa: b\r\nc: d\r", "!!str 5", "<<: {a: b}", "a: 'x\n", "a: [1,\n", "a: &x b\n*x : c\n", "#\n", "a:\n\t- b", "%TAG ! x\n---\na",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		values, found := ParseAll("f", data)
		one, more := Parse("f", data)
		if one == nil && !more.HasErrors() {
			t.Fatal("neither a value nor a finding")
		}
		if one != nil {
			values = append(values, one)
		}
		doc, _ := open("f", data)
		if doc == nil {
			return
		}
		for _, x := range append(found, more...) {
			if p := x.Place; p.Line < 1 || p.Line > len(doc.starts) || p.Col < 1 || p.Col > len([]rune(doc.line(p.Line)))+1 {
				t.Fatalf("%v is outside the document: %s", p, x.Message)
			}
		}
		for _, v := range values {
			strs(v, func(v *Value) { follow(t, v) })
			if _, err := value.Normalize(v.Plain()); err != nil {
				t.Fatal(err)
			}
		}
	})
}
