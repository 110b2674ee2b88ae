package experiment

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"pflow/internal/diag"
	"pflow/internal/yamltree"
)

// The kinds of findings, beside those of package yamltree.
const (
	UnknownKey    = "unknown-key"
	WrongKind     = "wrong-kind"
	MissingKey    = "missing-key"
	BadValue      = "bad-value"
	BadCase       = "bad-case"
	DuplicateCase = "duplicate-case"
)

// reader walks a document and collects findings.
type reader struct {
	found diag.List
	dir   string // what paths are relative to
}

func (r *reader) report(at *yamltree.Value, kind, suggestion, format string, args ...any) {
	f := at.Error(kind, fmt.Sprintf(format, args...))
	f.Suggestion = suggestion
	r.found = append(r.found, f)
}

func (r *reader) want(v *yamltree.Value, kind yamltree.Kind, what string) bool {
	if v.Kind != kind {
		r.report(v, WrongKind, "", "want %s, got %s", what, v.Kind)
	}
	return v.Kind == kind
}

// readers are what is done with the value of each key.
type readers map[string]func(*yamltree.Value)

// keys calls the reader of each key of a mapping and reports keys that have none.
func (r *reader) keys(v *yamltree.Value, what string, read readers) {
	if !r.want(v, yamltree.Map, what) {
		return
	}
	names := make([]string, 0, len(read))
	for name := range read {
		names = append(names, name)
	}
	for _, e := range v.Entries {
		if f := read[e.Key]; f != nil {
			f(e.Value)
		} else {
			r.report(e.Name, UnknownKey, diag.Nearest(e.Key, names), "there is no key %q here", e.Key)
		}
	}
}

func (r *reader) text(to *string) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		if r.want(v, yamltree.String, "text") {
			if *to = v.Text; strings.TrimSpace(v.Text) == "" {
				r.report(v, BadValue, "", "this text is empty; leave the key out, or say something")
			}
		}
	}
}

// path reads a path; a relative one starts at the document.
func (r *reader) path(to *string) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		var text string
		if r.text(&text)(v); text != "" {
			*to = r.resolve(text)
		}
	}
}

func (r *reader) resolve(path string) string {
	if filepath.IsAbs(path) || r.dir == "" {
		return path
	}
	return filepath.Join(r.dir, path)
}

func (r *reader) truth(to *bool) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		if r.want(v, yamltree.Bool, "true or false") {
			*to = v.Scalar.(bool)
		}
	}
}

func (r *reader) whole(to *int, least int) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		if !r.want(v, yamltree.Int, "a whole number") {
			return
		}
		if *to = v.Scalar.(int); *to < least {
			r.report(v, BadValue, "", "want at least %d", least)
		}
	}
}

func (r *reader) number(to *float64, least float64) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		switch n := v.Scalar.(type) {
		case int:
			*to = float64(n)
		case float64:
			*to = n
		default:
			r.report(v, WrongKind, "", "want a number, got %s", v.Kind)
			return
		}
		if *to < least || math.IsInf(*to, 0) {
			r.report(v, BadValue, "", "want at least %v", least)
		}
	}
}

// oneOf reads one of the names given.
func (r *reader) oneOf(to *string, names ...string) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		var text string
		if r.text(&text)(v); text == "" {
			return
		}
		for _, name := range names {
			if name == text {
				*to = text
				return
			}
		}
		r.report(v, BadValue, diag.Nearest(text, names), "want one of: %s", strings.Join(names, ", "))
	}
}

func (r *reader) metric(to *Metric) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		name := ""
		r.oneOf(&name, metricNames()...)(v)
		*to = Metric(name)
	}
}

// texts reads a list of texts, or one text.
func (r *reader) texts(to *[]string) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		if v.Kind == yamltree.String {
			*to = []string{""}
			r.text(&(*to)[0])(v)
			return
		}
		if !r.want(v, yamltree.Seq, "a list of texts") {
			return
		}
		for _, item := range v.Items {
			var text string
			r.text(&text)(item)
			*to = append(*to, text)
		}
	}
}
