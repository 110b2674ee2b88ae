package cond

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pflow/internal/fault"
	"pflow/internal/value"
)

func testScope() *Scope {
	s := NewScope(time.Date(2026, 3, 4, 23, 6, 7, 0, time.FixedZone("", 2*3600)))
	s.Set("store", map[string]any{"i": 4, "f": 1.5, "s": "héllo", "b": true, "l": []any{3, 1, 2}, "o": map[string]any{"b": 1, "a": map[string]any{"c": nil}}, "x": map[string]any{"key": "v"}})
	s.Set("params", map[string]any{"max": 5})
	s.Set("prep", map[string]any{})
	s.Set("result", map[string]any{"errors": []any{}, "score": 0.5, "text": "x"})
	s.Set("error", map[string]any{"kind": "timeout", "temporary": true})
	s.Set("attempt", 1)
	return s
}

func TestEval(t *testing.T) {
	c, env, s := NewCompiler(), testEnv(), testScope()
	for _, tc := range []struct {
		lang      Lang
		src, want string // a value as JSON, or KIND: MESSAGE
	}{
		{Expr, `attempt < 3 and error.temporary`, `true`},
		{CEL, `attempt < 3 && error.temporary`, `true`},
		{Expr, `error.kind in ["timeout", "network"]`, `true`},
		{CEL, `error.kind in ["timeout", "network"]`, `true`},
		{Expr, `now()`, `"2026-03-04T23:06:07+02:00"`},
		{CEL, `now()`, `"2026-03-04T23:06:07+02:00"`},
		{Expr, `today()`, `"2026-03-04"`},
		{CEL, `today()`, `"2026-03-04"`},
		{Expr, `{"nodes": [], "failure": error.kind}`, `{"failure":"timeout","nodes":[]}`},
		{CEL, `{"nodes": [], "failure": error.kind}`, `{"failure":"timeout","nodes":[]}`},
		{Expr, `fail("not_found", "no " + store.s)`, `not_found: no héllo`},
		{CEL, `fail("not_found", "no " + store.s)`, `not_found: no héllo`},
		{Expr, `store.b ? 1 : fail("error", "m")`, `1`},
		{CEL, `store.b ? 1 : fail("error", "m")`, `1`},
		{Expr, `fail("lim" + "it", "m")`, `type: fail cannot raise the kind limit: only the engine ends a run that way`},
		{CEL, `fail("lim" + "it", "m")`, `type: fail cannot raise the kind limit: only the engine ends a run that way`},
		{Expr, `fail("Not Found" + "", "m")`, `type: fail needs a kind such as "not_found": lower-case letters, digits and underscores; got "Not Found"`},
		{Expr, `to_json({"b": [1, 2.5, null, "<é>"], "a": true})`, `"{\"a\":true,\"b\":[1,2.5,null,\"<é>\"]}"`},
		{CEL, `to_json({"b": [1, 2.5, null, "<é>"], "a": true})`, `"{\"a\":true,\"b\":[1,2.5,null,\"<é>\"]}"`},
		{Expr, `parse_json("{\"a\": 1234567890123456789}").a + 1`, `1234567890123456790`},
		{CEL, `parse_json("{\"a\": 1234567890123456789}").a + 1`, `1234567890123456790`},
		{Expr, `parse_json("{a: 1}")`, `malformed: not valid JSON at line 1, column 2: invalid character 'a'`},
		{CEL, `parse_json("{a: 1}")`, `malformed: not valid JSON at line 1, column 2: invalid character 'a'`},
		{Expr, `repair_json("Here: {'a': None, b: True,}")`, `{"a":null,"b":true}`},
		{CEL, `repair_json("Here: {'a': None, b: True,}")`, `{"a":null,"b":true}`},
		{Expr, `repair_json("no idea")`, `null`},
		{CEL, `repair_json("no idea")`, `null`},
		{Expr, `merge(store.o, {"b": 2, "z": 3})`, `{"a":{"c":null},"b":2,"z":3}`},
		{CEL, `merge(store.o, {"b": 2, "z": 3})`, `{"a":{"c":null},"b":2,"z":3}`},
		{Expr, `merge(result.score, {})`, `type: merge takes an object, got number 0.5`},
		{CEL, `merge(result.score, {})`, `type: merge takes an object, got number 0.5`},
		{Expr, `slug("  Fix Ärger, it's #12!  ")`, `"fix-arger-its-12"`},
		{CEL, `slug("  Fix Ärger, it's #12!  ")`, `"fix-arger-its-12"`},
		{Expr, `slug("日本")`, `""`},

		{Expr, `result.erors`, `missing_key: there is no member "erors"; did you mean "errors"?`},
		{CEL, `result.erors`, `missing_key: there is no member "erors"; did you mean "errors"?`},
		{Expr, `result.zzz`, `missing_key: there is no member "zzz"; there is errors, score, text`},
		{Expr, `{}.a`, `missing_key: there is no member "a"; the object is empty`},
		{Expr, `store.o.a.c.d`, `missing_key: null has no member "d"; ask with ?. if it may be absent`},
		{CEL, `store.o.a.c.d`, `missing_key: null has no member "d"; ask with ?. if it may be absent`},
		{Expr, `store.l[3]`, `missing_key: the index 3 is out of range; the list has 3 items`},
		{CEL, `store.l[3]`, `missing_key: the index 3 is out of range; the list has 3 items`},
		{Expr, `store.x["k" + "ey"]`, `"v"`},
		{CEL, `store.x["k" + "ey"]`, `"v"`},
		{Expr, `result.errors.x`, `missing_key: a list has no member "x"; use an index`},
		{Expr, `result.text.x`, `missing_key: string "x" has no member "x"`},
		{CEL, `result.text.x`, `missing_key: string "x" has no member "x"`},
		{Expr, `result?.zzz`, `null`},
		{CEL, `result.?zzz.hasValue()`, `false`},
		{Expr, `store.o?.a?.c?.d?.e`, `null`},
		{CEL, `store.o.?a.?c.?d.?e.orValue("none")`, `"none"`},
		{Expr, `store.o?.zzz.deep`, `missing_key: null has no member "deep"; ask with ?. if it may be absent`},
		{Expr, `store.o.a.c?.x.y.z`, `null`}, // the chain ends at the null
		{CEL, `has(result.zzz) || has(result.score)`, `true`},
		{CEL, `has(store.o.a.c.d)`, `false`},
		{Expr, `result.score.x?.y`, `missing_key: number 0.5 has no member "x"`},
		{CEL, `result.?zzz`, `type: `},

		{Expr, `9223372036854775807 + store.i`, `type: 9223372036854775807 + 4 does not fit in 64 bits`},
		{CEL, `9223372036854775807 + store.i`, `type: 9223372036854775807 + 4 does not fit in 64 bits`},
		{Expr, `store.i / (store.i - 4)`, `type: division by zero: 4 / 0`},
		{CEL, `store.i % (store.i - 4)`, `type: division by zero: 4 % 0`},
		{Expr, `7 / 2`, `3.5`},
		{CEL, `7 / 2`, `3`},
		{CEL, `7.0 / 2`, `3.5`},
		{Expr, `8 / 2`, `4`},
		{Expr, `result.score + "a"`, `type: cannot compute number 0.5 + string "a"; string(x) makes a text of a number`},
		{CEL, `result.score + "a"`, `type: cannot compute number 0.5 + string "a"; string(x) makes a text of a number`},
		{Expr, `result.text > 1`, `type: cannot compute string "x" > integer 1`},
		{Expr, `result.text ? 1 : 2`, `type: string "x" is neither true nor false`},
		{CEL, `result.text ? 1 : 2`, `type: string "x" is neither true nor false`},
		{Expr, `not result.text`, `type: string "x" is neither true nor false`},
		{Expr, `true and result.text`, `type: string "x" is neither true nor false`},
		{CEL, `true && result.text`, `type: string "x" is neither true nor false`},
		{Expr, `upper(result.score)`, `type: want string, got number`},
		{Expr, `"a" in result.text`, `type: in asks for a key of an object or an item of a list, not for a part of a string: use contains`},
		{Expr, `filter(result, true)`, `type: this takes a list, not an object: use keys, values or toPairs`},
		{Expr, `int("x")`, `type: int reads no integer of 64 bits in string "x"`},
		{CEL, `store.x.filter(k, true)`, `["key"]`},
		{Expr, `store.l[1:]`, `[1,2]`},
		{Expr, `store.s[1:3]`, `"él"`},
		{Expr, `1..3`, `[1,2,3]`},
		{Expr, `split("a,b", ",")`, `["a","b"]`},
		{Expr, `groupBy(store.l, # > 1 ? "big" : "small").big`, `[3,2]`},
		{Expr, `let a = store.i * 2; if a > 5 { "big" } else { "small" }`, `"big"`},
		{Expr, `store.l | filter(# > 1) | map(# * 10) | sum()`, `50`},
		{Expr, `[1, 2.0, 2.5]`, `[1,2,2.5]`},
		{CEL, `[1, 2.0, 2.5]`, `[1,2,2.5]`},
		{CEL, `type(store.i) == int && type(result) == map`, `true`},
		{Expr, `[type(store.i), type(null), type({})]`, `["int","null","map"]`},
		{CEL, `{1: "a"}`, `type: an object's keys are strings, not integer`},
		{Expr, `{1: "a"}`, `{"1":"a"}`},
		{CEL, `[1, 1.0, "a", "a"].distinct()`, `[1,"a"]`},
		{CEL, `["a", "b"].join("-") + "a,b".split(",")[1] + "axa".replace("x", "-")`, `"a-bba-a"`},
		{CEL, `[3, 1, 2].sort()`, `[1,2,3]`},
		{CEL, `optional.of(store.l).optMap(l, size(l)).orValue(0)`, `3`},
		{CEL, `store.?i.orValue(7)`, `4`},
		{CEL, `{?"a": result.?zzz, "b": 1}`, `{"b":1}`},
		{CEL, `result.?zzz.value()`, `missing_key: the optional has no value; give another with .orValue(…)`},
		{CEL, `store.l + [null]`, `[3,1,2,null]`},
		{CEL, `[1] + [null]`, `[1,null]`},
		{Expr, `concat(result.errors, [null])`, `[null]`},
		{Expr, `result.errors + result.errors`, `[]`},
		{CEL, `1u`, ``},
	} {
		p, problems := c.Compile(tc.lang, tc.src, env, value.Any)
		if problems != nil {
			if tc.want != "" && tc.want != "type: " {
				t.Errorf("%s %s: %v", tc.lang, tc.src, problems)
			}
			continue
		}
		v, err := p.Eval(s)
		got := ""
		if err != nil {
			got = string(fault.Of(err).Kind) + ": " + err.Error()
		} else {
			got = value.JSON(v)
		}
		if got != tc.want {
			t.Errorf("%s %s:\ngot  %s\nwant %s", tc.lang, tc.src, got, tc.want)
		}
	}
}

