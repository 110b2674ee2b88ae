// One goroutine does all of this: the race detector would find nothing in ten times the time. make test runs it without.

//go:build !race

package cond

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"pflow/internal/fault"
	"pflow/internal/value"
)

func nested(open, inner, close string, n int) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(close, n)
}

// Whatever the source, compiling it ends soon and without a panic.
func TestCompileIsBounded(t *testing.T) {
	sources := map[string]string{
		"1 MB":                  strings.Repeat("store.i + ", 100_000) + "1",
		"1 MB of brackets":      strings.Repeat("(", 1<<20),
		"long sum":              strings.Repeat("store.i + ", 6000) + "1",
		"long and":              strings.Repeat("store.b && ", 5900) + "true",
		"long list":             "[" + strings.Repeat("1,", 30_000) + "1]",
		"long text":             `"` + strings.Repeat("x", 60_000) + `"`,
		"open brackets":         strings.Repeat("(", 60_000),
		"open lists":            strings.Repeat("[", 60_000),
		"open braces":           strings.Repeat("{", 60_000),
		"brackets":              nested("(", "1", ")", 30_000),
		"lists":                 nested("[", "1", "]", 30_000),
		"objects":               nested(`{"a":`, "1", "}", 9_000),
		"not":                   strings.Repeat("!", 60_000) + "true",
		"minus":                 strings.Repeat("-", 60_000) + "1",
		"ternaries":             strings.Repeat("true?1:", 9_000) + "1",
		"left ternaries":        strings.Repeat("true?", 9_000) + "1" + strings.Repeat(":1", 9_000),
		"members":               "store.x" + strings.Repeat(".a", 30_000),
		"asked members":         "store.x" + strings.Repeat("?.a", 20_000),
		"indexes":               "store.x" + strings.Repeat("[0]", 20_000),
		"trim":                  nested("trim(", `""`, ")", 40),
		"many trims":            nested("trim(", `""`, ")", 9_000),
		"sort":                  nested("sort(", "[]", ")", 40),
		"sort with an order":    nested("sort(", "[]", `, "asc")`, 40),
		"split":                 nested("split(", `""`, `, "a")`, 40),
		"max":                   nested("max(", "1", ")", 1000),
		"chains of comparisons": nested("(1 < ", "1", " < 2)", 40),
		"predicates":            nested("all([1], ", "true", ")", 2000),
		"maps":                  nested("map([1], ", "1", ")", 2000),
		"macros":                nested("[1].all(x, ", "true", ")", 40),
		"deep macros":           nested("[1].map(x, ", "x", ")", 2000),
		"chained macros":        "[1]" + strings.Repeat(".map(x, x)", 5000),
		"lets":                  strings.Repeat("let a = 1; ", 5000) + "1",
		"sequences":             strings.Repeat("1;", 30_000) + "1",
		"pipes":                 `""` + strings.Repeat(" | trim()", 5000),
		"errors":                strings.Repeat("@ ", 30_000),
		"unknown names":         strings.Repeat("a + ", 9_000) + "a",
		"texts":                 strings.Repeat(`"a" + `, 9_000) + `"a"`,
		"optional macros":       nested("optional.of(1).optMap(v, ", "v", ").value()", 30),
		"ternaries to open":     strings.Repeat(`(true ? 1 : "a") == `, 200) + "1",
		"nested to open":        nested(`(true ? "a" : `, "1", ")", 60),
		"invalid UTF-8":         "store.i == \"\xff\"",
		"control characters":    "store.i\x00 > \x01",
	}
	for _, name := range value.SortedKeys(sources) {
		for _, lang := range []Lang{Expr, CEL} {
			start := time.Now()
			p, problems := NewCompiler().Compile(lang, sources[name], testEnv(), value.Any)
			if (p == nil) == (problems == nil) {
				t.Errorf("%s %s: program %v, problems %v", lang, name, p, problems)
			}
			for _, problem := range problems {
				if strings.Contains(problem.Message, "\n") || len(problem.Message) > 500 {
					t.Errorf("%s %s: %.600q", lang, name, problem.Message)
				}
			}
			if p != nil {
				s := NewScope(time.Now())
				s.Set("store", map[string]any{"i": 1, "b": true, "x": map[string]any{}})
				if _, err := p.Eval(s); err != nil && fault.Of(err).Kind == fault.Failure {
					t.Errorf("%s %s: %v", lang, name, err)
				}
			}
			if d := time.Since(start); d > 90*time.Second {
				t.Errorf("%s %s took %v", lang, name, d)
			} else if d > 200*time.Millisecond {
				t.Logf("%s %s took %v", lang, name, d)
			}
		}
	}
}

