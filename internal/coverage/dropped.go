package coverage

import (
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// dropped counts the values of a request that nothing takes while something takes one that they are joined to: the weather in Paris
// and London, of which London is taken. To do that for one of them is to do it in part, whatever else is explained. words are those
// of the request, with what stands for each.
func (c Coverage) dropped(request string, words []placed) int {
	n := 0
	for _, plain := range []bool{false, true} {
		row := c.written(request, words, plain)
		for from := 0; from < len(row); {
			to := from + 1
			for to < len(row) && joined(request, words, row[to-1], row[to]) {
				to++
			}
			n += droppedOf(request, row[from:to])
			from = to
		}
	}
	return n
}

// droppedOf counts the open ones of values in a row. Commas alone join the parts of an address, too.
func droppedOf(request string, row []written) int {
	if len(row) < 2 {
		return 0
	}
	open := 0
	for _, v := range row {
		if v.open {
			open++
		}
	}
	if open == len(row) || !conjoins.MatchString(request[row[len(row)-2].end:row[len(row)-1].start]) {
		return 0
	}
	return open
}

// written is a value as a request writes it.
type written struct {
	start, end int
	form       form
	open       bool
}

// written lists what is written like a value and either taken or open, in the order of the request; the plain words that are if plain.
func (c Coverage) written(request string, words []placed, plain bool) []written {
	var out []written
	add := func(v written) {
		if v.start == v.end {
			return
		}
		if v.form = formOf(request, v.start, v.end); (v.form == aWord) != plain {
			return
		}
		if n := len(out) - 1; n >= 0 && out[n].open == v.open && (out[n].end >= v.start || out[n].form == v.form && strings.Trim(request[out[n].end:v.start], " -.'’") == "") {
			out[n].end = max(out[n].end, v.end)
			return
		}
		out = append(out, v)
	}
	part := 0
	for _, w := range words {
		for ; part < len(c.Parts) && c.Parts[part].Start <= w.Start; part++ {
			if p := c.Parts[part]; strings.HasPrefix(p.By, "input:") {
				add(written{start: p.Start, end: p.End})
			}
		}
		if w.open && w.by != aValue {
			start, end := token(request, w.Start, w.End)
			add(written{start: start, end: end, open: true})
		}
	}
	return out
}

// token widens a place to the blanks around it, quotes, brackets and the signs that end a clause left out.
func token(request string, start, end int) (int, int) {
	from := 0
	if n := strings.LastIndexFunc(request[:start], apart); n >= 0 {
		_, size := utf8.DecodeRuneInString(request[n:])
		from = n + size
	}
	to := len(request)
	if n := strings.IndexFunc(request[end:], apart); n >= 0 {
		to = end + n
	}
	return from, max(end, from+len(strings.TrimRight(request[from:to], ".,:;!?")))
}

// apart reports whether a sign stands between tokens.
func apart(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("\"“”‘`()[]{}<>,;", r)
}

// form is how a value is written.
type form int

const (
	aWord form = iota
	aText      // in capitals where no sentence begins, or in quotes
	aNumber
	aCode // with digits, dots or slashes inside: a path, an identifier
)

func formOf(request string, start, end int) form {
	before, after, text := request[:start], request[end:], request[start:end]
	first, _ := utf8.DecodeRuneInString(text)
	switch {
	case before != "" && after != "" && strings.ContainsRune(`"'“‘`+"`", lastRune(before)) && strings.ContainsAny(after[:1], `"'”’`+"`"):
		return aText
	case strings.Trim(text, "0123456789.,$%") == "":
		return aNumber
	case strings.ContainsAny(text, "0123456789_/\\") || strings.Contains(strings.TrimRight(text, "."), "."):
		return aCode
	case unicode.IsUpper(first) && text != "I" && !beginsSentence(before):
		return aText
	}
	return aWord
}

func lastRune(text string) rune {
	r, _ := utf8.DecodeLastRuneInString(text)
	return r
}

// beginsSentence reports whether a sentence begins behind a text: whatever stands there has a capital.
func beginsSentence(before string) bool {
	before = strings.TrimRight(before, " \t\"'“‘(")
	return before == "" || strings.ContainsRune(".!?:\n", lastRune(before))
}

// joined reports whether what stands between two values joins them: and, or, a comma, besides words of grammar, of what is done, and a
// thing or two that is wanted as well: in Paris and the weather in London. What is not written like a value is joined by those alone.
func joined(request string, words []placed, a, b written) bool {
	if a.form != b.form || a.end > b.start {
		return false
	}
	if a.form == aWord && (a.open || !endsWish(request[b.end:])) {
		return false // any word may stand behind any other
	}
	between := request[a.end:b.start]
	joins := valueJoins.FindAllStringIndex(between, -1)
	if len(joins) == 0 || strings.ContainsAny(between, ".;:!?()\n") {
		return false
	}
	others := 0
	behind := words[wordAt(words, b.start):]
	for k := wordAt(words, a.end); k < len(words) && words[k].End <= b.start; k++ {
		w := words[k]
		switch {
		case slices.ContainsFunc(joins, func(j []int) bool { return a.end+j[0] <= w.Start && w.End <= a.end+j[1] }):
		case a.form == aWord || pronouns[w.Text]:
			return false
		case !w.Stop && w.by != aStep && !again(behind, w):
			others++
		}
	}
	return others <= mostOthers
}

// endsWish reports whether a text begins with the end of a sentence.
func endsWish(behind string) bool {
	behind = strings.TrimLeft(behind, " \t")
	return behind == "" || strings.ContainsAny(behind[:1], ".!?;\n")
}

// mostOthers is how many words that nothing explains may stand between values of a row.
const mostOthers = 1

// wordAt is the first word that begins at a place or behind it.
func wordAt(words []placed, from int) int {
	return sort.Search(len(words), func(k int) bool { return words[k].Start >= from })
}

// again reports whether a word is said of the next value as well: 10 years and 20 years.
func again(behind []placed, w placed) bool {
	return slices.ContainsFunc(behind[:min(len(behind), mostBehind)], func(o placed) bool { return o.Stem == w.Stem })
}

// mostBehind is how many words behind the beginning of a value are looked at.
const mostBehind = 4

var (
	conjoins   = regexp.MustCompile(`\b(?:and|or|plus)\b|\bas well as\b|&`)
	valueJoins = regexp.MustCompile(`^["'”’]?\s*,|\b(?:and|or|plus)\b|\bas well as\b|&`)
)
