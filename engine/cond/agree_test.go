package cond

import (
	"math"
	"testing"
	"time"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// pairs are the same expressions in both languages. For all values of agreeValues they must give the same value, or
// fail with the same kind.
var pairs = [][2]string{
	{`store.v`, `store.v`},
	{`store.v == store.w`, `store.v == store.w`},
	{`store.v != store.w`, `store.v != store.w`},
	{`store.v < store.w`, `store.v < store.w`},
	{`store.v <= store.w`, `store.v <= store.w`},
	{`store.v > store.w`, `store.v > store.w`},
	{`store.v >= store.w`, `store.v >= store.w`},
	{`store.v + store.w`, `store.v + store.w`},
	{`store.v - store.w`, `store.v - store.w`},
	{`store.v * store.w`, `store.v * store.w`},
	{`store.v % store.w`, `store.v % store.w`},
	{`-store.v`, `-store.v`},
	{`not store.v`, `!store.v`},
	{`store.v and store.w`, `store.v && store.w`},
	{`store.v or store.w`, `store.v || store.w`},
	{`store.v and store.w.missing`, `store.v && store.w.missing`},
	{`store.v or store.w.missing`, `store.v || store.w.missing`},
	{`store.w.missing and store.v`, `store.w.missing && store.v`},
	{`store.w.missing or store.v`, `store.w.missing || store.v`},
	{`store.v ? 1 : "a"`, `store.v ? 1 : "a"`},
	{`store.v ? store.w.missing : 2`, `store.v ? store.w.missing : 2`},
	{`store.v == null`, `store.v == null`},
	{`null == store.v`, `null == store.v`},
	{`store.v == 1`, `store.v == 1`},
	{`store.v == 1.0`, `store.v == 1.0`},
	{`store.v == 2.5`, `store.v == 2.5`},
	{`store.v == "x"`, `store.v == "x"`},
	{`store.v == true`, `store.v == true`},
	{`store.v == [1, 2.0]`, `store.v == [1, 2.0]`},
	{`store.v == {"k": 1}`, `store.v == {"k": 1}`},
	{`store.v > 1`, `store.v > 1`},
	{`store.v > 1.5`, `store.v > 1.5`},
	{`store.v > "a"`, `store.v > "a"`},
	{`store.v + 1`, `store.v + 1`},
	{`store.v + 0.5`, `store.v + 0.5`},
	{`store.v + "a"`, `store.v + "a"`},
	{`store.v.k`, `store.v.k`},
	{`store.v.k.j`, `store.v.k.j`},
	{`store.v["k"]`, `store.v["k"]`},
	{`store.v[0]`, `store.v[0]`},
	{`store.v[1]`, `store.v[1]`},
	{`store.v[-1]`, `store.v[-1]`},
	{`store.v[5]`, `store.v[5]`},
	{`store.v[store.w]`, `store.v[store.w]`},
	{`store.v?.k`, `store.v.?k.orValue(null)`},
	{`store.v?.[store.w]`, `store.v[?store.w].orValue(null)`},
	{`store.v?.[0]`, `store.v[?0].orValue(null)`},
	{`store.v?.k != null`, `store.v.?k.orValue(null) != null`},
	{`store.v?.k ?? 7`, `store.v.?k.orValue(null) == null ? 7 : store.v.k`},
	{`"k" in store.v`, `"k" in store.v`},
	{`store.w in store.v`, `store.w in store.v`},
	{`1 in store.v`, `1 in store.v`},
	{`store.v in [1, "x", null, 2.5]`, `store.v in [1, "x", null, 2.5]`},
	{`"k" in store.v and store.v.k == 1`, `"k" in store.v && store.v.k == 1`},
	{`store.v contains "x"`, `store.v.contains("x")`},
	{`store.v startsWith "x"`, `store.v.startsWith("x")`},
	{`store.v endsWith "x"`, `store.v.endsWith("x")`},
	{`store.v matches "^x+$"`, `store.v.matches("^x+$")`},
	{`store.s contains store.v`, `store.s.contains(store.v)`},
	{`len(store.v)`, `size(store.v)`},
	{`to_json(store.v)`, `to_json(store.v)`},
	{`string(store.v)`, `string(store.v)`},
	{`parse_json(store.v)`, `parse_json(store.v)`},
	{`repair_json(store.v)`, `repair_json(store.v)`},
	{`slug(store.v)`, `slug(store.v)`},
	{`merge(store.v, store.w)`, `merge(store.v, store.w)`},
	{`fail("not_found", to_json(store.v))`, `fail("not_found", to_json(store.v))`},
	{`fail(store.v, "m")`, `fail(store.v, "m")`},
	{`any(store.v, # == 1)`, `(type(store.v) == map ? fail("type", "") : store.v).exists(x, x == 1)`},
	{`all(store.v, # == 1)`, `(type(store.v) == map ? fail("type", "") : store.v).all(x, x == 1)`},
	{`none(store.v, # == 1)`, `!(type(store.v) == map ? fail("type", "") : store.v).exists(x, x == 1)`},
	{`one(store.v, # == 1)`, `(type(store.v) == map ? fail("type", "") : store.v).exists_one(x, x == 1)`},
	{`all(store.v, # > 0)`, `(type(store.v) == map ? fail("type", "") : store.v).all(x, x > 0)`},
	{`any(store.v, #.k == 1)`, `(type(store.v) == map ? fail("type", "") : store.v).exists(x, x.k == 1)`},
	{`filter(store.v, # != 1)`, `(type(store.v) == map ? fail("type", "") : store.v).filter(x, x != 1)`},
	{`map(store.v, [#, 1])`, `(type(store.v) == map ? fail("type", "") : store.v).map(x, [x, 1])`},
	{`map(store.v, # + 1)`, `(type(store.v) == map ? fail("type", "") : store.v).map(x, x + 1)`},
	{`keys(store.v)`, `(type(store.v) == list ? fail("type", "") : store.v).map(k, k)`},
	{`values(store.v)`, `(type(store.v) == list ? fail("type", "") : store.v).map(k, store.v[k])`},
	{`[store.v, {"a": store.w}]`, `[store.v, {"a": store.w}]`},
	{`{"a": store.v}.a`, `{"a": store.v}.a`},
	{`{"a": {"b": store.v}}`, `{"a": {"b": store.v}}`},
	{`store.i + store.v`, `store.i + store.v`},
	{`store.f == store.v`, `store.f == store.v`},
	{`store.f > store.v`, `store.f > store.v`},
	{`store.i == store.f`, `store.i == store.f`},
	{`store.i < store.f`, `store.i < store.f`},
	{`store.f * 2`, `store.f * 2`},
	{`store.f / store.i`, `store.f / store.i`},
	{`store.i > 3 and store.f < 2 or store.b`, `store.i > 3 && store.f < 2 || store.b`},
	{`store.b == store.v`, `store.b == store.v`},
	{`store.s == store.v`, `store.s == store.v`},
	{`store.l == store.v`, `store.l == store.v`},
	{`store.o == store.v`, `store.o == store.v`},
	{`store.o.k`, `store.o.k`},
	{`store.o.missing`, `store.o.missing`},
	{`store.l[store.v]`, `store.l[store.v]`},
	{`store.v?.a?.b`, `store.v.?a.?b.orValue(null)`},
	{`now() > today()`, `now() > today()`},
	{`[today(), now()]`, `[today(), now()]`},
	{`(store.v == 1) == (store.w == 1)`, `(store.v == 1) == (store.w == 1)`},
	{`store.v / store.w * 0.0`, `(store.v * 1.0) / store.w * 0.0`},
	{`9223372036854775807 - store.v`, `9223372036854775807 - store.v`},
	{`group_by(store.v, "k")`, `group_by(store.v, "k")`},
	{`group_by(store.l, store.v)`, `group_by(store.l, store.v)`},
	{`count_by(store.v, store.w)`, `count_by(store.v, store.w)`},
	{`sum_by(store.v, "k", "k")`, `sum_by(store.v, "k", "k")`},
	{`sort_by(store.v, store.w)`, `sort_by(store.v, store.w)`},
	{`sort_by(store.v, "k", "desc")`, `sort_by(store.v, "k", "desc")`},
	{`sort_by(store.l, store.l, store.s)`, `sort_by(store.l, store.l, store.s)`},
	{`round_to(store.v, 0)`, `round_to(store.v, 0)`},
	{`round_to(store.v, 3, "half_even")`, `round_to(store.v, 3, "half_even")`},
	{`round_to(store.f, store.v)`, `round_to(store.f, store.v)`},
	{`round_to(3, -1) == 0`, `round_to(3, -1) == 0`},
	{`format_number(store.v, 2)`, `format_number(store.v, 2)`},
	{`format_number(store.i, store.v, "half_even")`, `format_number(store.i, store.v, "half_even")`},
	{`find_regex(store.v, "(k|x)")`, `find_regex(store.v, "(k|x)")`},
	{`find_regex(store.s, store.v)`, `find_regex(store.s, store.v)`},
	{`find_all_regex(store.v, store.w)`, `find_all_regex(store.v, store.w)`},
	{`replace_regex(store.v, "x", store.w)`, `replace_regex(store.v, "x", store.w)`},
	{`split_regex(store.v, store.w)`, `split_regex(store.v, store.w)`},
	{`escape_regex(store.v)`, `escape_regex(store.v)`},
	{`parse_date(store.v, "%Y-%m-%d")`, `parse_date(store.v, "%Y-%m-%d")`},
	{`parse_date("2026-03-04", store.v)`, `parse_date("2026-03-04", store.v)`},
	{`format_date(now(), "%Y", store.v)`, `format_date(now(), "%Y", store.v)`},
	{`format_date(store.v, "%Y")`, `format_date(store.v, "%Y")`},
	{`add_date(today(), store.v, "month")`, `add_date(today(), store.v, "month")`},
	{`add_date(now(), 5, store.v)`, `add_date(now(), 5, store.v)`},
	{`diff_dates(today(), store.v, "day")`, `diff_dates(today(), store.v, "day")`},
	{`diff_dates("2020-02-29", today(), "year") + store.v`, `diff_dates("2020-02-29", today(), "year") + store.v`},
	{`truncate_date(now(), "week", store.v)`, `truncate_date(now(), "week", store.v)`},
	{`weekday(store.v)`, `weekday(store.v)`},
	{`parse_duration(store.v)`, `parse_duration(store.v)`},
	{`format_duration(store.v)`, `format_duration(store.v)`},
	{`parse_csv(store.v)`, `parse_csv(store.v)`},
	{`parse_csv_rows(store.v, store.w)`, `parse_csv_rows(store.v, store.w)`},
	{`to_csv(store.v)`, `to_csv(store.v)`},
	{`to_csv(store.v, store.w)`, `to_csv(store.v, store.w)`},
	{`indent_json(store.v, store.i)`, `indent_json(store.v, store.i)`},
	{`escape_query(store.v)`, `escape_query(store.v)`},
	{`escape_path(store.v)`, `escape_path(store.v)`},
	{`parse_query(store.v)`, `parse_query(store.v)`},
	{`to_query(store.v)`, `to_query(store.v)`},
	{`escape_html(store.v)`, `escape_html(store.v)`},
	{`9223372036854775807 * store.v`, `9223372036854775807 * store.v`},
}

var agreeValues = []any{
	nil, true, false, 0, 1, -1, 4, math.MaxInt, math.MinInt, 1 << 53, 1<<53 + 1, 2.5, -0.5, 1e300, 9007199254740992.5, 9.3e18,
	"", "x", "xx", "k", "a\"é", `{"k": [1]}`, "not_found", "limit",
	[]any{}, []any{1}, []any{1, 2}, []any{1, 2.5, "x", nil}, []any{nil}, []any{map[string]any{"k": 1}, map[string]any{}}, []any{[]any{1}, []any{}},
	map[string]any{}, map[string]any{"k": 1}, map[string]any{"k": nil}, map[string]any{"k": map[string]any{"j": 2}, "a": map[string]any{"b": 3}}, map[string]any{"b": 1, "a": 2, "c": nil},
}

func agreeEnv() *Env {
	return &Env{Records: map[string]Record{"store": {
		"v": value.Any, "w": value.Any, "i": value.Integer, "f": value.Number, "s": value.String, "b": value.Boolean, "l": value.Array, "o": value.Object,
	}}}
}

func outcome(p *Program, s *Scope) string {
	v, err := p.Eval(s)
	if err != nil {
		return "fault " + string(fault.Of(err).Kind)
	}
	return value.JSON(v)
}

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
