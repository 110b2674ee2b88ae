package yamltree

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"pflow/internal/value"
)

// longestFlow is up to how many bytes a list of scalars stands on one line.
const longestFlow = 80

// Append writes a normalised value in block style behind what was written of its line, a key with its colon or the dash of an
// item. What of it stands on lines of its own is set in by indent blanks. It ends with a line feed, and Parse reads the same value.
func Append(dst []byte, v any, indent int) []byte {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return append(dst, " {}\n"...)
		}
		dst = append(dst, '\n')
		for _, k := range value.SortedKeys(v) {
			dst = append(AppendKey(blanks(dst, indent), k), ':')
			dst = Append(dst, v[k], indent+2)
		}
		return dst
	case []any:
		if flow, ok := flowList(v); ok {
			return append(append(append(dst, ' '), flow...), '\n')
		}
		dst = append(dst, '\n')
		for _, item := range v {
			dst = append(blanks(dst, indent), '-')
			at := len(dst)
			dst = Append(dst, item, indent+2)
			if m, ok := item.(map[string]any); ok && len(m) > 0 { // its first key stands behind the dash
				dst = append(dst[:at], dst[at+1+indent+1:]...)
			}
		}
		return dst
	case string:
		if block, ok := blockText(v, indent); ok {
			return append(dst, block...)
		}
	}
	return append(AppendScalar(append(dst, ' '), v), '\n')
}

// flowList is a short list of scalars, as it stands on one line.
func flowList(list []any) ([]byte, bool) {
	out := []byte{'['}
	for i, v := range list {
		switch v.(type) {
		case map[string]any, []any:
			return nil, false
		}
		if i > 0 {
			out = append(out, ", "...)
		}
		if out = AppendScalar(out, v); len(out) > longestFlow {
			return nil, false
		}
	}
	return append(out, ']'), true
}

func blanks(dst []byte, n int) []byte { return append(dst, strings.Repeat(" ", n)...) }

// plainKey is a key that needs no quotes.
var plainKey = regexp.MustCompile(`^[A-Za-z_][\w./-]*(\[\d+\])?$`)

// AppendKey writes the key of a mapping in block style.
func AppendKey(dst []byte, key string) []byte {
	if kind, _, _ := resolve(key); kind == String && plainKey.MatchString(key) {
		return append(dst, key...)
	}
	return quoted(dst, key)
}

// AppendScalar writes a value that is neither a mapping nor a list on one line: a text without quotes where nothing takes it for
// anything else, also inside brackets.
func AppendScalar(dst []byte, v any) []byte {
	text, ok := v.(string)
	switch {
	case !ok:
		return value.AppendJSON(dst, v)
	case unquoted(text):
		return append(dst, text...)
	}
	return quoted(dst, text)
}

// unquoted reports whether a text is read as itself without quotes.
func unquoted(s string) bool {
	if first, _ := utf8.DecodeRuneInString(s); first != '_' && first != '/' && !unicode.IsLetter(first) || strings.HasSuffix(s, " ") {
		return false
	}
	for i, r := range s {
		switch {
		case r == utf8.RuneError:
			return false
		case r == ':':
			if next, _ := utf8.DecodeRuneInString(s[i+1:]); next != '/' && !unicode.IsLetter(next) {
				return false
			}
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" _/.()+=@;'!-", r):
			return false
		}
	}
	kind, _, _ := resolve(s)
	return kind == String
}

// quoted writes a text in double quotes, with an escape for each character that cannot stand in a document.
func quoted(dst []byte, s string) []byte {
	text := value.AppendString(nil, s)
	for at := 0; at < len(text); {
		r, n := utf8.DecodeRune(text[at:])
		if r >= 0x7f && badCharacter(r, n) != "" {
			dst = fmt.Appendf(dst, `\u%04X`, r)
		} else {
			dst = append(dst, text[at:at+n]...)
		}
		at += n
	}
	return dst
}

// blockText is a text of several lines as it stands below |; ok is false for one whose blanks or ends that would not keep.
func blockText(s string, indent int) (out []byte, ok bool) {
	body, chomped := strings.CutSuffix(s, "\n")
	if !strings.Contains(body, "\n") || strings.HasSuffix(body, "\n") || strings.HasPrefix(body, " ") || strings.HasPrefix(body, "\n") {
		return nil, false
	}
	for i, r := range body {
		if r == '\t' || r == '\r' || r == utf8.RuneError || badCharacter(r, len(string(r))) != "" && r != '\n' {
			return nil, false
		}
		if r == '\n' && i > 0 && body[i-1] == ' ' { // blanks at the end of a line are lost in editors
			return nil, false
		}
	}
	out = []byte(" |\n")
	if !chomped {
		out = []byte(" |-\n")
	}
	for line := range strings.SplitSeq(body, "\n") {
		if line != "" {
			out = append(blanks(out, indent), line...)
		}
		out = append(out, '\n')
	}
	return out, true
}
