package compose

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"pflow/internal/retrieve"
)

// templated is the request without its values: {key} stands for what an input took, {kind} for what none took.
func (c *composer) templated() string {
	all := slices.DeleteFunc(slices.Clone(c.taken), func(t taken) bool { return t.anyway }) // no input
	for _, e := range c.Entities {
		all = append(all, taken{start: e.Start, end: e.End, key: e.Kind})
	}
	// what an input took comes before what is only an entity
	slices.SortStableFunc(all, func(a, b taken) int { return cmp.Compare(a.start, b.start) })
	var b strings.Builder
	at := 0
	for _, t := range all {
		if t.start < at {
			continue
		}
		b.WriteString(c.Text[at:t.start] + "{" + t.key + "}")
		at = t.end
	}
	b.WriteString(c.Text[at:])
	return strings.Join(strings.Fields(b.String()), " ")
}

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// Title makes a name of a templated request: its words that say something, placeholders aside. A single one says too
// little: then the first step's type stands behind it, or is what names it where it has the word already; never alone,
// since that name is the component's.
func Title(text, first string) string {
	const most = 5 // words
	var words []string
	for _, w := range retrieve.Words(placeholder.ReplaceAllString(text, " ")) {
		if !w.Stop && !slices.Contains(words, w.Text) && len(words) < most && strings.Trim(w.Text, "abcdefghijklmnopqrstuvwxyz0123456789") == "" {
			words = append(words, w.Text)
		}
	}
	if len(words) == 1 && !strings.Contains(first, words[0]) {
		words = append(words, first)
	} else if len(words) < 2 {
		words = []string{first, "workflow"}
	}
	return strings.Join(words, "-")
}
