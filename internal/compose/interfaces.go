package compose

import (
	"pflow/internal/fault"
	"pflow/internal/value"
	"pflow/ir"
)

// Plain writes an interface as a value for the store of a flow, in the form in which nodes are declared.
func Plain(i *ir.Interface) map[string]any {
	out := map[string]any{
		"name": i.Name, "description": i.Description, "inputs": plainPorts(i.Inputs), "outputs": plainPorts(i.Outputs),
		"params": plainPorts(i.OnlyParams()),
	}
	if len(i.Effects) > 0 {
		var effects []any
		for _, e := range i.Effects {
			effects = append(effects, string(e))
		}
		out["effects"] = effects
	}
	if i.Workflow {
		out["workflow"] = true
	}
	if i.Call != nil {
		out["call"] = map[string]any{"name": i.Call.Name, "inputs": i.Call.Inputs}
	}
	if len(i.Forms) > 0 {
		forms := make([]any, len(i.Forms))
		for n, f := range i.Forms {
			forms[n] = map[string]any{"summary": f.Summary, "inputs": plainPorts(f.Inputs), "params": f.Params}
		}
		out["forms"] = forms
	}
	return out
}

func plainPorts(ports []ir.Port) []any {
	out := make([]any, len(ports))
	for n, p := range ports {
		m := map[string]any{"key": p.Key, "type": string(p.Type), "description": p.Description, "required": p.Required}
		if p.Kind != "" {
			m["kind"] = p.Kind
		}
		if p.Default != nil {
			m["default"] = p.Default
		}
		if len(p.Enum) > 0 {
			m["enum"] = p.Enum
		}
		if p.Raw {
			m["raw"] = true
		}
		if p.Structure != nil && p.Structure.Type == value.Array {
			m["items"] = p.Structure.String()
		}
		out[n] = m
	}
	return out
}

// Interfaces reads interfaces from values in the form in which nodes are declared.
func Interfaces(list []any) ([]*ir.Interface, error) {
	out := make([]*ir.Interface, len(list))
	for n, v := range list {
		m, ok := v.(map[string]any)
		name, named := m["name"].(string)
		if !ok || !named || name == "" {
			return nil, fault.New(fault.Type, "interfaces[%d]: want {name, description, inputs, outputs, params}", n)
		}
		i := &ir.Interface{Name: name}
		i.Description, _ = m["description"].(string)
		i.Workflow, _ = m["workflow"].(bool)
		i.Inputs, i.Outputs, i.Params = readPorts(m["inputs"]), readPorts(m["outputs"]), readPorts(m["params"])
		if call, ok := m["call"].(map[string]any); ok {
			i.Call = &ir.Call{}
			i.Call.Name, _ = call["name"].(string)
			i.Call.Inputs, _ = call["inputs"].(string)
		}
		forms, _ := m["forms"].([]any)
		for _, v := range forms {
			form, _ := v.(map[string]any)
			f := ir.Form{Inputs: readPorts(form["inputs"])}
			f.Summary, _ = form["summary"].(string)
			f.Params, _ = form["params"].(map[string]any)
			i.Forms = append(i.Forms, f)
		}
		effects, _ := m["effects"].([]any)
		for _, e := range effects {
			if text, ok := e.(string); ok {
				i.Effects = append(i.Effects, ir.Effect(text))
			}
		}
		out[n] = i
	}
	return out, nil
}

func readPorts(v any) []ir.Port {
	list, _ := v.([]any)
	var out []ir.Port
	for _, item := range list {
		m, _ := item.(map[string]any)
		p := ir.Port{Type: value.Any, Default: m["default"]}
		p.Key, _ = m["key"].(string)
		if t, ok := m["type"].(string); ok {
			p.Type = value.Type(t)
		}
		p.Kind, _ = m["kind"].(string)
		p.Description, _ = m["description"].(string)
		p.Required, _ = m["required"].(bool)
		p.Raw, _ = m["raw"].(bool)
		p.Enum, _ = m["enum"].([]any)
		if p.Key != "" {
			out = append(out, p)
		}
	}
	return out
}
