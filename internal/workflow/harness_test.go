package workflow

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pflow/internal/catalogue"
	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// testTypes are node types for tests: they touch nothing outside.
func testTypes() map[string]nodetype.Type {
	in := func(key string, t value.Type, required bool) ir.Port {
		return ir.Port{Key: key, Type: t, Required: required}
	}
	list := []nodetype.Type{
		{ // gives its params back, as text too
			Interface: &ir.Interface{Name: "echo", Inputs: []ir.Port{in("value", value.Any, false)}, OpenParams: true,
				Outputs: []ir.Port{in("out", value.Any, false), in("text", value.String, false)}, Effects: []ir.Effect{ir.Idempotent}},
			Run: func(_ context.Context, c nodetype.Call) (nodetype.Outcome, error) {
				return nodetype.Outcome{Outputs: map[string]any{"out": c.Params["value"], "text": ir.Text(c.Params["value"])}}, nil
			},
		},
		{ // has a required input with a name of its own, and one of type string
			Interface: &ir.Interface{Name: "shout", Inputs: []ir.Port{in("text", value.String, true), {Key: "mark", Type: value.String, Default: "!"}},
				Outputs: []ir.Port{in("loud", value.String, false)}, Effects: []ir.Effect{ir.Idempotent}},
			Run: func(_ context.Context, c nodetype.Call) (nodetype.Outcome, error) {
				return nodetype.Outcome{Outputs: map[string]any{"loud": strings.ToUpper(c.Params["text"].(string)) + c.Params["mark"].(string)}}, nil
			},
		},
		{
			Interface: &ir.Interface{Name: "fail", Params: []ir.Port{in("kind", value.String, false), in("message", value.String, false)},
				Outputs: []ir.Port{in("never", value.String, false)}},
			Run: func(_ context.Context, c nodetype.Call) (nodetype.Outcome, error) {
				kind, _ := c.Params["kind"].(string)
				if kind == "" {
					kind = "not_found"
				}
				return nodetype.Outcome{}, fault.New(fault.Kind(kind), "it failed: %v", c.Params["message"])
			},
		},
		{
			Interface: &ir.Interface{Name: "choose", Params: []ir.Port{in("action", value.String, true)}, Actions: []string{"left", "right"}},
			Run: func(_ context.Context, c nodetype.Call) (nodetype.Outcome, error) {
				return nodetype.Outcome{Action: c.Params["action"].(string)}, nil
			},
		},
		{
			Interface: &ir.Interface{Name: "wait", Params: []ir.Port{in("for", value.String, true)}, Effects: []ir.Effect{ir.Idempotent}},
			Run: func(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
				d, _ := time.ParseDuration(c.Params["for"].(string))
				select {
				case <-time.After(d):
					return nodetype.Outcome{}, nil
				case <-ctx.Done():
					return nodetype.Outcome{}, ctx.Err()
				}
			},
		},
		{ // as shell does: a text whose templates it resolves itself
			Interface: &ir.Interface{Name: "late", Inputs: []ir.Port{in("command", value.String, true)}, Outputs: []ir.Port{in("stdout", value.String, false)}},
			Late:      []string{"command"},
			Run: func(_ context.Context, c nodetype.Call) (nodetype.Outcome, error) {
				p, _ := ir.Compile(c.Params["command"])
				out := c.Params["command"].(string) + " ="
				var err error
				p.Walk(func(_ string, e *ir.Expr) {
					v, e2 := c.Resolve(e.Text)
					out += " " + value.JSON(v)
					if e2 != nil {
						err = e2
					}
				})
				return nodetype.Outcome{Outputs: map[string]any{"stdout": out}}, err
			},
		},
		{
			Interface: &ir.Interface{Name: "raw", Params: []ir.Port{{Key: "expression", Type: value.String, Raw: true}}, Outputs: []ir.Port{in("result", value.Any, false)}},
			Run: func(_ context.Context, c nodetype.Call) (nodetype.Outcome, error) {
				return nodetype.Outcome{Outputs: map[string]any{"result": c.Params["expression"]}}, nil
			},
		},
		{
			Interface: &ir.Interface{Name: "destroy", Inputs: []ir.Port{in("path", value.String, false)}, Effects: []ir.Effect{ir.Destructive}},
			Run:       func(context.Context, nodetype.Call) (nodetype.Outcome, error) { return nodetype.Outcome{}, nil },
		},
		{
			Interface: &ir.Interface{Name: "workflow", Params: []ir.Port{in("workflow", value.String, true)},
				Inputs: []ir.Port{in("inputs", value.Object, false)}, OpenOutputs: true, Call: &ir.Call{Name: "workflow", Inputs: "inputs"}},
		},
		{
			Interface: &ir.Interface{Name: "shell", Inputs: []ir.Port{in("command", value.String, true), in("stdin", value.String, false)},
				Outputs: []ir.Port{in("stdout", value.String, false), in("exit_code", value.Integer, false)}},
			Late: []string{"command"},
			Run: func(_ context.Context, c nodetype.Call) (nodetype.Outcome, error) {
				v, err := c.Resolve("${text}")
				return nodetype.Outcome{Outputs: map[string]any{"stdout": fmt.Sprintf("{\"a\": 1, \"said\": %s}\n", value.JSON(v)), "exit_code": 0}}, err
			},
		},
	}
	out := map[string]nodetype.Type{}
	for _, t := range list {
		out[t.Interface.Name] = t
	}
	return out
}

