//go:build !race

package cond

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// declare compiles functions, each "NAME(ARGS) LANG: BODY", the later ones seeing the earlier ones.
func declare(t testing.TB, c *Compiler, decls ...string) []*Func {
	t.Helper()
	var funcs []*Func
	for _, d := range decls {
		head, body, _ := strings.Cut(d, ": ")
		name, rest, _ := strings.Cut(head, "(")
		list, lang, _ := strings.Cut(rest, ") ")
		args, types := []string{}, map[string]value.Type{}
		for _, arg := range strings.Fields(list) {
			args, types[arg] = append(args, arg), value.Any
		}
		if problem, _ := CheckFunc(name, args, Lang(lang), funcs); problem != "" {
			t.Fatal(problem)
		}
		p, problems := c.Compile(Lang(lang), body, &Env{Vars: types, Funcs: funcs[:len(funcs):len(funcs)]}, value.Any)
		if problems != nil {
			t.Fatalf("%s: %s", d, problems[0].Message)
		}
		f, problem := NewFunc(name, args, p)
		if problem != "" {
			t.Fatal(problem)
		}
		funcs = append(funcs, f)
	}
	return funcs
}

// A function means the same wherever its body and its call are written.
func TestFuncsInBothLanguages(t *testing.T) {
	for _, lang := range []string{"expr", "cel"} {
		c := NewCompiler()
		funcs := declare(t, c,
			"unit() "+lang+": 1",
			"same(x) "+lang+": x",
			"pick(o k) "+lang+": o[k]",
			"total(a b) "+lang+": a + b + unit()",
			"list_of(a b) "+lang+": [a, same(b)]",
			"size_of(s) "+map[string]string{"expr": "expr: len(s)", "cel": "cel: size(s)"}[lang],
		)
		env := &Env{Vars: map[string]value.Type{"o": value.Any, "n": value.Integer}, Funcs: funcs}
		s := NewScope(time.Now())
		s.Set("o", map[string]any{"a": map[string]any{"b": []any{1, nil}}})
		s.Set("n", 4)
		for src, want := range map[string]string{
			"unit()":          "1",
			"same(null)":      "null",
			"total(n, 2) * 2": "14",
			"total(\"a\", size_of(\"bc\") == 2 ? \"d\" : \"e\")": "error",
			"pick(o, \"a\")":                 `{"b":[1,null]}`,
			"pick(pick(o, \"a\"), \"b\")[0]": "1",
			"list_of(o.a, list_of(n, true))": `[{"b":[1,null]},[4,true]]`,
			"size_of(list_of(1, 2)) == 2":    "true",
			"pick(o, \"c\")":                 "error",
		} {
			for _, from := range []Lang{Expr, CEL} {
				p, problems := c.Compile(from, src, env, value.Any)
				if problems != nil {
					t.Errorf("%s from %s: %s: %s", lang, from, src, problems[0].Message)
					continue
				}
				got := "error"
				if v, err := p.Eval(s); err == nil {
					got = value.JSON(v)
				}
				if got != want {
					t.Errorf("%s from %s: %s is %s, want %s", lang, from, src, got, want)
				}
			}
		}
		if _, problems := c.Compile(Expr, "size_of(1) + \"a\"", env, value.Any); problems == nil {
			t.Error("the type of a body is not that of its calls")
		}
	}
}

// What a function does is paid for by whoever calls it: no nesting of calls multiplies the bound on work, and what holds
// a value many times over is not made.
func TestFuncsArePaidFor(t *testing.T) {
	for _, lang := range []string{"expr", "cel"} {
		decls := []string{"f0(x) " + lang + ": x"}
		more := []string{"d0(x) " + lang + ": [x, x]"}
		for i := 1; i < 40; i++ {
			decls = append(decls, fmt.Sprintf("f%d(x) %s: f%d(f%d(x))", i, lang, i-1, i-1))
			more = append(more, fmt.Sprintf("d%d(x) %s: d%d([x, x])", i, lang, i-1))
		}
		c := NewCompiler()
		funcs := declare(t, c, append(decls, more...)...)
		for _, from := range []Lang{Expr, CEL} {
			for _, src := range []string{"f39(1)", "d39(1)"} {
				p, problems := c.Compile(from, src, &Env{Funcs: funcs}, value.Any)
				if problems != nil {
					t.Fatal(problems[0].Message)
				}
				_, err := p.Eval(NewScope(time.Now()))
				if err == nil || fault.Of(err).Kind != fault.InvalidRequest || !strings.Contains(err.Error(), "too much work") {
					t.Errorf("%s from %s: %s: %v", lang, from, src, err)
				}
				if len(err.Error()) > 20_000 {
					t.Errorf("the message has %d bytes", len(err.Error()))
				}
			}
		}
	}
}

// A call must not depend on what a Scope was used for before: arguments, and an error inside.
func TestFuncsLeaveNoTrace(t *testing.T) {
	c := NewCompiler()
	funcs := declare(t, c, "inner(x) cel: x.a", "outer(x y) expr: [inner(x), y]")
	env := &Env{Vars: map[string]value.Type{"x": value.Any, "y": value.Any}, Funcs: funcs}
	p, _ := c.Compile(Expr, "[outer(y, x), x, y.a]", env, value.Any)
	s := NewScope(time.Now())
	s.Set("x", 1)
	for range 3 {
		s.Set("y", map[string]any{"a": 2})
		if v, err := p.Eval(s); err != nil || value.JSON(v) != "[[2,1],1,2]" {
			t.Fatal(v, err)
		}
		s.Set("y", map[string]any{})
		if _, err := p.Eval(s); err == nil || s.depth != 0 {
			t.Fatal(err, s.depth)
		}
	}
}

func TestFuncsNestNoDeeper(t *testing.T) {
	c := NewCompiler()
	funcs := declare(t, c, "f(x) expr: x")
	for i := 1; ; i++ {
		p, problems := c.Compile(Expr, funcs[i-1].Name+"(x)", &Env{Vars: map[string]value.Type{"x": value.Any}, Funcs: funcs[i-1 : i : i]}, value.Any)
		if problems != nil {
			t.Fatal(problems[0].Message)
		}
		f, problem := NewFunc(fmt.Sprintf("f%d", i), []string{"x"}, p)
		if problem != "" {
			if i != maxDepth {
				t.Errorf("%d deep: %s", i, problem)
			}
			break
		}
		funcs = append(funcs, f)
	}
}

// No function of either language can be declared again.
func TestBuiltinsAreTaken(t *testing.T) {
	base, err := newCELBase()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for name := range base.env.Functions() {
		all = append(all, name)
	}
	for _, m := range base.env.Macros() {
		all = append(all, m.Function())
	}
	all = append(all, NewCompiler().exprEnv(&Env{}).functions...)
	for name := range exprOff {
		all = append(all, name)
	}
	callable := regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
	for _, name := range all {
		if !callable.MatchString(name) || name == "least" || name == "greatest" { // these two are of math alone
			continue
		}
		if problem, _ := CheckFunc(name, nil, Expr, nil); problem == "" {
			t.Errorf("%s can be declared", name)
		}
	}
}