// An evaluation that would do too much work, or make too much, fails with kind invalid_request.
func TestEvalIsBounded(t *testing.T) {
	big := make([]any, 3000)
	for i := range big {
		big[i] = i
	}
	text := strings.Repeat("x", 1<<20)
	c, env := NewCompiler(), &Env{Records: map[string]Record{"store": {"big": value.Array, "text": value.String}}}
	for _, tc := range []struct {
		lang Lang
		src  string
	}{
		{Expr, `len(1..1000000000)`},
		{Expr, `1..9223372036854775807`},
		{Expr, `-9223372036854775807..9223372036854775807`},
		{CEL, `lists.range(1000000000).size()`},
		{Expr, `all(store.big, {let a = #; all(store.big, {let b = #; all(store.big, # >= 0)})})`},
		{CEL, `store.big.all(a, store.big.all(b, store.big.all(c, c >= 0)))`},
		{Expr, `map(store.big, map(store.big, map(store.big, #)))`},
		{CEL, `store.big.map(a, store.big.map(b, store.big.map(c, c)))`},
		{Expr, `any(store.big, any(store.big, # in [] or # in store.big and false))`},
		{CEL, `store.big.exists(a, store.big.exists(b, -1 in store.big))`},
		{Expr, `reduce(1..60, #acc + #acc, "x")`},
		{Expr, `reduce(1..60, #acc + #acc, store.text)`},
		{Expr, `reduce(1..60, [#acc, #acc], 1)`},
		{Expr, `reduce(1..60, concat(#acc, #acc), [1])`},
		{Expr, `reduce(1..60, ({"a": #acc, "b": #acc}), 1) | to_json()`},
		{Expr, `let a = [1, 1, 1, 1, 1, 1, 1, 1]; let b = [a, a, a, a, a, a, a, a]; let c = [b, b, b, b, b, b, b, b]; let d = [c, c, c, c, c, c, c, c]; let e = [d, d, d, d, d, d, d, d]; let f = [e, e, e, e, e, e, e, e]; let g = [f, f, f, f, f, f, f, f]; [g, g, g, g, g, g, g, g]`},
		{Expr, `len(flatten(reduce(1..60, [#acc, #acc], 1)))`},
		{Expr, `max(reduce(1..60, [#acc, #acc], 1))`},
		{Expr, `reduce(1..60, [#acc, #acc], 1) == reduce(1..60, [#acc, #acc], 1)`},
		{Expr, `reduce(1..60, [#acc, #acc], 1) in [reduce(1..60, [#acc, #acc], 1)]`},
		{Expr, `repeat(store.text, 1000000)`},
		{Expr, `len(replace(store.text, "x", store.text))`},
		{CEL, `store.text.replace("x", store.text).size()`},
		{Expr, `join(map(store.big, "a"), store.text)`},
		{Expr, `map(store.big, repeat(store.text, 10))`},
		{CEL, `store.big.map(a, store.text + store.text + store.text).size()`},
		{Expr, `map(store.big, store.text + store.text)`},
	} {
		t.Run(string(tc.lang)+" "+tc.src[:min(len(tc.src), 60)], func(t *testing.T) {
			p, problems := c.Compile(tc.lang, tc.src, env, value.Any)
			if problems != nil {
				t.Fatal(problems)
			}
			s := NewScope(time.Now())
			s.steps = 300_000
			s.Set("store", map[string]any{"big": big, "text": text})
			start := time.Now()
			v, err := p.Eval(s)
			if err == nil || fault.Of(err).Kind != fault.InvalidRequest {
				t.Errorf("gave %.80s, %v", fmt.Sprint(v), err)
			}
			if d := time.Since(start); d > 90*time.Second {
				t.Errorf("took %v", d)
			} else if d > time.Second {
				t.Logf("took %v", d)
			}
			if p, _ := c.Compile(tc.lang, `1 + 1`, env, value.Any); p != nil {
				if v, err := p.Eval(s); v != 2 || err != nil {
					t.Errorf("the scope is spoilt: %v, %v", v, err)
				}
			}
		})
	}
}

