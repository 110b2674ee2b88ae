package table

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// Types are the types of columns; a column that is not among them keeps what it has, of CSV texts.
type Types struct {
	Of      map[string]value.Type // string, number, integer or boolean
	Decimal string                // what stands before the fraction of a number: "." or ","; "" is "."
}

// Typed gives a cell in the type of its column: an empty one is null, but for texts. The error names row and column.
func (t Types) Typed(r *Record, i int) (any, error) {
	want, ok := t.Of[r.Names[i]]
	if !ok {
		return r.Cells[i], nil
	}
	v, err := t.as(want, r.Cells[i])
	if err != nil {
		return nil, fault.New(fault.Type, "%s, column %q: %v", r.At(), r.Names[i], err)
	}
	return v, nil
}

func (t Types) as(want value.Type, cell any) (any, error) {
	if want == value.String {
		if cell == nil {
			return nil, nil
		}
		return Text(cell), nil
	}
	text, isText := cell.(string)
	switch {
	case cell == nil, isText && strings.TrimSpace(text) == "":
		return nil, nil
	case want == value.Boolean:
		if _, ok := cell.(bool); ok {
			return cell, nil
		}
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
		return nil, fmt.Errorf("want true or false, got %s", value.JSON(Text(cell)))
	}
	v, err := t.Number(cell)
	if err != nil {
		return nil, err
	}
	if _, whole := v.(int); want == value.Integer && !whole {
		return nil, fmt.Errorf("want an integer, got %s", Text(cell))
	}
	return v, nil
}

// plainNumber is a number as tables have it: with a sign, a fraction, an exponent.
var plainNumber = regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$`)

// Number reads a cell as a number: int or float64. Integers stay exact.
func (t Types) Number(cell any) (any, error) {
	switch c := cell.(type) {
	case int, float64:
		return c, nil
	case json.Number:
		return value.ParseNumber(string(c))
	case string:
		return t.number(c)
	}
	return nil, fmt.Errorf("want a number, got %s", Text(cell))
}

func (t Types) number(given string) (any, error) {
	text := strings.TrimSpace(given)
	if t.Decimal == "," {
		if strings.Contains(text, ".") {
			return nil, fmt.Errorf("%s is no number whose fraction follows a comma", value.JSON(given))
		}
		text = strings.Replace(text, ",", ".", 1)
	}
	if !plainNumber.MatchString(text) {
		hint := ""
		if comma := strings.Replace(text, ",", ".", 1); t.Decimal != "," && strings.Count(text, ",") == 1 && plainNumber.MatchString(comma) {
			hint = `; if the comma begins the fraction, set decimal to ","`
		}
		return nil, fmt.Errorf("%s is no number%s", value.JSON(given), hint)
	}
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return int(i), nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, fmt.Errorf("%s is out of range", given)
	}
	if i, ok := value.Integral(f); ok && math.Abs(f) < 1<<53 {
		return i, nil
	}
	if !strings.ContainsAny(text, ".eE") {
		return nil, fmt.Errorf("the integer %s does not fit in 64 bits; leave the column a text", given)
	}
	return f, nil
}

// clearNumber is a text that nobody would take for a code: no zero before other digits, no exponent, no plus.
var clearNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?$`)

// Infer reads a table and finds the types of its columns: number or boolean if every field that is not empty is one beyond
// doubt. Of JSON there is nothing to find. Columns that have a type already keep it.
func (t *Types) Infer(s Source, o Options) error {
	r, err := Open(s, o)
	if err != nil {
		return err
	}
	defer r.Close()
	header := r.Header()
	if header == nil {
		return nil
	}
	const number, boolean, other = 1, 2, 4
	seen := make([]uint8, len(header))
	for {
		rec, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		for i, cell := range rec.Cells {
			switch text := cell.(string); {
			case seen[i]&other != 0 || text == "":
			case t.isNumber(text):
				seen[i] |= number
			case text == "true" || text == "false":
				seen[i] |= boolean
			default:
				seen[i] |= other
			}
		}
	}
	of := make(map[string]value.Type, len(header))
	for i, name := range header {
		switch given, ok := t.Of[name]; {
		case ok:
			of[name] = given
		case seen[i] == number:
			of[name] = value.Number
		case seen[i] == boolean:
			of[name] = value.Boolean
		}
	}
	t.Of = of
	return nil
}

func (t *Types) isNumber(text string) bool {
	if t.Decimal == "," {
		if strings.Contains(text, ".") {
			return false
		}
		text = strings.Replace(text, ",", ".", 1)
	}
	return clearNumber.MatchString(text)
}

// Check refuses types of columns that the table does not have. Of JSON the columns are not known.
func (t Types) Check(header []string) error {
	if header == nil {
		return nil
	}
	for _, name := range value.SortedKeys(t.Of) {
		if err := known(name, header); err != nil {
			return fault.New(fault.InvalidRequest, "types: %v", err)
		}
	}
	return nil
}
