package when

import (
	"cmp"
	"strings"
)

// beginsAgain is where what is said to run may begin within what belongs to what is worked on: list the commits of Monday, at 8 every
// day. Where nothing does it is the end.
func (p *parser) beginsAgain(f found) int {
	for i := f.start + 1; i+1 < f.end; i++ {
		if p.is(i, ",") && (p.is(i+1, "at", "@", "on", "every", "each", "from") || words().Adverbs[p.text(i+1)] != "") {
			return i
		}
	}
	return f.end
}

// timeBefore reports whether a time of day stands before what was read without one.
func (p *parser) timeBefore(i int) bool {
	if p.refused > 0 && p.skip(p.refused, ",", "and") == i {
		return true
	}
	for back := 2; back < 5; back++ {
		if (p.is(i-back, "at", "@", "by", "before") || p.in(i-back, words().About) == 1) && p.timeAt(i-back+1) {
			return true
		}
	}
	return false
}

// unread reports whether more of when stands behind what was read of it, which is then read by half: every day at 8 and on 30 February.
func (p *parser) unread(i int) bool {
	why := p.why
	defer func() { p.why = why }()
	if p.is(i, "except", "excluding", "excepting", "unless", "past") || p.is(i, "by") && p.timeAt(i+1) ||
		p.is(i, "at") && p.text(i+1) != "" && p.text(i + 1)[0] >= '0' && p.text(i + 1)[0] <= '9' {
		return true
	}
	at := i
	for p.is(at, ",", "and", "or", "but", "only", "on", "at", "in", "from", "between", "the", "every", "each", "also", "+", "&", "/", "plus") {
		at++
	}
	if at == i || p.is(at-1, ",") {
		return false
	}
	w := words()
	if p.is(at-1, "at", "and", "or", "between") {
		if _, n := p.clockAt(at, true); n > 0 && !p.counted(at) {
			return true
		}
	}
	if _, _, n := p.calendar(at); n > 0 {
		return true
	}
	if _, n, _ := p.dayList(at); n > 0 && !p.is(at-1, "the", "in", "from") {
		return true
	}
	if p.is(at, "half", "quarter") && p.is(at+1, "hour") || p.is(at-1, "the") && p.in(at+1, []string{"day", "weekday", "workday"}) > 0 {
		return true
	}
	if _, n, _ := p.dayList(at + 1); n > 0 && (w.ordinal[p.text(at)] > 0 || p.is(at, "last")) {
		return true
	}
	if digitOrdinal.MatchString(p.text(at)) && (p.is(at-1, "and", "or") || p.is(at-1, "the") && p.is(at-2, "and", "or", "on")) {
		return true // on the 1st of each month and the 15th
	}
	if _, part := w.Parts[p.text(at)]; part && p.is(at-1, "the") && p.is(at-2, "in") {
		return true
	}
	if _, part := w.Parts[p.text(at)]; part && p.is(at-1, "and", "or", "in", "at", "only", "every", "each") {
		return true
	}
	return p.is(at-1, "every", "each") && (p.frequency(new(spec), at-1) > 0 || w.ordinal[p.text(at)] > 0 && w.unit[p.text(at+1)] != "")
}

// timeAt reports whether a time of day stands at a place.
func (p *parser) timeAt(i int) bool {
	_, n := p.clockAt(i, true)
	return n > 0
}

// withinRun reports whether what is repeated at an interval before a place, in its clause, is a part of one run.
func (p *parser) withinRun(i int) bool {
	for k := i - 1; k >= max(0, i-clause) && !p.is(k, ".", ";", ",", "!"); k-- {
		if p.is(k, words().Retrying...) {
			return true
		}
	}
	return false
}

// told reports whether what somebody is told stands before a place, in its sentence: a note that says the shop opens every day at 10.
func (p *parser) told(i int) bool {
	for k := i - 1; k >= max(0, i-clause) && !p.is(k, ".", ";", "!", ","); k-- {
		if p.is(k, words().Telling...) && k > 0 && !p.carriedAt(i) && k+1 < i && !p.toks[k+1].quoted {
			return true
		}
	}
	return false
}

// relativeBefore reports whether a relative clause ends at a place, which is of a thing: the jobs that run daily at 2.
func (p *parser) relativeBefore(i int) bool {
	return p.is(i-2, "that", "which", "who") && i > 3 && !p.is(i-3, words().Ensuring...) && !p.carriedAt(i)
}

