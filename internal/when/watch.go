package when

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"pflow/internal/trigger"
)

var (
	dotEnding = regexp.MustCompile(`^\.[a-z0-9]{1,8}$`)
	nameForm  = regexp.MustCompile(`^[\pL\pN_.*?\[\]{}-]+\.[\pL\pN*?]{1,8}$`)
)

// watch reads when a file arrives in inbox/, as soon as a new csv appears in data, every time something is copied into the shared
// folder. why is what keeps it from being watched; n is how many tokens it took, 0 where it speaks of no file that comes.
func (p *parser) watch(i int) (w *trigger.Watch, why string, n int) {
	lex := words()
	k := p.in(i, lex.Openers)
	switch {
	case p.is(i, "that", "which"):
		return p.watchThat(i)
	case k == 0:
		return p.watching(i)
	}
	condition, sequence := p.is(i, "if"), p.is(i, "once")
	at := p.skip(i+k, "that")
	there := false
	if m := max(p.phrase(at, "there is"), p.phrase(at, "there are"), p.in(at, []string{"there's"})); m > 0 {
		at, there = at+m, true
	}
	if p.is(at, "it", "they") && !condition && !sequence {
		return p.watchOf(i, at+1)
	}
	fresh, by := false, 0
	if m := p.in(at, lex.Somebody); m > 0 && p.in(at+m, lex.Puts) > 0 { // somebody drops a csv in data
		by = at
		at += m + p.in(at+m, lex.Puts)
	}
	for p.in(at, lex.Determiners) > 0 {
		fresh = fresh || p.is(at, "new", "another")
		at++
	}
	pattern, m, why := p.fileNamed(at)
	if m == 0 {
		return nil, "", 0
	}
	at += m
	switch {
	case there && !fresh:
		return nil, "", 0 // that is a condition
	case there, by > 0:
	case p.in(at, lex.Arrives) > 0:
		at += p.in(at, lex.Arrives)
	default:
		m := p.in(at, lex.Is)
		if next := at + m; !condition && !sequence && slices.Contains(lex.Others, p.text(next)) {
			return nil, "a watch is on files that arrive, not on what is " + p.text(next) + ": let it run at an interval, such as every 10 minutes", p.over(next+1) - i
		}
		if m == 0 || p.in(at+m, lex.Put) == 0 {
			return nil, "", 0
		}
		at += m + p.in(at+m, lex.Put)
	}
	if sequence && !fresh {
		return nil, "", 0 // once a.txt is copied, which a step before does
	}
	m = p.in(at, lex.Into)
	if m == 0 {
		return nil, "", 0
	}
	at += m
	folder, m := p.place(at)
	if m == 0 {
		return nil, "", 0
	}
	at += m
	if p.is(at, "of", "and", "or", "named", "called", "with", "that", "which", "between", "on", "at", "before", "after") {
		return nil, "what is watched has more to it than a folder and names: say a folder, and names such as *.csv", p.over(at) - i
	}
	if why != "" {
		return nil, why, at - i
	}
	return &trigger.Watch{Path: folder, Pattern: pattern}, "", at - i
}

// watching reads watch inbox for new csv files and. What stands behind and is what is done with each.
func (p *parser) watching(i int) (w *trigger.Watch, why string, n int) {
	lex := words()
	k := p.in(i, lex.Watching)
	if k == 0 || !p.politeUpTo(i) {
		return nil, "", 0
	}
	folder, m := p.place(i + k)
	at := i + k + m
	if m == 0 || !p.is(at, "for") {
		return nil, "", 0
	}
	at++
	fresh := false
	for p.in(at, lex.Determiners) > 0 || p.is(at, "incoming", "arriving") {
		fresh = fresh || p.is(at, "new", "incoming", "arriving")
		at++
	}
	pattern, m, why := p.fileNamed(at)
	if m == 0 {
		return nil, "", 0
	}
	if at += m; p.in(at, lex.Arrives) > 0 || p.is(at, "arriving") {
		fresh = true
		at += max(1, p.in(at, lex.Arrives))
	}
	if at = p.skip(at, ",", ";", ":", "and", "then"); !fresh || at == len(p.toks) {
		return nil, "", 0
	}
	return &trigger.Watch{Path: folder, Pattern: pattern}, why, at - i
}

