package mapparams

import (
	"encoding/json"
	"regexp"
	"strings"

	"pflow/internal/extract"
)

// notation finds values that are written as programs write them, whatever is wanted: lists in brackets, codes, what an
// unclosed quotation mark begins. They stand for the entities inside them.
func (r *Request) notation() []candidate {
	out := r.brackets()
	out = append(out, r.unclosed()...)
	return append(out, r.codes(out)...)
}

// brackets finds the outermost lists in brackets, and numbers in parentheses.
func (r *Request) brackets() []candidate {
	if !strings.ContainsAny(r.Text, "[({") {
		return nil
	}
	var out []candidate
	var open []int
	lists := 0 // of the open ones: what is in a list is part of it
	at := 0    // the first entity that ends behind the place
	for i := 0; i < len(r.Text); i++ {
		for at < len(r.Entities) && r.Entities[at].End <= i {
			at++
		}
		if at < len(r.Entities) && r.Entities[at].Start <= i && (isAddress(r.Entities[at].Kind) || r.Entities[at].Kind == extract.Quoted) {
			i = r.Entities[at].End - 1 // a pattern of paths, or text
			continue
		}
		switch r.Text[i] {
		case '[', '(', '{':
			open = append(open, i)
			if r.Text[i] != '(' {
				lists++
			}
		case ']', ')', '}':
			if len(open) == 0 || closing[r.Text[open[len(open)-1]]] != r.Text[i] {
				open, lists = open[:0], 0
				continue
			}
			from := open[len(open)-1]
			open = open[:len(open)-1]
			if r.Text[from] != '(' {
				lists--
			}
			if lists > 0 || r.Text[from] == '(' && i-from > longestNumber {
				continue
			}
			if c, ok := bracketed(r.Text[from:i+1], from); ok {
				out = append(out, c)
			}
		}
	}
	return out
}

var closing = map[byte]byte{'[': ']', '(': ')', '{': '}'}

// longestBracket is how many bytes a list in brackets may have that is read as one.
const longestBracket = 1 << 14

// bracketed reads [3, 2, 1], [[1, 2], [3, 4]], [red, green], (33.4484 N, 112.0740 W) and {"a": 1}.
func bracketed(text string, start int) (candidate, bool) {
	c := candidate{class: classList, text: text, start: start, end: start + len(text), bracketed: true}
	if len(text) > longestBracket {
		return c, false
	}
	if text[0] != '(' {
		var v any
		if json.Unmarshal([]byte(strings.ReplaceAll(text, "'", `"`)), &v) == nil {
			v = tidyNumbers(v)
			c.list, _ = v.([]any)
			c.object, _ = v.(map[string]any)
			return c, c.list != nil || len(c.object) > 0
		}
	}
	if text[0] == '{' || strings.ContainsAny(text[1:len(text)-1], "[({") {
		return c, false
	}
	numbers := 0
	for item := range strings.SplitSeq(text[1:len(text)-1], ",") {
		item = strings.Trim(strings.TrimSpace(item), "\"'“”‘’`")
		if item == "" {
			return c, false
		}
		v := any(item)
		if n, ok := signedNumber(item); ok {
			v = n
			numbers++
		}
		c.list = append(c.list, v)
	}
	return c, text[0] == '[' || numbers == len(c.list) && numbers > 1
}

// tidyNumbers brings the numbers of JSON to those that values have.
func tidyNumbers(v any) any {
	switch v := v.(type) {
	case float64:
		if n := int(v); float64(n) == v {
			return n
		}
		return v
	case []any:
		for k := range v {
			v[k] = tidyNumbers(v[k])
		}
		return v
	case map[string]any:
		for k := range v {
			v[k] = tidyNumbers(v[k])
		}
		return v
	}
	return v
}

var compass = regexp.MustCompile(`(?i)^(.*\d)\s*°?\s*(north|south|east|west|[nsew])$`)

// signedNumber reads a number with its sign, or one of a coordinate: 112.0740 W is below zero.
func signedNumber(text string) (any, bool) {
	below := strings.HasPrefix(text, "-") || strings.HasPrefix(text, "−")
	if m := compass.FindStringSubmatch(text); m != nil {
		text, below = m[1], m[2][0]|0x20 == 's' || m[2][0]|0x20 == 'w'
	}
	n, ok := plainNumber(strings.TrimLeft(strings.TrimSpace(text), "-−+$€£ "))
	if ok && below {
		return negative(n), true
	}
	return n, ok
}

func negative(n any) any {
	switch n := n.(type) {
	case int:
		return -n
	case float64:
		return -n
	}
	return n
}

