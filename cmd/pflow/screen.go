package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/term"

	"pflow/internal/mask"
	"pflow/internal/printable"
)

// screen is standard error: text, and on a terminal last lines that say what is under way, which are drawn anew in their place.
// Whatever is written goes above them.
//
// They are drawn with three control codes that every terminal knows: go up, erase to the end of the line, erase to the end of the
// screen. The cursor stays visible and stands at the beginning of the line below them between two drawings, and no mode of the
// terminal is changed: whatever ends the process leaves nothing to restore.
type screen struct {
	out      io.Writer
	text     *printable.Writer // out, for text
	terminal bool              // somebody looks at it
	codes    bool              // it understands control codes: TERM is not dumb
	colour   bool              // and is to use colours
	width    func() int        // in columns
	height   func() int        // in lines

	mu     sync.Mutex
	mask   func() *mask.Masker // takes out the secrets of what is run; nil: there are none
	drawn  []drawnLine         // what is under way; nil if nothing is shown
	at     int                 // the width when it was drawn
	paused int                 // while > 0 nothing is shown: somebody is asked
}

// drawnLine is a line as it stands on the terminal.
type drawnLine struct {
	text    string
	columns int
}

func newScreen(out io.Writer, getenv func(string) string) *screen {
	s := &screen{out: out, text: printable.NewWriter(out), terminal: isTerminal(out), width: func() int { return 80 }, height: func() int { return 24 }}
	s.codes = s.terminal && getenv("TERM") != "dumb" && getenv("TERM") != ""
	s.colour = s.codes && getenv("NO_COLOR") == ""
	if f, ok := out.(*os.File); ok && s.codes {
		size := func() (columns, lines int) {
			columns, lines, err := term.GetSize(int(f.Fd()))
			if err != nil || columns <= 0 || lines <= 0 {
				return 80, 24
			}
			return columns, lines
		}
		s.width = func() int { columns, _ := size(); return columns }
		s.height = func() int { _, lines := size(); return lines }
	}
	return s
}

// The control codes that are used: styles, and those that take back what was drawn.
const (
	codeBold   = "\x1b[1m"
	codeFaint  = "\x1b[2m"
	codeRed    = "\x1b[31m"
	codeGreen  = "\x1b[32m"
	codeYellow = "\x1b[33m"
	codePlain  = "\x1b[0m"
	codeUp     = "\x1b[%dA"
	codeRest   = "\x1b[K" // of the line
	codeBelow  = "\x1b[J" // the cursor, and behind it
)

// styled is text in a style, where styles are used. Beside what is drawn it is the only way in which control codes
// reach standard error.
type styled struct{ code, text string }

// say writes strings and styled texts to standard error. The texts themselves are escaped, in or out of a style.
func (a *app) say(parts ...any) {
	a.screen.mu.Lock()
	defer a.screen.mu.Unlock()
	var b strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			b.WriteString(printable.Text(a.screen.masked(p)))
		case styled:
			if text := printable.Text(a.screen.masked(p.text)); a.screen.colour && !a.noColor {
				b.WriteString(p.code + text + codePlain)
			} else {
				b.WriteString(text)
			}
		}
	}
	a.screen.clear()
	_, _ = io.WriteString(a.screen.out, b.String())
}

// Write shows text with its controls escaped.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	if _, err := io.WriteString(s.text, s.masked(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// hide has the secrets of what is run taken out of all that is shown. What is run masks its results itself; this is for what
// else is said of it, such as the command line that runs it again.
func (s *screen) hide(m func() *mask.Masker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mask = m
}

func (s *screen) masked(text string) string {
	if s.mask == nil {
		return text
	}
	return s.mask().Text(text)
}

// clear takes back what is drawn.
func (s *screen) clear() {
	if s.drawn != nil {
		_, _ = io.WriteString(s.out, s.back(s.width())+codeBelow)
		s.drawn = nil
	}
}

// back gives what leads to the beginning of what is drawn. Where a terminal became narrower, it has broken lines that were longer.
func (s *screen) back(width int) string {
	up := 0
	for _, line := range s.drawn {
		up += max(1, (line.columns+width-1)/max(1, width))
	}
	return "\r" + fmt.Sprintf(codeUp, up)
}

// show draws lines, of strings and styled texts, in the place of those before, as far as they fit, and reports whether they were
// shown. A line that stays the same is not written.
func (s *screen) show(lines ...[]any) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.paused > 0 {
		return false
	}
	width := s.width()
	next := s.fit(lines[:min(len(lines), max(1, s.height()-1))], width)
	if width == s.at && slices.Equal(next, s.drawn) {
		return true
	}
	if width != s.at {
		s.clear()
		s.at = width
	}
	if len(next) == 0 {
		s.clear()
		return true
	}
	var b strings.Builder
	if s.drawn != nil {
		b.WriteString(s.back(width))
	}
	for i, line := range next {
		if i >= len(s.drawn) || line != s.drawn[i] {
			b.WriteString(line.text + codeRest)
		}
		b.WriteString("\n")
	}
	if len(next) < len(s.drawn) {
		b.WriteString(codeBelow)
	}
	s.drawn = next
	_, _ = io.WriteString(s.out, b.String())
	return true
}

// leave writes lines that stay in the place of what is drawn.
func (s *screen) leave(lines ...[]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	if s.paused > 0 {
		return
	}
	var b strings.Builder
	for _, line := range s.fit(lines, s.width()) {
		b.WriteString(line.text + "\n")
	}
	_, _ = io.WriteString(s.out, b.String())
}

// fit cuts lines to the width. The last two columns stay free: a terminal may break a line that fills it, and some take two columns
// for a sign that others take one for.
func (s *screen) fit(lines [][]any, width int) []drawnLine {
	var out []drawnLine
	for _, line := range lines {
		left := max(width-2, 1)
		var b strings.Builder
		for _, part := range line {
			text, code := "", ""
			switch part := part.(type) {
			case string:
				text = part
			case styled:
				text, code = part.text, part.code
			}
			text = cutColumns(printable.Line(s.masked(text)), left)
			left -= printable.Width(text)
			if code != "" && s.colour {
				text = code + text + codePlain
			}
			b.WriteString(text)
		}
		out = append(out, drawnLine{b.String(), max(width-2, 1) - left})
	}
	return out
}

// cutColumns cuts a text to a number of columns.
func cutColumns(text string, room int) string {
	for i, r := range text {
		if room -= printable.Columns(r); room < 0 {
			return text[:i]
		}
	}
	return text
}

// pause takes back what is drawn until the function it gives is called.
func (s *screen) pause() (resume func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	s.paused++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.paused--
	}
}
