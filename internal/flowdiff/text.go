package flowdiff

import (
	"fmt"
	"strings"

	"pflow/internal/value"
)

// Text has each change as a line, and texts of several lines as unified diffs below it.
func Text(changes []Change) string {
	var b strings.Builder
	flow := ""
	for _, ch := range changes {
		if ch.Flow != flow {
			flow = ch.Flow
			fmt.Fprintf(&b, "in the flow %s:\n", flow)
		}
		mark := map[string]string{Added: "+", Removed: "-", Changed: "~"}[ch.Change]
		fmt.Fprintf(&b, "%s %s %s", mark, ch.Kind, ch.Path)
		switch {
		case ch.Diff != "":
			for line := range strings.Lines(ch.Diff) {
				b.WriteString("\n    " + strings.TrimRight(line, "\n"))
			}
		case ch.Change == Changed:
			fmt.Fprintf(&b, ": %s -> %s", shown(ch.Old), shown(ch.New))
		case ch.Change == Added && ch.New != nil:
			fmt.Fprintf(&b, ": %s", shown(ch.New))
		case ch.Change == Removed && ch.Old != nil:
			fmt.Fprintf(&b, ": %s", shown(ch.Old))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// shown writes a text as it is and other values as JSON, on one line.
func shown(v any) string {
	if text, ok := v.(string); ok && text != "" {
		return strings.Join(strings.Fields(text), " ")
	}
	return value.JSON(v)
}

// Lines gives how a text differs from another, line by line, as a unified diff from its first @@ on; "" where they are the same.
func Lines(old, new string) string {
	if old == new {
		return ""
	}
	return unified(old, new)
}