// unclosed finds what the last quotation mark begins where none closes it: it goes on to the end of the sentence or line.
func (r *Request) unclosed() []candidate {
	at := strings.LastIndexByte(r.Text, '"')
	if at < 1 || strings.Count(r.Text, `"`)%2 == 0 || r.Text[at-1] != ' ' || at+1 == len(r.Text) || r.Text[at+1] == ' ' {
		return nil
	}
	end := len(r.Text)
	if n := strings.IndexAny(r.Text[at:], "\n"); n >= 0 {
		end = at + n
	}
	text := strings.TrimRight(r.Text[at+1:end], " .!?")
	if text == "" {
		return nil
	}
	c := candidate{class: classEntity, kind: extract.Quoted, text: text, start: at, end: at + 1 + len(text)}
	if n, ok := plainNumber(text); ok {
		c.number = n
	}
	return []candidate{c}
}

// codes finds words that have the form of an identifier: letters and digits mixed, an underscore, a capital inside.
func (r *Request) codes(taken []candidate) []candidate {
	var out []candidate
	entity, other := 0, 0
	for from := 0; from < len(r.Text); {
		if strings.IndexByte(" \t\n\r\f", r.Text[from]) >= 0 {
			from++
			continue
		}
		to := from
		for to < len(r.Text) && strings.IndexByte(" \t\n\r\f", r.Text[to]) < 0 {
			to++
		}
		start, end := codeSpan(r.Text, from, to)
		from = to
		if end <= start || end-start > longestNumber || !isCode(r.Text[start:end]) {
			continue
		}
		for entity < len(r.Entities) && r.Entities[entity].End <= start {
			entity++
		}
		if entity < len(r.Entities) && r.Entities[entity].Start < end {
			// What an entity has as a whole it is, and text and addresses are what they are.
			e := r.Entities[entity]
			if e.Start <= start && e.End >= end || isAddress(e.Kind) || e.Kind == extract.Quoted || e.Kind == extract.Repo {
				continue
			}
		}
		for other < len(taken) && taken[other].end <= start {
			other++
		}
		if other < len(taken) && taken[other].start < end {
			continue
		}
		c := candidate{class: classCode, text: r.Text[start:end], start: start, end: end}
		if n, ok := plainNumber(firstNumber.FindString(c.text)); ok && strings.IndexByte(c.text, '_') < 0 {
			c.number = n
		}
		out = append(out, c)
	}
	return out
}

// codeSpan takes the punctuation and what is before a colon or an equals sign off a run without blanks.
func codeSpan(text string, from, to int) (start, end int) {
	for from < to && strings.IndexByte("\"'`([{<", text[from]) >= 0 {
		from++
	}
	for to > from && strings.IndexByte("\"'`)]}>.,;:!?", text[to-1]) >= 0 {
		to--
	}
	if strings.HasSuffix(text[from:to], "'s") {
		to -= len("'s")
	}
	if k := strings.LastIndexAny(text[from:to], "=:"); k >= 0 {
		from += k + 1
	}
	return from, to
}

// isCode reports whether a run without blanks has the form of an identifier. Digits before letters are a number with its
// unit, an ordinal, or how many of something there are: 20ft, 19th, 3-bedroom.
func isCode(s string) bool {
	switch {
	case strings.ContainsAny(s, `/\,"'()[]{}<>|&;$%*^+=@#~`):
		return false
	case dottedNumbers.MatchString(s), telephone.MatchString(s):
		return true
	case strings.Trim(s, "0123456789.,:-") == "", amountForm.MatchString(s):
		return false
	}
	return codeForm.MatchString(s)
}

var (
	dottedNumbers = regexp.MustCompile(`^\d{1,3}(?:\.\d{1,3}){3}$`)
	telephone     = regexp.MustCompile(`^\d{1,4}(?:-\d{2,4}){1,3}-\d{4}$`)
	amountForm    = regexp.MustCompile(`^[\d.,:]+(?:-?\p{Ll}+(?:-\p{Ll}+)?|-\pL+(?:-\pL+)?|\pL{1,3})$`)
	codeForm      = regexp.MustCompile(`^(?:[\pL\d.-]*(?:\pL[.-]?\d|\d[.-]?\pL)[\pL\d._-]*|[\pL\d.-]*[\pL\d]_[\pL\d][\pL\d._-]*|\p{Ll}+\p{Lu}[\pL\d]*)$`)
)

// label is the word that a value is given to: b in b=-3 and in b: -3; "" if there is none.
func (r *Request) label(start int) string {
	before := strings.TrimRight(r.Text[max(0, start-longestLabel):start], " \"'`")
	if m := labelForm.FindStringSubmatch(before); m != nil {
		return m[1]
	}
	return ""
}

const longestLabel = 48

var labelForm = regexp.MustCompile(`(?:^|[^\pL\d_])([\pL_][\pL\d_]*)\s*(?:=|:)$`)
