// Package coverage says what stands for each part of a request, and what nothing stands for.
package coverage

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"pflow/internal/retrieve"
)

// Part is a piece of a request and what stands for it: node:ID, input:NAME, workflow for what a saved workflow says of
// itself, or phrase for what asks for nothing. Start and End are byte offsets.
type Part struct {
	Text       string
	Start, End int
	By         string
}

// Open is a piece of a request that nothing stands for.
type Open struct {
	Text       string
	Start, End int
	Why        string
}

// Coverage is a request, accounted for. Both lists are in the order of the request.
type Coverage struct {
	Parts []Part
	Open  []Open
}

// Phrase is what stands for words that ask for nothing.
const Phrase = "phrase"

// Value is a text that an input or a step takes. A pattern of paths stands for what it ends in, too: *.go for ".go". Start and End are byte offsets where its place in the request is known, else
// both are 0 and it is looked for.
type Value struct {
	By         string
	Text       string
	Start, End int
}

// Said are the texts in which something says what it does.
type Said struct {
	By    string
	Texts []string
	// Past are past requests, their values left out, where they and the texts are all there is to know what it does, such as
	// of what runs a program: it stands for every word of a clause of which it has enough; see wholes.
	Past []string
}

// grave are words of grammar that change what is asked for: negation, exception, condition and repetition. No component's
// words explain them.
var grave = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`not no never none nothing don't don’t doesn't doesn’t can't can’t cannot won't won’t without except excepting excluding
		unless only if until till once twice thrice again otherwise instead whenever`) {
		out[w] = true
	}
	return out
}()

// times are the units and days by which every is a schedule: every morning. Before anything else it says all: every file.
var times = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`second minute hour day night morning noon afternoon evening midnight weekday weekend week month quarter year time
		monday tuesday wednesday thursday friday saturday sunday other`) {
		out[w], out[w+"s"] = true, true
	}
	return out
}()

// isGrave reports whether the word at a place changes what is asked for.
func isGrave(words []retrieve.Word, k int) bool {
	if words[k].Text != "every" {
		return grave[words[k].Text]
	}
	return k+1 == len(words) || times[words[k+1].Text] || strings.ContainsAny(words[k+1].Text[:1], "0123456789")
}

// light are verbs that say nothing without what follows them: put a copy, take a look.
var light = map[string]bool{"put": true, "take": true}

// referring are words for what a workflow gives, whatever that is: every step that takes it stands for them.
var referring = map[string]bool{"output": true, "outputs": true, "result": true, "results": true}

// noTaker is why a value is open.
const noTaker = "nothing in it takes this value"

// ByWords accounts for a request by words alone: a word is explained by a value that holds it, else by the first of said
// that has a word of its stem. What says too little to tell anything is a phrase. marks are further places that are open
// where no value holds them, such as a number that nothing takes. The time is linear in request and texts.
func ByWords(request string, said []Said, values []Value, marks [][2]int) Coverage {
	taken := place(request, values)
	by := map[string][]string{}
	for _, s := range said {
		for _, texts := range [][]string{s.Texts, s.Past} {
			for _, text := range texts {
				for _, w := range retrieve.Words(text) {
					if !w.Stop && !slices.Contains(by[w.Stem], s.By) {
						by[w.Stem] = append(by[w.Stem], s.By)
					}
				}
			}
		}
	}
	whole := wholes(request, said, taken, marks)
	b := builder{request: request}
	next, mark, before := 0, 0, ""
	words := retrieve.Words(request)
	for k, w := range words {
		for next < len(taken) && taken[next].End <= w.Start {
			b.part(taken[next].Start, taken[next].End, taken[next].By)
			next++
		}
		if next < len(taken) && taken[next].Start <= w.Start {
			continue
		}
		for mark < len(marks) && marks[mark][1] <= w.Start {
			mark++
		}
		inMark := mark < len(marks) && marks[mark][0] <= w.Start && !held(taken, marks[mark])
		who := by[w.Stem]
		for len(whole) > 0 && whole[0].End <= w.Start {
			whole = whole[1:]
		}
		inWhole := len(whole) > 0 && whole[0].Start <= w.Start
		switch {
		case isGrave(words, k) && !inWhole:
			b.open(w.Start, w.End, "nothing in it is about this")
		case inMark && !inWhole:
			b.open(marks[mark][0], marks[mark][1], noTaker)
		case len(who) > 0 && slices.Contains(who, before):
			b.part(w.Start, w.End, before)
		case len(who) > 0:
			before = who[0]
			b.part(w.Start, w.End, before)
		case w.Stop || referring[w.Text] || light[w.Text]:
			b.part(w.Start, w.End, Phrase)
		case inWhole:
			b.part(w.Start, w.End, whole[0].By)
		default:
			b.open(w.Start, w.End, "nothing in it is about this")
		}
	}
	for ; next < len(taken); next++ {
		b.part(taken[next].Start, taken[next].End, taken[next].By)
	}
	return b.Coverage
}

