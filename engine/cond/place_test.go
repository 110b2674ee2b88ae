package cond

import (
	"fmt"
	"testing"
	"time"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// places are expressions that fail while they run, with the line and column of the operation that does.
var places = []struct {
	lang Lang
	src  string
	want string
}{
	{Expr, "o.a", "1:3"},
	{Expr, "1 +\n  o.b.c", "2:5"},
	{Expr, "[1, 2,\n l[7]]", "2:3"},
	{Expr, "1 +\n 2 -\n s", "2:4"},
	{Expr, "map([1, 2],\n  # / 0)", "2:5"},
	{Expr, "let x = 1;\nlet y = s + 1;\nx", "2:11"},
	{Expr, "upper(\"a\") +\n string(fail(\"not_found\", \"no\"))", "2:9"},
	{Expr, "true and\n s", "2:2"},
	{Expr, "int(\n  \"x\")", "1:1"},
	{Expr, "[1, 2] |\n sum(# * s)", "2:8"},
	{Expr, "o?.a ??\n parse_json(\"{\")", "2:2"},
	{CEL, "o.a", "1:3"},
	{CEL, "1 +\n  o.b.c", "2:5"},
	{CEL, "[1, 2,\n l[7]]", "2:3"},
	{CEL, "1 +\n 2 -\n int(s)", "3:2"},
	{CEL, "true &&\n s", "2:2"},
	{CEL, "[1, 2].map(x,\n  x / 0)", "2:5"},
	{CEL, "\"a\" +\n string(fail(\"not_found\", \"no\"))", "2:9"},
	{CEL, "[1].exists(x,\n  x > s)", "2:5"},
	{CEL, "o[\"b\"]", "1:2"},
	{CEL, "[{\"a\": 1}].map(x,\n x).map(y,\n y.z)", "3:4"},
	{Expr, "\"é\" == \"é\" ? o.zz : 1", "1:16"},
	{CEL, "\"é\" == \"é\" ? o.zz : 1", "1:16"},
}

func TestRunningErrorsHavePlaces(t *testing.T) {
	env := &Env{Vars: map[string]value.Type{"o": value.Any, "l": value.Any, "s": value.Any}}
	s := NewScope(time.Now())
	s.Set("o", map[string]any{})
	s.Set("l", []any{1})
	s.Set("s", "text")
	c := NewCompiler()
	for _, p := range places {
		program, problems := c.Compile(p.lang, p.src, env, value.Any)
		if problems != nil {
			t.Errorf("%s %q: %v", p.lang, p.src, problems[0].Message)
			continue
		}
		_, err := program.Eval(s)
		if err == nil {
			t.Errorf("%s %q: no error", p.lang, p.src)
			continue
		}
		at := fault.Of(err).Place
		if got := fmt.Sprintf("%d:%d", at.Line, at.Col); got != p.want {
			t.Errorf("%s %q: %s at %s, want %s", p.lang, p.src, err, got, p.want)
		}
	}
}
