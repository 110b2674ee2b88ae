package shelf

import (
	"fmt"
	"slices"

	"pflow/internal/diag"
	"pflow/internal/library"
	"pflow/internal/settings"
	"pflow/ir"
)

// Permitted leaves out the components that the settings refuse, and the saved workflows that use one, at any depth: what
// is made with such a workflow could not run. A workflow that uses one is told where it says so.
func (s *Shelf) Permitted(by *settings.Settings) *Shelf {
	if len(by.Deny) == 0 && by.Allow == nil {
		return s // which need not be asked of each of thousands
	}
	refused := map[string]string{}
	for _, i := range s.Catalogue.NodeTypes() {
		if why := by.Refuses(i); why != "" {
			refused[i.Name] = "is turned off by " + why
		}
	}
	for _, r := range s.Records {
		if i := s.sketch(r); i != nil {
			if why := by.Refuses(i); why != "" {
				refused[i.Name] = "is turned off by " + why
			}
		}
	}
	if len(refused) == 0 {
		return s
	}
	for more := true; more; {
		more = false
		for _, r := range s.Records {
			if !s.stands(r) || refused[r.Name] != "" {
				continue
			}
			if part := refusedPart(r, s.Catalogue, refused); part != "" {
				refused[r.Name] = fmt.Sprintf("uses %q, which %s", part, refused[part])
				more = true
			}
		}
	}
	out := s.filtered(func(name string) bool { return refused[name] == "" })
	out.Catalogue = out.Catalogue.Skipping(refused)
	records := out.Records[:0]
	for _, r := range out.Records { // also one whose name is a node type's
		if refusedPart(r, s.Catalogue, refused) == "" {
			records = append(records, r)
		}
	}
	out.Records, out.Index = records, s.Index
	return out
}

// stands reports whether a saved workflow is a component: its name may be a node type's.
func (s *Shelf) stands(r *library.Record) bool {
	return s.Catalogue.Has(r.Name) && !s.Catalogue.IsNodeType(r.Name)
}

// sketch is a saved workflow as a component, as far as settings ask: its name and effects. Only one that calls others is
// read for it. It is nil for one that is no component.
func (s *Shelf) sketch(r *library.Record) *ir.Interface {
	if !s.stands(r) {
		return nil
	}
	w := &ir.Workflow{}
	for _, name := range r.Traits().Types {
		if c := s.Catalogue.Get(name); c != nil && c.Call != nil {
			return s.Catalogue.Get(r.Name)
		}
		w.Nodes = append(w.Nodes, ir.Node{Type: name})
	}
	return &ir.Interface{Name: r.Name, Workflow: true, Effects: w.Effects(s.Catalogue)}
}

// Refusable are the components that settings may refuse, as far as they ask: the node types, and where anything is denied the saved workflows, of
// which only those are read that call others.
func (s *Shelf) Refusable(by *settings.Settings) []*ir.Interface {
	out := s.Catalogue.NodeTypes()
	if len(by.Deny) == 0 { // allow is about node types
		return out
	}
	for _, r := range s.Records {
		if i := s.sketch(r); i != nil {
			out = append(out, i)
		}
	}
	return out
}

// refusedPart is a component that a workflow runs and that is refused, or "".
func refusedPart(r *library.Record, c *ir.Catalogue, refused map[string]string) string {
	calls := false
	for _, name := range r.Traits().Types {
		if refused[name] != "" {
			return name
		}
		i := c.Get(name)
		calls = calls || i != nil && i.Call != nil
	}
	if !calls {
		return ""
	}
	for _, n := range r.Workflow().Nodes {
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
	if len(by.Deny) == 0 && len(by.Allow) == 0 {
		return nil
	}
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