// held reports whether a value that something takes is in a place: the year 2030, of which 2030 is taken.
func held(taken []Value, place [2]int) bool {
	at := sort.Search(len(taken), func(k int) bool { return taken[k].End > place[0] })
	return at < len(taken) && taken[at].Start < place[1]
}

// builder joins neighbours that the same thing stands for.
type builder struct {
	request string
	Coverage
}

func (b *builder) part(start, end int, by string) {
	if n := len(b.Parts) - 1; n >= 0 && b.Parts[n].By == by && b.close(b.Parts[n].End, start) {
		b.Parts[n].End, b.Parts[n].Text = end, b.request[b.Parts[n].Start:end]
		return
	}
	b.Parts = append(b.Parts, Part{Text: b.request[start:end], Start: start, End: end, By: by})
}

func (b *builder) open(start, end int, why string) {
	if n := len(b.Open) - 1; n >= 0 && (b.Open[n].End > start || b.Open[n].Why == why && b.close(b.Open[n].End, start)) {
		end = max(end, b.Open[n].End)
		b.Open[n].End, b.Open[n].Text = end, b.request[b.Open[n].Start:end]
		return
	}
	b.Coverage.Open = append(b.Coverage.Open, Open{Text: b.request[start:end], Start: start, End: end, Why: why})
}

// close reports whether only white space stands between two places, or none, as in a name with dots.
func (b *builder) close(from, to int) bool {
	return from <= to && (strings.TrimSpace(b.request[from:to]) == "" || !strings.ContainsAny(b.request[from:to], " \t\r\n"))
}

// place finds the places of values: in the order of the request, none inside another. A longer value comes first, and each
// takes every place at which it stands as a whole.
func place(request string, values []Value) []Value {
	order := slices.Clone(values)
	slices.SortStableFunc(order, func(a, b Value) int { return cmp.Compare(len(b.Text), len(a.Text)) })
	var out []Value
	add := func(v Value, start, end int) {
		at, _ := slices.BinarySearchFunc(out, start, func(o Value, start int) int { return cmp.Compare(o.Start, start) })
		if at > 0 && out[at-1].End > start || at < len(out) && out[at].Start < end {
			return
		}
		out = slices.Insert(out, at, Value{By: v.By, Text: request[start:end], Start: start, End: end})
	}
	for _, v := range order {
		if v.End > v.Start {
			add(v, v.Start, v.End)
			continue
		}
		for _, text := range []string{v.Text, ending(v.Text)} {
			if strings.TrimSpace(text) == "" {
				continue
			}
			for from := 0; ; {
				at := strings.Index(request[from:], text)
				if at < 0 {
					break
				}
				start := from + at
				from = start + len(text)
				if !cuts(request, start) && !cuts(request, from) {
					add(v, start, from)
				}
			}
		}
	}
	return out
}

// ending is what the names of a pattern of paths end in, "" of any other text.
func ending(text string) string {
	name := text[strings.LastIndexByte(text, '/')+1:]
	if rest := strings.TrimLeft(name, "*?"); rest != name {
		return rest
	}
	return ""
}
