// One goroutine does all of this: the race detector would find nothing in ten times the time. make test runs it without.

//go:build !race

package value

import (
	"strings"
	"testing"

	"pflow/internal/fault"
)

// A document is refused by the number of its values, before memory is taken for them.
func TestTooManyValues(t *testing.T) {
	list := func(item string, n int) string { return "[\n " + strings.Repeat(item+", ", n-1) + item + "]" }
	for _, c := range []struct {
		name, text string
		refused    bool
	}{
		{"as many as may be", list("1", MaxValues-1), false},
		{"one more", list("1", MaxValues), true},
		{"empty lists", list("[]", MaxValues-1), false},
		{"one empty list more", list("[ ]", MaxValues), true},
		{"objects", list(`{"a": 1}`, MaxValues/2-1), false},
		{"one object more", list(`{"a": 1}`, MaxValues/2), true},
		{"commas and brackets in a text", list(`"`+strings.Repeat(`[,{\"`, MaxValues)+`"`, 2), false},
		{"nested", strings.Repeat("[", 3*MaxValues) + strings.Repeat("]", 3*MaxValues), true},
	} {
		_, err := ParseJSON([]byte(c.text))
		if c.refused != (err != nil) || err != nil && (fault.Of(err).Kind != fault.Malformed || !strings.Contains(err.Error(), "passes the bound of 1000000 values")) {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.refused && c.name != "nested" {
			if !strings.HasPrefix(err.Error(), "too much JSON: at line 2, column ") {
				t.Errorf("%s: %v", c.name, err)
			}
			if v, err := ParseWritten([]byte(c.text)); err != nil || len(v.([]any)) < MaxValues/2 {
				t.Errorf("%s: what the program wrote is not read back: %v", c.name, err)
			}
		}
	}
}
