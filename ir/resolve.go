package ir

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/fault"
)

// Scope is what templates see. Lookup gives a root's value, normalised or a json.Number; Reach lists roots for the
// message of a template that cannot be resolved.
type Scope interface {
	Lookup(root string) (v any, ok bool)
	Reach() []string
}

// Values is a Scope of a few names.
type Values map[string]any

// Lookup gives the value of a name.
func (s Values) Lookup(root string) (any, bool) { v, ok := s[root]; return v, ok }

// Reach lists the names.
func (s Values) Reach() []string {
	var out []string
	for k := range s {
		out = append(out, k)
	}
	return out
}

// Resolve fills in the templates. A string that is exactly one template gives the value with its type; inside longer
// text values become text. Text that comes out of a value is never read for templates again. The error is a fault of
// kind missing_key that says what is in reach. The value given may share structure with the scope: it must not be
// written to.
func (p *Param) Resolve(s Scope) (any, error) {
	r := resolver{scope: s}
	return r.param(p, "")
}

// Partial fills in what the scope has and leaves the rest as templates. open lists the paths of the strings that still
// hold templates, in the order of the value; in those, and only those, text is in template notation (a dollar doubled).
// A default is only taken where the scope has the root and nothing is there: what the scope lacks may yet come. Numbers
// of the document keep their text.
func (p *Param) Partial(s Scope) (v any, open []string) {
	r := resolver{scope: s, partial: true}
	v, _ = r.param(p, "")
	return v, r.open
}

type resolver struct {
	scope   Scope
	partial bool
	open    []string
	parsed  map[string]any // JSON inside strings, read once per Resolve
}

func (r *resolver) param(p *Param, path string) (any, error) {
	switch {
	case p.fixed && r.partial:
		return p.written, nil
	case p.fixed:
		return p.literal, nil
	case p.tmpl != nil:
		return r.template(p.tmpl, path)
	case p.keys != nil:
		out := make(map[string]any, len(p.keys))
		for i, k := range p.keys {
			v, err := r.param(p.items[i], key(path, k))
			if err != nil {
				return nil, err
			}
			out[k] = v
		}
		return out, nil
	}
	out := make([]any, len(p.items))
	for i, item := range p.items {
		v, err := r.param(item, index(path, i))
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

func (r *resolver) template(t *Template, path string) (any, error) {
	if e := t.whole(); e != nil {
		v, err := r.expr(e)
		if err != nil {
			if r.partial {
				r.open = append(r.open, path)
				return e.String(), nil
			}
			return nil, err
		}
		if r.partial {
			return v, nil
		}
		return tidy(v), nil
	}
	values := make([]any, len(t.parts))
	var missing []bool
	for i, part := range t.parts {
		if part.expr == nil {
			continue
		}
		v, err := r.expr(part.expr)
		if err != nil && !r.partial {
			return nil, err
		}
		if err != nil {
			if missing == nil {
				missing = make([]bool, len(t.parts))
			}
			missing[i] = true
		}
		values[i] = v
	}
	if missing != nil {
		r.open = append(r.open, path)
	}
	var b strings.Builder
	for i, part := range t.parts {
		text := part.text
		if part.expr != nil {
			text = string(Text(values[i]))
		}
		switch {
		case missing == nil:
			b.WriteString(text)
		case missing[i]:
			b.WriteString(part.expr.String())
		default:
			b.WriteString(Escape(text))
		}
	}
	return b.String(), nil
}

// Text is how a value stands inside longer text: text as it is, null empty, objects and arrays as JSON.
func Text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return string(v)
	}
	return string(appendValue(nil, v))
}

