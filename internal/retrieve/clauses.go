package retrieve

import (
	"strings"
)

// Clauses cuts a request where a new wish begins: at the end of a sentence, behind "then", and at commas and "and" that
// a verb follows. verb tells words that something can be asked for with, in lower case, beside those of general English.
// What it gives are byte offsets. It takes time linear in the request.
func Clauses(request string, verb func(word string) bool) [][2]int {
	words := Words(request)
	next := 0 // the first word that is not before the end at hand
	follows := func(at int) string {
		for next < len(words) && (words[next].Start < at || lexicon().leadIn[words[next].Text]) {
			next++
		}
		if next == len(words) {
			return ""
		}
		return words[next].Text
	}
	var out [][2]int
	start, counted, marks := 0, 0, 0
	empty := true // nothing but blanks since start
	for e := (clauseEnds{text: request}); ; {
		from, to, firm, ok := e.next()
		if !ok {
			break
		}
		between := request[counted:from]
		marks += strings.Count(between, `"`)
		empty = empty && strings.TrimSpace(between) == ""
		counted = from
		if marks%2 == 1 {
			continue // inside quoted text
		}
		if verbal := follows(to); !firm && !IsVerb(verbal) && (verb == nil || !verb(verbal)) {
			continue
		}
		if !empty {
			out = append(out, [2]int{start, to})
			marks += strings.Count(request[from:to], `"`)
			start, counted, empty = to, to, true
		}
	}
	if strings.TrimSpace(request[start:]) != "" {
		out = append(out, [2]int{start, len(request)})
	}
	return out
}

// clauseEnds finds where clauses may end: at the end of a sentence or a line, at a comma, and at words that join clauses.
type clauseEnds struct {
	text string
	at   int
	run  [2]int // the blanks that were looked at last
}

// next gives the place of the next end, blanks around it included, and whether a clause ends there whatever follows.
func (e *clauseEnds) next() (from, to int, firm, ok bool) {
	for e.at < len(e.text) {
		from := e.at
		switch c := e.text[from]; {
		case c == '.' || c == '!' || c == '?' || c == ';':
			behind := from + 1 + len(e.text[from+1:]) - len(strings.TrimLeft(e.text[from+1:], "\"'”’)"))
			if to := e.blanks(behind); to > behind {
				e.at = to
				return from, to, true, true
			}
			e.at = behind
		case c == '\n':
			to := from
			for to < len(e.text) && e.text[to] == '\n' {
				to++
			}
			e.at = to
			return from, to, true, true
		case c == ',' || blank(c):
			behind := from
			if c == ',' {
				behind++
			}
			to := e.blanks(behind)
			if n := len(lexicon().joining.FindString(e.text[to:min(len(e.text), to+lexicon().longestJoining)])); n > 0 && to > behind {
				e.at = e.blanks(to + n)
				firm := strings.Contains(e.text[from:e.at], "\n") || strings.Contains(e.text[to:to+n], "then")
				return from, e.at, firm, true
			}
			if c == ',' && to > behind {
				e.at = to
				return from, to, strings.Contains(e.text[from:to], "\n"), true
			}
			// Blanks alone end nothing, but a line may end among them.
			if line := strings.IndexByte(e.text[behind:to], '\n'); line >= 0 {
				e.at = behind + line
			} else {
				e.at = max(to, from+1)
			}
		default:
			e.at++
		}
	}
	return 0, 0, false, false
}

// blanks is where the blanks end that stand at a place.
func (e *clauseEnds) blanks(at int) int {
	if at >= e.run[0] && at < e.run[1] {
		return e.run[1]
	}
	e.run = [2]int{at, at}
	for e.run[1] < len(e.text) && blank(e.text[e.run[1]]) {
		e.run[1]++
	}
	return e.run[1]
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r' }

// LeadsIn reports whether a lower-case word only leads in to a wish, as connectives and politeness do.
func LeadsIn(word string) bool { return lexicon().leadIn[word] }

// IsVerb reports whether a lower-case word is one that requests begin with: it says what is done, not what with.
func IsVerb(word string) bool { return lexicon().verbs[word] }
