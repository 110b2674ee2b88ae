package phrase

import (
	"fmt"
	"strings"

	"pflow/internal/retrieve"
)

// A pattern is a phrase with slots: words, [what may be left out], (one|or another), {slot:sort} and <class>, a list of
// words of its own; word! is the word in no other form. {sort} is {sort:sort}; {slot:sort+} is one or several, as in a, b and c.
//
// It is compiled to a graph: the states of an automaton, and what leads from one to the next.
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
	end, err := p.alternatives(0, 0)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	if p.at < len(p.text) {
		return nil, fmt.Errorf("%q: %q closes nothing", text, p.text[p.at:])
	}
	p.a.accept = end
	p.a.close()
	return p.a, nil
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

type patternReader struct {
	text    string
	at      int
	classes map[string]*class
	a       *automaton
}

func (p *patternReader) state() int {
	p.a.states = append(p.a.states, nil)
	return len(p.a.states) - 1
}

func (p *patternReader) arc(from int, a arc) { p.a.states[from] = append(p.a.states[from], a) }

// alternatives reads sequences with | between, up to the closing sign, and gives the state behind them.
func (p *patternReader) alternatives(from int, closing byte) (int, error) {
	end := p.state()
	for {
		got, err := p.sequence(from)
		if err != nil {
			return 0, err
		}
		p.arc(got, arc{to: end})
		if p.at < len(p.text) && p.text[p.at] == '|' {
			p.at++
			continue
		}
		if closing == 0 {
			return end, nil
		}
		if p.at >= len(p.text) || p.text[p.at] != closing {
			return 0, fmt.Errorf("want %q", closing)
		}
		p.at++
		return end, nil
	}
}

func (p *patternReader) sequence(from int) (int, error) {
	for p.at < len(p.text) {
		var err error
		switch c := p.text[p.at]; c {
		case ' ', '\t', '\n':
			p.at++
		case '|', ')', ']':
			return from, nil
		case '(':
			p.at++
			if from, err = p.alternatives(from, ')'); err != nil {
				return 0, err
			}
		case '[':
			p.at++
			begin := from
			if from, err = p.alternatives(from, ']'); err != nil {
				return 0, err
			}
			p.arc(begin, arc{to: from})
		case '{':
			text, err := p.until('}')
			if err != nil {
				return 0, err
			}
			slot, sort, ok := strings.Cut(text, ":")
			if !ok {
				sort = slot
				slot = strings.TrimSuffix(slot, "+")
			}
			if slot == "" || sort == "" {
				return 0, fmt.Errorf("want {slot:sort}, got {%s}", text)
			}
			to := p.state()
			p.arc(from, arc{to: to, slot: slot, sort: sort})
			from = to
		case '<':
			name, err := p.until('>')
			if err != nil {
				return 0, err
			}
			of, ok := p.classes[name]
			if !ok {
				return 0, fmt.Errorf("there is no list of words <%s>", name)
			}
			to := p.state()
			p.arc(from, arc{to: to, class: of})
			from = to
		default:
			end := p.at
			for end < len(p.text) && !strings.ContainsRune(" \t\n|()[]{}<>", rune(p.text[end])) {
				end++
			}
			if end == p.at {
				return 0, fmt.Errorf("%q closes nothing", p.text[p.at:])
			}
			from = p.words(from, []string{p.text[p.at:end]})
			p.at = end
		}
	}
	return from, nil
}

// words leads through words, one behind the other.
func (p *patternReader) words(from int, words []string) int {
	for _, w := range words {
		to := p.state()
		a := wordArc(w)
		a.to = to
		p.arc(from, a)
		from = to
	}
	return from
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
