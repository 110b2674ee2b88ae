// Package extract finds what a text names (dates and times, amounts, paths, addresses, quoted text and so on) with
// values in a form that programs use. It is a hand-written reader of English over tokens: the longest reading at a
// place wins, readings do not overlap, and what has no clear reading is left out.
package extract

import (
	"context"
	"slices"
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

// Entities lists what a text names, in the order of the text; now decides what words like today mean. It takes time linear
// in the text; the error is that of a context that ended.
func Entities(ctx context.Context, text string, now time.Time) ([]Entity, error) {
	out, err := written(ctx, text)
	if err != nil {
		return nil, err
	}
	p := &reader{text: text, now: now, toks: tokens(text, out)}
	p.today = time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	for i, read := 0, 0; i < len(p.toks); read++ {
		if read%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !p.begins(i) {
			i++
			continue
		}
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
	return out, nil
}

// checkEvery is how many tokens are read between two looks at the context.
const checkEvery = 256

// reader reads entities off tokens. Its methods take the index of a token and give how many they read, 0 for none.
type reader struct {
	text  string
	now   time.Time
	today time.Time // midnight
	toks  []token

	dates     memo[span]
	clocks    memo[clocks]
	positives memo[float64]
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
