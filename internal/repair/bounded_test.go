// One goroutine does all of this: the race detector would find nothing in ten times the time. make test runs it without.

//go:build !race

package repair

import (
	"strings"
	"testing"
	"time"

	"pflow/internal/fault"
)

func TestJSONIsBounded(t *testing.T) {
	for _, unit := range []string{"{", "[", `{"a":`, `"`, `{"a" `, `["`, `", "`, `{"a": "b" c `, "# ", "/*", "\\", `'"`, `{a:`, "(", "```", `x" # `, `": `, `{"k": "v", `, `"a", "b" `} {
		text := strings.Repeat(unit, 200_000/len(unit))
		for _, prefix := range []string{"", `{"k": "`, `["`, "{"} {
			start := time.Now()
			if _, err := JSON(prefix + text); err != nil && fault.Of(err).Kind != fault.Malformed {
				t.Errorf("%q: %v", unit, err)
			}
			if d := time.Since(start); d > 90*time.Second {
				t.Errorf("%q after %q took %v", unit, prefix, d)
			} else if d > 300*time.Millisecond {
				t.Logf("%q after %q took %v", unit, prefix, d)
			}
		}
	}
}
