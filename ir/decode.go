package ir

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"pflow/internal/diag"
	"pflow/internal/value"
)

// Decode reads a workflow strictly. Every mistake of form is a finding with its JSON path; the workflow that comes with
// errors holds what could be read and is fit for nothing but further messages. A key whose value is null counts as left
// out, since models that must write every key write null for the ones they do not need.
func Decode(data []byte) (*Workflow, diag.List) {
	w, d := decode(data)
	return w, d.list
}

func decode(data []byte) (*Workflow, *decoder) {
	d := &decoder{}
	w := &Workflow{}
	tree, err := readTree(data)
	if err != nil {
		d.add(MalformedJSON, "", "not a JSON document: "+err.Error()+"; write one JSON object and nothing around it")
		return w, d
	}
	var nodesGiven bool
	d.object("", tree, "workflow", []field{
		{"ir_version", true, func(p string, v any) { w.Version = d.version(p, v) }},
		{"nodes", false, func(p string, v any) {
			nodesGiven = true
			d.each(p, v, func(p string, v any) { w.Nodes = append(w.Nodes, d.node(p, v)) })
		}},
		{"edges", false, func(p string, v any) {
			d.each(p, v, func(p string, v any) { w.Edges = append(w.Edges, d.edge(p, v)) })
		}},
		{"start_node", false, func(p string, v any) { w.Start = d.starts(p, v) }},
		{"inputs", false, func(p string, v any) {
			w.Inputs = []Input{}
			d.entries(p, v, func(p, name string, v any) { w.Inputs = append(w.Inputs, d.input(p, name, v)) })
		}},
		{"outputs", false, func(p string, v any) {
			d.entries(p, v, func(p, name string, v any) { w.Outputs = append(w.Outputs, d.output(p, name, v)) })
		}},
		{"mappings", false, func(_ string, v any) { w.Mappings = plain(v) }},
	})
	if _, ok := tree.(*object); ok && !nodesGiven {
		d.add(MissingField, "nodes", `the key "nodes" is missing: give at least one node, {"id": …, "type": …, "params": {…}}`)
	}
	return w, d
}

// DecodeValue is Decode for a workflow that is already a normalised value, as in the store of a run.
func DecodeValue(v any) (*Workflow, diag.List) { return Decode(value.AppendJSON(nil, v)) }

type decoder struct {
	list    diag.List
	current string // the id of the node being read, for findings
	lost    []any  // values that could not be read
}

func (d *decoder) add(code, path, message string) *diag.Finding {
	d.list = append(d.list, diag.Finding{Severity: diag.Error, Kind: code, Path: path, Node: d.current, Message: message})
	return &d.list[len(d.list)-1]
}

func (d *decoder) want(path, what string, v any) {
	d.lost = append(d.lost, v)
	got := nameOf(v)
	if s, ok := v.(string); ok && len(s) <= 40 {
		got += " " + strconv.Quote(s)
	} else if n, ok := v.(json.Number); ok && len(n) <= 40 {
		got += " " + string(n)
	}
	d.add(WrongType, path, fmt.Sprintf("want %s, got %s", what, got))
}

type field struct {
	key      string
	required bool
	read     func(path string, v any)
}

// hints are for keys that older documents and models use.
var hints = map[string]string{
	"template_inputs": `write the template itself in params, as in "prompt": "Summarize ${get-issue.issue_data}"`,
	"variable_flow":   `write the template itself in params, as in "prompt": "Summarize ${get-issue.issue_data}"`,
}

func (d *decoder) object(path string, v any, what string, fields []field) {
	o, ok := v.(*object)
	if !ok {
		d.want(path, "an object", v)
		return
	}
	given := make(map[string]bool, len(o.keys))
	for i, k := range o.keys {
		at := slices.IndexFunc(fields, func(f field) bool { return f.key == k })
		if at < 0 {
			d.unknown(path, k, what, fields, o.vals[i])
			continue
		}
		if o.vals[i] == nil {
			continue
		}
		given[k] = true
		fields[at].read(key(path, k), o.vals[i])
	}
	for _, f := range fields {
		if f.required && !given[f.key] {
			d.add(MissingField, key(path, f.key), fmt.Sprintf("the key %q is missing; each %s needs it", f.key, what))
		}
	}
}

