package cond

import (
	"math/big"
	"strconv"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// The functions that round decimally: what a number is written as is rounded, so that 2.675 to two places is 2.68, which
// rounding the nearest number of floating point is not.
var roundingFunctions = []function{
	{
		Function: Function{"round_to", "round_to(x number, places integer[, mode string]) number",
			`x to so many decimal places, -2 for hundreds. mode says where a half goes: "half_up" (unless given) away from zero, "half_even" to the even neighbour.`,
			`round_to(2.675, 2)`, `2.68`},
		params: []value.Type{value.Number, value.Integer, value.String}, optional: 1, result: value.Number,
		literals: map[int]func(string) string{2: badMode},
		call: func(_ *Scope, args []any) (any, error) {
			n, exponent, err := rounded("round_to", args)
			if err != nil {
				return nil, err
			}
			if _, integer := args[0].(int); integer {
				if exponent < 0 {
					n.Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-exponent)), nil))
				}
				if !n.IsInt64() {
					return nil, fault.New(fault.Type, "round_to(%v, %v) does not fit in 64 bits", args[0], args[1])
				}
				return int(n.Int64()), nil
			}
			f, err := strconv.ParseFloat(n.String()+"e"+strconv.Itoa(-exponent), 64)
			if err != nil {
				return nil, fault.New(fault.Type, "round_to(%s, %v) is no finite number", value.JSON(args[0]), args[1])
			}
			if i, ok := value.Integral(f); ok {
				return i, nil
			}
			return f, nil
		},
	},
	{
		Function: Function{"format_number", "format_number(x number, places integer[, mode string]) string",
			`x with exactly so many decimal places, rounded as round_to does.`,
			`format_number(12.5, 2)`, `"12.50"`},
		params: []value.Type{value.Number, value.Integer, value.String}, optional: 1, result: value.String,
		literals: map[int]func(string) string{2: badMode},
		call: func(s *Scope, args []any) (any, error) {
			n, exponent, err := rounded("format_number", args)
			if err != nil {
				return nil, err
			}
			places := args[1].(int)
			if places < 0 {
				return nil, fault.New(fault.Type, "format_number takes 0 places or more, got %d", places)
			}
			digits := new(big.Int).Abs(n).String()
			digits += strings.Repeat("0", places-exponent)
			if short := places + 1 - len(digits); short > 0 {
				digits = strings.Repeat("0", short) + digits
			}
			whole := digits[:len(digits)-places]
			if n.Sign() < 0 {
				whole = "-" + whole
			}
			if places > 0 {
				whole += "." + digits[len(digits)-places:]
			}
			return whole, s.text(len(whole))
		},
	},
}

func badMode(mode string) string {
	if mode != "half_up" && mode != "half_even" {
		return `the mode is "half_up" or "half_even", got ` + describe(mode)
	}
	return ""
}

// maxPlaces is more than any number has: the smallest has 324 before its digits.
const maxPlaces = 400

// rounded gives a number as n · 10^-exponent with at most as many places as asked for.
func rounded(name string, args []any) (n *big.Int, exponent int, err error) {
	places, mode := args[1].(int), textOr(args, 2, "half_up")
	if bad := badMode(mode); bad != "" {
		return nil, 0, fault.New(fault.Type, "%s", bad)
	}
	if places < -maxPlaces || places > maxPlaces {
		return nil, 0, fault.New(fault.Type, "%s takes from %d to %d places, got %d", name, -maxPlaces, maxPlaces, places)
	}
	n = new(big.Int)
	switch x := args[0].(type) {
	case int:
		n.SetInt64(int64(x))
	case float64:
		// The shortest decimal that is this number: what its author wrote.
		mantissa, power, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e")
		whole, fraction, _ := strings.Cut(mantissa, ".")
		n.SetString(whole+fraction, 10)
		p, _ := strconv.Atoi(power)
		exponent = len(fraction) - p
	}
	if exponent < 0 && places >= exponent { // 1e20 has no places: write its noughts
		n.Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-exponent)), nil))
		exponent = 0
	}
	if exponent <= places {
		return n, exponent, nil
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(exponent-places)), nil)
	rest := new(big.Int)
	negative := n.Sign() < 0
	n.Abs(n).QuoRem(n, unit, rest)
	switch c := rest.Lsh(rest, 1).Cmp(unit); {
	case c > 0, c == 0 && (mode == "half_up" || n.Bit(0) == 1):
		n.Add(n, big.NewInt(1))
	}
	if negative {
		n.Neg(n)
	}
	return n, places, nil
}
