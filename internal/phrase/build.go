package phrase

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pflow/internal/compose"
	"pflow/internal/value"
	"pflow/ir"
)

// builder writes a reading as a workflow.
type builder struct {
	of     func(name string) *ir.Interface
	w      *ir.Workflow
	ids    map[*step]string
	taken  map[string]bool // ids and names of inputs
	hidden map[string]bool // outputs: an input of such a name would hide one
	inputs map[string]string
	lacks  map[*lack]string
	values map[string]any
	places map[string][2]int // of the values, by input
	after  []ir.Edge         // from whom the next node is reached
	kind   string            // the node type of the step that is written
	shown  int               // how many outputs are asked for

	nodes map[*expression]string // transform nodes, by what they compute
	made  map[*Rule]string       // the node that an expression of a rule became part of
}

// build writes a reading as a workflow, with the values of its inputs.
func build(r *reading, of func(string) *ir.Interface) *builder {
	b := &builder{of: of, ids: map[*step]string{}, taken: map[string]bool{"stdin": true, "item": true, "previous": true, "index": true}, hidden: map[string]bool{}, inputs: map[string]string{}, lacks: map[*lack]string{},
		values: map[string]any{}, places: map[string][2]int{}, nodes: map[*expression]string{}, made: map[*Rule]string{}, w: &ir.Workflow{Version: "0.1.0", Inputs: []ir.Input{}, Nodes: []ir.Node{}}}
	b.name(r.steps)
	at := 0
	for _, a := range r.asked { // what is computed for it comes before what is done next
		b.steps(r.steps[at:a.at])
		b.output(a.val)
		at = a.at
	}
	b.steps(r.steps[at:])
	b.shown = len(b.w.Outputs)
	if n := len(r.steps); b.shown == 0 && n > 0 {
		b.outputsOf(r.steps[n-1])
	}
	return b
}

// outputsOf declares what a step gives, where nothing is asked for: whoever calls the workflow knows what comes of it.
func (b *builder) outputsOf(s *step) {
	of := b.of(s.kind)
	if of == nil || s.cond != nil || s.each != nil {
		return
	}
	for _, port := range of.Outputs {
		if !port.Detail {
			b.output(&val{of: s, key: port.Key})
		}
	}
}

// name gives all steps their ids.
func (b *builder) name(steps []*step) {
	for _, s := range steps {
		name := s.id
		if name == "" {
			name = s.kind
		}
		b.ids[s] = compose.Unique(name, b.taken, "-")
		if of := b.of(s.kind); of != nil {
			for _, out := range of.Outputs {
				b.hidden[out.Key] = true
			}
		}
		b.name(s.yes)
		b.name(s.no)
	}
}

func (b *builder) steps(steps []*step) {
	for _, s := range steps {
		id := b.ids[s]
		n := ir.Node{ID: id, Type: s.kind}
		if of := b.of(s.kind); of != nil {
			n.Purpose = firstSentence(of.Description)
		}
		if s.cond != nil {
			n.Params = map[string]any{"inputs": map[string]any{"holds": b.value(s.cond)}, "cases": []any{map[string]any{"action": "yes", "expr": "holds"}}}
		} else {
			params := maps.Clone(s.rule.Default)
			maps.Copy(orEmpty(&params), s.params)
			n.Params = b.params(s.kind, params)
		}
		if s.each != nil {
			n.Batch = &ir.Batch{Items: b.value(s.each), As: "item", OnError: "fail", Concurrency: ir.Count{Value: 1}}
		}
		b.add(n)
		if s.cond == nil {
			continue
		}
		var ends []ir.Edge
		for _, side := range []struct {
			action string
			steps  []*step
		}{{"yes", s.yes}, {ir.ActionDefault, s.no}} {
			if len(side.steps) == 0 {
				continue
			}
			b.after = []ir.Edge{{From: id, Action: side.action}}
			before := maps.Clone(b.nodes)
			b.steps(side.steps)
			b.nodes = before // what only one side computes is not there on the other
			ends = append(ends, b.after...)
		}
		if len(s.yes) == 0 { // an action without an edge is an error
			n := &b.w.Nodes[b.w.Node(id)]
			n.Params["cases"] = []any{map[string]any{"action": "no", "expr": "!holds"}}
			for k := range b.w.Edges {
				if b.w.Edges[k].From == id && b.w.Edges[k].Action == ir.ActionDefault {
					b.w.Edges[k].Action = "no"
				}
			}
		}
		b.after = ends
	}
}

func (b *builder) tree(v any) any {
	switch v := v.(type) {
	case *val:
		return b.value(v)
	case map[string]any:
		out := map[string]any{}
		for _, k := range value.SortedKeys(v) {
			out[k] = b.tree(v[k])
		}
		return out
	case []any:
		out := make([]any, len(v))
		for k, item := range v {
			out[k] = b.tree(item)
		}
		return out
	case string:
		return strings.ReplaceAll(v, "$", "$$")
	}
	return v
}

// value writes a value as it stands in a param.
func (b *builder) value(v *val) any {
	switch {
	case v.item && v.key != "":
		return "${item." + v.key + "}"
	case v.item:
		return "${item}"
	case v.piped:
		return "${" + b.piped() + "}"
	case v.asked != nil:
		return "${" + b.lacking(v.asked, v.name, value.Any, described[v.sort]) + "}"
	case v.lit != nil:
		return "${" + b.input(v, v.name, described[strings.TrimSuffix(v.sort, "+")]) + "}"
	case v.expr != nil:
		return "${" + b.compute(v.expr) + ".result}"
	case v.of != nil:
		return "${" + b.ids[v.of] + "." + v.key + "}"
	case v.parts != nil:
		var text strings.Builder
		for _, part := range v.parts {
			text.WriteString(fmt.Sprint(b.tree(part)))
		}
		return text.String()
	}
	return b.tree(v.fixed)
}

