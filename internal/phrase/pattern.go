package phrase

import (
	"fmt"
	"strings"
	"sync"

	"pflow/internal/retrieve"
)

// A pattern is a phrase with slots: words, [what may be left out], (one|or another), {slot:sort} and <class>, a list of
// words of its own; word! is the word in no other form. {sort} is {sort:sort}; {slot:sort+} is one or several, as in a, b and c.
//
// Its outline is read at the start, and finds what is wrong with it. To its automaton it is compiled where a reading first comes by: few
// of thousands can begin with the words of a request.
type pattern struct {
	rule    *Rule
	text    string
	order   int // among all patterns
	classes map[string]*class
	once    sync.Once
	a       *automaton
}

// automaton is the compiled pattern.
func (p *pattern) automaton() *automaton {
	p.once.Do(func() { p.a, _ = compilePattern(p.text, p.classes) }) // its outline has no fault
	return p.a
}

// automaton is a graph: its states, and what leads from one to the next.
type automaton struct {
	states [][]arc
	accept int
}

// arc leads to a state by a word, by a slot, or by nothing.
type arc struct {
	to    int
	word  string // lower case
	exact bool   // in this form alone
	class *class // or by one of a list of words
	stem  string
	slot  string
	sort  string
}

func (a *arc) empty() bool { return a.word == "" && a.sort == "" && a.class == nil }

// class is a list of words for the same thing, each a chain of arcs.
type class struct {
	phrases [][]arc
	byStem  map[string][]int // of their first words
	begins  []*pattern       // with one of them, in order
}

func newClass(phrases []string) *class {
	c := &class{byStem: map[string][]int{}}
	for _, text := range phrases {
		var words []arc
		for _, w := range strings.Fields(text) {
			words = append(words, wordArc(w))
		}
		if len(words) > 0 {
			c.byStem[words[0].stem] = append(c.byStem[words[0].stem], len(c.phrases))
			c.phrases = append(c.phrases, words)
		}
	}
	return c
}

// wordArc leads on by a word; word! by the word in no other form.
func wordArc(w string) arc {
	word, exact := strings.CutSuffix(strings.ToLower(w), "!")
	return arc{word: word, stem: retrieve.Stem(word), exact: exact && word != ""}
}

// compilePattern reads a pattern; classes are those that it may name.
func compilePattern(text string, classes map[string]*class) (*automaton, error) {
	p := &patternReader{text: text, classes: classes, a: &automaton{states: make([][]arc, 1)}}
	end, _, err := p.whole()
	if err != nil {
		return nil, err
	}
	p.a.accept = end
	p.a.close()
	return p.a, nil
}

// outline reads a pattern and tells of each word, class and slot of it, and whether the pattern may begin with that. nothing reports that
// the pattern may be nothing at all.
func outline(text string, classes map[string]*class, see func(a arc, first bool)) (nothing bool, err error) {
	p := &patternReader{text: text, classes: classes, see: see}
	_, nothing, err = p.whole()
	return nothing, err
}

// close takes out what leads on by nothing, so that each state has the arcs of all that it leads to so.
func (a *automaton) close() {
	out := make([][]arc, len(a.states))
	seen := make([]int, len(a.states)) // the state, from 1, from which one was visited last
	for s := range a.states {
		var visit func(int)
		visit = func(at int) {
			if seen[at] == s+1 {
				return
			}
			seen[at] = s + 1
			if at == a.accept && s != a.accept {
				out[s] = append(out[s], arc{to: a.accept}) // an empty arc is left to say that it may end here
			}
			for _, next := range a.states[at] {
				if next.empty() {
					visit(next.to)
				} else {
					out[s] = append(out[s], next)
				}
			}
		}
		visit(s)
	}
	a.states = out
}

// ends reports whether a state may be the last.
func (a *automaton) ends(state int) bool {
	if state == a.accept {
		return true
	}
	for i := range a.states[state] {
		if a.states[state][i].empty() {
			return true
		}
	}
	return false
}