// world is what a test's workflows run in.
type world struct {
	types    map[string]nodetype.Type
	saved    map[string]string // name -> IR
	environ  map[string]string
	declared string // JSON list of declarations
}

func (w world) env(t testing.TB) Env {
	t.Helper()
	types := w.types
	if types == nil {
		types = testTypes()
	}
	var all []*ir.Interface
	for _, name := range slices.Sorted(maps.Keys(types)) {
		all = append(all, types[name].Interface)
	}
	declared := map[string]*catalogue.Declared{}
	if w.declared != "" {
		list, err := value.ParseJSON([]byte(w.declared))
		if err != nil {
			t.Fatal(err)
		}
		got, found := catalogue.Declare("test", list.([]any))
		if len(found) > 0 {
			t.Fatal(found.Text())
		}
		for _, d := range got {
			declared[d.Interface.Name] = d
			all = append(all, d.Interface)
		}
	}
	c := ir.NewCatalogue(all...)
	load := func(name string) (*ir.Workflow, error) {
		text, ok := w.saved[name]
		if !ok {
			return nil, fault.New(fault.NotFound, "there is no saved workflow %q", name)
		}
		wf, list := ir.Decode([]byte(text))
		return wf, list.Err()
	}
	for range 2 {
		var more []*ir.Interface
		for _, name := range slices.Sorted(maps.Keys(w.saved)) {
			wf, err := load(name)
			if err != nil {
				t.Fatal(err)
			}
			more = append(more, wf.AsComponent(name, "", c))
		}
		c = ir.NewCatalogue(append(slices.Clone(all), more...)...)
	}
	return Env{Catalogue: c, Types: types, Declared: declared, Load: load, Dir: "/", Getenv: func(name string) string { return w.environ[name] }}
}

func (w world) compile(t testing.TB, doc string) *Program {
	t.Helper()
	env := w.env(t)
	wf, found := Check([]byte(doc), env.Catalogue, env.Types, ir.Options{})
	if found.HasErrors() {
		t.Fatal(found.Text())
	}
	p, found := Compile(Source{Name: "test", Workflow: wf, File: "test.json", Data: []byte(doc)}, env)
	if p == nil {
		t.Fatal(found.Text())
	}
	return p
}

func bind(t testing.TB, p *Program, given map[string]any) map[string]any {
	t.Helper()
	store, missing, err := p.Bind(Given{Values: given})
	if err != nil || len(missing) > 0 {
		t.Fatalf("%v, missing %v", err, missing)
	}
	return store
}

// show is a result without what differs between equal runs.
func show(res *Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", res.Status, value.JSON(res.Outputs))
	if e := res.Error; e != nil {
		fmt.Fprintf(&b, "error: %s at %s (%s), %d attempts: %s\n", e.Kind, e.Node, e.Place, e.Attempts, e.Message)
	}
	for _, s := range res.Steps {
		action := "(failed)"
		if s.Action != nil {
			action = *s.Action
		}
		fmt.Fprintf(&b, "%s %s\n", s.Node, action)
	}
	for _, w := range res.Warnings {
		b.WriteString("warning: " + w + "\n")
	}
	for _, a := range res.Approvals {
		b.WriteString("waits: " + a.Node + "\n")
	}
	return b.String()
}

func run(t testing.TB, p *Program, given map[string]any, o Options) *Result {
	t.Helper()
	res, err := p.Run(context.Background(), bind(t, p, given), o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}
