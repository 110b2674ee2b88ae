package nodes

import (
	"context"
	"sync"
	"time"

	"pflow/internal/compose"
	"pflow/internal/library"
	"pflow/internal/retrieve"
	"pflow/ir"
)

// Shelf is what a request may be answered with: the components of the catalogue, saved workflows among them, and the
// records of those. What is worked out from them is worked out once and shared by all runs that have the same shelf.
type Shelf struct {
	Catalogue *ir.Catalogue
	Records   []*library.Record // saved workflows, by name

	components, workflows index
	plain                 sync.Map // *ir.Interface -> its value for the store
	forms                 sync.Map // *library.Record -> formOf its workflow
	verbs                 struct {
		once sync.Once
		of   map[string]string
	}
}

type index struct {
	once  sync.Once
	index *retrieve.Index
}

// shelf gives the shelf of a run; without one it is empty.
func (d Deps) shelf(ctx context.Context) (*Shelf, error) {
	if d.Shelf == nil {
		return &Shelf{Catalogue: ir.NewCatalogue()}, nil
	}
	return d.Shelf(ctx)
}

// componentIndex finds components.
func (s *Shelf) componentIndex() *retrieve.Index {
	s.components.once.Do(func() {
		var all []retrieve.Candidate
		for _, c := range s.Catalogue.All() {
			all = append(all, candidateOf(c, s.record(c)))
		}
		s.components.index = retrieve.NewIndex(all)
	})
	return s.components.index
}

// workflowIndex finds saved workflows.
func (s *Shelf) workflowIndex() *retrieve.Index {
	s.workflows.once.Do(func() {
		var all []retrieve.Candidate
		for _, r := range s.Records {
			c := retrieve.Candidate{Name: r.Name, Description: r.Description, Keywords: r.Keywords}
			for _, e := range r.Examples {
				c.Examples = append(c.Examples, compose.Unvalued(e, time.Time{})) // its values are no evidence
			}
			all = append(all, c)
		}
		var usual []string
		for _, c := range s.Catalogue.All() {
			if !c.Workflow {
				usual = append(usual, c.Name+" "+c.Description)
			}
		}
		s.workflows.index = retrieve.NewIndex(all, usual...)
	})
	return s.workflows.index
}

func (s *Shelf) record(c *ir.Interface) *library.Record {
	if !c.Workflow {
		return nil
	}
	for _, r := range s.Records {
		if r.Name == c.Name {
			return r
		}
	}
	return nil
}

func candidateOf(c *ir.Interface, r *library.Record) retrieve.Candidate {
	out := retrieve.Candidate{Name: c.Name, Description: c.Description}
	for _, ports := range [][]ir.Port{c.Inputs, c.OnlyParams(), c.Outputs} {
		for _, p := range ports {
			out.Keywords = append(out.Keywords, p.Key, p.Kind)
		}
	}
	for _, f := range c.Forms {
		out.Keywords = append(out.Keywords, f.Summary)
	}
	if r != nil {
		out.Keywords, out.Examples = append(out.Keywords, r.Keywords...), r.Examples
	}
	return out
}

// interfaceValue is an interface as a value for the store.
func (s *Shelf) interfaceValue(c *ir.Interface) any {
	if v, ok := s.plain.Load(c); ok {
		return v
	}
	v, _ := s.plain.LoadOrStore(c, any(compose.Plain(c)))
	return v
}
