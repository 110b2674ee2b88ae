package cond

import (
	"testing"
	"time"

	"pflow/internal/fault"
	"pflow/internal/value"
)

func outcomeText(p *Program, s *Scope) string {
	v, err := p.Eval(s)
	if err != nil {
		return string(fault.Of(err).Kind) + ": " + err.Error()
	}
	return value.JSON(v)
}

// joins are values of one of several types: what follows must be allowed and computed for each, and what fits none of
// them refused before anything runs. yes is true, o an object, l a list.
var joins = []struct {
	lang      Lang
	src       string
	want      string // a value, or the error, or the problem
	typ       value.Type
	condition bool
}{
	{lang: Expr, src: `let u = type(o) == "array" ? o : o.users; filter(u, .active)`, want: `[{"active":true}]`, typ: value.Array},
	{lang: Expr, src: `let u = if type(o) == "array" { o } else { o.users }; u[0].active`, want: `true`, typ: value.Any},
	{lang: Expr, src: `len(no ? "text" : o.users)`, want: `1`, typ: value.Integer},
	{lang: Expr, src: `(no ? 1 : "a") + "c"`, want: `"ac"`, typ: value.Any},
	{lang: Expr, src: `(no ? null : "a") + "c"`, want: `"ac"`, typ: value.Any},
	{lang: Expr, src: `(yes ? null : "a") + "c"`, want: `type: cannot compute null + string "c"`, typ: value.Any},
	{lang: Expr, src: `no ? 1 : 2`, want: `2`, typ: value.Integer},
	{lang: Expr, src: `(no ? 1 : 2) + "c"`, want: `cannot compute integer + string; string(x) makes a text of a number`},
	{lang: Expr, src: `(no ? [1] : ["a"])[0] + "c"`, want: `"ac"`, typ: value.Any},
	{lang: Expr, src: `(no ? [[1]] : [["a"]])[0][0] + "c"`, want: `"ac"`, typ: value.Any},
	{lang: Expr, src: `(no ? ["a"] : ["b"])[0] + 1`, want: `cannot compute string + integer; string(x) makes a text of a number`},
	{lang: Expr, src: `(no ? l : o).users[0].active`, want: `true`, typ: value.Any},
	{lang: Expr, src: `let a = no ? 1 : "x"; let b = no ? 1 : a; b + "c"`, want: `"xc"`, typ: value.Any},
	{lang: Expr, src: `(o?.none ?? "a") + "c"`, want: `"ac"`, typ: value.Any},
	{lang: Expr, src: `(find([1], # > 5) ?? "a") + "c"`, want: `"ac"`, typ: value.Any},
	{lang: Expr, src: `(find(["b"], # == "z") ?? o.users)[0].active`, want: `true`, typ: value.Any},
	{lang: Expr, src: `[[1], ["a"]][1][0] + "c"`, want: `"ac"`, typ: value.Any},
	{lang: Expr, src: `[["a"], ["b"], [1]][2][0] + 1`, want: `2`, typ: value.Any},
	{lang: Expr, src: `[[1], [2]][1][0] + "c"`, want: `cannot compute integer + string; string(x) makes a text of a number`},
	{lang: Expr, src: `["a", null][0] + "c"`, want: `"ac"`, typ: value.Any},
	{lang: Expr, src: `reduce([], 1, "a") + "c"`, want: `"ac"`, typ: value.Any},
	{lang: Expr, src: `map([1, 2], # > 1 ? # : "s")`, want: `["s",2]`, typ: value.Array},
	{lang: Expr, src: `{"a": no ? 1 : "b"}.a + "c"`, want: `"bc"`, typ: value.Any},
	{lang: Expr, src: `1 < (no ? "a" : 3) < 4`, want: `true`, typ: value.Boolean},
	{lang: Expr, src: `no ? 1 : true`, want: `true`, typ: value.Any, condition: true},
	{lang: Expr, src: `yes ? 1 : true`, want: `1`, typ: value.Any, condition: true},
	{lang: Expr, src: `no ? 1 : 2`, want: `a condition must be true or false, but this is an integer`, condition: true},
	{lang: CEL, src: `(no ? o : o.users)[0].active`, want: `true`, typ: value.Any},
	{lang: CEL, src: `(no ? 1 : "a") + "c"`, want: `"ac"`, typ: value.String},
	{lang: CEL, src: `(no ? [1] : ["a"])[0] + "c"`, want: `"ac"`, typ: value.String},
	{lang: CEL, src: `no ? 1 : 2`, want: `2`, typ: value.Integer},
	{lang: CEL, src: `no ? 1 : o.users`, want: `[{"active":true}]`, typ: value.Any},
	{lang: CEL, src: `(no ? 1 : 2) + "c"`, want: `cannot compute integer + string; string(x) makes a text of a number`},
	{lang: CEL, src: `(no ? null : "a") + "c"`, want: `"ac"`, typ: value.String},
	{lang: CEL, src: `[[1], ["a"]][1][0] + "c"`, want: `"ac"`, typ: value.String},
	{lang: CEL, src: `optional.of(1).orValue("a") + 1`, want: `2`, typ: value.Any},
	{lang: CEL, src: `optional.of(o.users).or(optional.of("a")).orValue(2)`, want: `[{"active":true}]`, typ: value.Any},
	{lang: CEL, src: `o.?none.orValue("a") + "c"`, want: `"ac"`, typ: value.String},
}

func TestConditionalHasTheJoinOfItsBranches(t *testing.T) {
	env := &Env{Vars: map[string]value.Type{"o": value.Object, "l": value.Array, "yes": value.Boolean, "no": value.Boolean}}
	s := NewScope(time.Now())
	s.Set("o", map[string]any{"users": []any{map[string]any{"active": true}}})
	s.Set("l", []any{1})
	s.Set("yes", true)
	s.Set("no", false)
	c := NewCompiler()
	for _, j := range joins {
		want := value.Any
		if j.condition {
			want = value.Boolean
		}
		p, problems := c.Compile(j.lang, j.src, env, want)
		got := ""
		if problems != nil {
			got = problems[0].Message
		} else {
			got = outcomeText(p, s)
			if p.Type() != j.typ {
				t.Errorf("%s %s: has type %s, want %q", j.lang, j.src, p.Type(), j.typ)
			}
		}
		if got != j.want {
			t.Errorf("%s %s:\ngot  %s\nwant %s", j.lang, j.src, got, j.want)
		}
	}
}
