package compose

import (
	"fmt"

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
			forms[n] = map[string]any{"says": wordsOf(f.Says), "inputs": plainPorts(f.Inputs), "with": f.With}
		}
		out["forms"] = forms
	}
	return out
}

func wordsOf(texts []string) []any {
	out := make([]any, len(texts))
	for n, text := range texts {
		out[n] = text
	}
	return out
}

// listOf reads a list, or one value that stands for a list of it.
func listOf(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	return []any{v}
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
		if p.Detail {
			m["detail"] = true
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
		for _, ports := range []struct {
			of *[]ir.Port
			in string
		}{{&i.Inputs, "inputs"}, {&i.Outputs, "outputs"}, {&i.Params, "params"}} {
			var err error
			if *ports.of, err = readPorts(fmt.Sprintf("interfaces[%d].%s", n, ports.in), m[ports.in]); err != nil {
				return nil, err
			}
		}
		if call, ok := m["call"].(map[string]any); ok {
			i.Call = &ir.Call{}
			i.Call.Name, _ = call["name"].(string)
			i.Call.Inputs, _ = call["inputs"].(string)
		}
		forms, ok := m["forms"].([]any)
		if !ok && m["forms"] != nil {
			return nil, fault.New(fault.Type, "interfaces[%d].forms: want [{says, inputs, with}], got %s", n, value.Describe(m["forms"]))
		}
		for k, v := range forms {
			path := fmt.Sprintf("interfaces[%d].forms[%d]", n, k)
			form, ok := v.(map[string]any)
			if !ok {
				return nil, fault.New(fault.Type, "%s: want {says, inputs, with}, got %s", path, value.Describe(v))
			}
			inputs, err := readPorts(path+".inputs", form["inputs"])
			if err != nil {
				return nil, err
			}
			f := ir.Form{Inputs: inputs}
			for _, text := range listOf(form["says"]) {
				if s, ok := text.(string); ok {
					f.Says = append(f.Says, s)
				}
			}
			f.With, _ = form["with"].(map[string]any)
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

// readPorts reads the ports at a path, which errors name.
func readPorts(path string, v any) ([]ir.Port, error) {
	list, ok := v.([]any)
	if !ok && v != nil {
		return nil, fault.New(fault.Type, "%s: want a list of ports {key, type, description, required}, got %s", path, value.Describe(v))
	}
	var out []ir.Port
	for k, item := range list {
		m, _ := item.(map[string]any)
		if key, _ := m["key"].(string); key == "" {
			return nil, fault.New(fault.Type, "%s[%d]: want a port {key, type, description, required}, got %s", path, k, value.Describe(item))
		}
		p := ir.Port{Type: value.Any, Default: m["default"]}
		p.Key, _ = m["key"].(string)
		if t, ok := m["type"].(string); ok {
			p.Type = value.Type(t)
		}
		p.Kind, _ = m["kind"].(string)
		p.Description, _ = m["description"].(string)
		p.Required, _ = m["required"].(bool)
		p.Raw, _ = m["raw"].(bool)
		p.Detail, _ = m["detail"].(bool)
		p.Enum, _ = m["enum"].([]any)
		out = append(out, p)
	}
	return out, nil
}
