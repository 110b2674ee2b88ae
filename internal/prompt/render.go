package prompt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"text/template"
	"text/template/parse"
	"unicode/utf8"

	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/value"
)

// Bounds on filling a template in once. A step is an action of the template, or 64 bytes of text that a function makes;
// a loop of empty steps runs about 5 million of them a second.
const (
	maxText  = 16 << 20 // bytes of the text, and of what one function takes
	maxSteps = 2_000_000
)

// Render fills the template in, until ctx is done: then the error is ctx's. A variable or a member that is missing is a
// fault of kind missing_key; too much text or too much work is one of kind invalid_request.
func (p *Prompt) Render(ctx context.Context, vars map[string]any) (string, error) {
	t, err := p.text.Clone() // shares the trees; only the functions are this rendering's own
	if err != nil {
		return "", fault.New(fault.InvalidRequest, "the template %s: %v", p.Name, err)
	}
	return p.fill(t, &meter{ctx: ctx, name: p.Name, maxText: maxText, maxSteps: maxSteps}, vars)
}

// fill runs the template within the bounds of a meter.
func (p *Prompt) fill(t *template.Template, m *meter, vars map[string]any) (string, error) {
	m.t = t.Funcs(m.functions())
	err := m.t.Execute(m, vars)
	switch {
	case m.stop != nil:
		return "", m.stop
	case err != nil:
		return "", p.failed(err)
	}
	return settleFences(m.out.String()), nil
}

// failed is the error of a rendering, at the place in the template that text/template tells: a line, and the bytes before
// it in that line.
func (p *Prompt) failed(err error) error {
	message := strings.TrimPrefix(err.Error(), "template: ")
	out := &fault.Error{Kind: fault.MissingKey, Cause: err}
	var known *fault.Error
	if errors.As(err, &known) {
		out.Kind = known.Kind
	}
	place, ok := strings.CutPrefix(message, p.text.Name()+":")
	line, before := 0, 0
	if n, _ := fmt.Sscanf(place, "%d:%d:", &line, &before); ok && n == 2 {
		if line == p.first {
			before -= len(leadEnd)
		}
		out.Place = diag.Place{File: p.file, Line: line, Col: before + 1}
		if _, rest, ok := strings.Cut(place, ": "); ok {
			message = fmt.Sprintf("%s:%d:%d: %s", p.text.Name(), line, before+1, rest)
		}
	}
	out.Message = fmt.Sprintf("the template %s: %s", p.Name, message)
	return out
}

// meter takes what a template writes, and stops it when ctx is done or a bound is passed. text/template itself can do
// neither: it stops only when a write or a function fails.
type meter struct {
	ctx      context.Context
	name     string
	maxText  int // bytes
	maxSteps int
	out      bytes.Buffer
	steps    int
	stop     error // why the template was stopped
	t        *template.Template
	depth    int // of calls of each
}

// watch puts an empty text before every action of a template, and into every empty list: text/template writes it, and
// so hands control to the meter at every turn of a loop.
func watch(list *parse.ListNode) {
	if list == nil {
		return
	}
	pause := func(at parse.Pos) parse.Node { return &parse.TextNode{NodeType: parse.NodeText, Pos: at} }
	var nodes []parse.Node
	for _, n := range list.Nodes {
		if _, plain := n.(*parse.TextNode); !plain {
			nodes = append(nodes, pause(n.Position()))
		}
		nodes = append(nodes, n)
		switch n := n.(type) {
		case *parse.IfNode:
			watch(n.List)
			watch(n.ElseList)
		case *parse.RangeNode:
			watch(n.List)
			watch(n.ElseList)
		case *parse.WithNode:
			watch(n.List)
			watch(n.ElseList)
		}
	}
	if nodes == nil {
		nodes = []parse.Node{pause(list.Pos)}
	}
	list.Nodes = nodes
}

// Write takes a piece of the text.
func (m *meter) Write(p []byte) (int, error) {
	if err := m.spend(1); err != nil {
		return 0, err
	}
	if m.out.Len()+len(p) > m.maxText {
		return 0, m.tooLong()
	}
	return m.out.Write(p)
}

