package cond

import (
	"context"
	"testing"
	"time"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// An evaluation in a loop ends with its context, in both languages.
func TestEvaluationStopsWithItsContext(t *testing.T) {
	big := make([]any, 1000)
	for i := range big {
		big[i] = i
	}
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	gone, leave := context.WithCancel(t.Context())
	leave()
	env := &Env{Records: map[string]Record{"store": {"big": value.Array}}}
	for _, c := range []struct {
		lang Lang
		src  string
	}{{Expr, `len(map(store.big, map(store.big, 1)))`}, {CEL, `store.big.map(a, store.big.map(b, 1)).size()`}} {
		p, problems := NewCompiler().Compile(c.lang, c.src, env, value.Any)
		if problems != nil {
			t.Fatal(problems)
		}
		s := NewScope(time.Now())
		s.Set("store", map[string]any{"big": big})
		for want, until := range map[fault.Kind]context.Context{fault.Timeout: ctx, fault.Cancelled: gone} {
			s.Until(until)
			if v, err := p.Eval(s); err == nil || fault.Of(err).Kind != want {
				t.Errorf("%s: %v, %v; want kind %s", c.lang, v, err, want)
			}
		}
		s.Until(t.Context())
		if v, err := p.Eval(s); err != nil || v != 1000 {
			t.Errorf("%s: the scope is spoilt: %v, %v", c.lang, v, err)
		}
	}
}
