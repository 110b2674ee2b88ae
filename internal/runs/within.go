package runs

import "strings"

// Within reports whether a step is another, or inside it: an item of it, a round, or a step of what it calls.
func Within(step, of string) bool {
	rest, ok := strings.CutPrefix(step, of)
	return ok && (rest == "" || strings.ContainsRune("/[#.", rune(rest[0])))
}
