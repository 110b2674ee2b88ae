package ir

import (
	"container/heap"
	"fmt"
	"slices"
	"strings"
	"time"

	"pflow/internal/value"
)

// DisplayOptions says what a display knows beside the workflow.
type DisplayOptions struct {
	Catalogue *Catalogue          // for the order of params and the effects; may be nil
	Notes     map[string][]string // lines about nodes, by id: what they destroy, which files they replace
	Destroys  map[string]bool     // the nodes that may destroy what is there
	Values    map[string]any      // this run's values of the inputs; a secret stays a template whatever is here
}

// Display writes a workflow in CLI notation, one step a line, in the order in which steps can run. Nothing of the
// document is hidden or cut: values of this run stand where templates read inputs, references between nodes stay
// templates, `>>` leads to the next line where that is all there is to say and edges are listed where it is not.
// Text is shown as templates write it (a dollar that is text may be doubled), with what a terminal would act on escaped.
// ReadNotation reads it back: what the line of a step cannot tell, such as a value with an input in the middle of it, stands
// below it as it is written in the document.
func Display(w *Workflow, o DisplayOptions) string {
	if o.Catalogue == nil {
		o.Catalogue = NewCatalogue()
	}
	d := &display{w: w, o: o, g: newGraph(w), known: Values{}, inputs: w.EffectiveInputs(o.Catalogue)}
	for _, in := range d.inputs {
		if in.Secret || w.Node(in.Name) >= 0 {
			continue
		}
		if v, given := o.Values[in.Name]; given {
			d.known[in.Name] = v
		} else if in.HasDefault {
			d.known[in.Name] = in.Default
		}
		if v, ok := d.known[in.Name]; ok {
			d.standIns.add(in.Name, readWord(Text(v), &Port{Type: in.Type}))
		}
	}
	d.steps()
	d.inputLines()
	d.outputs()
	d.edges()
	d.effects()
	return d.b.String()
}

type display struct {
	b        strings.Builder
	w        *Workflow
	o        DisplayOptions
	g        *graph
	inputs   []Input
	known    Values
	standIns standIns
	listed   []int // edges, in the order in which they are shown
}

func (d *display) line(format string, args ...any) {
	d.b.WriteString(visible(fmt.Sprintf(format, args...)))
	d.b.WriteByte('\n')
}

// written shows what a line above could not tell, as it stands in the document.
func (d *display) written(of map[string]any) {
	if len(of) > 0 {
		d.line("    %s: %s", asWritten, visible(string(appendValue(nil, of))))
	}
}

func (d *display) steps() {
	if d.w.Version != defaultVersion && d.w.Version != "" {
		d.line("%s %s", versionLine, shellWord(d.w.Version))
	}
	order := d.g.documentOrder()
	if len(d.w.Start) > 0 {
		d.line("%s %s", beginsLine, strings.Join(d.w.Start, ", "))
	}
	if !slices.IsSorted(order) {
		var ids []string
		for i := range d.w.Nodes {
			ids = append(ids, d.w.Nodes[i].ID)
		}
		d.line("%s: %s", orderLine, strings.Join(ids, ", "))
	}
	for i, n := range order {
		next := -1
		if i+1 < len(order) {
			next = order[i+1]
		}
		d.step(n, next)
	}
}