func TestTest(t *testing.T) {
	c, env, s := NewCompiler(), testEnv(), testScope()
	for _, lang := range []Lang{Expr, CEL} {
		p, problems := c.Compile(lang, `result.score`, env, value.Boolean)
		if problems != nil {
			t.Fatal(problems)
		}
		if _, err := p.Test(s); err == nil || err.Error() != "the condition gave number 0.5; it must give true or false" || fault.Of(err).Kind != fault.Type {
			t.Errorf("%s: %v", lang, err)
		}
		p, _ = c.Compile(lang, `result.score == 0.5`, env, value.Boolean)
		if ok, err := p.Test(s); !ok || err != nil {
			t.Errorf("%s: %v, %v", lang, ok, err)
		}
	}
}

// A declared key that nobody wrote is an error and no null.
func TestUnwrittenKey(t *testing.T) {
	for _, lang := range []Lang{Expr, CEL} {
		p, problems := NewCompiler().Compile(lang, `store.i == 4`, testEnv(), value.Boolean)
		if problems != nil {
			t.Fatal(problems)
		}
		s := NewScope(time.Now())
		s.Set("store", map[string]any{"f": 1.5})
		if _, err := p.Test(s); fault.Of(err) == nil || fault.Of(err).Kind != fault.MissingKey {
			t.Errorf("%s: %v", lang, err)
		}
	}
}

