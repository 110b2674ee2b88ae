package when

import (
	"regexp"
	"strconv"
	"strings"
)

// clock is a time of day in minutes. Twelve is whether its hour may be of a twelve-hour clock: 8, and not 08:00.
type clock struct {
	minute int
	twelve bool
	pm     bool // said to be of the afternoon
}

// clockForm is how digits write a time: 8, 8:05, 8.15, 9am, 7:30pm, 06:00z, 17h, 1800.
var clockForm = regexp.MustCompile(`^(\d{1,2})(?:[:.h](\d{2}))?(am|pm|a\.m\.?|p\.m\.?|h|z|o'clock)?$`)

var fourDigits = regexp.MustCompile(`^([012]\d)([0-5]\d)(z|h)?$`)

// number reads 5, five, twenty, twenty-five.
func (p *parser) number(i int) (v, n int) {
	text := p.text(i)
	if v, err := strconv.Atoi(text); err == nil && v < 10000 {
		return v, 1
	}
	w := words()
	if v, ok := w.number[text]; ok {
		if u, ok := w.number[p.text(i+1)]; ok && v >= 20 && u > 0 && u < 10 {
			return v + u, 2
		}
		return v, 1
	}
	if a, b, ok := strings.Cut(text, "-"); ok && w.tensOf(a) > 0 && w.number[b] > 0 && w.number[b] < 10 {
		return w.tensOf(a) + w.number[b], 1
	}
	return 0, 0
}

func (w *lexicon) tensOf(text string) int { return w.Tens[text] }

// clockAt reads one time of day. bare says that a number alone is one, as behind at.
func (p *parser) clockAt(i int, bare bool) (c clock, n int) {
	switch {
	case p.is(i, "noon", "midday"):
		return clock{minute: 12 * 60}, 1
	case p.is(i, "midnight"):
		return clock{}, 1
	}
	if c, n = p.spokenClock(i); n > 0 {
		return p.half(c, i, n)
	}
	if m := fourDigits.FindStringSubmatch(p.text(i)); m != nil && (bare || m[3] != "" || p.is(i+1, "hours")) {
		h, _ := strconv.Atoi(m[1])
		minute, _ := strconv.Atoi(m[2])
		if m[3] == "z" {
			p.zulu = true
		}
		n = 1
		if p.is(i+1, "hours", "hrs") {
			n++
		}
		if h > 23 {
			p.wrong("there is no such time as " + p.toks[i].raw)
		}
		return clock{minute: 60*h + minute}, n
	}
	m := clockForm.FindStringSubmatch(p.text(i))
	if m == nil {
		if v, k := p.number(i); k > 0 && v <= 24 && (bare || p.is(i+k, "o'clock", "am", "pm", "a.m.", "p.m.")) {
			m, n := p.minuteWords(i, k)
			return p.half(clock{minute: (60*v + m) % (24 * 60), twelve: v > 0 && v <= 12}, i, k+n)
		}
		return clock{}, 0
	}
	h, _ := strconv.Atoi(m[1])
	minute, _ := strconv.Atoi(m[2])
	marked := m[2] != "" || m[3] != ""
	if !marked && !bare && !p.is(i+1, "o'clock", "am", "pm", "a.m.", "p.m.", "a.m", "p.m") {
		return clock{}, 0
	}
	if h > 24 || minute > 59 || h == 24 && minute > 0 {
		p.wrong("there is no such time as " + p.toks[i].raw)
		h = 0
	}
	c = clock{minute: (60*h + minute) % (24 * 60), twelve: h > 0 && h <= 12 && !(len(m[1]) == 2 && m[1][0] == '0')}
	switch {
	case m[3] == "":
		return p.half(c, i, 1)
	case m[3] == "z":
		p.zulu = true
		c.twelve = false
	case m[3] == "h":
		c.twelve = false
	case m[3][0] == 'a' || m[3][0] == 'p':
		c = p.meridian(c, m[3][0] == 'p', i)
	default:
		return p.half(c, i, 1)
	}
	return c, 1
}

