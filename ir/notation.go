package ir

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/value"
)

// Notation is a workflow that was read from CLI notation, and where in the text each part of it stands.
type Notation struct {
	Name, Description string          // as the line above the steps has them; "" where there is none
	Whole             bool            // it has more than steps, as what Display writes has: nothing is left to be settled
	Values            map[string]any  // of inputs, for one run
	Params            []NotationParam // in the order of the text
	Problems          diag.List       // of form; each has its place

	text     string
	lines    *lines
	version  string
	starts   []string
	order    []string // ids as the document has them; nil: as the text has them
	nodes    []map[string]any
	edges    []map[string]any
	inputs   []namedObject
	declared bool // the document declares inputs, or that there are none
	outputs  []namedObject
	mappings any
	at       map[string]int // JSON path -> offset; nodes are counted as they stand in the text
	parts    []NotationPart // but those of params
}

// NotationParam is a param of a step, and where it stands.
type NotationParam struct {
	Node       string // its id
	Key        string
	Start, End int    // of the whole word, in bytes
	Value      int    // where its value begins
	Input      string // the input that stands in the place of the value; "" if it is the step's own
}

// NotationPart is a piece of the text and what it is about: node:ID, input:NAME or phrase. Offsets are in bytes.
type NotationPart struct {
	Start, End int
	By         string
}

type namedObject struct {
	name string
	of   map[string]any
}

// MaxNotation bounds a text in CLI notation, in bytes.
const MaxNotation = 100 << 10

// ReadNotation reads CLI notation: what Display writes, and what a person types of it.
//
//	read-file --file_path=a.txt >> write-file file_path=b.txt content='${read-file.content}'
//
// A step is a component's name with its params; an id and a colon may stand before it, and dashes before a param. Words
// are quoted as in a shell. ">>" leads to the next step. A param may be called by the last words of its name where only
// one param ends in them. Values have the types that the component's interface gives them; lists and objects are JSON.
//
// It is nil for any other text, such as a sentence: only what begins with steps of components that there are is notation.
// Mistakes in it are findings with the code malformed-notation; whatever is wrong with the workflow itself is left to
// the validator. The time is linear in the text.
func ReadNotation(text string, c *Catalogue) *Notation {
	if len(text) > MaxNotation {
		return nil
	}
	n := &Notation{text: text, lines: newLines([]byte(text)), version: defaultVersion, Values: map[string]any{}, at: map[string]int{}}
	r := &notationReader{c: c, n: n, text: text, pending: -1, ids: map[string]bool{}, numbers: map[string]int{}, implied: map[string]bool{}}
	r.read()
	if !r.isNotation() {
		return nil
	}
	r.restore()
	return n
}

// JSON is the document that was read.
func (n *Notation) JSON() []byte {
	o := writer{'{'}
	list := func(k string, all []map[string]any) {
		o.list(k, len(all), func(o *writer, i int) {
			for _, k := range value.SortedKeys(all[i]) {
				o.value(k, all[i][k])
			}
		})
	}
	named := func(k string, all []namedObject) {
		o.object(k, func(o *writer) {
			for _, in := range all {
				o.value(in.name, in.of)
			}
		})
	}
	o.text("ir_version", n.version)
	var nodes []map[string]any
	for _, at := range n.inDocument() {
		nodes = append(nodes, n.nodes[at])
	}
	list("nodes", nodes)
	list("edges", n.edges)
	switch {
	case len(n.starts) == 1:
		o.text("start_node", n.starts[0])
	case len(n.starts) > 1:
		o.value("start_node", anyList(n.starts))
	}
	if n.declared {
		named("inputs", n.inputs)
	}
	if len(n.outputs) > 0 {
		named("outputs", n.outputs)
	}
	if n.mappings != nil {
		o.value("mappings", n.mappings)
	}
	return append(o, '}')
}

func anyList(names []string) []any {
	out := make([]any, len(names))
	for i := range names {
		out[i] = names[i]
	}
	return out
}

