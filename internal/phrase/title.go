package phrase

import (
	"cmp"
	"slices"
	"strings"

	"pflow/internal/value"
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
