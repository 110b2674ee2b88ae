package cond

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/value"
)

func testEnv() *Env {
	return &Env{
		Records: map[string]Record{
			"store": {"i": value.Integer, "f": value.Number, "s": value.String, "b": value.Boolean, "l": value.Array, "o": value.Object,
				"x": value.Any, "attempts": value.Integer},
			"params": {"max": value.Integer},
			"prep":   {},
		},
		Vars: map[string]value.Type{"result": value.Any, "error": value.Object, "attempt": value.Integer},
	}
}

// render is a source with its problems under the places they name.
func render(src string, problems []Problem) string {
	var b strings.Builder
	fmt.Fprintln(&b, src)
	for _, p := range problems {
		fmt.Fprintf(&b, "%s^ %s: %s", strings.Repeat(" ", len([]rune(src[:min(p.Offset, len(src))]))), p.Kind, p.Message)
		if p.Suggestion != "" {
			fmt.Fprintf(&b, " (%s?)", p.Suggestion)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestProblems(t *testing.T) {
	cases := []struct {
		lang      Lang
		src, want string
	}{
		{Expr, `store.attemps < 3`, `
store.attemps < 3
      ^ unknown-state-key: state declares no key "attemps" (attempts?)
`},
		{CEL, `store.attemps < 3`, `
store.attemps < 3
      ^ unknown-state-key: state declares no key "attemps" (attempts?)
`},
		{Expr, `"ä€😀" == store.s and store.sx == "" and params.maxx > 1`, `
"ä€😀" == store.s and store.sx == "" and params.maxx > 1
                           ^ unknown-state-key: state declares no key "sx"
                                               ^ bad-expression: params has no member "maxx" (max?)
`},
		{CEL, `"ä€😀" == store.s && store.sx == "" && params.maxx > 1`, `
"ä€😀" == store.s && store.sx == "" && params.maxx > 1
                          ^ unknown-state-key: state declares no key "sx"
                                             ^ bad-expression: params has no member "maxx" (max?)
`},
		{Expr, `prep.a`, `
prep.a
     ^ bad-expression: prep has no member "a": it is empty here
`},
		{Expr, `len(store)`, `
len(store)
    ^ bad-expression: store is a record and no value itself; read a member by its name, as in store.NAME
`},
		{CEL, `size(store)`, `
size(store)
     ^ bad-expression: store is a record and no value itself; read a member by its name, as in store.NAME
`},
		{Expr, `store[store.s]`, `
store[store.s]
^ bad-expression: store is a record and no value itself; read a member by its name, as in store.NAME
`},
		{CEL, `store[store.s]`, `
store[store.s]
^ bad-expression: store is a record and no value itself; read a member by its name, as in store.NAME
`},
		{Expr, `"i" in store`, `
"i" in store
       ^ bad-expression: store is a record and no value itself; read a member by its name, as in store.NAME
`},
		{CEL, `"i" in store`, `
"i" in store
       ^ bad-expression: store is a record and no value itself; read a member by its name, as in store.NAME
`},
		{Expr, `item.x == 1`, `
item.x == 1
^ bad-expression: item cannot be seen here; this expression sees params, prep, store, attempt, error, result
`},
		{CEL, `item.x == 1`, `
item.x == 1
^ bad-expression: item cannot be seen here; this expression sees params, prep, store, attempt, error, result
`},
		{Expr, `resutl.x == 1`, `
resutl.x == 1
^ bad-expression: unknown name "resutl"; this expression sees params, prep, store, attempt, error, result (result?)
`},
		{CEL, `resutl.x == 1`, `
resutl.x == 1
^ bad-expression: unknown name "resutl"; this expression sees params, prep, store, attempt, error, result (result?)
`},
		{Expr, `attempts > 1`, `
attempts > 1
^ bad-expression: unknown name "attempts"; this expression sees params, prep, store, attempt, error, result (attempt?)
`},
		{Expr, `max > 1`, `
max > 1
^ bad-expression: max is a function: call it, as in max(…)
`},
		{Expr, `store.x == nil`, `
store.x == nil
           ^ bad-expression: unknown name "nil" (null?)
`},
		{CEL, `store.x == nil`, `
store.x == nil
           ^ bad-expression: unknown name "nil" (null?)
`},
		{Expr, `$env.store`, `
$env.store
^ bad-expression: unknown name "$env"; this expression sees params, prep, store, attempt, error, result
`},
		{Expr, `date("2020-01-01").Year() > 2`, `
date("2020-01-01").Year() > 2
^ bad-expression: date is off: dates are strings here, days and instants in RFC 3339; parse_date, format_date, add_date, diff_dates and truncate_date compute with them
                   ^ bad-expression: values have no methods: Year cannot be called
`},
		{CEL, `timestamp(store.s).getFullYear() > 2`, `
timestamp(store.s).getFullYear() > 2
^ bad-expression: timestamp is off: dates are strings here, days and instants in RFC 3339; parse_date, format_date, add_date, diff_dates and truncate_date compute with them
                   ^ bad-expression: getFullYear is off: dates are strings here; format_date writes a part of one, weekday its day of the week
`},
		{CEL, `duration("1s") > duration("2s")`, `
duration("1s") > duration("2s")
^ bad-expression: duration is off: durations are numbers of seconds here; parse_duration and format_duration read and write them
                 ^ bad-expression: duration is off: durations are numbers of seconds here; parse_duration and format_duration read and write them
`},
		{Expr, `now(1)`, `
now(1)
^ bad-expression: now takes no arguments, got 1
`},
		{CEL, `now(1)`, `
now(1)
^ bad-expression: now takes no arguments
`},
		{Expr, `fail("limit", "x")`, `
fail("limit", "x")
     ^ bad-expression: fail cannot raise the kind limit: only the engine ends a run that way
`},
		{CEL, `fail("cancelled", "x")`, `
fail("cancelled", "x")
     ^ bad-expression: fail cannot raise the kind cancelled: only the engine ends a run that way
`},
		{Expr, `fail("a")`, `
fail("a")
^ bad-expression: fail takes 2 arguments, got 1
`},
		{Expr, `slug(store.i)`, `
slug(store.i)
^ bad-expression: slug takes a string, got an integer
`},
		{CEL, `slug(store.i)`, `
slug(store.i)
    ^ bad-expression: slug does not take (integer)
`},
		{Expr, `to_jsn(1)`, `
to_jsn(1)
^ bad-expression: there is no function "to_jsn" (to_json?)
`},
		{CEL, `to_jsn(1)`, `
to_jsn(1)
^ bad-expression: there is no function "to_jsn" (to_json?)
`},
		{Expr, `store.s.contains("a")`, `
store.s.contains("a")
        ^ bad-expression: contains is an operator: write a contains b
`},
		{CEL, `store.s.containz("a")`, `
store.s.containz("a")
        ^ bad-expression: there is no function "containz" (contains?)
`},
		{Expr, `store.i + "a"`, `
store.i + "a"
        ^ bad-expression: cannot compute integer + string; string(x) makes a text of a number
`},
		{CEL, `store.i + "a"`, `
store.i + "a"
        ^ bad-expression: cannot compute integer + string; string(x) makes a text of a number
`},
		{Expr, `store.i == "a"`, `
store.i == "a"
        ^ bad-expression: cannot compute integer == string
`},
		{CEL, `store.i == "a"`, `
store.i == "a"
        ^ bad-expression: cannot compute integer == string
`},
		{Expr, `store.s > 1`, `
store.s > 1
        ^ bad-expression: cannot compute string > integer
`},
		{CEL, `store.s > 1`, `
store.s > 1
        ^ bad-expression: cannot compute string > integer
`},
		{Expr, `store.x + [1]`, `
store.x + [1]
        ^ bad-expression: cannot compute any + array; concat(a, b) joins lists
`},
		{Expr, `store.s[0]`, `
store.s[0]
       ^ bad-expression: a string has no members; take a part of it with s[from:to]
`},
		{Expr, `store.i == 9223372036854775808`, `
store.i == 9223372036854775808
                             ^ bad-expression: the number does not fit in 64 bits
`},
		{CEL, `store.in == 1`, `
store.in == 1
      ^ bad-expression: unexpected .in
`},
		{Expr, `not store.i`, `
not store.i
^ bad-expression: cannot apply not to integer
`},
		{CEL, `!store.i`, `
!store.i
^ bad-expression: cannot apply ! to integer
`},
		{Expr, `store.i and true`, `
store.i and true
        ^ bad-expression: cannot compute integer and boolean
`},
		{CEL, `store.i && true`, `
store.i && true
      ^ bad-expression: want boolean, got integer
`},
		{Expr, `store.i ? 1 : 2`, `
store.i ? 1 : 2
      ^ bad-expression: a condition must be boolean, got integer
`},
		{CEL, `store.i ? 1 : 2`, `
store.i ? 1 : 2
        ^ bad-expression: a condition must be boolean, got integer
`},
		{Expr, `store.s.k`, `
store.s.k
        ^ bad-expression: string has no member "k"
`},
		{CEL, `store.s.k`, `
store.s.k
        ^ bad-expression: a string has no members
`},
		{Expr, `store.l.k`, `
store.l.k
        ^ bad-expression: a list is indexed by an integer, not by string
`},
		{CEL, `store.l.k`, `
store.l.k
        ^ bad-expression: a list is indexed by an integer, not by string
`},
		{Expr, `store.i >`, `
store.i >
        ^ bad-expression: unexpected end of the expression
`},
		{CEL, `store.i >`, `
store.i >
         ^ bad-expression: unexpected end of the expression
`},
		{Expr, `store.i = 3`, `
store.i = 3
        ^ bad-expression: unexpected "="
`},
		{CEL, `store.i = 3`, `
store.i = 3
        ^ bad-expression: unexpected =
`},
		{Expr, `store.i > 3 && `, `
store.i > 3 && 
              ^ bad-expression: unexpected end of the expression
`},
		{Expr, `(store.i > 3`, `
(store.i > 3
           ^ bad-expression: unexpected end of the expression
`},
		{Expr, `"abc`, `
"abc
    ^ bad-expression: literal not terminated
`},
		{CEL, `"abc`, `
"abc
^ bad-expression: unexpected "abc
`},
		{Expr, `store.s matches "["`, `
store.s matches "["
        ^ bad-expression: error parsing regexp: missing closing ]: ` + "`[`" + `
`},
		{Expr, `let store = 1; store`, `
let store = 1; store
    ^ bad-expression: store cannot be the name of a variable
`},
		{CEL, `store.l.all(store, true)`, `
store.l.all(store, true)
           ^ bad-expression: store cannot be the name of a variable
`},
		{CEL, `has(store.i)`, `
has(store.i)
          ^ bad-expression: store.i is declared, so has() says nothing: compare it with null
`},
		{CEL, `store.x.?k`, `
store.x.?k
^ bad-expression: an optional is no value of a flow; read it with .orValue(…), or ask with .hasValue()
`},
		{CEL, `store.x.?k == 5`, `
store.x.?k == 5
           ^ bad-expression: an optional is no value to compare; read it with .orValue(…)
`},
		{CEL, `b"abc" == b"abc"`, `
b"abc" == b"abc"
^ bad-expression: there are no byte strings; use a string
          ^ bad-expression: there are no byte strings; use a string
`},
		{CEL, `google.protobuf.Timestamp{seconds: 1}`, `
google.protobuf.Timestamp{seconds: 1}
                         ^ bad-expression: there are no message types; write an object as {"key": value}
`},
		{Expr, `  `, `
  
^ bad-expression: the expression is empty
`},
		{Expr, "1 +\n  store.nope", `
1 +
  store.nope
            ^ unknown-state-key: state declares no key "nope"
`},
		{CEL, "1 +\n  store.nope", `
1 +
  store.nope
            ^ unknown-state-key: state declares no key "nope"
`},
		{CEL, "1 +\n  store.s", `
1 +
  store.s
  ^ bad-expression: cannot compute integer + string; string(x) makes a text of a number
`},
		{Lang("lua"), `1`, `
1
^ bad-expression: there is no expression language "lua"
`},
	}
	c, env := NewCompiler(), testEnv()
	for _, tc := range cases {
		p, problems := c.Compile(tc.lang, tc.src, env, value.Any)
		if p != nil {
			t.Errorf("%s %s compiles", tc.lang, tc.src)
			continue
		}
		if diff := cmp.Diff(strings.TrimPrefix(tc.want, "\n"), render(tc.src, problems)); diff != "" {
			t.Errorf("%s %s:\n%s", tc.lang, tc.src, diff)
		}
	}
}

func TestDemands(t *testing.T) {
	c, env := NewCompiler(), testEnv()
	for _, tc := range []struct {
		lang Lang
		src  string
		want value.Type
		text string
	}{
		{Expr, `store.i`, value.Boolean, "condition-not-bool: a condition must be true or false, but this is an integer"},
		{CEL, `store.i`, value.Boolean, "condition-not-bool: a condition must be true or false, but this is an integer"},
		{Expr, `null`, value.Boolean, "condition-not-bool: a condition must be true or false, but this is null"},
		{CEL, `null`, value.Boolean, "condition-not-bool: a condition must be true or false, but this is null"},
		{Expr, `store.l`, value.Boolean, "condition-not-bool: a condition must be true or false, but this is an array"},
		{Expr, `store.x`, value.Boolean, ""},
		{CEL, `store.x`, value.Boolean, ""},
		{Expr, `result?.ok`, value.Boolean, ""},
		{Expr, `store.b and store.x`, value.Boolean, ""},
		{Expr, `store.b`, value.String, "bad-expression: this must be a string, but it is a boolean"},
		{CEL, `store.b`, value.String, "bad-expression: this must be a string, but it is a boolean"},
		{Expr, `store.b ? "a" : "b"`, value.String, ""},
		{CEL, `store.b ? "a" : "b"`, value.String, ""},
		{Expr, `store.b ? "a" : null`, value.String, ""},
		{Expr, `store.i`, value.Number, ""},
	} {
		got := ""
		if _, problems := c.Compile(tc.lang, tc.src, env, tc.want); problems != nil {
			got = problems[0].Kind + ": " + problems[0].Message
		}
		if got != tc.text {
			t.Errorf("%s %s as %s: got %q, want %q", tc.lang, tc.src, tc.want, got, tc.text)
		}
	}
}

func TestTypesAndReads(t *testing.T) {
	c, env := NewCompiler(), testEnv()
	for _, tc := range []struct {
		lang  Lang
		src   string
		typ   value.Type
		reads string
	}{
		{Expr, `store.i + params.max`, value.Integer, "store.i@6 params.max@17"},
		{CEL, `store.i + params.max`, value.Integer, "store.i@6 params.max@17"},
		{Expr, `store.i > 1 and store.i < 9`, value.Boolean, "store.i@6 store.i@22"},
		{CEL, `store.i > 1 && store . i < 9`, value.Boolean, "store.i@6 store.i@23"},
		{Expr, `store["i"]`, value.Integer, "store.i@6"},
		{CEL, `store["i"]`, value.Integer, "store.i@7"},
		{Expr, `store?.i`, value.Integer, "store.i@7"},
		{CEL, `store.?i.orValue(1)`, value.Integer, "store.i@7"},
		{Expr, `1 < store.i < 5`, value.Boolean, "store.i@10"},
		{Expr, `store.f * 2`, value.Number, "store.f@6"},
		{CEL, `store.f * 2`, value.Number, "store.f@6"},
		{Expr, `store.i / 2`, value.Number, "store.i@6"},
		{CEL, `store.i / 2`, value.Integer, "store.i@6"},
		{Expr, `store.x.k[0]?.j`, value.Any, "store.x@6"},
		{CEL, `store.x.k[0].?j.orValue(1)`, value.Any, "store.x@6"},
		{Expr, `filter(store.l, # > 1)`, value.Array, "store.l@13"},
		{CEL, `store.l.filter(i, i > store.i)`, value.Array, "store.l@6 store.i@28"},
		{Expr, `{"a": store.i}`, value.Object, "store.i@12"},
		{CEL, `{"a": store.i}`, value.Object, "store.i@12"},
		{Expr, `store.b ? store.i : null`, value.Any, "store.b@6 store.i@16"},
		{CEL, `store.b ? store.i : null`, value.Any, "store.b@6 store.i@16"},
		{Expr, `store.b ? store.i : "a"`, value.Any, "store.b@6 store.i@16"},
		{CEL, `store.b ? store.i : "a"`, value.Any, "store.b@6 store.i@16"},
		{Expr, `find(store.l, # == 1)`, value.Any, "store.l@11"},
		{Expr, `now()`, value.String, ""},
		{CEL, `today() + store.s`, value.String, "store.s@16"},
		{Expr, `to_json(store.o)`, value.String, "store.o@14"},
		{Expr, `let a = store.i; a + 1`, value.Integer, "store.i@14"},
		{Expr, `null`, value.Any, ""},
	} {
		p, problems := c.Compile(tc.lang, tc.src, env, value.Any)
		if problems != nil {
			t.Errorf("%s %s: %v", tc.lang, tc.src, problems)
			continue
		}
		var reads []string
		for _, r := range p.Reads() {
			reads = append(reads, fmt.Sprintf("%s.%s@%d", r.Record, r.Member, r.Offset))
		}
		if got := strings.Join(reads, " "); p.Type() != tc.typ || got != tc.reads {
			t.Errorf("%s %s: type %s reads %s, want %s %s", tc.lang, tc.src, p.Type(), got, tc.typ, tc.reads)
		}
	}
}
