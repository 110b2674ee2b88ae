package syntax

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"

	"pflow/internal/diag"
	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// The forms of single values. Their checks run after the kind was found right, and report with the section's kind.

var (
	scalars = []yamltree.Kind{yamltree.String, yamltree.Null, yamltree.Bool, yamltree.Int, yamltree.Float}
	written = []yamltree.Kind{yamltree.String, yamltree.Int, yamltree.Float} // so that 30 can be told to be 30s
	numbers = []yamltree.Kind{yamltree.Int, yamltree.Float}

	textForm = form{
		name: "text", kinds: []yamltree.Kind{yamltree.String}, check: checkNotEmpty,
		schema: map[string]any{"type": "string", "minLength": 1},
	}
	nameForm = form{
		name: "a name in kebab-case", kinds: []yamltree.Kind{yamltree.String}, check: checkName(flowName, "the flow's name"),
		schema: map[string]any{"type": "string", "pattern": flowName.pattern},
	}
	actionForm = form{
		name: "an action in snake_case", kinds: []yamltree.Kind{yamltree.String}, check: checkName(actionName, "the action"),
		schema: map[string]any{"type": "string", "pattern": actionName.pattern},
	}
	versionForm = form{
		name: "1", kinds: []yamltree.Kind{yamltree.Int}, check: checkVersion,
		schema: map[string]any{"const": 1},
	}
	boolForm = form{
		name: "true or false", kinds: []yamltree.Kind{yamltree.Bool},
		schema: map[string]any{"type": "boolean"},
	}
	anyForm  = form{name: "a value", schema: map[string]any{}}
	exprForm = form{
		name: "an expression", kinds: scalars, check: checkExpr,
		schema: map[string]any{"type": []any{"string", "number", "boolean", "null"}},
	}
	valueForm = form{
		name: "an expression, or a mapping or a list of them", check: checkValue,
	}
	argForm = form{
		name: "a name", kinds: []yamltree.Kind{yamltree.String}, check: checkName(identifier, "the argument"),
		schema: map[string]any{"type": "string", "pattern": identifier.pattern},
	}
	typeForm = form{
		name: "a type", kinds: []yamltree.Kind{yamltree.String}, check: checkType,
		schema: map[string]any{"enum": typeNames()},
	}
	countForm = form{
		name: "an integer of at least 1", kinds: []yamltree.Kind{yamltree.Int}, check: between(1, math.MaxInt, "an integer of at least 1"),
		schema: map[string]any{"type": "integer", "minimum": 1},
	}
	attemptsForm = form{
		name: "an integer from 1 to 100", kinds: []yamltree.Kind{yamltree.Int}, check: between(1, maxAttempts, "an integer from 1 to 100"),
		schema: map[string]any{"type": "integer", "minimum": 1, "maximum": maxAttempts},
	}
	numberForm = form{
		name: "a number", kinds: numbers, check: between(math.Inf(-1), math.Inf(1), "a number"),
		schema: map[string]any{"type": "number"},
	}
	meterForm = form{
		name: "a number of at least 0", kinds: numbers, check: between(0, math.Inf(1), "a number of at least 0"),
		schema: map[string]any{"type": "number", "minimum": 0},
	}
	jitterForm = form{
		name: "a number from 0 to 1", kinds: numbers, check: between(0, 1, "a number from 0 to 1"),
		schema: map[string]any{"type": "number", "minimum": 0, "maximum": 1},
	}
	backoffForm = form{
		name: "constant or exponential", kinds: []yamltree.Kind{yamltree.String}, check: oneOf(backoffs),
		schema: map[string]any{"enum": []any{"constant", "exponential"}},
	}
	durationForm = form{
		name: "a duration such as 250ms, 30s or 1h30m", kinds: written, check: checkDuration(0),
		schema: map[string]any{"anyOf": []any{map[string]any{"type": "string", "pattern": durationPattern}, map[string]any{"const": 0}}},
	}
	positiveDurationForm = form{
		name: "a duration longer than 0s, such as 30s", kinds: written, check: checkDuration(1),
		schema: map[string]any{"type": "string", "pattern": durationPattern},
	}
)

var backoffs = []string{"constant", "exponential"}

// maxAttempts bounds what one node can wait for: more tries are a loop in the graph, where limits count them.
const maxAttempts = 100

func typeNames() []any {
	var names []any
	for _, t := range value.Types() {
		names = append(names, string(t))
	}
	return names
}

func checkNotEmpty(c *checker, v *yamltree.Value, kind string) bool {
	if v.Kind == yamltree.String && strings.TrimSpace(v.Text) == "" {
		return c.report(v, kind, "the text is empty")
	}
	return true
}

