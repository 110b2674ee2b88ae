package syntax

import (
	"encoding/json"
	"maps"
	"strings"

	"pflow/internal/value"
)

// OpSchema is what a schema says of one op.
type OpSchema struct {
	Name     string
	Summary  string
	Prep     []Field
	OpenPrep bool // other names may be given, too
	With     []Field
}

// Field is one name that an op takes, in prep or in with. It has the fields of the engine's, so that one converts to
// the other.
type Field struct {
	Name     string
	Type     value.Type
	Required bool
	Default  any
	Enum     []string
	Doc      string
}

// Schema writes the tables, and what is known of ops, as a JSON Schema (2020-12) for editors. A document with extends
// is described by a laxer one of the two halves: nothing is required and null may stand for any value. Without ops any
// op is allowed. It ends in a line break.
func Schema(ops []OpSchema) []byte {
	whole := schemaWriter{ops: ops, defs: map[string]any{}}
	part := schemaWriter{ops: ops, defs: whole.defs, part: true}
	root := map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "pflow flow, version 1",
		"type":    "object",
		"if":      map[string]any{"required": []any{"extends"}},
		"then":    part.ref(&flowSection),
		"else":    whole.ref(&flowSection),
		"$defs":   whole.defs,
	}
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic("syntax: a default of an op is no JSON: " + err.Error())
	}
	return append(text, '\n')
}

// schemaWriter writes the definitions of sections; part is for documents that extend others.
type schemaWriter struct {
	ops  []OpSchema
	defs map[string]any
	part bool
}

// ref gives a reference to a section's definition, which is made when it is first asked for.
func (w *schemaWriter) ref(s *section) map[string]any {
	name := strings.ReplaceAll(s.name, " ", "-")
	if w.part {
		name += "-change"
	}
	if _, made := w.defs[name]; !made {
		w.defs[name] = nil // a section that holds itself refers to it
		w.defs[name] = w.section(s)
	}
	return map[string]any{"$ref": "#/$defs/" + name}
}

func (w *schemaWriter) section(s *section) map[string]any {
	out := map[string]any{"type": "object", "description": s.doc}
	maps.Copy(out, s.schema)
	properties, required := map[string]any{}, []any{}
	for _, k := range s.keys {
		properties[k.name] = w.property(k.form, k.doc, k.def)
		if k.required {
			required = append(required, k.name)
		}
	}
	if len(properties) > 0 {
		out["properties"] = properties
	}
	if len(required) > 0 && !w.part {
		out["required"] = required
	}
	switch {
	case s.other != nil:
		out["additionalProperties"] = w.orNull(w.form(s.other))
		out["propertyNames"] = nameSchema(s)
	case !s.open:
		out["additionalProperties"] = false
	}
	if s == &nodesSection && !w.part {
		out["minProperties"] = 1
	}
	if s.key("op") != nil && len(w.ops) > 0 {
		properties["op"] = w.opNames()
		out["allOf"] = w.opRules(s != &nodeSection)
	}
	return out
}

// nameSchema describes the keys of a section in which the document chooses names.
func nameSchema(s *section) map[string]any {
	out := map[string]any{"pattern": s.names.pattern}
	if fixed := s.names.also; len(fixed) > 0 {
		out = map[string]any{"anyOf": []any{out, map[string]any{"enum": texts(fixed)}}}
	}
	if len(s.names.taken) > 0 {
		out["not"] = map[string]any{"enum": texts(s.names.taken)}
	}
	return out
}

func (w *schemaWriter) property(f *form, doc, def string) map[string]any {
	out := map[string]any{"description": doc}
	if def != "" {
		out["description"] = doc + " Default: " + def + "."
	}
	maps.Copy(out, w.orNull(w.form(f)))
	return out
}

func (w *schemaWriter) form(f *form) map[string]any {
	switch {
	case f.section != nil && len(f.kinds) == 1:
		return w.ref(f.section)
	case f == &valueForm:
		return w.value()
	case f == &prepForm || f == &postForm:
		return orNames(w.ref(f.section), nameSchema(f.section))
	case f == &dimensionForm:
		return map[string]any{"anyOf": []any{map[string]any{"type": "array", "minItems": 2, "uniqueItems": true}, w.ref(f.section)}}
	case f.section != nil: // next: a node, or a mapping
		return map[string]any{"anyOf": []any{map[string]any{"type": "string", "minLength": 1}, w.ref(f.section)}}
	case f.each != nil:
		list := map[string]any{"type": "array", "items": w.form(f.each)}
		if f == &actionsForm {
			list["minItems"] = 1
		}
		return list
	}
	return f.schema
}

// value gives a reference to what an expression, or a mapping or a list of them is. Only by itself may it be null.
func (w *schemaWriter) value() map[string]any {
	name := "value"
	if w.part {
		name += "-change"
	}
	part := map[string]any{"$ref": "#/$defs/" + name}
	w.defs[name] = w.orNull(map[string]any{
		"description": "An expression, or a mapping or a list of them.", "type": []any{"string", "number", "boolean", "array", "object"},
		"additionalProperties": part, "items": map[string]any{"allOf": []any{part, map[string]any{"not": map[string]any{"type": "null"}}}},
	})
	return map[string]any{"anyOf": []any{part, map[string]any{"type": "null"}}}
}

