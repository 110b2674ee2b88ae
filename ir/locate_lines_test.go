package ir

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Places are those of counting from the start of the line, at every offset of short and of long lines.
func TestLinesAt(t *testing.T) {
	data := []byte(strings.Repeat("äb世", 700) + "\n\nshort é\n" + strings.Repeat("x", 2*countStep) + "\nend")
	l := newLines(data)
	for at := range data {
		if !utf8.RuneStart(data[at]) {
			continue
		}
		before := data[:at]
		start := strings.LastIndexByte(string(before), '\n') + 1
		line, col, _ := l.at(at)
		if wantLine, wantCol := 1+strings.Count(string(before), "\n"), 1+utf8.RuneCount(before[start:]); line != wantLine || col != wantCol {
			t.Fatalf("offset %d: %d:%d, want %d:%d", at, line, col, wantLine, wantCol)
		}
	}
	if line, col, _ := newLines(nil).at(0); line != 1 || col != 1 {
		t.Error(line, col)
	}
}
