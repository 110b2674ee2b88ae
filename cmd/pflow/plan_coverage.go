package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"pflow/internal/planner"
	"pflow/internal/printable"
	"pflow/ir"
)

// How much of a request is shown with its marks: so many lines, and as many again of those further on that have something
// open; and how wide.
const (
	mostMarkedLines = 8
	mostMarkedWidth = 100
	mostOpen        = 5 // parts that are open and named
)

// showCoverage shows the request with what stands for each of its parts below it, and what nothing stands for.
func (a *app) showCoverage(to io.Writer, request string, p *planner.Result) {
	spans := spansOf(request, p.Coverage)
	if len(spans) == 0 {
		return
	}
	if a.screen.masked(request) != request { // cut into pieces, a secret would not be found in it any more
		a.sayTo(to, "request: "+request+"\n")
	} else {
		m := marking{request: request, spans: spans, width: min(a.screen.width()-1, mostMarkedWidth)}
		a.sayTo(to, m.show()...)
	}
	open := openParts(p)
	for _, o := range open[:min(len(open), mostOpen)] {
		a.sayTo(to, styled{codeRed, "not done:"}, fmt.Sprintf(" %q (%s)\n", o.text, printable.Line(o.why)))
	}
	if more := len(open) - mostOpen; more > 0 {
		a.sayTo(to, styled{codeRed, "not done:"}, fmt.Sprintf(" %d more\n", more))
	}
}

// showSources says of each input where its value comes from, a line each, below the request: what stands there is no part of the workflow
// where the text is read again. Of a request that holds a secret no piece is shown.
func (a *app) showSources(to io.Writer, request string, p *planner.Result, w *ir.Workflow) {
	if len(spansOf(request, p.Coverage)) == 0 || a.screen.masked(request) != request {
		return
	}
	for _, v := range whyValues(w, p, wordsBy(p.Coverage)) {
		if from := v.from(); from != "" {
			a.sayTo(to, "  "+printable.Line(v.Input)+from+"\n")
		}
	}
}

// sayTo is say where it is not standard error that is written to, without styles.
func (a *app) sayTo(to io.Writer, parts ...any) {
	if to == a.stderr {
		a.say(parts...)
		return
	}
	var b strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			b.WriteString(p)
		case styled:
			b.WriteString(p.text)
		}
	}
	_, _ = io.WriteString(to, printable.Text(b.String()))
}

// openPart is a part of a request that nothing stands for.
type openPart struct{ text, why string }

// openParts are the parts of the request that a plan leaves open.
func openParts(p *planner.Result) []openPart {
	var out []openPart
	open, _ := p.Coverage["open"].([]any)
	for _, v := range open {
		m, _ := v.(map[string]any)
		text, _ := m["text"].(string)
		why, _ := m["why"].(string)
		if strings.TrimSpace(text) != "" {
			out = append(out, openPart{text, why})
		}
	}
	return out
}

// span is a place in a request, in bytes, and what stands for it; by is "" where nothing does.
type span struct {
	start, end int
	by         string
}

// byPhrase stands for what asks for nothing.
const byPhrase = "phrase"

// spansOf are the places of a coverage that are in the request and ask for something, the longest first: one inside another is
// shown in it.
func spansOf(request string, coverage map[string]any) []span {
	var out []span
	for _, key := range []string{"parts", "open"} {
		list, _ := coverage[key].([]any)
		for _, v := range list {
			m, _ := v.(map[string]any)
			start, ok1 := offset(m["start"])
			end, ok2 := offset(m["end"])
			by, _ := m["by"].(string)
			if key == "open" {
				by = ""
			}
			if ok1 && ok2 && start >= 0 && start < end && end <= len(request) && by != byPhrase && (by != "" || key == "open") {
				out = append(out, span{start, end, by})
			}
		}
	}
	slices.SortStableFunc(out, func(x, y span) int {
		return cmp.Or(cmp.Compare(y.end-y.start, x.end-x.start), cmp.Compare(x.start, y.start))
	})
	return out
}

// offset reads a place: what comes from a file may be a float.
func offset(v any) (int, bool) {
	switch v := v.(type) {
	case int:
		return v, true
	case float64:
		return int(v), v == float64(int(v))
	}
	return 0, false
}

// marking draws a request with a line of marks below each line that has any: each part is underlined behind the sign of what
// stands for it, a digit for a step and a letter for an input; what is open is underlined with question marks.
type marking struct {
	request string
	spans   []span
	width   int

	owner []int // per byte of the request: 1 + the index of the span that it is of
	signs map[string]string
	order []string // what stands for parts, as it first comes
}

// cell is a character as it is shown.
type cell struct {
	text  string
	width int
	owner int
	space bool
}

const (
	stepSigns  = "123456789"
	inputSigns = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	moreSign   = "+" // where there are no more signs
	openSign   = "?"
	markIndent = "  "
)

func (m *marking) show() []any {
	m.width = max(m.width-len(markIndent), 20)
	m.own()
	m.sign()
	lines := m.lines()
	out := []any{"request:\n"}
	shown, left := 0, 0
	skip := func() {
		if left > 0 {
			out = append(out, fmt.Sprintf("%s… %d more lines\n", markIndent, left))
		}
		left = 0
	}
	for i, line := range lines {
		open := slices.ContainsFunc(line, func(c cell) bool { return c.owner > 0 && m.spans[c.owner-1].by == "" })
		if i >= mostMarkedLines && (!open || shown == 2*mostMarkedLines) {
			left++
			continue
		}
		skip()
		shown++
		out = append(out, m.line(line)...)
	}
	skip()
	return append(out, m.legend()...)
}

