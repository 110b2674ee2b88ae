package nodes

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"pflow/internal/mask"
)

// capture keeps the beginning of a stream, up to limit bytes, and a little of its end for messages.
//
// Secrets are masked as the stream comes, before it is cut: a cut cannot go through one.
type capture struct {
	limit int
	mask  *mask.Stream // nil: there are none
	mu    sync.Mutex   // what escaped the program may still write
	head  []byte
	tail  []byte // the last bytes of what did not fit
	cut   int64  // how many bytes did not fit
}

// lastBytes is how much of a stream's end is shown in a message.
const lastBytes = 2000

func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(c.mask.Next(p))
	return len(p), nil
}

// end takes what the mask held back.
func (c *capture) end() { c.keep(c.mask.Rest()) }

func (c *capture) keep(p []byte) {
	n := min(len(p), c.limit-len(c.head))
	c.head = append(c.head, p[:n]...)
	if rest := p[n:]; len(rest) > 0 {
		c.cut += int64(len(rest))
		c.tail = append(c.tail, rest[max(0, len(rest)-lastBytes):]...)
		c.tail = c.tail[max(0, len(c.tail)-lastBytes):]
	}
}

// text is what was kept, as text: bytes that are not UTF-8 are replaced by U+FFFD, and a cut is told at its place.
func (c *capture) text(trim bool) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end()
	s := string(c.head)
	if c.cut > 0 {
		for n := 0; n < utf8.UTFMax && s != ""; n++ { // the cut may go through a character
			if r, size := utf8.DecodeLastRuneInString(s); r != utf8.RuneError || size > 1 {
				break
			}
			s = s[:len(s)-1]
		}
		return strings.ToValidUTF8(s, "\uFFFD") + fmt.Sprintf("\n[cut here: %d more bytes]", c.cut+int64(len(c.head)-len(s)))
	}
	if trim {
		s = strings.TrimRight(s, "\r\n")
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// notes are the warnings about what text does not show as it was.
func (c *capture) notes(name string) (notes []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end()
	if c.cut > 0 {
		notes = append(notes, fmt.Sprintf("%s was cut after %d bytes, %d more were lost; set max_output to keep more, or write to a file", name, c.limit, c.cut))
	}
	head := c.head
	if c.cut > 0 {
		head = head[:max(0, len(head)-utf8.UTFMax)]
	}
	if !utf8.Valid(head) {
		notes = append(notes, name+" is not all UTF-8 text: other bytes became U+FFFD; pipe it through base64 to keep them")
	}
	return notes
}

// last is the end of the stream.
func (c *capture) last() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end()
	end := append(c.head[max(0, len(c.head)-lastBytes):len(c.head):len(c.head)], c.tail...)
	more := len(end) > lastBytes || len(c.head) > lastBytes
	s := strings.TrimSpace(strings.ToValidUTF8(string(end[max(0, len(end)-lastBytes):]), "\uFFFD"))
	if more && s != "" {
		s = "…" + s
	}
	return s
}

// lastWords is the end of what a program printed, for the message of its failure.
func (p *program) lastWords() string {
	s := p.stderr.last()
	if s == "" {
		s = p.stdout.last()
	}
	if s == "" {
		return ""
	}
	return ": " + s
}
