package nodes

import (
	"context"
	"sync"
	"time"

	"pflow/internal/compose"
	"pflow/internal/library"
	"pflow/internal/mapparams"
	"pflow/internal/retrieve"
	"pflow/internal/shelf"
	"pflow/ir"
)

// candidates are a shelf as the ops choose from it: with indices that find in it, and what else is worked out once and
// shared by all runs that have the same shelf.
type candidates struct {
	*shelf.Shelf
	components, workflows index
	plain                 sync.Map // *ir.Interface -> its value for the store
	forms                 sync.Map // *library.Record -> formOf its workflow
	phrases               phrases
	verbs                 struct {
		once sync.Once
		of   map[string]string
	}
}

type index struct {
	once  sync.Once
	index *retrieve.Index
}

type candidatesKey struct{}

// candidates gives those of a run; without a shelf there are none.
func (d Deps) candidates(ctx context.Context) (*candidates, error) {
	s := &shelf.Shelf{Catalogue: ir.NewCatalogue()}
	if d.Shelf != nil {
		var err error
		if s, err = d.Shelf(ctx); err != nil {
			return nil, err
		}
	}
	return s.Once(candidatesKey{}, func() any { return &candidates{Shelf: s} }).(*candidates), nil
}

// componentIndex finds components.
func (s *candidates) componentIndex() *retrieve.Index {
	s.components.once.Do(func() {
		var all []retrieve.Candidate
		for _, c := range s.Catalogue.All() {
			all = append(all, candidateOf(c, s.record(c)))
		}
		s.components.index = indexOf(all)
	})
	return s.components.index
}

// workflowIndex finds saved workflows.
func (s *candidates) workflowIndex() *retrieve.Index {
	s.workflows.once.Do(func() {
		var all []retrieve.Candidate
		for _, r := range s.Records {
			c := retrieve.Candidate{Name: r.Name, Description: r.Description, Keywords: r.Keywords}
			for _, e := range r.Examples {
				if read, err := mapparams.Read(shared, e, time.Time{}); err == nil {
					c.Examples = append(c.Examples, compose.Unvalued(read)) // its values are no evidence
				}
			}
			all = append(all, c)
		}
		var usual []string
		for _, c := range s.Catalogue.All() {
			if !c.Workflow {
				usual = append(usual, c.Name+" "+c.Description)
			}
		}
		s.workflows.index, _ = retrieve.NewDiscovery(shared, all, usual...) // fails only with its context
	})
	return s.workflows.index
}

// shared is the context of what all runs with one shelf share: the end of one of them must not spoil it for the others.
var shared = context.Background()

func indexOf(all []retrieve.Candidate) *retrieve.Index {
	index, _ := retrieve.NewIndex(shared, all) // fails only with its context
	return index
}

func (s *candidates) record(c *ir.Interface) *library.Record {
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
		out.Keywords = append(out.Keywords, f.Says...)
	}
	if r != nil {
		out.Keywords, out.Examples = append(out.Keywords, r.Keywords...), r.Examples
	}
	return out
}

// interfaceValue is an interface as a value for the store.
func (s *candidates) interfaceValue(c *ir.Interface) any {
	if v, ok := s.plain.Load(c); ok {
		return v
	}
	v, _ := s.plain.LoadOrStore(c, any(compose.Plain(c)))
	return v
}
