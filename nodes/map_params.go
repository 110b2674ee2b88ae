package nodes

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/mapparams"
	"pflow/internal/value"
	"pflow/ir"
)

// mapParamsOp takes the values of inputs from a request.
func mapParamsOp(d Deps) engine.Op {
	return engine.Op{
		Name:    "map-params",
		Summary: "Takes the values of declared inputs from a request.",
		Prep: []engine.Field{
			{Name: "request", Type: value.String, Required: true, Doc: "what is asked for"},
			{Name: "inputs", Type: value.Any, Doc: "{name: {type, required, description, default, enum}}; those of workflow if not given"},
			{Name: "workflow", Type: value.Any, Doc: "the IR that the inputs are for: what its steps do tells values from other words"},
			{Name: "current_date", Type: value.Any, Doc: "the date that relative words count from; the run's own if not given"},
			{Name: "stdin", Type: value.Any, Doc: "piped text, for the input with from_stdin"},
		},
		Result:     value.Object,
		ResultDoc:  "{extracted: {name: value}, missing: [{name, type, description}] required inputs without a value, confidence, taken: {name: {start, end}} where the request says the values, in bytes}",
		Idempotent: true,
		Instant:    true,
		Example: `flow: map-params-example
version: 1
description: Fill the inputs of a tool.
state:
  request: {type: string, default: resize photo.png to a width of 300}
  inputs:
    type: object
    default: {image: {type: string, required: true, description: path of the image}, width: {type: integer, required: true}}
  values:  {type: object, default: {}}
nodes:
  fill:
    op: map-params
    prep: {request: store.request, inputs: store.inputs}
    post: {values: result.extracted}
    next: end
`,
		New: func(*engine.Setup) engine.Exec {
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				request, _ := in.Prep["request"].(string)
				inputs, err := inputsOf(in.Prep["inputs"])
				if err != nil {
					return engine.Output{}, err
				}
				about := ""
				if given, ok := in.Prep["workflow"].(map[string]any); ok {
					shelf, err := d.candidates(ctx)
					if err != nil {
						return engine.Output{}, err
					}
					w, found := ir.DecodeValue(given)
					if err := found.Err(); err != nil {
						return engine.Output{}, fault.New(fault.InvalidRequest, "the workflow is invalid: %v", err)
					}
					about = purposes(w, shelf.Catalogue)
					if in.Prep["inputs"] == nil {
						inputs = workflowInputs(w, shelf.Catalogue)
					}
				}
				now, err := nowOf(in.Prep["current_date"], in.Now)
				if err != nil {
					return engine.Output{}, err
				}
				piped := map[string]any{}
				if stdin := in.Prep["stdin"]; stdin != nil {
					inputs = slices.DeleteFunc(inputs, func(i mapparams.Input) bool {
						if i.FromStdin {
							piped[i.Name] = stdin
						}
						return i.FromStdin
					})
				}
				read, err := d.readings.Read(ctx, request, now)
				if err != nil {
					return engine.Output{}, err
				}
				r, err := mapparams.Map(ctx, read, inputs, about)
				if err != nil {
					return engine.Output{}, err
				}
				maps.Copy(r.Extracted, piped)
				missing := []any{}
				for _, m := range r.Missing {
					missing = append(missing, map[string]any{"name": m.Name, "type": string(m.Type), "description": m.Description})
				}
				taken := map[string]any{}
				for name, at := range r.Taken {
					taken[name] = map[string]any{"start": at[0], "end": at[1]}
				}
				return engine.Output{Result: map[string]any{"extracted": r.Extracted, "missing": missing, "confidence": r.Confidence, "taken": taken}}, nil
			}
		},
	}
}