// params writes the params of a step. An input that is all of a param bears its name, so that inputs for the same thing are named
// alike whatever the phrase; others bear the name of their slot.
func (b *builder) params(kind string, params map[string]any) map[string]any {
	out := map[string]any{}
	b.kind = kind
	for _, key := range b.ordered(kind, params) {
		v, ok := params[key].(*val)
		if !ok || v.lit == nil && v.asked == nil {
			out[key] = b.tree(params[key])
			continue
		}
		about, typ := described[strings.TrimSuffix(v.sort, "+")], value.Any
		if of := b.of(kind); of != nil {
			for _, port := range slices.Concat(of.Inputs, of.Params) {
				if port.Key == key {
					about, typ = port.Description, port.Type
				}
			}
		}
		if v.asked != nil {
			out[key] = "${" + b.lacking(v.asked, key, typ, about) + "}"
			continue
		}
		out[key] = "${" + b.input(v, key, about) + "}"
	}
	return out
}

// ordered lists the params of a step in the order of its interface: what is read before what is made of it, so that a file that is
// both has the name of the first.
func (b *builder) ordered(kind string, params map[string]any) []string {
	keys := value.SortedKeys(params)
	if of := b.of(kind); of != nil {
		place := map[string]int{}
		for i, port := range slices.Concat(of.Inputs, of.Params) {
			place[port.Key] = i - len(of.Inputs) - len(of.Params) // before those that it does not have
		}
		slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(place[a], place[b]) })
	}
	return keys
}

// input is the name of the input that a value of the request becomes. The same value at the same place is one input. A name that is
// that of an output, or taken, has the verb of its step before it.
func (b *builder) input(v *val, name, about string) string {
	key := fmt.Sprintf("%d-%d %s", v.lit.start, v.lit.end, value.JSON(v.lit.value))
	if name, ok := b.inputs[key]; ok {
		return name
	}
	name = b.declare(name, typeOf(v.lit.value), about)
	b.inputs[key], b.values[name], b.places[name] = name, v.lit.value, [2]int{v.lit.start, v.lit.end}
	return name
}

// lacking is the name of the input for something that the request lacks.
func (b *builder) lacking(what *lack, name string, typ value.Type, about string) string {
	if b.lacks[what] == "" {
		b.lacks[what] = b.declare(name, typ, about)
	}
	return b.lacks[what]
}

// declare adds an input.
func (b *builder) declare(name string, typ value.Type, about string) string {
	name = strings.ReplaceAll(name, "-", "_")
	if name == "" {
		name = "given"
	}
	if b.hidden[name] || b.taken[name] {
		verb, _, _ := strings.Cut(b.kind, "-")
		name = verb + "_" + name
	}
	name = compose.Unique(name, b.taken, "_")
	b.w.Inputs = append(b.w.Inputs, ir.Input{Name: name, Type: typ, Required: true, Description: about})
	return name
}

func (b *builder) piped() string {
	const name = "piped"
	if _, there := b.w.Input(name); !there {
		b.taken[name] = true
		b.w.Inputs = append(b.w.Inputs, ir.Input{Name: name, Type: value.String, Required: true, FromStdin: true, Description: "What is piped in."})
	}
	return name
}

// described says what an input of a sort is.
var described = map[string]string{"file": "A file.", "folder": "A folder.", "path": "A file or folder.", "glob": "A pattern of files, such as *.txt.", "ending": "The ending of files, such as txt.",
	"number": "A number.", "integer": "A number.", "date": "A day, such as 2026-01-31.", "time": "A time of day.", "duration": "A time, such as 5m.", "bytes": "A number of bytes.", "url": "An address.",
	"email": "An e-mail address.", "json": "A value in JSON.", "quoted": "A text.", "word": "A word.", "words": "A text."}

func typeOf(v any) value.Type {
	switch v.(type) {
	case int, int64:
		return value.Integer
	case float64:
		return value.Number
	case []any:
		return value.Array
	case bool:
		return value.Boolean
	}
	return value.String
}

// output declares what a clause asks for.
func (b *builder) output(v *val) {
	out := ir.Output{Name: "result", Type: value.Any}
	source, ok := b.value(v).(string)
	if !ok {
		return
	}
	if slices.ContainsFunc(b.w.Outputs, func(o ir.Output) bool { return o.Source == source }) {
		return
	}
	out.Source = source
	if v.of != nil {
		out.Name = v.key
		if end := strings.IndexAny(v.key, ".["); end >= 0 {
			out.Name = v.key[:end]
		}
		if of := b.of(v.of.kind); of != nil && v.of.each == nil {
			for _, port := range of.Outputs {
				if port.Key == v.key {
					out.Type, out.Description = port.Type, port.Description
				}
			}
		}
	}
	for n, name := 2, out.Name; slices.ContainsFunc(b.w.Outputs, func(o ir.Output) bool { return o.Name == out.Name }); n++ {
		out.Name = fmt.Sprintf("%s_%d", name, n)
	}
	b.w.Outputs = append(b.w.Outputs, out)
}

func firstSentence(s string) string {
	s, _, more := strings.Cut(s, ". ")
	if more {
		s += "."
	}
	return s
}

func orEmpty(m *map[string]any) map[string]any {
	if *m == nil {
		*m = map[string]any{}
	}
	return *m
}
