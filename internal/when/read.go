// Package when reads from a request when it shall run by itself: every weekday at 8, tomorrow at noon, when a csv arrives in inbox.
//
// What is said is read from its parts, in any order: how often, days, times of the day, a window, a zone, what is left out (spec.go), and
// put together (compile.go). lexicon.yaml has the words. What is not read wholly is left in the request, with the reason where it is
// clear that a time was meant; what only looks like a time, such as every line or the commits since Monday, is left alone.
package when

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"pflow/internal/trigger"
)

// Span is a place in a request, in bytes.
type Span struct{ Start, End int }

// Open is a place that says when, and why no trigger says the same.
type Open struct {
	Text       string
	Start, End int
	Why        string
}

// Reading is what a request says of when it shall run.
type Reading struct {
	Trigger *trigger.Trigger // nil where it says nothing of it, or nothing that can be read
	Rest    string           // the request without it
	Spans   []Span           // where it stands
	Edits   []Edit           // where the rest is not as in the request, in order
	StandIn string           // the path that stands in the rest for the file that arrives; "" where the rest speaks of none
	Open    []Open
}

// Edit is a piece of the rest, [At, To), that stands for a piece of the request, [Start, End), of another length.
type Edit struct{ At, To, Start, End int }

// parser holds a request while it is read.
type parser struct {
	toks    []token
	request string
	today   time.Time // at 0:00 UTC
	why     string    // what is being read cannot be
	zulu    bool      // a time ended in Z

	arriving Span // see found
	refused  int  // where a time ended that belongs to what is worked on

	repeated *found // the last that repeats and belongs to what is worked on
}

// found is a place that says when.
type found struct {
	start, end int // tokens
	t          *trigger.Trigger
	why        string
	arriving   Span // of the request, what was named of the files that arrive before it was said that they do
}

// Read finds when a request shall run. now is the time that tomorrow counts from, in the person's zone; zone is the name of that zone,
// "" where it is not known. Time is linear in the request.
func Read(request string, now time.Time, zone string) Reading {
	none := Reading{Rest: request}
	if len(request) > longest {
		return none
	}
	p := &parser{toks: spelled(cut(request)), request: request, today: dayOf(now)}
	var all []found
	for i := 0; i < len(p.toks); {
		f, ok := p.at(i, now, zone)
		if ok {
			all = append(all, f)
		}
		i = max(i+1, f.end) // what belongs to what is worked on is not looked at by halves
	}
	if len(all) == 0 {
		f, ok := p.left()
		if !ok {
			return none
		}
		all = append(all, f)
	}
	out := none
	text := func(f found) (string, int, int) {
		start, end := p.toks[f.start].start, p.toks[f.end-1].end
		return request[start:end], start, end
	}
	for _, f := range all {
		why := f.why
		if why == "" && len(all) > 1 {
			why = "a workflow has one trigger: ask for each by itself"
		}
		if why != "" {
			f.start = min(p.skip(f.start, ",", "and", "then"), f.end-1)
			said, start, end := text(f)
			out.Open = append(out.Open, Open{said, start, end, why})
		}
	}
	if len(out.Open) > 0 {
		return out
	}
	f := all[0]
	said, start, end := text(f)
	f.t.Text = strings.Trim(strings.TrimPrefix(strings.TrimSuffix(strings.Trim(said, " ,;:"), " and"), "and "), " ,;:")
	out.Trigger, out.Spans = f.t, []Span{{start, end}}
	out.Rest, out.Edits = without(request, start, end)
	if f.t.Watch != nil {
		if e := out.Edits[0]; f.arriving.Start >= e.End { // it is named behind
			f.arriving = Span{f.arriving.Start - e.End + e.To, f.arriving.End - e.End + e.To}
		}
		out.standIn(f.arriving)
	}
	return out
}

// longest is the longest request that is looked at, in bytes: longer ones are data.
const longest = 20_000

// clause is how many words back something is looked for that a place belongs to.
const clause = 40

// without takes a place out of a request, with the comma and the connective that joined it.
func without(request string, start, end int) (rest string, edits []Edit) {
	before := strings.TrimRight(request[:start], " \t\r\n,;:(")
	joint := 0
	if rest := strings.TrimLeft(request[end:], " \t"); strings.HasPrefix(rest, "- ") || strings.HasPrefix(rest, "– ") || strings.HasPrefix(rest, "— ") {
		joint = len(request[end:]) - len(rest) + strings.IndexByte(rest, ' ')
	}
	after := strings.TrimLeft(request[end+joint:], " \t\r\n,;:)")
	between := ""
	switch {
	case strings.Trim(after, ".!? \t\r\n") == "", strings.IndexByte(".!?", after[0]) >= 0:
		before = strings.TrimRight(before, ".!? ")
		after = strings.TrimRight(after, " \t\r\n")
	case before != "":
		between = " "
	}
	from := end + joint
	from += len(request[from:]) - len(strings.TrimLeft(request[from:], " \t\r\n,;:)"))
	return before + between + after, []Edit{{len(before), len(before) + len(between), len(before), from}}
}

