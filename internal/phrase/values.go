package phrase

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"pflow/internal/extract"
	"pflow/internal/mapparams"
)

// terminals are the sorts that a value of a request is by its form.
//
//	file      a path with an ending, or a name in quotes: notes.txt, src/a.go, 'my notes.txt'
//	folder    a path or a word that has no ending: docs, src/, "my files", .
//	path      either
//	glob      a pattern of paths: *.txt
//	ending    of files, without its dot: .md, md
//	number    an integer or another number
//	date      a day, as 2006-01-02
//	time      a clock time, as 15:04
//	duration  a time such as 5m, as a text that parse_duration reads
//	bytes     a size, in bytes: 10 kB, 1 MB
//	url, email
//	json      an object or a list in JSON
//	quoted    a text in quotes
//	command   a program and its arguments: a line in quotes, or words as they stand; a list of them
//	word      one word, or a text in quotes
//	words     words, as they stand, or a text in quotes
//	caps      a word in capitals, such as ERROR, in a request that is not all capitals
//	unknown   two to four words that no phrase knows
var terminals = map[string]bool{"file": true, "folder": true, "path": true, "glob": true, "ending": true, "number": true, "integer": true, "date": true, "time": true,
	"duration": true, "bytes": true, "url": true, "email": true, "json": true, "quoted": true, "command": true, "word": true, "words": true, "caps": true, "unknown": true}

// What values cost. A word that is taken for a name could be anything.
const (
	costOfWord  = 0.3  // each word that is taken as a value, by no form of its own
	costOfText  = 0.5  // words that are taken as a text though nothing holds them together
	mostOfText  = 14   // words of such a text
	costOfKnown = 0.15 // on top, where phrases know the word
)

// literal is a value that the request has.
type literal struct {
	start, end int // byte offsets
	value      any
}

// valueAt is a value at some tokens: of a sort, for a price.
type valueAt struct {
	sort  string
	first int // tokens; last is behind
	last  int
	value any
	cost  float64
	start int // byte offsets, where they are not those of the tokens
	end   int
}

var (
	nameForm   = regexp.MustCompile(`^[\p{L}\p{N}_.][\p{L}\p{N}_.+@~-]*$`)
	folderForm = regexp.MustCompile(`^(?:\.{1,2}|~)?/?(?:[\p{L}\p{N}_.+@~-]+/)*[\p{L}\p{N}_.+@~-]*/?$`)
	endingForm = regexp.MustCompile(`^\.?[a-z][a-z0-9]{0,9}(?:\.[a-z][a-z0-9]{0,5})?$`)
	bytesForm  = regexp.MustCompile(`(?i)^([0-9]+(?:\.[0-9]+)?)\s*(bytes?|b|kb|kib|k|kilobytes?|mb|mib|m|megs?|megabytes?|gb|gib|g|gigs?|gigabytes?|tb|terabytes?)$`)
	capsForm   = regexp.MustCompile(`^[A-Z][A-Z0-9_-]*[A-Z0-9]$`)
	wholeForm  = regexp.MustCompile(`^-?[0-9]+$`)
)

// valuesOf lists what could be values of a request.
func (g *Grammar) valuesOf(r *mapparams.Request, tokens []token) []valueAt {
	var out []valueAt
	add := func(sort string, first, last int, value any, cost float64) {
		out = append(out, valueAt{sort: sort, first: first, last: last, value: value, cost: cost, start: tokens[first].start, end: tokens[last-1].end})
	}
	for k := range tokens {
		t := &tokens[k]
		switch {
		case t.sign:
			continue
		case t.quoted:
			text := unquote(t.text)
			for _, sort := range []string{"quoted", "word", "words"} {
				add(sort, k, k+1, text, 0)
			}
			if words := commandLine(text); words != nil {
				add("command", k, k+1, words, 0)
			}
			if text != "" && !strings.ContainsAny(text, "\n\x00") {
				add("path", k, k+1, text, 0.02)
				if path.Ext(text) != "" {
					add("file", k, k+1, text, 0.01)
				}
				add("folder", k, k+1, text, 0.05)
			}
			if mapparams.IsPattern(text) {
				add("glob", k, k+1, text, 0.05)
			}
			if endingForm.MatchString(text) && text[0] == '.' {
				add("ending", k, k+1, text[1:], 0.02)
			}
			continue
		}
		g.wordValues(t, k, add)
		if k+1 < len(tokens) && tokens[k+1].start-t.end <= 1 {
			if n, ok := bytesOf(t.text + " " + tokens[k+1].word); ok {
				add("bytes", k, k+2, n, 0)
			}
		}
	}
	for _, e := range r.Entities {
		entityValue(e, tokens, add)
	}
	g.texts(tokens, add)
	g.commands(tokens, add)
	unknowns(tokens, g.knows, g.isFiller, add)
	if strings.ToUpper(r.Text) != r.Text {
		for k := range tokens {
			text := tokens[k].text
			if one := strings.TrimSuffix(text, "s"); len(one) > 2 && capsForm.MatchString(one) {
				text = one // TODOs
			}
			if !tokens[k].quoted && capsForm.MatchString(text) {
				add("caps", k, k+1, text, 0.05)
			}
		}
	}
	return out
}

