package extract

import "strings"

// Templatized is a text with {kind} in the place of each entity; of entities that overlap the first counts.
func Templatized(text string, found []Entity) string {
	var b strings.Builder
	at := 0
	for _, e := range found {
		if e.Start < at {
			continue
		}
		b.WriteString(text[at:e.Start] + "{" + e.Kind + "}")
		at = e.End
	}
	return b.String() + text[at:]
}
