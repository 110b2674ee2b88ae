//go:build !race

package cond

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// outcomes is what a source gives in each language: its value as JSON, or its error.
func outcomes(t *testing.T, src string) (out [2]string) {
	t.Helper()
	for i, lang := range []Lang{Expr, CEL} {
		p, problems := NewCompiler().Compile(lang, src, &Env{}, value.Any)
		if problems != nil {
			out[i] = fmt.Sprintf("at %d: %s", problems[0].Offset, problems[0].Message)
			continue
		}
		v, err := p.Eval(NewScope(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)))
		if out[i] = value.JSON(v); err != nil {
			out[i] = fmt.Sprintf("%s: %s", fault.Of(err).Kind, fault.Of(err).Message)
		}
	}
	return out
}

// Every function has an example in its documentation, and it is true.
func TestFunctionExamples(t *testing.T) {
	for _, f := range Functions() {
		if !strings.Contains(f.Example, f.Name+"(") {
			t.Errorf("%s has no example of it: %s", f.Name, f.Example)
		}
		if got := outcomes(t, f.Example); got != [2]string{f.Gives, f.Gives} {
			t.Errorf("%s: %s and %s, want %s", f.Example, got[0], got[1], f.Gives)
		}
	}
}

// What the functions give at their edges, and what they say. The same in both languages, at load where it is written out.
func TestFunctionEdges(t *testing.T) {
	for _, tc := range []struct{ src, want string }{
		{`round_to(2.5, 0)`, `3`}, {`round_to(-2.5, 0)`, `-3`}, {`round_to(2.5, 0, "half_even")`, `2`}, {`round_to(3.5, 0, "half_even")`, `4`},
		{`round_to(1.005, 2)`, `1.01`}, {`round_to(1.015, 2, "half_even")`, `1.02`}, {`round_to(1250, -2)`, `1300`}, {`round_to(1250, -2, "half_even")`, `1200`},
		{`round_to(9223372036854775807, 2)`, `9223372036854775807`}, {`round_to(9223372036854775807, -1)`, `type: round_to(9223372036854775807, -1) does not fit in 64 bits`},
		{`round_to(1e300, 2)`, `1e+300`}, {`round_to(1.7e308, -308)`, `type: round_to(1.7e+308, -308) is no finite number`}, {`round_to(1.5e-300, 2)`, `0`}, {`round_to(49, -2)`, `0`}, {`round_to(0.1, 401)`, `type: round_to takes from -400 to 400 places, got 401`},
		{`round_to(1.5, 0, "up")`, `at 17: the mode is "half_up" or "half_even", got string "up"`},
		{`format_number(-0.005, 2)`, `"-0.01"`}, {`format_number(-0.004, 2)`, `"0.00"`}, {`format_number(1234567, 0)`, `"1234567"`}, {`format_number(1e21, 1)`, `"1000000000000000000000.0"`},
		{`format_number(7, 3)`, `"7.000"`}, {`format_number(7, -1)`, `type: format_number takes 0 places or more, got -1`},

		{`find_regex("abc", "x")`, `null`}, {`find_regex("b", "(a)|(b)").groups`, `["b",null,"b"]`},
		{`find_regex("abc", "(")`, "at 18: error parsing regexp: missing closing ): `(`"},
		{`find_regex("abc", "(" + "")`, "type: error parsing regexp: missing closing ): `(`"},
		{`find_all_regex("aab", "a(?=b)")`, "at 22: error parsing regexp: invalid or unsupported Perl syntax: `(?=`"},
		{`replace_regex("a-b", "(a)-(?P<last>b)", "${last}$1$$x$0")`, `"ba$xa-b"`}, {`replace_regex("ab", "(a)", "$1x")`, `"axb"`},
		{`replace_regex("ab", "(a)", "$2")`, `type: the pattern has no group 2; it has 1`}, {`replace_regex("ab", "a", "${x}")`, `type: the pattern has no group x; it has 0`},
		{`replace_regex("ab", "a", "5 $")`, `type: the replacement has a $ that names no group; write $$ for a dollar`}, {`replace_regex("ab", "a", "${1")`, `type: the replacement has ${ without }; write $$ for a dollar`},
		{`split_regex("", ",")`, `[""]`}, {`split_regex("a,b", "")`, `["a",",","b"]`},

		{`parse_date("2026-02-30", "%F")`, `malformed: string "2026-02-30" is no date of the form "%F"`}, {`parse_date("4.3.2026", "%d.%m.%Y")`, `"2026-03-04"`},
		{`parse_date("2026-03-04 10:00", "%F %R")`, `type: the layout "%F %R" has a time without its offset; name the zone, as in parse_date(s, layout, "UTC")`},
		{`parse_date("2026-03-04 10:00 +0530", "%F %R %z")`, `"2026-03-04T10:00:00+05:30"`}, {`parse_date("2026-03-04 10:00 +0530", "%F %R %z", "UTC")`, `"2026-03-04T04:30:00Z"`},
		{`parse_date("1772600767", "%s")`, `"2026-03-04T05:06:07Z"`}, {`parse_date("x", "%s")`, `malformed: string "x" is no date of the form "%s"`},
		{`parse_date("2026-03-29 02:30", "%F %R", "Europe/Berlin")`, `malformed: string "2026-03-29 02:30" does not exist in Europe/Berlin: clocks are put on there`},
		{`parse_date("2026-10-25 02:30", "%F %R", "Europe/Berlin")`, `"2026-10-25T02:30:00+02:00"`},
		{`parse_date("2026-11-01 01:30", "%F %R", "America/New_York")`, `"2026-11-01T01:30:00-04:00"`},
		{`parse_date("10:00", "%R", "UTC")`, `at 20: the layout string "%R" has no year`}, {`parse_date("x", "%Y %Z")`, `at 16: the layout string "%Y %Z" has a zone by its abbreviation, which several zones share; read an offset (%z), or name the zone`},
		{`parse_date("x", "%Y-%E")`, `at 16: the layout string "%Y-%E" has the directive "%E", which is none; the directives are those of strftime, such as %Y-%m-%d %H:%M:%S`},
		{`parse_date("x", "%Y-%u")`, `at 16: the layout string "%Y-%u" cannot be read: unsupported directive: %u`},
		{`parse_date("2026-03-04", "%F", "Local")`, `at 31: there is no time zone string "Local"; give one of the IANA names such as "Europe/Berlin", "UTC", or an offset such as "+02:00"`},
		{`parse_date("2026-03-04", "%F", "UTC")`, `type: the layout "%F" gives a day, which is the same day in every zone; leave the zone out`},
		{`format_date("2026-03-04T23:30:00+01:00", "%F")`, `"2026-03-04"`}, {`format_date("2026-03-04T23:30:00+01:00", "%F %R", "+05:30")`, `"2026-03-05 04:00"`},
		{`format_date("2026-03-04", "%H:%M")`, `type: the layout "%H:%M" has a time, and "2026-03-04" is a day; give an instant`}, {`format_date("2026-01-01", "%G-W%V %j%%")`, `"2026-W01 001%"`},
		{`format_date("yesterday", "%F")`, `type: format_date takes a day such as "2026-03-04" or an instant in RFC 3339 such as "2026-03-04T05:06:07Z", got string "yesterday"; parse_date reads other forms`},
		{`add_date("2024-02-29", 1, "year")`, `"2025-02-28"`}, {`add_date("2026-01-31", -2, "month")`, `"2025-11-30"`}, {`add_date("2026-03-04", -9, "week")`, `"2025-12-31"`}, {`add_date("2026-03-04", 1, "hour")`, `type: add_date got the day "2026-03-04" and the unit "hour": a day has no time; give an instant`},
		{`add_date("2026-03-28T02:30:00+01:00", 1, "day", "Europe/Berlin")`, `"2026-03-29T03:30:00+02:00"`}, {`add_date("2026-03-28T12:00:00+01:00", 1, "day", "Europe/Berlin")`, `"2026-03-29T12:00:00+02:00"`},
		{`add_date("2026-03-28T12:00:00+01:00", 24, "hour", "Europe/Berlin")`, `"2026-03-29T13:00:00+02:00"`}, {`add_date("9999-12-31", 1, "day")`, `type: the date lies outside the years 1 to 9999`},
		{`add_date("2026-01-01", 9223372036854775807, "month")`, `type: the date lies outside the years 1 to 9999`}, {`add_date("2026-01-01", 1, "days")`, `at 26: there is no unit string "days"; there is year, month, week, day, hour, minute, second`},
		{`diff_dates("2026-03-04", "2026-02-27", "day")`, `-5`}, {`diff_dates("2026-01-31", "2026-02-28", "month")`, `1`}, {`diff_dates("2026-01-31", "2026-02-27", "month")`, `0`}, {`diff_dates("2000-02-29", "2026-02-28", "year")`, `26`},
		{`diff_dates("2026-03-04", "0001-01-01", "month")`, `-24302`}, {`diff_dates("2026-03-04T10:00:00Z", "2026-03-04T12:59:59+01:00", "hour")`, `1`},
		{`diff_dates("2026-03-28T12:00:00+01:00", "2026-03-29T12:00:00+02:00", "day", "Europe/Berlin")`, `1`}, {`diff_dates("2026-03-28T12:00:00+01:00", "2026-03-29T12:00:00+02:00", "day")`, `0`},
		{`diff_dates("2026-03-04", "2026-03-04T00:00:00Z", "day")`, `type: diff_dates got a day and an instant; give two of one kind (format_date makes a day of an instant)`},
		{`diff_dates("2026-03-04T00:00:00.9Z", "2026-03-04T00:00:02.1Z", "second")`, `1`}, {`diff_dates("2026-03-04T00:00:02.1Z", "2026-03-04T00:00:00.9Z", "second")`, `-1`},
		{`truncate_date("2026-03-04T23:30:10.5Z", "day", "Asia/Tokyo")`, `"2026-03-05T00:00:00+09:00"`}, {`truncate_date("2026-03-04T23:30:10.5Z", "second")`, `"2026-03-04T23:30:10Z"`},
		{`truncate_date("2026-10-25T01:40:00Z", "hour", "Europe/Berlin")`, `"2026-10-25T02:00:00+01:00"`}, {`truncate_date("2026-03-01", "week")`, `"2026-02-23"`},
		{`truncate_date("2026-03-29T22:00:00+02:00", "month", "Europe/Berlin")`, `"2026-03-01T00:00:00+01:00"`}, {`weekday("2026-03-01")`, `7`}, {`weekday("2026-03-01T23:00:00Z", "Asia/Tokyo")`, `1`},
		{`[parse_duration("1w2d"), parse_duration("-1.5h"), parse_duration("250ms"), parse_duration("0s")]`, `[777600,-5400,0.25,0]`}, {`parse_duration("1h 30m")`, `malformed: string "1h 30m" is no duration; write numbers with the units w, d, h, m, s or ms, as in "1h30m"`},
		{`parse_duration("5")`, `malformed: string "5" is no duration; write numbers with the units w, d, h, m, s or ms, as in "1h30m"`}, {`parse_duration("99999999w")`, `malformed: the duration string "99999999w" is too long`},
		{`[format_duration(0), format_duration(90), format_duration(3600), format_duration(36610.5), format_duration(-600)]`, `["0s","1m30s","1h","10h10m10.5s","-10m"]`}, {`format_duration(1e10)`, `type: 10000000000 seconds are too long for a duration`},

		{`parse_csv("")`, `[]`}, {`parse_csv("\ufeffa,b\r\n1,\"x\r\ny\"\r\n")`, `[{"a":"1","b":"x\ny"}]`}, {`parse_csv("a,b\n1,2\n\n3\n")`, `malformed: not valid CSV at line 4: 1 fields, and the first line names 2`},
		{`parse_csv("a,a\n1,2")`, `malformed: two columns of the CSV have the name "a"; parse_csv_rows reads it without names`}, {`parse_csv("a\n\"x")`, `malformed: not valid CSV at line 2, column 3: extraneous or missing " in quoted-field`},
		{`parse_csv_rows("a", ";;")`, `at 20: the delimiter is one character such as ";", got string ";;"`}, {`parse_csv_rows("a\tb", "\t")`, `[["a","b"]]`},
		{`to_csv([["a,b", null, true, 1.5], ["\"", "x\ny", 1, 2]])`, `"\"a,b\",,true,1.5\n\"\"\"\",\"x\ny\",1,2\n"`}, {`to_csv([], ["a", "b"])`, `"a,b\n"`}, {`to_csv([{"b": 1, "a": 2}])`, `"a,b\n2,1\n"`},
		{`to_csv([{"a": 1}], ["a", "b"])`, `missing_key: to_csv, row 1: there is no member "b"; there is a`}, {`to_csv([{"a": [1]}])`, `type: to_csv, row 1: field 1 is array [1]; write it with to_json, or pick a part of it`},
		{`to_csv([["a"], {"a": 1}])`, `type: to_csv, row 2: the first row is a list, and this one an object; give rows of one kind`}, {`to_csv([[1, 2]], ["a"])`, `type: to_csv, row 1: 2 values for 1 columns`},

		{`indent_json(" {\"n\": 1.50, \"e\": [], \"a\": [1e2, {\"s\": \"\\\",[<é\"}]}\n", 1)`, `"{\n \"n\": 1.50,\n \"e\": [],\n \"a\": [\n  1e2,\n  {\n   \"s\": \"\\\",[<é\"\n  }\n ]\n}"`},
		{`indent_json("{\n  \"b\": [1, 2],\n  \"a\": {}\n}", 0)`, `"{\"b\":[1,2],\"a\":{}}"`}, {`indent_json("7")`, `"7"`}, {`indent_json("[1]", 17)`, `type: indent_json takes from 0 to 16 spaces, got 17`},
		{`indent_json("[1,")`, `malformed: not valid JSON at line 1, column 4: the text ends too early`}, {`indent_json("{\"a\": 1, \"a\": 2}")`, `malformed: not valid JSON at line 1, column 13: the key "a" stands twice`},

		{`parse_query("a=%zz")`, `malformed: not the query of a URL: invalid URL escape "%zz"`}, {`parse_query("https://example.org/#a=1")`, `{"https://example.org/":[""]}`},
		{`to_query({"a": {}})`, `type: to_query takes texts, numbers, booleans and lists of them; "a" has object {}`}, {`to_query({"b": true, "a": []})`, `"b=true"`}, {`escape_path("../x?y#z")`, `"..%2Fx%3Fy%23z"`},
		{`escape_html("<script>'&amp;'")`, `"&lt;script&gt;&#39;&amp;amp;&#39;"`},

		{`group_by([1, 2.0, 2, 1.0], [1, 2.0, 2, 1.0])`, `[{"items":[1,1],"key":1},{"items":[2,2],"key":2}]`}, {`count_by([{"a": null}, {"a": [1]}, {"a": [1]}], "a")`, `[{"count":1,"key":null},{"count":2,"key":[1]}]`},
		{`group_by([{"a": 1}, {}], "a")`, `missing_key: group_by, item 1: there is no member "a"; the object is empty`}, {`group_by([1, 2], [1])`, `type: group_by got 2 items and 1 keys; give one for each item`},
		{`group_by([1], 1)`, `type: group_by takes the name of a member, or a list with the key of each item, got integer 1`}, {`sum_by([{"a": "x", "n": "1"}], "a", "n")`, `type: sum_by adds up numbers; "n" of an item is string "1"`},
		{`sort_by(["b", "a"], ["x", 1])`, `type: sort_by cannot order the keys integer 1 and string "x"`}, {`sort_by([1], [1], "down")`, `at 18: the order is "asc" or "desc", got string "down"`},
	} {
		got := outcomes(t, tc.src)
		if got[0] != tc.want || got[1] != tc.want {
			t.Errorf("%s\nexpr %s\ncel  %s\nwant %s", tc.src, got[0], got[1], tc.want)
		}
	}
}

