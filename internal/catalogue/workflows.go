package catalogue

import (
	"pflow/internal/diag"
	"pflow/internal/library"
	"pflow/ir"
)

// Workflows adds the saved workflows of a library as components. A name that a node type has stays the node's, with a
// warning. Workflows that could not be read are remembered, so that what uses them is told which file to mend.
func (s *Set) Workflows(l library.Listing) (*Set, diag.List) {
	found := append(diag.List(nil), l.Found...)
	for _, r := range l.Records {
		if s.Catalogue.Has(r.Name) {
			found = append(found, diag.Finding{Severity: diag.Warning, Kind: DuplicateNode,
				Message: "the saved workflow \"" + r.Name + "\" can be run, but as a component its name belongs to a node type"})
		}
	}
	names := make([]string, len(l.Records))
	for n, r := range l.Records {
		names[n] = r.Name
	}
	// A workflow's effects are those of what it runs, other workflows too: each catalogue reaches one level further down. Of
	// each only the workflows that are asked for are read.
	const levels = 6
	all := s.Catalogue
	for n := range levels {
		below := all
		make := func(n int) *ir.Interface {
			r := l.Records[n]
			return r.Workflow().AsComponent(r.Name, r.Description, below)
		}
		if n == 0 {
			all = all.WithLater(names, make)
		} else {
			all = all.Making(make)
		}
	}
	skipped := map[string]string{}
	for name, file := range l.Skipped {
		skipped[name] = unread(file)
	}
	return &Set{Catalogue: all.Skipping(skipped), Declared: s.Declared}, found
}
