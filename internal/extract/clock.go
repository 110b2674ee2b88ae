package extract

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// clock is a time of day.
type clock struct {
	hour, minute, second int
	half                 string // am, pm or "" if the text does not say
	bare                 bool   // only an hour, which alone could be any number
}

// clockAt reads 3pm, 15:15, 8:30 a.m., noon; with bare also a lone hour, as it may stand in a range.
func (p *reader) clockAt(i int, bare bool) (clock, int) {
	switch {
	case p.is(i, "noon", "midday"):
		return clock{hour: 12, half: "24"}, 1
	case p.is(i, "midnight"):
		return clock{half: "24"}, 1
	}
	if i > 0 && p.glued(i) && p.is(i-1, ":", "/", ".", "$") {
		return clock{}, 0
	}
	c, ok := p.hourAt(i)
	if !ok {
		return clock{}, 0
	}
	n := p.minutes(i, &c)
	if n == 0 {
		return clock{}, 0
	}
	if half, k := p.halfOfDay(i + n); k > 0 {
		if c.hour == 0 || c.hour > 12 {
			return clock{}, 0
		}
		c.half, c.bare, n = half, false, n+k
	} else if p.is(i+n, "o'clock", "o’clock") {
		c.bare, n = false, n+1
	}
	switch {
	case c.bare && !bare, c.hour == 24 && c.minute > 0:
		return clock{}, 0
	case c.bare && (p.is(i+n, ".", ",") && p.glued(i+n) && p.glued(i+n+1) || p.is(i+n, "%")):
		return clock{}, 0
	}
	return c, n
}

// hourAt reads the hour: digits, or a word before o'clock, am or pm.
func (p *reader) hourAt(i int) (clock, bool) {
	h, ok := p.plain(i, 0, 24)
	if !ok {
		if w := units[p.word(i)]; w > 0 && w <= 12 && p.is(i+1, "o'clock", "o’clock", "am", "pm") {
			h, ok = int(w), true
		}
	}
	if !ok || len(p.word(i)) > 2 && p.toks[i].digits {
		return clock{}, false
	}
	return clock{hour: h, bare: true}, true
}

// minutes reads the minutes and seconds behind an hour. n counts the hour's token, too; it is 0 for what is no time: 1:1.
func (p *reader) minutes(i int, c *clock) (n int) {
	n = 1
	for _, part := range []*int{&c.minute, &c.second} {
		if !p.is(i+n, ":") || !p.glued(i+n) || !p.glued(i+n+1) || len(p.word(i+n+1)) != 2 {
			break
		}
		v, ok := p.plain(i+n+1, 0, 59)
		if !ok {
			return 0
		}
		*part, c.bare, n = v, false, n+2
	}
	if n == 1 && p.is(i+1, ":") && p.glued(i+1) {
		return 0
	}
	return n
}

// halfOfDay reads am, p.m.
func (p *reader) halfOfDay(i int) (string, int) {
	if p.is(i, "am", "pm") {
		return p.word(i), 1
	}
	if p.is(i, "a", "p") && p.is(i+1, ".") && p.glued(i+1) && p.is(i+2, "m") && p.glued(i+2) {
		n := 3
		if p.is(i+3, ".") && p.glued(i+3) {
			n++
		}
		return p.word(i) + "m", n
	}
	return "", 0
}

// seconds gives the seconds since midnight.
func (c clock) seconds() int {
	h := c.hour
	switch {
	case c.half == "pm" && h < 12:
		h += 12
	case c.half == "am" && h == 12:
		h = 0
	}
	return h%24*3600 + c.minute*60 + c.second
}

// clocks is a time of day, or a range of such with an open side where open says so.
type clocks struct {
	from, to      clock
	ranged        bool
	after, before bool
}

// times reads a time of day or a range of times.
func (p *reader) times(i int) (clocks, int) { return p.clocks.read(i, p.longestTimes) }

