package htmltext

import (
	"strings"
	"unicode"
)

// writer puts text together: blanks in a row are one, none stand at the ends of lines, and no two empty lines follow
// each other.
type writer struct {
	b      strings.Builder
	breaks int    // line breaks that are due before what comes next
	blank  bool   // a blank is due
	tabbed bool   // a tab is due
	prefix string // the mark of an item, due before what comes next
}

func (w *writer) String() string { return w.b.String() }

// begin writes what is due.
func (w *writer) begin() {
	if w.b.Len() > 0 {
		w.b.WriteString(strings.Repeat("\n", w.breaks))
	}
	atStart := w.breaks > 0 || w.b.Len() == 0
	w.b.WriteString(w.prefix)
	switch {
	case w.tabbed:
		w.b.WriteByte('\t')
	case w.blank && !atStart && w.prefix == "":
		w.b.WriteByte(' ')
	}
	w.breaks, w.blank, w.tabbed, w.prefix = 0, false, false, ""
}

// flow writes text whose line breaks are blanks.
func (w *writer) flow(text string) {
	for len(text) > 0 {
		word := strings.IndexFunc(text, unicode.IsSpace)
		switch word {
		case 0:
			w.blank = true
			text = strings.TrimLeftFunc(text, unicode.IsSpace)
			continue
		case -1:
			word = len(text)
		}
		w.begin()
		w.b.WriteString(text[:word])
		text = text[word:]
	}
}

// verbatim writes text as it stands.
func (w *writer) verbatim(text string) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if w.breaks > 0 || w.b.Len() == 0 {
		text = strings.TrimPrefix(text, "\n") // the first of a pre is none of its text
	}
	trimmed := strings.TrimRight(text, "\n")
	if trimmed == "" {
		w.breaks = max(w.breaks, min(2, len(text)))
		return
	}
	w.begin()
	w.b.WriteString(trimmed)
	w.breaks = min(2, len(text)-len(trimmed))
}

func (w *writer) line()      { w.breaks = max(w.breaks, 1); w.blank = false }
func (w *writer) paragraph() { w.breaks = 2; w.blank = false }
func (w *writer) tab()       { w.tabbed, w.blank = true, false }

// mark begins an item of a list.
func (w *writer) mark(prefix string) {
	w.line()
	w.prefix = prefix
}
