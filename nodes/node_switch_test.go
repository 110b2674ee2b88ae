package nodes

import (
	"strings"
	"testing"

	"pflow/internal/fault"
	"pflow/internal/prompt"
	"pflow/internal/value"
)

// casesOf makes cases of "action: expr".
func casesOf(list ...string) []any {
	var out []any
	for _, c := range list {
		action, expr, _ := strings.Cut(c, ": ")
		out = append(out, map[string]any{"action": action, "expr": expr})
	}
	return out
}

func TestSwitch(t *testing.T) {
	for _, c := range []struct {
		cases  []any
		inputs map[string]any
		want   string
	}{
		{casesOf("a: n > 1", "b: n > 0"), map[string]any{"n": 2}, "a"},
		{casesOf("a: n > 1", "b: n > 0"), map[string]any{"n": 1}, "b"},
		{casesOf("a: n > 1", "b: n > 0"), map[string]any{"n": 0}, "default"},
		{casesOf("b: n > 0", "a: n > 1", "b: true"), map[string]any{"n": 2}, "b"},
		{casesOf(`a: s == "${x}"`), map[string]any{"s": "${x}"}, "a"},
		{casesOf("a: true", "b: n.gone"), map[string]any{"n": map[string]any{}}, "a"}, // what follows is not asked
		{casesOf("a: inputs.len > 2"), map[string]any{"len": 3}, "a"},
		{casesOf("a: true"), nil, "a"},
	} {
		out, err := runNode(t, "switch", newCall(t, map[string]any{"cases": c.cases, "inputs": c.inputs}, nil))
		if err != nil || out.Action != c.want || out.Outputs["case"] != c.want {
			t.Errorf("%v of %v: %q %v, want %q: %v", c.cases, c.inputs, out.Action, out.Outputs, c.want, err)
		}
	}
	for _, c := range []struct {
		cases   []any
		kind    fault.Kind
		message string
	}{
		{casesOf("a: false", "b: n.b"), fault.MissingKey, `there is no member "b"; there is a`},
		{casesOf("a: false", "b: n.a"), fault.Type, `the condition gave integer 1; it must give true or false`},
		{casesOf("a: x > 1"), fault.InvalidRequest, `unknown name "x"; this expression sees inputs, n`},
	} {
		_, err := runNode(t, "switch", newCall(t, map[string]any{"cases": c.cases, "inputs": map[string]any{"n": map[string]any{"a": 1}}}, nil))
		got := fault.Of(err)
		last := caseExpr(len(c.cases) - 1)
		if got == nil || got.Kind != c.kind || got.Message != c.message || got.Path != "params."+last {
			t.Errorf("%v: %+v, want %s at %s: %s", c.cases, got, c.kind, last, c.message)
		}
	}
}

func TestSwitchCheck(t *testing.T) {
	check := nodeType(t, Deps{}, "switch").Check
	for _, c := range []struct {
		params map[string]any
		want   string
	}{
		{map[string]any{"cases": casesOf("a: n + 1 > 2"), "inputs": map[string]any{"n": "${x}"}}, ""},
		{map[string]any{"cases": casesOf("a: number > 2", "b: numbr > 2", "c: number +"), "inputs": map[string]any{"number": "${x}"}},
			"cases[1].expr: unknown name \"numbr\"; this expression sees inputs, number; did you mean \"number\"?\ncases[2].expr: unexpected end of the expression"},
		{map[string]any{"cases": casesOf(`a: "text"`)}, "cases[0].expr: a condition must be true or false, but this is a string"},
		{map[string]any{"cases": casesOf("a: ${n} > 1"), "inputs": map[string]any{"n": 1}}, `cases[0].expr: unexpected "{"; templates are not expanded in an expression: give the value in inputs and use its name here`},
		{map[string]any{"cases": casesOf("a: anything"), "inputs": "${x}"}, ""},
		{map[string]any{"cases": []any{"a", map[string]any{"expr": 3}}}, ""}, // their form is the validator's
	} {
		var got []string
		for _, p := range check(c.params) {
			got = append(got, p.Path+": "+p.Message)
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%v:\n%s\nwant\n%s", c.params, strings.Join(got, "\n"), c.want)
		}
	}
}

// TestSwitchReplySchema: a model writes cases as they are, and numbers of retry as numbers or templates.
func TestSwitchReplySchema(t *testing.T) {
	v, err := value.Normalize(workflowReplySchema(t, nodeType(t, Deps{}, "switch").Interface))
	if err != nil {
		t.Fatal(err)
	}
	s, err := prompt.NewSchema("workflow", v.(map[string]any))
	if err != nil {
		t.Fatal(err)
	}
	const before, after = `{"feasible": true, "reason": "", "parts": [], "workflow": {"ir_version": "0.1.0", "inputs": {}, "edges": [], "nodes": [{"id": "a", "type": "switch", "purpose": "x", `, `}]}}`
	for node, fits := range map[string]bool{
		`"params": {"cases": [{"action": "a", "expr": "n > 1"}], "inputs": {"n": "${n}"}}`: true,
		`"params": {"cases": [{"action": "a"}]}`:                                           false,
		`"params": {"cases": [{"action": "a", "expr": "n", "to": "b"}]}`:                   false,
		`"params": {"cases": "${x}"}`:                                                      false,
		`"params": {"inputs": {}}`:                                                         false,
		`"retry": {"attempts": "${tries}", "wait": "${wait}"}, "params": {"cases": []}`:    true,
		`"retry": {"attempts": [3]}, "params": {"cases": []}`:                              false,
		`"batch": {"items": [], "concurrency": "${many}"}, "params": {"cases": []}`:        true,
	} {
		if wrong := s.Misfits(parsed(t, before+node+after)); (len(wrong) == 0) != fits {
			t.Errorf("%s: %v", node, wrong)
		}
	}
}

// TestComposeTakesNoSwitch: a branch is for edges, which composing does not make, whatever the words of a request.
func TestComposeTakesNoSwitch(t *testing.T) {
	for _, request := range []string{
		"switch a.txt", "branch on the first of the cases that holds in a.txt", "read a.txt and switch on its lines",
		"switch: the first case of its cases that holds names the action of a.txt and the edges", "take the case and the edges of a.txt, default if none holds",
	} {
		if got, _ := composed(t, request); strings.Contains(got, "switch") {
			t.Errorf("%s: %s", request, got)
		}
	}
}
