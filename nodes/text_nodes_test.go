package nodes

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/ir"
)

func TestTransform(t *testing.T) {
	items := []any{map[string]any{"n": 1}, map[string]any{"n": 2}}
	cases := []struct {
		expression string
		inputs     map[string]any
		want       any
	}{
		{`len(items)`, map[string]any{"items": items}, 2},
		{`sum(map(inputs.items, .n))`, map[string]any{"items": items}, 3},
		{`{"a": upper(x), "b": [y, null]}`, map[string]any{"x": "é", "y": 1.5}, map[string]any{"a": "É", "b": []any{1.5, nil}}},
		{`inputs.inputs + inputs.len`, map[string]any{"inputs": 1, "len": 2}, 3},
		{`today()`, nil, "2024-05-06"},
		{`x`, map[string]any{"x": "${y} $(id) {{.z}}"}, "${y} $(id) {{.z}}"},
		{`x?.y`, map[string]any{"x": map[string]any{}}, nil},
	}
	for _, c := range cases {
		call := newCall(t, map[string]any{"expression": c.expression, "inputs": c.inputs}, nil)
		call.Now = time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
		out, err := runNode(t, "transform", call)
		if err != nil {
			t.Errorf("%s: %v", c.expression, err)
			continue
		}
		if diff := cmp.Diff(c.want, out.Outputs["result"]); diff != "" {
			t.Errorf("%s: %s", c.expression, diff)
		}
	}
}

func TestTransformFails(t *testing.T) {
	inputs := map[string]any{"item": map[string]any{"a": 1}}
	for _, c := range []struct {
		expression string
		kind       fault.Kind
		message    string
	}{
		{`itme`, fault.InvalidRequest, `unknown name "itme"; this expression sees inputs, item; did you mean "item"?`},
		{`inputs.itme`, fault.InvalidRequest, `inputs has no member "itme"; did you mean "item"?`},
		{`${item}`, fault.InvalidRequest, `unexpected "{"; templates are not expanded in an expression: give the value in inputs and use its name here`},
		{`item.b`, fault.MissingKey, `there is no member "b"; there is a`},
		{`fail("quota", "no more")`, fault.Quota, `no more`},
	} {
		call := newCall(t, map[string]any{"expression": c.expression, "inputs": inputs}, nil)
		fails(t, "transform", call, c.kind, c.message)
	}
}

func TestTransformCheck(t *testing.T) {
	check := nodeType(t, Deps{}, "transform").Check
	for _, c := range []struct {
		params map[string]any
		want   string
	}{
		{map[string]any{"expression": "a + 1", "inputs": map[string]any{"a": "${x}"}}, ""},
		{map[string]any{"expression": "a + b", "inputs": map[string]any{"a": "${x}"}}, `unknown name "b"; this expression sees inputs, a`},
		{map[string]any{"expression": "a + b", "inputs": "${x}"}, ""},
		{map[string]any{"expression": "a"}, `unknown name "a"; this expression sees inputs`},
	} {
		var got []string
		for _, p := range check(c.params) {
			got = append(got, p.Message)
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%v: %q, want %q", c.params, got, c.want)
		}
	}
}

func TestTemplate(t *testing.T) {
	long := strings.Repeat("x", 10<<20)
	scope := ir.Values{"name": "{{.secret}} ${x} $y", "o": map[string]any{"k": []any{1}}, "n": 2, "long": long, "none": nil}
	cases := []struct {
		template string
		inputs   map[string]any
		want     string
	}{
		{`Dear ${name}, {{.a}} $$5`, map[string]any{"a": "{{.secret}} ${x}", "secret": "no"}, "Dear {{.secret}} ${x} $y, {{.secret}} ${x} $5"},
		{`$o.k[0] ${o} ${none}|`, nil, `1 {"k":[1]} |`},
		{`{{range $$i, $$e := .list}}{{$$i}}={{$$e}} ${n};{{end}}`, map[string]any{"list": []any{"a", "b"}}, "0=a 2;1=b 2;"},
		{`{{if eq ${n} "2"}}two{{end}}`, nil, "two"},
		{`${long}`, nil, long},
		{`no templates`, map[string]any{"unused": 1}, "no templates"},
	}
	for _, c := range cases {
		call := newCall(t, map[string]any{"template": c.template, "inputs": c.inputs}, scope)
		if c.inputs == nil {
			delete(call.Params, "inputs")
		}
		if problems := nodeType(t, Deps{}, "template").Check(call.Params); problems != nil {
			t.Errorf("%s: %v", c.template, problems)
		}
		out, err := runNode(t, "template", call)
		if err != nil || out.Outputs["text"] != c.want {
			t.Errorf("%s: %.200q, %v", c.template, out.Outputs["text"], err)
		}
	}
}

func TestTemplateCheck(t *testing.T) {
	check := nodeType(t, Deps{}, "template").Check
	for template, want := range map[string]string{
		`{{.a}} {{.b}}`:        `the template uses {{.b}}, which inputs does not give`,
		`{{.a`:                 `the template cannot be read: `,
		`{{$i}}`:               ``,
		`{{print "${x}"}}`:     `${x} stands in a text or comment of the template's own, where no value can be put in`,
		`{{/* ${x} */}}`:       `${x} stands in a text or comment of the template's own, where no value can be put in`,
		`${x}{{end}}`:          `the template cannot be read: `,
		`{{"{{"}} ${x} {{.a}}`: ``,
	} {
		got := ""
		for _, p := range check(map[string]any{"template": template, "inputs": map[string]any{"a": 1}}) {
			got += p.Message
		}
		if !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q, want %q", template, got, want)
		}
	}
}

// TestWorkflowRecursion runs a workflow that runs itself.
func TestWorkflowRecursion(t *testing.T) {
	runs := 0
	var d Deps
	d.RunWorkflow = func(ctx context.Context, name string, inputs map[string]any, depth int) (map[string]any, error) {
		runs++
		out, err := workflowType(d).Run(ctx, nodetype.Call{Params: map[string]any{"workflow": name, "inputs": inputs}, Depth: depth})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return out.Outputs, nil
	}
	_, err := workflowType(d).Run(t.Context(), nodetype.Call{Params: map[string]any{"workflow": "self"}})
	if got := fault.Of(err); runs != maxDepth || got.Kind != fault.InvalidRequest || !strings.HasSuffix(got.Message, `workflows are nested more than 16 deep, at "self": does one run itself?`) {
		t.Errorf("%d runs, %v", runs, err)
	}
}
