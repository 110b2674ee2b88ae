package ir

import (
	"fmt"
	"slices"
	"strings"

	"pflow/internal/value"
)

// Effect is something a component does to the world.
type Effect string

// The effects, in the order in which they are shown.
const (
	Reads       Effect = "reads"
	Writes      Effect = "writes"
	Network     Effect = "network"
	Destructive Effect = "destructive"
	Idempotent  Effect = "idempotent"
)

// Effects lists the effects there are.
func Effects() []Effect { return []Effect{Reads, Writes, Network, Destructive, Idempotent} }

// Interface is what a component takes, gives and does. It is stated once, beside the component, and is the single source
// for validation, prompts, documentation and `pflow node`.
type Interface struct {
	Name        string
	Description string
	Inputs      []Port // given as params, or bound to an earlier flat key or a workflow input of the same name
	Outputs     []Port
	Params      []Port   // given as params only
	OpenParams  bool     // takes further params
	OpenOutputs bool     // may write further outputs
	Actions     []string // beside default and error, which every node has
	Effects     []Effect
	Cases       string         // its param of this name lists conditions and the actions they stand for: [{action, expr}]
	Call        *Call          // it runs another component
	PlanOnly    bool           // can be planned with, not run
	Workflow    bool           // a saved workflow
	Origin      string         // where it is stated: "built-in", a file and line
	Example     map[string]any // params of a worked example
	Forms       []Form         // ready ways of using it
}

// Call says that a component runs another one: its param Name names a saved workflow, its param Inputs gives that
// workflow's inputs, and its outputs are that workflow's.
type Call struct{ Name, Inputs string }

// Port is one input, output or param.
type Port struct {
	Key         string
	Type        value.Type
	Kind        string // the sort of data: image, text, audio, …
	Description string
	Required    bool
	Default     any // nil: none
	Enum        []any
	Structure   *Structure
	Raw         bool // templates in it are never expanded
	Detail      bool // an output that few ask for: a workflow that ends with the component does not give it unasked
}

// Structure is what is known of the inside of a value. A nil Structure knows nothing and allows everything.
type Structure struct {
	Type        value.Type
	Description string
	Fields      []Field    // of an object; nil: unknown
	Items       *Structure // of an array; nil: unknown
}

// Field is one key of an object's structure.
type Field struct {
	Key string
	Structure
}

// Param gives the input or param of a key.
func (i *Interface) Param(key string) (*Port, bool) {
	for n := range i.Inputs {
		if i.Inputs[n].Key == key {
			return &i.Inputs[n], true
		}
	}
	for n := range i.Params {
		if i.Params[n].Key == key {
			return &i.Params[n], true
		}
	}
	return nil, false
}

// Output gives the output of a key.
func (i *Interface) Output(key string) (*Port, bool) {
	for n := range i.Outputs {
		if i.Outputs[n].Key == key {
			return &i.Outputs[n], true
		}
	}
	return nil, false
}

// ParamKeys lists the keys a node of this type may have in params, inputs first.
func (i *Interface) ParamKeys() []string {
	var out []string
	for _, p := range i.Inputs {
		out = append(out, p.Key)
	}
	for _, p := range i.OnlyParams() {
		out = append(out, p.Key)
	}
	return out
}

// OnlyParams are the params that are not also inputs.
func (i *Interface) OnlyParams() []Port {
	var out []Port
	for _, p := range i.Params {
		if !slices.ContainsFunc(i.Inputs, func(in Port) bool { return in.Key == p.Key }) {
			out = append(out, p)
		}
	}
	return out
}

// OutputKeys lists the outputs.
func (i *Interface) OutputKeys() []string {
	var out []string
	for _, p := range i.Outputs {
		out = append(out, p.Key)
	}
	return out
}

// Has reports whether the component has an effect.
func (i *Interface) Has(e Effect) bool { return slices.Contains(i.Effects, e) }

