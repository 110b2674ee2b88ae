package syntax

import (
	"fmt"
	"math"
	"reflect"
	"strconv"

	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// maxValues is how many values a range may have.
const maxValues = 1000

// ReadDimension reads what is searched at a path: a list of choices, or a range. problem says why it is neither.
func ReadDimension(path string, v *yamltree.Value) (d Dimension, problem string) {
	c := &checker{}
	c.form(&dimensionForm, v, Str{path, v}, shown(path), WrongKind)
	if len(c.found) > 0 {
		return d, c.found[0].Message
	}
	return Dimension{Path: Str{path, v}, Values: valuesOf(v), V: v}, ""
}

// checkChoices checks a list of choices.
func checkChoices(c *checker, v *yamltree.Value, kind string) bool {
	if v.Kind != yamltree.Seq {
		return true
	}
	if len(v.Items) < 2 {
		return c.report(v, kind, "there is nothing to choose from: name at least two values")
	}
	for i, item := range v.Items {
		for k, before := range v.Items[:i] {
			if reflect.DeepEqual(item.Plain(), before.Plain()) {
				return c.report(item, kind, "%s stands here twice, as entry %d, too", value.JSON(item.Plain()), k+1)
			}
		}
	}
	return true
}

// checkRange checks a range whose keys are numbers.
func checkRange(c *checker, v *yamltree.Value) {
	from, ok1 := number(v.Get("from"))
	to, ok2 := number(v.Get("to"))
	step, ok3 := number(v.Get("step"))
	if !ok1 || !ok2 || !ok3 {
		return
	}
	switch n := (to - from) / step; {
	case step <= 0:
		c.report(v.Get("step"), WrongKind, "a step must be above 0")
	case to <= from:
		c.report(v.Get("to"), WrongKind, "to must be above from")
	case n+1 > maxValues:
		c.report(v.Get("step"), WrongKind, "these are %.0f values, and a range has at most %d: take longer steps", math.Floor(n)+1, maxValues)
	case math.Abs(n-math.Round(n)) > 1e-6:
		c.report(v.Get("to"), WrongKind, "the steps miss %s: the last before it is %s", short(to), short(from+math.Floor(n)*step))
	}
}

func number(v *yamltree.Value) (float64, bool) {
	switch n := scalar(v).(type) {
	case int:
		return float64(n), true
	case float64:
		return n, !math.IsNaN(n) && !math.IsInf(n, 0)
	}
	return 0, false
}

// short writes a number without what only rounding made.
func short(x float64) string { return strconv.FormatFloat(x, 'g', 12, 64) }

func dimensions(v *yamltree.Value) []Dimension {
	if mapOf(v) == nil {
		return nil
	}
	var out []Dimension
	for _, e := range v.Entries {
		if values := valuesOf(e.Value); len(values) > 1 {
			out = append(out, Dimension{Path: Str{e.Key, e.Name}, Values: values, V: e.Value})
		}
	}
	return out
}

// valuesOf gives the values of a list, or of a range; nil for what was reported.
func valuesOf(v *yamltree.Value) []any {
	if v.Kind == yamltree.Seq {
		list, _ := v.Plain().([]any)
		return list
	}
	from, ok1 := number(v.Get("from"))
	to, ok2 := number(v.Get("to"))
	step, ok3 := number(v.Get("step"))
	n := math.Round((to - from) / step)
	if !ok1 || !ok2 || !ok3 || !(n >= 1 && n < maxValues) {
		return nil
	}
	whole := true
	for _, key := range []string{"from", "to", "step"} {
		_, is := v.Get(key).Scalar.(int)
		whole = whole && is
	}
	var out []any
	for i := range int(n) + 1 {
		x, err := strconv.ParseFloat(short(from+float64(i)*step), 64)
		if err != nil {
			panic(fmt.Sprintf("syntax: %v", err))
		}
		if whole {
			out = append(out, int(x))
		} else {
			out = append(out, x)
		}
	}
	return out
}