// spend takes n steps, and looks whether there is time left.
func (m *meter) spend(n int) error {
	if m.stop != nil {
		return m.stop
	}
	m.steps += n
	if err := m.ctx.Err(); err != nil {
		m.stop = fmt.Errorf("the template %s: %w", m.name, err)
	} else if m.steps > m.maxSteps {
		m.stop = fault.New(fault.InvalidRequest, "the template %s does too much work: more than %d million steps; loop over less", m.name, m.maxSteps/1_000_000)
	}
	return m.stop
}

func (m *meter) tooLong() error {
	m.stop = fault.New(fault.InvalidRequest, "the template %s gives more than %d bytes", m.name, m.maxText)
	return m.stop
}

// made pays for a text that a function made.
func (m *meter) made(text string) (string, error) {
	if len(text) > m.maxText {
		return "", m.tooLong()
	}
	return text, m.spend(1 + len(text)/64)
}

// takes refuses arguments that a function would make even more text of. Templates that hand a text through functions
// again and again would otherwise double it each time.
func (m *meter) takes(args ...any) error {
	size := 0
	for _, a := range args {
		if s, ok := a.(string); ok {
			size += len(s)
		}
	}
	if size > m.maxText {
		return m.tooLong()
	}
	return m.spend(1)
}

// insert is the function that every inserted value passes.
const insert = "_text"

// functions are what templates may call beside text/template's own. Those of its own that make text are replaced by the
// same ones within bounds.
func (m *meter) functions() template.FuncMap {
	bounded := func(f func(args ...any) string) func(args ...any) (string, error) {
		return func(args ...any) (string, error) {
			if err := m.takes(args...); err != nil {
				return "", err
			}
			return m.made(f(args...))
		}
	}
	return template.FuncMap{
		insert: func(v any) (string, error) {
			if s, ok := v.(string); ok {
				return s, nil // Write counts it
			}
			return m.made(text(v))
		},
		"json": func(v any) (string, error) {
			if err := m.takes(v); err != nil {
				return "", err
			}
			v, err := value.Normalize(v)
			if err != nil {
				return "", err
			}
			return m.made(value.JSON(v))
		},
		"join":     m.join,
		"each":     m.each,
		"cut":      func(most int, v any) (string, error) { return m.made(cut(most, text(v))) },
		"fence":    func(name string, v any) (string, error) { return m.made(fenceLater(name, text(v))) },
		"print":    bounded(sprint),
		"println":  bounded(sprintln),
		"html":     bounded(template.HTMLEscaper),
		"js":       bounded(template.JSEscaper),
		"urlquery": bounded(template.URLQueryEscaper),
		"printf":   m.printf,
		"eq":       equal,
		"ne":       unequal,
		"lt":       order("lt", func(c int) bool { return c < 0 }),
		"le":       order("le", func(c int) bool { return c <= 0 }),
		"gt":       order("gt", func(c int) bool { return c > 0 }),
		"ge":       order("ge", func(c int) bool { return c >= 0 }),
		"index":    index,
		"slice":    slice,
	}
}

func (m *meter) join(sep string, list []any) (string, error) {
	var b strings.Builder
	for i, v := range list {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(text(v))
		if b.Len() > m.maxText {
			return "", m.tooLong()
		}
	}
	return m.made(b.String())
}

// maxDepth is how deep templates may call each other by each.
const maxDepth = 16

// each fills the template of a name in for every item of a list, a line each: what a list looks like inside a fence.
func (m *meter) each(name string, list []any) (string, error) {
	if m.t.Lookup(name) == nil {
		return "", fault.New(fault.InvalidRequest, "there is no template %q; {{define %q}} makes one", name, name)
	}
	if m.depth++; m.depth > maxDepth {
		return "", fault.New(fault.InvalidRequest, "the template %q calls itself; that would not end", name)
	}
	defer func() { m.depth-- }()
	outer := m.out
	defer func() { m.out = outer }()
	lines := make([]any, len(list))
	for i, item := range list {
		m.out = bytes.Buffer{}
		if err := m.t.ExecuteTemplate(m, name, item); err != nil {
			return "", err
		}
		lines[i] = m.out.String()
	}
	return m.join("\n", lines)
}

// cut is the beginning of a text, with a last line that says how much of it is missing, if any is. most counts characters.
func cut(most int, text string) string {
	n := 0
	for i := range text {
		if n == max(0, most) {
			return fmt.Sprintf("%s\n[cut off here: %d more characters]", text[:i], utf8.RuneCountInString(text[i:]))
		}
		n++
	}
	return text
}
