package compose

import (
	"cmp"
	"slices"
	"strings"

	"pflow/internal/extract"
	"pflow/internal/retrieve"
)

// templated is the request without its values: {key} stands for what an input took, {kind} for what none took.
func (c *composer) templated() string {
	all := slices.Clone(c.taken)
	for _, e := range extract.Entities(c.request, c.o.Now) {
		all = append(all, taken{e.Start, e.End, e.Kind})
	}
	// what an input took comes before what is only an entity
	slices.SortStableFunc(all, func(a, b taken) int { return cmp.Compare(a.start, b.start) })
	var b strings.Builder
	at := 0
	for _, t := range all {
		if t.start < at {
			continue
		}
		b.WriteString(c.request[at:t.start] + "{" + t.key + "}")
		at = t.end
	}
	b.WriteString(c.request[at:])
	return strings.Join(strings.Fields(b.String()), " ")
}

// title makes a name of a templated request: its words that say something.
func title(text string) string {
	const most = 6 // words
	var words []string
	for _, w := range retrieve.Words(text) {
		if !w.Stop && !slices.Contains(words, w.Text) && len(words) < most && strings.Trim(w.Text, "abcdefghijklmnopqrstuvwxyz0123456789") == "" {
			words = append(words, w.Text)
		}
	}
	if len(words) == 0 {
		return "workflow"
	}
	if len(words) == 1 {
		words = append(words, "it")
	}
	return strings.Join(words, "-")
}
