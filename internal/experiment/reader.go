package experiment

import (
	"path/filepath"

	"pflow/internal/yamltree"
)

// The kinds of findings, beside those of package yamltree.
const (
	BadCase       = "bad-case"
	DuplicateCase = "duplicate-case"
)

// reader decodes a document in a folder.
type reader struct {
	yamltree.Decoder
	dir string // what paths are relative to
}

// path reads a path; a relative one starts at the document.
func (r *reader) path(to *string) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		var text string
		if r.Text(&text)(v); text != "" {
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

func (r *reader) metric(to *Metric) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		name := ""
		r.OneOf(&name, metricNames()...)(v)
		*to = Metric(name)
	}
}