// unknowns are the stretches of a few words that no phrase knows: a name, or what is looked for.
func unknowns(tokens []token, known func(*token) bool, filler func([]token) int, add func(string, int, int, any, float64)) {
	const most = 4
	for first := range tokens {
		for last := first + 1; last <= min(len(tokens), first+most); last++ {
			if t := &tokens[last-1]; t.sign || t.quoted || known(t) {
				break
			}
			if last > first+1 && filler(tokens[first:]) == 0 && filler(tokens[last-1:last]) == 0 {
				add("unknown", first, last, nil, costOfText+0.05*float64(last-first))
			}
		}
	}
}

// wordValues are what a token may be by its form.
func (g *Grammar) wordValues(t *token, k int, add func(string, int, int, any, float64)) {
	text := t.text
	if n, ok := bytesOf(text); ok {
		add("bytes", k, k+1, n, 0)
	}
	if text[0] == '{' || text[0] == '[' {
		add("json", k, k+1, text, 0)
		return
	}
	if strings.Contains(text, "://") {
		add("url", k, k+1, text, 0)
		return
	}
	if mapparams.IsPattern(text) && strings.ContainsAny(text, "*?") {
		add("glob", k, k+1, text, 0)
		return
	}
	if g.guards[t.word] {
		return
	}
	price := costOfWord
	if g.knows(t) {
		price += costOfKnown
	}
	add("word", k, k+1, text, price)
	named := folderForm.MatchString(text)
	ending := path.Ext(strings.TrimSuffix(text, "/"))
	isFile := ending != "" && ending != text && !strings.HasSuffix(text, "/") && strings.Trim(ending, ".0123456789") != "" || strings.HasPrefix(text, ".") && len(text) > 2 && ending == text
	switch {
	case !named:
	case isFile:
		add("file", k, k+1, text, 0)
		add("path", k, k+1, text, 0.01)
	case strings.Contains(text, "/") || dots(text):
		add("folder", k, k+1, text, 0)
		add("path", k, k+1, text, 0.02)
	case nameForm.MatchString(text):
		add("folder", k, k+1, text, price)
		add("path", k, k+1, text, price+0.05)
	}
	if endingForm.MatchString(t.word) {
		switch {
		case t.word[0] == '.':
			add("ending", k, k+1, t.word[1:], 0)
		case g.endings[t.word]:
			add("ending", k, k+1, t.word, 0.1)
		}
	}
}

func bytesOf(text string) (int, bool) {
	m := bytesForm.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	var n float64
	if _, err := fmt.Sscanf(m[1], "%g", &n); err != nil {
		return 0, false
	}
	unit := strings.ToLower(m[2])
	for prefix, factor := range map[byte]float64{'k': 1e3, 'm': 1e6, 'g': 1e9, 't': 1e12} {
		if unit[0] == prefix {
			if strings.HasSuffix(unit, "ib") {
				factor = map[byte]float64{'k': 1 << 10, 'm': 1 << 20, 'g': 1 << 30, 't': 1 << 40}[prefix]
			}
			n *= factor
		}
	}
	return int(n), true
}

