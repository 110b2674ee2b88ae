package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"pflow/internal/catalogue"
	"pflow/internal/experiment"
	"pflow/internal/fault"
	"pflow/internal/library"
	"pflow/internal/value"
	"pflow/nodes"
)

// caseShelves gives each case what it may use. Cases with the same components share a shelf, and so its index.
type caseShelves struct {
	a    *app
	spec *experiment.Spec
	mu   sync.Mutex
	kept map[string]*shelves // by where components and workflows come from
}

// maxShelves bounds how many are kept; each has an index of its own.
const maxShelves = 64

func (s *caseShelves) of(_ context.Context, c *experiment.Case) (*nodes.Shelf, error) {
	base, err := s.base(c)
	if err != nil {
		return nil, err
	}
	shelf, err := base.of(0, planLine{Nodes: c.Nodes, Only: c.Only})
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "case %s: %s", c.ID, strings.TrimPrefix(err.Error(), "line 0: "))
	}
	return shelf, nil
}

func (s *caseShelves) base(c *experiment.Case) (*shelves, error) {
	from := s.spec.Library
	if c.Library != "" {
		from = c.Library
	}
	files := append(append([]string{}, s.spec.Catalogue...), c.Catalogue...)
	key := fmt.Sprintf("%t %s\n", c.Workflows != nil, value.JSON(c.Workflows)) // none is not the same as not said
	key += from + "\n" + strings.Join(files, "\n")
	s.mu.Lock()
	defer s.mu.Unlock()
	if base := s.kept[key]; base != nil {
		return base, nil
	}
	shelf, err := s.gather(from, files, c)
	if err != nil {
		return nil, err
	}
	if len(s.kept) >= maxShelves {
		clear(s.kept)
	}
	base := &shelves{base: shelf}
	s.kept[key] = base
	return base, nil
}

// gather loads components and saved workflows: those of the home, unless a library is named.
func (s *caseShelves) gather(from string, files []string, c *experiment.Case) (*nodes.Shelf, error) {
	var o catalogue.Options
	if !s.spec.NoBuiltin {
		for _, t := range nodes.Types(s.a.deps()) {
			o.Builtin = append(o.Builtin, t.Interface)
		}
	}
	home := s.a.homeDir()
	if home != "" {
		o.Sources = append(o.Sources, catalogue.Source{Path: filepath.Join(home, "nodes"), Optional: true})
	}
	for _, path := range files {
		if _, err := os.Stat(path); err != nil {
			return nil, usage("catalogue: %s", fileError(err))
		}
		o.Sources = append(o.Sources, catalogue.Source{Path: path})
	}
	set, found := catalogue.Load(o)
	if found.HasErrors() {
		return nil, usage("the nodes cannot be read: %s", strings.TrimSpace(found.Text()))
	}
	listing := library.Listing{}
	switch {
	case c.Workflows != nil:
		for i, w := range c.Workflows {
			r, err := inlineRecord(i, w)
			if err != nil {
				return nil, fault.New(fault.InvalidRequest, "case %s: %v", c.ID, err)
			}
			listing.Records = append(listing.Records, r)
		}
	case from != "":
		if _, err := os.Stat(from); err != nil {
			return nil, usage("library: %s", fileError(err))
		}
		listing = library.New(from).List()
	case home != "":
		listing = s.a.library().List()
	}
	set, more := set.Workflows(listing)
	if c.ID == "" {
		s.a.showFindings(slices.Concat(found, more, s.a.unknownNames(set.Catalogue)))
	}
	return s.a.permitted(&nodes.Shelf{Catalogue: set.Catalogue, Records: listing.Records})
}

// inlineRecord reads a saved workflow that stands in a case.
func inlineRecord(i int, w any) (*library.Record, error) {
	m, _ := w.(map[string]any)
	name, _ := m["name"].(string)
	if name == "" {
		return nil, fmt.Errorf("library[%d]: want a saved workflow: {name, description, ir}", i)
	}
	r, _, err := library.Parse(name, value.AppendJSON(nil, w))
	if err != nil {
		return nil, fmt.Errorf("library[%d]: %w", i, err)
	}
	r.Name = name
	return r, nil
}