// patternReader reads a pattern: into an automaton, or its outline. What it reads is given the state that it begins in, and whether
// nothing need stand before it; it gives the same of what is behind it.
type patternReader struct {
	text    string
	at      int
	classes map[string]*class
	a       *automaton              // nil: the outline alone
	see     func(a arc, first bool) // nil: the automaton alone
}

// whole reads all of the pattern.
func (p *patternReader) whole() (end int, nothing bool, err error) {
	end, nothing, err = p.alternatives(0, true, 0)
	if err == nil && p.at < len(p.text) {
		err = fmt.Errorf("%q closes nothing", p.text[p.at:])
	}
	if err != nil {
		err = fmt.Errorf("%q: %w", p.text, err)
	}
	return end, nothing, err
}

func (p *patternReader) state() int {
	if p.a == nil {
		return 0
	}
	p.a.states = append(p.a.states, nil)
	return len(p.a.states) - 1
}

func (p *patternReader) arc(from int, a arc) {
	if p.a != nil {
		p.a.states[from] = append(p.a.states[from], a)
	}
}

// lead goes on to a state of its own.
func (p *patternReader) lead(from int, first bool, a arc) int {
	if p.see != nil {
		p.see(a, first)
	}
	a.to = p.state()
	p.arc(from, a)
	return a.to
}

// alternatives reads sequences with | between, up to the closing sign.
func (p *patternReader) alternatives(from int, first bool, closing byte) (int, bool, error) {
	end, passed := p.state(), false
	for {
		got, open, err := p.sequence(from, first)
		if err != nil {
			return 0, false, err
		}
		passed = passed || open
		p.arc(got, arc{to: end})
		if p.at < len(p.text) && p.text[p.at] == '|' {
			p.at++
			continue
		}
		if closing == 0 {
			return end, passed, nil
		}
		if p.at >= len(p.text) || p.text[p.at] != closing {
			return 0, false, fmt.Errorf("want %q", closing)
		}
		p.at++
		return end, passed, nil
	}
}

func (p *patternReader) sequence(from int, first bool) (int, bool, error) {
	for p.at < len(p.text) {
		var err error
		switch c := p.text[p.at]; c {
		case ' ', '\t', '\n':
			p.at++
		case '|', ')', ']':
			return from, first, nil
		case '(':
			p.at++
			if from, first, err = p.alternatives(from, first, ')'); err != nil {
				return 0, false, err
			}
		case '[':
			p.at++
			begin := from
			if from, _, err = p.alternatives(from, first, ']'); err != nil {
				return 0, false, err
			}
			p.arc(begin, arc{to: from})
		case '{':
			text, err := p.until('}')
			if err != nil {
				return 0, false, err
			}
			slot, sort, ok := strings.Cut(text, ":")
			if !ok {
				sort = slot
				slot = strings.TrimSuffix(slot, "+")
			}
			if slot == "" || sort == "" {
				return 0, false, fmt.Errorf("want {slot:sort}, got {%s}", text)
			}
			from, first = p.lead(from, first, arc{slot: slot, sort: sort}), false
		case '<':
			name, err := p.until('>')
			if err != nil {
				return 0, false, err
			}
			of, ok := p.classes[name]
			if !ok {
				return 0, false, fmt.Errorf("there is no list of words <%s>", name)
			}
			from, first = p.lead(from, first, arc{class: of}), false
		default:
			end := p.at
			for end < len(p.text) && !isSign(p.text[end]) {
				end++
			}
			if end == p.at {
				return 0, false, fmt.Errorf("%q closes nothing", p.text[p.at:])
			}
			a := wordArc(p.text[p.at:end])
			from, first = p.lead(from, first, a), first && a.empty()
			p.at = end
		}
	}
	return from, first, nil
}

// isSign reports what ends a word.
func isSign(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '|', '(', ')', '[', ']', '{', '}', '<', '>':
		return true
	}
	return false
}

func (p *patternReader) until(closing byte) (string, error) {
	end := strings.IndexByte(p.text[p.at:], closing)
	if end < 0 {
		return "", fmt.Errorf("want %q", closing)
	}
	text := p.text[p.at+1 : p.at+end]
	p.at += end + 1
	return text, nil
}
