package catalogue

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pflow/internal/diag"
	"pflow/internal/value"
	"pflow/internal/yamltree"
	"pflow/ir"
)

// Declare reads declared nodes that are already values, as a line of `plan --from` holds them: the same reading as that of
// a file. from names them in findings, which are warnings.
func Declare(from string, nodes []any) ([]*Declared, diag.List) {
	l := &loader{skipped: map[string]string{}, lenient: true}
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

// LeftOut is why the first node that Declare left out is.
func LeftOut(found diag.List) string {
	for _, f := range found {
		if f.Kind == BadNode {
			return strings.TrimSpace(f.Place.File + ": " + f.Message)
		}
	}
	return ""
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
		if v.Get(formsOf) != nil {
			l.extension(v)
		} else if d := l.node(file, v); d != nil {
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

// nodeReader reads one node; its first error decides that the node is left out.
type nodeReader struct{ yamltree.Decoder }

func (l *loader) node(file string, v *yamltree.Value) *Declared {
	r := &nodeReader{yamltree.Decoder{Lenient: l.lenient, NullIsAbsent: true}}
	d := r.node(v)
	d.Interface.Origin = fmt.Sprintf("%s:%d", file, v.Place.Line)
	name := d.Interface.Name
	for _, f := range r.Found {
		if f.Severity == diag.Error {
			what := "the node"
			if name != "" {
				what = fmt.Sprintf("the node %q", name)
				l.skipped[name] = unread(f.Place.String())
			}
			l.leaveOut(what+" is left out", f)
			return nil
		}
	}
	l.found = append(l.found, r.Found...)
	return d
}

// leaveOut warns that something is left out because of a finding, with all names that could stand where a wrong one does.
func (l *loader) leaveOut(what string, f diag.Finding) {
	w := l.warn(BadNode, f.Place, what+": "+f.Message)
	w.Snippet, w.Suggestion, w.Alternatives = f.Snippet, f.Suggestion, f.Alternatives
	if f.Suggestion != "" && len(f.Alternatives) > 0 {
		w.Message += "; there is: " + strings.Join(f.Alternatives, ", ")
	}
}

func (r *nodeReader) node(v *yamltree.Value) *Declared {
	i := &ir.Interface{}
	d := &Declared{Interface: i}
	r.Mapping(v, "a node: {name, description, inputs, outputs, params, …}", yamltree.Fields{
		"name":         r.Written(&i.Name),
		"description":  r.Written(&i.Description),
		"inputs":       r.ports(&i.Inputs),
		"outputs":      r.ports(&i.Outputs),
		"params":       r.ports(&i.Params),
		"open_params":  r.Truth(&i.OpenParams),
		"open_outputs": r.Truth(&i.OpenOutputs),
		"actions": func(v *yamltree.Value) {
			r.Each(v, "a list of actions", func(v *yamltree.Value) {
				i.Actions = append(i.Actions, "")
				r.Written(&i.Actions[len(i.Actions)-1])(v)
			})
		},
		"effects": func(v *yamltree.Value) {
			r.Each(v, "a list of effects", func(v *yamltree.Value) {
				var effect string
				r.OneOf(&effect, texts(ir.Effects())...)(v)
				i.Effects = append(i.Effects, ir.Effect(effect))
			})
		},
		"examples": func(v *yamltree.Value) { d.Examples = r.examples(v) },
		"forms":    func(v *yamltree.Value) { i.Forms = r.forms(v) },
		"run":      func(v *yamltree.Value) { d.Run = r.run(v) },
		"parse": func(v *yamltree.Value) {
			if r.Want(v, yamltree.String, "an expression") {
				d.Parse = v
			}
		},
	})
	i.PlanOnly = d.Run == nil
	if len(d.Examples) > 0 {
		i.Example = d.Examples[0].Params
	}
	switch {
	case r.Found.HasErrors():
	case i.Name == "":
		r.Report(v, yamltree.MissingKey, "a node needs a name")
	case !nodeName.MatchString(i.Name):
		r.Report(v.Get("name"), yamltree.BadValue, "the name %q may hold letters, digits, _, . and - only", i.Name)
	case d.Parse != nil && len(i.Outputs) == 0:
		r.Report(d.Parse, yamltree.MissingKey, "parse gives an object of the outputs, and the node declares none")
	default:
		r.checkExamples(d, v)
		for _, p := range i.CheckForms() {
			r.Report(v.Get("forms"), yamltree.BadValue, "%s: %s", p.Path, p.Message)
		}
	}
	return d
}

func texts[T ~string](names []T) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = string(name)
	}
	return out
}

func (r *nodeReader) ports(to *[]ir.Port) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		seen := map[string]bool{}
		r.Each(v, "a list of {key, type, …}", func(item *yamltree.Value) {
			p := r.port(item)
			switch {
			case r.Found.HasErrors():
			case p.Key == "":
				r.Report(item, yamltree.MissingKey, "each of these needs a key")
			case seen[p.Key]:
				r.Report(item, yamltree.BadValue, "the key %q stands twice", p.Key)
			}
			seen[p.Key] = true
			*to = append(*to, p)
		})
	}
}

