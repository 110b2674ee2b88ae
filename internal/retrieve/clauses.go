package retrieve

import (
	"regexp"
	"strings"
)

// Clauses cuts a request where a new wish begins: at the end of a sentence, behind "then", and at commas and "and" that
// a verb follows. verb tells words that something can be asked for with, in lower case, beside those of general English.
// What it gives are byte offsets.
func Clauses(request string, verb func(word string) bool) [][2]int {
	words := Words(request)
	follows := func(at int) string {
		for _, w := range words {
			if w.Start >= at && !leadIn[w.Text] {
				return w.Text
			}
		}
		return ""
	}
	var out [][2]int
	start := 0
	for _, m := range clauseEnd.FindAllStringIndex(request, -1) {
		if m[0] < start || quoted(request, m[0]) {
			continue
		}
		text := request[m[0]:m[1]]
		firm := strings.ContainsAny(text, ".!?;\n") || strings.Contains(text, "then")
		if next := follows(m[1]); !firm && !IsVerb(next) && (verb == nil || !verb(next)) {
			continue
		}
		if len(strings.Fields(request[start:m[0]])) > 0 {
			out = append(out, [2]int{start, m[1]})
			start = m[1]
		}
	}
	if strings.TrimSpace(request[start:]) != "" {
		out = append(out, [2]int{start, len(request)})
	}
	return out
}

var clauseEnd = regexp.MustCompile(`[.!?;]["'”’)]*\s+|\n+|,?\s+(?:and then|and|then|after that|afterwards|finally|next|as well as|but)\s+|,\s+`)

// leadIn stands before the verb of a clause.
var leadIn = map[string]bool{"then": true, "also": true, "please": true, "finally": true, "next": true, "and": true, "i": true, "want": true, "to": true, "would": true,
	"like": true, "need": true, "you": true, "can": true, "could": true, "afterwards": true, "me": true, "help": true, "d": true}

func quoted(s string, at int) bool { return strings.Count(s[:at], `"`)%2 == 1 }

// IsVerb reports whether a lower-case word is one that requests begin with: it says what is done, not what with.
func IsVerb(word string) bool { return verbs[word] }

var verbs = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`find get calculate retrieve provide search book show list create generate fetch check determine compute analyze
		convert update delete add send write read save play order buy look tell give make set put take run open schedule plan compare evaluate identify
		predict estimate store remove extract translate summarize print display sort filter count copy move rename download upload post publish share
		notify call start stop turn apply edit combine merge split join classify detect recognize transcribe draw record return arrange reserve pay
		deploy build test pick select choose grab fetch execute duplicate keep load clone rename erase clean parse format print export import monitor measure track locate explain describe recommend suggest answer ask`) {
		out[w] = true
	}
	return out
}()

// verbStems are the stems of the verbs.
var verbStems = func() map[string]bool {
	out := map[string]bool{}
	for w := range verbs {
		out[Stem(w)] = true
	}
	return out
}()
