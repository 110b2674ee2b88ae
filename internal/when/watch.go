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
	if k == 0 {
		return nil, "", 0
	}
	condition, sequence := p.is(i, "if"), p.is(i, "once")
	at := p.skip(i+k, "that")
	there := false
	if m := max(p.phrase(at, "there is"), p.phrase(at, "there are"), p.in(at, []string{"there's"})); m > 0 {
		at, there = at+m, true
	}
	fresh := false
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
	case there:
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
