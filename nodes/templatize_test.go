package nodes

import (
	"fmt"
	"strings"
	"testing"
)

func TestTemplatize(t *testing.T) {
	for _, c := range []struct {
		text   string
		values map[string]any
		want   string
	}{
		{"", map[string]any{"a": "x"}, ""},
		{"list 20 issues of 2024", map[string]any{"limit": "20", "year": 2024}, "list {limit} issues of {year}"},
		{"copy a.txt to a.txt", map[string]any{"file": "a.txt"}, "copy {file} to {file}"},
		{"120 and 20, 20th or 20", map[string]any{"n": 20}, "120 and {n}, 20th or {n}"},
		{"to New York City Hall", map[string]any{"a": "New York", "b": "York City Hall"}, "to New {b}"}, // longer values first
		{"name n", map[string]any{"n": "name", "name": "n"}, "{n} {name}"},                              // no name is taken for a value
		{"20 of 200, 20 of 20", map[string]any{"n": 20}, "{n} of 200, {n} of {n}"},
		{"copy a/b.txt to a", map[string]any{"to": "a", "from": "a/b.txt"}, "copy {from} to {to}"},
		{"limit 5", map[string]any{"x": "limit", "limit": "5"}, "{x} {limit}"},
		{"naïve naïveté", map[string]any{"w": "naïve"}, "{w} naïveté"},
		{"cost: $5.", map[string]any{"price": "$5"}, "cost: {price}."},
		{"{n} 5", map[string]any{"n": 5}, "{n} {n}"},
		{"a", map[string]any{"first": "a", "second": "a"}, "{first}"},
		{"ab cd", map[string]any{"x": "ab ", "y": "  cd\n"}, "{x} {y}"}, // the blanks around a value are none of it
		{"über übers ü", map[string]any{"x": "über"}, "{x} übers ü"},
		{"$5.00$5.00", map[string]any{"x": "$5.00"}, "{x}{x}"},
		{"+++++", map[string]any{"x": "++"}, "{x}{x}+"},
		{"1.5 true x", map[string]any{"n": 1.5, "b": true, "l": []any{"x"}, "nil": nil, "empty": " "}, "{n} true x"},
	} {
		if got := templatize(c.text, c.values); got != c.want {
			t.Errorf("templatize(%q, %v) = %q, want %q", c.text, c.values, got, c.want)
		}
	}
}

// BenchmarkTemplatize takes so many values out of a text of 100 KB: ten times as many must not take much longer.
func BenchmarkTemplatize(b *testing.B) {
	text := strings.Repeat("list value 3 of 2024 ", 100_000/21)
	for _, n := range []int{1000, 10000} {
		values := map[string]any{}
		for i := range n {
			values[fmt.Sprintf("name%d", i)] = fmt.Sprintf("value%06d", i)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				templatize(text, values)
			}
		})
	}
}
