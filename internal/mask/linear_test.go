// One goroutine does all of this: the race detector would find nothing in ten times the time. make test runs it without.

//go:build !race

package mask

import (
	"strings"
	"testing"
	"time"
)

// TestMaskingIsLinear masks a megabyte of what is hardest: escapes that could begin a secret.
func TestMaskingIsLinear(t *testing.T) {
	m := New(Env("A", `\\\\"'%&`+strings.Repeat(`\`, 40)), Env("B", secretKinds["lines"]), Env("C", secretKinds["long"]))
	for _, unit := range []string{`\`, "%25", "&amp;", "Zk9+/a", "plain text, as it comes. ", "…Zk9+/a…"} {
		text := strings.Repeat(unit, 1<<14/len(unit))
		var short, long time.Duration
		for _, n := range []int{1, 4} {
			start := time.Now()
			m.Text(strings.Repeat(text, n))
			if d := time.Since(start); n == 1 {
				short = d
			} else {
				long = d
			}
		}
		t.Logf("%q: %v, four times as much %v", unit, short, long)
		if long > 40*short+time.Second {
			t.Errorf("%q: %v, four times as much %v", unit, short, long)
		}
	}
}
