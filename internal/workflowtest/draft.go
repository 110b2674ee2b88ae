package workflowtest

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"pflow/internal/fault"
	"pflow/internal/value"
	"pflow/internal/workflow"
	"pflow/internal/yamltree"
)

// draft is a test that is made of a run.
type draft struct {
	*recorded
	shorten bool
	cuts    int // values that were cut
	remarks int // of the last text

	inputs     map[string]any
	inputNotes map[string][]string
	stdin      *string
	stdinNotes []string
	nodes      []draftNode
	expected   []draftValue // status, error, outputs, steps, skipped; nil until the test ran
	outputs    []draftValue
}

// draftNode is what a step gives.
type draftNode struct {
	step     string
	attempts []draftAttempt
}

// draftAttempt is what an attempt gives, and which params it is expected to be made with.
type draftAttempt struct {
	outcome
	outputs []draftValue
	params  []draftValue
	then    map[string]any // params in the run; nil: they are not known
}

// draftValue is a key with its value, behind remarks. A value that is left out has remarks alone.
type draftValue struct {
	key   string
	value any
	notes []string
	out   bool
}

const (
	mostExpected = 4 << 10 // bytes of a value that is expected, in JSON
	mostCanned   = 16 << 10
	mostSteps    = 50
	mostNoted    = 80 // characters of a value in a remark
)

// rooms are what long values are cut to, until one has at most mostCanned bytes in JSON: items of a list, characters of a text.
var rooms = []room{{20, 1000}, {5, 300}, {2, 100}}

type room struct{ items, text int }

// shortened cuts a long value, and says what was cut.
func (d *draft) shortened(v any) (any, []string) {
	var notes []string
	if d.shorten && len(value.JSON(v)) > rooms[0].text {
		for _, r := range rooms {
			var cut []string
			got := r.cut(v, "", &cut)
			if notes, d.cuts = cut, d.cuts+len(cut); len(value.JSON(got)) <= mostCanned || r == rooms[len(rooms)-1] {
				v = got
				break
			}
		}
	}
	if strings.Contains(value.JSON(v), "$env") {
		notes = append(notes, `a secret stands in it as {"$env": NAME}`)
	}
	return v, notes
}

// cut shortens the lists and texts in a value. Of a text that is JSON it shortens what that holds.
func (r room) cut(v any, path string, cut *[]string) any {
	note := func(format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if path != "" {
			text = path + ": " + text
		}
		*cut = append(*cut, text)
	}
	switch v := v.(type) {
	case []any:
		short := v
		if len(v) > r.items {
			note("the first %d of %d items are here", r.items, len(v))
			short = v[:r.items]
		}
		out := make([]any, len(short))
		for i := range short {
			out[i] = r.cut(short[i], fmt.Sprintf("%s[%d]", path, i), cut)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for _, k := range value.SortedKeys(v) {
			out[k] = r.cut(v[k], strings.TrimPrefix(path+"."+k, "."), cut)
		}
		return out
	case string:
		runes := []rune(v)
		if len(runes) <= r.text {
			return v
		}
		if inner, err := value.ParseJSON([]byte(v)); err == nil {
			return value.JSON(r.cut(inner, path, cut))
		}
		short := string(runes[:r.text])
		if end := strings.LastIndexByte(short, '\n') + 1; end > len(short)/2 {
			short = short[:end]
		}
		note("the first %d of %d characters are here", utf8.RuneCountInString(short), len(runes))
		return short
	}
	return v
}

// node makes what a step gives of what it gave.
func (d *draft) node(name string, s *recordedStep) draftNode {
	n, m := draftNode{step: name}, d.Program.Mask()
	for k, o := range s.outcomes {
		a := draftAttempt{outcome: o}
		a.then, _ = m.Value(s.params[k]).(map[string]any)
		stopped := o.err != nil && o.err.Kind == fault.Cancelled
		switch {
		case stopped: // by the failure of another item, which comes first in a test
			a.err = nil
		case o.err != nil:
			a.err = fault.New(o.err.Kind, "%s", m.Text(o.err.Message))
		}
		for _, key := range value.SortedKeys(o.outputs) {
			got := draftValue{key: key}
			got.value, got.notes = d.shortened(m.Value(o.outputs[key]))
			if port, known := s.iface.Output(key); known && got.value != nil && port.Type != value.Any {
				if _, err := value.Fits(port.Type, got.value); err != nil {
					got.out, got.notes = true, []string{key + " is left out: what the journal has of it is no " + string(port.Type)}
				}
			}
			a.outputs = append(a.outputs, got)
		}
		if stopped {
			a.outputs = []draftValue{{out: true, notes: []string{"it was stopped in the run: what it would have given is not known"}}}
		}
		n.attempts = append(n.attempts, a)
	}
	return n
}

// expectParams expects of the attempts the params that they were made with in the run of the draft.
func (n *draftNode) expectParams(attempts []seen) {
	for k := range n.attempts {
		a := &n.attempts[k]
		if k >= len(attempts) || attempts[k].err != nil {
			continue
		}
		for _, key := range value.SortedKeys(attempts[k].params) {
			then, written := a.then[key]
			if a.then != nil && !written { // a default
				continue
			}
			got := expected(key, attempts[k].params[key])
			if written && !got.out {
				got.differs(then)
			}
			a.params = append(a.params, got)
		}
	}
}

// expected is a value that is expected, unless it is too long to be.
func expected(key string, v any) draftValue {
	if n := len(value.JSON(v)); n > mostExpected {
		return draftValue{key: key, out: true, notes: []string{fmt.Sprintf("%s is left out: it has %d bytes", key, n)}}
	}
	return draftValue{key: key, value: v}
}

// differs remarks that a value was another in the run, from where it was.
func (v *draftValue) differs(then any) {
	if then = marked(then); value.Equal(v.value, then) {
		return
	}
	now, text := []rune(value.JSON(v.value)), []rune(value.JSON(then))
	same := 0
	for same < len(text) && same < len(now) && text[same] == now[same] {
		same++
	}
	before := ""
	if same > mostNoted/2 {
		text, before = text[same-mostNoted/4:], "…"
	}
	if len(text) > mostNoted {
		text = append(text[:mostNoted], '…')
	}
	v.notes = append(v.notes, "in the run: "+before+string(text))
}

// marked is a value in which secrets stand as in text.
func marked(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = marked(v[i])
		}
		return out
	case map[string]any:
		if len(v) == 1 && v["$env"] != nil {
			return value.JSON(v)
		}
		out := map[string]any{}
		for k := range v {
			out[k] = marked(v[k])
		}
		return out
	}
	return v
}