func (d *display) step(n, next int) {
	node := &d.w.Nodes[n]
	written := map[string]any{}
	words := []string{node.ID + ": " + shellWord(node.Type)}
	for _, k := range d.keys(node) {
		word, exact := d.param(node, k)
		words = append(words, "--"+flagWord(k)+"="+word)
		if !exact {
			within(written, "params")[k] = node.Params[k]
		}
	}
	out := d.g.out[n]
	plainly := len(out) == 1 && d.g.to[out[0]] == next && d.w.Edges[out[0]].Action == ActionDefault
	if plainly {
		words = append(words, ">>")
		d.listed = append(d.listed, out[0])
	}
	d.line("%s", strings.Join(words, " "))
	if node.Purpose != "" {
		d.line("    # %s", proseText(node.Purpose))
	}
	if b := node.Batch; b != nil {
		items := d.fill(b.Items)
		if !sameValue(readWord(plainText(items), arrayPort), b.Items) {
			within(written, "batch")["items"] = b.Items
		}
		var batch []string
		batch = append(batch, "once per "+b.As+" of "+shellWord(plainText(items)), shownSetting(d, b.Concurrency, written, "batch", "concurrency")+" at once", "on_error="+b.OnError)
		if b.Retry != nil {
			batch = append(batch, "retry "+d.retryText(b.Retry, written, "batch", "retry"))
		}
		d.line("    %s: %s", batchLine, strings.Join(batch, ", "))
	}
	if r := node.Repeat; r != nil {
		wait := ""
		if r.Wait.Given() {
			wait = ", wait " + shownSetting(d, r.Wait, written, "repeat", "wait")
		}
		d.line("    %s: until %s, %s rounds at most%s", repeatLine, shellWord(r.Until), shownSetting(d, r.Max, written, "repeat", "max"), wait)
	}
	if node.Retry != nil {
		d.line("    %s: %s", retryLine, d.retryText(node.Retry, written, "retry"))
	}
	if node.Timeout.Given() {
		d.line("    %s: %s", timeoutLine, shownSetting(d, node.Timeout, written, "timeout"))
	}
	d.written(written)
	for _, note := range d.o.Notes[node.ID] {
		d.line("    %s", note)
	}
	if node.Approval {
		d.line("    %s: required", approvalLine)
	}
	if plainly {
		return
	}
	var actions []string
	to := map[string][]string{}
	for _, e := range out {
		a := d.w.Edges[e].Action
		if to[a] == nil {
			actions = append(actions, a)
		}
		to[a] = append(to[a], d.w.Edges[e].To)
	}
	for _, a := range actions {
		for _, e := range out {
			if d.w.Edges[e].Action == a {
				d.listed = append(d.listed, e)
			}
		}
		d.line("    %s >> %s", flagWord(a), strings.Join(to[a], ", "))
	}
}

func (d *display) retryText(r *Retry, written map[string]any, path ...string) string {
	at := func(k string) []string { return append(slices.Clone(path), k) }
	text := shownSetting(d, r.Attempts, written, at("attempts")...) + " attempts"
	if r.Wait.Given() {
		text += ", wait " + shownSetting(d, r.Wait, written, at("wait")...)
	}
	if r.Exponential {
		text += ", exponential backoff"
	}
	return text
}

// shownSetting writes a number or a duration, or its template with this run's values; then written gets the template, at
// the path.
func shownSetting[T int | time.Duration](d *display, s Setting[T], written map[string]any, path ...string) string {
	if s.Template == "" {
		return Text(s.Written())
	}
	text := plainText(d.fill(s.Template))
	if text != s.Template {
		last := len(path) - 1
		for _, k := range path[:last] {
			written = within(written, k)
		}
		written[path[last]] = s.Template
	}
	return shellWord(text)
}

// within is the object at a key, made if it is not there.
func within(m map[string]any, k string) map[string]any {
	inner, ok := m[k].(map[string]any)
	if !ok {
		inner = map[string]any{}
		m[k] = inner
	}
	return inner
}