// inputsOf reads declared inputs, in the order of their names.
func inputsOf(v any) ([]mapparams.Input, error) {
	if v == nil {
		return nil, nil
	}
	declared, ok := v.(map[string]any)
	if !ok {
		return nil, fault.New(fault.Type, "inputs: want {name: {type, required, description}}, got %s", value.Describe(v))
	}
	var out []mapparams.Input
	for _, name := range value.SortedKeys(declared) {
		m, ok := declared[name].(map[string]any)
		if !ok {
			return nil, fault.New(fault.Type, "inputs.%s: want {type, required, description}, got %s", name, value.Describe(declared[name]))
		}
		p := mapparams.Input{Name: name, Type: value.Any}
		if t, ok := m["type"].(string); ok {
			p.Type = value.Type(t)
		}
		p.Kind, _ = m["kind"].(string)
		p.Description, _ = m["description"].(string)
		p.Required, _ = m["required"].(bool)
		p.FromStdin, _ = m["from_stdin"].(bool)
		p.Default, p.HasDefault = m["default"]
		p.Enum, _ = m["enum"].([]any)
		out = append(out, p)
	}
	return out, nil
}

// purposes is what the steps of a workflow do, in words.
func purposes(w *ir.Workflow, c *ir.Catalogue) string {
	var b strings.Builder
	for _, n := range w.Nodes {
		b.WriteString(n.Type + " " + n.Purpose + "\n")
		if i := c.Get(n.Type); i != nil {
			b.WriteString(useOf(i, n.Params).does + "\n")
		}
	}
	return b.String()
}

// use is how a node uses its component: as it is, or in one of its forms.
type use struct {
	does   string
	inputs []ir.Port
	given  map[string]any // what the inputs are given
}

func useOf(i *ir.Interface, params map[string]any) use {
	if f, given := i.FormOf(params); f != nil {
		return use{f.Does(), f.Inputs, given}
	}
	return use{i.Description, append(slices.Clone(i.Inputs), i.OnlyParams()...), params}
}

// workflowInputs are the inputs of a workflow in the order in which its steps use them, those of one step in the order of
// its interface (objects have no order, sentences do), with what the interfaces say of them.
func workflowInputs(w *ir.Workflow, c *ir.Catalogue) []mapparams.Input {
	var out []mapparams.Input
	at := map[string]int{}
	for _, in := range w.EffectiveInputs(c) {
		if in.Secret {
			continue
		}
		at[in.Name] = len(out)
		out = append(out, mapparams.Input{Name: in.Name, Type: in.Type, Description: in.Description, Required: in.Required,
			Default: in.Default, HasDefault: in.HasDefault, FromStdin: in.FromStdin})
	}
	rank := map[string]int{}
	for order, n := range w.Nodes {
		u := use{given: n.Params}
		if component := c.Get(n.Type); component != nil {
			u = useOf(component, n.Params)
		}
		var keys []string
		for _, p := range u.inputs {
			keys = append(keys, p.Key)
		}
		for _, k := range append(keys, value.SortedKeys(u.given)...) {
			p, problems := ir.Compile(u.given[k])
			if len(problems) > 0 {
				continue
			}
			p.Walk(func(path string, e *ir.Expr) {
				for _, alt := range e.Alts {
					if alt.Ref == nil || rank[alt.Ref.Root] > 0 {
						continue
					}
					i, isInput := at[alt.Ref.Root]
					if !isInput {
						continue
					}
					rank[alt.Ref.Root] = len(rank) + 1
					out[i].Step, out[i].Order = n.Type+" "+cmp.Or(u.does, n.Purpose), order+1
					at := slices.IndexFunc(u.inputs, func(p ir.Port) bool { return p.Key == k })
					if at < 0 || path != "" || u.given[k] != e.Text {
						continue // a part of what the port takes is not of its kind: grep TODO ${folder}
					}
					port := u.inputs[at]
					out[i].Key, out[i].Kind, out[i].Enum = port.Key, port.Kind, port.Enum
					out[i].Description = cmp.Or(out[i].Description, port.Description)
				}
			})
		}
	}
	slices.SortStableFunc(out, func(a, b mapparams.Input) int {
		return cmp.Compare(cmp.Or(rank[a.Name], len(rank)+1), cmp.Or(rank[b.Name], len(rank)+1))
	})
	return out
}
