package textmatch

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"pflow/internal/fault"
)

// Match is one place where a pattern matches, or with Invert a line where it does not.
type Match struct {
	Line, Column  int // from 1; columns count characters
	Text          string
	Match         string
	Groups        []string // "" where a group took no part
	Before, After []string // the lines around it
}

// Search looks for a pattern line by line.
type Search struct {
	Pattern       *Pattern
	Before, After int
	Invert        bool // lines in which the pattern is not
}

// ErrBinary is the error of what is no text: it holds a NUL.
var ErrBinary = errors.New("it is no text")

// maxLine bounds a line in bytes.
const maxLine = 64 << 20

// Scan reads a text and hands over each match, in order, once the lines after it are read; the matches of a line
// share its text. An error of found ends the scan. What is not UTF-8 in a line makes it latin-1.
func (s *Search) Scan(ctx context.Context, r io.Reader, found func(*Match) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	if bom, _ := in.Peek(3); string(bom) == byteOrderMark {
		in.Discard(3)
	}
	var before []string
	var open []*Match // whose lines after them are not all read
	for n := 1; ; n++ {
		if n&0xff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line, err := readLine(in, n)
		if err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		done := 0
		for _, m := range open {
			if m.After = append(m.After, line); len(m.After) == s.After {
				if err := found(m); err != nil {
					return err
				}
				done++
			}
		}
		open = open[done:]
		for _, m := range s.in(line, n) {
			if s.Before > 0 {
				m.Before = append([]string(nil), before...)
			}
			if s.After > 0 {
				open = append(open, m)
			} else if err := found(m); err != nil {
				return err
			}
		}
		if s.Before > 0 {
			if len(before) == s.Before {
				before = append(before[:0], before[1:]...)
			}
			before = append(before, line)
		}
	}
	for _, m := range open {
		if err := found(m); err != nil {
			return err
		}
	}
	return nil
}

// in finds the matches of a line.
func (s *Search) in(line string, n int) []*Match {
	if s.Invert {
		if len(s.Pattern.find(line, 1)) > 0 {
			return nil
		}
		return []*Match{{Line: n, Column: 1, Text: line}}
	}
	var out []*Match
	column, at := 1, 0
	for _, loc := range s.Pattern.find(line, -1) {
		column += utf8.RuneCountInString(line[at:loc[0]])
		at = loc[0]
		m := &Match{Line: n, Column: column, Text: line, Match: line[loc[0]:loc[1]]}
		for g := 2; g < len(loc); g += 2 {
			group := ""
			if loc[g] >= 0 {
				group = line[loc[g]:loc[g+1]]
			}
			m.Groups = append(m.Groups, group)
		}
		out = append(out, m)
	}
	return out
}

const byteOrderMark = "\xef\xbb\xbf"

// readLine reads a line without its end; io.EOF if there is none any more.
func readLine(in *bufio.Reader, n int) (string, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return "", fault.New(fault.InvalidRequest, "line %d is longer than %d MiB", n, maxLine>>20)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil && (err != io.EOF || len(line) == 0) {
			return "", err
		}
		break
	}
	if bytes.IndexByte(line, 0) >= 0 {
		return "", ErrBinary
	}
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	if utf8.Valid(line) {
		return string(line), nil
	}
	return Latin1(line), nil
}

// Latin1 reads bytes as latin-1.
func Latin1(data []byte) string {
	var b strings.Builder
	b.Grow(len(data) + len(data)/8)
	for _, c := range data {
		b.WriteRune(rune(c))
	}
	return b.String()
}
