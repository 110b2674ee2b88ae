package web

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// coverage is what stands for the parts of a request.
type coverage struct {
	Parts []coverPart `json:"parts"`
	Open  []coverPart `json:"open"`
}

type coverPart struct {
	Text       string `json:"text"`
	Start, End json.Number
	By         string `json:"by"`
	Why        string `json:"why"`
}

// mark is a piece of a request, and what stands for it.
type mark struct {
	Text string
	N    int    // of what stands for it in the legend, counted from 1; 0: nothing does, and it asks for nothing
	Open bool   // nothing does it
	Was  bool   // another value was given in its place
	Why  string // of one that is open
	For  string // in words
	Href string // where that is shown
}

// meaning is an entry of the legend.
type meaning struct {
	N    int
	Kind string // step, input or ""
	For  string
	Href string
}

const maxMarks = 2000 // parts of a request that are marked

// marksOf cuts a request into pieces. Where offsets are not of this text, as where secrets in it are masked, nothing is marked.
func marksOf(request string, c coverage) (marks []mark, legend []meaning) {
	type span struct {
		start, end int
		open       bool
		part       coverPart
	}
	var spans []span
	add := func(p coverPart, open bool) bool {
		start, err1 := p.Start.Int64()
		end, err2 := p.End.Int64()
		if err1 != nil || err2 != nil || start < 0 || start >= end || end > int64(len(request)) {
			return true
		}
		if request[start:end] != p.Text {
			return false
		}
		if p.By != "phrase" && (open || p.By != "") && len(spans) < maxMarks {
			spans = append(spans, span{int(start), int(end), open, p})
		}
		return true
	}
	for _, p := range c.Parts {
		if !add(p, false) {
			return []mark{{Text: request}}, nil
		}
	}
	for _, p := range c.Open {
		if !add(p, true) {
			return []mark{{Text: request}}, nil
		}
	}
	slices.SortStableFunc(spans, func(x, y span) int {
		return cmp.Or(cmp.Compare(y.end-y.start, x.end-x.start), cmp.Compare(x.start, y.start))
	})
	owner := make([]int, len(request)) // 1 + the index of the shortest span that holds the byte
	for i, s := range spans {
		for k := s.start; k < s.end; k++ {
			owner[k] = i + 1
		}
	}
	number := map[string]int{}
	for at := 0; at < len(request); {
		end := at
		for end < len(request) && owner[end] == owner[at] {
			end++
		}
		m := mark{Text: request[at:end]}
		if o := owner[at]; o > 0 {
			of := spans[o-1]
			if m.Open, m.Why = of.open, of.part.Why; !of.open {
				if _, has := number[of.part.By]; !has {
					kind, name, href := standsFor(of.part.By)
					number[of.part.By] = len(legend) + 1
					legend = append(legend, meaning{len(legend) + 1, kind, name, href})
				}
				m.N = number[of.part.By]
				m.Was = strings.HasPrefix(of.part.By, "given:")
				m.For, m.Href = legend[m.N-1].For, legend[m.N-1].Href
			}
		}
		marks = append(marks, m)
		at = end
	}
	return marks, legend
}

// standsFor says in words what stands for a part, and where on the page it is.
func standsFor(by string) (kind, name, href string) {
	kind, name, named := strings.Cut(by, ":")
	switch {
	case named && kind == "node":
		return "step", name, "#do-" + name
	case named && kind == "input":
		return "input", name, "#in-" + name
	case named && kind == "given":
		return "another value was given", name, "#in-" + name
	case by == "trigger":
		return "", "when it runs", "#when"
	case by == "workflow":
		return "", "what the workflow says it does", "#steps"
	case by == "value":
		return "", "a value of a step", "#steps"
	}
	return "", by, "#steps"
}

const hues = 6 // that marks have; app.css knows them

// Hue is one of the colours of marks. The number beside it is what tells them apart.
func (m mark) Hue() int { return (m.N-1)%hues + 1 }

// Hue is that of its marks.
func (m meaning) Hue() int { return (m.N-1)%hues + 1 }
