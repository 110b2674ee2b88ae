package cond

import (
	"testing"
	"time"

	"pflow/internal/value"
)

// Conditions as flows have them; every evaluation sets two names first, as the engine does for each node.
func BenchmarkEval(b *testing.B) {
	env := &Env{
		Records: map[string]Record{"store": {"i": value.Integer, "errors": value.Array, "x": value.Any}, "params": {"max": value.Integer}},
		Vars:    map[string]value.Type{"result": value.Any},
	}
	for _, bench := range []struct {
		name string
		lang Lang
		src  string
	}{
		{"expr/i>3", Expr, `store.i > 3`},
		{"cel/i>3", CEL, `store.i > 3`},
		{"expr/i+1", Expr, `store.i + 1`},
		{"cel/i+1", CEL, `store.i + 1`},
		{"expr/open", Expr, `result.score >= 0.5 and len(store.errors) == 0`},
		{"cel/open", CEL, `result.score >= 0.5 && size(store.errors) == 0`},
		{"expr/any", Expr, `any(store.errors, #.code == "x")`},
		{"cel/any", CEL, `store.errors.exists(e, e.code == "x")`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			p, problems := NewCompiler().Compile(bench.lang, bench.src, env, value.Any)
			if problems != nil {
				b.Fatal(problems)
			}
			s := NewScope(time.Now())
			store := map[string]any{"i": 1000, "errors": []any{}, "x": nil}
			result := any(map[string]any{"score": 0.75})
			s.Set("params", map[string]any{"max": 3})
			b.ReportAllocs()
			for b.Loop() {
				s.Set("store", store)
				s.Set("result", result)
				if _, err := p.Eval(s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	env := testEnv()
	for _, lang := range []Lang{Expr, CEL} {
		b.Run(string(lang), func(b *testing.B) {
			c := NewCompiler()
			for b.Loop() {
				if _, problems := c.Compile(lang, `store.i < params.max && result.score > 1`, env, value.Boolean); problems != nil {
					b.Fatal(problems)
				}
			}
		})
		b.Run(string(lang)+"/first", func(b *testing.B) {
			for b.Loop() {
				NewCompiler().Compile(lang, `store.i < params.max && result.score > 1`, env, value.Boolean)
			}
		})
		b.Run(string(lang)+"/env", func(b *testing.B) {
			c := NewCompiler()
			for b.Loop() {
				c.Compile(lang, `store.i < params.max && result.score > 1`, testEnv(), value.Boolean)
			}
		})
	}
}
