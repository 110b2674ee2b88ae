package engine

import (
	"fmt"

	"pflow/internal/diag"
	"pflow/internal/yamltree"
)

// What one Load reports is bounded. Whoever has that much to mend mends that first.
const (
	maxFindings = 500
	maxLooked   = 100_000 // names that suggestions were chosen from: some 5 µs each
)

// spot is where a finding points: a value, or a place within it.
type spot struct {
	v     *yamltree.Value
	place diag.Place
}

// whole is the spot of a value, or of no place if it is nil.
func whole(v *yamltree.Value) spot {
	if v == nil {
		return spot{}
	}
	return spot{v, v.Place}
}

// inside is the spot of a byte of a text.
func inside(v *yamltree.Value, offset int) spot { return spot{v, v.At(offset)} }

// choice is a name that is wrong, and those that it could have been.
type choice struct {
	name  string
	names []string
}

var none choice

// report adds an error.
func (s *session) report(at spot, kind string, could choice, format string, args ...any) {
	s.reportIn("", at, kind, could, format, args...)
}

// reportIn adds an error of a node.
func (s *session) reportIn(node string, at spot, kind string, could choice, format string, args ...any) {
	if s.full() {
		s.errors++
		return
	}
	s.looked += len(could.names)
	s.add(diag.Finding{
		Severity: diag.Error, Kind: kind, Message: fmt.Sprintf(format, args...), Node: node,
		Place: at.place, Snippet: at.v.Snippet(at.place),
		Suggestion: diag.Nearest(could.name, could.names), Alternatives: could.names,
	})
}

func (s *session) add(f diag.Finding) {
	if f.Severity == diag.Error {
		s.errors++
	}
	if !s.full() {
		s.found = append(s.found, f)
	}
}

func (s *session) addAll(found diag.List) {
	for _, f := range found {
		s.add(f)
	}
}

func (s *session) full() bool { return len(s.found) >= maxFindings || s.looked > maxLooked }

// quoted is a text of the document for a message, shortened if it is very long.
func quoted(text string) string {
	if runes := []rune(text); len(text) > 80 && len(runes) > 60 {
		text = string(runes[:60]) + "…"
	}
	return fmt.Sprintf("%q", text)
}
