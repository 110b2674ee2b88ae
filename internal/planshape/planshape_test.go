package planshape

import (
	"testing"

	"pflow/internal/value"
)

func TestOf(t *testing.T) {
	found := object{"name": "greet", "description": "greets", "keywords": []any{"hi"}, "ir": object{"inputs": object{"who": object{}}, "outputs": object{"b": 1, "a": 2}}}
	draft := object{"nodes": []any{}}
	refused := []any{object{"node": "a/ask", "kind": "quota", "message": "no more", "attempt": 1, "details": object{"model": "m"}}}
	unpriced := []any{object{"kind": "unpriced", "message": "no price"}}
	for _, c := range []struct {
		name  string
		facts object
		want  string // status, path, workflow_name, kind, message, node, hint, model
	}{
		{"nothing", object{}, `["infeasible",null,null,"infeasible","nothing in the catalogue does this","workflow-generation","",null]`},
		{"found", object{"found_workflow": found}, `["ready","reuse","greet",null,null,null,null,null]`},
		{"found, and a value is missing", object{"found_workflow": found, "missing_params": []any{1}}, `["needs_input","reuse","greet",null,null,null,null,null]`},
		{"found after drafts that failed", object{"found_workflow": found, "validation_errors": []any{object{"message": "x"}}, "generation_reason": "y"}, `["ready","reuse","greet",null,null,null,null,null]`},
		{"made", object{"generated_workflow": draft, "workflow_metadata": object{"suggested_name": "n"}}, `["ready","generate","n",null,null,null,null,null]`},
		{"made without a name", object{"generated_workflow": draft}, `["ready","generate",null,null,null,null,null,null]`},
		{"invalid", object{"generated_workflow": draft, "validation_errors": []any{object{"message": "bad"}}, "generation_call": object{"model": "g"}},
			`["invalid","generate",null,"invalid","bad","workflow-validation","","g"]`},
		{"no JSON", object{"generated_workflow": "{", "validation_errors": []any{object{"message": "bad"}}}, `["invalid",null,null,"invalid","bad","workflow-validation","",null]`},
		{"infeasible with a draft before", object{"generated_workflow": draft, "generation_reason": "no brush", "generated_at": "x", "hints": object{"infeasible": "search", "other": "o"}},
			`["infeasible","generate",null,"infeasible","no brush","x","search",null]`},
		{"a part is left open", object{"generated_workflow": draft, "generation_reason": "leaves out x", "generation_kind": "uncovered", "hints": object{"uncovered": "new", "other": "o"}},
			`["infeasible","generate",null,"uncovered","leaves out x","workflow-generation","new",null]`},
		{"failed", object{"failed_at": "a", "errors": refused, "hints": object{"other": "o"}, "generation_call": object{"model": "g"}}, `["failed",null,null,"quota","no more","a","o","m"]`},
		{"nobody answered", object{"failed_at": "a", "errors": refused, "answered": false}, `["failed",null,null,"provider_error","no model answered: no more","a","","m"]`},
		{"nobody was asked", object{"failed_at": "a", "errors": unpriced, "answered": false}, `["failed",null,null,"unpriced","no price","a","",null]`},
		{"failed by nothing", object{"failed_at": "think", "generation_reason": "the turns are spent"}, `["failed",null,null,"unfinished","the turns are spent","think","",null]`},
		{"things of other types", object{"found_workflow": 1, "missing_params": "x", "coverage": []any{}, "errors": 5, "attempts": "many"}, `["infeasible",null,null,"infeasible","nothing in the catalogue does this","workflow-generation","",null]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Of(c.facts, "now")
			e := record(p["error"])
			got := value.JSON([]any{p["status"], p["path"], p["workflow_name"], e["kind"], e["message"], e["node"], e["hint"], record(e["cause"])["model"]})
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if len(p) != len(Of(nil, "")) {
				t.Errorf("%d keys", len(p))
			}
		})
	}
	p := Of(object{"found_workflow": found}, "")
	if got := value.JSON(p["workflow_metadata"]); got != `{"description":"greets","inputs":["who"],"keywords":["hi"],"outputs":["a","b"],"suggested_name":"greet"}` {
		t.Error(got)
	}
	history := []any{1, 2, 3, 4, 5}
	cause := record(record(Of(object{"attempt_history": history, "errors": refused, "failed_at": "a"}, "t")["error"])["cause"])
	if got := value.JSON([]any{cause["attempt_history"], cause["error_history"], cause["time"]}); got != `[[3,4,5],[{"attempt":1,"kind":"quota","message":"no more","node":"a/ask"},1,2],"t"]` {
		t.Error(got)
	}
}
