package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"

	"pflow/internal/printable"
)

// sized is the size that a terminal has from a byte of what is printed on.
type sized struct{ from, columns, rows int }

// emulator is what a terminal shows of what is printed on it, as far as pflow uses it: it breaks lines that are too long, scrolls,
// and breaks its lines anew when its width changes, as most do.
type emulator struct {
	columns, rows int
	lines         []emulated // all that there were; the last rows of them are on the screen
	x, y          int        // y counts from the first line of all
	broken        int        // lines that it broke
	unknown       []string   // codes that pflow does not write
}

type emulated struct {
	text []rune // a wide character and a 0
	goes bool   // on in the next line
}

func (e *emulator) line() *emulated {
	for len(e.lines) <= e.y {
		e.lines = append(e.lines, emulated{})
	}
	return &e.lines[e.y]
}

// top is the first line on the screen.
func (e *emulator) top() int { return max(0, len(e.lines)-e.rows) }

var emulatedCode = regexp.MustCompile("^\x1b\\[([0-9;]*)([A-Za-z])")

func (e *emulator) write(text string) {
	for len(text) > 0 {
		if m := emulatedCode.FindStringSubmatch(text); m != nil {
			text = text[len(m[0]):]
			e.code(m[1], m[2])
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		switch {
		case r == '\r':
			e.x = 0
		case r == '\n':
			e.y++
			e.line()
		case r == '\b':
			e.x = max(0, e.x-1)
		case r < ' ':
			e.unknown = append(e.unknown, fmt.Sprintf("%q", r))
		default:
			e.put(r)
		}
	}
}

func (e *emulator) put(r rune) {
	width := printable.Columns(r)
	if e.x+width > e.columns {
		e.broken++
		e.line().goes = true
		e.x, e.y = 0, e.y+1
	}
	line := e.line()
	for len(line.text) < e.x+width {
		line.text = append(line.text, ' ')
	}
	if width > 0 {
		line.text[e.x] = r
	}
	if width == 2 {
		line.text[e.x+1] = 0
	}
	e.x += width
}

func (e *emulator) code(number, kind string) {
	line := e.line()
	switch kind {
	case "A":
		n := 1
		fmt.Sscan(number, &n)
		e.y = max(e.top(), e.y-n)
	case "K", "J":
		line.text, line.goes = line.text[:min(e.x, len(line.text))], false
		if kind == "J" {
			for i := e.y + 1; i < len(e.lines); i++ {
				e.lines[i] = emulated{}
			}
		}
	case "m":
	default:
		e.unknown = append(e.unknown, number+kind)
	}
}

// resize breaks the lines anew.
func (e *emulator) resize(columns, rows int) {
	var out []emulated
	y := -1
	for i := 0; i < len(e.lines); i++ {
		at, whole := e.y-i, e.lines[i].text
		for ; e.lines[i].goes && i+1 < len(e.lines); i++ {
			whole = append(whole, e.lines[i+1].text...)
		}
		from := len(out)
		for len(whole) > columns {
			out, whole = append(out, emulated{whole[:columns], true}), whole[columns:]
		}
		out = append(out, emulated{whole, false})
		if y < 0 && e.y <= i {
			y = from + max(0, min(at, len(out)-from-1))
		}
	}
	for len(out) > 0 && len(out) > y+1 && len(out[len(out)-1].text) == 0 { // what was erased below is no line
		out = out[:len(out)-1]
	}
	e.lines, e.y, e.columns, e.rows = out, max(0, y), columns, rows
}

func (e *emulator) text(from int) string {
	var b strings.Builder
	for _, line := range e.lines[from:] {
		b.WriteString(strings.TrimRight(strings.ReplaceAll(string(line.text), "\x00", ""), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// emulate is the terminal after all that was printed so far.
func (tt *terminal) emulate() *emulator {
	tt.mu.Lock()
	defer tt.mu.Unlock()
	text := tt.text.String()
	for n := 0; n < utf8.UTFMax && !utf8.ValidString(text); n++ { // a character of which a part has come
		text = text[:len(text)-1]
	}
	e := &emulator{columns: tt.sizes[0].columns, rows: tt.sizes[0].rows}
	for i, s := range tt.sizes {
		to := len(text)
		if i+1 < len(tt.sizes) {
			to = min(to, tt.sizes[i+1].from)
		}
		if i > 0 {
			e.resize(s.columns, s.rows)
		}
		e.write(text[min(s.from, to):to])
	}
	return e
}

// screen is what stands on the terminal now.
func (tt *terminal) screen() string {
	e := tt.emulate()
	return e.text(e.top())
}

// all is what stands on the terminal and what was scrolled away.
func (tt *terminal) all() string { return tt.emulate().text(0) }

// resize gives the terminal another size.
func (tt *terminal) resize(columns, rows int) {
	tt.t.Helper()
	tt.mu.Lock()
	tt.sizes = append(tt.sizes, sized{tt.text.Len(), columns, rows})
	tt.mu.Unlock()
	if err := pty.Setsize(tt.pty, &pty.Winsize{Rows: uint16(rows), Cols: uint16(columns)}); err != nil {
		tt.t.Fatal(err)
	}
}

// until waits until the screen shows something.
func (tt *terminal) until(what string, holds func(screen string) bool) {
	tt.t.Helper()
	deadline := time.After(60 * time.Second)
	for over := false; ; {
		s := tt.screen()
		if holds(s) {
			return
		}
		if over {
			tt.t.Fatalf("it ended without %s:\n%s", what, tt.all())
		}
		select {
		case <-deadline:
			tt.t.Fatalf("not there: %s:\n%s", what, s)
		case <-tt.ended:
			over = true
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// shows reports whether a screen has lines of a form.
func shows(screen, form string) bool { return regexp.MustCompile(form).MatchString(screen) }

// TestEmulator: the terminal of these tests does what a terminal does.
func TestEmulator(t *testing.T) {
	e := &emulator{columns: 6, rows: 3}
	e.write("ab\r\ncdefgh\r\n日本語日\r\n\x1b[2Axy\x1b[K\n")
	if got := e.text(0); got != "ab\ncdefgh\nxy\n日" || e.broken != 1 {
		t.Errorf("%q, %d broken", got, e.broken)
	}
	e.write("\x1b[9A!\x1b[J")
	if got := e.text(0); got != "ab\ncdefgh\nxy!" {
		t.Errorf("%q", got)
	}
	e = &emulator{columns: 8, rows: 4}
	e.write("12345678\r\nab\r\n")
	e.resize(4, 4)
	if got := e.text(0); got != "1234\n5678\nab" || e.y != 3 {
		t.Errorf("%q at %d", got, e.y)
	}
}

// to makes a file of the desk, which a step waits for.
func (d *desk) to(name string) {
	d.t.Helper()
	if err := os.WriteFile(d.dir+"/"+name, nil, 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// waits is a command that waits for a file of the desk.
func waits(name string) string { return "while ! [ -e " + name + " ]; do sleep 0.02; done" }

// styles are what pflow itself writes: its styles around its own words, and what draws the view of a run.
var styles = regexp.MustCompile("\x1b\\[1m|\x1b\\[(31|32|33|2)m[\\pL\\pM\\pN\\pP\\pS ]*\x1b\\[0m|\x1b\\[33mpflow: warning:\x1b\\[0m|\x1b\\[0m|\r\x1b\\[\\d+A|\x1b\\[[JK]|\r\n|\n|\t")
