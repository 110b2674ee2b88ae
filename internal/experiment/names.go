package experiment

import (
	"fmt"
	"unicode/utf8"

	"pflow/internal/printable"
)

// longestName bounds the names of experiments, variants, cases and groups, in characters: they stand in the heads and the
// first columns of tables.
const longestName = 200

// nameProblem says why a text cannot name something in a report, or "". A name of several lines, or with characters that
// steer a terminal, could pass for another part of the report.
func nameProblem(name string) string {
	if n := utf8.RuneCountInString(name); n > longestName {
		return fmt.Sprintf("want a name of at most %d characters, got %d", longestName, n)
	}
	if printable.Line(name) != name {
		return fmt.Sprintf("want a name of one line without control characters, got %q", name)
	}
	return ""
}
