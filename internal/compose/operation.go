package compose

import (
	"slices"

	"pflow/internal/retrieve"
	"pflow/internal/value"
	"pflow/ir"
)

// operation is what the expression language can do with one value, described as its documentation does. It serves every
// component that computes an expression over named inputs.
type operation struct {
	expression string // of value, and of key where key is set
	doc        string
	over       string // what the value is cut into first: a word of the clause that says so; "" is the value itself
	key        string // what the second value is, "" if there is none
}

// operations are the general ones of the language's built-in functions.
var operations = []operation{
	{expression: "len(value)", doc: "count the items of a list, how many there are, their number, amount, size or length, tally"},
	{expression: `len(split(trim(string(value)), "\n"))`, doc: "count lines of a text, how many lines, the number of lines, line count, tally", over: "line"},
	{expression: `len(split(trim(string(value)), " "))`, doc: "count words of a text, how many words, the number of words, word count", over: "word"},
	{expression: "value[key]", doc: "get the field, key, property, attribute, member or entry of an object by its name: take, pick, extract, select it", key: "field"},
	{expression: "first(value)", doc: "the first item of a list: take, pick the first"},
	{expression: "last(value)", doc: "the last item of a list: take, pick the last"},
	{expression: "sum(value)", doc: "sum up, add up, total the numbers of a list"},
	{expression: "mean(value)", doc: "the mean, the average of the numbers of a list"},
	{expression: "max(value)", doc: "the maximum, the largest, the highest number of a list"},
	{expression: "min(value)", doc: "the minimum, the smallest, the lowest number of a list"},
	{expression: "sort(value)", doc: "sort a list, put it in order"},
	{expression: "reverse(value)", doc: "reverse a list, turn its order round"},
	{expression: "uniq(value)", doc: "the distinct, unique items of a list, without duplicates"},
	{expression: "upper(string(value))", doc: "a text in upper case, capitals, uppercase"},
	{expression: "lower(string(value))", doc: "a text in lower case, lowercase"},
}

// operationOver is the confidence in a component from which on no expression is tried in its place.
const operationOver = 0.45

// computes reports whether a component computes an expression over named inputs.
func computes(i *ir.Interface) bool {
	expression, ok := i.Param("expression")
	inputs, has := i.Param("inputs")
	return ok && has && expression.Raw && expression.Required && inputs.Type == value.Object
}

// operation is the step that computes what a clause asks of what came before; nil if it asks for no such thing.
func (c *composer) operation(span [2]int) *step {
	at := slices.IndexFunc(c.interfaces, computes)
	if at < 0 {
		return nil
	}
	asked := map[string]bool{}
	n := 0
	for _, w := range retrieve.Words(c.request[span[0]:span[1]]) {
		if !w.Stop || w.Text == "many" || w.Text == "first" {
			asked[w.Stem] = true
			n++
		}
	}
	var best *operation
	most := 0.0
	for k := range operations {
		op := &operations[k]
		if op.over != "" && !asked[retrieve.Stem(op.over)] {
			continue
		}
		hits := 0.0
		seen := map[string]bool{}
		for _, w := range retrieve.Words(op.doc) {
			if asked[w.Stem] && !seen[w.Stem] {
				seen[w.Stem] = true
				hits++
			}
		}
		if op.key != "" && hits < 2 && !asked[retrieve.Stem(op.key)] {
			continue
		}
		if op.over != "" {
			hits += 0.5
		}
		if hits > most {
			best, most = op, hits
		}
	}
	if best == nil || most < 1 || most/float64(n) < 0.3 {
		return nil
	}
	return &step{of: c.interfaces[at], clause: span, score: most / float64(n), op: best}
}

// ports are what a step takes from the request or from earlier steps.
func (s *step) ports() []ir.Port {
	if s.op != nil {
		out := []ir.Port{{Key: "value", Type: value.Any, Required: true}}
		if s.op.key != "" {
			out = append(out, ir.Port{Key: s.op.key, Type: value.String, Required: true, Description: "The name of the " + s.op.key + "."})
		}
		return out
	}
	list := ports(s.of)
	if k := words(list); k >= 0 {
		// A command line from a sentence is a program and its arguments: none of it is read by a shell.
		line := list[k]
		line.Type, line.Description = value.Array, "The program and its arguments, word by word. "+line.Description
		list = slices.DeleteFunc(slices.Clone(list), func(p ir.Port) bool { return p.Key == "args" })
		k = slices.IndexFunc(list, func(p ir.Port) bool { return p.Key == line.Key })
		list[k] = line
	}
	return list
}

// words finds the port of a command line, which takes its arguments beside it; -1 if there is none.
func words(list []ir.Port) int {
	args := slices.ContainsFunc(list, func(p ir.Port) bool { return p.Key == "args" && p.Type == value.Array })
	if !args {
		return -1
	}
	return slices.IndexFunc(list, func(p ir.Port) bool { return p.Key == "command" && p.Type == value.String && p.Required })
}

// finish turns what a step was given into the params of its node.
func (s *step) finish(n *ir.Node) {
	switch {
	case s.op != nil:
		inputs := map[string]any{"value": n.Params["value"]}
		if s.op.key != "" {
			inputs["key"] = n.Params[s.op.key]
		}
		n.Params = map[string]any{"expression": s.op.expression, "inputs": inputs}
	case words(ports(s.of)) >= 0:
		if v, ok := n.Params["command"]; ok {
			n.Params["args"], n.Params["command"] = v, `"$@"`
		}
	}
}