func (r *resolver) expr(e *Expr) (any, error) {
	var first error
	for _, alt := range e.Alts {
		if alt.Ref == nil {
			return alt.Literal, nil
		}
		if _, ok := r.scope.Lookup(alt.Ref.Root); r.partial && !ok {
			return nil, fault.New(fault.MissingKey, "%s is not known yet", e.Text)
		}
		v, err := r.ref(alt.Ref)
		if err == nil && (v != nil || len(e.Alts) == 1) {
			return v, nil
		}
		if err == nil {
			err = fault.New(fault.MissingKey, "%s: every alternative is missing or null", e.Text)
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

func (r *resolver) ref(ref *Ref) (any, error) {
	v, ok := r.scope.Lookup(ref.Root)
	if !ok {
		return nil, fault.New(fault.MissingKey, "${%s}: there is no %q here; %s", ref, ref.Root, r.reach(ref.Root))
	}
	if v == Nothing {
		return nil, nil
	}
	for i, step := range ref.Path {
		next, problem := r.step(v, step)
		if problem != "" {
			within := refText(ref.Root, ref.Path[:i])
			err := fault.New(fault.MissingKey, "${%s}: %s %s", ref, within, problem)
			if keys, ok := r.keys(v); ok && !step.IsIndex {
				err.Lacks(step.Key, keys).Details[fault.DetailWithin] = within
			}
			return nil, err
		}
		v = next
	}
	return v, nil
}

func (r *resolver) reach(root string) string {
	names := sortedUnique(r.scope.Reach())
	if len(names) == 0 {
		return "nothing is in reach"
	}
	text := "in reach: " + diag.Names(names, 20)
	if near := diag.Nearest(root, names); near != "" {
		text = fmt.Sprintf("did you mean %q? %s", near, text)
	}
	return text
}

// step goes one step into a value; problem completes the sentence "NAME ...".
func (r *resolver) step(v any, s Step) (next any, problem string) {
	if text, ok := v.(string); ok {
		inner, ok := r.inside(text)
		if !ok {
			return nil, "is text that is no JSON object or array, so there is nothing inside it"
		}
		v = inner
	}
	switch v := v.(type) {
	case map[string]any:
		if s.IsIndex {
			return nil, fmt.Sprintf("is an object, so it has no index [%d]", s.Index)
		}
		next, ok := v[s.Key]
		if !ok {
			return nil, missingKey(v, s.Key)
		}
		return next, ""
	case []any:
		if !s.IsIndex {
			return nil, fmt.Sprintf("is an array, so it has no key %q; write an index, [0]", s.Key)
		}
		if s.Index >= len(v) {
			return nil, fmt.Sprintf("has no index [%d]; it has %d items", s.Index, len(v))
		}
		return v[s.Index], ""
	}
	return nil, fmt.Sprintf("is %s, so there is nothing inside it", nameOf(v))
}

// keys are those of an object, or of one that is written in a text.
func (r *resolver) keys(v any) (keys []string, ok bool) {
	if text, isText := v.(string); isText {
		v, _ = r.inside(text)
	}
	object, ok := v.(map[string]any)
	for name := range object {
		keys = append(keys, name)
	}
	return sortedUnique(keys), ok
}

func missingKey(v map[string]any, k string) string {
	var keys []string
	for name := range v {
		keys = append(keys, name)
	}
	keys = sortedUnique(keys)
	if len(keys) == 0 {
		return fmt.Sprintf("has no key %q; it is empty", k)
	}
	text := fmt.Sprintf("has no key %q; it has %s", k, diag.Names(keys, 20))
	if near := diag.Nearest(k, keys); near != "" {
		text = fmt.Sprintf("has no key %q, did you mean %q? it has %s", k, near, diag.Names(keys, 20))
	}
	return text
}

// inside reads the JSON object or array that a string holds.
func (r *resolver) inside(text string) (any, bool) {
	if v, ok := r.parsed[text]; ok {
		return v, v != nil
	}
	var v any
	if start := strings.TrimLeft(text, " \t\r\n"); start != "" && (start[0] == '{' || start[0] == '[') {
		if tree, err := readTree([]byte(text)); err == nil {
			v = plain(tree)
		}
	}
	if r.parsed == nil {
		r.parsed = map[string]any{}
	}
	r.parsed[text] = v
	return v, v != nil
}

func sameMap(a, b map[string]any) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}