// keys orders params as the interface does, the others behind.
func (d *display) keys(n *Node) []string {
	keys := value.SortedKeys(n.Params)
	i := d.o.Catalogue.Get(n.Type)
	if i == nil {
		return keys
	}
	var out []string
	for _, k := range i.ParamKeys() {
		if _, given := n.Params[k]; given {
			out = append(out, k)
		}
	}
	for _, k := range keys {
		if !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// param writes a param with this run's values, and says whether that is read back as what stands in the document.
func (d *display) param(n *Node, k string) (word string, exact bool) {
	v, port := n.Params[k], paramPort(d.o.Catalogue, n.Type, k)
	shown := v
	if !port.Raw {
		shown = d.fill(v)
	}
	text := plainText(shown)
	return shellWord(text), sameValue(d.standIns.restored(readWord(text, port), port), v)
}

// fill writes a value with this run's values in it. What reads none of them stays as the document writes it.
func (d *display) fill(v any) any {
	switch v := v.(type) {
	case string:
		p, problems := Compile(v)
		reads := false
		p.Walk(func(_ string, e *Expr) {
			for _, a := range e.Alts {
				if a.Ref != nil {
					_, known := d.known[a.Ref.Root]
					reads = reads || known
				}
			}
		})
		if len(problems) > 0 || !reads {
			return v
		}
		got, open := p.Partial(d.known)
		if len(open) > 0 {
			return got // in template notation already
		}
		return escaped(got)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = d.fill(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = d.fill(v[k])
		}
		return out
	}
	return v
}

// escaped doubles the dollars of text that is not in template notation yet.
func escaped(v any) any {
	switch v := v.(type) {
	case string:
		return Escape(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = escaped(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = escaped(v[k])
		}
		return out
	}
	return v
}

func (d *display) inputLines() {
	switch {
	case len(d.inputs) > 0:
		d.line("inputs:")
	case d.w.Inputs != nil:
		d.line("inputs: none")
	}
	for _, in := range d.inputs {
		port := &Port{Type: in.Type}
		written := map[string]any{}
		traits := []string{string(in.Type)}
		if d.w.Inputs == nil {
			traits = append(traits, "implied")
		}
		if in.Required {
			traits = append(traits, "required")
		}
		if in.HasDefault {
			traits = append(traits, "default "+shellWord(plainText(in.Default)))
			if !sameValue(readWord(plainText(in.Default), port), in.Default) {
				written["default"] = in.Default
			}
		}
		if in.Secret {
			traits = append(traits, "secret")
		}
		if in.FromEnv != "" {
			traits = append(traits, "from the environment variable "+shellWord(in.FromEnv))
		}
		if in.FromStdin {
			traits = append(traits, "from stdin")
		}
		text := fmt.Sprintf("  %s (%s)", in.Name, strings.Join(traits, ", "))
		if v, ok := d.known[in.Name]; ok {
			text += " = " + shellWord(Text(v))
			if !sameValue(readWord(Text(v), port), v) {
				written[valueKey] = v
			}
		}
		d.line("%s%s", text, said(in.Description))
		d.written(written)
	}
}

func (d *display) outputs() {
	if len(d.w.Outputs) > 0 {
		d.line("outputs:")
	}
	for _, out := range d.w.Outputs {
		d.line("  %s (%s) = %s%s", out.Name, out.Type, shellWord(out.Source), said(out.Description))
	}
	if d.w.Mappings != nil {
		d.line("%s: %s", mappingsLine, visible(string(appendValue(nil, d.w.Mappings))))
	}
}

// edges lists the edges where the document has them in another order than the steps show them.
func (d *display) edges() {
	if slices.IsSorted(d.listed) {
		return
	}
	var all []string
	for _, e := range d.w.Edges {
		action := ""
		if e.Action != ActionDefault {
			action = flagWord(e.Action) + " "
		}
		all = append(all, e.From+" "+action+">> "+e.To)
	}
	d.line("%s: %s", edgesLine, strings.Join(all, ", "))
}

// said is a description behind what it describes.
func said(description string) string {
	if description == "" {
		return ""
	}
	return ": " + proseText(description)
}

func (d *display) effects() {
	effects := d.w.Effects(d.o.Catalogue)
	if len(d.o.Destroys) > 0 && !slices.Contains(effects, Destructive) {
		effects = append(effects, Destructive)
	}
	var words []string
	for _, e := range effects {
		text := string(e)
		if e == Destructive {
			var ids []string
			for i := range d.w.Nodes {
				if c := d.o.Catalogue.Get(d.w.Nodes[i].Type); d.o.Destroys[d.w.Nodes[i].ID] || c != nil && c.Has(Destructive) {
					ids = append(ids, d.w.Nodes[i].ID)
				}
			}
			if len(ids) > 0 {
				text += " (" + strings.Join(ids, ", ") + ")"
			}
		}
		words = append(words, text)
	}
	if len(words) > 0 {
		d.line("effects: %s", strings.Join(words, ", "))
	}
}

// documentOrder lists all nodes along the edges, of those that could come next the first of the document. What stands
// in a cycle comes last.
func (g *graph) documentOrder() []int {
	waiting := make([]int, len(g.out))
	ready := &indexes{}
	for n := range g.in {
		waiting[n] = len(g.in[n])
		if waiting[n] == 0 {
			heap.Push(ready, n)
		}
	}
	var out []int
	done := make([]bool, len(g.out))
	for ready.Len() > 0 {
		n := heap.Pop(ready).(int)
		out = append(out, n)
		done[n] = true
		for _, e := range g.out[n] {
			if waiting[g.to[e]]--; waiting[g.to[e]] == 0 {
				heap.Push(ready, g.to[e])
			}
		}
	}
	for n := range done {
		if !done[n] {
			out = append(out, n)
		}
	}
	return out
}

type indexes []int

func (h indexes) Len() int           { return len(h) }
func (h indexes) Less(i, j int) bool { return h[i] < h[j] }
func (h indexes) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *indexes) Push(x any)        { *h = append(*h, x.(int)) }
func (h *indexes) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
