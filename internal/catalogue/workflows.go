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
	interfaces := func(c *ir.Catalogue) []*ir.Interface {
		var out []*ir.Interface
		for _, r := range l.Records {
			out = append(out, r.Workflow.AsComponent(r.Name, r.Description, c))
		}
		return out
	}
	for _, r := range l.Records {
		if i := s.Catalogue.Get(r.Name); i != nil && !i.Workflow {
			found = append(found, diag.Finding{Severity: diag.Warning, Kind: DuplicateNode,
				Message: "the saved workflow \"" + r.Name + "\" can be run, but as a component its name belongs to a node type"})
		}
	}
	// A workflow's effects are those of what it runs, other workflows too: each round reaches one level further down.
	all := s.Catalogue.With(interfaces(s.Catalogue)...)
	const levels = 5
	for range levels {
		all = s.Catalogue.With(interfaces(all)...)
	}
	skipped := map[string]string{}
	for name, file := range l.Skipped {
		skipped[name] = unread(file)
	}
	return &Set{Catalogue: all.Skipping(skipped), Declared: s.Declared}, found
}
