// Package repair reads the JSON that a model meant. Models wrap it in fences and prose, write Python literals, trailing
// commas, comments, unquoted or wrongly quoted text, forget closing brackets, and stop in the middle. The rules are
// general ones about where a text, a pair or a container ends; none is made for a single input.
//
// What it keeps: valid JSON is returned as a strict reader would, and a key is never invented, only read. What cannot be
// read is left out.
package repair

import (
	"strings"
	"unicode"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// maxDepth bounds nesting, as value does.
const maxDepth = 500

// JSON gives the value meant by text, normalised. If there is none, the error has kind malformed.
func JSON(text string) (any, error) {
	if v, err := value.ParseJSON([]byte(text)); err == nil {
		return v, nil
	}
	text = strings.ToValidUTF8(strings.TrimPrefix(text, "\uFEFF"), "\uFFFD")
	body := strings.TrimSpace(withoutReasoning(text))
	for _, part := range append([]string{body}, fenced(body)...) {
		if v, err := value.ParseJSON([]byte(part)); err == nil {
			return v, nil
		}
	}
	p := &parser{src: body}
	if v, ok := whole(p); ok && !p.many() {
		return v, nil
	}
	p = &parser{src: body, read: p.read}
	groups := find(p)
	if len(groups) == 0 {
		for _, part := range fenced(body) {
			p = &parser{src: strings.TrimSpace(part), read: p.read}
			groups = append(groups, find(p)...)
		}
	}
	if p.many() {
		return nil, fault.New(fault.Malformed, "too much JSON: it passes the bound of %d values", value.MaxValues)
	}
	if len(groups) == 0 {
		return nil, fault.New(fault.Malformed, "there is no JSON in the text")
	}
	best := groups[0]
	for _, g := range groups[1:] {
		if g.size >= best.size {
			best = g
		}
	}
	return best.value(), nil
}

// withoutReasoning cuts the thinking that some models write before their answer.
func withoutReasoning(text string) string {
	for _, tag := range []string{"think", "thinking", "reasoning"} {
		if at := strings.LastIndex(text, "</"+tag+">"); at >= 0 {
			text = text[at+len(tag)+3:]
		}
	}
	return text
}

// fenced lists what stands in code fences, unless the text is itself a container: then fences are part of its strings.
func fenced(text string) []string {
	if text == "" || text[0] == '{' || text[0] == '[' {
		return nil
	}
	var out []string
	for {
		at := strings.Index(text, "```")
		if at < 0 {
			return out
		}
		text = text[at+3:]
		// A language tag may stand behind the fence.
		for text != "" && (unicode.IsLetter(rune(text[0])) || text[0] >= '0' && text[0] <= '9') {
			text = text[1:]
		}
		inside, rest, closed := strings.Cut(text, "```")
		if closed || strings.ContainsAny(inside, "{[") {
			out = append(out, strings.TrimSpace(inside))
		}
		text = rest
	}
}

// whole reads a text that is one value without being a container: a literal of Python, a quoted text, a tuple, or the
// pairs of an object whose opening brace is missing.
func whole(p *parser) (any, bool) {
	text := p.src
	if text == "" {
		return nil, false
	}
	switch c := text[0]; {
	case c == '(':
		v, ok := p.tuple()
		return v, ok && p.rest() == ""
	case p.quoteAt(0) > 0:
		if p.keyAt(0) {
			v := p.object()
			return v, len(v) > 0
		}
		end := strings.LastIndexFunc(text, func(r rune) bool { return true })
		if n := p.quoteAt(end); n > 0 && end > 0 && strings.Count(text, text[:1]) == 2 {
			return p.text(inTop), true
		}
	default:
		if v, ok := literal(text); ok {
			return v, true
		}
	}
	return nil, false
}

// group is a run of values with nothing but blanks and commas between them.
type group struct {
	values []any
	lines  []bool // whether a line break, and nothing else, stands before the value
	size   int    // of the source, in bytes
}

// value is what a group means: its one value, or a list of them. A value that repeats the shape of the one before it is
// a corrected version, unless every value has a line of its own. Empty containers beside others mean nothing.
func (g group) value() any {
	var out []any
	for i, v := range g.values {
		if empty(v) && len(g.values) > 1 {
			continue
		}
		if n := len(out); n > 0 && !g.lines[i] && sameShape(out[n-1], v) {
			out[n-1] = v
			continue
		}
		out = append(out, v)
	}
	switch len(out) {
	case 0:
		return g.values[len(g.values)-1]
	case 1:
		return out[0]
	}
	return out
}

func empty(v any) bool {
	switch v := v.(type) {
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

func sameShape(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			if w, ok := b[k]; !ok || !sameShape(v, w) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !sameShape(a[i], b[i]) {
				return false
			}
		}
		return true
	}
	return value.TypeOf(a) == value.TypeOf(b)
}

// find lists the groups of containers in a text.
func find(p *parser) []group {
	text := p.src
	var out []group
	last := -1 // where the value before ended
	for work := 0; p.at < len(text); {
		c := text[p.at]
		if c != '{' && c != '[' || !p.opens() {
			p.at++
			continue
		}
		if work > 20*len(text)+maxDepth {
			break // brackets without end: what was found so far must do
		}
		start := p.at
		before := p.read
		if p.read++; p.many() {
			break
		}
		v, ok := p.container()
		work += p.at - start
		if !ok || p.deep {
			p.read = before
			p.at, p.deep = start+1, false
			continue
		}
		if m, ok := v.(map[string]any); ok {
			p.continued(m)
		}
		between := ""
		if last >= 0 {
			between = text[last:start]
		}
		if last < 0 || strings.Trim(between, " \t\r\n,;") != "" {
			out = append(out, group{})
		}
		g := &out[len(out)-1]
		g.values = append(g.values, v)
		g.lines = append(g.lines, strings.Contains(between, "\n"))
		g.size += p.at - start
		last = p.at
	}
	return out
}