// past reports whether what something was ends at a place: the commits that were made every Monday.
func (p *parser) past(i int) bool { return p.is(i-2, "was", "were", "been") }

// stated reports whether what was read is in a clause that says how something is, and not what is to be done, with more behind it: the
// server restarts every night at 3, find out why; edit a.yml so that it runs every night at 3.
func (p *parser) stated(f found) bool {
	w := words()
	begin := f.start
	for begin > 0 && !p.is(begin-1, ".", ";", "!", "?", ":", ",") {
		begin--
		if p.phrase(begin, "so that") > 0 && !p.carriedAt(f.start) {
			return true
		}
	}
	begin = p.skip(begin, w.Polite...)
	if f.start-begin < 2 || p.last(f.end) || p.is(f.end, "and") || !p.is(begin, w.Determined...) && !p.is(begin, "it", "there", "they") || p.is(begin, "a", "an") { // a summary of the news
		return false
	}
	for i := begin; i < f.start; i++ {
		if p.is(i, w.Modal...) {
			return false
		}
	}
	return !p.carriedAt(f.start)
}

// continues reports whether what stands behind and is done as well: and append them to a.csv. What names another time is not.
func (p *parser) continues(i int) bool {
	w := words()
	i = p.skip(i, "then", "also")
	if i+1 >= len(p.toks) || p.is(i, "again", "once", "twice") || p.last(i+1) || !letters(p.text(i)) || p.in(i, w.Determiners)+p.in(i, w.Into)+p.in(i, w.About)+p.in(i, w.Bounds) > 0 || p.is(i, w.Determined...) {
		return false
	}
	why := p.why
	defer func() { p.why = why }()
	for k := i; k < i+3; k++ {
		_, days, _ := p.dayList(k)
		_, part := w.Parts[p.text(k)]
		if days > 0 || part || w.unit[p.text(k)] != "" || w.Adverbs[p.text(k)] != "" || p.is(k, "noon", "midnight") {
			return false
		}
	}
	return true
}

// politeUpTo reports whether a place begins the request, but for politeness.
func (p *parser) politeUpTo(i int) bool {
	for i > 0 && p.is(i-1, append([]string{",", "!"}, words().Polite...)...) {
		i--
	}
	return i == 0
}

// last reports whether nothing but politeness comes from a place on.
func (p *parser) last(i int) bool {
	for i < len(p.toks) && p.is(i, ".", "!", "?", ")", ",", "please", "thanks") {
		i++
	}
	return i == len(p.toks)
}

// stands reports whether what says when belongs to the whole request, and not to what is worked on: the total for every month, the
// daily report, the commits since Monday at 9.
func (p *parser) stands(s *spec, f found) bool {
	w := words()
	begins, ends := p.politeUpTo(f.start), p.last(f.end)
	sentence := f.start > 0 && p.is(f.start-1, ".", ";", ":", "!")
	if s.hasIn && p.is(f.start-1, "again") && !p.is(f.start-2, "and", "or") {
		return ends && !p.is(len(p.toks)-1, "?")
	}
	if !begins && p.in(f.start-1, w.BelongsBehind) > 0 && !(p.is(f.start-1, "and") && (ends || p.is(f.start-2, ","))) && !p.carriedAt(f.start) {
		return false
	}
	timed := len(s.times) > 0 || s.window != nil || len(s.minutes) > 0 || s.every > 0 ||
		(s.unit == "hour" || s.unit == "minute") && p.is(f.start, "every") && p.is(f.end, "and", ",") ||
		f.why != "" && p.is(f.end, "and") && len(s.fresh) > 0 ||
		p.is(f.start, "every") && p.is(f.end, "and") && p.is(p.skip(f.end+1, "then", "also")+1, "it", "them") // fetch it every day and save it
	path := p.is(f.end, "in", "from") && strings.ContainsAny(p.raw(f.end+1), "./") // every day at 8 in rates.txt
	if p.is(f.end, w.BelongsBefore...) && !ends && !(path && s.recurring && len(s.times) > 0) && !(p.is(f.end, "and") && (begins || s.recurring && timed && (f.t != nil || f.why != ""))) {
		return false
	}
	if p.relativeBefore(f.start) || !begins && p.past(f.start) {
		return false
	}
	bare := f.end-f.start == 1
	if bare && !begins && p.is(f.start-1, w.Determined...) {
		return false
	}
	if bare && begins && !ends && w.Vague[p.text(f.start)] != "vague" && !p.is(f.end, ",", ":", ".", ";") {
		return false // daily report.txt
	}
	if p.questioned() && f.start > 0 {
		return false
	}
	switch {
	case !s.recurring && begins:
		return len(s.times) > 0 || s.hasIn
	case !s.recurring && p.is(f.start-1, "me", "us") && p.politeUpTo(f.start-2) && p.is(f.end, "to", "about", "of", "that"): // remind me in an hour to
		return len(s.times) > 0 || s.hasIn
	case !s.recurring:
		return ends && (len(s.times) > 0 || s.hasIn) && !p.asks() && !p.eventBefore(f.start)
	case s.soft && !timed:
		return false
	case timed && (f.t != nil || p.is(f.end, "and")):
		return true
	case p.is(f.start, "each") && !begins && !p.carriedAt(f.start):
		return false // how much each day
	}
	return begins || ends || sentence
}

