// Package extract finds what a text names (dates and times, amounts, paths, addresses, quoted text and so on) with
// values in a form that programs use. It is a hand-written reader of English over tokens: the longest reading at a
// place wins, readings do not overlap, and what has no clear reading is left out.
package extract

import (
	"slices"
	"strings"
	"time"
)

// The kinds of entities.
const (
	Date       = "date"      // 2024-01-31
	DateRange  = "daterange" // dates, the end exclusive
	Time       = "time"      // 15:04:05, or a range of such
	DateTime   = "datetime"  // 2024-01-31T15:04:05, or a range of such
	Duration   = "duration"  // ISO 8601
	Number     = "number"
	Percent    = "percent"   // 20 for 20 %
	Currency   = "currency"  // with a unit such as USD
	Dimension  = "dimension" // with a unit such as km
	Email      = "email"
	URL        = "url"
	Path       = "path"
	Repo       = "repo"    // owner/name
	Issue      = "issue"   // the number behind a #
	Version    = "version" // 1.2.3
	Quoted     = "quoted"  // without its quotes
	Identifier = "identifier"
)

// Entity is something that a text names. Start and End are byte offsets. A range has From and To, its end exclusive and
// an open side nil; anything else has a Value.
type Entity struct {
	Kind       string
	Text       string
	Start, End int
	Value      any
	Range      bool
	From, To   any
	Unit       string
}

// Entities lists what a text names, in the order of the text; now decides what words like today mean.
func Entities(text string, now time.Time) []Entity {
	out := written(text)
	p := &reader{text: text, now: now, toks: tokens(text, out)}
	p.today = time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	for i := 0; i < len(p.toks); {
		e, n := p.next(i)
		if n == 0 {
			i++
			continue
		}
		if e.Kind != "" {
			e.Start, e.End = p.toks[i].start, p.toks[i+n-1].end
			e.Text = text[e.Start:e.End]
			out = append(out, e)
		}
		i += n
	}
	slices.SortStableFunc(out, func(a, b Entity) int { return a.Start - b.Start })
	return out
}

// reader reads entities off tokens. Its methods take the index of a token and give how many they read, 0 for none.
type reader struct {
	text  string
	now   time.Time
	today time.Time // midnight
	toks  []token
}

// next reads the entity at a token. An entity without a kind is text to be passed over as a whole.
func (p *reader) next(i int) (Entity, int) {
	best, length := Entity{}, 0
	for _, read := range []func(int) (Entity, int){p.temporal, p.money, p.measure, p.number} {
		if e, n := read(i); n > length {
			best, length = e, n
		}
	}
	return best, length
}

// word gives the lower-case text of a token, "" beyond the last.
func (p *reader) word(i int) string {
	if i < 0 || i >= len(p.toks) {
		return ""
	}
	return p.toks[i].text
}

// is reports whether a token is one of some words.
func (p *reader) is(i int, words ...string) bool {
	w := p.word(i)
	return w != "" && slices.Contains(words, w)
}

// glued reports whether a token follows the one before without a blank.
func (p *reader) glued(i int) bool {
	return i > 0 && i < len(p.toks) && p.toks[i].start == p.toks[i-1].end
}

// skip gives i+1 if the token is one of the words, else i.
func (p *reader) skip(i int, words ...string) int {
	if p.is(i, words...) {
		return i + 1
	}
	return i
}

// token is a word, a number or a sign.
type token struct {
	text       string // lower case
	start, end int
	digits     bool
	wall       bool // a written entity stands here: nothing reads across it
	upper      bool // begins with a capital
}

// tokens cuts a text; the places of entities found before are walls.
func tokens(text string, taken []Entity) []token {
	var out []token
	next := 0
	for i := 0; i < len(text); {
		if next < len(taken) && i >= taken[next].Start {
			out = append(out, token{start: taken[next].Start, end: taken[next].End, wall: true})
			i = max(i, taken[next].End)
			next++
			continue
		}
		stop := len(text)
		if next < len(taken) {
			stop = taken[next].Start
		}
		m := tokenForm.FindStringIndex(text[i:stop])
		if m == nil {
			i = stop
			continue
		}
		w := text[i+m[0] : i+m[1]]
		out = append(out, token{
			text: strings.ToLower(w), start: i + m[0], end: i + m[1],
			digits: w[0] >= '0' && w[0] <= '9' || w[0] == '.' && len(w) > 1,
			upper:  w[0] >= 'A' && w[0] <= 'Z',
		})
		i += m[1]
	}
	return out
}
