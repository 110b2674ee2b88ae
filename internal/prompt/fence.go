package prompt

import (
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A fence is text that others wrote between two tags, <name-1> and </name-1>, so that a model can tell it from its
// instructions. All fences of a text have the same number: the smallest with which no tag of any of them occurs inside
// one, nor anything that could be taken for such a tag: letter case, white space, punctuation and invisible characters do
// not count in the comparison. So no fenced text can end its fence, or begin another.

// mark stands around the parts of fences until the whole text is known and a number can be chosen. Nobody can guess it.
var mark = func() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	return "\x00" + hex.EncodeToString(b) + "\x00"
}()

// fenceLater is a fence whose number is not known yet.
func fenceLater(name, text string) string { return mark + name + mark + text + mark }

// settleFences writes the fences of a text out.
func settleFences(text string) string {
	parts := strings.Split(text, mark)
	if len(parts) == 1 {
		return text
	}
	// plain, name, fenced, plain, name, fenced, …, plain; a template that took a fence apart has other counts
	if len(parts)%3 != 1 {
		return strings.Join(parts, "")
	}
	var names, inside []string
	for i := 1; i < len(parts); i += 3 {
		if name := bare(parts[i]); !slices.Contains(names, name) {
			names = append(names, name)
		}
		inside = append(inside, bare(parts[i+1]))
	}
	number := free(names, inside)
	var b strings.Builder
	b.WriteString(parts[0])
	for i := 1; i < len(parts); i += 3 {
		tag, fenced := parts[i]+"-"+strconv.Itoa(number), parts[i+1]
		b.WriteString("<" + tag + ">\n" + fenced)
		if fenced != "" && !strings.HasSuffix(fenced, "\n") {
			b.WriteByte('\n')
		}
		b.WriteString("</" + tag + ">" + parts[i+2])
	}
	return b.String()
}

// free is the smallest number with which no tag of the names stands in one of the texts. Each text is read once for each
// name, however many tags it imitates.
func free(names, texts []string) int {
	taken := map[int]bool{}
	for _, name := range names {
		for _, text := range texts {
			for from := 0; from <= len(text); from++ {
				at := strings.Index(text[from:], name)
				if at < 0 {
					break
				}
				from += at
				number := 0
				for i, c := range []byte(text[from+len(name):]) {
					if c < '0' || c > '9' || i == maxDigits || i == 1 && number == 0 {
						break
					}
					number = number*10 + int(c-'0')
					taken[number] = true // also as the beginning of a longer one
				}
			}
		}
	}
	number := 1
	for taken[number] {
		number++
	}
	return number
}

// maxDigits bounds the numbers that are looked at: a text has no room for all shorter ones.
const maxDigits = 9

// bare is a text's letters and digits. Full-width forms count as the letters they look like.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '！' && r <= '～' {
			r -= '！' - '!'
		}
		switch {
		case unicode.IsDigit(r):
			return r
		case unicode.IsLetter(r):
			return unicode.ToLower(unicode.ToUpper(r)) // also ſ and the Kelvin sign
		}
		return -1
	}, s)
}
