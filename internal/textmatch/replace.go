package textmatch

import (
	"fmt"
	"sort"
	"strings"

	"pflow/internal/fault"
)

// Edit puts a text in the place of the bytes from Start to End of another.
type Edit struct {
	Start, End int
	Text       string
}

// maxEdits bounds what is replaced in one text.
const maxEdits = 1_000_000

// Edits lists what replacing the matches in a text, or the first alone, changes, in order. All between them stays as it is,
// byte for byte. Where all lines end with \r\n the line breaks of the replacement do, too. A match that changes nothing
// is an edit like any other. The error is a fault of kind invalid_request.
func (p *Pattern) Edits(text string, with Replacement, first bool) ([]Edit, error) {
	var bom int
	if strings.HasPrefix(text, byteOrderMark) {
		bom = len(byteOrderMark)
	}
	body := text[bom:]
	plain, where := body, func(at int) int { return at }
	crlf := strings.Count(body, "\r\n")
	all := crlf > 0 && crlf == strings.Count(body, "\n")
	if crlf > 0 && !p.cr {
		plain = strings.ReplaceAll(body, "\r\n", "\n")
		breaks := make([]int, 0, crlf) // where in plain the \n of each \r\n stands
		for at := 0; ; {
			next := strings.Index(body[at:], "\r\n")
			if next < 0 {
				break
			}
			breaks = append(breaks, at+next-len(breaks))
			at += next + 2
		}
		where = func(at int) int { return at + sort.SearchInts(breaks, at) }
	}
	limit := maxEdits + 1
	if first {
		limit = 1
	}
	matches := p.find(plain, limit)
	if len(matches) > maxEdits {
		return nil, fault.New(fault.InvalidRequest, "pattern matches more than %d times in one text; make it longer", maxEdits)
	}
	out := make([]Edit, 0, len(matches))
	for _, loc := range matches {
		if loc[0] == loc[1] && loc[0] == len(plain) && strings.HasSuffix(plain, "\n") {
			continue // behind the last line's end there is no line
		}
		var b strings.Builder
		for _, piece := range with {
			switch g := 2 * piece.group; {
			case piece.group < 0 && all && !p.cr:
				b.WriteString(strings.ReplaceAll(strings.ReplaceAll(piece.text, "\r\n", "\n"), "\n", "\r\n"))
			case piece.group < 0:
				b.WriteString(piece.text)
			case loc[g] >= 0:
				b.WriteString(body[where(loc[g]):where(loc[g+1])])
			}
		}
		out = append(out, Edit{bom + where(loc[0]), bom + where(loc[1]), b.String()})
	}
	return out, nil
}

// Apply gives a text with edits.
func Apply(text string, edits []Edit) string {
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.Start] + e.Text)
		at = e.End
	}
	b.WriteString(text[at:])
	return b.String()
}

// Excerpt shows the first lines that edits change, at most so many: "3 - as it is", "3 + as it will be". Lines are
// numbered as they stand in the text now, and long ones cut around the change.
func Excerpt(text string, edits []Edit, most int) (out []string) {
	line, counted := 1, 0
	for i := 0; i < len(edits) && len(out) < most; {
		start := strings.LastIndexByte(text[:edits[i].Start], '\n') + 1
		end, last := lineEnd(text, edits[i]), i
		for last+1 < len(edits) && edits[last+1].Start < end { // all that changes the same lines
			last++
			if edits[last].End >= end {
				end = lineEnd(text, edits[last])
			}
		}
		line += strings.Count(text[counted:start], "\n")
		counted = start
		inside := make([]Edit, 0, last+1-i)
		for _, e := range edits[i : last+1] {
			inside = append(inside, Edit{e.Start - start, e.End - start, e.Text})
		}
		around := max(0, edits[i].Start-start-shownBefore)
		old, now := text[start:end], Apply(text[start:end], inside)
		out = append(out, shownLines(old, "-", line, around, most-len(out))...)
		if now != "" {
			out = append(out, shownLines(now, "+", line, around, max(1, most-len(out)))...)
		}
		i = last + 1
	}
	return out
}

const (
	shownBefore = 40  // bytes of a long line before what changes in it
	shownLine   = 120 // characters of a line
)

// lineEnd is where the last line ends that an edit changes, behind its \n.
func lineEnd(text string, e Edit) int {
	whole := strings.HasSuffix(e.Text, "\n") || e.Text == "" && (e.Start == 0 || text[e.Start-1] == '\n')
	if e.End > e.Start && text[e.End-1] == '\n' && whole {
		return e.End // the next line stays a line of its own
	}
	if n := strings.IndexByte(text[e.End:], '\n'); n >= 0 {
		return e.End + n + 1
	}
	return len(text)
}

func shownLines(text, sign string, line, around, most int) (out []string) {
	for n, l := range strings.SplitN(strings.TrimSuffix(text, "\n"), "\n", most+1) {
		if n == most {
			break
		}
		if n == 0 && around > 0 && around < len(l) {
			l = "…" + strings.ToValidUTF8(l[around:min(len(l), around+4*shownLine+4)], "")
		}
		l = l[:min(len(l), 4*shownLine+4)] // long enough for the characters that are shown
		l = strings.ToValidUTF8(strings.TrimSuffix(l, "\r"), "\uFFFD")
		if r := []rune(l); len(r) > shownLine {
			l = string(r[:shownLine]) + "…"
		}
		out = append(out, fmt.Sprintf("%d %s %s", line+n, sign, l))
	}
	return out
}
