package shelf

import (
	"strings"
	"sync"

	"pflow/internal/catalogue"
	"pflow/internal/fault"
	"pflow/internal/value"
)

// Narrowed gives each of many requests what it may use. Requests with the same components share a shelf, and so what is
// worked out from it. It is safe for concurrent use.
type Narrowed struct {
	Base *Shelf
	mu   sync.Mutex
	kept map[string]*Shelf
}

// maxNarrowed bounds how many shelves are kept; each has an index of its own.
const maxNarrowed = 64

// Of gives the base with more declared nodes, narrowed to the components in only, unless it is nil. A node that cannot be
// used is a fault of kind invalid_request.
func (n *Narrowed) Of(nodes []any, only []string) (*Shelf, error) {
	if len(nodes) == 0 && only == nil {
		return n.Base, nil
	}
	key := value.JSON(nodes) + "\n" + strings.Join(only, "\n")
	if only != nil {
		key += "\nonly"
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if s := n.kept[key]; s != nil {
		return s, nil
	}
	s := n.Base
	if len(nodes) > 0 {
		declared, found := catalogue.Declare("nodes", nodes)
		if len(declared) < len(nodes) {
			return nil, fault.New(fault.InvalidRequest, "a node cannot be used: %s", catalogue.LeftOut(found))
		}
		s = s.With(declared)
	}
	if only != nil {
		s = s.Only(only)
	}
	if len(n.kept) >= maxNarrowed || n.kept == nil {
		n.kept = map[string]*Shelf{}
	}
	n.kept[key] = s
	return s, nil
}
