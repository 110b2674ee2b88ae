package shelf

import (
	"fmt"
	"slices"

	"pflow/internal/diag"
	"pflow/internal/settings"
	"pflow/ir"
)

// Permitted leaves out the components that the settings refuse, and the saved workflows that use one, at any depth: what
// is made with such a workflow could not run. A workflow that uses one is told where it says so.
func (s *Shelf) Permitted(by *settings.Settings) *Shelf {
	refused := map[string]string{}
	for _, i := range s.Catalogue.All() {
		if why := by.Refuses(i); why != "" {
			refused[i.Name] = "is turned off by " + why
		}
	}
	if len(refused) == 0 {
		return s
	}
	for more := true; more; {
		more = false
		for _, r := range s.Records {
			i := s.Catalogue.Get(r.Name)
			if i == nil || !i.Workflow || refused[r.Name] != "" { // the name may be a node type's
				continue
			}
			if part := refusedPart(r.Workflow, s.Catalogue, refused); part != "" {
				refused[r.Name] = fmt.Sprintf("uses %q, which %s", part, refused[part])
				more = true
			}
		}
	}
	out := s.filtered(func(name string) bool { return refused[name] == "" })
	out.Catalogue = out.Catalogue.Skipping(refused)
	records := out.Records[:0]
	for _, r := range out.Records { // also one whose name is a node type's
		if refusedPart(r.Workflow, s.Catalogue, refused) == "" {
			records = append(records, r)
		}
	}
	out.Records = records
	return out
}

// refusedPart is a component that a workflow runs and that is refused, or "".
func refusedPart(w *ir.Workflow, c *ir.Catalogue, refused map[string]string) string {
	for _, n := range w.Nodes {
		if refused[n.Type] != "" {
			return n.Type
		}
		if i := c.Get(n.Type); i != nil && i.Call != nil {
			if called, _ := n.Params[i.Call.Name].(string); refused[called] != "" {
				return called
			}
		}
	}
	return ""
}

// Unknown warns of names in the settings that no component has: none of the shelf, of those that could not be read, and of
// the built-in ones, which may have been left out.
func (s *Shelf) Unknown(by *settings.Settings, builtin []*ir.Interface) diag.List {
	names := slices.Clone(s.Catalogue.Names())
	for _, i := range builtin {
		names = append(names, i.Name)
	}
	for _, r := range slices.Concat(by.Allow, by.Deny) {
		if _, unread := s.Catalogue.Skipped(r.Node); unread {
			names = append(names, r.Node)
		}
	}
	return by.Unknown(names)
}

// Load is Gather and Permitted. Findings are about what was left out and about names in the settings that mean nothing;
// with an error among them the shelf is nil.
func Load(from Sources, by *settings.Settings) (*Shelf, diag.List, error) {
	s, found, err := Gather(from)
	if err != nil {
		return nil, nil, err
	}
	failed := found.HasErrors()
	builtin := slices.Clone(from.Builtin)
	for _, d := range from.Shipped {
		builtin = append(builtin, d.Interface)
	}
	found = append(found, s.Unknown(by, builtin)...)
	if failed {
		return nil, found, nil
	}
	return s.Permitted(by), found, nil
}