// minuteWords reads thirty of eight thirty, behind an hour of n words that is written in letters.
func (p *parser) minuteWords(i, n int) (minute, took int) {
	if p.text(i) == "" || p.text(i)[0] <= '9' {
		return 0, 0
	}
	v, k := p.number(i + n)
	if k == 0 || v < 10 || v > 59 || v%5 != 0 || p.text(i + n)[0] <= '9' || p.plural(i+n+k) && !p.goesOn(i+n+k) {
		return 0, 0
	}
	return v, k
}

// meridian makes 9 pm of 9.
func (p *parser) meridian(c clock, pm bool, i int) clock {
	h := c.minute / 60
	if h == 0 || h > 12 {
		p.wrong("there is no such time as " + p.toks[i].raw + " by a clock of twelve hours")
		return clock{minute: c.minute}
	}
	c.minute = c.minute%60 + 60*(h%12)
	if pm {
		c.minute += 12 * 60
	}
	return clock{minute: c.minute, pm: pm}
}

// half reads what says which half of the day a time is of: am, pm, o'clock, in the morning, at night.
func (p *parser) half(c clock, i, n int) (clock, int) {
	if p.is(i+n, "o'clock", "oclock", "sharp", "hours") {
		n++
	}
	switch {
	case p.is(i+n, "noon", "midday", "midnight") && c.minute%(12*60) == 0:
		if p.is(i+n, "midnight") {
			return clock{}, n + 1
		}
		return clock{minute: 12 * 60}, n + 1
	case p.is(i+n, "am", "a.m.", "a.m"):
		return p.meridian(c, false, i), n + 1
	case p.is(i+n, "pm", "p.m.", "p.m"):
		return p.meridian(c, true, i), n + 1
	}
	at := i + n
	if p.is(at, "in") && p.is(at+1, "the") || p.is(at, "at") && p.is(at+1, "night") {
		at = p.skip(at, "in", "the", "at")
		if day, ok := words().Parts[p.text(at)]; ok {
			return p.inPart(c, day, p.text(at)), at + 1 - i
		}
	}
	return c, n
}

// inPart is a time in a part of the day: 8 in the evening is 20:00. One that cannot be is wrong.
func (p *parser) inPart(c clock, day part, name string) clock {
	for _, add := range []int{0, 12} {
		h := c.minute/60 + add
		if add > 0 && !c.twelve {
			break
		}
		if c.minute/60 == 12 && c.twelve {
			h = 12 * (1 - add/12) // twelve at night is midnight
			if add == 12 {
				h = 24
			}
		}
		for _, k := range []int{h, h + 24} {
			if k >= day.From && k <= day.To {
				return clock{minute: (60*k + c.minute%60) % (24 * 60)}
			}
		}
	}
	p.wrong("that time is not in the " + name)
	return clock{minute: c.minute}
}

// spokenClock reads half past seven, quarter to nine, ten to six, 20 minutes past 8.
func (p *parser) spokenClock(i int) (clock, int) {
	at := p.skip(i, "a")
	minutes, n := 0, 0
	switch {
	case p.is(at, "half") && at == i:
		minutes, n = 30, 1
	case p.is(at, "quarter"):
		minutes, n = 15, 1
	default:
		if at != i {
			return clock{}, 0
		}
		if minutes, n = p.number(at); n == 0 || minutes > 59 {
			return clock{}, 0
		}
	}
	if h, k := p.number(i + 1); p.is(i, "half") && p.is(i-1, "at") && k == 1 && h > 0 && h <= 12 && p.toks[i+1].text[0] > '9' {
		return clock{minute: 60*h + 30, twelve: true}, 2 // half nine is half past nine
	}
	at = p.skip(at+n, "minutes", "minute")
	if !p.is(at, "past", "to", "after", "before") || p.is(i, "half") && !p.is(at, "past") {
		return clock{}, 0
	}
	if p.is(at, "to", "before") {
		minutes = -minutes
	}
	at++
	if p.is(at, "noon", "midday") {
		return clock{minute: 12*60 + minutes}, at + 1 - i
	}
	if p.is(at, "midnight") {
		return clock{minute: (24*60 + minutes) % (24 * 60)}, at + 1 - i
	}
	h, n := p.number(at)
	if n == 0 || h < 1 || h > 12 || minutes < 0 && p.is(at-1, "to") && p.toks[i].text[0] <= '9' && !p.is(i+1, "minutes", "minute") {
		return clock{}, 0 // 9 to 5 is a window
	}
	return clock{minute: (60*h + minutes + 24*60) % (24 * 60), twelve: true}, at + n - i
}

