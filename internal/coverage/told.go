package coverage

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"pflow/internal/diag"
	"pflow/internal/extract"
	"pflow/internal/retrieve"
)

// Problem is what is wrong with a part, or with the lack of one.
type Problem struct {
	Part         int // its index; -1: a part is lacking
	Message      string
	Suggestion   string
	Alternatives []string
}

// Told accounts for a request by what a model says: parts have a text copied from the request, and what stands for it. Their
// places, and what they leave open, are found here. Of a clause that something stands for only what asks for something to be
// done, limits it or is a value can be open. entities are the values that stand in the request, known the names that may stand
// for words, node:ID and input:NAME. The time is linear in the request, for each part.
func Told(ctx context.Context, request string, entities []extract.Entity, parts []Part, known []string) (Coverage, []Problem, error) {
	a := &accounting{request: request, spaced: squeeze(request), entities: entities, clauses: retrieve.Clauses(request, nil), cover: make([]bool, len(request)), next: map[string]int{}}
	a.folded = fold(a.spaced.text)
	for _, i := range longestFirst(parts) {
		if err := ctx.Err(); err != nil {
			return Coverage{}, nil, err
		}
		a.place(i, parts[i], known)
	}
	slices.SortStableFunc(a.problems, func(x, y Problem) int { return cmp.Compare(x.Part, y.Part) })
	slices.SortStableFunc(a.Parts, func(x, y Part) int { return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(x.End, y.End)) })
	for _, c := range a.clauses {
		a.clause(c[0], c[1])
	}
	return a.Coverage, a.problems, nil
}

type accounting struct {
	Coverage
	problems []Problem
	request  string
	spaced   squeezed
	folded   string // spaced in lower case, of the same length
	entities []extract.Entity
	clauses  [][2]int
	cover    []bool         // per byte: something stands for it
	next     map[string]int // per text: where its next occurrence may begin
}

// longestFirst is the order in which parts are placed: a name of a file that is also the end of an address, which is a part
// as well, is looked for when the address has its place.
func longestFirst(parts []Part) []int {
	order := make([]int, len(parts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(len(parts[y].Text), len(parts[x].Text)) })
	return order
}

// place finds a part: of texts that are given twice the first stands for the first occurrence.
func (a *accounting) place(i int, p Part, known []string) {
	text := strings.Join(strings.Fields(p.Text), " ")
	from, to := -1, -1
	if text != "" {
		from, to = a.find(a.spaced.text, text)
		if from < 0 {
			from, to = a.find(a.folded, fold(text))
		}
	}
	if from < 0 {
		a.problems = append(a.problems, Problem{Part: i, Message: fmt.Sprintf("the request has no words %q that are not taken; copy each text from the request, in its order", excerpt(p.Text))})
		return
	}
	if p.By != Phrase && !slices.Contains(known, p.By) {
		a.problems = append(a.problems, Problem{Part: i, Suggestion: diag.Nearest(p.By, known), Alternatives: append(slices.Clone(known[:min(len(known), 18)]), Phrase),
			Message: fmt.Sprintf("%q cannot stand for %q; by is node:ID or input:NAME of the workflow, or phrase", p.By, excerpt(p.Text))})
		return
	}
	if p.By == Phrase {
		if weight := a.weight(from, to); weight != "" {
			a.problems = append(a.problems, Problem{Part: i, Message: fmt.Sprintf("%q is more than a phrase: %s; say which node or input stands for it", excerpt(p.Text), weight)})
			return
		}
	}
	for k := from; k < to; k++ {
		a.cover[k] = true
	}
	a.Parts = append(a.Parts, Part{a.request[from:to], from, to, p.By})
}

// find gives the next place of a text that cuts no word, in the request; one that nothing stands for yet, if there is one.
// It is -1 if there is none.
func (a *accounting) find(in, text string) (from, to int) {
	nested := -1
	for at := a.next[text]; at <= len(in)-len(text); {
		k := strings.Index(in[at:], text)
		if k < 0 {
			break
		}
		from, to := at+k, at+k+len(text)
		_, size := utf8.DecodeRuneInString(in[from:])
		at = from + size
		if cuts(in, from) || cuts(in, to) {
			continue
		}
		if slices.Contains(a.cover[a.spaced.at[from]:a.spaced.at[to-1]+1], false) {
			a.next[text] = to
			return a.spaced.at[from], a.spaced.at[to-1] + 1
		}
		if nested < 0 {
			nested = from
		}
		at = to
	}
	if nested < 0 {
		return -1, -1
	}
	a.next[text] = nested + len(text)
	return a.spaced.at[nested], a.spaced.at[nested+len(text)-1] + 1
}

