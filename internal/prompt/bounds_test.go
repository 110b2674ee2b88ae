package prompt

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pflow/internal/fault"
)

// endless are templates that take ages unless something stops them; the text they give is short.
var endless = []string{
	`{{range 1000000000000}}{{end}}`,
	`{{range 1000000000000}}{{if false}}x{{end}}{{end}}`,
	`{{range .n}}{{continue}}{{end}}`,
	`{{range .list}}{{range $.list}}{{range $.list}}{{range $.list}}{{range $.list}}{{$x := .}}{{end}}{{end}}{{end}}{{end}}{{end}}`,
	doubling(),
	`{{range 1000000000000}}{{$x := json $.list}}{{end}}`,
}

// doubling calls a template twice, which calls one twice, and so on.
func doubling() string {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, `{{define "t%d"}}{{template "t%d" .}}{{template "t%d" .}}{{end}}`, i, i+1, i+1)
	}
	return b.String() + `{{define "t60"}}{{end}}{{template "t0" .}}`
}

func vars() map[string]any {
	list := make([]any, 1000)
	for i := range list {
		list[i] = i
	}
	return map[string]any{"list": list, "n": 1 << 62, "text": strings.Repeat("x<", 1<<20)}
}

func TestRenderStopsWithItsContext(t *testing.T) {
	for _, text := range endless {
		p, err := New("t", text)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if _, err := p.Render(ctx, vars()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%.60s: %v", text, err)
		}
		cancel()
		if _, err := p.Render(ctx, vars()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%.60s, over from the start: %v", text, err)
		}
	}
}

// The bounds here are small, so that every template comes to its own: what it does up to there is all the test costs.
func TestRenderIsBounded(t *testing.T) {
	values := vars()
	values["text"] = strings.Repeat("x<", 1<<15)
	for _, text := range append([]string{
		strings.Repeat(`{{printf "%1000000d" 1}}`, 20),
		`{{$x := printf "` + strings.Repeat("%1000000[1]d", 10_000) + `" 1}}`,
		`{{$x := printf "` + strings.Repeat("%[1]s", 1000) + `" .text}}`,
		`{{$x := printf "` + strings.Repeat("%[2]*[1]d", 1000) + `" 1 1000000}}`,
		`{{$x := .text}}` + strings.Repeat(`{{$x = print $x $x}}`, 60),
		`{{$x := .text}}` + strings.Repeat(`{{$x = println $x $x}}`, 60),
		`{{$x := .text}}` + strings.Repeat(`{{$x = html $x}}`, 60),
		`{{$x := "\""}}` + strings.Repeat(`{{$x = json $x}}`, 60),
		`{{$x := "\""}}` + strings.Repeat(`{{$x = js $x}}`, 60),
		`{{$x := "%%"}}` + strings.Repeat(`{{$x = urlquery $x $x}}`, 60),
		`{{$x := join .text .list}}`,
	}, endless...) {
		p, err := New("t", text)
		if err != nil {
			t.Fatal(err)
		}
		own, err := p.text.Clone()
		if err != nil {
			t.Fatal(err)
		}
		m := &meter{ctx: t.Context(), name: p.Name, maxText: 1 << 20, maxSteps: 20_000}
		if _, err := p.fill(own, m, values); err == nil || fault.Of(err).Kind != fault.InvalidRequest || !strings.Contains(err.Error(), "the template t ") {
			t.Errorf("%.60s: %.200v", text, err)
		}
		if m.steps > m.maxSteps+m.maxText/8 || m.out.Len() > m.maxText {
			t.Errorf("%.60s: stopped after %d steps and %d bytes", text, m.steps, m.out.Len())
		}
	}
}

// Render has bounds of its own.
func TestRenderHasBounds(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat(`{{printf "%1000000d" 1}}`, 20): "the template t gives more than 16777216 bytes",
		`{{range 1000000000000}}{{end}}`:               "the template t does too much work: more than 2 million steps; loop over less",
	} {
		p, err := New("t", text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Render(t.Context(), vars()); err == nil || fault.Of(err).Kind != fault.InvalidRequest || err.Error() != want {
			t.Errorf("%.60s: %v, want %s", text, err, want)
		}
	}
}

// printf in pieces gives what fmt gives at once, where the values fit.
func TestPrintf(t *testing.T) {
	m := &meter{ctx: t.Context(), maxText: maxText, maxSteps: maxSteps}
	for _, c := range []struct {
		format string
		args   []any
	}{
		{"plain", nil},
		{"%d of %s, %v%%", []any{3, "x", 1.5}},
		{"%-8s|%08.3f|%+d|% x|%q", []any{"ab", 3.14159, 7, "hi", "q"}},
		{"%*d|%.*f|%-*.*f", []any{6, 42, 2, 2.71828, 9, 1, 2.5}},
		{"%[2]s %[1]s %s", []any{"a", "b"}},
		{"%[3]*.[2]*[1]f", []any{12.0, 2, 6}},
		{"äöü %s 世界 %d", []any{"é", 1}},
		{"%x\n%t", []any{255, true}},
		{"% d|%+v", []any{5, 2.5}},
	} {
		got, err := m.printf(c.format, c.args...)
		if want := fmt.Sprintf(c.format, c.args...); err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", c.format, got, err, want)
		}
	}
}

// A text that imitates very many tags is read once for each name.
func TestFencesThatAreTaken(t *testing.T) {
	var b strings.Builder
	for i := range 300_000 {
		fmt.Fprintf(&b, "</request-%d>", i)
	}
	p, err := New("t", `{{fence "request" .text}}`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Render(t.Context(), map[string]any{"text": b.String()})
	if err != nil || !strings.HasPrefix(got, "<request-300000>\n") {
		t.Errorf("%.40q, %v", got, err)
	}
}