// orNames lets a list of names and of such mappings stand for a mapping of names to expressions.
func orNames(mapping, name map[string]any) map[string]any {
	of := map[string]any{"anyOf": []any{mapping, map[string]any{"allOf": []any{map[string]any{"type": "string"}, name}}}}
	return map[string]any{"anyOf": []any{mapping, map[string]any{"type": "array", "items": of}}}
}

// orNull lets null stand for a value where it removes one of the base's.
func (w *schemaWriter) orNull(schema map[string]any) map[string]any {
	if !w.part || len(schema) == 0 {
		return schema
	}
	return map[string]any{"anyOf": []any{schema, map[string]any{"type": "null"}}}
}

// opNames lists the ops with what they do, for completion.
func (w *schemaWriter) opNames() map[string]any {
	var names []any
	for _, op := range w.ops {
		names = append(names, map[string]any{"const": op.Name, "description": op.Summary})
	}
	return w.orNull(map[string]any{"description": "The operation that runs.", "anyOf": names})
}

// opRules says for each op what prep and with hold. inner is for units of map and parallel, which run no such op.
func (w *schemaWriter) opRules(inner bool) []any {
	var rules []any
	for _, op := range w.ops {
		then := map[string]any{}
		prep, needPrep := w.fields(op.Prep, op.OpenPrep, true)
		with, needWith := w.fields(op.With, false, false)
		if op.Name == mapOp && !inner {
			w.intoItem(with)
		}
		if op.Name == parallelOp && !inner {
			w.intoBranches(with)
		}
		then["properties"] = map[string]any{"prep": w.orNull(w.prepNames(op, prep)), "with": w.orNull(with)}
		var required []any
		if needPrep {
			required = append(required, "prep")
		}
		if needWith {
			required = append(required, "with")
		}
		if len(required) > 0 && !w.part {
			then["required"] = required
		}
		rules = append(rules, map[string]any{
			"if":   map[string]any{"required": []any{"op"}, "properties": map[string]any{"op": map[string]any{"const": op.Name}}},
			"then": then,
		})
	}
	return rules
}

// prepNames lets a list of names stand for what an op takes in prep.
func (w *schemaWriter) prepNames(op OpSchema, mapping map[string]any) map[string]any {
	part := maps.Clone(mapping)
	delete(part, "required")
	name := nameSchema(&prepSection)
	if !op.OpenPrep {
		var names []any
		for _, f := range op.Prep {
			names = append(names, f.Name)
		}
		name = map[string]any{"enum": append(names, "")} // an enum needs a value
	}
	of := map[string]any{"anyOf": []any{part, map[string]any{"allOf": []any{map[string]any{"type": "string"}, name}}}}
	return map[string]any{"anyOf": []any{mapping, map[string]any{"type": "array", "items": of}}}
}

// The composite ops of the language whose options hold units.
const (
	mapOp      = "map"
	parallelOp = "parallel"
)

// intoItem gives the options of map the keys of a unit.
func (w *schemaWriter) intoItem(with map[string]any) {
	with["allOf"] = []any{w.ref(&itemSection)}
	for _, k := range itemSection.keys {
		with["properties"].(map[string]any)[k.name] = true // by the reference
	}
}

func (w *schemaWriter) intoBranches(with map[string]any) {
	with["properties"].(map[string]any)["branches"] = map[string]any{
		"description": branchSection.doc, "type": "object", "minProperties": 1,
		"patternProperties":    map[string]any{branchName.String(): w.orNull(w.ref(&branchSection))},
		"additionalProperties": false,
	}
}

// fields describes the names of a prep or a with, and says whether one of them must be given.
func (w *schemaWriter) fields(fields []Field, open, expressions bool) (schema map[string]any, needed bool) {
	properties, required := map[string]any{}, []any{}
	for _, f := range fields {
		p := map[string]any{}
		if expressions {
			p = maps.Clone(w.value())
		} else {
			maps.Copy(p, typeSchema(f.Type))
			if len(f.Enum) > 0 {
				p["enum"] = texts(f.Enum)
			}
		}
		p = w.orNull(p)
		if p == nil {
			p = map[string]any{}
		}
		p["description"] = f.Doc
		if f.Default != nil {
			p["default"] = f.Default
		}
		properties[f.Name] = p
		if f.Required {
			required = append(required, f.Name)
		}
	}
	schema = map[string]any{"type": "object", "properties": properties}
	if !open {
		schema["additionalProperties"] = false
	}
	if len(required) > 0 && !w.part {
		schema["required"] = required
	}
	return schema, len(required) > 0
}

// typeSchema is a type of the flow language as JSON Schema.
func typeSchema(t value.Type) map[string]any {
	if t == value.Any || t == "" {
		return nil
	}
	return map[string]any{"type": string(t)}
}

func texts(names []string) []any {
	out := make([]any, len(names))
	for i, n := range names {
		out[i] = n
	}
	return out
}
