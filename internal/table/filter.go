package table

import (
	"slices"
	"strings"
	"time"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// Filter is a condition of rows: a comparison of a column, or several conditions.
type Filter struct {
	Column string // "": any column will do
	Op     string // one of Ops
	Value  any    // a number, a text, true or false; of in a list of them, of between two of them; of within the first and the last day; of empty nothing

	All, Any []Filter // in place of a comparison: all of these, or one of them
	Not      *Filter  // or that this one does not hold
}

// Ops are the comparisons.
var Ops = []string{"==", "!=", ">", ">=", "<", "<=", "between", "within", "in", "contains", "startsWith", "endsWith", "empty"}

// Columns lists the columns that a filter names.
func (f *Filter) Columns() []string {
	var out []string
	if f.Column != "" {
		out = append(out, f.Column)
	}
	for _, list := range [][]Filter{f.All, f.Any} {
		for i := range list {
			out = append(out, list[i].Columns()...)
		}
	}
	if f.Not != nil {
		out = append(out, f.Not.Columns()...)
	}
	return out
}

// settle takes its columns for those that are there.
func (f *Filter) settle(there []string) {
	if f.Column != "" {
		f.Column = Loose(f.Column, there)
	}
	for _, list := range [][]Filter{f.All, f.Any} {
		for i := range list {
			list[i].settle(there)
		}
	}
	if f.Not != nil {
		f.Not.settle(there)
	}
}

// holds reports whether a row fits. The error is of type, and names the row and the column.
func (f *Filter) holds(t Types, r *Record) (bool, error) {
	switch {
	case f.All != nil:
		for i := range f.All {
			if ok, err := f.All[i].holds(t, r); err != nil || !ok {
				return false, err
			}
		}
		return true, nil
	case f.Any != nil:
		for i := range f.Any {
			if ok, err := f.Any[i].holds(t, r); err != nil || ok {
				return ok, err
			}
		}
		return false, nil
	case f.Not != nil:
		ok, err := f.Not.holds(t, r)
		return !ok, err
	case f.Column == "":
		if f.Op == "!=" { // no column has it
			not := Filter{Not: &Filter{Op: "==", Value: f.Value}}
			return not.holds(t, r)
		}
		for _, cell := range r.Cells {
			if ok, err := f.fits(t, cell); err == nil && ok {
				return true, nil
			}
		}
		return false, nil
	}
	cell, _ := r.Cell(f.Column)
	ok, err := f.fits(t, cell)
	if err != nil {
		return false, fault.New(fault.Type, "%s, column %q: %v", r.At(), f.Column, err)
	}
	return ok, nil
}

// fits compares a cell. One that is empty is neither more nor less than anything.
func (f *Filter) fits(t Types, cell any) (bool, error) {
	empty := cell == nil || strings.TrimSpace(Text(cell)) == ""
	switch f.Op {
	case "empty":
		return empty, nil
	case "==":
		return t.equal(cell, f.Value), nil
	case "!=":
		return !t.equal(cell, f.Value), nil
	case "in":
		list, _ := f.Value.([]any)
		return slices.ContainsFunc(list, func(v any) bool { return t.equal(cell, v) }), nil
	case "contains", "startsWith", "endsWith":
		have, want := sameCase(Text(cell), Text(f.Value))
		switch f.Op {
		case "contains":
			return strings.Contains(have, want), nil
		case "startsWith":
			return strings.HasPrefix(have, want), nil
		}
		return strings.HasSuffix(have, want), nil
	}
	if empty {
		return false, nil
	}
	if f.Op == "between" || f.Op == "within" {
		ends, _ := f.Value.([]any)
		if f.Op == "within" {
			first, last, ok := strings.Cut(Text(f.Value), "/")
			if !ok || !isDay(first) || !isDay(last) {
				return false, fault.New(fault.InvalidRequest, "within wants the first and the last day, such as 2026-03-01/2026-03-31, got %s", value.Describe(f.Value))
			}
			ends = []any{first, last}
		}
		low, err := t.compare(cell, ends[0])
		if err != nil {
			return false, err
		}
		high, err := t.compare(cell, ends[1])
		return low >= 0 && high <= 0, err
	}
	n, err := t.compare(cell, f.Value)
	switch f.Op {
	case ">":
		return n > 0, err
	case ">=":
		return n >= 0, err
	case "<":
		return n < 0, err
	}
	return n <= 0, err
}

// equal reports whether a cell is a value: numbers by what they amount to, texts without the blanks around them, true and false
// also where they are written yes and no. A text without capitals is equal to one with them.
func (t Types) equal(cell, want any) bool {
	switch w := want.(type) {
	case nil:
		return cell == nil || Text(cell) == ""
	case int, float64:
		n, err := t.Number(cell)
		if err != nil {
			return false
		}
		same, _ := value.Compare(n, w)
		return same == 0
	case bool:
		if text, isText := cell.(string); isText {
			switch strings.ToLower(strings.TrimSpace(text)) {
			case "yes":
				return w
			case "no":
				return !w
			}
		}
		got, err := t.as(value.Boolean, cell)
		return err == nil && got == w
	}
	if n, err := t.Number(want); err == nil && plainNumber.MatchString(Text(want)) {
		if m, err := t.Number(cell); err == nil {
			same, _ := value.Compare(m, n)
			return same == 0
		}
	}
	have, text := sameCase(strings.TrimSpace(Text(cell)), strings.TrimSpace(Text(want)))
	if at := len(time.DateOnly); len(have) > at && (have[at] == 't' || have[at] == 'T' || have[at] == ' ') && isDay(text) {
		have = have[:at] // an instant is on its day
	}
	return have == text
}

// sameCase takes the capitals out of a text where the other has none.
func sameCase(have, want string) (string, string) {
	if strings.ToLower(want) == want {
		return strings.ToLower(have), want
	}
	return have, want
}

// compare tells whether a cell is less than a value (-1), the same (0) or more (1): as numbers, as days, or as texts.
func (t Types) compare(cell, want any) (int, error) {
	if _, isText := want.(string); !isText || plainNumber.MatchString(want.(string)) {
		w, err := t.Number(want)
		if err != nil {
			return 0, fault.New(fault.Type, "%s has no order", value.JSON(want))
		}
		n, err := t.Number(cell)
		if err != nil {
			return 0, err
		}
		order, _ := value.Compare(n, w)
		return order, nil
	}
	have, text := strings.TrimSpace(Text(cell)), want.(string)
	if isDay(text) {
		if len(have) < len(time.DateOnly) || !isDay(have[:len(time.DateOnly)]) {
			return 0, fault.New(fault.Type, "%s is no day such as %s", value.JSON(have), text)
		}
		have = have[:len(time.DateOnly)]
	}
	return strings.Compare(have, text), nil
}

func isDay(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}