func TestFunctionsAreInBothLanguages(t *testing.T) {
	var names []string
	for _, f := range Functions() {
		names = append(names, f.Name)
		if !strings.HasPrefix(f.Signature, f.Name+"(") || f.Doc == "" {
			t.Errorf("%+v", f)
		}
	}
	want := []string{"today", "now", "fail", "to_json", "parse_json", "repair_json", "merge", "slug", "split_lines", "join_lines", "split_words",
		"group_by", "count_by", "sum_by", "sort_by", "round_to", "format_number",
		"find_regex", "find_all_regex", "replace_regex", "split_regex", "escape_regex",
		"parse_date", "format_date", "add_date", "diff_dates", "truncate_date", "weekday", "parse_duration", "format_duration",
		"parse_csv", "parse_csv_rows", "to_csv", "indent_json", "escape_query", "escape_path", "parse_query", "to_query", "escape_html"}
	if !slices.Equal(names, want) {
		t.Errorf("functions are %v, want %v", names, want)
	}
	c := NewCompiler()
	for _, f := range shared {
		env := &Env{Vars: map[string]value.Type{}}
		args := make([]string, len(f.params))
		for i, t := range f.params {
			args[i] = "v" + string(t)
			env.Vars[args[i]] = t
		}
		for n := len(args) - f.optional; n <= len(args); n++ {
			for _, lang := range []Lang{Expr, CEL} {
				p, problems := c.Compile(lang, f.Name+"("+strings.Join(args[:n], ", ")+")", env, value.Any)
				if problems != nil || p.Type() != f.result {
					t.Errorf("%s %s with %d arguments: %v", lang, f.Name, n, problems)
				}
			}
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, pair := range pairs {
		f.Add(pair[0])
		f.Add(pair[1])
	}
	for _, s := range []string{`store?.i`, `store.?i`, `a?.b[0]?.c`, `{"a": 1}.a`, `let x = 1; x`, `if true {1} else {2}`, `1 < 2 < 3`, `b"x"`, `store.l | map(#)`, "`x`", `"é" + store.`, `has(result.a)`, `[1].map(x, x)`} {
		f.Add(s)
	}
	c, env, s := NewCompiler(), testEnv(), testScope()
	s.steps = 10_000
	f.Fuzz(func(t *testing.T, src string) {
		for _, lang := range []Lang{Expr, CEL} {
			p, problems := c.Compile(lang, src, env, value.Any)
			if (p == nil) == (len(problems) == 0) {
				t.Fatalf("%s %q: %v, %v", lang, src, p, problems)
			}
			for _, problem := range problems {
				if problem.Offset < 0 || problem.Offset > len(src) || problem.Message == "" || problem.Kind == "" || strings.Contains(problem.Message, "\n") {
					t.Fatalf("%s %q: %+v", lang, src, problem)
				}
			}
			if p == nil {
				continue
			}
			v, err := p.Eval(s)
			if err != nil {
				if e := fault.Of(err); e.Kind == fault.Failure || e.Message == "" && !strings.Contains(src, "fail") {
					t.Fatalf("%s %q: %v", lang, src, err)
				}
				continue
			}
			if again, err := value.Normalize(v); err != nil || !value.Equal(again, v) {
				t.Fatalf("%s %q is not normal: %v, %v", lang, src, v, err)
			}
			if want := p.Type(); want != value.Any && want != value.TypeOf(v) && !(want == value.Number && value.TypeOf(v) == value.Integer) {
				t.Fatalf("%s %q has static type %s and gives %s", lang, src, want, value.JSON(v))
			}
		}
	})
}