// Work on as much data as flows hold stays inside the bounds.
func TestBoundsLeaveRoom(t *testing.T) {
	big := make([]any, 50_000)
	for i := range big {
		big[i] = map[string]any{"id": fmt.Sprint(i), "n": i}
	}
	c, env := NewCompiler(), &Env{Records: map[string]Record{"store": {"big": value.Array}}}
	for src, lang := range map[string]Lang{
		`len(filter(store.big, #.n % 2 == 0 and #.id != "x"))`:                   Expr,
		`store.big.filter(x, x.n % 2 == 0 && x.id != "x").size()`:                CEL,
		`len(map(store.big, merge(#, {"m": #.n * 2})))`:                          Expr,
		`store.big.map(x, merge(x, {"m": x.n * 2})).size()`:                      CEL,
		`len(to_json(map(store.big, #.id + "-" + string(#.n)))) > 0 ? 50000 : 0`: Expr,
		`len(uniq(map(store.big, #.n))) == 50000 ? 25000 : 0`:                    Expr,
	} {
		p, problems := c.Compile(lang, src, env, value.Any)
		if problems != nil {
			t.Fatal(problems)
		}
		s := NewScope(time.Now())
		s.Set("store", map[string]any{"big": big})
		if v, err := p.Eval(s); err != nil || v != 25000 && v != 50000 {
			t.Errorf("%s: %v, %v", src, v, err)
		}
	}
}

// A program gives the same text every time, whatever order Go's maps have, also from many goroutines at once.
func TestDeterminism(t *testing.T) {
	env := &Env{Records: map[string]Record{"store": {"o": value.Object, "l": value.Array}}}
	programs := map[string]*Program{}
	for _, src := range []struct {
		lang Lang
		text string
	}{
		{Expr, `keys(store.o)`}, {Expr, `values(store.o)`}, {Expr, `toPairs(store.o)`}, {Expr, `store.o | keys() | map(# + "!")`},
		{Expr, `toPairs(store.o) | map(#[0]) | join(",")`}, {Expr, `string(store.o)`}, {Expr, `toJSON(store.o)`}, {Expr, `to_json(store.o)`},
		{Expr, `groupBy(store.l, #.k)`}, {Expr, `groupBy(store.l, #.k) | keys()`}, {Expr, `sortBy(store.l, #.n)`},
		{Expr, `map(toPairs(groupBy(store.l, #.k)), len(#[1]))`}, {Expr, `reduce(keys(store.o), #acc + #, "")`}, {Expr, `fromPairs(toPairs(store.o))`},
		{Expr, `store.o.zz`}, {Expr, `merge(store.o, {"z": 1}) | values()`},
		{CEL, `store.o.map(k, k)`}, {CEL, `store.o.map(k, store.o[k])`}, {CEL, `store.o.filter(k, k > "c")`}, {CEL, `store.o.exists(k, k == "c")`},
		{CEL, `store.o.filter(k, true)[0]`}, {CEL, `store.o.map(k, k == "a" ? fail("one", k) : k == "b" ? fail("two", k) : k)`},
		{CEL, `{"z": 1, "a": 2, "m": 3}.map(k, k)`}, {CEL, `string(store.o)`}, {CEL, `merge(store.o, {"z": 1}).map(k, k)`}, {CEL, `store.o.zz`},
		{CEL, `{store.l[0].k: 1, store.l[1].k: 2}.map(k, k)`},
	} {
		p, problems := NewCompiler().Compile(src.lang, src.text, env, value.Any)
		if problems != nil {
			t.Fatal(src.text, problems)
		}
		programs[string(src.lang)+" "+src.text] = p
	}
	scope := func() *Scope {
		s := NewScope(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
		o := map[string]any{}
		for i := range 26 {
			o[string(rune('a'+(i*7)%26))] = i
		}
		var l []any
		for i := range 20 {
			l = append(l, map[string]any{"k": string(rune('a' + i%5)), "n": i % 3})
		}
		s.Set("store", map[string]any{"o": o, "l": l})
		return s
	}
	text := func(p *Program, s *Scope) string {
		v, err := p.Eval(s)
		return fmt.Sprint(value.JSON(v), err)
	}
	want := map[string]string{}
	for name, p := range programs {
		want[name] = text(p, scope())
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s := scope()
			for i := range 100 {
				if i%10 == 0 {
					s = scope()
				}
				for name, p := range programs {
					if got := text(p, s); got != want[name] {
						t.Errorf("%s: %s and %s", name, got, want[name])
						return
					}
				}
			}
		})
	}
	wg.Wait()
	if got := want[`cel store.o.map(k, k)`]; !strings.HasPrefix(got, `["a","b","c"`) {
		t.Error(got)
	}
}
