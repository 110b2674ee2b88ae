package nodes

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pflow/engine"
	"pflow/internal/value"
	"pflow/ir"
)

// templatizeOp puts names in the place of values.
func templatizeOp() engine.Op {
	return engine.Op{
		Name:    "templatize",
		Summary: "Writes {name} wherever a named value stands in a text as whole words, longer values first.",
		Prep: []engine.Field{
			{Name: "text", Type: value.String, Required: true, Doc: "the text"},
			{Name: "values", Type: value.Object, Required: true, Doc: "{name: value}; only texts and numbers are looked for"},
		},
		Result:     value.String,
		ResultDoc:  "the text with names for values",
		Idempotent: true,
		Instant:    true,
		Example: `flow: templatize-example
version: 1
description: Take the values out of a request.
state:
  text:   {type: string, default: list 20 issues of 2024}
  values: {type: object, default: {limit: "20", year: 2024}}
  shape:  {type: string, default: ""}
nodes:
  mask:
    op: templatize
    prep: {text: store.text, values: store.values}
    post: {shape: result}
    next: end
`,
		New: func(*engine.Setup) engine.Exec {
			return func(_ context.Context, in engine.Input) (engine.Output, error) {
				text, _ := in.Prep["text"].(string)
				values, _ := in.Prep["values"].(map[string]any)
				return engine.Output{Result: templatize(text, values)}, nil
			}
		},
	}
}

// templatize takes the text apart at values, so that a name that was put in is never taken for a value.
func templatize(text string, values map[string]any) string {
	type named struct{ name, text string }
	var wanted []named
	for _, name := range value.SortedKeys(values) {
		switch v := values[name].(type) {
		case string, int, float64:
			if t := strings.TrimSpace(ir.Text(v)); t != "" {
				wanted = append(wanted, named{name, t})
			}
		}
	}
	slices.SortStableFunc(wanted, func(a, b named) int { return cmp.Compare(len(b.text), len(a.text)) })
	parts := []string{text} // at even places text, at odd ones names
	for _, w := range wanted {
		var next []string
		for i, part := range parts {
			if i%2 == 1 {
				next = append(next, part)
				continue
			}
			for {
				at := wholeWord(part, w.text)
				if at < 0 {
					break
				}
				next = append(next, part[:at], "{"+w.name+"}")
				part = part[at+len(w.text):]
			}
			next = append(next, part)
		}
		parts = next
	}
	return strings.Join(parts, "")
}

// wholeWord finds a value in a text with no letter, digit or _ going on beside it.
func wholeWord(text, word string) int {
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
	first, _ := utf8.DecodeRuneInString(word)
	last, _ := utf8.DecodeLastRuneInString(word)
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return -1
		}
		at += from
		before, n := utf8.DecodeLastRuneInString(text[:at])
		after, m := utf8.DecodeRuneInString(text[at+len(word):])
		if (n == 0 || !inWord(before) || !inWord(first)) && (m == 0 || !inWord(after) || !inWord(last)) {
			return at
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		from = at + size
	}
}
