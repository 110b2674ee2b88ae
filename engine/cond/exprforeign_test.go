package cond

import (
	"regexp"
	"strings"
	"testing"

	"pflow/internal/value"
)

// TestForeignExpressions: what is written as in JavaScript is told how it is written here, and following that is accepted.
func TestForeignExpressions(t *testing.T) {
	env := &Env{Records: map[string]Record{"inputs": {}}, Vars: map[string]value.Type{"items": value.Any, "s": value.String}}
	for _, c := range []struct{ src, want, instead string }{
		{`items.map(x => x.title)`, `12: => cannot stand here: ` + noArrows, `map(items, .title)`},
		{`reduce(items, (a, b) => a + b, 0)`, `21: => cannot stand here: ` + noArrows, `reduce(items, #acc + #, 0)`},
		{`"a => b" + items.filter(function(x) { return x })`, `24: ` + noArrows, `"a => b" + string(filter(items, #.a))`},
		{`s === "x"`, `2: === is written ==`, `s == "x"`},
		{`s !== "==="`, `2: !== is written !=`, `s != "==="`},
		{`map(items, {title: .title})`, `17: the { before this begins what is done with each item; an object in it stands in braces of its own, as in map(list, {{name: .title}})`, `map(items, {{title: .title}})`},
		{`map(matches, .match)`, `4: matches is an operator, as in a matches b; a value of that name needs another one`, `map(items, .match)`},
		{`s.toUpperCase()`, `2: values have no methods: write upper(text)`, `upper(s)`},
		{`items.push(1)`, `6: values have no methods: write concat(list, [item])`, `concat(items, [1])`},
		{`items.join(", ")`, `6: values have no methods: write join(…)`, `join(items, ", ")`},
		{`s.length`, `2: string has no member "length"; write len(value)`, `len(s)`},
		{`const x = 1; x`, `0: a name is given with let, as in let x = 1; x + 1`, `let x = 1; x`},
		{`typeof s`, `0: the type of a value is type(value)`, `type(s)`},
	} {
		compile := func(src string) string {
			_, found := NewCompiler().Compile(Expr, src, env, value.Any)
			if len(found) == 0 {
				return ""
			}
			return strings.TrimSpace(value.JSON(found[0].Offset) + ": " + found[0].Message)
		}
		if got := compile(c.src); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.src, got, c.want)
		}
		if got := compile(c.instead); got != "" {
			t.Errorf("%s is advised, and refused: %s", c.instead, got)
		}
	}
	called := regexp.MustCompile(`(\w+)\(`)
	for method, here := range ofMethods {
		for _, m := range called.FindAllStringSubmatch(here, -1) {
			_, found := NewCompiler().Compile(Expr, m[1]+"()", env, value.Any)
			for _, p := range found {
				if strings.Contains(p.Message, "no function") {
					t.Errorf("%s is advised for %s: %s", m[1], method, p.Message)
				}
			}
		}
	}
}
