package when

import "pflow/internal/trigger"

// watchOf reads as soon as it arrives in inbox, where it is every csv that was named before: send every csv to bob as soon as it
// arrives in inbox, unzip new zip files in drop when they come. at is behind the word it.
func (p *parser) watchOf(i, at int) (w *trigger.Watch, why string, n int) {
	lex := words()
	reached := false
	if m := p.in(at, lex.Arrives); m > 0 {
		at += m
	} else if m := p.in(at, lex.Reaches); m > 0 {
		at, reached = at+m, true
	} else if m := p.in(at, lex.Is); m > 0 && p.in(at+m, lex.Put) > 0 {
		at += m + p.in(at+m, lex.Put)
	} else {
		return nil, "", 0
	}
	for from := i - 1; from >= max(0, i-clause) && !p.is(from, ".", ";", "!"); from-- {
		first := p.skip(from, lex.Every...)
		pattern, m, why := p.fileNamed(first)
		several := first+m == i && p.plural(i-1) && p.politeUpTo(from-1) // unzip zip files as soon as they arrive
		if first == from && !several || m == 0 || first+m > i || p.is(i, "once", "after") && (first+m < i || first == from) {
			continue
		}
		for p.is(from-1, lex.Every...) {
			from--
		}
		end, folder := first+m, ""
		if k := p.in(end, lex.Into); k > 0 && end+k < i && !p.is(end, "to") {
			if place, k2 := p.place(end + k); k2 > 0 && end+k+k2 <= i {
				folder, end = place, end+k+k2
			}
		}
		if k := p.in(at, lex.Into); k > 0 || reached {
			place, k2 := p.place(at + k)
			if k2 == 0 || folder != "" {
				return nil, "", 0
			}
			folder, at = place, at+k+k2
		}
		if folder == "" {
			return nil, "", 0
		}
		p.arriving = Span{p.toks[from].start, p.toks[end-1].end}
		return &trigger.Watch{Path: folder, Pattern: pattern}, why, at - i
	}
	return nil, "", 0
}

// watchThat reads that turns up in logs, behind any log file.
func (p *parser) watchThat(i int) (w *trigger.Watch, why string, n int) {
	lex := words()
	at := i + 1
	m := p.comes(at)
	if k := p.in(i, lex.Arriving); k > 0 {
		at, m = i, k
	}
	if is := p.in(at, lex.Is); m == 0 && is > 0 && p.is(at, "is", "are", "gets", "get") {
		if put := p.in(at+is, lex.Put); put > 0 && p.in(at+is, lex.Lasting) == 0 && p.is(at+is+put, "into", "to") {
			m = is + put
		}
	}
	if m == 0 {
		return nil, "", 0
	}
	at += m
	if m = p.in(at, lex.Into); m == 0 {
		return nil, "", 0
	}
	at += m
	folder, k := p.place(at)
	if k == 0 {
		return nil, "", 0
	}
	for from := i - 1; from >= max(0, i-4); from-- {
		first := p.skip(from, lex.Every...)
		pattern, m, why := p.fileNamed(first)
		if first == from || m == 0 || first+m != i {
			continue
		}
		if p.is(from, "all") { // count all that arrive is of those that are there
			if p.in(at+k, lex.Modal) == 0 && p.phrase(at+k, "to be") == 0 {
				return nil, "", 0
			}
			return nil, "is it each file as it arrives, or all of them together? say each, or when it runs", at + k - i
		}
		for p.is(from-1, lex.Every...) {
			from--
		}
		p.arriving = Span{p.toks[from].start, p.toks[i-1].end}
		return &trigger.Watch{Path: folder, Pattern: pattern}, why, at + k - i
	}
	return nil, "", 0
}

// comes reads what a file does that arrives, and that is not there before: arrives, comes into.
func (p *parser) comes(i int) int {
	if p.is(i, "comes", "come") && p.is(i+1, "into") {
		return 1
	}
	return p.in(i, words().Comes)
}

// comesBehind reports whether a file that comes is named: every csv that arrives, a new pdf landing.
func (p *parser) comesBehind(i int) bool {
	at := i
	for p.in(at, words().Determiners) > 0 || p.is(at, "each", "every") {
		at++
	}
	_, n, _ := p.fileNamed(at)
	that := p.skip(at+n, "that", "which")
	return at > i && n > 0 && (p.in(at+n, words().Arriving) > 0 || that > at+n && p.comes(that) > 0)
}

// severalCome reports whether files in the plural are said to come: csvs come.
func (p *parser) severalCome(i int) bool {
	_, n, _ := p.fileNamed(i)
	return n > 0 && p.plural(i+n-1) && p.in(i+n, words().Arrives) > 0
}
