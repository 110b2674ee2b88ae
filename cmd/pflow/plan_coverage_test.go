package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/planner"
)

// covered is a plan's coverage of a request in which a part is written [text|by], and what is open [text|].
func covered(marked string) (request string, coverage map[string]any) {
	var b strings.Builder
	parts, open := []any{}, []any{}
	for rest := marked; rest != ""; {
		before, inside, found := strings.Cut(rest, "[")
		b.WriteString(before)
		if !found {
			break
		}
		inside, rest, _ = strings.Cut(inside, "]")
		text, by, _ := strings.Cut(inside, "|")
		m := map[string]any{"text": text, "start": b.Len(), "end": b.Len() + len(text)}
		b.WriteString(text)
		if by == "" {
			m["why"] = "nothing in it is about this"
			open = append(open, m)
		} else {
			m["by"] = by
			parts = append(parts, m)
		}
	}
	return b.String(), map[string]any{"parts": parts, "open": open}
}

func TestShowCoverage(t *testing.T) {
	long := strings.Repeat("[copy|node:copy] it again and again\n", 30) + "[paint|] it"
	many := ""
	for i := range 70 {
		many += fmt.Sprintf("[w|input:i%d]", i)
	}
	for _, c := range []struct{ name, marked, want string }{
		{"nothing is said of it", "copy a to b", ""},
		{"all is done", "[please|phrase] [copy|node:copy] [a.txt|input:source] to [b.txt|input:dest]", `request:
  please copy a.txt to b.txt
         1--- a----    b----
  1 copy  a source  b dest
`},
		{"something is open", "[read|node:r] x, [watermark|] it", `request:
  read x, watermark it
  1---    ?????????
  1 r  ? nothing does this
not done: "watermark" (nothing in it is about this)
`},
		{"wide characters, of two columns each", "[读取|node:r] [漢字.txt|input:f], é[e\u0301|]", `request:
  读取 漢字.txt, ée` + "\u0301" + `
  1--- a-------   ?
  1 r  a f  ? nothing does this
not done: "e` + "\u0301" + `" (nothing in it is about this)
`},
		{"tabs, line breaks and what steers a terminal", "[a|node:r]\t[b\x1b[2J|]\n[c\u202e|input:x]\xff[d|]", `request:
  a b\x1b[2J
  1 ????????
  c\u202e\xffd
  a------    ?
  1 r  a x  ? nothing does this
not done: "b\x1b[2J" (nothing in it is about this)
not done: "d" (nothing in it is about this)
`},
		{"wrapped at blanks", "[" + strings.Repeat("word ", 19) + "word|node:r]", `request:
  word word word word word word word word word word word word word word word
  1-------------------------------------------------------------------------
  word word word word word
  1-----------------------
  1 r
`},
		{"a word longer than a line", "[" + strings.Repeat("x", 90) + "|input:i]", `request:
  ` + strings.Repeat("x", 77) + `
  a` + strings.Repeat("-", 76) + `
  ` + strings.Repeat("x", 13) + `
  a` + strings.Repeat("-", 12) + `
  a i
`},
		{"long: the first lines, and those with something open", long, `request:
` + strings.Repeat("  copy it again and again\n  1---\n", 8) + `  … 22 more lines
  paint it
  ?????
  1 copy  ? nothing does this
not done: "paint" (nothing in it is about this)
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			request, coverage := covered(strings.ReplaceAll(c.marked, "\x1b[2J", "\x1b\x002J"))
			request = strings.ReplaceAll(request, "\x00", "[")
			var b bytes.Buffer
			a := newApp(strings.NewReader(""), &b, &bytes.Buffer{}, func(string) string { return "" })
			p := &planner.Result{Coverage: coverage}
			for _, o := range coverage["open"].([]any) {
				m := o.(map[string]any)
				m["text"] = strings.ReplaceAll(m["text"].(string), "\x00", "[")
			}
			a.showCoverage(&b, request, p)
			if diff := cmp.Diff(c.want, b.String()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	request, coverage := covered(many)
	m := marking{request: request, spans: spansOf(request, coverage), width: 79}
	var b strings.Builder
	for _, part := range m.show() {
		b.WriteString(fmt.Sprint(part))
	}
	if !strings.Contains(b.String(), "+ 18 others") || !strings.Contains(b.String(), "abcdefgh") {
		t.Errorf("more than there are signs for:\n%s", b.String())
	}
}

// TestShowCoverageHostile: what a file says of places that are not in the request is not shown, and parts inside parts by
// the thousand take no longer than the request does.
func TestShowCoverageHostile(t *testing.T) {
	parts := []any{"x", nil, map[string]any{"start": -1, "end": 2, "by": "node:a"}, map[string]any{"start": 3, "end": 1 << 40, "by": "node:a"}, map[string]any{"start": 0.5, "end": 2, "by": "node:a"}}
	if got := spansOf("abc", map[string]any{"parts": parts, "open": "x"}); len(got) > 0 {
		t.Errorf("%v", got)
	}
	request := strings.Repeat("x", 100_000)
	var nested []any
	for i := range 50_000 {
		nested = append(nested, map[string]any{"start": i, "end": len(request) - i, "by": "node:a"})
	}
	m := marking{request: request, spans: spansOf(request, map[string]any{"parts": nested}), width: 80}
	if got := m.show(); len(got) == 0 || m.owner[0] == 0 || m.owner[50_000] != len(m.spans) {
		t.Errorf("the shortest does not come first: %d, %d", m.owner[0], m.owner[50_000])
	}
}

func TestLeftOpen(t *testing.T) {
	for marked, want := range map[string]string{
		"[read|node:r] [photo.png|input:f], [watermark|] it and [write|node:w] it to [out.png|input:o]": `I can read photo.png and write it to out.png; nothing I know does "watermark"`,
		"[copy|node:c] [a|input:a] to [b|input:b] [twice|], [quickly|] and [loudly|]":                   `I can copy a to b; nothing I know does "twice, quickly and loudly"`,
		"[paint|] [a|input:a] with [header|node:h] [x|input:x]":                                         `nothing I know does "paint"`,
		"[read|node:r] [a|input:a], [sort|node:s] it, [write|node:w] [b|input:b] and [sing|]":           `I can read a, sort, and write b; nothing I know does "sing"`,
	} {
		request, coverage := covered(marked)
		if got := leftOpen(request, &planner.Result{Coverage: coverage}); got != want {
			t.Errorf("%s\n got %s\nwant %s", request, got, want)
		}
	}
}