func (p *reader) longestTimes(i int) (clocks, int) {
	at := p.skip(i, "from", "between")
	between := p.is(i, "between")
	if a, n := p.clockAt(at, true); n > 0 {
		j := at + n
		if p.is(j, "-", "–", "—", "~", "to", "until", "till", "through", "thru") || between && p.is(j, "and") {
			if b, k := p.clockAt(j+1, true); k > 0 && !(a.bare && b.bare) {
				if a.half == "" && b.half != "" && b.half != "24" && a.hour <= 12 {
					same := a
					same.half = b.half
					if same.seconds() < b.seconds() {
						a = same
					} else if a.bare {
						a.half = map[string]string{"pm": "am", "am": "pm"}[b.half]
					}
				}
				return clocks{from: a, to: b, ranged: true}, j + 1 + k - i
			}
		}
	}
	switch {
	case p.is(i, "after", "since"), p.is(i, "later") && p.is(i+1, "than"):
		j := i + 1 + btoi(p.is(i, "later"))
		if c, n := p.clockAt(j, false); n > 0 {
			return clocks{from: c, ranged: true, after: true}, j + n - i
		}
	case p.is(i, "before", "until", "till", "by"):
		if c, n := p.clockAt(i+1, false); n > 0 && !p.is(i, "by") {
			return clocks{to: c, ranged: true, before: true}, 1 + n
		}
	}
	at = p.skip(i, "at")
	if c, n := p.clockAt(at, false); n > 0 {
		return clocks{from: c}, at + n - i
	}
	return clocks{}, 0
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

var timeUnits = map[string]time.Duration{
	"second": time.Second, "sec": time.Second, "s": time.Second, "minute": time.Minute, "min": time.Minute, "hour": time.Hour, "hr": time.Hour, "h": time.Hour,
}

func (p *reader) timeUnit(i int) (time.Duration, bool) {
	w := p.word(i)
	u, ok := timeUnits[w]
	if !ok && len(w) > 2 {
		u, ok = timeUnits[strings.TrimSuffix(w, "s")]
	}
	if len(w) == 1 && !p.glued(i) {
		return 0, false // 3h, but not 3 s
	}
	return u, ok
}

// amountOfTime reads half an hour, ½ hour, an hour and a half, 3 minutes, 2 hours and 5 minutes.
func (p *reader) amountOfTime(i int) (time.Duration, int) { return p.timeOfUnits(i, len("hms")) }

// timeOfUnits reads an amount of time of so many units at the most, each smaller than the one before.
func (p *reader) timeOfUnits(i, units int) (time.Duration, int) {
	if units == 0 {
		return 0, 0
	}
	if p.is(i, "half") && p.is(i+1, "an", "a") {
		if u, ok := p.timeUnit(i + 2); ok {
			return u / 2, 3
		}
	}
	v, n := p.howMany(i)
	if n == 0 {
		return 0, 0
	}
	at := p.skip(i+n, "-")
	u, ok := p.timeUnit(at)
	if !ok {
		return 0, 0
	}
	if v*float64(u) > math.MaxInt64 {
		return 0, 0
	}
	d := time.Duration(v * float64(u))
	if p.is(at+1, "and") && p.is(at+2, "a") && p.is(at+3, "half", "quarter") {
		return d + u/time.Duration(fractions[p.word(at+3)]), at + 4 - i
	}
	if rest, k := p.timeOfUnits(p.skip(at+1, "and", ","), units-1); k > 0 && rest < u && p.toks[i].digits {
		return d + rest, p.skip(at+1, "and", ",") + k - i
	}
	return d, at + 1 - i
}

// instant reads now, in 5 minutes, 3 hours ago, the last 24 hours.
func (p *reader) instant(i int) (Entity, int) {
	stamp := func(t time.Time) string { return t.Format("2006-01-02T15:04:05") }
	if p.is(i, "now") || p.is(i, "right") && p.is(i+1, "now") {
		if p.is(i, "now") && len(p.toks) > 1 && !p.is(i-1, "until", "from", "till", "and", "to") {
			return Entity{}, 0 // a filler more often than an instant
		}
		return Entity{Kind: DateTime, Value: stamp(p.now)}, 1 + btoi(p.is(i, "right"))
	}
	if p.is(i, "in") {
		if d, n := p.amountOfTime(i + 1); n > 0 {
			return Entity{Kind: DateTime, Value: stamp(p.now.Add(d))}, n + 1
		}
	}
	if d, n := p.amountOfTime(i); n > 0 {
		switch {
		case p.is(i+n, "ago"):
			return Entity{Kind: DateTime, Value: stamp(p.now.Add(-d))}, n + 1
		case p.is(i+n, "later", "hence"):
			return Entity{Kind: DateTime, Value: stamp(p.now.Add(d))}, n + 1
		case p.is(i+n, "from") && p.is(i+n+1, "now"):
			return Entity{Kind: DateTime, Value: stamp(p.now.Add(d))}, n + 2
		}
	}
	at := p.skip(i, "the")
	if p.is(at, "last", "past", "next") {
		if d, n := p.amountOfTime(at + 1); n > 0 && !p.is(at+1, "a", "an") {
			e := Entity{Kind: DateTime, Range: true, From: stamp(p.now.Add(-d)), To: stamp(p.now)}
			if p.is(at, "next") {
				e.From, e.To = stamp(p.now), stamp(p.now.Add(d))
			}
			return e, at + 1 + n - i
		}
	}
	return Entity{}, 0
}

// duration reads two hours, 3.5 years, a year and a quarter.
func (p *reader) duration(i int) (Entity, int) {
	if d, n := p.amountOfTime(i); n > 0 && !p.is(i, "second") {
		return Entity{Kind: Duration, Value: isoTime(d)}, n
	}
	v, n := p.howMany(i)
	if n == 0 {
		return Entity{}, 0
	}
	at := p.skip(i+n, "-")
	w := strings.TrimSuffix(p.word(at), "s")
	letter := map[string]string{"day": "D", "week": "W", "month": "M", "year": "Y", "yr": "Y"}[w]
	if letter == "" && w == "quarter" && v == math.Trunc(v) && v > 1 {
		letter, v = "M", v*3
	}
	if letter == "" {
		return Entity{}, 0
	}
	n = at + 1 - i
	if p.is(i+n, "and") && p.is(i+n+1, "a") && p.is(i+n+2, "half", "quarter") {
		v, n = v+1/fractions[p.word(i+n+2)], n+3
	}
	return Entity{Kind: Duration, Value: "P" + strconv.FormatFloat(v, 'f', -1, 64) + letter}, n
}

// isoTime writes a duration as ISO 8601: PT1H30M.
func isoTime(d time.Duration) string {
	if d == 0 {
		return "PT0S"
	}
	s := "PT"
	if h := d / time.Hour; h > 0 {
		s += strconv.Itoa(int(h)) + "H"
	}
	if m := d % time.Hour / time.Minute; m > 0 {
		s += strconv.Itoa(int(m)) + "M"
	}
	if sec := (d % time.Minute).Seconds(); sec > 0 {
		s += strconv.FormatFloat(math.Round(sec*1e6)/1e6, 'f', -1, 64) + "S"
	}
	return s
}