// own gives each byte to the shortest span that holds it, in time that is all but linear in the request.
func (m *marking) own() {
	m.owner = make([]int, len(m.request))
	free := make([]int, len(m.request)+1) // where the next byte without an owner may be
	for k := range free {
		free[k] = k
	}
	next := func(k int) int {
		for free[k] != k {
			free[k] = free[free[k]]
			k = free[k]
		}
		return k
	}
	for i, s := range slices.Backward(m.spans) {
		for k := next(s.start); k < s.end; k = next(k) {
			m.owner[k], free[k] = i+1, k+1
		}
	}
}

// sign gives signs in the order of the request.
func (m *marking) sign() {
	m.signs = map[string]string{}
	steps, inputs := 0, 0
	next := func(signs string, n *int) string {
		if *n == len(signs) {
			return moreSign
		}
		*n++
		return signs[*n-1 : *n]
	}
	for _, o := range m.owner {
		if o == 0 || m.spans[o-1].by == "" {
			continue
		}
		by := m.spans[o-1].by
		if _, has := m.signs[by]; has {
			continue
		}
		if strings.HasPrefix(by, "node:") {
			m.signs[by] = next(stepSigns, &steps)
		} else {
			m.signs[by] = next(inputSigns, &inputs)
		}
		m.order = append(m.order, by)
	}
}

// lines breaks the request where it breaks itself, and at blanks, or inside a word that is longer than a line.
func (m *marking) lines() [][]cell {
	var out [][]cell
	var line []cell
	width, blank := 0, -1 // blank is where the line may end
	end := func(at int) {
		rest := line[at:]
		for len(rest) > 0 && rest[0].space {
			rest = rest[1:]
		}
		out = append(out, line[:at])
		line, width, blank = slices.Clone(rest), 0, -1
		for _, c := range line {
			width += c.width
		}
	}
	for at, r := range m.request {
		if r == '\n' {
			end(len(line))
			continue
		}
		c := cell{owner: m.owner[at], space: r == ' ' || r == '\t'}
		switch size := len(string(r)); {
		case c.space:
			c.text, c.width = " ", 1
		case at+size <= len(m.request) && m.request[at:at+size] == string(r):
			c.text = printable.Line(string(r))
			c.width = printable.Width(c.text)
		default: // a byte that is no character
			c.text = printable.Line(m.request[at : at+1])
			c.width = len(c.text)
		}
		if c.space {
			blank = len(line)
		}
		if width+c.width > m.width && !c.space {
			if blank > 0 {
				end(blank)
			} else {
				end(len(line))
			}
		}
		line, width = append(line, c), width+c.width
	}
	end(len(line))
	return out
}

// line is a line of the request and its marks.
func (m *marking) line(line []cell) []any {
	for len(line) > 0 && line[len(line)-1].space {
		line = line[:len(line)-1]
	}
	out, marks := []any{markIndent}, []any{markIndent}
	marked, before := false, 0
	for i := 0; i < len(line); {
		owner, text, width := line[i].owner, "", 0
		for ; i < len(line) && line[i].owner == owner; i++ {
			text, width = text+line[i].text, width+line[i].width
		}
		switch {
		case owner == 0:
			out, before = append(out, text), before+width
		case m.spans[owner-1].by == "":
			out = append(out, styled{codeRed, text})
			marks = append(marks, strings.Repeat(" ", before), styled{codeRed, strings.Repeat(openSign, width)})
			marked, before = true, 0
		default:
			out = append(out, text)
			marks = append(marks, strings.Repeat(" ", before)+m.signs[m.spans[owner-1].by]+strings.Repeat("-", max(width-1, 0)))
			marked, before = true, 0
		}
	}
	out = append(out, "\n")
	if marked {
		out = append(append(out, marks...), "\n")
	}
	return out
}

// legend says what the signs stand for.
func (m *marking) legend() []any {
	var out []any
	width := 0
	add := func(style, sign, text string) {
		switch w := printable.Width(sign + " " + text); {
		case width == 0:
			out, width = append(out, markIndent), w
		case width+2+w > m.width:
			out, width = append(out, "\n"+markIndent), w
		default:
			out, width = append(out, "  "), width+2+w
		}
		if style == "" {
			out = append(out, sign)
		} else {
			out = append(out, styled{style, sign})
		}
		out = append(out, " "+text)
	}
	others := 0
	for _, by := range m.order {
		if m.signs[by] == moreSign {
			others++
			continue
		}
		add("", m.signs[by], standsFor(by))
	}
	if others > 0 {
		add("", moreSign, fmt.Sprintf("%d others", others))
	}
	if slices.ContainsFunc(m.spans, func(s span) bool { return s.by == "" }) {
		add(codeRed, openSign, "nothing does this")
	}
	return append(out, "\n")
}

// standsFor says in words what stands for a part.
func standsFor(by string) string {
	kind, name, named := strings.Cut(by, ":")
	switch {
	case named && (kind == "node" || kind == "input"):
		return printable.Line(name)
	case by == "trigger":
		return "when it runs"
	case by == "workflow":
		return "what the workflow says it does"
	case by == "value":
		return "a value of a step"
	}
	return printable.Line(by)
}
