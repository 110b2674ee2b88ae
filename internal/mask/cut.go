package mask

import (
	"regexp"
	"strings"
)

// cutSigns are how a text says that something was cut off there.
var cutSigns = regexp.MustCompile(`…|\.\.\.|\\u2026|\n\[cut here:`)

// fewest is how much of a secret at a cut is masked, in characters: less says nothing, and might be anything. Three dots end
// many a sentence, so more is wanted there.
const (
	fewest     = 3
	fewestDots = 6
)

// cuts masks the beginning of a secret right before a sign of a cut, and the end of one right behind it.
func (m *Masker) cuts(s string) string {
	at := cutSigns.FindAllStringIndex(s, -1)
	for k := len(at) - 1; k >= 0; k-- {
		from, to := at[k][0], at[k][1]
		least := fewest
		if s[from] == '.' {
			least = fewestDots
		}
		if n, mark := m.endOf(s[to:], least); n > 0 {
			s = s[:to] + mark + s[to+n:]
		}
		since := 0
		if k > 0 {
			since = at[k-1][1]
		}
		if n, mark := m.beginningOf(s[since:from], least); n > 0 {
			s = s[:from-n] + mark + s[from:]
		}
	}
	return s
}

// beginningOf finds how much of the end of a text, in which nothing else was cut off, is the beginning of a form.
func (m *Masker) beginningOf(s string, least int) (n int, mark string) {
	const longest = 1 << 14 // of what is looked at
	text := []byte(s[max(0, len(s)-longest):])
	for i := range text {
		for _, f := range m.byFirst[text[i]] {
			form := &m.formed[f]
			if form.kept || len(form.units)*8 < len(text)-i {
				continue
			}
			if end, more := form.match(text, i); more && end < 0 && form.begun(text, i) >= min(least, len(form.units)-1) {
				return len(text) - i, form.mark
			}
		}
	}
	return 0, ""
}

// begun counts the units of the form that stand whole at i.
func (f *form) begun(text []byte, i int) int {
	low, high := 0, len(f.units)
	for low < high {
		mid := (low + high + 1) / 2
		if end, _ := matchUnits(f.units[:mid], text, i); end >= 0 {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}

// endOf finds how much of the beginning of a text is the end of a form. What is left of an escape, cut through, is part of
// it.
func (m *Masker) endOf(s string, few int) (n int, mark string) {
	const escapeRest = 14 // of a character of four bytes, in percents
	text := []byte(s)
	for skip := 0; skip <= escapeRest && skip < len(text); skip++ {
		if skip > 0 && strings.IndexByte("0123456789abcdefABCDEFu\\'\"%&#;xquotamplg", text[skip-1]) < 0 {
			break
		}
		for f := range m.formed {
			form := &m.formed[f]
			if form.kept {
				continue
			}
			for k := 1; k+few <= len(form.units); k++ {
				if !form.units[k].mayBegin(text[skip]) {
					continue
				}
				if end, _ := matchUnits(form.units[k:], text, skip); end > n {
					n, mark = end, form.mark
				}
			}
		}
	}
	return n, mark
}
