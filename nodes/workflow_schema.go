package nodes

import (
	"fmt"
	"maps"
	"strings"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/prompt"
	"pflow/internal/value"
	"pflow/ir"
)

type object = map[string]any

// replyForm is a schema document of a reply with a workflow, NAME.schema.json. Go puts into it what is known only when the
// components are chosen: for {"$ref": "#/$defs/node"} it writes a form for each of them, $defs.node with the component's name
// as its type and with its params. Without a component {"$ref": "#/$defs/workflow"} is null. Every other reference to $defs is
// written out, since not every endpoint follows them. It guides a model; whether a workflow is valid only the validator says.
// Maps with names of the model's own (inputs, outputs, objects without a structure) keep it from being a strict schema.
type replyForm struct{ document, defs object }

// refPrefix begins a reference to a part of the document.
const refPrefix = "#/$defs/"

// loadReplyForm reads the schema that an option names. It is filled in once, so that what cannot be is found by a check; nil
// if there is something wrong, which is reported.
func loadReplyForm(s *engine.Setup, option string) *replyForm {
	name := s.Text(option)
	doc, err := s.Find(engine.SchemaDocument, name)
	if err != nil {
		s.Suggest(option, "unknown-schema", name, s.Names(engine.SchemaDocument), "%v", err)
		return nil
	}
	f, found := parseReplyForm(name, doc.Path, doc.Data)
	for _, finding := range found {
		s.Add(finding)
	}
	return f
}

func parseReplyForm(name, file string, data []byte) (*replyForm, diag.List) {
	schema, found := prompt.ParseSchema(name, file, data)
	if schema == nil {
		return nil, found
	}
	broken := func(format string, args ...any) (*replyForm, diag.List) {
		return nil, append(found, diag.Finding{
			Severity: diag.Error, Kind: "bad-prompt", Place: diag.Place{File: file, Line: 1, Col: 1}, Message: fmt.Sprintf(format, args...),
		})
	}
	f := &replyForm{document: schema.JSON}
	f.defs, _ = schema.JSON["$defs"].(object)
	for _, part := range []string{"workflow", "node"} {
		if _, ok := f.defs[part].(object); !ok {
			return broken("the schema of a reply with a workflow needs $defs.%s", part)
		}
	}
	properties, _ := f.defs["node"].(object)["properties"].(object)
	for _, key := range []string{"type", "params"} {
		if _, ok := properties[key]; !ok {
			return broken("$defs.node.properties needs %s: there stands what each component takes", key)
		}
	}
	if _, err := f.of([]*ir.Interface{{Name: "any"}}); err != nil {
		return broken("%v", err)
	}
	return f, found
}

// of is the schema of a reply whose workflow is made of the given components: each node is of one of their types and has that
// type's params.
func (f *replyForm) of(components []*ir.Interface) (object, error) {
	e := expansion{replyForm: f, left: 1_000_000}
	for _, c := range components {
		if kind, ok := e.write(f.nodeOf(c)).(object); ok {
			e.kinds = append(e.kinds, kind)
		}
	}
	out := object{}
	for k, v := range f.document {
		if k != "$defs" {
			out[k] = e.write(v)
		}
	}
	if e.left < 0 {
		return nil, fault.New(fault.InvalidRequest, "written out the schema would be too large, or a part of its $defs refers to itself")
	}
	return out, nil
}

// nodeOf is the form of a node of one type.
func (f *replyForm) nodeOf(c *ir.Interface) object {
	node := maps.Clone(f.defs["node"].(object))
	properties := maps.Clone(node["properties"].(object))
	properties["type"], properties["params"] = object{"type": "string", "enum": []any{c.Name}}, paramsSchema(c)
	node["properties"] = properties
	return node
}

// expansion writes the references of a form out.
type expansion struct {
	*replyForm
	kinds []any // the forms of the nodes of each component
	left  int   // values that may be written yet
}

func (e *expansion) write(v any) any {
	if e.left--; e.left < 0 {
		return nil
	}
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = e.write(v[i])
		}
		return out
	case object:
		ref, _ := v["$ref"].(string)
		part, isPart := strings.CutPrefix(ref, refPrefix)
		switch def, known := e.defs[part]; {
		case isPart && (part == "workflow" || part == "node") && len(e.kinds) == 0:
			return object{"type": "null"}
		case isPart && part == "node":
			return object{"anyOf": e.kinds}
		case isPart && known:
			return e.write(def)
		}
		out := make(object, len(v))
		for k, item := range v {
			out[k] = e.write(item)
		}
		return out
	}
	return v
}

// paramsSchema is the form of the params of a node of one type.
func paramsSchema(c *ir.Interface) object {
	var params []property
	var required []string
	for _, ports := range [][]ir.Port{c.Inputs, c.OnlyParams()} {
		for _, p := range ports {
			params = append(params, property{p.Key, portSchema(p)})
			if p.Required {
				required = append(required, p.Key)
			}
		}
	}
	of := closed(params, required...)
	if c.OpenParams {
		of["additionalProperties"] = true
	}
	return of
}

// portSchema is the form of a param: a value of its type, or a template.
func portSchema(p ir.Port) object {
	if p.Raw && p.Structure != nil { // no template can stand in its place
		return structureSchema(p.Structure)
	}
	switch p.Type {
	case value.String:
		if len(p.Enum) > 0 {
			return object{"anyOf": []any{object{"type": "string", "enum": p.Enum}, object{"type": "string"}}}
		}
		return object{"type": "string"}
	case value.Any:
		return object{}
	}
	return object{"type": []any{string(p.Type), "string"}}
}

// structureSchema is the form of a value of which every part is known to be needed.
func structureSchema(s *ir.Structure) object {
	switch {
	case s.Fields != nil:
		var properties []property
		var required []string
		for _, f := range s.Fields {
			properties = append(properties, property{f.Key, structureSchema(&f.Structure)})
			required = append(required, f.Key)
		}
		return closed(properties, required...)
	case s.Items != nil:
		return object{"type": "array", "items": structureSchema(s.Items)}
	case s.Type == value.Any:
		return object{}
	}
	return object{"type": string(s.Type)}
}

// property is one key of an object.
type property struct {
	name   string
	schema object
}

// closed is an object with these keys, in this order, and no others.
func closed(properties []property, required ...string) object {
	of, order, names := object{}, []any{}, []any{}
	for _, p := range properties {
		of[p.name] = p.schema
		order = append(order, p.name)
	}
	for _, r := range required {
		names = append(names, r)
	}
	return object{"type": "object", "additionalProperties": false, "properties": of, prompt.PropertyOrdering: order, "required": names}
}
