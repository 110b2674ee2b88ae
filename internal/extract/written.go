package extract

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// writtenForms are what is recognized by how it is written, each with a reader that gives the places of all there are, in
// order, in time linear in the text. Of forms at one place the first counts.
var writtenForms = []struct {
	kind string
	find func(text string) [][2]int
}{
	{Quoted, quotedPlaces},
	{URL, places("://|www.", regexp.MustCompile(`\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s"'<>]+|\bwww\.[^\s"'<>]+\.[^\s"'<>]+`))},
	{Email, places("@", regexp.MustCompile(`[\pL\d._%+-]+@[\pL\d-]+(?:\.[\pL\d-]+)+`))},
	{Issue, places("#", regexp.MustCompile(`#\d+\b`))},
	{Version, places(".|v", regexp.MustCompile(`\bv\d+(?:\.\d+)*(?:-[\pL\d.]+)?\b|\b\d+\.\d+\.\d+(?:[-+][\pL\d.]+)?\b`))},
	{Path, pathPlaces},
}

// places finds what an expression matches, without the punctuation of the sentence behind it. A text that has none of the
// signs, which | parts, has no match: that is much quicker seen.
func places(signs string, form *regexp.Regexp) func(string) [][2]int {
	return func(text string) [][2]int {
		if !slices.ContainsFunc(strings.Split(signs, "|"), func(sign string) bool { return strings.Contains(text, sign) }) {
			return nil
		}
		var out [][2]int
		for _, m := range form.FindAllStringIndex(text, -1) {
			if end := withoutPunctuation(text, m[0], m[1]); end > m[0] {
				out = append(out, [2]int{m[0], end})
			}
		}
		return out
	}
}

// withoutPunctuation is the end of a place without what ends a sentence.
func withoutPunctuation(text string, start, end int) int {
	for end > start && strings.IndexByte(".,;:!?)", text[end-1]) >= 0 {
		end--
	}
	return end
}

// written finds the entities that are recognized by how they are written.
func written(ctx context.Context, text string) ([]Entity, error) {
	var out []Entity
	taken := make([]bool, len(text))
	for _, f := range writtenForms {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, m := range f.find(text) {
			start, end := m[0], m[1]
			if slices.Contains(taken[start:end], true) {
				continue
			}
			e := Entity{Kind: f.kind, Text: text[start:end], Start: start, End: end, Value: text[start:end]}
			switch f.kind {
			case Quoted:
				e.Value = strings.Trim(e.Text, "\"'`“”")
			case Issue:
				n, err := strconv.Atoi(e.Text[1:])
				if err != nil {
					continue
				}
				e.Value = n
			case Path:
				if repoForm.MatchString(e.Text) && repoCue(text[:start]) {
					e.Kind = Repo
				}
			}
			for k := start; k < end; k++ {
				taken[k] = true
			}
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b Entity) int { return a.Start - b.Start })
	return out, nil
}

// quotes are the pairs of quotation marks.
var quotes = []struct{ open, closing string }{{`"`, `"`}, {"“", "”"}, {"`", "`"}, {"'", "'"}}

// opensQuote are the bytes that opening marks begin with.
var opensQuote = func() (out [256]bool) {
	for _, q := range quotes {
		out[q.open[0]] = true
	}
	return out
}()

// quotedPlaces finds quoted text, its marks included. It ends in the line in which it began and is not empty. A ' may as
// well be an apostrophe: it opens behind a blank or an opening sign and closes before a blank or a closing one.
func quotedPlaces(text string) [][2]int {
	var out [][2]int
	unclosed := [4]int{} // up to where no such mark closes
	for i := 0; i < len(text); {
		next := i + 1
		if !opensQuote[text[i]] {
			i = next
			continue
		}
		for k, q := range quotes {
			if !strings.HasPrefix(text[i:], q.open) || i < unclosed[k] || q.open == "'" && !opensApostrophe(text[:i]) {
				continue
			}
			inside := i + len(q.open)
			n := strings.IndexAny(text[inside:], q.closing+"\n")
			end := inside + n + len(q.closing)
			switch {
			case n < 0:
				unclosed[k] = len(text)
			case text[inside+n] == '\n':
				unclosed[k] = inside + n
			case n > 0 && (q.open != "'" || closesApostrophe(text[end:])):
				out = append(out, [2]int{i, end})
				next = end
			}
			break
		}
		i = next
	}
	return out
}

func opensApostrophe(before string) bool {
	return before == "" || strings.IndexByte(" \t\n\f\r(:=,", before[len(before)-1]) >= 0
}

func closesApostrophe(behind string) bool {
	return behind == "" || strings.IndexByte(" \t\n\f\r),.;:?!", behind[0]) >= 0
}

var (
	repoForm = regexp.MustCompile(`^[\pL\d][\pL\d_-]*/[\pL\d][\pL\d_-]*$`)
	nameless = regexp.MustCompile(`^(?:\.{1,2}|\.\pL[\pL\d_-]{8,30})$`) // the folders . and .., and long names of hidden files
	fileName = regexp.MustCompile(`(?:\*|[\pL\d_-][\pL\d_.*-]*)?\.[\pL][\pL\d]{0,7}\b`)
)

// pathPlaces finds paths and names of files. It goes from run to run of the characters that paths have; in one, everything
// from the first slash that has a name before or behind it is the path, and elsewhere a name has an ending.
func pathPlaces(text string) [][2]int {
	var out [][2]int
	add := func(start, end int) {
		if end = withoutPunctuation(text, start, end); isPath(text, start, end) {
			out = append(out, [2]int{start, end})
		}
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !inPath(r) {
			i += size
			continue
		}
		end := i
		for end < len(text) {
			if r, size = utf8.DecodeRuneInString(text[end:]); !inPath(r) {
				break
			}
			end += size
		}
		// whole is the run as it stands between blanks, the punctuation behind it aside.
		if whole := strings.TrimRight(text[i:end], "/"); whole[:min(1, len(whole))] == "." && whole == text[i:end] && opensName(text[:i]) && closesName(text[end:]) && nameless.MatchString(whole) {
			out = append(out, [2]int{i, end})
		} else {
			pathsInRun(text, i, end, add)
		}
		i = end
	}
	return out
}

