package cond

import (
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// The functions of regular expressions, which are RE2's (https://github.com/google/re2/wiki/Syntax). Whether a text
// matches, both languages ask themselves: `s matches "re"` in expr, s.matches("re") in CEL.
var regexFunctions = []function{
	{
		Function: Function{"find_regex", "find_regex(s string, pattern string) any",
			`The first match of a regular expression (RE2), or null: {groups, named}. groups[0] is the whole match, groups[1] its first group, null for a group that took no part; named has the groups with a name.`,
			`find_regex("fixes #12", "#([0-9]+)").groups[1]`, `"12"`},
		params: []value.Type{value.String, value.String}, result: value.Any, literals: patternAt(1),
		call: func(s *Scope, args []any) (any, error) {
			found, err := findRegex(s, args, 1)
			if err != nil || len(found) == 0 {
				return nil, err
			}
			return found[0], nil
		},
	},
	{
		Function: Function{"find_all_regex", "find_all_regex(s string, pattern string) array",
			`Every match from left to right, each as find_regex gives it.`,
			`find_all_regex("a=1 b=2", "(?P<key>[a-z])=(?P<value>[0-9])")`,
			`[{"groups":["a=1","a","1"],"named":{"key":"a","value":"1"}},{"groups":["b=2","b","2"],"named":{"key":"b","value":"2"}}]`},
		params: []value.Type{value.String, value.String}, result: value.Array, literals: patternAt(1),
		call: func(s *Scope, args []any) (any, error) { return findRegex(s, args, -1) },
	},
	{
		Function: Function{"replace_regex", "replace_regex(s string, pattern string, with string) string",
			`Every match replaced. In with, $1 and ${name} stand for groups, $0 for the whole match and $$ for a dollar.`,
			`replace_regex("Ada Lovelace", "([A-Za-z]+) ([A-Za-z]+)", "$2, $1")`, `"Lovelace, Ada"`},
		params: []value.Type{value.String, value.String, value.String}, result: value.String, literals: patternAt(1),
		call: replaceRegex,
	},
	{
		Function: Function{"split_regex", "split_regex(s string, pattern string) array",
			`The parts of a text between the matches.`,
			`split_regex("a, b;c", "[,;] *")`, `["a","b","c"]`},
		params: []value.Type{value.String, value.String}, result: value.Array, literals: patternAt(1),
		call: splitRegex,
	},
	{
		Function: Function{"escape_regex", "escape_regex(s string) string",
			`A pattern that matches exactly this text.`,
			`escape_regex("1+1")`, `"1\\+1"`},
		params: []value.Type{value.String}, result: value.String,
		call: func(s *Scope, args []any) (any, error) { return convertText(s, args[0].(string), regexp.QuoteMeta) },
	},
}

func patternAt(i int) map[int]func(string) string {
	return map[int]func(string) string{i: func(source string) string {
		if _, err := regexp.Compile(source); err != nil {
			return err.Error()
		}
		return ""
	}}
}

// convertText pays for a text of which another is made, at most a few times as long.
func convertText(s *Scope, text string, by func(string) string) (any, error) {
	if err := s.pay(text, converts); err != nil {
		return nil, err
	}
	out := by(text)
	return out, s.text(len(out))
}

func findRegex(s *Scope, args []any, most int) ([]any, error) {
	text := args[0].(string)
	p, err := s.pattern(args[1].(string))
	if err != nil {
		return nil, err
	}
	names := p.re.SubexpNames()
	out := []any{}
	err = s.search(text, p, func(at []int) (bool, error) {
		if err := s.spend(4 + len(at)); err != nil {
			return false, err
		}
		groups, named := make([]any, len(at)/2), map[string]any{}
		for i := range groups {
			if at[2*i] >= 0 {
				groups[i] = text[at[2*i]:at[2*i+1]]
			}
			if name := names[i]; name != "" {
				named[name] = groups[i]
			}
		}
		out = append(out, map[string]any{"groups": groups, "named": named})
		return len(out) != most, nil
	})
	return out, err
}

func replaceRegex(s *Scope, args []any) (any, error) {
	text := args[0].(string)
	p, err := s.pattern(args[1].(string))
	if err != nil {
		return nil, err
	}
	with, err := replacement(p.re, args[2].(string))
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	put := func(part string) error {
		b.WriteString(part)
		if b.Len() > maxText {
			return s.text(b.Len())
		}
		return s.spend(1 + len(part)/16)
	}
	rest := 0
	err = s.search(text, p, func(at []int) (bool, error) {
		if err := put(text[rest:at[0]]); err != nil {
			return false, err
		}
		rest = at[1]
		for _, w := range with {
			part := w.text
			if w.group >= 0 {
				if part = ""; at[2*w.group] >= 0 {
					part = text[at[2*w.group]:at[2*w.group+1]]
				}
			}
			if err := put(part); err != nil {
				return false, err
			}
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	if err := put(text[rest:]); err != nil {
		return nil, err
	}
	return b.String(), nil
}

// part is a piece of a replacement: a group of the match, or a text where group is -1.
type part struct {
	text  string
	group int
}

// replacement reads "$2, ${name}". Go's own Expand takes $1x for a group of the name 1x, and gives nothing for a group
// that the pattern lacks; here that is an error.
func replacement(re *regexp.Regexp, with string) ([]part, error) {
	var out []part
	for {
		before, after, found := strings.Cut(with, "$")
		if before != "" {
			out = append(out, part{before, -1})
		}
		if !found {
			return out, nil
		}
		name := ""
		switch {
		case strings.HasPrefix(after, "$"):
			out, with = append(out, part{"$", -1}), after[1:]
			continue
		case strings.HasPrefix(after, "{"):
			name, with, found = strings.Cut(after[1:], "}")
			if !found {
				return nil, fault.New(fault.Type, "the replacement has ${ without }; write $$ for a dollar")
			}
		default:
			with = strings.TrimLeft(after, "0123456789")
			name = after[:len(after)-len(with)]
		}
		i := re.SubexpIndex(name)
		if name != "" && strings.Trim(name, "0123456789") == "" {
			if _, err := fmt.Sscan(name, &i); err != nil || i > re.NumSubexp() {
				i = -1
			}
		}
		switch {
		case name == "":
			return nil, fault.New(fault.Type, "the replacement has a $ that names no group; write $$ for a dollar")
		case i < 0:
			return nil, fault.New(fault.Type, "the pattern has no group %s; it has %d", name, re.NumSubexp())
		}
		out = append(out, part{"", i})
	}
}

func splitRegex(s *Scope, args []any) (any, error) {
	text := args[0].(string)
	p, err := s.pattern(args[1].(string))
	if err != nil {
		return nil, err
	}
	out, from, to := []any{}, 0, 0
	if text == "" && p.source != "" {
		return []any{""}, nil
	}
	err = s.search(text, p, func(at []int) (bool, error) {
		to = at[0]
		if at[1] != 0 {
			out = append(out, text[from:to])
		}
		from = at[1]
		return true, s.spend(2)
	})
	if err != nil {
		return nil, err
	}
	if to != len(text) {
		out = append(out, text[from:])
	}
	return out, nil
}

// search gives the matches of a pattern from left to right, as regexp's FindAllStringSubmatchIndex does, until each says
// false. What it reads is paid for while it is read: how far a match looks ahead, and with that whether finding all is
// linear, depends on the text. So it reads through a reader that counts, and goes on with a pattern that begins one
// character before the place, which ^ and \b look at.
func (s *Scope) search(text string, p *pattern, each func(at []int) (bool, error)) error {
	in := &paidReader{scope: s, text: text, weight: byRune + p.weight}
	for pos, last := 0, -1; pos <= len(text); {
		if err := s.spend(begins); err != nil {
			return err
		}
		at, err := p.next(in, pos)
		if err != nil || at == nil {
			return err
		}
		abuts := at[0] == at[1] && at[0] == last
		if at[1] == pos {
			_, width := utf8.DecodeRuneInString(text[pos:])
			pos += max(width, 1)
		} else {
			pos = at[1]
		}
		last = at[1]
		if abuts {
			continue // an empty match just after another is none
		}
		if more, err := each(at); err != nil || !more {
			return err
		}
	}
	return nil
}

// What a search takes before it reads anything, and what reading 64 bytes rune by rune takes beside the pattern's own
// weight. Measured: with these a log of 1 MB with a match on each line stays within the bound, and the worst pattern tried,
// (a?){30}b, is stopped after 3 s; the context stops it before.
const (
	begins = 32
	byRune = 128
)

// next is the first match at pos or after it, nil if there is none.
func (p *pattern) next(in *paidReader, pos int) ([]int, error) {
	in.at, in.err = pos, nil
	re, skip := p.re, 0
	if pos > 0 {
		if p.after == nil {
			after, err := regexp.Compile(`\A(?s:.)(?s:.*?)(` + closed(p.source) + `)`)
			if err != nil {
				return nil, fault.New(fault.Type, "%v", err)
			}
			p.after = after
		}
		_, width := utf8.DecodeLastRuneInString(in.text[:pos])
		in.at -= width
		re, skip = p.after, 2
	}
	from := in.at
	at := re.FindReaderSubmatchIndex(in)
	if in.err != nil {
		return nil, in.err
	}
	if at == nil {
		return nil, nil
	}
	at = at[skip:]
	for i := range at {
		if at[i] >= 0 {
			at[i] += from
		}
	}
	return at, nil
}

// closed is a pattern that can stand in brackets: \Q without \E would take the closing one for text.
func closed(source string) string {
	if !strings.Contains(source, `\Q`) {
		return source
	}
	if tree, err := syntax.Parse(source, syntax.Perl); err == nil {
		return tree.String()
	}
	return source
}

// paidReader reads a text from a place on, and pays a step for each 64 bytes times its weight.
type paidReader struct {
	scope  *Scope
	text   string
	at     int
	weight int
	due    int
	err    error
}

// ReadRune is io.RuneReader.
func (r *paidReader) ReadRune() (rune, int, error) {
	if r.at >= len(r.text) {
		return 0, 0, io.EOF
	}
	c, width := utf8.DecodeRuneInString(r.text[r.at:])
	r.at += width
	if r.due += width * r.weight; r.due >= 64 {
		if r.err = r.scope.spend(r.due / 64); r.err != nil {
			return 0, 0, io.EOF
		}
		r.due %= 64
	}
	return c, width, nil
}
