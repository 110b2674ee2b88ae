package table

import (
	"bufio"
	"bytes"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"pflow/internal/fault"
)

// maxRecord bounds one row, in bytes: an open quote makes one of all that follows.
const maxRecord = 16 << 20

// sample is how much of a table is looked at before it is read, in bytes.
const sample = 64 << 10

// input is the text of a table, in UTF-8, without the mark of its encoding.
type input struct {
	r    *bufio.Reader
	left int // how much may be read before the next row begins
	nl   int // line breaks that were read
}

// newInput begins to read a table's text.
func newInput(r io.Reader, latin1 bool) (*input, error) {
	b := bufio.NewReaderSize(r, sample)
	head, err := b.Peek(3)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte("\xEF\xBB\xBF")):
		b.Discard(3)
	case bytes.HasPrefix(head, []byte("\xFF\xFE")), bytes.HasPrefix(head, []byte("\xFE\xFF")): // what Excel calls Unicode text
		b.Discard(2)
		b = bufio.NewReaderSize(&fromUTF16{r: b, high: int(head[0] & 1)}, sample)
	case latin1:
		b = bufio.NewReaderSize(&fromLatin1{r: b}, sample)
	}
	return &input{r: b, left: maxRecord + sample}, nil
}

// next tells that a row begins.
func (in *input) next() { in.left = maxRecord + sample }

// Read implements io.Reader.
func (in *input) Read(p []byte) (int, error) {
	if in.left <= 0 {
		return 0, errLongRecord
	}
	n, err := in.r.Read(p)
	in.left -= n
	in.nl += bytes.Count(p[:n], []byte("\n"))
	return n, err
}

var errLongRecord = fault.New(fault.InvalidRequest, "a row is longer than %d MB: is a quote not closed, or is this no table?", maxRecord>>20)

// fromLatin1 turns Latin-1 into UTF-8.
type fromLatin1 struct {
	r    *bufio.Reader
	rest byte // the second byte of a letter; 0: none
}

func (l *fromLatin1) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if l.rest != 0 {
			p[n], l.rest = l.rest, 0
			n++
			continue
		}
		if n > 0 && l.r.Buffered() == 0 {
			return n, nil
		}
		b, err := l.r.ReadByte()
		if err != nil {
			return n, err
		}
		if b < utf8.RuneSelf {
			p[n] = b
		} else {
			p[n], l.rest = 0xC0|b>>6, 0x80|b&0x3F
		}
		n++
	}
	return n, nil
}

// fromUTF16 turns UTF-16 into UTF-8. What is no text becomes the replacement character.
type fromUTF16 struct {
	r    *bufio.Reader
	high int // which byte of a unit is the high one
	rest []byte
	held rune // a unit that was read too far; 0: none
}

func (u *fromUTF16) unit() (rune, error) {
	if u.held != 0 {
		r := u.held
		u.held = 0
		return r, nil
	}
	var b [2]byte
	if _, err := io.ReadFull(u.r, b[:]); err != nil {
		if err == io.ErrUnexpectedEOF {
			err = fault.New(fault.Malformed, "it begins as UTF-16 and ends in the middle of a letter; save it as UTF-8")
		}
		return 0, err
	}
	return rune(b[u.high])<<8 | rune(b[1-u.high]), nil
}

func (u *fromUTF16) Read(p []byte) (int, error) {
	for len(u.rest) < len(p) {
		if len(u.rest) > 0 && u.r.Buffered() < 4 {
			break
		}
		r, err := u.unit()
		if err != nil {
			if len(u.rest) > 0 {
				break
			}
			return 0, err
		}
		if utf16.IsSurrogate(r) {
			second, err := u.unit()
			if whole := utf16.DecodeRune(r, second); err == nil && whole != utf8.RuneError {
				r = whole
			} else {
				r, u.held = utf8.RuneError, second
			}
		}
		u.rest = utf8.AppendRune(u.rest, r)
	}
	n := copy(p, u.rest)
	u.rest = append(u.rest[:0], u.rest[n:]...)
	return n, nil
}