// apostrophized is where a file name begins that goes on behind an apostrophe, as in it's.txt.
func apostrophized(text string, at int) int {
	before, is := strings.CutSuffix(text[:at], "'")
	if !is {
		return at
	}
	word := strings.TrimRightFunc(before, unicode.IsLetter)
	if len(word) == len(before) || word != "" && !opensApostrophe(word) {
		return at
	}
	return len(word)
}

// pathsInRun cuts a run of the characters that paths have at its slashes.
func pathsInRun(text string, start, end int, add func(start, end int)) {
	for start < end {
		slash := strings.IndexByte(text[start:end], '/')
		if slash < 0 {
			slash = end - start
		}
		slash += start
		if before := text[start:slash]; slash < end && (slash+1 == end && namesFolder(before) || slash+1 < end && text[slash+1] != '/') {
			switch {
			case strings.IndexFunc(before, namesPath) >= 0:
				add(start, end)
			case strings.HasSuffix(before, ".."):
				add(slash-2, end)
			case strings.HasSuffix(before, "."):
				add(slash-1, end)
			default:
				add(slash, end)
			}
			return
		}
		if strings.IndexByte(text[start:slash], '.') >= 0 { // without one there is no match, which is much quicker seen
			for _, m := range fileName.FindAllStringIndex(text[start:slash], -1) {
				from := start + m[0]
				if m[0] == 0 {
					from = apostrophized(text, from)
				}
				add(from, start+m[1])
			}
		}
		start = slash + 1
	}
}

// namesFolder reports whether a path may end with a slash behind a name: src/, ../
func namesFolder(name string) bool {
	return name == "." || name == ".." || strings.IndexFunc(name, namesPath) >= 0
}

// inPath reports whether a path may have a character.
func inPath(r rune) bool {
	return r == '/' || unicode.IsLetter(r) || r >= '0' && r <= '9' || r < utf8.RuneSelf && strings.ContainsRune("._~*@+-", r)
}

// namesPath reports whether a character makes what stands before a slash the name of a folder: 3/4 is none.
func namesPath(r rune) bool { return unicode.IsLetter(r) || r == '_' || r == '*' || r == '~' }

func opensName(before string) bool {
	return before == "" || strings.IndexByte(" \t\n\f\r", before[len(before)-1]) >= 0
}

func closesName(behind string) bool {
	return behind == "" || strings.IndexByte(" \t\n\f\r,;:!?", behind[0]) >= 0
}

// repoCue reports whether a text ends with a word for a repository, and perhaps one that joins it to its name.
func repoCue(before string) bool {
	word, rest := lastWord(before)
	switch word {
	case "of", "for", "named", "called", "in":
		word, _ = lastWord(rest)
	}
	switch word {
	case "repo", "repository", "project", "fork", "github":
		return true
	}
	return false
}

// lastWord cuts the last word off a text, in lower case. What stands right behind it, without a sign between, is none.
func lastWord(text string) (word, rest string) {
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
	end := strings.LastIndexFunc(text, inWord)
	if end < 0 {
		return "", ""
	}
	_, size := utf8.DecodeRuneInString(text[end:])
	if end += size; end == len(text) {
		return "", ""
	}
	start := strings.LastIndexFunc(text[:end], func(r rune) bool { return !inWord(r) })
	if start >= 0 {
		_, size = utf8.DecodeRuneInString(text[start:])
	} else {
		start, size = 0, 0
	}
	return strings.ToLower(text[start+size : end]), text[:start+size]
}

// isPath tells a path from other words with a dot or a slash: and/or, e.g., U.S., a sentence without a blank behind it.
func isPath(text string, start, end int) bool {
	s := text[start:end]
	if s == "" || start > 0 && (isLetter(text[start-1]) || isDigit(text[start-1]) || text[start-1] == '.' && s[0] != '.') {
		return false
	}
	if strings.Contains(s, "/") {
		switch strings.ToLower(s) {
		case "./", "../", "~/":
			return true
		case "w/", "w/o", "n/a":
			return false
		}
		if strings.Trim(s, "/.~") == "" {
			return false
		}
		for part := range strings.SplitSeq(s, "/") {
			if part == "or" || part == "and" {
				return false
			}
		}
		return !slashDate.MatchString(s)
	}
	dot := strings.LastIndexByte(s, '.')
	if dot < 0 {
		return false
	}
	return isFileName(s[:dot], s[dot+1:])
}

// isFileName tells a name with an ending from other words with a dot.
func isFileName(stem, ending string) bool {
	if len(ending) < 2 && !strings.ContainsAny(stem, "_-") && (len(stem) < 2 || ending != strings.ToLower(ending)) {
		return false // e.g, U.S
	}
	// A sentence that goes on without a blank has a capital behind the dot; a decimal has digits before it.
	if ending[0] >= 'A' && ending[0] <= 'Z' && ending != strings.ToUpper(ending) || strings.Trim(stem, "0123456789") == "" && stem != "" {
		return false
	}
	switch strings.ToLower(ending) {
	case "am", "pm", "etc":
		return false
	}
	return true
}

var slashDate = regexp.MustCompile(`(?i)^\d+/(?:\d+|[a-z]{3,9})(?:/\d+)?$|^[a-z]{3,9}/\d{4}$`)

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80 }
