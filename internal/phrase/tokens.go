package phrase

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"pflow/internal/extract"
	"pflow/internal/mapparams"
	"pflow/internal/retrieve"
)

// token is a word of a request, a sign, or a text in quotes as a whole. start and end are byte offsets.
type token struct {
	text       string // as it stands
	word, stem string // in lower case; "" of a quoted text
	start, end int
	quoted     bool
	sign       bool // punctuation
}

// tokensOf cuts a request: at white space, punctuation at the ends of words apart. A quoted text is one token, as is a JSON object.
func tokensOf(r *mapparams.Request) []token {
	var out []token
	whole := map[int]int{} // where a token begins that is not cut -> its end
	for _, e := range r.Entities {
		if e.Kind == extract.Quoted {
			whole[e.Start] = e.End
		}
	}
	for at := 0; at < len(r.Text); {
		c, size := utf8.DecodeRuneInString(r.Text[at:])
		if unicode.IsSpace(c) {
			at += size
			continue
		}
		if end, ok := whole[at]; ok {
			out = append(out, token{text: r.Text[at:end], start: at, end: end, quoted: true})
			at = end
			continue
		}
		if end := jsonEnd(r.Text, at); end > at {
			out = append(out, token{text: r.Text[at:end], start: at, end: end})
			at = end
			continue
		}
		end := at
		for end < len(r.Text) {
			c, size := utf8.DecodeRuneInString(r.Text[end:])
			if _, quoted := whole[end]; unicode.IsSpace(c) || quoted && end > at {
				break
			}
			end += size
		}
		out = append(out, cut(r.Text, at, end)...)
		at = end
	}
	return out
}

// possessives cuts the 's off a word, as in Ann's price, unless phrases have the word as a whole: what's, today's.
func (g *Grammar) possessives(tokens []token) []token {
	out := make([]token, 0, len(tokens))
	for _, t := range tokens {
		owner, is := strings.CutSuffix(t.word, "'s")
		if !is || t.quoted || t.sign || owner == "" || g.words[t.word] {
			out = append(out, t)
			continue
		}
		at := t.end - 1 - utf8.RuneLen('’')
		if strings.HasSuffix(t.text, "'s") {
			at = t.end - len("'s")
		}
		out = append(out, word(t.text[:at-t.start], 0, at-t.start), word("'s", 0, len("'s")))
		out[len(out)-2].start, out[len(out)-2].end = t.start, at
		out[len(out)-1].start, out[len(out)-1].end = at, t.end
	}
	return out
}

// cut makes tokens of a stretch without white space: signs at its ends are tokens of their own.
func cut(text string, start, end int) []token {
	var out, behind []token
	sign := func(at int) token {
		return token{text: text[at : at+1], word: text[at : at+1], stem: text[at : at+1], start: at, end: at + 1, sign: true}
	}
	for start < end && strings.IndexByte("([{\"'`", text[start]) >= 0 {
		out = append(out, sign(start))
		start++
	}
	for end > start && strings.IndexByte(".,;:!?)]}\"'`", text[end-1]) >= 0 && !dots(text[start:end]) {
		behind = append(behind, sign(end-1))
		end--
	}
	for start < end { // commas join no words: a,b; a path has none
		at := strings.IndexByte(text[start:end], ',')
		if at <= 0 || strings.ContainsAny(text[start:end], "/{[*") || digits(text[start:end]) {
			break
		}
		out = append(out, word(text, start, start+at), sign(start+at))
		start += at + 1
	}
	if start < end {
		out = append(out, word(text, start, end))
	}
	for k := len(behind) - 1; k >= 0; k-- {
		out = append(out, behind[k])
	}
	return out
}

func word(text string, start, end int) token {
	w := strings.ToLower(strings.ReplaceAll(text[start:end], "’", "'"))
	return token{text: text[start:end], word: w, stem: retrieve.Stem(w), start: start, end: end}
}

// dots reports whether a text is a path of dots: . or .. or ./... are no sentence's end.
func dots(text string) bool { return strings.Trim(text, "./") == "" && text != "..." }

func digits(text string) bool { return strings.Trim(text, "0123456789.,") == "" }

// jsonEnd is the end of a JSON object or array that begins at a place, or the place itself if there is none.
func jsonEnd(text string, at int) int {
	if text[at] != '{' && text[at] != '[' {
		return at
	}
	depth, inText := 0, false
	for k := at; k < len(text); k++ {
		switch c := text[k]; {
		case inText && c == '\\':
			k++
		case c == '"':
			inText = !inText
		case inText:
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			if depth--; depth == 0 {
				if !json.Valid([]byte(text[at : k+1])) {
					return at
				}
				return k + 1
			}
		}
	}
	return at
}
