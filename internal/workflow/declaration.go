package workflow

import (
	"pflow/internal/catalogue"
	"pflow/ir"
)

// Declaration writes a declared node in the form that catalogue.Declare reads.
func Declaration(d *catalogue.Declared) map[string]any {
	out := Describe(d.Interface)
	for _, k := range []string{"origin", "workflow", "plan_only", "example"} {
		delete(out, k)
	}
	if d.Parse != nil {
		out["parse"] = d.Parse.Text
	}
	if d.Run != nil {
		out["run"] = map[string]any{d.Run.By: d.Run.Spec}
	}
	return out
}

// Describe is an interface as a value, with the keys of a declaration and beside them origin, workflow and plan_only.
func Describe(i *ir.Interface) map[string]any {
	out := map[string]any{
		"name": i.Name, "description": i.Description, "inputs": ports(i.Inputs), "outputs": ports(i.Outputs), "params": ports(i.OnlyParams()),
		"open_params": i.OpenParams, "open_outputs": i.OpenOutputs, "actions": words(i.Actions), "effects": words(i.Effects),
		"origin": i.Origin, "workflow": i.Workflow, "plan_only": i.PlanOnly,
	}
	if i.Cases != "" {
		out["cases"] = i.Cases
	}
	if i.Example != nil {
		out["example"] = i.Example
	}
	if i.Forms != nil {
		out["forms"] = forms(i.Forms)
	}
	return out
}

func forms(list []ir.Form) []any {
	out := make([]any, len(list))
	for i, f := range list {
		form := map[string]any{"says": words(f.Says), "inputs": ports(f.Inputs), "with": f.With}
		if f.Example != nil {
			form["example"] = f.Example
		}
		if f.Gives != nil {
			form["gives"] = f.Gives
		}
		out[i] = form
	}
	return out
}

func words[S ~string](list []S) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}

func ports(list []ir.Port) []any {
	out := make([]any, len(list))
	for i, p := range list {
		port := map[string]any{"key": p.Key, "type": string(p.Type), "required": p.Required}
		if p.Description != "" {
			port["description"] = p.Description
		}
		if p.Kind != "" {
			port["kind"] = p.Kind
		}
		if p.Default != nil {
			port["default"] = p.Default
		}
		if p.Enum != nil {
			port["enum"] = p.Enum
		}
		if p.Raw {
			port["raw"] = true
		}
		if p.Detail {
			port["detail"] = true
		}
		if p.Structure != nil {
			port["structure"] = structure(p.Structure)
		}
		out[i] = port
	}
	return out
}

// structure writes a structure as ir.ParseStructure reads it. The long form says the description, and keeps an object
// whose keys look like it from being taken for it.
func structure(s *ir.Structure) any {
	var inner any
	switch {
	case s.Fields != nil:
		fields := make(map[string]any, len(s.Fields))
		for _, f := range s.Fields {
			fields[f.Key] = structure(&f.Structure)
		}
		inner = fields
	case s.Items != nil:
		inner = []any{structure(s.Items)}
	case s.Description == "":
		return string(s.Type)
	}
	long := map[string]any{"type": string(s.Type)}
	if inner != nil {
		long["structure"] = inner
	}
	if s.Description != "" {
		long["description"] = s.Description
	}
	return long
}
