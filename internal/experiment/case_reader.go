package experiment

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// caseReader walks a case, which may come from YAML or JSON, and collects findings.
type caseReader struct {
	from       origin
	dir        string // what paths are relative to
	predicates *predicates
	found      diag.List
}

func (r *caseReader) report(path []any, kind, suggestion, format string, args ...any) {
	at, snippet := r.from.place(path)
	message := fmt.Sprintf(format, args...)
	if len(path) > 0 {
		message = pathText(path) + ": " + message
	}
	r.found = append(r.found, diag.Finding{Severity: diag.Error, Kind: kind, Message: message, Place: at, Snippet: snippet, Suggestion: suggestion})
}

// object calls the reader of each key and reports keys that have none.
func (r *caseReader) object(path []any, v any, what string, read map[string]func(path []any, v any)) bool {
	m, ok := v.(map[string]any)
	if !ok {
		r.report(path, yamltree.WrongKind, "", "want %s, got %s", what, value.Name(v))
		return false
	}
	for _, key := range value.SortedKeys(m) {
		if f := read[key]; f != nil {
			f(below(path, key), m[key])
		} else {
			r.report(below(path, key), yamltree.UnknownKey, diag.Nearest(key, value.SortedKeys(read)), "there is no key %q here", key)
		}
	}
	return true
}

// below is the path of a part. Paths are shared, so it is always a new one.
func below(path []any, part any) []any {
	return append(append(make([]any, 0, len(path)+1), path...), part)
}

func (r *caseReader) text(path []any, v any) string {
	s, ok := v.(string)
	if !ok {
		r.report(path, yamltree.WrongKind, "", "want text, got %s", value.Name(v))
	}
	return s
}

// id reads an id, which may be a number.
func (r *caseReader) id(path []any, v any) string {
	if n, ok := v.(int); ok {
		return fmt.Sprint(n)
	}
	s := r.text(path, v)
	if strings.TrimSpace(s) == "" {
		r.report(path, yamltree.BadValue, "", "the id is empty")
	}
	return r.named(path, s)
}

// request reads what a planner is asked; it refuses to be asked nothing.
func (r *caseReader) request(path []any, v any) string {
	s := r.text(path, v)
	if _, text := v.(string); text && strings.TrimSpace(s) == "" {
		r.report(path, yamltree.BadValue, "", "the request is empty")
	}
	return s
}

// named finds what cannot stand as a name in a report.
func (r *caseReader) named(path []any, name string) string {
	if problem := nameProblem(name); problem != "" {
		r.report(path, yamltree.BadValue, "", "%s", problem)
	}
	return name
}

func (r *caseReader) date(path []any, v any) string {
	s := r.text(path, v)
	if s != "" && !isDate(s) {
		r.report(path, yamltree.BadValue, "", "%q is no date; write one like 2024-01-31", s)
	}
	return s
}

func (r *caseReader) path(path []any, v any) string {
	s := r.text(path, v)
	if s == "" || filepath.IsAbs(s) {
		return s
	}
	return filepath.Join(r.dir, s)
}

func (r *caseReader) paths(path []any, v any) []string {
	if s, ok := v.(string); ok {
		return []string{r.path(path, s)}
	}
	var out []string
	for i, item := range r.list(path, v, "a path, or a list of paths") {
		out = append(out, r.path(below(path, i), item))
	}
	return out
}

// workflows reads saved workflows: a text is the path of the file of one.
func (r *caseReader) workflows(path []any, list []any) []any {
	out := slices.Clone(list)
	for i, w := range list {
		if _, file := w.(string); file {
			out[i] = r.path(below(path, i), w)
		}
	}
	return out
}

func (r *caseReader) list(path []any, v any, what string) []any {
	list, ok := v.([]any)
	if !ok {
		r.report(path, yamltree.WrongKind, "", "want %s, got %s", what, value.Name(v))
	}
	return list
}

// names reads a list of texts.
func (r *caseReader) names(path []any, v any) []string {
	var out []string
	for i, item := range r.list(path, v, "a list of names") {
		out = append(out, r.text(below(path, i), item))
	}
	return out
}

func (r *caseReader) truth(path []any, v any) bool {
	b, ok := v.(bool)
	if !ok {
		r.report(path, yamltree.WrongKind, "", "want true or false, got %s", value.Name(v))
	}
	return b
}

func (r *caseReader) number(path []any, v any) *float64 {
	f, ok := v.(float64)
	if n, whole := v.(int); whole {
		f, ok = float64(n), true
	}
	if !ok || f < 0 || math.IsInf(f, 0) {
		r.report(path, yamltree.WrongKind, "", "want a number of at least 0, got %s", value.Name(v))
		return nil
	}
	return &f
}

func (r *caseReader) oneOf(path []any, v any, names []string) string {
	s := r.text(path, v)
	for _, name := range names {
		if s == name {
			return s
		}
	}
	if s != "" {
		r.report(path, yamltree.BadValue, diag.Nearest(s, names), "want one of: %s; got %q", strings.Join(names, ", "), s)
	}
	return s
}