// asks reports whether the request is a question, and none by which something is asked for: can you do it tomorrow at 3?
func (p *parser) asks() bool {
	first := 0
	for p.is(first, words().Polite...) || p.is(first, ",") {
		first++
	}
	return p.is(len(p.toks)-1, "?") && !p.begs(first)
}

// questioned reports whether the request asks about something: which jobs run daily, and not what I want is a backup every day at 9.
func (p *parser) questioned() bool {
	if p.is(0, "do") && p.is(1, words().Determined...) && !p.is(len(p.toks)-1, "?") {
		return false // do a backup every day at 9
	}
	return p.is(0, words().Questions...) && (p.is(len(p.toks)-1, "?") || !p.is(1, "i", "i'd", "we", "we'd"))
}

// begs reports whether it is asked for politely that something is done.
func (p *parser) begs(i int) bool {
	return p.is(i, "can", "could", "would", "will") && p.is(i+1, "you")
}

// carriedAt reports whether words that only say that it is done end at a place: run this.
func (p *parser) carriedAt(i int) bool {
	for back := max(0, i-8); back < i; back++ {
		if n := p.in(back, words().Carriers); n > 0 && back+n == i {
			return true
		}
	}
	return false
}

// eventBefore reports whether something that takes place at a time stands before a place, in its sentence.
func (p *parser) eventBefore(i int) bool {
	for i--; i >= 0 && !p.is(i, ".", ";", "!"); i-- {
		if !p.carriedAt(i+1) && p.is(i, words().Events...) || p.is(i, words().Subordinate...) {
			return true
		}
	}
	return false
}

// moment is what is open of a moment that is none: a day without an hour, an hour without a day, one that has passed. open is false
// where it says nothing of when, as when a date is worked on.
func (p *parser) moment(s *spec, f found) (why string, dayOnly, open bool) {
	begins, timed := p.politeUpTo(f.start), len(s.times) > 0
	next := p.skip(f.end, ",")
	told := next == len(p.toks) || p.in(next, words().Somebody) > 0 || p.in(next, words().Determiners) > 0 || p.is(next, "it", "there")
	switch {
	case begins && s.date != nil && f.why == "" && !timed && !s.hasIn:
		said := p.is(f.start, "on", "tomorrow", "tonight", "the") && !s.date.Before(p.today)
		return reasons["hour"], true, said && !told // on Monday the sales were
	case begins && s.date == nil && len(s.times) == 1 && p.is(f.start, "at") && !p.plural(f.end) && !told:
		return cmp.Or(f.why, reasons["date"]), false, true
	case begins && s.date != nil && timed:
		return cmp.Or(f.why, reasons["passed"]), false, true
	}
	if s.date == nil && len(s.times) == 1 && p.is(f.start, "at") && p.is(f.start-1, "me", "us") && p.politeUpTo(f.start-2) && p.is(f.end, "to", "about", "of", "that") {
		return cmp.Or(f.why, reasons["date"]), false, true // remind me at 5 to
	}
	if last := p.last(f.end) && s.date == nil && len(s.times) == 1 && p.is(f.start, "at"); last && !p.is(0, words().Questions...) && !p.is(len(p.toks)-1, "?") && !p.eventBefore(f.start) {
		first := 0
		for p.is(first, words().Polite...) {
			first++
		}
		if p.in(first, words().Running) > 0 {
			return cmp.Or(f.why, reasons["date"]), false, true
		}
	}
	return f.why, false, timed && s.date != nil && f.why != "" && p.stands(s, f)
}
