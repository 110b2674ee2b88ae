package cond

import (
	"testing"
	"time"

	"pflow/internal/value"
)

// numbers are computations at the edges of both kinds of number, in expr and in CEL, with the value that arithmetic
// gives or the error: never another number. (9223372036854776000 is how JSON writes the number 2^63.) An empty source has no counterpart in that language.
var numbers = []struct{ expr, cel, want string }{
	{`store.max + 1`, `store.max + 1`, `type: 9223372036854775807 + 1 does not fit in 64 bits`},
	{`store.min - 1`, `store.min - 1`, `type: -9223372036854775808 - 1 does not fit in 64 bits`},
	{`store.max * 2`, `store.max * 2`, `type: 9223372036854775807 * 2 does not fit in 64 bits`},
	{`-store.min`, `-store.min`, `type: 0 - -9223372036854775808 does not fit in 64 bits`},
	{`abs(store.min)`, ``, `type: abs(-9223372036854775808) does not fit in 64 bits`},
	{`5 % 0`, `5 % 0`, `type: division by zero: 5 % 0`},
	{`5 / 0`, `5 / 0`, `type: division by zero: 5 / 0`},
	{`5.0 / 0`, `5.0 / 0`, `type: division by zero: 5 / 0`},
	{`store.min % -1`, `store.min % -1`, `0`},
	{`store.min / -1`, `store.min / -1.0`, `9223372036854776000`},
	{``, `store.min / -1`, `type: -9223372036854775808 / -1 does not fit in 64 bits`},
	{`store.odd / 1`, `store.odd / 1`, `9007199254740993`},
	{`store.odd / 2`, ``, `4503599627370496`}, // 4503599627370496.5, to the nearest number
	{`7 / 2`, `7 / 2.0`, `3.5`},
	{`store.odd + 0.0`, `store.odd + 0.0`, `9007199254740993`},
	{`store.odd - store.even`, `store.odd - store.even`, `1`},
	{`store.odd * 1.0`, `store.odd * 1.0`, `9007199254740993`},
	{`store.odd == store.even`, `store.odd == store.even`, `false`},
	{`store.odd > store.even`, `store.odd > store.even`, `true`},
	{`store.max < 9.3e18`, `store.max < 9.3e18`, `true`},
	{`store.max == 9223372036854775808.0`, `store.max == 9223372036854775808.0`, `false`},
	{`store.max < 9223372036854775808.0`, `store.max < 9223372036854775808.0`, `true`},
	{`1e20 > 5`, `1e20 > 5`, `true`},
	{`1e20 == 1e20 + 1`, `1e20 == 1e20 + 1`, `true`}, // numbers of floating point
	{`-1e20 < store.min`, `-1e20 < store.min`, `true`},
	{`1e308 * 10`, `1e308 * 10`, `type: number 1e+308 * integer 10 is out of range`},
	{`int(1e20)`, `int(1e20)`, `type: int(100000000000000000000) does not fit in 64 bits`},
	{`int(9223372036854775808.0)`, `int(9223372036854775808.0)`, `type: int(9223372036854776000) does not fit in 64 bits`},
	{`int(-9223372036854775808.0)`, `int(-9223372036854775808.0)`, `-9223372036854775808`},
	{`int(2.7)`, `int(2.7)`, `2`},
	{`int(-2.7)`, `int(-2.7)`, `-2`},
	{`int("9223372036854775808")`, `int("9223372036854775808")`, `type: int reads no integer of 64 bits in string "9223372036854775808"`},
	{`int("-12")`, `int("-12")`, `-12`},
	{`int("2.5")`, `int("2.5")`, `type: int reads no integer of 64 bits in string "2.5"`},
	{`float("1e400")`, ``, `type: float reads no finite number in string "1e400"`},
	{`float("inf") > 1`, ``, `type: float reads no finite number in string "inf"`},
	{``, `double("inf") > 1.0`, `type: double reads no finite number in string "inf"`},
	{`float("2.5")`, `double("2.5")`, `2.5`},
	{`float(store.odd)`, ``, `type: float(9007199254740993) would be another number: beyond 2^53 not every integer is a number of floating point; compute with the integer`},
	{``, `double(store.odd)`, `type: double(9007199254740993) would be another number: beyond 2^53 not every integer is a number of floating point; compute with the integer`},
	{`2 ** 62`, ``, `4611686018427387904`},
	{`3 ** 39`, ``, `4052555153018976267`},
	{`2 ** 63`, ``, `type: 2 ** 63 does not fit in 64 bits; 2.0 ** 63 gives a number`},
	{`(-2) ** 63`, ``, `-9223372036854775808`},
	{`(-1) ** 1000001`, ``, `-1`},
	{`-((-2) ** 63)`, ``, `type: 0 - -9223372036854775808 does not fit in 64 bits`},
	{`2 ** -1`, ``, `0.5`},
	{`10.0 ** 400`, ``, `type: integer 10 ** integer 400 is no finite number`},
	{`0 ** 0`, ``, `1`},
	{`round(store.odd)`, ``, `9007199254740993`},
	{`floor(store.odd)`, ``, `9007199254740993`},
	{`ceil(2.1)`, `math.ceil(2.1)`, `3`},
	{`floor(-2.1)`, `math.floor(-2.1)`, `-3`},
	{`sum([store.max, 1])`, ``, `type: 9223372036854775807 + 1 does not fit in 64 bits`},
	{`sum([1, 2], # * 2)`, ``, `6`},
	{`sum([0.5, 1])`, ``, `1.5`},
	{`sum([])`, ``, `0`},
	{`sum(["1"])`, ``, `type: sum takes numbers, got string "1"`},
	{`mean([store.max, store.max])`, ``, `9223372036854775807`},
	{`mean([store.odd])`, ``, `9007199254740993`},
	{`mean([1, 2])`, ``, `1.5`},
	{`mean([1, 2.5])`, ``, `1.75`},
	{`mean([])`, ``, `type: there is no mean of no numbers; ask len first`},
	{`median([store.max, 1, store.max])`, ``, `9223372036854775807`},
	{`median([4, 1, 2, 3])`, ``, `2.5`},
	{`median([])`, ``, `type: there is no median of no numbers; ask len first`},
	{`max(store.even, store.odd)`, `math.greatest(store.even, store.odd)`, `9007199254740993`},
	{`min([store.odd, store.even])`, `math.least([store.odd, store.even])`, `9007199254740992`},
	{`max([1, [5, 2]], 3)`, ``, `5`},
	{`max([])`, ``, `null`},
	{`parse_json("12345678901234567890")`, `parse_json("12345678901234567890")`, `malformed: not valid JSON at line 1, column 21: the integer 12345678901234567890 does not fit in 64 bits; give it as a string`},
	{`parse_json("9223372036854775807") - 1`, `parse_json("9223372036854775807") - 1`, `9223372036854775806`},
	{`parse_json("1e400")`, `parse_json("1e400")`, `malformed: not valid JSON at line 1, column 6: the number 1e400 is out of range`},
	{`string(store.odd)`, `string(store.odd)`, `"9007199254740993"`},
	{`uniq([1, 1.0, 9223372036854775808.0, store.max])`, `[1, 1.0, 9223372036854775808.0, store.max].distinct()`, `[1,9223372036854776000,9223372036854775807]`},
}

func TestNumbersAtTheEdges(t *testing.T) {
	env := &Env{Records: map[string]Record{"store": {"max": value.Integer, "min": value.Integer, "odd": value.Integer, "even": value.Number}}}
	s := NewScope(time.Now())
	s.Set("store", map[string]any{"max": 1<<63 - 1, "min": -1 << 63, "odd": 1<<53 + 1, "even": float64(1 << 53)})
	c := NewCompiler()
	for _, n := range numbers {
		for lang, src := range map[Lang]string{Expr: n.expr, CEL: n.cel} {
			if src == "" {
				continue
			}
			p, problems := c.Compile(lang, src, env, value.Any)
			if problems != nil {
				t.Errorf("%s %s: %s", lang, src, problems[0].Message)
				continue
			}
			if got := outcomeText(p, s); got != n.want {
				t.Errorf("%s %s:\ngot  %s\nwant %s", lang, src, got, n.want)
			}
		}
	}
}
