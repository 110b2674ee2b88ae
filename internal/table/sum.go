package table

import (
	"math/big"
	"strconv"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// Total is an exact sum of decimal numbers: 0.1 and 0.2 make 0.3, however many there are.
type Total struct {
	scaled [10]int64 // sums of numbers with so many digits after the point
	rest   *big.Rat  // what did not fit
}

// Add adds an int or a float64, which stands for the decimal number that it is written as.
func (t *Total) Add(v any) {
	switch v := v.(type) {
	case int:
		t.decimal(int64(v), 0)
	case float64:
		text := strconv.FormatFloat(v, 'f', -1, 64)
		whole, fraction, _ := strings.Cut(text, ".")
		if n, err := strconv.ParseInt(whole+fraction, 10, 64); err == nil && len(fraction) < len(t.scaled) {
			t.decimal(n, len(fraction))
			return
		}
		r, ok := new(big.Rat).SetString(text)
		if !ok {
			r = new(big.Rat).SetFloat64(v)
		}
		t.big(r)
	}
}

func (t *Total) decimal(n int64, scale int) {
	sum := t.scaled[scale] + n
	if (sum > t.scaled[scale]) != (n > 0) && n != 0 { // it overflowed
		t.big(ratOf(t.scaled[scale], scale))
		sum = n
	}
	t.scaled[scale] = sum
}

func (t *Total) big(r *big.Rat) {
	if t.rest == nil {
		t.rest = new(big.Rat)
	}
	t.rest.Add(t.rest, r)
}

func ratOf(n int64, scale int) *big.Rat {
	return new(big.Rat).SetFrac(big.NewInt(n), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil))
}

func (t *Total) rat() *big.Rat {
	out := new(big.Rat)
	for scale, n := range t.scaled {
		out.Add(out, ratOf(n, scale))
	}
	if t.rest != nil {
		out.Add(out, t.rest)
	}
	return out
}

// Sum is the sum: an int where it is one, else the nearest float64.
func (t *Total) Sum() (any, error) { return numberOf(t.rat()) }

// Mean is the sum over a count.
func (t *Total) Mean(count int) (any, error) {
	if count == 0 {
		return nil, nil
	}
	return numberOf(new(big.Rat).Quo(t.rat(), new(big.Rat).SetInt64(int64(count))))
}

func numberOf(r *big.Rat) (any, error) {
	if r.IsInt() && r.Num().IsInt64() {
		return int(r.Num().Int64()), nil
	}
	f, _ := r.Float64()
	v, err := value.Normalize(f)
	if err != nil {
		return nil, fault.New(fault.Type, "the sum is out of range")
	}
	return v, nil
}
