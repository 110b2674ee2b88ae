package cond

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/value"
)

func keyedEnv() *Env {
	return &Env{
		Records: map[string]Record{"run": {"node": value.String, "visits": value.Object, "usage": value.Object, "steps": value.Integer}},
		Keyed:   map[string]value.Type{"run.visits": value.Integer, "run.usage": value.Number},
	}
}

// TestKeyed reads members that are closed records themselves, in both languages: their names are reported as reads, and
// they are no values.
func TestKeyed(t *testing.T) {
	s := NewScope(time.Now())
	s.Set("run", map[string]any{"node": "go-on", "steps": 3, "visits": map[string]any{"go-on": 2, "other": 0}, "usage": map[string]any{"calls": 4.0, "cost_usd": 0.5}})
	c, env := NewCompiler(), keyedEnv()
	for _, tc := range []struct {
		lang      Lang
		src, want string // value, static type, reads; or the problem
	}{
		{Expr, `run.visits["go-on"]`, `2 integer [{run.visits go-on 11}]`},
		{CEL, `run.visits["go-on"]`, `2 integer [{run.visits go-on 12}]`},
		{Expr, `run?.visits?.other + run["visits"]["go-on"]`, `2 integer [{run.visits other 13} {run.visits go-on 35}]`},
		{CEL, `run.visits.other + run.visits["go-on"]`, `2 integer [{run.visits other 11} {run.visits go-on 31}]`},
		{CEL, `run.visits.?other.orValue(7)`, `0 any [{run.visits other 12}]`},
		{Expr, `run.usage.calls`, `4 number [{run.usage calls 10}]`},
		{CEL, `run.usage.calls`, `4 number [{run.usage calls 10}]`},
		{Expr, `run.usage.calls > 3 && run.usage.cost_usd < 1`, `true boolean [{run.usage calls 10} {run.usage cost_usd 33}]`},
		{CEL, `run.usage.calls > 3 && run.usage.cost_usd < 1.0`, `true boolean [{run.usage calls 10} {run.usage cost_usd 33}]`},
		{Expr, `{"calls": run.usage.calls, "half": run.usage.calls / 8}`, `{"calls":4,"half":0.5} object [{run.usage calls 20} {run.usage calls 45}]`},
		{CEL, `[run.usage.calls, run.usage.calls / 8.0]`, `[4,0.5] array [{run.usage calls 11} {run.usage calls 28}]`},
		{Expr, `[1, 2] | map(run.visits["go-on"] + #)`, `[3,4] array [{run.visits go-on 24}]`},
		{CEL, `[1, 2].map(x, run.visits["go-on"] + x)`, `[3,4] array [{run.visits go-on 26}]`},

		{Expr, `run.visit["x"]`, `4: run has no member "visit" (visits?)`},
		{CEL, `run.visit["x"]`, `4: run has no member "visit" (visits?)`},
		{Expr, `len(run.visits)`, `4: run.visits is a record and no value itself; read a member by its name, as in run.visits["NAME"]`},
		{CEL, `size(run.visits)`, `9: run.visits is a record and no value itself; read a member by its name, as in run.visits["NAME"]`},
		{Expr, `run.visits[run.node]`, `4: run.visits is a record and no value itself; read a member by its name, as in run.visits["NAME"]`},
		{CEL, `run.visits[run.node]`, `3: run.visits is a record and no value itself; read a member by its name, as in run.visits["NAME"]`},
		{CEL, `has(run.visits.other)`, `15: run.visits.other is declared, so has() says nothing: compare it with null`},
		{Expr, `run.visits.other.x`, `17: integer has no member "x"`},
	} {
		p, problems := c.Compile(tc.lang, tc.src, env, value.Any)
		got := ""
		if p != nil {
			v, err := p.Eval(s)
			if err != nil {
				t.Errorf("%s %s: %v", tc.lang, tc.src, err)
			}
			got = fmt.Sprintf("%s %s %v", value.JSON(v), p.Type(), p.Reads())
		}
		for _, b := range problems {
			got += fmt.Sprintf("%d: %s", b.Offset, b.Message)
			if b.Suggestion != "" {
				got += " (" + b.Suggestion + "?)"
			}
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s %s:\n%s", tc.lang, tc.src, diff)
		}
	}
}
