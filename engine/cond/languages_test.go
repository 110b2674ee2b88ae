//go:build !race

package cond

import (
	"testing"
	"time"

	"pflow/internal/value"
)

func TestLanguagesAgree(t *testing.T) {
	c, env := NewCompiler(), agreeEnv()
	for _, pair := range pairs {
		a, problems := c.Compile(Expr, pair[0], env, value.Any)
		if problems != nil {
			t.Errorf("expr %s: %v", pair[0], problems)
			continue
		}
		b, problems := c.Compile(CEL, pair[1], env, value.Any)
		if problems != nil {
			t.Errorf("cel %s: %v", pair[1], problems)
			continue
		}
		s := NewScope(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC))
		bad := 0
		for _, v := range agreeValues {
			for _, w := range agreeValues {
				store := map[string]any{"v": v, "w": w, "i": 4, "f": 1.5, "s": "xyz", "b": true, "l": []any{3, 1, 2}, "o": map[string]any{"k": 1}}
				s.Set("store", store)
				before := value.JSON(store)
				x, y := outcome(a, s), outcome(b, s)
				if x != y {
					if bad++; bad < 4 {
						t.Errorf("v = %s, w = %s\nexpr %-40s %s\ncel  %-40s %s", value.JSON(v), value.JSON(w), pair[0], x, pair[1], y)
					}
				}
				if after := value.JSON(store); after != before {
					t.Fatalf("%s or %s changed the store from %s to %s", pair[0], pair[1], before, after)
				}
			}
		}
		if bad > 3 {
			t.Errorf("%s: %d more", pair[0], bad-3)
		}
	}
}