// sort_by leaves equal keys in their order, however long the list is.
func TestSortByIsStable(t *testing.T) {
	list, keys := make([]any, 5000), make([]any, 5000)
	for i := range list {
		list[i], keys[i] = i, i%3
	}
	s := NewScope(time.Now())
	s.left = maxSteps
	out, err := sortBy(s, []any{list, keys, "desc"})
	if err != nil || !slices.IsSortedFunc(out.([]any), func(a, b any) int {
		return 10_000*(b.(int)%3-a.(int)%3) + a.(int) - b.(int)
	}) {
		t.Errorf("%v: %v", err, out)
	}
}

// search finds what Go's own FindAll finds, with every kind of context around a place.
func TestSearchFindsAll(t *testing.T) {
	patterns := []string{`a`, `a*`, `(a|ab)(c|bcd)?`, `^a`, `(?m)^.`, `(?m)$`, `\b`, `\B`, `\bé?\w`, `$`, `\Aa|b`, `x*?`, `(?i)AB`, `(a)|(b)`, `a.*b|a`, `(?s).`, `\Qa.`, `\Q(`, `[^a]+`, `(?U)a+`, `()`, `\z`}
	random := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		letters := []string{"a", "b", "c", "d", "é", " ", "\n", "A", "x", ".", "(", "\xff"}
		text := ""
		for range random.IntN(12) {
			text += letters[random.IntN(len(letters))]
		}
		for _, source := range patterns {
			re := regexp.MustCompile(source)
			s := NewScope(time.Now())
			s.left = maxSteps
			p, err := s.pattern(source)
			if err != nil {
				t.Fatal(err)
			}
			var got [][]int
			if err := s.search(text, p, func(at []int) (bool, error) { got = append(got, slices.Clone(at)); return true, nil }); err != nil {
				t.Fatal(err)
			}
			if want := re.FindAllStringSubmatchIndex(text, -1); !cmp.Equal(got, want) {
				t.Fatalf("%q in %q: %v, want %v", source, text, got, want)
			}
			if v, err := splitRegex(s, []any{text, source}); err != nil || strings.Join(words(v), "|") != strings.Join(re.Split(text, -1), "|") {
				t.Fatalf("%q splits %q into %q, %v, want %q", source, text, v, err, re.Split(text, -1))
			}
		}
	}
}

