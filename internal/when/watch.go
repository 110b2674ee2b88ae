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
	case p.is(i, "as") && p.is(i+1, "it", "they"):
		return p.watchOf(i, i+2)
	case p.is(i, "if") && p.is(i-1, append([]string{"me", "know", "out"}, lex.Ensuring...)...):
		return nil, "", 0 // check if there is a new file
	case k == 0 && p.is(i, "for", "on", "upon") && p.comesBehind(i+1): // for each csv arriving in data
		k = 1
	case k == 0 && p.is(i, "on") && p.is(i+1, "every", "each", "any") && p.is(i+2, "new"): // on every new csv in data
		k = 2
	case k == 0 && p.in(i, lex.Arriving) > 0:
		return p.watchThat(i)
	case k == 0 && p.is(i, "as") && p.severalCome(i+1): // as csvs come into data
		k = 1
	case k == 0 && p.is(i, "new", "incoming"):
		return p.watchedState(i)
	case k == 0:
		return p.watching(i)
	}
	condition, sequence := p.is(i, "if"), p.is(i, "once", "after")
	if condition && p.checkedBefore(i) {
		return nil, "", 0
	}
	at := p.skip(i+k, "that")
	there := false
	if m := max(p.phrase(at, "there is"), p.phrase(at, "there are"), p.in(at, []string{"there's"})); m > 0 {
		at, there = at+m, true
	}
	if !condition && (p.is(at, "it", "they") || p.is(at, "it's", "they're", "they've")) {
		return p.watchOf(i, p.skip(at, "it", "they"))
	}
	fresh, by, reached := false, 0, false
	if m := p.in(at, lex.Somebody); m > 0 && p.in(at+m, lex.Puts) > 0 { // somebody drops a csv in data
		by = at
		at += m + p.in(at+m, lex.Puts)
	}
	for p.in(at, lex.Determiners) > 0 || k == 1 && p.is(i, "for", "on", "upon") && p.is(at, "each", "every") {
		fresh = fresh || p.is(at, "new", "another") || sequence && p.is(at, "a", "an", "any") && p.politeUpTo(i)
		at++
	}
	there = there || p.is(i, "on", "upon")
	fresh = fresh || p.is(i+1, "arrival")
	pattern, m, why := p.fileNamed(at)
	thing := m == 0 && (fresh || p.is(at-1, "a", "an", "any"))
	if thing {
		m, why = p.thing(at)
	}
	if m == 0 {
		return nil, "", 0
	}
	at += m
	if _, more, _ := p.fileNamed(at + 1); more > 0 && p.is(at, "or", "and") { // a new mp3 or wav
		at += 1 + more
		why = "a watch has one pattern of names: ask for each by itself"
	}
	switch {
	case there && !fresh && k > 1:
		return nil, "", 0 // that is a condition
	case k == 1 && p.is(i, "for", "on", "upon"):
		at = p.skip(at, "that", "which")
		at += max(p.in(at, lex.Arriving), p.comes(at))
	case there, by > 0:
	case p.in(at, lex.Reaches) > 0:
		reached = true
		at += p.in(at, lex.Reaches)
	case p.in(at, lex.Arrives) > 0:
		at += p.in(at, lex.Arrives)
	default:
		if k := p.in(at, lex.Into); k > 0 && !p.is(at, "to") { // a file in docs is deleted
			if _, m := p.place(at + k); m > 0 {
				if next := at + k + m; p.in(next+p.in(next, lex.Is), lex.Others) > 0 {
					at = next
				}
			}
		}
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
	if m == 0 && there && p.is(i, "on") && p.is(at, ",") {
		return nil, "it names no folder: say one, such as on every new csv in inbox", at - i
	}
	if m == 0 && !reached {
		return nil, "", 0
	}
	at += m
	folder, m := p.place(at)
	if m == 0 || thing && !p.folderLike(at, m) {
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

// checkedBefore reports whether what a condition is of is looked at in its clause: check every hour if there are new issues.
func (p *parser) checkedBefore(i int) bool {
	for k := i - 1; k >= max(0, i-clause) && !p.is(k, ".", ";", ",", "!"); k-- {
		if p.is(k, words().Ensuring...) && !p.is(k, "so") {
			return true
		}
	}
	return false
}

// thing reads a noun that files may have: photo, signed contract. why asks for their names.
func (p *parser) thing(i int) (n int, why string) {
	for n < 3 && letters(p.text(i+n)) && p.text(i+n) != "" && p.in(i+n, words().Arrives)+p.in(i+n, words().Into)+p.in(i+n, words().Is) == 0 {
		n++
	}
	if n == 0 {
		return 0, ""
	}
	return n, p.whichNames(i, n)
}

func (p *parser) whichNames(i, n int) string {
	return "which files are meant by " + p.span(i, n) + "? say their names, such as *.csv"
}

// folderLike reports whether a place can only be a folder: one with a slash and no ending, or one that is called a folder.
func (p *parser) folderLike(i, n int) bool {
	for k := i; k < i+n; k++ {
		if p.is(k, words().Folder...) {
			return true
		}
	}
	name := strings.TrimSuffix(strings.Trim(p.raw(i+n-1), "\"'`"), "/")
	return (strings.Contains(p.raw(i+n-1), "/") || strings.HasPrefix(name, "~")) && path.Ext(name) == "" && !strings.Contains(name, "://")
}

// watchedState reads new pdfs in scans should be sorted: that they arrive is not said, and the rest of it would be no sentence.
func (p *parser) watchedState(i int) (w *trigger.Watch, why string, n int) {
	lex := words()
	_, m, _ := p.fileNamed(i + 1)
	k := p.in(i+1+m, lex.Into)
	begin := i
	for p.in(begin-1, lex.Determiners) > 0 || p.is(begin-1, lex.Every...) {
		begin--
	}
	if m == 0 || k == 0 || !p.politeUpTo(begin) {
		return nil, "", 0
	}
	at := i + 1 + m + k
	if _, m = p.place(at); m == 0 || p.in(at+m, lex.Modal) == 0 {
		return nil, "", 0
	}
	return nil, "it does not say that it runs when they arrive: say it so, such as when a file arrives in inbox, and what is done with it", at + m - i
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
	if m > 0 && p.is(at, "and", "then", ",") {
		return p.watchedThen(i, at, folder)
	}
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
	ended := at
	if at = p.skip(at, ",", ";", ":", "and", "then"); !fresh && at == ended || at == len(p.toks) {
		return nil, "", 0
	}
	return &trigger.Watch{Path: folder, Pattern: pattern}, why, at - i
}

// watchedThen reads watch uploads and, before resize every new jpg, or unzip every zip that turns up there. at is behind the folder.
func (p *parser) watchedThen(i, at int, folder string) (w *trigger.Watch, why string, n int) {
	lex := words()
	at = p.skip(at, ",", "and", "then")
	for from := at + 1; from < min(at+6, len(p.toks)) && !p.is(from, ".", ";", "!"); from++ {
		first := p.skip(from, append([]string{"a", "an", "the", "incoming"}, lex.Every...)...)
		if first == from || p.is(from, "all") {
			continue
		}
		fresh := p.is(first-1, "new", "incoming")
		pattern, m, why := p.fileNamed(first)
		if m == 0 {
			continue
		}
		end := first + m
		if that := p.skip(end, "that", "which"); p.in(that, lex.Arrives) > 0 {
			fresh = true
			end = that + p.in(that, lex.Arrives)
			end = p.skip(end, "there", "here")
			if k := p.phrase(end, "in it"); k > 0 {
				end += k
			}
		}
		if !fresh || p.in(end, lex.Into) > 0 && p.is(end, "in", "inside", "under") {
			return nil, "", 0
		}
		p.arriving = Span{p.toks[from].start, p.toks[end-1].end}
		return &trigger.Watch{Path: folder, Pattern: pattern}, why, at - i
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
		if p.is(i+n, "(") && ending(i+n+1) == ending(i) && p.is(i+n+2, ")") { // text files (.txt)
			n += 3
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
		return "", 2, p.whichNames(i, 1)
	case letters(p.text(i)) && p.text(i) != "" && ending(i+1) != "": // an invoice pdf, a large csv
		n = 2
		if p.is(i+2, lex.Files...) {
			n++
		}
		if strings.HasPrefix(p.text(i+1), "*.") {
			return "*" + ending(i+1), n, ""
		}
		return "", n, p.whichNames(i, n)
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