// times reads at 8, at 9 and 17, at 8, 12 and 16, 7am, half past seven.
func (p *parser) times(i int) (out []clock, n int) {
	at := p.skip(i, "at", "@")
	bare := at > i
	if bare {
		at = p.skip(at, "exactly", "precisely")
	}
	for {
		c, k := p.clockAt(at, bare)
		if k == 0 {
			break
		}
		k = p.skip(at+k, "sharp") - at
		out, n = append(out, c), at+k-i
		if p.is(at+k, "or") {
			if _, more := p.clockAt(at+k+1, true); more > 0 {
				p.wrong("it says one time or another")
				n += 1 + more
				break
			}
		}
		next := p.skip(at+k, ",", "and", "&", "at")
		// A number alone goes on a list of times, unless it counts what comes: at 8 and 3 files.
		if next == at+k {
			break
		}
		if _, more := p.clockAt(next, bare); more == 0 || p.is(at+k, ",") && p.counted(next) {
			break
		}
		if !p.is(next-1, "at") && p.counted(next) && (!p.is(next-1, "and") || p.plural(next+1)) {
			break
		}
		at = next
	}
	for k := 1; k < len(out); k++ {
		if a, b := out[k-1], out[k]; b.pm && a.twelve && !b.twelve && a.minute < 12*60 && a.minute+12*60 < b.minute {
			p.wrong("it may be of the morning: say am or pm of each hour")
		}
	}
	return out, n
}

// counted reports whether a number stands before what it counts: 3 files. What may follow a time is none.
func (p *parser) counted(i int) bool {
	if _, n := p.number(i); n != 1 || i+1 >= len(p.toks) {
		return false
	}
	t := p.toks[i+1]
	return !t.quoted && t.text[0] >= 'a' && t.text[0] <= 'z' && !p.goesOn(i+1)
}

// plural reports whether a word looks like what a number counts: files, and not write or process.
func (p *parser) plural(i int) bool {
	text := p.text(i)
	return strings.HasSuffix(text, "s") && !strings.HasSuffix(text, "ss")
}

// window reads between 9 and 17, from 6am until 8am, 9-17.
func (p *parser) window(i int) (w [2]clock, n int) {
	at := i
	switch {
	case p.is(at, "between", "from"):
		at++
	default:
		if !p.is(at+1, "-", "–") {
			return w, 0
		}
	}
	first, a := p.clockAt(at, true)
	if v, k := p.number(at); a > k && k > 0 && v > 0 && v <= 12 && p.is(at+k, "to") && !p.is(at+a, "and", "to", "until", "till", "til", "-", "–", "through") {
		first, a = clock{minute: 60 * v, twelve: true}, k // nine to five is no time
	}
	if a == 0 || !p.is(at+a, "and", "to", "until", "till", "til", "-", "–", "through") {
		return w, 0
	}
	second, b := p.clockAt(at+a+1, true)
	if b == 0 {
		return w, 0
	}
	return [2]clock{first, second}, at + a + 1 + b - i
}