// entityValue is what an entity of the request is.
func entityValue(e extract.Entity, tokens []token, add func(string, int, int, any, float64)) {
	first, last := -1, -1
	for k := range tokens {
		if tokens[k].start == e.Start {
			first = k
		}
		if tokens[k].end == e.End {
			last = k + 1
		}
	}
	if first < 0 || last <= first {
		return
	}
	switch e.Kind {
	case extract.Number:
		add("number", first, last, e.Value, 0)
		if n, ok := e.Value.(int); ok && n >= 0 {
			add("integer", first, last, n, 0)
		}
	case extract.Date:
		add("date", first, last, e.Value, 0)
	case extract.Time:
		if s, ok := e.Value.(string); ok {
			add("time", first, last, s, 0)
		}
	case extract.Duration:
		if s, ok := e.Value.(string); ok {
			if text := durationText(s); text != "" {
				add("duration", first, last, text, 0)
			}
		}
	case extract.Email:
		add("email", first, last, e.Text, 0)
	case extract.URL:
		add("url", first, last, e.Text, 0)
	}
}

var isoDuration = regexp.MustCompile(`^P(?:([0-9.]+)W)?(?:([0-9.]+)D)?(?:T(?:([0-9.]+)H)?(?:([0-9.]+)M)?(?:([0-9.]+)S)?)?$`)

// durationText writes an ISO 8601 duration as 1w2d3h4m5s; "" if it has months or years, which are no fixed time.
func durationText(iso string) string {
	m := isoDuration.FindStringSubmatch(iso)
	if m == nil {
		return ""
	}
	var b strings.Builder
	for k, unit := range []string{"w", "d", "h", "m", "s"} {
		if m[k+1] != "" {
			b.WriteString(m[k+1] + unit)
		}
	}
	return b.String()
}

// texts are the stretches of words that a text may be: in quotes it is one token, else up to where a sign ends it.
func (g *Grammar) texts(tokens []token, add func(string, int, int, any, float64)) {
	if len(tokens) == 0 {
		return
	}
	for first := range tokens {
		if tokens[first].sign || tokens[first].quoted {
			continue
		}
		for last := first + 1; last <= min(len(tokens), first+mostOfText); last++ {
			if t := &tokens[last-1]; t.quoted || g.guards[t.word] || t.sign && t.word != "," && t.word != "!" && t.word != "?" && t.word != "." {
				break
			}
			add("words", first, last, nil, costOfText+0.1*float64(last-first))
		}
	}
}

// unquote takes off the pair of quotes around a text.
func unquote(text string) string {
	for _, pair := range []string{`""`, "''", "``", "“”", "‘’", "«»", "„“"} {
		open, close := pair[:len(pair)/2], pair[len(pair)/2:]
		if len(text) >= len(pair) && strings.HasPrefix(text, open) && strings.HasSuffix(text, close) {
			return text[len(open) : len(text)-len(close)]
		}
	}
	return text
}

// shellSigns are what a shell reads in a line, beside words.
const shellSigns = "|&;<>()$`\\\"'*?[]#~{}"

// commandLine cuts a line of a program and its arguments into words; nil if a shell would read more in it.
func commandLine(line string) []any {
	if strings.ContainsAny(line, shellSigns) {
		return nil
	}
	var out []any
	for _, w := range strings.Fields(line) {
		out = append(out, w)
	}
	return out
}

// commands are the stretches of words that may be a program and its arguments, up to a sign or a guard. What phrases know could be
// meant as theirs: in quotes it is without doubt.
func (g *Grammar) commands(tokens []token, add func(string, int, int, any, float64)) {
	const most = 8
	for first := range tokens {
		if t := &tokens[first]; t.sign || t.quoted || g.guards[t.word] {
			continue
		}
		words, price := []any{}, 0.0
		for last := first; last < min(len(tokens), first+most); last++ {
			t := &tokens[last]
			if t.sign || g.guards[t.word] || g.isFiller(tokens[last:]) > 0 || longest(g.joins, tokens[last:last+1]) > 0 || !t.quoted && commandLine(t.text) == nil {
				break
			}
			switch {
			case letters(t.word) && g.knows(t):
				price += costOfWord + costOfKnown
			case last == first && !strings.Contains(t.text, "/"):
				price += costOfWord
			default:
				price += 0.05
			}
			words = append(words, unquote(t.text))
			add("command", first, last+1, append([]any{}, words...), price)
		}
	}
}