// standIn puts a path in the place of the word for the file that arrives: of it, where that is what the first verb has, or of the
// file. A request that names it otherwise is left as it is. named is where it was named before; empty where it was not.
func (r *Reading) standIn(named Span) {
	w := words()
	p := &parser{toks: cut(r.Rest)}
	ending := ".file"
	if k := strings.LastIndexByte(r.Trigger.Watch.Pattern, '.'); k >= 0 && !strings.ContainsAny(r.Trigger.Watch.Pattern[k:], "*?[]{}") {
		ending = r.Trigger.Watch.Pattern[k:]
	}
	first := 0
	for first < len(p.toks) && (p.is(first, w.Polite...) || p.is(first, ",")) {
		first++
	}
	if p.begs(first) {
		first += 2
	}
	for i := range p.toks {
		n := 0
		switch {
		case named.End > 0:
			if p.toks[i].start != named.Start {
				continue
			}
			for n = 1; i+n < len(p.toks) && p.toks[i+n].end <= named.End; n++ {
			}
		case p.is(i, "it", "them") && i == first+1:
			n = 1
		case p.is(i, "each") && i == first+1:
			n = max(1, p.phrase(i, "each one"), p.phrase(i, "each of them"))
		case p.is(i, "the", "that", "this"):
			at := p.skip(i+1, "new", "arrived", "arriving")
			of, kind := w.Kinds[p.text(at)]
			kind = kind && (ending == "."+of || p.is(at, of) && ending == ".file") // the text of a pdf is no txt
			switch {
			case p.is(at, w.Files[0]):
				n = at + 1 - i
			case kind && p.is(at+1, w.Files[0]):
				n = at + 2 - i
			case kind:
				n = at + 1 - i
			}
		}
		if n == 0 {
			continue
		}
		start, end := p.toks[i].start, p.toks[i+n-1].end
		r.StandIn = strings.TrimSuffix(r.Trigger.Watch.Path, "/") + "/" + Arrived + ending
		grown := len(r.StandIn) - (end - start)
		edit := Edit{start, start + len(r.StandIn), r.Place(start, false), r.Place(end, true)}
		r.Rest = r.Rest[:start] + r.StandIn + r.Rest[end:]
		for k := range r.Edits {
			if r.Edits[k].At >= end {
				r.Edits[k].At, r.Edits[k].To = r.Edits[k].At+grown, r.Edits[k].To+grown
			}
		}
		r.Edits = append(r.Edits, edit)
		slices.SortFunc(r.Edits, func(a, b Edit) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.To, b.To)) })
		return
	}
}

// Arrived is the name of the file that stands for the one that arrives, without its ending.
const Arrived = "arriving-file"

// Place is where a place of the rest is in the request; of the end of a piece, where that ends.
func (r *Reading) Place(at int, end bool) int { return Place(r.Edits, at, end) }

// Place is where a place of a rest with such edits is in the request.
func Place(edits []Edit, at int, end bool) int {
	shift := 0
	for _, e := range edits {
		switch {
		case at < e.At || at == e.At && end:
			return at + shift
		case at < e.To && !end:
			return e.Start
		case at <= e.To && end:
			return e.End
		}
		shift = e.End - e.To
	}
	return at + shift
}

