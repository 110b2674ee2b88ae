package process

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"pflow/internal/mask"
)

// Capture keeps the beginning of a stream, up to limit bytes, and a little of its end for messages.
//
// Secrets are masked as the stream comes, before it is cut: a cut cannot go through one.
type Capture struct {
	Limit int          // bytes that are kept
	Mask  *mask.Stream // nil: there are no secrets
	tell  func([]byte) // of what comes, masked; nil: nobody
	mu    sync.Mutex   // what escaped the program may still write
	head  []byte
	tail  []byte // the last bytes of what did not fit
	cut   int64  // how many bytes did not fit
}

// lastBytes is how much of a stream's end is shown in a message.
const lastBytes = 2000

func (c *Capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(c.Mask.Next(p))
	return len(p), nil
}

// end takes what the mask held back.
func (c *Capture) end() { c.keep(c.Mask.Rest()) }

func (c *Capture) keep(p []byte) {
	if c.tell != nil && len(p) > 0 {
		c.tell(p)
	}
	n := min(len(p), c.Limit-len(c.head))
	c.head = append(c.head, p[:n]...)
	if rest := p[n:]; len(rest) > 0 {
		c.cut += int64(len(rest))
		c.tail = append(c.tail, rest[max(0, len(rest)-lastBytes):]...)
		c.tail = c.tail[max(0, len(c.tail)-lastBytes):]
	}
}

// Text is what was kept, as text: bytes that are not UTF-8 are replaced by U+FFFD, and a cut is told at its place.
func (c *Capture) Text(trim bool) string {
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

// Notes are the warnings about what Text does not show as it was.
func (c *Capture) Notes(name string) (notes []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end()
	if c.cut > 0 {
		notes = append(notes, fmt.Sprintf("%s was cut after %d bytes, %d more were lost; set max_output to keep more, or write to a file", name, c.Limit, c.cut))
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

// Last is the end of the stream.
func (c *Capture) Last() string {
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

// LastWords is the end of what a program printed, for the message of its failure.
func (p *Program) LastWords() string {
	s := p.Stderr.Last()
	if s == "" {
		s = p.Stdout.Last()
	}
	if s == "" {
		return ""
	}
	return ": " + s
}

// Bytes is what was kept, and whether that is not all.
func (c *Capture) Bytes() (kept []byte, cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end()
	return c.head, c.cut > 0
}
