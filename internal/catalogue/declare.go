package catalogue

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"unicode"
	"unicode/utf8"

	"pflow/internal/diag"
	"pflow/internal/value"
	"pflow/internal/yamltree"
	"pflow/ir"
)

// Declare reads declared nodes that are already values, as a line of `plan --from` holds them. from names them in
// findings, which are warnings about nodes left out.
func Declare(from string, nodes []any) ([]*Declared, diag.List) {
	l := &loader{skipped: map[string]string{}}
	var out []*Declared
	for i, n := range nodes {
		file := fmt.Sprintf("%s[%d]", from, i)
		v, found := yamltree.Parse(file, printable(value.JSON(n)))
		if v == nil || found.HasErrors() {
			l.warn(BadNode, diag.Place{File: file}, "the node is left out: "+first(found))
			continue
		}
		if d := l.node(file, v); d != nil {
			out = append(out, d)
		}
	}
	return out, l.found
}

// printable writes the characters that YAML does not take as they are as escapes of double-quoted text, in which alone
// JSON can hold them.
func printable(json string) []byte {
	out := make([]byte, 0, len(json))
	for _, r := range json {
		if r < 0x7f || unicode.IsPrint(r) {
			out = utf8.AppendRune(out, r)
		} else {
			out = fmt.Appendf(out, `\U%08x`, r)
		}
	}
	return out
}

func first(found diag.List) string {
	if len(found) == 0 {
		return "it is empty"
	}
	return found[0].Message
}

// documents reads a file of nodes. Where the file as a whole is no YAML, each of its documents is read alone, so that
// one broken node does not take the others with it.
func (l *loader) documents(file string, data []byte) []*Declared {
	values, found := yamltree.ParseAll(file, data)
	if found.HasErrors() {
		values = nil
		for _, part := range split(data) {
			got, found := yamltree.ParseAll(file, part)
			if !found.HasErrors() {
				values = append(values, got...)
				continue
			}
			f := found[0]
			w := l.warn(f.Kind, f.Place, "the node is left out: "+f.Message)
			w.Snippet = f.Snippet
			if m := nameLine.FindSubmatch(part); m != nil {
				l.skipped[string(m[1])] = unread(f.Place.String())
			}
		}
	}
	var out []*Declared
	for _, v := range values {
		if d := l.node(file, v); d != nil {
			out = append(out, d)
		}
	}
	return out
}

var nameLine = regexp.MustCompile(`(?m)^name:\s*["']?([A-Za-z0-9_.-]+)["']?\s*$`)

// split cuts a text at its --- lines. Each part keeps blank lines for what came before it, so that places hold.
func split(data []byte) [][]byte {
	var out [][]byte
	lines, start := 0, 0
	emit := func(end int) {
		part := data[start:end]
		if len(bytes.TrimSpace(part)) > 0 {
			out = append(out, append(bytes.Repeat([]byte("\n"), lines), part...))
		}
		lines += bytes.Count(part, []byte("\n"))
	}
	for at := 0; at < len(data); {
		end := at + bytes.IndexByte(data[at:], '\n') + 1
		if end <= at {
			end = len(data)
		}
		if line := bytes.TrimRight(data[at:end], " \r\n"); string(line) == "---" && at > start {
			emit(at)
			start = at
		}
		at = end
	}
	emit(len(data))
	return out
}

var nodeName = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// reader reads one node; its first error decides that the node is left out.
type reader struct {
	l   *loader
	bad *diag.Finding
}

func (r *reader) fail(v *yamltree.Value, format string, args ...any) {
	if r.bad == nil {
		f := v.Error(BadNode, fmt.Sprintf(format, args...))
		r.bad = &f
	}
}