func words(v any) (out []string) {
	for _, item := range v.([]any) {
		out = append(out, item.(string))
	}
	return out
}

// A pattern that looks ahead to the end at every match is stopped, and one that does not is cheap on a long text.
func TestSearchIsPaidFor(t *testing.T) {
	log := strings.Repeat("abc1234\t2026-01-01\tfix: something that was wrong\n", 20_000)
	for src, ok := range map[string]bool{`(?s)a.*z|a`: false, `(?m)^(?P<hash>[0-9a-f]+)\t(?P<day>[0-9-]+)\t(?:(?P<kind>feat|fix): *)?(?P<what>.*)$`: true} {
		s := NewScope(time.Now())
		s.left = maxSteps
		_, err := findRegex(s, []any{log, src}, -1)
		if (err == nil) != ok {
			t.Errorf("%s: %v, with %d steps left", src, err, s.left)
		}
	}
}

// FuzzFunctions calls every function with texts and numbers that nobody chose: both languages give the same value, in its
// normal form, or fail with the same kind, and nothing panics.
func FuzzFunctions(f *testing.F) {
	f.Add("2026-03-04", "%Y-%m-%d", "UTC", 3, 2.5)
	f.Add("a,b\n1,\"2\"\n", ";", "half_even", -1, 1e300)
	f.Add("2026-10-25T02:30:00+02:00", "month", "Europe/Berlin", 1<<62, -0.005)
	f.Add("aab\xff", "(a*)|b", "$1${x}$$", 400, 0.0)
	f.Add("1w2d3.5h", "?a=%20&b=1;", "desc", 0, 5e-324)
	env := &Env{Vars: map[string]value.Type{"a": value.String, "b": value.String, "c": value.String, "n": value.Integer, "x": value.Number, "list": value.Array, "rows": value.Array, "object": value.Object}}
	compiler := NewCompiler()
	type pair struct {
		src  string
		both [2]*Program
	}
	var calls []pair
	for _, fn := range shared {
		for count := len(fn.params) - fn.optional; count <= len(fn.params); count++ {
			var args []string
			texts := 0
			for _, t := range fn.params[:count] {
				switch t {
				case value.String:
					args = append(args, []string{"a", "b", "c", "a"}[texts])
					texts++
				case value.Array:
					args = append(args, map[bool]string{true: "rows", false: "list"}[len(args) == 0 && fn.Name != "join_lines"])
				default:
					args = append(args, map[value.Type]string{value.Integer: "n", value.Number: "x", value.Object: "object", value.Any: "b"}[t])
				}
			}
			p := pair{src: fn.Name + "(" + strings.Join(args, ", ") + ")"}
			for i, lang := range []Lang{Expr, CEL} {
				program, problems := compiler.Compile(lang, p.src, env, value.Any)
				if problems != nil {
					f.Fatal(p.src, problems)
				}
				p.both[i] = program
			}
			calls = append(calls, p)
		}
	}
	f.Fuzz(func(t *testing.T, a, b, c string, n int, x float64) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return // no value of a flow
		}
		s := NewScope(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC))
		s.steps = 100_000
		for name, v := range map[string]any{"a": a, "b": b, "c": c, "n": n, "x": x, "list": []any{a, b, c}, "object": map[string]any{a: b, "n": n},
			"rows": []any{map[string]any{b: c, "n": n}, map[string]any{b: a, "n": x}}} {
			v, err := value.Normalize(v)
			if err != nil {
				return // text that is no UTF-8
			}
			s.Set(name, v)
		}
		for _, call := range calls {
			one, two := outcome(call.both[0], s), outcome(call.both[1], s)
			if one != two {
				t.Errorf("%s with a = %q, b = %q, c = %q, n = %d, x = %g: expr %s, CEL %s", call.src, a, b, c, n, x, one, two)
			}
			v, err := call.both[0].Eval(s)
			if err != nil {
				if e := fault.Of(err); e.Kind == fault.Failure || e.Message == "" && call.src != "fail(a, b)" {
					t.Errorf("%s: %v", call.src, err)
				}
				continue
			}
			if again, err := value.Normalize(v); err != nil || !value.Equal(again, v) || value.JSON(again) != value.JSON(v) {
				t.Errorf("%s is not normal: %v, %v", call.src, v, err)
			}
		}
	})
}
