package experiment

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"pflow/engine/cond"
	"pflow/internal/value"
)

// gateEnv is what a condition of fail_if sees: the report, as its JSON says it.
var gateEnv = &cond.Env{Vars: map[string]value.Type{
	"variants": value.Array, "comparisons": value.Array, "cases": value.Integer, "rows": value.Integer, "missing": value.Integer, "errors": value.Integer,
}}

func compileGate(c Condition) (*cond.Program, []cond.Problem) {
	return cond.NewCompiler().Compile(cond.Lang(c.Lang), c.Source, gateEnv, value.Boolean)
}

// ReadCondition makes a condition of a command line; problem says what is wrong with it.
func ReadCondition(source string) (c Condition, problem string) {
	c = Condition{Lang: string(cond.Expr), Source: source}
	if _, problems := compileGate(c); len(problems) > 0 {
		problem = problems[0].Message
		if problems[0].Suggestion != "" {
			problem += fmt.Sprintf("; did you mean %q?", problems[0].Suggestion)
		}
	}
	return c, problem
}

// Gate says why the report fails the experiment: a verdict that is among failOn, or a condition that holds. It is empty
// for one that passes. A condition that cannot be computed fails, too.
func (r *Report) Gate(failOn []string, failIf []Condition) []string {
	var why []string
	if len(failOn) > 0 && len(r.Comparisons) == 0 {
		why = append(why, "there is no verdict to fail on, since one variant is compared with nothing")
	}
	for _, c := range r.Comparisons {
		if slices.Contains(failOn, string(c.Verdict)) {
			why = append(why, fmt.Sprintf("%s against %s: %s: %s", c.Variant, r.Baseline, c.Verdict, c.Reason))
		}
	}
	if len(failIf) == 0 {
		return why
	}
	scope := cond.NewScope(fixedTime)
	data, err := json.Marshal(r)
	var doc any
	if err == nil {
		doc, err = value.ParseJSON(data)
	}
	if err != nil {
		return append(why, err.Error())
	}
	for name := range gateEnv.Vars {
		scope.Set(name, doc.(map[string]any)[name])
	}
	for _, c := range failIf {
		program, problems := compileGate(c)
		if len(problems) > 0 {
			why = append(why, c.Source+": "+problems[0].Message)
			continue
		}
		switch holds, err := program.Test(scope); {
		case err != nil:
			why = append(why, c.Source+": "+err.Error())
		case holds:
			why = append(why, c.Source)
		}
	}
	return why
}

// fixedTime is the instant that predicates see: reports and scores must not depend on the day they are made on.
var fixedTime = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