func (l *loader) node(file string, v *yamltree.Value) *Declared {
	r := &reader{l: l}
	i := &ir.Interface{Origin: fmt.Sprintf("%s:%d", file, v.Place.Line)}
	d := &Declared{Interface: i}
	r.keys(v, "node", map[string]func(*yamltree.Value){
		"name":         func(v *yamltree.Value) { i.Name = r.text(v, "name") },
		"description":  func(v *yamltree.Value) { i.Description = r.text(v, "description") },
		"inputs":       func(v *yamltree.Value) { i.Inputs = r.ports(v, "inputs") },
		"outputs":      func(v *yamltree.Value) { i.Outputs = r.ports(v, "outputs") },
		"params":       func(v *yamltree.Value) { i.Params = r.ports(v, "params") },
		"open_params":  func(v *yamltree.Value) { i.OpenParams = r.flag(v, "open_params") },
		"open_outputs": func(v *yamltree.Value) { i.OpenOutputs = r.flag(v, "open_outputs") },
		"actions":      func(v *yamltree.Value) { i.Actions = r.words(v, "actions") },
		"effects": func(v *yamltree.Value) {
			for _, e := range r.words(v, "effects") {
				if !slices.Contains(ir.Effects(), ir.Effect(e)) {
					r.fail(v, "there is no effect %q; there is reads, writes, network, destructive and idempotent", e)
				}
				i.Effects = append(i.Effects, ir.Effect(e))
			}
		},
		"example": func(v *yamltree.Value) { i.Example = r.mapping(v, "example") },
		"forms":   func(v *yamltree.Value) { i.Forms = r.forms(v) },
		"run":     func(v *yamltree.Value) { d.Run = r.run(v) },
	})
	i.PlanOnly = d.Run == nil
	if r.bad == nil && i.Name == "" {
		r.fail(v, "a node needs a name")
	} else if r.bad == nil && !nodeName.MatchString(i.Name) {
		r.fail(v.Get("name"), "the name %q may hold letters, digits, _, . and - only", i.Name)
	}
	if r.bad == nil {
		for _, p := range i.CheckForms() {
			r.fail(v.Get("forms"), "%s: %s", p.Path, p.Message)
		}
	}
	if r.bad == nil {
		return d
	}
	what := "the node"
	if i.Name != "" {
		what = fmt.Sprintf("the node %q", i.Name)
		l.skipped[i.Name] = unread(r.bad.Place.String())
	}
	l.warn(BadNode, r.bad.Place, what+" is left out: "+r.bad.Message).Snippet = r.bad.Snippet
	return nil
}

// keys reads a mapping. A key that is not known is only a warning: the node may be of a later version.
func (r *reader) keys(v *yamltree.Value, what string, read map[string]func(*yamltree.Value)) {
	if v.Kind != yamltree.Map {
		r.fail(v, "a %s is a mapping, not %s", what, v.Kind)
		return
	}
	for _, e := range v.Entries {
		f, known := read[e.Key]
		if known && e.Value.Kind != yamltree.Null {
			f(e.Value)
		}
		if !known {
			w := r.l.warn(UnknownKey, e.KeyPlace, fmt.Sprintf("a %s has no key %q; it is ignored", what, e.Key))
			w.Suggestion = diag.Nearest(e.Key, value.SortedKeys(read))
			w.Snippet = v.Snippet(e.KeyPlace)
		}
	}
}

func (r *reader) text(v *yamltree.Value, what string) string {
	switch v.Kind {
	case yamltree.String:
		return v.Text
	case yamltree.Int, yamltree.Float, yamltree.Bool:
		return v.Text // a name or description that happens to look like a number
	}
	r.fail(v, "%s is text, not %s", what, v.Kind)
	return ""
}

func (r *reader) flag(v *yamltree.Value, what string) bool {
	b, ok := v.Scalar.(bool)
	if !ok {
		r.fail(v, "%s is true or false, not %s", what, v.Kind)
	}
	return b
}

func (r *reader) words(v *yamltree.Value, what string) []string {
	var out []string
	if v.Kind != yamltree.Seq {
		r.fail(v, "%s is a list, not %s", what, v.Kind)
	}
	for _, item := range v.Items {
		out = append(out, r.text(item, what+"'s item"))
	}
	return out
}

func (r *reader) ports(v *yamltree.Value, what string) []ir.Port {
	if v.Kind != yamltree.Seq {
		r.fail(v, "%s is a list of {key, type, …}, not %s", what, v.Kind)
		return nil
	}
	var out []ir.Port
	seen := map[string]bool{}
	for _, item := range v.Items {
		p := r.port(item, what)
		if r.bad == nil && p.Key == "" {
			r.fail(item, "each of %s needs a key", what)
		} else if seen[p.Key] {
			r.fail(item, "%s has the key %q twice", what, p.Key)
		}
		seen[p.Key] = true
		out = append(out, p)
	}
	return out
}

