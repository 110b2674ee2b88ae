package ir

import (
	"container/heap"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

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
func Display(w *Workflow, o DisplayOptions) string {
	if o.Catalogue == nil {
		o.Catalogue = NewCatalogue()
	}
	d := &display{w: w, o: o, g: newGraph(w), known: Values{}}
	for _, in := range w.Inputs {
		if in.HasDefault {
			d.known[in.Name] = in.Default
		}
	}
	for k, val := range o.Values {
		d.known[k] = val
	}
	for _, in := range w.Inputs {
		if in.Secret {
			delete(d.known, in.Name)
		}
	}
	for i := range w.Nodes {
		delete(d.known, w.Nodes[i].ID)
	}
	d.steps()
	d.inputs()
	d.outputs()
	d.effects()
	return d.b.String()
}

type display struct {
	b     strings.Builder
	w     *Workflow
	o     DisplayOptions
	g     *graph
	known Values
}

func (d *display) line(format string, args ...any) {
	d.b.WriteString(visible(fmt.Sprintf(format, args...)))
	d.b.WriteByte('\n')
}

func (d *display) steps() {
	order := d.g.documentOrder()
	if s := d.w.Start; len(s) > 1 || len(s) == 1 && (len(order) == 0 || d.w.Nodes[order[0]].ID != s[0]) {
		d.line("begins at %s", strings.Join(s, ", "))
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
	words := []string{node.ID + ": " + node.Type}
	for _, k := range d.keys(node) {
		words = append(words, "--"+flagWord(k)+"="+d.param(node, k))
	}
	out := d.g.out[n]
	plainly := len(out) == 1 && d.g.to[out[0]] == next && d.w.Edges[out[0]].Action == ActionDefault
	if plainly {
		words = append(words, ">>")
	}
	d.line("%s", strings.Join(words, " "))
	if node.Purpose != "" {
		d.line("    # %s", node.Purpose)
	}
	if b := node.Batch; b != nil {
		d.line("    batch: once per %s of %s, %s at once, on_error=%s%s", b.As, d.shown(b.Items, false), shownSetting(d, b.Concurrency), b.OnError, d.retryText(", retry ", b.Retry))
	}
	if r := node.Repeat; r != nil {
		wait := ""
		if r.Wait.Given() {
			wait = ", wait " + shownSetting(d, r.Wait)
		}
		d.line("    repeat: until %s, %s rounds at most%s", shellWord(r.Until), shownSetting(d, r.Max), wait)
	}
	if node.Retry != nil {
		d.line("    retry: %s", d.retryText("", node.Retry))
	}
	if node.Timeout.Given() {
		d.line("    timeout: %s", shownSetting(d, node.Timeout))
	}
	for _, note := range d.o.Notes[node.ID] {
		d.line("    %s", note)
	}
	if node.Approval {
		d.line("    approval: required")
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
		d.line("    %s >> %s", flagWord(a), strings.Join(to[a], ", "))
	}
}

func (d *display) retryText(before string, r *Retry) string {
	if r == nil {
		return ""
	}
	text := fmt.Sprintf("%s%s attempts", before, shownSetting(d, r.Attempts))
	if r.Wait.Given() {
		text += ", wait " + shownSetting(d, r.Wait)
	}
	if r.Exponential {
		text += ", exponential backoff"
	}
	return text
}

// shownSetting writes a number or a duration, or its template with this run's values.
func shownSetting[T int | time.Duration](d *display, s Setting[T]) string {
	if s.Template != "" {
		return d.shown(s.Template, false)
	}
	return Text(s.Written())
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

func (d *display) param(n *Node, k string) string {
	raw := false
	if i := d.o.Catalogue.Get(n.Type); i != nil {
		if p, ok := i.Param(k); ok {
			raw = p.Raw
		}
	}
	return d.shown(n.Params[k], raw)
}

// shown writes a value with this run's values in it.
func (d *display) shown(v any, raw bool) string {
	if raw {
		return shellWord(Text(v))
	}
	p, problems := Compile(v)
	if len(problems) > 0 {
		return shellWord(Text(v))
	}
	got, open := p.Partial(d.known)
	templates := make(map[string]bool, len(open))
	for _, path := range open {
		templates[path] = true
	}
	got = escaped(got, "", templates)
	if got == nil {
		return "null"
	}
	return shellWord(Text(got))
}

// escaped doubles the dollars of the text that is not in template notation yet.
func escaped(v any, path string, templates map[string]bool) any {
	switch v := v.(type) {
	case string:
		if templates[path] {
			return v
		}
		return Escape(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = escaped(v[i], index(path, i), templates)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = escaped(v[k], key(path, k), templates)
		}
		return out
	}
	return v
}

func (d *display) inputs() {
	inputs := d.w.EffectiveInputs(d.o.Catalogue)
	if len(inputs) == 0 {
		return
	}
	d.line("inputs:")
	for _, in := range inputs {
		traits := []string{string(in.Type)}
		if in.Required {
			traits = append(traits, "required")
		}
		if in.HasDefault {
			traits = append(traits, "default "+shellWord(Text(in.Default)))
		}
		if in.Secret {
			traits = append(traits, "secret")
		}
		if in.FromEnv != "" {
			traits = append(traits, "from the environment variable "+in.FromEnv)
		}
		if in.FromStdin {
			traits = append(traits, "from stdin")
		}
		text := fmt.Sprintf("  %s (%s)", in.Name, strings.Join(traits, ", "))
		if v, ok := d.known[in.Name]; ok {
			text += " = " + shellWord(Text(v))
		}
		d.line("%s%s", text, described(in.Description))
	}
}

func (d *display) outputs() {
	if len(d.w.Outputs) > 0 {
		d.line("outputs:")
	}
	for _, out := range d.w.Outputs {
		d.line("  %s (%s) = %s%s", out.Name, out.Type, shellWord(out.Source), described(out.Description))
	}
	if d.w.Mappings != nil {
		d.line("mappings (unused): %s", Text(d.w.Mappings))
	}
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

// shellWord writes text as one word of a command line: bare, in single quotes, or, where it holds a quote or what a
// terminal would act on, in double quotes with escapes.
func shellWord(s string) string {
	bare, printable := s != "", true
	for _, r := range s {
		if !(r < 128 && (isWord(byte(r)) || strings.ContainsRune("-./:@%+,=${}[]", r))) {
			bare = false
		}
		if !unicode.IsPrint(r) || r == '\'' || r == unicode.ReplacementChar {
			printable = false
		}
	}
	switch {
	case bare:
		return s
	case printable:
		return "'" + s + "'"
	}
	return value.JSON(s)
}

func flagWord(s string) string {
	if isID(s) {
		return s
	}
	return shellWord(s)
}

// visible escapes what would move the cursor, hide text or turn its direction.
func visible(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
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