// cuts reports whether a place is inside a word.
func cuts(s string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	behind, _ := utf8.DecodeRuneInString(s[at:])
	return inWord(before) && inWord(behind)
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// clause looks for what nothing stands for in one wish of the request: all of it, or words that carry weight.
func (a *accounting) clause(from, to int) {
	words := retrieve.Words(a.request[from:to])
	spoken, content := false, false
	for _, w := range words {
		spoken = spoken || a.cover[from+w.Start] && a.stands(from+w.Start)
		content = content || !w.Stop && !retrieve.LeadsIn(w.Text)
	}
	if !spoken {
		if a.covered(from, to) || !content {
			return // politeness
		}
		a.leave(from, to, "nothing stands for it")
		return
	}
	for _, gap := range a.gaps(from, to) {
		why := a.weight(gap[0], gap[1])
		if first := a.first(gap[0], gap[1]); why == "" && first != "" {
			why = fmt.Sprintf("%q begins what is asked for", first)
		}
		if why != "" {
			a.leave(gap[0], gap[1], why)
		}
	}
}

// stands reports whether something other than a phrase stands for a place.
func (a *accounting) stands(at int) bool {
	return slices.ContainsFunc(a.Parts, func(p Part) bool { return p.Start <= at && at < p.End && p.By != Phrase })
}

// covered reports whether every word of a stretch has something that stands for it.
func (a *accounting) covered(from, to int) bool {
	return !slices.ContainsFunc(a.gaps(from, to), func(gap [2]int) bool {
		return slices.ContainsFunc(retrieve.Words(a.request[gap[0]:gap[1]]), func(w retrieve.Word) bool { return !w.Stop })
	})
}

// gaps are the stretches that nothing stands for.
func (a *accounting) gaps(from, to int) (out [][2]int) {
	for at := from; at < to; {
		if a.cover[at] {
			at++
			continue
		}
		start := at
		for at < to && !a.cover[at] {
			at++
		}
		out = append(out, [2]int{start, at})
	}
	return out
}

// weight says why a stretch of the request cannot be left out, "" if it can: it asks for something to be done, limits it,
// or names a value.
func (a *accounting) weight(from, to int) string {
	text := a.request[from:to]
	for _, w := range retrieve.Words(text) {
		if retrieve.LeadsIn(w.Text) {
			continue
		}
		if retrieve.IsVerb(w.Text) && a.leads(from+w.Start) {
			return fmt.Sprintf("%q is something to do", text[w.Start:w.End])
		}
		break
	}
	for k := sort.Search(len(a.entities), func(k int) bool { return a.entities[k].Start >= from }); k < len(a.entities); k++ {
		e := a.entities[k]
		if e.Start >= to {
			break
		}
		if e.End <= to && e.Kind != extract.Identifier {
			return fmt.Sprintf("%q is a value", e.Text)
		}
	}
	for _, w := range retrieve.Words(text) {
		if grave[w.Text] {
			return fmt.Sprintf("%q limits what is done", text[w.Start:w.End])
		}
	}
	return ""
}

// first is the word with which a clause begins, if that is in a stretch of it and says something, else "".
func (a *accounting) first(from, to int) string {
	for _, w := range retrieve.Words(a.request[from:to]) {
		if retrieve.LeadsIn(w.Text) {
			continue
		}
		if !w.Stop && a.leads(from+w.Start) {
			return a.request[from+w.Start : from+w.End]
		}
		break
	}
	return ""
}

// leads reports whether a place is the first word of a clause, but for words that lead in to it.
func (a *accounting) leads(at int) bool {
	k := sort.Search(len(a.clauses), func(k int) bool { return a.clauses[k][1] > at })
	if k < len(a.clauses) {
		c := a.clauses[k]
		for _, w := range retrieve.Words(a.request[c[0]:at]) {
			if !retrieve.LeadsIn(w.Text) {
				return false
			}
		}
	}
	return k < len(a.clauses)
}

func (a *accounting) leave(from, to int, why string) {
	blank := func(r rune) bool { return unicode.IsSpace(r) || r == ',' || r == ';' || r == '.' }
	from += len(a.request[from:to]) - len(strings.TrimLeftFunc(a.request[from:to], blank))
	to -= len(a.request[from:to]) - len(strings.TrimRightFunc(a.request[from:to], blank))
	text := a.request[from:to]
	a.Coverage.Open = append(a.Coverage.Open, Open{text, from, to, why})
	a.problems = append(a.problems, Problem{Part: -1, Message: fmt.Sprintf("no part is for %q (%s); let the workflow do it, and say which node or input stands for it", excerpt(text), why)})
}

// squeezed is a text with each run of blanks as one; at holds, per byte, where it was.
type squeezed struct {
	text string
	at   []int
}

func squeeze(s string) squeezed {
	var b strings.Builder
	at := make([]int, 0, len(s))
	blank := false
	for i, r := range s {
		if unicode.IsSpace(r) {
			if !blank {
				b.WriteByte(' ')
				at = append(at, i)
			}
			blank = true
			continue
		}
		blank = false
		size := utf8.RuneLen(r)
		if size < 0 || !strings.HasPrefix(s[i:], string(r)) {
			size = 1 // no UTF-8: the byte as it is
		}
		b.WriteString(s[i : i+size])
		for k := range size {
			at = append(at, i+k)
		}
	}
	return squeezed{b.String(), at}
}

// fold writes ASCII letters in lower case, so that a text keeps its length.
func fold(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// excerpt is a text as a message quotes it.
func excerpt(s string) string {
	const most = 120
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
