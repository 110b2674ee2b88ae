package nodes

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"pflow/internal/compose"
	"pflow/internal/library"
	"pflow/internal/retrieve"
	"pflow/internal/shelf"
	"pflow/ir"
)

// candidates are a shelf as the ops choose from it: with indices that find in it, and what else is worked out once and
// shared by all runs that have the same shelf.
type candidates struct {
	*shelf.Shelf
	components, workflows index
	types                 []*ir.Interface // the node types, as the index of components has them
	places                struct {        // of saved workflows, by name
		once sync.Once
		of   map[string]int
	}
	bySteps alike    // the saved workflows by library.Traits.Steps
	byWhole alike    // and by its Whole
	again   struct { // what remade gave
		sync.Mutex
		steps map[remadeOn]string
	}
	plain   sync.Map // *ir.Interface -> its value for the store
	usages  compose.Usages
	phrases phrases
	verbs   struct {
		once sync.Once
		of   map[string]string
	}
}

type index struct {
	once  sync.Once
	index *retrieve.Index
	err   error
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
	return s.Once(candidatesKey{}, func() any { return &candidates{Shelf: s, types: s.Catalogue.NodeTypes()} }).(*candidates), nil
}

// typeIndex finds node types. Saved workflows are found apart from them: what is saved changes nothing in what they fit.
func (s *candidates) typeIndex() *retrieve.Index {
	s.components.once.Do(func() {
		var all []retrieve.Candidate
		for _, c := range s.types {
			all = append(all, candidateOf(c))
		}
		s.components.index, _ = retrieve.NewIndex(shared, all) // fails only with its context
	})
	return s.components.index
}

// fit is a component as it fits a request.
type fit struct {
	retrieve.Ranked
	node   *ir.Interface   // nil for a saved workflow
	record *library.Record // nil for a node type
}

// rankComponents orders the node types, all of them, and the saved workflows that fit best, most of them, by how well they fit
// a request, best first; of equals node types come first.
func (s *candidates) rankComponents(ctx context.Context, request string, most int) ([]fit, error) {
	types, err := s.typeIndex().Rank(ctx, request)
	if err != nil {
		return nil, err
	}
	var out []fit
	for _, r := range types {
		out = append(out, fit{Ranked: r, node: s.types[r.Index]})
	}
	if len(s.Records) > 0 && most > 0 {
		index, err := s.workflowIndex()
		if err != nil {
			return nil, err
		}
		workflows, _, err := index.ByWords(ctx, request, most, nil)
		if err != nil {
			return nil, err
		}
		for _, r := range workflows {
			if !s.Catalogue.IsNodeType(r.Name) && s.Catalogue.Has(r.Name) { // its name may be a node type's
				out = append(out, fit{Ranked: r, record: s.Records[r.Index]})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b fit) int { return cmp.Compare(b.Confidence, a.Confidence) })
	return out, nil
}

// component is that of a fit; a saved workflow is read for it.
func (s *candidates) component(f fit) *ir.Interface {
	if f.node != nil {
		return f.node
	}
	return s.Catalogue.Get(f.Name)
}

// place is where a saved workflow stands among the records, -1 if it does not.
func (s *candidates) place(name string) int {
	s.places.once.Do(func() {
		s.places.of = make(map[string]int, len(s.Records))
		for n, r := range s.Records {
			if _, twice := s.places.of[r.Name]; !twice {
				s.places.of[r.Name] = n
			}
		}
	})
	if n, ok := s.places.of[name]; ok {
		return n
	}
	return -1
}

// workflowIndex finds saved workflows.
func (s *candidates) workflowIndex() (*retrieve.Index, error) {
	s.workflows.once.Do(func() {
		var usual []string
		for _, c := range s.types {
			usual = append(usual, c.Name+" "+c.Description)
		}
		s.workflows.index, s.workflows.err = discoveryOf(s.Records, usual, s.Index)
	})
	return s.workflows.index, s.workflows.err
}

// shared is the context of what all runs with one shelf share: the end of one of them must not spoil it for the others.
var shared = context.Background()

func candidateOf(c *ir.Interface) retrieve.Candidate {
	out := retrieve.Candidate{Name: c.Name, Description: c.Description}
	for _, ports := range [][]ir.Port{c.Inputs, c.OnlyParams(), c.Outputs} {
		for _, p := range ports {
			out.Keywords = append(out.Keywords, p.Key, p.Kind)
		}
	}
	for _, f := range c.Forms {
		out.Keywords = append(out.Keywords, f.Says...)
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
