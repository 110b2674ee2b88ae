// Package mask keeps secrets out of whatever is written, kept or shown: one Masker knows the values, and replaces them by
// what stands for them, in texts, values and streams.
//
// A secret is found as it is, without the blanks around it, each line of it that is at least 8 characters long (but not the
// public -----BEGIN lines of a key), and in these forms, also one within another:
//
//	escapes     of JSON, of HTML and of URLs in upper or lower case, those that shells and programming languages write (\x, \u,
//	            octal, '\'' and doubled quotes)
//	base64      alone or inside longer text at any of the three alignments, in both alphabets, padded or not, broken into lines
//	hex         in either case, also with blanks, colons or line breaks between the bytes
//	cut off     its beginning right before, or its end right behind, a sign of a cut (…, from 3 characters on; ..., from 6)
//
// A secret of fewer than 4 characters would be found everywhere: it is masked only where it is the whole of a text or a number.
package mask

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"pflow/internal/value"
)

// shortest is the length in bytes from which on a secret is looked for inside longer text, and shortestLine that of a line
// of one.
const (
	shortest     = 4
	shortestLine = 8
)

// Secret is a value to hide, and what stands for it.
type Secret struct{ Value, Mark string }

// Env is the secret in an environment variable: {"$env": NAME} stands for it.
func Env(name, text string) Secret {
	return Secret{Value: text, Mark: value.JSON(map[string]any{"$env": name})}
}

// Masker replaces secrets. It is safe for concurrent use; nil replaces nothing.
type Masker struct {
	whole   map[string]string // values that are masked where they stand alone
	formed  []form
	byFirst [256][]int // the forms that text beginning with a byte may be of
}

// New makes a Masker; nil if there is nothing to hide.
func New(secrets ...Secret) *Masker {
	m := &Masker{whole: map[string]string{}}
	for _, s := range secrets {
		m.add(s)
	}
	if len(m.whole) == 0 {
		return nil
	}
	for i := range m.formed {
		for b := range 256 {
			if m.formed[i].units[0].mayBegin(byte(b)) {
				m.byFirst[b] = append(m.byFirst[b], i)
			}
		}
	}
	return m
}

func (m *Masker) add(s Secret) {
	if s.Value == "" {
		return
	}
	trimmed := strings.TrimSpace(s.Value)
	for _, v := range []string{s.Value, trimmed} {
		if _, known := m.whole[v]; v != "" && !known {
			m.whole[v] = s.Mark
		}
	}
	if len(trimmed) < shortest {
		return
	}
	parts := []string{trimmed}
	for line := range strings.Lines(trimmed) {
		line = strings.TrimSpace(line)
		if utf8.RuneCountInString(line) >= shortestLine && !strings.HasPrefix(line, "-----") && !slices.Contains(parts, line) {
			parts = append(parts, line)
		}
	}
	m.formed = append(m.formed, form{units: textUnits(s.Mark), kept: true}) // a mark is masked already
	for _, p := range parts {
		m.formed = append(m.formed, form{units: textUnits(p), mark: s.Mark}, form{units: hexUnits(p), mark: s.Mark})
		for before := range 3 {
			m.formed = append(m.formed, base64Form(p, before, s.Mark))
		}
	}
}

// Text masks a text.
func (m *Masker) Text(s string) string {
	if m == nil || s == "" {
		return s
	}
	if mark, ok := m.whole[s]; ok {
		return mark
	}
	if mark, ok := m.whole[strings.TrimSpace(s)]; ok {
		return mark
	}
	s = m.cuts(s)
	if out, _, changed := m.scan([]byte(s), true); changed {
		return string(out)
	}
	return s
}

// Has reports whether a text holds a secret.
func (m *Masker) Has(s string) bool { return m.Text(s) != s }

// Value masks a normalised value, also in the keys of objects; what holds no secret comes back as it is.
func (m *Masker) Value(v any) any {
	if m == nil {
		return v
	}
	switch v := v.(type) {
	case string:
		return m.Text(v)
	case nil, bool:
		return v
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = m.Value(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, item := range v {
			out[m.Text(k)] = m.Value(item)
		}
		return out
	}
	if mark, ok := m.whole[value.JSON(v)]; ok {
		return mark
	}
	return v
}

// scan masks the forms in a text. Unless it is final, left is its end that may be the beginning of a form.
func (m *Masker) scan(text []byte, final bool) (out, left []byte, changed bool) {
	kept := 0 // up to where out has the text
	for i := 0; i < len(text); {
		best, mark := -1, ""
		for _, f := range m.byFirst[text[i]] {
			end, more := m.formed[f].match(text, i)
			if more && !final {
				return append(out, text[kept:i]...), text[i:], changed
			}
			if end > best {
				best, mark = end, m.formed[f].mark
				if m.formed[f].kept {
					mark = string(text[i:end])
				}
			}
		}
		if best < 0 {
			i++
			continue
		}
		out = append(append(out, text[kept:i]...), mark...)
		changed = true
		i = best
		kept = best
	}
	return append(out, text[kept:]...), nil, changed
}

// Stream masks what comes in pieces: what may be the beginning of a secret is held back until more of it has come.
type Stream struct {
	m    *Masker
	left []byte
}

// Stream begins one.
func (m *Masker) Stream() *Stream { return &Stream{m: m} }

// Next gives what can be shown after one more piece.
func (s *Stream) Next(piece []byte) []byte {
	if s == nil || s.m == nil {
		return piece
	}
	out, left, _ := s.m.scan(append(s.left, piece...), false)
	s.left = slices.Clone(left)
	return out
}

// Rest gives what was held back, at the end of the stream.
func (s *Stream) Rest() []byte {
	if s == nil || s.m == nil || len(s.left) == 0 {
		return nil
	}
	out, _, _ := s.m.scan(s.left, true)
	s.left = nil
	return out
}

type contextKey struct{}

// With hands a Masker to whatever is done in a context. Secrets may come up meanwhile: latest gives the Masker of those known now.
func With(ctx context.Context, latest func() *Masker) context.Context {
	return context.WithValue(ctx, contextKey{}, latest)
}

// From is the Masker of a context as it is now, or nil.
func From(ctx context.Context) *Masker {
	if latest, ok := ctx.Value(contextKey{}).(func() *Masker); ok {
		return latest()
	}
	return nil
}
