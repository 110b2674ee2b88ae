package retrieve

import "strings"

// Stem takes English endings off a lower-case word, so that file, files, filed and filing are one. It is deliberately
// light: what it joins wrongly costs more than what it leaves apart.
func Stem(w string) string {
	if len(w) < 4 || !ascii(w) {
		return w
	}
	w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
	switch {
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		w = w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"):
		w = w[:len(w)-2]
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		w = w[:len(w)-1]
	}
	for _, ending := range []string{"ing", "ed"} {
		if base, ok := strings.CutSuffix(w, ending); ok && len(base) >= 3 && hasVowel(base) {
			w = undouble(base)
			break
		}
	}
	for _, e := range []struct{ from, to string }{
		{"ization", "ize"}, {"isation", "ize"}, {"ation", "ate"}, {"tion", "t"}, {"sion", "s"}, {"ment", ""}, {"ness", ""}, {"ly", ""},
	} {
		if base, ok := strings.CutSuffix(w, e.from); ok && len(base) >= 3 {
			w = base + e.to
			break
		}
	}
	if len(w) > 4 || len(w) == 4 && !strings.HasSuffix(w, "ee") {
		w = strings.TrimSuffix(w, "e")
	}
	if base, ok := strings.CutSuffix(w, "y"); ok && len(base) >= 3 {
		w = base + "i"
	}
	return w
}

func ascii(w string) bool {
	for i := range len(w) {
		if w[i] >= 0x80 {
			return false
		}
	}
	return true
}

func hasVowel(w string) bool { return strings.ContainsAny(w, "aeiouy") }

// undouble ends a stem as its verb does: stopping -> stop, filling -> fill.
func undouble(w string) string {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("lsze", rune(w[n-1])) {
		return w[:n-1]
	}
	return w
}
