package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"

	"pflow/internal/experiment"
	"pflow/internal/fault"
	"pflow/internal/library"
	"pflow/internal/shelf"
	"pflow/internal/value"
)

// caseShelves gives each case what it may use. Cases with the same components share a shelf, and so its index.
type caseShelves struct {
	a    *app
	spec *experiment.Spec
	mu   sync.Mutex
	kept map[string]*shelf.Narrowed // by where components and workflows come from
}

// maxShelves bounds how many are kept; each has an index of its own.
const maxShelves = 64

func (s *caseShelves) of(_ context.Context, c *experiment.Case) (*shelf.Shelf, error) {
	base, err := s.base(c)
	if err != nil {
		return nil, err
	}
	offered, err := base.Of(c.Nodes, c.Only)
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "case %s: %v", c.ID, err)
	}
	return offered, nil
}

func (s *caseShelves) base(c *experiment.Case) (*shelf.Narrowed, error) {
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
	all, err := s.gather(from, files, c)
	if err != nil {
		return nil, err
	}
	if len(s.kept) >= maxShelves {
		clear(s.kept)
	}
	base := &shelf.Narrowed{Base: all}
	s.kept[key] = base
	return base, nil
}

// gather loads components and saved workflows: those of the home, unless a library is named.
func (s *caseShelves) gather(from string, files []string, c *experiment.Case) (*shelf.Shelf, error) {
	by, err := s.a.settings()
	if err != nil {
		return nil, err
	}
	src := s.a.sources()
	src.NoBuiltin, src.Files, src.FilesBy = s.spec.NoBuiltin, files, "catalogue:"
	switch {
	case c.Workflows != nil:
		src.Records = []*library.Record{}
		for i, w := range c.Workflows {
			r, err := inlineRecord(i, w)
			if err != nil {
				return nil, fault.New(fault.InvalidRequest, "case %s: %v", c.ID, err)
			}
			src.Records = append(src.Records, r)
		}
	case from != "":
		if _, err := os.Stat(from); err != nil {
			return nil, usage("library: %s", fileError(err))
		}
		src.Library = library.New(from)
	}
	out, found, err := shelf.Load(src, by)
	switch {
	case err != nil:
		return nil, usage("%v", err)
	case out == nil:
		return nil, usage("the nodes cannot be read: %s", strings.TrimSpace(found.Text()))
	}
	if c.ID == "" {
		s.a.showFindings(found)
	}
	return out, nil
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
