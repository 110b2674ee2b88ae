// Package shelf gathers what workflows are made of and requests are answered with: built-in and declared components, and
// saved workflows. Every command asks it, so that all of them see the same: Gather what there is, Permitted what the
// settings allow of it, and Narrowed what one request of many may use.
package shelf

import (
	"context"
	"slices"
	"sync"

	"pflow/internal/catalogue"
	"pflow/internal/library"
	"pflow/ir"
)

// Shelf is what a request may be answered with. It never changes; what is worked out from it is kept with it.
type Shelf struct {
	Catalogue *ir.Catalogue
	Records   []*library.Record              // the saved workflows of the catalogue, by name
	Declared  map[string]*catalogue.Declared // how its declared nodes are run
	// Secrets are the environment variables of the secrets of all saved workflows, also of those that it does not hold.
	Secrets []string

	// Index is where an index that finds its saved workflows is kept; of a part of the shelf none is.
	Index Index

	whole   *Shelf   // what it was made from by With, Only and Permitted; nil: it is that itself
	derived sync.Map // the key of Once -> *once
}

// Whole is the shelf that this one is a part of, or adds nodes to: what it works out once may serve all that were made of it.
func (s *Shelf) Whole() *Shelf {
	if s.whole != nil {
		return s.whole
	}
	return s
}

// Index is a file, and the program that it is to be of: another one reads texts in other ways. Path is "" for none.
type Index struct{ Path, Program string }

type once struct {
	sync.Once
	value any
}

// Once gives what is worked out from the shelf under a key, and works it out the first time. Keys are values of types of
// their own, as those of contexts are.
func (s *Shelf) Once(key any, work func() any) any {
	kept, _ := s.derived.LoadOrStore(key, &once{})
	o := kept.(*once)
	o.Do(func() { o.value = work() })
	return o.value
}

// With gives a shelf with more declared nodes, which win the names that they share with others.
func (s *Shelf) With(declared []*catalogue.Declared) *Shelf {
	out := &Shelf{whole: s.Whole(), Records: s.Records, Secrets: s.Secrets, Declared: map[string]*catalogue.Declared{}}
	for name, d := range s.Declared {
		out.Declared[name] = d
	}
	var more []*ir.Interface
	for _, d := range declared {
		more = append(more, d.Interface)
		out.Declared[d.Interface.Name] = d
	}
	out.Catalogue = s.Catalogue.With(more...)
	return out
}

// Only gives a shelf with the components of these names and no others.
func (s *Shelf) Only(names []string) *Shelf {
	may := make(map[string]bool, len(names))
	for _, name := range names {
		may[name] = true
	}
	return s.filtered(func(name string) bool { return may[name] })
}

func (s *Shelf) filtered(keep func(name string) bool) *Shelf {
	out := &Shelf{whole: s.Whole(), Catalogue: s.Catalogue.Only(keep), Records: []*library.Record{}, Declared: s.Declared, Secrets: s.Secrets}
	for _, r := range s.Records {
		if keep(r.Name) {
			out.Records = append(out.Records, r)
		}
	}
	return out
}

// Record gives the saved workflow of a name, nil if there is none.
func (s *Shelf) Record(name string) *library.Record {
	type key struct{}
	byName := s.Once(key{}, func() any {
		out := make(map[string]*library.Record, len(s.Records))
		for _, r := range slices.Backward(s.Records) { // of two of a name the first counts
			out[r.Name] = r
		}
		return out
	}).(map[string]*library.Record)
	return byName[name]
}

type contextKey struct{}

// Within hands a shelf to the runs of a context.
func (s *Shelf) Within(ctx context.Context) context.Context {
	return context.WithValue(ctx, contextKey{}, s)
}

// Of gives the shelf that Within handed to a context, or nil.
func Of(ctx context.Context) *Shelf {
	s, _ := ctx.Value(contextKey{}).(*Shelf)
	return s
}
