package ir

import (
	"encoding/json"

	"pflow/internal/value"
)

// Param is a value with its templates compiled, at any depth. It is immutable and safe for concurrent use; compile once,
// resolve for every item and attempt.
type Param struct {
	literal any       // what Resolve gives if there is no template inside
	written any       // the same with the numbers of the document
	tmpl    *Template // a string with templates
	keys    []string  // of an object
	items   []*Param  // of an array or object
	fixed   bool      // no template inside
}

// Compile reads the templates of a param's value. The keys of objects are never templates.
func Compile(v any) (*Param, []Problem) {
	c := compiler{}
	p := c.param(v, "")
	return p, c.problems
}

// Raw is a param whose value is never expanded.
func Raw(v any) *Param { return &Param{literal: tidy(v), written: v, fixed: true} }

type compiler struct{ problems []Problem }

func (c *compiler) param(v any, path string) *Param {
	switch v := v.(type) {
	case string:
		t, problem := ParseTemplate(v)
		if problem != nil {
			problem.Path = path
			c.problems = append(c.problems, *problem)
			return Raw(v)
		}
		if text, ok := t.fixed(); ok {
			return Raw(text)
		}
		return &Param{tmpl: t}
	case []any:
		p := &Param{fixed: true}
		for i, item := range v {
			p.add(c.param(item, index(path, i)))
		}
		if p.fixed {
			out, written := make([]any, len(v)), make([]any, len(v))
			for i := range v {
				out[i], written[i] = p.items[i].literal, p.items[i].written
			}
			return &Param{literal: out, written: written, fixed: true}
		}
		return p
	case map[string]any:
		p := &Param{fixed: true, keys: value.SortedKeys(v)}
		for _, k := range p.keys {
			p.add(c.param(v[k], key(path, k)))
		}
		if p.fixed {
			out, written := make(map[string]any, len(v)), make(map[string]any, len(v))
			for i, k := range p.keys {
				out[k], written[k] = p.items[i].literal, p.items[i].written
			}
			return &Param{literal: out, written: written, fixed: true}
		}
		return p
	}
	return Raw(v)
}

func (p *Param) add(item *Param) {
	p.items = append(p.items, item)
	p.fixed = p.fixed && item.fixed
}

// fixed gives the text of a template without expressions.
func (t *Template) fixed() (string, bool) {
	switch {
	case len(t.parts) == 0:
		return "", true
	case len(t.parts) == 1 && t.parts[0].expr == nil:
		return t.parts[0].text, true
	}
	return "", false
}

// whole gives the expression of a string that is exactly one template.
func (t *Template) whole() *Expr {
	if len(t.parts) == 1 {
		return t.parts[0].expr
	}
	return nil
}

// Literal gives the value of a param that holds no template.
func (p *Param) Literal() (any, bool) { return p.literal, p.fixed }

// Whole gives the expression of a param that is exactly one template, else nil.
func (p *Param) Whole() *Expr {
	if p.tmpl == nil {
		return nil
	}
	return p.tmpl.whole()
}

// Walk calls f for every expression in the param, with the path into the value ("", ".key", "[0].key").
func (p *Param) Walk(f func(path string, e *Expr)) { p.walk("", f) }

func (p *Param) walk(path string, f func(string, *Expr)) {
	if p.tmpl != nil {
		for _, part := range p.tmpl.parts {
			if part.expr != nil {
				f(path, part.expr)
			}
		}
	}
	for i, item := range p.items {
		if item.fixed {
			continue
		}
		if p.keys != nil {
			item.walk(key(path, p.keys[i]), f)
		} else {
			item.walk(index(path, i), f)
		}
	}
}

// tidy brings a value to the forms of package value: a json.Number becomes int or float64, or, where an integer has
// more digits than 64 bits hold, its text, since a float would change it without a word. What needs no change is
// returned as it is.
func tidy(v any) any {
	switch v := v.(type) {
	case json.Number:
		n, err := value.ParseNumber(string(v))
		if err != nil {
			return string(v)
		}
		return n
	case []any:
		out := v
		for i, item := range v {
			got := tidy(item)
			if unchanged(item, got) {
				continue
			}
			if &out[0] == &v[0] {
				out = append([]any(nil), v...)
			}
			out[i] = got
		}
		return out
	case map[string]any:
		var changed map[string]any
		for k, item := range v {
			got := tidy(item)
			if unchanged(item, got) {
				continue
			}
			if changed == nil {
				changed = map[string]any{}
			}
			changed[k] = got
		}
		if changed != nil {
			return value.Merge(v, changed)
		}
	}
	return v
}

// unchanged is exact for what tidy gives back: a container comes back as itself or as a copy.
func unchanged(before, after any) bool {
	switch b := before.(type) {
	case json.Number:
		return false
	case []any:
		a := after.([]any)
		return len(b) == 0 || &a[0] == &b[0]
	case map[string]any:
		return sameMap(b, after.(map[string]any))
	}
	return true
}
