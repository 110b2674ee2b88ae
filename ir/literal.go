package ir

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pflow/internal/rabinkarp"
	"pflow/internal/value"
)

// literals reports values of the request that stand in params as they are: a workflow is planned once and run for ever,
// so they have to be inputs. Only text and numbers are looked for; a short yes or no says nothing.
func (v *validator) literals() {
	var names, wanted []string
	for _, name := range value.SortedKeys(v.o.Discovered) {
		switch val := v.o.Discovered[name].(type) {
		case string, int, float64, json.Number:
			if text := strings.TrimSpace(Text(val)); text != "" {
				names, wanted = append(names, name), append(wanted, text)
			}
		}
	}
	if len(wanted) == 0 {
		return
	}
	// Values that are alike are looked for once and reported by each of their names.
	alike := map[string][]int{}
	for k, text := range wanted {
		alike[text] = append(alike[text], k)
	}
	distinct := value.SortedKeys(alike)
	words := rabinkarp.New(distinct)
	for i := range v.w.Nodes {
		raw := false
		look := func(path, text string) {
			has, said := make(map[int]bool), []int(nil)
			words.Find(text, func(k, start int) bool {
				return !has[k] && standsAlone(text, start, start+len(distinct[k]))
			}, func(k, _ int) {
				has[k], said = true, append(said, alike[distinct[k]]...)
			})
			slices.Sort(said)
			for _, k := range said {
				if raw {
					v.error(RequestLiteral, path, i, "%s is a value of this request, and an expression is no template; declare the input %q, hand it in by inputs, and use its name here",
						excerpt(wanted[k]), names[k])
					continue
				}
				f := v.error(RequestLiteral, path, i, "%s is a value of this request; write ${%s} and declare the input %q, so that the workflow fits the next request too",
					excerpt(wanted[k]), names[k], names[k])
				f.Suggestion = "${" + names[k] + "}"
			}
		}
		for _, c := range v.params[i] {
			raw = c.port != nil && c.port.Raw
			c.param.eachText(v.path(i, "."+paramPath(c.key)), look)
		}
		raw = false
		if v.items[i] != nil {
			v.items[i].eachText(v.path(i, ".batch.items"), look)
		}
	}
}

// eachText calls f for every literal text and number in the param, also between and inside templates.
func (p *Param) eachText(path string, f func(path, text string)) {
	switch {
	case p.fixed:
		eachLiteral(p.literal, path, f)
	case p.tmpl != nil:
		for _, part := range p.tmpl.parts {
			if part.expr == nil {
				f(path, part.text)
				continue
			}
			for _, alt := range part.expr.Alts {
				if alt.Ref == nil {
					eachLiteral(alt.Literal, path, f)
				}
			}
		}
	}
	for i, item := range p.items {
		if p.fixed {
			break
		}
		if p.keys != nil {
			item.eachText(key(path, p.keys[i]), f)
		} else {
			item.eachText(index(path, i), f)
		}
	}
}

func eachLiteral(v any, path string, f func(path, text string)) {
	switch v := v.(type) {
	case string, int, float64, json.Number:
		f(path, Text(v))
	case []any:
		for i, item := range v {
			eachLiteral(item, index(path, i), f)
		}
	case map[string]any:
		for _, k := range value.SortedKeys(v) {
			eachLiteral(v[k], key(path, k), f)
		}
	}
}

// standsAlone reports whether a part of a text has no letter or digit beside it; 20 is no word of 0.20 or 20.5.
func standsAlone(text string, start, end int) bool {
	return !joins(text[:start], text[start:end], true) && !joins(text[end:], text[start:end], false)
}

// joins reports whether the text before or after a word makes it part of a longer one.
func joins(side, word string, before bool) bool {
	if side == "" {
		return false
	}
	r, n := utf8.DecodeRuneInString(side)
	edge, _ := utf8.DecodeLastRuneInString(word)
	if before {
		r, n = utf8.DecodeLastRuneInString(side)
		edge, _ = utf8.DecodeRuneInString(word)
	}
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
	if inWord(r) {
		return inWord(edge)
	}
	if (r == '.' || r == ',') && unicode.IsDigit(edge) {
		next, _ := utf8.DecodeRuneInString(side[n:])
		if before {
			next, _ = utf8.DecodeLastRuneInString(side[:len(side)-n])
		}
		return unicode.IsDigit(next)
	}
	return false
}
