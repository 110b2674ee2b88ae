package when

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word of a request, a mark between words, or a quoted text. start and end are byte offsets.
type token struct {
	text       string // in lower case
	raw        string
	start, end int
	quoted     bool
}

// dotted are words that end in a dot of their own.
var dotted = regexp.MustCompile(`^\d*(a|p)\.m\.$`)

// cut makes tokens of a request. Names of days and numbers that stand together with hyphens, slashes or commas are words of their own.
func cut(request string) (out []token) {
	add := func(start, end int, quoted bool) {
		if start < end {
			out = append(out, token{strings.ToLower(request[start:end]), request[start:end], start, end, quoted})
		}
	}
	for i := 0; i < len(request); {
		r, size := utf8.DecodeRuneInString(request[i:])
		if unicode.IsSpace(r) {
			i += size
			continue
		}
		if end := quoteEnd(request, i); end > 0 {
			add(i, end, true)
			i = end
			continue
		}
		end := i
		for end < len(request) {
			r, size := utf8.DecodeRuneInString(request[end:])
			if unicode.IsSpace(r) {
				break
			}
			end += size
		}
		word(request, i, end, add)
		i = end
	}
	return out
}

// quoteEnd is behind the quoted text that begins at i, 0 where none does.
func quoteEnd(request string, i int) int {
	for _, q := range [][2]string{{`"`, `"`}, {"'", "'"}, {"`", "`"}, {"“", "”"}, {"‘", "’"}} {
		if rest, ok := strings.CutPrefix(request[i:], q[0]); ok {
			if n := strings.Index(rest, q[1]); n > 0 {
				return i + len(q[0]) + n + len(q[1])
			}
		}
	}
	return 0
}

// word cuts what stands between white space.
func word(request string, start, end int, add func(start, end int, quoted bool)) {
	for start < end && strings.IndexByte("([,;", request[start]) >= 0 {
		add(start, start+1, false)
		start++
	}
	stop := end
	for stop > start && strings.IndexByte(".,;:!?)]", request[stop-1]) >= 0 && !dotted.MatchString(strings.ToLower(request[start:stop])) && request[start:stop] != "." {
		stop--
	}
	whole := strings.ToLower(request[start:stop])
	if cuts := parts(whole); len(cuts) > 1 {
		at := start
		for _, c := range cuts {
			add(at, at+len(c), false)
			at += len(c)
		}
	} else {
		add(start, stop, false)
	}
	for ; stop < end; stop++ {
		add(stop, stop+1, false)
	}
}

var joints = regexp.MustCompile(`[-–/,&]`)

// parts cuts a word into names of days or clock times and what joins them: mon-fri, 9-17, tue/thu. Any other word is whole.
func parts(word string) []string {
	w := words()
	var out []string
	last, clocks, named := 0, 0, 0
	check := func(p string) bool {
		_, day := w.day[p]
		_, days := w.dayPlural[p]
		if day || days {
			named++
			return true
		}
		if clockForm.MatchString(p) {
			clocks++
			return true
		}
		return false
	}
	for _, at := range joints.FindAllStringIndex(word, -1) {
		if !check(word[last:at[0]]) {
			return nil
		}
		out = append(out, word[last:at[0]], word[at[0]:at[1]])
		last = at[1]
	}
	if !check(word[last:]) || named > 0 && clocks > 0 || clocks > 0 && (clocks != 2 || slices.Contains(out, "/") || slices.Contains(out, "&")) {
		return nil
	}
	return append(out, word[last:])
}

// is reports whether a token is one of some words.
func (p *parser) is(i int, of ...string) bool {
	return i >= 0 && i < len(p.toks) && !p.toks[i].quoted && slices.Contains(of, p.toks[i].text)
}

// in is the same for a list of the lexicon, of which words may be several; n is how many tokens it takes.
func (p *parser) in(i int, of []string) (n int) {
	for _, one := range of {
		if k := p.phrase(i, one); k > n {
			n = k
		}
	}
	return n
}

// phrase reads words in a row; 0 where they do not stand there.
func (p *parser) phrase(i int, said string) int {
	n := 0
	for w := range strings.FieldsSeq(said) {
		if !p.is(i+n, w) {
			return 0
		}
		n++
	}
	return n
}

func (p *parser) text(i int) string {
	if i < 0 || i >= len(p.toks) || p.toks[i].quoted {
		return ""
	}
	return p.toks[i].text
}

// skip is the place behind such words, if they stand there.
func (p *parser) skip(i int, of ...string) int {
	for p.is(i, of...) {
		i++
	}
	return i
}