// harmless are keys that the record of a saved workflow has beside its IR.
var harmless = []string{"name", "description"}

func (d *decoder) unknown(path, k, what string, fields []field, v any) {
	if path == "" && slices.Contains(harmless, k) {
		d.add(UnknownKey, k, fmt.Sprintf("a %s has no key %q of its own, so it is ignored; what is saved gets a name and a description beside it", what, k)).Severity = diag.Note
		return
	}
	d.lost = append(d.lost, v)
	var left []string
	for _, f := range fields {
		left = append(left, f.key)
	}
	message := fmt.Sprintf("this %s has no key %q", what, k)
	hint := hints[k]
	if hint != "" {
		message += "; " + hint
	}
	f := d.add(UnknownKey, key(path, k), message)
	if hint == "" {
		f.Suggestion = diag.Nearest(k, left)
		f.Alternatives = left
	}
}

func (d *decoder) each(path string, v any, read func(path string, v any)) {
	list, ok := v.([]any)
	if !ok {
		d.want(path, "an array", v)
		return
	}
	for i, item := range list {
		read(index(path, i), item)
	}
}

func (d *decoder) entries(path string, v any, read func(path, name string, v any)) {
	o, ok := v.(*object)
	if !ok {
		d.want(path, "an object {name: {…}}", v)
		return
	}
	for i, name := range o.keys {
		at := key(path, name)
		if !isID(name) {
			d.add(BadID, at, fmt.Sprintf("the name %q may hold letters, digits, _ and - only, since templates refer to it", name))
		}
		read(at, name, o.vals[i])
	}
}

func (d *decoder) text(path string, v any) string {
	s, ok := v.(string)
	if !ok {
		d.want(path, "a string", v)
	}
	return s
}

// starts reads the ids of the nodes that begin: one, or a list of several.
func (d *decoder) starts(path string, v any) []string {
	list, several := v.([]any)
	if !several {
		if _, ok := v.(string); !ok {
			d.want(path, "the id of a node, or a list of ids", v)
			return nil
		}
		return []string{d.text(path, v)}
	}
	if len(list) == 0 {
		d.want(path, "the id of a node, or a list of ids", v)
	}
	var out []string
	for i, id := range list {
		out = append(out, d.text(index(path, i), id))
	}
	return out
}

func (d *decoder) bool(path string, v any) bool {
	b, ok := v.(bool)
	if !ok {
		d.want(path, "true or false", v)
	}
	return b
}

func (d *decoder) choice(path string, v any, of ...string) string {
	s, ok := v.(string)
	if !ok || !slices.Contains(of, s) {
		d.want(path, "one of "+diag.Names(of, len(of)), v)
		f := &d.list[len(d.list)-1]
		f.Suggestion = diag.Nearest(s, of)
		return of[0]
	}
	return s
}

func (d *decoder) version(path string, v any) string {
	s := d.text(path, v)
	if len(s) > 4 && s[:4] == "0.1." {
		if _, err := strconv.ParseUint(s[4:], 10, 32); err == nil {
			return s
		}
	}
	if _, ok := v.(string); ok {
		d.add(WrongType, path, fmt.Sprintf("this pflow reads ir_version 0.1.x, not %q", s)).Suggestion = "0.1.0"
	}
	return s
}

func (d *decoder) typ(path string, v any) value.Type {
	var names []string
	for _, t := range value.Types() {
		names = append(names, string(t))
	}
	if s, ok := v.(string); ok && !slices.Contains(names, s) {
		f := d.add(WrongType, path, fmt.Sprintf("there is no type %q", s))
		f.Suggestion, f.Alternatives = foreign[s], names
		if f.Suggestion == "" {
			f.Suggestion = diag.Nearest(s, names)
		}
		return value.Any
	} else if !ok {
		d.want(path, "the name of a type", v)
		return value.Any
	}
	return value.Type(v.(string))
}

// foreign are the names other languages have for the types.
var foreign = map[string]string{"str": "string", "text": "string", "int": "integer", "float": "number", "double": "number",
	"bool": "boolean", "list": "array", "dict": "object", "map": "object"}
