package engine

import (
	"fmt"
	"slices"

	"pflow/engine/syntax"
	"pflow/internal/diag"
	"pflow/internal/yamltree"
)

// Setting is one edit of a flow: --set PATH=VALUE. INNER:PATH edits each inner flow that a flow: option names INNER, at
// any depth; *:PATH each flow, the outermost too, that has PATH.
type Setting struct {
	Path  string `json:"path"`
	Value string `json:"value"`
}

// everyFlow is the INNER of *:PATH.
const everyFlow = "*"

// edit is a Setting during one Load.
type edit struct {
	Setting
	inner   string // "" for the outermost flow
	matched bool   // a flow was found that it edits
}

func newEdit(s Setting) *edit {
	inner, _ := syntax.SplitInner(s.Path)
	return &edit{Setting: s, inner: inner}
}

// edited makes the edits of the flow that a flow: option calls name, "" being the outermost.
func (s *session) edited(tree *yamltree.Value, name string) (*yamltree.Value, bool) {
	for _, e := range s.edits {
		switch {
		case e.inner == everyFlow:
			if !syntax.Has(tree, e.Path) {
				continue
			}
		case e.inner != name:
			continue
		}
		e.matched = true
		var found diag.List
		tree, found = syntax.Set(tree, e.Path, e.Value)
		s.addAll(found)
		if found.HasErrors() {
			return nil, false
		}
	}
	return tree, true
}

// editsOf tells flows of one document apart that are edited by what they are called. Empty where nothing is.
func (s *session) editsOf(name string) string {
	for _, e := range s.edits {
		if e.inner == name {
			return "\x00" + name
		}
	}
	return ""
}

// unmatched reports the edits that found nothing to edit. A load with errors may not have come to it.
func (s *session) unmatched() {
	if s.errors > 0 {
		return
	}
	for _, e := range s.edits {
		if e.matched || e.inner == "" {
			continue
		}
		_, path := syntax.SplitInner(e.Path)
		f := diag.Finding{Severity: diag.Error, Kind: "unknown-key", Place: syntax.SetPlace(e.Path),
			Message: fmt.Sprintf("no flow here has %s; write the path of something that is there", quoted(path))}
		if e.inner != everyFlow {
			f.Kind = "unknown-flow"
			f.Alternatives = slices.Compact(slices.Sorted(slices.Values(s.named)))
			f.Suggestion = diag.Nearest(e.inner, f.Alternatives)
			f.Message = fmt.Sprintf("no flow: option names %s, in this flow or in one that it runs", quoted(e.inner))
			if len(f.Alternatives) == 0 {
				f.Message += "; it runs no other flow, so write the path alone"
			}
		}
		s.add(f)
	}
}