// at reads what says when at a place, if something does. What does and belongs to something else is given with false.
func (p *parser) at(i int, now time.Time, zone string) (found, bool) {
	if p.toks[i].quoted {
		return found{}, false
	}
	p.arriving = Span{}
	if w, why, n := p.watch(i); n > 0 && !p.is(0, words().Questions...) {
		f := found{start: i, end: i + n, why: why, arriving: p.arriving}
		if why == "" {
			f.t = &trigger.Trigger{Watch: w, Timezone: zone}
		}
		return p.whole(f)
	}
	if t, n := p.crontab(i); n > 0 {
		f := found{start: i, end: i + n, t: t}
		t.Timezone = zone
		if len(t.Check()) > 0 {
			f.t, f.why = nil, "that is no cron expression: it has a minute, an hour, a day of the month, a month and a day of the week"
		}
		return p.whole(f)
	}
	p.zulu = false
	s := p.spec(i)
	if s.end == i {
		return found{}, false
	}
	f := found{start: i, end: s.end, why: p.why}
	if p.zulu && s.zone == "" {
		s.zone = "UTC"
	}
	if f.why == "" {
		f.t, f.why = s.compile(now, zone)
	}
	if s.every > 0 && p.withinRun(f.start) {
		return f, false // retry 3 times every 5 seconds
	}
	if n := p.roughlyBefore(s); n > 0 && (s.recurring || s.date != nil && p.politeUpTo(f.start-n)) {
		f.t, f.why, f.start = nil, reasons["vague"], f.start-n
		return f, true
	}
	dayOnly := false
	if f.t == nil && !s.recurring {
		var open bool
		if f.why, dayOnly, open = p.moment(s, f); !open {
			return found{}, false // no time, or a date that is worked on
		}
	}
	if f.t == nil && f.why == "" || !dayOnly && !p.stands(s, f) {
		begun := f.start
		f.end = p.beginsAgain(f)
		if f.t != nil && s.recurring && len(s.times) > 0 && f.end == s.end && !p.asks() && !p.questioned() && !p.relativeBefore(f.start) && !p.past(f.start) {
			f.t, f.why = nil, reasons["told"] // nobody says both how often and at what hour by the way
			return f, true
		}
		if s.recurring && s.every == 0 {
			p.repeated = &found{start: begun, end: s.end}
		}
		if len(s.times) > 0 {
			p.refused = f.end
		}
		return f, false
	}
	byDay := s.recurring && s.every == 0 && s.window == nil && s.unit != "hour" && s.unit != "minute"
	if f.t != nil && len(s.times) == 0 && (p.timeBefore(f.start) || byDay && p.hourOutside(f) >= 0) {
		f.t, f.why = nil, reasons["part"] // of Monday at 8 every day
	}
	if f.t != nil && s.recurring && p.bounded(f) >= 0 {
		f.t, f.why = nil, reasons["bound"]
	}
	if f.t != nil && !p.politeUpTo(f.start) && (p.told(f.start) || p.stated(f)) {
		f.t, f.why = nil, reasons["told"]
	}
	for f.t != nil && f.t.Cron != "" && p.is(f.end, "and") { // Mondays at 9 and Fridays at 17
		more := p.spec(f.end + 1)
		if more.end == f.end+1 || !more.recurring || p.why != "" {
			break
		}
		t, why := more.compile(now, zone)
		if len(s.times) > 0 && len(more.times) == 0 { // at 9 on weekdays and on Saturdays
			f.t, f.why, f.end = nil, reasons["part"], more.end
			break
		}
		if why != "" || t == nil || t.Cron == "" || t.Timezone != f.t.Timezone {
			f.t, f.why = nil, "these are two schedules: ask for each by itself"
		} else {
			f.t.Cron += "; " + t.Cron
		}
		f.end = more.end
	}
	if f.t != nil && p.is(f.end, "and") && !p.politeUpTo(f.start) && !p.last(f.end) && !p.continues(f.end+1) {
		f.t, f.why = nil, reasons["part"]
	}
	if f.t != nil && p.unread(f.end) {
		f.t, f.why = nil, reasons["part"]
	}
	return p.whole(f)
}

// whole takes what only says that it is done with what says when, and sees whether it is clear that all of the request is meant: it
// begins the request, ends the only sentence of it, or stands in a last one of its own.
func (p *parser) whole(f found) (found, bool) {
	w := words()
	carried := false
	for back := f.start; back > 0; back-- {
		if n := p.in(back-1, w.Carriers); n > 0 && back-1+n == f.start {
			f.start, carried = back-1, true
		}
		if f.start-back > 8 {
			break
		}
	}
	for carried {
		n := 0
		for back := max(0, f.start-3); back < f.start; back++ {
			if k := p.in(back, w.Carried); k > 0 && back+k == f.start {
				n = max(n, k)
			}
		}
		if n == 0 {
			break
		}
		f.start -= n
	}
	if f.t != nil && f.t.At != "" && p.is(f.start-1, "again") {
		f.start--
	}
	if f.why != "" || p.politeUpTo(f.start) {
		return f, true
	}
	sentences := 0
	for i := range p.toks {
		if p.is(i, ".", "!", "?", ";") && i+1 < len(p.toks) || p.is(i, "then", "afterwards") && i > f.end {
			sentences++
		}
	}
	if sentences > 0 && !(carried && p.last(f.end)) {
		f.t, f.why = nil, "is it for all of the request, or for one part? say when at the beginning"
	}
	return f, true
}
