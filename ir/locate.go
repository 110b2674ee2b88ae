package ir

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"pflow/internal/diag"
)

// Locate adds to findings the place in the file their document came from: the line and column where the value at their
// path begins, or the nearest one around it that exists. It gives a copy.
func Locate(file string, data []byte, list diag.List) diag.List {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	offsets := Offsets(data, list)
	lines := newLines(data)
	out := make(diag.List, len(list))
	for i, f := range list {
		f.Place = diag.Place{File: file}
		if offsets[i] >= 0 {
			f.Place.Line, f.Place.Col, f.Snippet = lines.at(offsets[i])
		}
		out[i] = f
	}
	return out
}

// Offsets gives for each finding the byte of a JSON document, without a byte order mark, at which the value at its path
// begins, or the nearest one around it that exists; -1 for a finding that the document is none.
func Offsets(data []byte, list diag.List) []int {
	offsets := map[string]int{"": 0}
	for _, f := range list {
		for p := f.Path; p != ""; p = parentPath(p) {
			offsets[p] = -1
		}
	}
	l := locator{data: data, offsets: offsets}
	l.d = json.NewDecoder(bytes.NewReader(data))
	l.d.UseNumber()
	_ = l.value("") // a malformed rest has no places

	out := make([]int, len(list))
	for i, f := range list {
		p := f.Path
		for p != "" && offsets[p] < 0 {
			p = parentPath(p)
		}
		if out[i] = offsets[p]; f.Kind == MalformedJSON {
			out[i] = -1
		}
	}
	return out
}

// parentPath cuts the last step off a path.
func parentPath(p string) string {
	if strings.HasSuffix(p, `"]`) {
		if at := strings.LastIndex(p, `["`); at >= 0 {
			return p[:at]
		}
	}
	return p[:max(strings.LastIndexAny(p, ".["), 0)]
}

type locator struct {
	data    []byte
	d       *json.Decoder
	offsets map[string]int
}

func (l *locator) value(path string) error {
	start := int(l.d.InputOffset())
	for start < len(l.data) && strings.IndexByte(" \t\r\n:,", l.data[start]) >= 0 {
		start++
	}
	if _, wanted := l.offsets[path]; wanted {
		l.offsets[path] = start
	}
	t, err := l.d.Token()
	if err != nil {
		return err
	}
	switch t {
	case json.Delim('['):
		for i := 0; l.d.More(); i++ {
			if err := l.value(index(path, i)); err != nil {
				return err
			}
		}
	case json.Delim('{'):
		for l.d.More() {
			k, err := l.d.Token()
			if err != nil {
				return err
			}
			if err := l.value(key(path, k.(string))); err != nil {
				return err
			}
		}
	default:
		return nil
	}
	_, err = l.d.Token()
	return err
}

// lines finds lines by offset without counting from the start each time.
type lines struct {
	data   []byte
	starts []int
	chars  []int // that begin before each step of countStep bytes
}

// countStep is how far apart characters are counted, in bytes. A document may be one long line with many findings: counting
// from its start for each of them would take the square of its size.
const countStep = 1024

func newLines(data []byte) *lines {
	l := &lines{data: data, starts: []int{0}}
	chars := 0
	for i, c := range data {
		if i%countStep == 0 {
			l.chars = append(l.chars, chars)
		}
		if c == '\n' {
			l.starts = append(l.starts, i+1)
		}
		if utf8.RuneStart(c) {
			chars++
		}
	}
	return l
}

// before counts the characters that begin before an offset.
func (l *lines) before(offset int) int {
	step := min(offset/countStep, len(l.chars)-1)
	if step < 0 {
		return 0
	}
	n := l.chars[step]
	for _, c := range l.data[step*countStep : offset] {
		if utf8.RuneStart(c) {
			n++
		}
	}
	return n
}

func (l *lines) at(offset int) (line, col int, text string) {
	lo, hi := 0, len(l.starts)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; l.starts[mid] <= offset {
			lo = mid
		} else {
			hi = mid
		}
	}
	end := len(l.data)
	if lo+1 < len(l.starts) {
		end = l.starts[lo+1] - 1
	}
	col = l.before(offset) - l.before(l.starts[lo]) + 1
	if end-l.starts[lo] <= 4096 { // a document on one line is no help
		text = string(l.data[l.starts[lo]:end])
	}
	return lo + 1, col, text
}
