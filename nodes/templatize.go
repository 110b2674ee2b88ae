package nodes

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"pflow/engine"
	"pflow/internal/rabinkarp"
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

// templatize looks for values in the text as it was given, so that a name that was put in is never taken for a value.
func templatize(text string, values map[string]any) string {
	var names, wanted []string
	for _, name := range value.SortedKeys(values) {
		switch v := values[name].(type) {
		case string, int, float64:
			if t := strings.TrimSpace(ir.Text(v)); t != "" {
				names, wanted = append(names, name), append(wanted, t)
			}
		}
	}
	taken := make([]bool, len(text))
	at := map[int]int{} // where a value begins -> which, from 1
	rabinkarp.New(wanted).Find(text, func(k, start int) bool {
		end := start + len(wanted[k])
		// Longer ones were looked for before: one that overlaps this one has its first byte or its last.
		return !taken[start] && !taken[end-1] && wholeWord(text, start, end)
	}, func(k, start int) {
		at[start] = k + 1
		for i := range len(wanted[k]) {
			taken[start+i] = true
		}
	})
	var b strings.Builder
	for i := 0; i < len(text); {
		if k := at[i]; k > 0 {
			b.WriteString("{" + names[k-1] + "}")
			i += len(wanted[k-1])
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

// wholeWord reports whether no letter, digit or _ goes on beside a part of a text.
func wholeWord(text string, start, end int) bool {
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
	first, _ := utf8.DecodeRuneInString(text[start:end])
	last, _ := utf8.DecodeLastRuneInString(text[start:end])
	before, n := utf8.DecodeLastRuneInString(text[:start])
	after, m := utf8.DecodeRuneInString(text[end:])
	return (n == 0 || !inWord(before) || !inWord(first)) && (m == 0 || !inWord(after) || !inWord(last))
}
