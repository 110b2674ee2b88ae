package when

// left finds, where nothing was read, what can hardly be anything but when it runs: a day that repeats with an hour apart from it, work
// that has its name from being done daily, files that are said to arrive. A plan without it would do another thing than was asked for.
func (p *parser) left() (found, bool) {
	w := words()
	if p.asks() || p.questioned() {
		return found{}, false
	}
	if f := p.repeated; f != nil {
		if at := p.hourOutside(*f); at >= 0 {
			return found{start: min(f.start, at), end: max(f.end, at+2), why: reasons["part"]}, true
		}
	}
	for i := range p.toks {
		switch often := w.Adverbs[p.text(i+1)] != "" || w.Nightly[p.text(i+1)] != ""; {
		case often && p.is(i, "a", "an", "another") && p.is(i+2, w.Doings...):
			return found{start: i + 1, end: i + 2, why: "is it to run so, or is that only its name? say when, such as every day at 8"}, true
		case p.arrival(i) > 0:
			return found{start: i, end: p.arrival(i), why: "what is waited for is not read: only files that arrive in a folder are, such as when a csv arrives in inbox"}, true
		}
	}
	return found{}, false
}

// bounded is where a beginning or an end is said apart from what repeats: starting tomorrow, do it every day at 8. -1 where none is.
func (p *parser) bounded(f found) int {
	for i := range p.toks {
		if i >= f.start && i < f.end || !p.is(i, "starting", "beginning", "until", "till") {
			continue
		}
		at := p.skip(i+1, "on", "from", "the", "next")
		if s := new(spec); p.date(s, at) > 0 && s.date != nil {
			return i
		}
		if _, n, _ := p.dayList(at); n > 0 {
			return i
		}
	}
	return -1
}

// hourOutside is where a time of day stands behind at, outside of what was read, or behind by where that ends; -1 where none does.
func (p *parser) hourOutside(f found) int {
	if p.is(f.end, "by", "before", "after", "around") && p.timeAt(f.end+1) {
		return f.end
	}
	for i := range p.toks {
		if (i < f.start || i >= f.end) && p.is(i, "at", "@") && p.timeAt(i+1) && !p.counted(i+1) {
			return i
		}
	}
	return -1
}

// arrival is where a clause ends that begins at a place and says that something comes: whenever the courier turns up. 0 where none does.
// Of when and after, which say what comes next as well, only one that begins the request is meant, of a thing that was not named yet.
func (p *parser) arrival(i int) int {
	w := words()
	n := p.in(i, w.Openers)
	if n == 0 || p.is(i, "if", "once") || p.is(i+1, "second", "minute") || p.is(i, "when", "after") && !(p.politeUpTo(i) && p.is(i+n, "a", "an", "any", "another", "new")) {
		return 0
	}
	for at := i + n; at < min(i+n+8, len(p.toks)) && !p.is(at, ",", ".", ";", ":", "!"); at++ {
		if k := max(p.in(at, w.Comes), p.in(at, w.Reaches)); k > 0 {
			return at + k
		}
		if pattern, k, _ := p.fileNamed(at); pattern != "" && !p.is(i, "when", "after") {
			return at + k
		}
	}
	return 0
}
