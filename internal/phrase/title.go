package phrase

import (
	"cmp"
	"slices"
	"strings"

	"pflow/ir"
)

// templated is the request with {input} in the place of each value: of what is made of another, the one that was declared first.
func templated(text string, inputs []ir.Input, places map[string][2]int) string {
	var names []string
	for i := range inputs {
		if _, there := places[inputs[i].Name]; there {
			names = append(names, inputs[i].Name)
		}
	}
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