// watchOf reads as soon as it arrives in inbox, where it is every csv that was named before: send every csv to bob as soon as it
// arrives in inbox, unzip new zip files in drop when they come. at is behind the word it.
func (p *parser) watchOf(i, at int) (w *trigger.Watch, why string, n int) {
	lex := words()
	if m := p.in(at, lex.Arrives); m > 0 {
		at += m
	} else if m := p.in(at, lex.Is); m > 0 && p.in(at+m, lex.Put) > 0 {
		at += m + p.in(at+m, lex.Put)
	} else {
		return nil, "", 0
	}
	for from := i - 1; from >= max(0, i-clause) && !p.is(from, ".", ";", "!"); from-- {
		first := p.skip(from, lex.Every...)
		pattern, m, why := p.fileNamed(first)
		if first == from || m == 0 || first+m > i {
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
		if k := p.in(at, lex.Into); k > 0 {
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
	m := p.in(at, lex.Comes)
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
		if first == from || m == 0 || first+m != i || p.is(from, "all") { // all that arrive are worked on together
			continue
		}
		for p.is(from-1, lex.Every...) {
			from--
		}
		p.arriving = Span{p.toks[from].start, p.toks[i-1].end}
		return &trigger.Watch{Path: folder, Pattern: pattern}, why, at + k - i
	}
	return nil, "", 0
}

// fileNamed reads what arrives: a file, something, a csv, PDF files, a .txt file, files ending in .log, invoice.pdf, report*.csv.
func (p *parser) fileNamed(i int) (pattern string, n int, why string) {
	lex := words()
	ending := func(at int) string {
		text := p.text(at)
		if dotEnding.MatchString(text) {
			return text
		}
		if strings.HasPrefix(text, "*.") && dotEnding.MatchString(text[1:]) {
			return text[1:]
		}
		for _, t := range []string{text, strings.TrimSuffix(text, "s")} {
			if e := lex.Kinds[t]; e != "" {
				return "." + e
			}
		}
		return ""
	}
	switch {
	case p.is(i, lex.Anything...):
		return "", 1, ""
	case ending(i) != "":
		n = 1
		if p.is(i+1, lex.Files...) {
			n++
		}
		return "*" + ending(i), n, ""
	case p.is(i, lex.Files...):
		at := i + 1
		switch {
		case p.is(at, "ending", "that") && p.skip(at, "ending", "that", "end", "ends", "in", "with", "on") > at+1:
			next := p.skip(at, "ending", "that", "end", "ends", "in", "with", "on")
			if e := ending(next); e != "" {
				return "*" + e, next + 1 - i, ""
			}
			return "", 0, ""
		case p.is(at, "named", "called", "like", "matching"):
			name := strings.Trim(p.raw(at+1), "\"'`“”‘’")
			if _, err := path.Match(name, ""); err != nil || name == "" || strings.Contains(name, "/") {
				return "", 0, ""
			}
			return name, at + 2 - i, ""
		}
		return "", 1, ""
	case nameForm.MatchString(p.raw(i)):
		return p.raw(i), 1, ""
	case p.text(i) != "" && p.is(i+1, lex.Files...): // an image file, a big file
		return "", 2, "which names do " + p.toks[i].text + " files have? say them, such as *.csv"
	}
	return "", 0, ""
}

func (p *parser) raw(i int) string {
	if i < 0 || i >= len(p.toks) {
		return ""
	}
	return p.toks[i].raw
}

// place reads inbox, data/, the folder uploads, my downloads folder, "My Files", here.
func (p *parser) place(i int) (folder string, n int) {
	lex := words()
	at := i
	if p.is(at, "here") || p.phrase(at, "this folder") > 0 || p.phrase(at, "the current folder") > 0 || p.phrase(at, "the current directory") > 0 {
		return ".", max(1, p.phrase(at, "this folder"), p.phrase(at, "the current folder"), p.phrase(at, "the current directory"))
	}
	for p.is(at, "the", "my", "our", "a") {
		at++
	}
	if p.is(at, lex.Folder...) {
		at = p.skip(at+1, "called", "named")
	}
	name := strings.Trim(p.raw(at), "\"'`“”‘’")
	if name == "" || strings.Trim(name, ",;:!?()[]") == "" || p.is(at, "it", "them", "there", "which", "that") {
		return "", 0
	}
	end := at + 1
	if p.is(end, lex.Folder...) {
		end++
	}
	if len(name) > 1 {
		name = strings.TrimSuffix(name, "/")
	}
	return name, end - i
}