// expect expects the end that the run of the draft came to.
func (d *draft) expect(st *stage, res *workflow.Result) {
	if res.Status != workflow.Done {
		d.expected = append(d.expected, draftValue{key: "status", value: string(res.Status)})
	}
	if res.Error != nil {
		d.expected = append(d.expected, draftValue{key: "error", value: map[string]any{"kind": res.Error.Kind, "node": res.Error.Node}})
	}
	for _, key := range value.SortedKeys(res.Outputs) {
		got := expected(key, res.Outputs[key])
		if then, known := d.end.Outputs[key]; known && !got.out {
			got.differs(d.Program.Mask().Value(then))
		}
		d.outputs = append(d.outputs, got)
	}
	if list := steps(res); len(list) <= mostSteps {
		d.expected = append(d.expected, draftValue{key: "steps", value: list})
	} else {
		d.expected = append(d.expected, draftValue{out: true, notes: []string{fmt.Sprintf("steps is left out: there are %d", len(list))}})
	}
	if list := skipped(st, res); len(list) > 0 {
		d.expected = append(d.expected, draftValue{key: "skipped", value: list})
	}
}

// text is the draft as a file.
func (d *draft) text() []byte {
	w := &draftText{}
	for _, line := range d.Notes {
		w.line(0, "# "+printableLine(line))
	}
	if d.Workflow != "" {
		w.value(0, "workflow", d.Workflow)
	}
	w.line(0, "cases:")
	w.value(0, "- name", d.Name)
	if len(d.inputs) > 0 {
		w.line(2, "inputs:")
		for _, name := range value.SortedKeys(d.inputs) {
			w.values(4, []draftValue{{key: name, value: d.inputs[name], notes: d.inputNotes[name]}})
		}
	}
	if d.stdin != nil {
		w.values(2, []draftValue{{key: "stdin", value: *d.stdin, notes: d.stdinNotes}})
	}
	if len(d.nodes) > 0 {
		w.line(2, "nodes:")
	}
	for i := range d.nodes {
		w.node(&d.nodes[i])
	}
	if len(d.expected)+len(d.outputs) == 0 {
		w.line(2, "expect: {}")
	} else {
		w.line(2, "expect:")
		w.mapping(4, "outputs", d.outputs)
		w.values(4, d.expected)
	}
	d.remarks = w.remarks
	return w.out
}

// draftText writes a draft.
type draftText struct {
	out     []byte
	remarks int
}

func (w *draftText) line(indent int, text string) {
	w.out = fmt.Appendf(w.out, "%*s%s\n", indent, "", text)
}

func (w *draftText) value(indent int, key string, v any) {
	w.out = fmt.Appendf(w.out, "%*s%s:", indent, "", key)
	w.out = yamltree.Append(w.out, v, indent+2)
}

// values writes keys with their values, and nothing but the remarks of what is left out.
func (w *draftText) values(indent int, list []draftValue) {
	for _, v := range list {
		for _, text := range v.notes {
			w.line(indent, "# "+printableLine(text))
			w.remarks++
		}
		if !v.out {
			w.value(indent, string(yamltree.AppendKey(nil, v.key)), v.value)
		}
	}
}

// mapping writes a mapping of values; one in which all is left out has no key.
func (w *draftText) mapping(indent int, key string, list []draftValue) {
	if len(list) == 0 {
		return
	}
	head := key + ":"
	for _, v := range list {
		if !v.out {
			w.line(indent, head)
			w.values(indent+2, list)
			return
		}
	}
	w.line(indent, head+" {}")
	w.values(indent+2, list)
}

func (w *draftText) node(n *draftNode) {
	w.out = append(yamltree.AppendKey(append(w.out, "    "...), n.step), ":\n"...)
	for i := range n.attempts {
		a, at := &n.attempts[i], len(w.out)
		switch {
		case a.err != nil:
			w.value(6, "error", map[string]any{"kind": string(a.err.Kind), "message": a.err.Message})
		case len(a.outputs) == 0:
			w.line(6, "outputs: {}")
		default:
			w.mapping(6, "outputs", a.outputs)
		}
		if a.action != "" {
			w.value(6, "action", a.action)
		}
		if len(a.params) > 0 {
			w.line(6, "expect:")
			w.mapping(8, "params", a.params)
		}
		if len(n.attempts) > 1 {
			w.out[at+4] = '-'
		}
	}
}

// printableLine is text of a run in a remark, which ends at its line.
func printableLine(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '·'
		}
		return r
	}, text)
}

// visited are items, rounds and visits in the name of a step.
var visited = regexp.MustCompile(`\[\d+\]|#\d+`)

// declaredStep is the name of a step as its workflow declares it.
func declaredStep(step string) string { return visited.ReplaceAllString(step, "") }
