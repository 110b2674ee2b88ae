package phrase

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"pflow/internal/retrieve"
	"pflow/internal/value"
	"pflow/ir"
)

// templated is the request with {input} in the place of each value.
func templated(text string, places map[string][2]int) string {
	names := value.SortedKeys(places)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(places[a][0], places[b][0]) })
	var b strings.Builder
	at := 0
	for _, name := range names {
		if p := places[name]; p[0] >= at {
			b.WriteString(text[at:p[0]] + "{" + name + "}")
			at = p[1]
		}
	}
	b.WriteString(text[at:])
	return strings.Join(strings.Fields(b.String()), " ")
}

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// title makes a name of a templated request: its words that say something, placeholders aside, else the types of its steps.
func title(text string, w *ir.Workflow) string {
	const most = 5 // words
	var words []string
	for _, word := range retrieve.Words(placeholder.ReplaceAllString(text, " ")) {
		if !word.Stop && !slices.Contains(words, word.Text) && len(words) < most && strings.Trim(word.Text, "abcdefghijklmnopqrstuvwxyz0123456789") == "" {
			words = append(words, word.Text)
		}
	}
	first := w.Nodes[0].Type
	if len(words) == 1 && !strings.Contains(first, words[0]) {
		words = append(words, first)
	} else if len(words) < 2 {
		words = []string{first, "workflow"}
	}
	return strings.Join(words, "-")
}