// inDocument gives for each node of the document where it stands in the text.
func (n *Notation) inDocument() []int {
	out := make([]int, len(n.nodes))
	at := make(map[string]int, len(n.nodes))
	for i := range n.nodes {
		out[i] = i
		at[n.id(i)] = i
	}
	if len(n.order) != len(n.nodes) || len(at) != len(n.nodes) {
		return out
	}
	listed := make([]int, 0, len(n.nodes))
	for _, id := range n.order {
		i, ok := at[id]
		if !ok {
			return out
		}
		delete(at, id)
		listed = append(listed, i)
	}
	return listed
}

func (n *Notation) id(i int) string { id, _ := n.nodes[i]["id"].(string); return id }

func (n *Notation) typ(i int) string { t, _ := n.nodes[i]["type"].(string); return t }

// Locate gives findings on the document their places in the text: that of the value at their path, or of the nearest one
// around it. What the reading itself found is among them.
func (n *Notation) Locate(found diag.List) diag.List {
	order := n.inDocument()
	out := slices.Clone(n.Problems)
	for _, f := range found {
		path := f.Path
		var i int
		if _, err := fmt.Sscanf(path, "nodes[%d]", &i); err == nil && i >= 0 && i < len(order) {
			path = index("nodes", order[i]) + strings.TrimPrefix(path, index("nodes", i))
		}
		offset := 0
		for ; path != ""; path = parentPath(path) {
			if at, ok := n.at[path]; ok {
				offset = at
				break
			}
		}
		f.Place.Line, f.Place.Col, f.Snippet = n.lines.at(offset)
		out = append(out, f)
	}
	return out.Sort()
}

// Parts accounts for the text: in its order, without a gap but for white space.
func (n *Notation) Parts() []NotationPart {
	all := slices.Clone(n.parts)
	for _, p := range n.Params {
		value := p.Value
		if p.Input == "" {
			value = p.End
		}
		all = append(all, NotationPart{p.Start, value, "node:" + p.Node})
		if value < p.End {
			all = append(all, NotationPart{value, p.End, "input:" + p.Input})
		}
	}
	slices.SortStableFunc(all, func(a, b NotationPart) int { return cmp.Compare(a.Start, b.Start) })
	var out []NotationPart
	for _, p := range all {
		last := len(out) - 1
		if last >= 0 && out[last].By == p.By && strings.TrimSpace(n.text[out[last].End:max(p.Start, out[last].End)]) == "" {
			out[last].End = max(p.End, out[last].End)
			continue
		}
		if p.Start < p.End {
			out = append(out, p)
		}
	}
	return out
}

// restore puts inputs in the place of their values, then what is written as it stands in the document.
func (r *notationReader) restore() {
	n := r.n
	byID := map[string]int{}
	for i := range n.nodes {
		byID[n.id(i)] = i
	}
	slots := map[string]string{}
	for _, in := range n.inputs {
		slots[slot(in.name)] = in.name
	}
	for k := range n.Params {
		p := &n.Params[k]
		i, known := byID[p.Node]
		if !known {
			continue
		}
		params, _ := n.nodes[i]["params"].(map[string]any)
		params[p.Key] = r.standIns.restored(params[p.Key], paramPort(r.c, n.typ(i), p.Key))
		if text, ok := params[p.Key].(string); ok && slots[text] != "" {
			p.Input = slots[text]
		}
	}
	for _, w := range r.written {
		mergeWritten(w.into, w.of)
	}
	for _, in := range n.inputs {
		if v, ok := in.of[valueKey]; ok { // written where its word could not tell it
			n.Values[in.name] = v
			delete(in.of, valueKey)
		}
	}
	n.inputs = slices.DeleteFunc(n.inputs, func(in namedObject) bool { return r.implied[in.name] })
	n.declared = n.declared && (len(n.inputs) > 0 || len(r.implied) == 0)
}

// mergeWritten puts what is written as in the document over what was read.
func mergeWritten(into, of map[string]any) {
	for k, v := range of {
		inner, isObject := v.(map[string]any)
		old, had := into[k].(map[string]any)
		if isObject && had && (k == "params" || k == batchLine || k == repeatLine || k == retryLine) {
			mergeWritten(old, inner)
			continue
		}
		into[k] = v
	}
}
