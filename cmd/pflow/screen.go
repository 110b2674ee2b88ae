package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/mask"
	"pflow/internal/printable"
)

// screen is standard error: text, and on a terminal a last line that says what is under way. Whatever is written goes
// above that line.
type screen struct {
	out      io.Writer
	text     *printable.Writer // out, for text
	terminal bool              // somebody looks at it
	codes    bool              // it understands control codes: TERM is not dumb
	colour   bool              // and is to use colours
	width    func() int        // in columns

	mu     sync.Mutex
	mask   func() *mask.Masker // takes out the secrets of what is run; nil: there are none
	line   string              // what is under way; "" if nothing is shown
	paused int                 // while > 0 nothing is shown: somebody is asked
}

func newScreen(out io.Writer, getenv func(string) string) *screen {
	s := &screen{out: out, text: printable.NewWriter(out), terminal: isTerminal(out), width: func() int { return 80 }}
	s.codes = s.terminal && getenv("TERM") != "dumb" && getenv("TERM") != ""
	s.colour = s.codes && getenv("NO_COLOR") == ""
	if f, ok := out.(*os.File); ok && s.codes {
		s.width = func() int {
			if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
				return w
			}
			return 80
		}
	}
	return s
}

// The control codes that are used: colours, and what clears the line the cursor is in.
const (
	codeBold   = "\x1b[1m"
	codeRed    = "\x1b[31m"
	codeYellow = "\x1b[33m"
	codePlain  = "\x1b[0m"
	codeClear  = "\r\x1b[K"
)

// styled is text in a style, where styles are used. Beside the line of progress it is the only way in which control codes
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

func (s *screen) clear() {
	if s.line != "" {
		_, _ = io.WriteString(s.out, codeClear)
		s.line = ""
	}
}

// show puts a line in the place of the one before.
func (s *screen) show(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	line = printable.Line(s.masked(line))
	if s.paused > 0 {
		return
	}
	if room := max(s.width()-1, 1); utf8.RuneCountInString(line) > room {
		line = string([]rune(line)[:room])
	}
	if line == s.line {
		return
	}
	s.clear()
	if s.line = line; line != "" {
		_, _ = io.WriteString(s.out, line)
	}
}

// pause clears the line until the function it gives is called.
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

// progress shows what is under way, from the moment it takes long enough to be read.
type progress struct {
	screen *screen
	what   string
	live   bool
	start  time.Time
	done   chan struct{}
	ended  chan struct{}

	mu    sync.Mutex
	step  string
	chars int    // of the model's reply, so far
	said  string // the last step that a terminal without control codes was told of
}

// When a line is shown: at once would only flicker.
const (
	progressAfter = 300 * time.Millisecond
	plainAfter    = 2 * time.Second // a terminal without control codes, on which each line stays
	progressEvery = 100 * time.Millisecond
)

// follow begins to show progress, if somebody looks. What it gives is told of each step that begins, and ended by stop.
func (a *app) follow(what string) *progress {
	p := &progress{screen: a.screen, what: what, start: time.Now(), done: make(chan struct{}), ended: make(chan struct{})}
	if p.live = a.interactive() && !a.quiet && !a.verbose; !p.live {
		close(p.ended)
		return p
	}
	fault.Go(p.run, func(err error) { a.warn("no progress is shown: %v", err) })
	return p
}

type progressKey struct{}

// within hands the progress to the ops of a run.
func (p *progress) within(ctx context.Context) context.Context {
	return context.WithValue(ctx, progressKey{}, p)
}

// text is told of each piece of a model's reply.
func (p *progress) text(piece string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.chars += utf8.RuneCountInString(piece)
}

func (p *progress) began(a engine.Attempt) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.step, p.chars = a.Step, 0
	if a.Attempt > 1 {
		p.step = fmt.Sprintf("%s, attempt %d", a.Step, a.Attempt)
	}
}

func (p *progress) stop() {
	close(p.done)
	<-p.ended
}

func (p *progress) run() {
	defer close(p.ended)
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.done:
			p.screen.show("")
			return
		case <-tick.C:
			p.draw(time.Since(p.start))
		}
	}
}

func (p *progress) draw(past time.Duration) {
	p.mu.Lock()
	step, now := p.step, p.step
	if p.chars > 0 {
		now = fmt.Sprintf("%s, %d characters", step, p.chars)
	}
	p.mu.Unlock()
	switch {
	case p.screen.codes && past >= progressAfter:
		p.screen.show(fmt.Sprintf("%s: %s (%.0f s)", p.what, now, past.Seconds()))
	case !p.screen.codes && past >= plainAfter && step != p.said:
		p.said = step
		fmt.Fprintf(p.screen, "%s\n", printable.Line(p.what+": "+step))
	}
}
