package experiment

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/library"
	"pflow/internal/settings"
	"pflow/internal/shelf"
	"pflow/internal/value"
)

// Shelves gives each case what it may use. Cases with the same components share a shelf, and so its index.
type Shelves struct {
	spec *Spec
	from shelf.Sources
	by   *settings.Settings
	mu   sync.Mutex
	kept map[string]*shelf.Narrowed // by where components and workflows come from
}

// maxShelves bounds how many are kept; each has an index of its own.
const maxShelves = 64

// NewShelves makes those of an experiment; from and by are the program's. Findings are of what every case goes without.
func NewShelves(spec *Spec, from shelf.Sources, by *settings.Settings) (*Shelves, diag.List, error) {
	from.NoBuiltin, from.FilesBy = spec.NoBuiltin, "catalogue:"
	s := &Shelves{spec: spec, from: from, by: by, kept: map[string]*shelf.Narrowed{}}
	_, found, err := s.base(&Case{})
	return s, found, err
}

// Of gives the shelf of a case.
func (s *Shelves) Of(c *Case) (*shelf.Shelf, error) {
	base, _, err := s.base(c)
	if err == nil {
		var offered *shelf.Shelf
		if offered, err = base.Of(c.Nodes, c.Only); err == nil {
			return offered, nil
		}
	}
	return nil, fault.New(fault.InvalidRequest, "case %s: %v", c.ID, err)
}

func (s *Shelves) base(c *Case) (*shelf.Narrowed, diag.List, error) {
	from := s.from
	from.Files = append(append([]string{}, s.spec.Catalogue...), c.Catalogue...)
	folder := s.spec.Library
	if c.Library != "" {
		folder = c.Library
	}
	key := fmt.Sprintf("%t %s\n", c.Workflows != nil, value.JSON(c.Workflows)) // none is not the same as not said
	key += folder + "\n" + strings.Join(from.Files, "\n")
	s.mu.Lock()
	defer s.mu.Unlock()
	if base := s.kept[key]; base != nil {
		return base, nil, nil
	}
	switch {
	case c.Workflows != nil:
		from.Records = []*library.Record{}
		for i, w := range c.Workflows {
			r, err := inlineRecord(i, w)
			if err != nil {
				return nil, nil, err
			}
			from.Records = append(from.Records, r)
		}
	case folder != "":
		if _, err := os.Stat(folder); err != nil {
			return nil, nil, fault.New(fault.NotFound, "library: there is no folder %s; name one of saved workflows, or leave library out", folder)
		}
		from.Library = library.New(folder)
	}
	all, found, err := shelf.Load(from, s.by)
	if err != nil {
		return nil, nil, err
	}
	if all == nil {
		return nil, nil, &diag.Err{List: found}
	}
	if folder != "" && c.Workflows == nil && len(all.Records) == 0 {
		return nil, nil, fault.New(fault.InvalidRequest, "library: the folder %s has no saved workflow that can be used; name another, or leave library out; a case that goes without says \"library\": []", folder)
	}
	if len(s.kept) >= maxShelves {
		clear(s.kept)
	}
	s.kept[key] = &shelf.Narrowed{Base: all}
	return s.kept[key], found, nil
}

// inlineRecord reads a saved workflow that stands in a case, or in a file that the case names.
func inlineRecord(i int, w any) (*library.Record, error) {
	if file, ok := w.(string); ok {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("library[%d]: %w", i, err)
		}
		r, _, err := library.Parse(file, data)
		if err == nil && r.Name == "" {
			err = fault.New(fault.Malformed, "it has no name")
		}
		if err != nil {
			return nil, fmt.Errorf("library[%d]: %s: %w", i, file, err)
		}
		return r, nil
	}
	m, _ := w.(map[string]any)
	name, _ := m["name"].(string)
	if name == "" {
		return nil, fmt.Errorf("library[%d]: want a saved workflow: {name, description, ir}, or the path of its file", i)
	}
	r, _, err := library.Parse(name, value.AppendJSON(nil, w))
	if err != nil {
		return nil, fmt.Errorf("library[%d]: %w", i, err)
	}
	r.Name = name
	return r, nil
}