func (r *nodeReader) port(v *yamltree.Value) ir.Port {
	p := ir.Port{Type: value.Any}
	r.Mapping(v, "{key, type, …}", yamltree.Fields{
		"key":         r.Written(&p.Key),
		"kind":        r.Written(&p.Kind),
		"description": r.Written(&p.Description),
		"required":    r.Truth(&p.Required),
		"raw":         r.Truth(&p.Raw),
		"detail":      r.Truth(&p.Detail),
		"default":     yamltree.Plain(&p.Default),
		"type":        r.OneOf((*string)(&p.Type), texts(value.Types())...),
		"enum": func(v *yamltree.Value) {
			if r.Want(v, yamltree.Seq, "a list of values") {
				p.Enum, _ = v.Plain().([]any)
			}
		},
		"structure": func(v *yamltree.Value) {
			s, err := ir.ParseStructure(v.Plain())
			if err != nil {
				r.Report(v, yamltree.BadValue, "%v", err)
			}
			p.Structure = s
		},
	})
	if s := p.Structure; s != nil && p.Type == value.Any {
		p.Type = s.Type
	} else if s != nil && s.Type != p.Type {
		r.Report(v.Get("structure"), yamltree.BadValue, "%q is of type %s, its structure that of an %s", p.Key, p.Type, s.Type)
	}
	if p.Default != nil && !r.Found.HasErrors() {
		r.fitDefault(&p, v.Get("default"))
	}
	return p
}

// fitDefault brings a default to the type of its port. Text that holds a value of the type is that value; what is none is
// dropped with a warning: those who write tools for other systems write "false", "none" or "any" there.
func (r *nodeReader) fitDefault(p *ir.Port, v *yamltree.Value) {
	_, unfit := value.Fits(p.Type, p.Default)
	if unfit == nil {
		return
	}
	fit, err := ir.Coerce(p.Type, p.Default)
	if text, isText := p.Default.(string); err != nil && isText {
		fit, err = ir.Coerce(p.Type, strings.ToLower(text))
	}
	if p.Default = fit; err != nil {
		p.Default = nil
		r.Report(v, BadDefault, "the default of %q is ignored: %v", p.Key, unfit).Severity = diag.Warning
	}
}

func (r *nodeReader) forms(v *yamltree.Value) []ir.Form {
	var out []ir.Form
	r.Each(v, "a list of {says, with, inputs, example, gives}", func(item *yamltree.Value) { out = append(out, r.form(item)) })
	return out
}

func (r *nodeReader) form(v *yamltree.Value) ir.Form {
	f := ir.Form{}
	r.Mapping(v, "{says, with, inputs, example, gives}", yamltree.Fields{
		"says":    r.Texts(&f.Says),
		"with":    r.Object(&f.With),
		"inputs":  r.ports(&f.Inputs),
		"example": r.Object(&f.Example),
		"gives":   r.Object(&f.Gives),
	})
	return f
}

func (r *nodeReader) run(v *yamltree.Value) *Run {
	ways := []string{"shell", "http", "flow", "mcp"}
	if v.Kind != yamltree.Map || len(v.Entries) != 1 || !slices.Contains(ways, v.Entries[0].Key) {
		r.Report(v, yamltree.BadValue, "run is one of {shell: …}, {http: …}, {flow: …}, {mcp: …}; leave it out for a node that is only planned with")
		return nil
	}
	e := v.Entries[0]
	if k := e.Value.Kind; k != yamltree.String && k != yamltree.Map {
		r.Report(e.Value, yamltree.WrongKind, "want text or a mapping, got %s", k)
	}
	return &Run{By: e.Key, Spec: e.Value.Plain(), Place: e.Value.Place}
}
