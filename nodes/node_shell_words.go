package nodes

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// scope is what the words of a script can be filled in with.
type scope struct {
	args  []argument // "$1", "$2", …
	known bool       // they are; a function's are not
}

// wordReader makes arguments of words, with what is known of templates and of "$1".
type wordReader struct {
	p     *placer
	value func(s slot) (string, bool) // of a template; false: it is not known yet
	text  strings.Builder
	loose bool // it may come to be several words, or none
}

// arguments makes the arguments of words. In their text stand what is known of templates and positional parameters, hole
// and unknown for what is not.
func (in *inspector) arguments(p *placer, words []*syntax.Word, s scope) []argument {
	var out []argument
	for _, w := range words {
		if s.known && isAllArgs(w) {
			out = append(out, s.args...)
			continue
		}
		r := wordReader{p: p, value: in.value}
		r.parts(w.Parts, false, s)
		a := argument{text: r.text.String(), slots: p.within(w), source: p.shown(wordSource(p.text, w)), loose: r.loose, glob: isGlob(w)}
		if len(a.slots) > 0 {
			a.text = filling(a.slots, func(s slot) string {
				if v, ok := in.value(s); ok {
					return v
				}
				return string(hole)
			}).Replace(a.text)
		}
		out = append(out, a)
	}
	return out
}

// isAllArgs reports whether a word is "$@".
func isAllArgs(w *syntax.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	q, ok := w.Parts[0].(*syntax.DblQuoted)
	if !ok || len(q.Parts) != 1 {
		return false
	}
	e, ok := q.Parts[0].(*syntax.ParamExp)
	return ok && plainParam(e) == "@"
}

// plainParam gives the name of a parameter that is filled in as it is, "" otherwise.
func plainParam(e *syntax.ParamExp) string {
	if e.Param == nil || e.Excl || e.Length || e.Width || e.IsSet || e.Index != nil || e.Slice != nil || e.Repl != nil || e.Exp != nil || e.Names != 0 || e.NestedParam != nil {
		return ""
	}
	return e.Param.Value
}

func (r *wordReader) parts(parts []syntax.WordPart, quoted bool, s scope) {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			r.literal(part.Value, quoted)
		case *syntax.SglQuoted:
			r.text.WriteString(part.Value)
			if part.Dollar && strings.Contains(part.Value, `\`) {
				r.text.WriteRune(unknown)
			}
		case *syntax.DblQuoted:
			r.parts(part.Parts, true, s)
		case *syntax.ParamExp:
			r.param(part, quoted, s)
		default:
			r.text.WriteRune(unknown)
			r.loose = r.loose || !quoted
		}
	}
}

// literal reads plain text. What bash would make several words of, or the names of files, is unknown.
func (r *wordReader) literal(text string, quoted bool) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			if i++; text[i] != '\n' {
				r.text.WriteByte(text[i])
			}
		case quoted:
			r.text.WriteByte(c)
		case c == '{' && strings.ContainsRune(text[i:], '}') && (strings.Contains(text[i:], ",") || strings.Contains(text[i:], "..")):
			r.text.WriteRune(unknown)
			r.loose = true
		case c == '*' || c == '?' || c == '[' && i+1 < len(text):
			// A name of a file: kept as it is written among arguments, known to nobody as a command.
			r.text.WriteByte(c)
		default:
			r.text.WriteByte(c)
		}
	}
}

func (r *wordReader) param(e *syntax.ParamExp, quoted bool, s scope) {
	name := plainParam(e)
	if s.known && len(name) == 1 && name[0] >= '1' && name[0] <= '9' {
		var a argument
		if i := int(name[0] - '1'); i < len(s.args) {
			a = s.args[i]
		}
		if quoted || a.fixed() && !strings.ContainsAny(a.text, " \t\n*?[\\") && a.text != "" {
			r.text.WriteString(a.text)
			return
		}
	}
	r.text.WriteRune(unknown)
	r.loose = r.loose || !quoted || name == "@"
}