func checkExpr(c *checker, v *yamltree.Value, kind string) bool {
	switch {
	case v.Kind == yamltree.Null && v.Text == "":
		return c.report(v, WrongKind, "an expression is missing here; write null if the value is null")
	case v.Kind == yamltree.String && strings.TrimSpace(v.Text) == "":
		return c.report(v, WrongKind, "the expression is empty; write '\"\"' for an empty text")
	}
	return true
}

// checkValue checks an expression, or a mapping or a list of such values. Inside these a bare null is refused: in a flow
// that extends another it removes a key.
func checkValue(c *checker, v *yamltree.Value, kind string) bool {
	part := func(v *yamltree.Value) {
		if v.Kind == yamltree.Null {
			c.report(v, WrongKind, "inside a mapping or a list of expressions null is written 'null', in quotes; a bare null removes a key of the flow that is extended")
			return
		}
		checkValue(c, v, kind)
	}
	switch v.Kind {
	case yamltree.Map:
		for _, e := range v.Entries {
			part(e.Value)
		}
	case yamltree.Seq:
		for _, item := range v.Items {
			part(item)
		}
	default:
		return checkExpr(c, v, kind)
	}
	return true
}

func checkName(n *naming, what string) func(*checker, *yamltree.Value, string) bool {
	return func(c *checker, v *yamltree.Value, _ string) bool {
		if ok, why := n.allows(v.Text); !ok {
			return c.report(v, BadName, "%s %s %s", what, shown(v.Text), why)
		}
		return true
	}
}

func checkVersion(c *checker, v *yamltree.Value, kind string) bool {
	if v.Scalar != 1 {
		return c.report(v, kind, "version %s of the flow language is not known; this is version 1", v.Text)
	}
	return true
}

func checkType(c *checker, v *yamltree.Value, _ string) bool {
	names := make([]string, 0, 7)
	for _, t := range value.Types() {
		if v.Text == string(t) {
			return true
		}
		names = append(names, string(t))
	}
	return c.choice(v, BadType, names, "there is no type %s", shown(v.Text))
}

func oneOf(names []string) func(*checker, *yamltree.Value, string) bool {
	return func(c *checker, v *yamltree.Value, kind string) bool {
		for _, n := range names {
			if v.Text == n {
				return true
			}
		}
		return c.choice(v, kind, names, "%s is not one of %s", shown(v.Text), strings.Join(names, " and "))
	}
}

func between(low, high float64, name string) func(*checker, *yamltree.Value, string) bool {
	return func(c *checker, v *yamltree.Value, kind string) bool {
		n, ok := v.Scalar.(float64)
		if i, is := v.Scalar.(int); is {
			n, ok = float64(i), true
		}
		if ok && (n < low || n > high) {
			return c.report(v, kind, "%s is out of range; write %s", v.Text, name)
		}
		return ok
	}
}

const durationPattern = `^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`

var durationWritten = regexp.MustCompile(durationPattern)

// checkDuration accepts what is at least min nanoseconds long; 0 needs no unit.
func checkDuration(min time.Duration) func(*checker, *yamltree.Value, string) bool {
	return func(c *checker, v *yamltree.Value, kind string) bool {
		d, problem := readDuration(v)
		switch {
		case problem != "":
			return c.report(v, kind, "%s", problem)
		case d < min:
			return c.report(v, kind, "the duration must be longer than 0s")
		}
		return true
	}
}

// readDuration reads a duration; problem is "" or says what is wrong with it.
func readDuration(v *yamltree.Value) (d time.Duration, problem string) {
	switch {
	case v.Kind == yamltree.Int && v.Scalar == 0, v.Text == "0":
		return 0, ""
	case strings.HasPrefix(v.Text, "-"):
		return 0, fmt.Sprintf("the duration %s is negative", shown(v.Text))
	case v.Kind != yamltree.String:
		return 0, fmt.Sprintf("the duration %s has no unit; write %ss, or use ms, m or h", v.Text, v.Text)
	case len(v.Text) > maxName, !durationWritten.MatchString(v.Text):
		return 0, fmt.Sprintf("%s is no duration; write one like 250ms, 30s, 5m or 1h30m", shown(v.Text))
	}
	d, err := time.ParseDuration(v.Text)
	if err != nil {
		return 0, fmt.Sprintf("the duration %s is too long", shown(v.Text))
	}
	return d, ""
}

// shown quotes a text of the document for a message, shortened if it is very long.
func shown(text string) string {
	if runes := []rune(text); len(text) > 80 && len(runes) > 60 {
		text = string(runes[:60]) + "…"
	}
	return fmt.Sprintf("%q", text)
}

// choice reports a value that is none of the names.
func (c *checker) choice(v *yamltree.Value, kind string, names []string, format string, args ...any) bool {
	f := v.Error(kind, fmt.Sprintf(format, args...))
	f.Suggestion, f.Alternatives = diag.Nearest(v.Text, names), names
	return c.add(f)
}