func (r *reader) port(v *yamltree.Value, what string) ir.Port {
	p := ir.Port{Type: value.Any}
	r.keys(v, "port", map[string]func(*yamltree.Value){
		"key":         func(v *yamltree.Value) { p.Key = r.text(v, "key") },
		"kind":        func(v *yamltree.Value) { p.Kind = r.text(v, "kind") },
		"description": func(v *yamltree.Value) { p.Description = r.text(v, "description") },
		"required":    func(v *yamltree.Value) { p.Required = r.flag(v, "required") },
		"raw":         func(v *yamltree.Value) { p.Raw = r.flag(v, "raw") },
		"default":     func(v *yamltree.Value) { p.Default = v.Plain() },
		"type": func(v *yamltree.Value) {
			p.Type = value.Type(r.text(v, "type"))
			if r.bad == nil && !slices.Contains(value.Types(), p.Type) {
				r.fail(v, "there is no type %q; there is string, number, integer, boolean, array, object and any", p.Type)
			}
		},
		"enum": func(v *yamltree.Value) {
			if v.Kind != yamltree.Seq {
				r.fail(v, "enum is a list, not %s", v.Kind)
			}
			p.Enum, _ = v.Plain().([]any)
		},
		"structure": func(v *yamltree.Value) {
			s, err := ir.ParseStructure(v.Plain())
			if err != nil {
				r.fail(v, "%v", err)
			}
			p.Structure = s
		},
	})
	if r.bad != nil {
		return p
	}
	if p.Default != nil {
		if _, err := value.Fits(p.Type, p.Default); err != nil {
			r.fail(v.Get("default"), "the default of %q: %v", p.Key, err)
		}
	}
	if s := p.Structure; s != nil && p.Type == value.Any {
		p.Type = s.Type
	} else if s != nil && s.Type != p.Type {
		r.fail(v.Get("structure"), "%q is of type %s, its structure that of an %s", p.Key, p.Type, s.Type)
	}
	return p
}

func (r *reader) forms(v *yamltree.Value) []ir.Form {
	if v.Kind != yamltree.Seq {
		r.fail(v, "forms is a list of {summary, inputs, params, example, gives}, not %s", v.Kind)
		return nil
	}
	var out []ir.Form
	for _, item := range v.Items {
		f := ir.Form{}
		r.keys(item, "form", map[string]func(*yamltree.Value){
			"summary": func(v *yamltree.Value) { f.Summary = r.text(v, "summary") },
			"inputs":  func(v *yamltree.Value) { f.Inputs = r.ports(v, "inputs") },
			"params":  func(v *yamltree.Value) { f.Params = r.mapping(v, "params") },
			"example": func(v *yamltree.Value) { f.Example = r.mapping(v, "example") },
			"gives":   func(v *yamltree.Value) { f.Gives = r.mapping(v, "gives") },
		})
		out = append(out, f)
	}
	return out
}

func (r *reader) mapping(v *yamltree.Value, what string) map[string]any {
	m, ok := v.Plain().(map[string]any)
	if !ok {
		r.fail(v, "%s is a mapping, not %s", what, v.Kind)
	}
	return m
}

func (r *reader) run(v *yamltree.Value) *Run {
	ways := []string{"shell", "http", "flow", "mcp"}
	if v.Kind != yamltree.Map || len(v.Entries) != 1 || !slices.Contains(ways, v.Entries[0].Key) {
		r.fail(v, "run is one of {shell: …}, {http: …}, {flow: …}, {mcp: …}; leave it out for a node that is only planned with")
		return nil
	}
	e := v.Entries[0]
	if k := e.Value.Kind; k != yamltree.String && k != yamltree.Map {
		r.fail(e.Value, "run.%s is text or a mapping, not %s", e.Key, k)
	}
	return &Run{By: e.Key, Spec: e.Value.Plain(), Place: e.Value.Place}
}