// Results are the actions a node can end with when it does not fail: default and what the interface adds.
func (i *Interface) Results() []string {
	out := []string{ActionDefault}
	for _, a := range i.Actions {
		if a != ActionError && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

// Paths lists the template paths that an output offers, the output itself first: issue_data, issue_data.title,
// issue_data.labels[0].name.
func (p *Port) Paths() []string {
	out := []string{p.Key}
	p.Structure.paths(p.Key, &out, 0)
	return out
}

func (s *Structure) paths(at string, out *[]string, depth int) {
	if s == nil || depth > maxStructure {
		return
	}
	for _, f := range s.Fields {
		path := key(at, f.Key)
		*out = append(*out, path)
		f.paths(path, out, depth+1)
	}
	if s.Items != nil {
		path := at + "[0]"
		*out = append(*out, path)
		s.Items.paths(path, out, depth+1)
	}
}

const maxStructure = 20

// String writes a structure as ParseStructure reads it: {title: string, labels: [{name: string}]}.
func (s *Structure) String() string {
	switch {
	case s == nil:
		return "any"
	case s.Fields != nil:
		var parts []string
		for _, f := range s.Fields {
			parts = append(parts, f.Key+": "+f.Structure.String())
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case s.Items != nil:
		return "[" + s.Items.String() + "]"
	}
	return string(s.Type)
}

// ParseStructure reads the structure of a value from its declaration:
//
//	"string"                       a value of that type
//	{title: string, user: {…}}     an object with these keys
//	[string]                       an array of such
//	{type: object, description: …, structure: {…}}   the long form of any of them, where type is a type's name and no
//	                               other key stands beside these three
//
// Keys come sorted.
func ParseStructure(v any) (*Structure, error) { return parseStructure(v, "structure", 0) }

// MustStructure is ParseStructure for structures written in Go.
func MustStructure(v any) *Structure {
	s, err := ParseStructure(v)
	if err != nil {
		panic("ir: " + err.Error())
	}
	return s
}

func parseStructure(v any, path string, depth int) (*Structure, error) {
	if depth > maxStructure {
		return nil, fmt.Errorf("%s: nested deeper than %d levels", path, maxStructure)
	}
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		if !slices.Contains(value.Types(), value.Type(v)) {
			return nil, fmt.Errorf("%s: there is no type %q", path, v)
		}
		return &Structure{Type: value.Type(v)}, nil
	case []any:
		if len(v) != 1 {
			return nil, fmt.Errorf("%s: an array's structure is a list of one, the structure of its items", path)
		}
		items, err := parseStructure(v[0], path+"[0]", depth+1)
		return &Structure{Type: value.Array, Items: items}, err
	case map[string]any:
		if t, ok := longForm(v); ok {
			s, err := parseStructure(v["structure"], key(path, "structure"), depth+1)
			if err != nil {
				return nil, err
			}
			if s == nil {
				s = &Structure{}
			} else if s.Type != t {
				return nil, fmt.Errorf("%s: the type is %s, the structure that of an %s", path, t, s.Type)
			}
			s.Type = t
			s.Description, _ = v["description"].(string)
			return s, nil
		}
		s := &Structure{Type: value.Object, Fields: []Field{}}
		for _, k := range value.SortedKeys(v) {
			inner, err := parseStructure(v[k], key(path, k), depth+1)
			if err != nil {
				return nil, err
			}
			if inner == nil {
				inner = &Structure{Type: value.Any}
			}
			s.Fields = append(s.Fields, Field{Key: k, Structure: *inner})
		}
		return s, nil
	}
	return nil, fmt.Errorf("%s: want a type's name, a mapping or a list of one", path)
}

func longForm(v map[string]any) (value.Type, bool) {
	t, ok := v["type"].(string)
	if !ok || !slices.Contains(value.Types(), value.Type(t)) {
		return "", false
	}
	for k, inner := range v {
		switch k {
		case "type", "structure":
		case "description":
			// {type: string, description: string} are two fields, not a description that reads "string".
			if d, ok := inner.(string); !ok || slices.Contains(value.Types(), value.Type(d)) {
				return "", false
			}
		default:
			return "", false
		}
	}
	return value.Type(t), true
}
