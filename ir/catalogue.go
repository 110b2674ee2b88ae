package ir

import (
	"maps"
	"slices"
	"sync"

	"pflow/internal/diag"
	"pflow/internal/value"
)

// Catalogue holds the components a workflow may be built from. It is immutable: narrowing it gives another one.
type Catalogue struct {
	byName  map[string]*Interface
	names   []string          // in the order given
	skipped map[string]string // a component that was left out -> why
	later   *later            // components that are made when they are asked for; nil: none
}

// later are components that are made by whoever asks for them first.
type later struct {
	at   map[string]int // those that byName does not have -> their places
	of   func(n int) *Interface
	made *sync.Map // place -> *Interface
}

func (l *later) get(n int) *Interface {
	if i, ok := l.made.Load(n); ok {
		return i.(*Interface)
	}
	i, _ := l.made.LoadOrStore(n, l.of(n))
	return i.(*Interface)
}

// NewCatalogue makes a catalogue; of two components of one name the first counts.
func NewCatalogue(components ...*Interface) *Catalogue {
	return (&Catalogue{skipped: map[string]string{}}).With(components...)
}

// Get gives the component of a name, nil if there is none.
func (c *Catalogue) Get(name string) *Interface {
	if i := c.byName[name]; i != nil {
		return i
	}
	if c.later != nil {
		if n, ok := c.later.at[name]; ok {
			return c.later.get(n)
		}
	}
	return nil
}

// Has reports whether there is a component of a name.
func (c *Catalogue) Has(name string) bool {
	if c.byName[name] != nil {
		return true
	}
	if c.later == nil {
		return false
	}
	_, ok := c.later.at[name]
	return ok
}

// IsNodeType reports whether there is a component of a name that is no saved workflow.
func (c *Catalogue) IsNodeType(name string) bool {
	i := c.byName[name]
	return i != nil && !i.Workflow
}

// Names lists the components in the order given.
func (c *Catalogue) Names() []string { return c.names }

// Len is how many components there are.
func (c *Catalogue) Len() int { return len(c.names) }

// All lists the components in the order given. Of many saved workflows each is read for it: ask for NodeTypes, or for one by
// its name, where that will do.
func (c *Catalogue) All() []*Interface {
	out := make([]*Interface, len(c.names))
	for i, n := range c.names {
		out[i] = c.Get(n)
	}
	return out
}

// NodeTypes lists the components that are no saved workflows, in the order given.
func (c *Catalogue) NodeTypes() []*Interface {
	out := make([]*Interface, 0, len(c.byName))
	for _, n := range c.names {
		if i := c.byName[n]; i != nil && !i.Workflow {
			out = append(out, i)
		}
	}
	return out
}

// Nearest is the component that name was probably meant to be, or "".
func (c *Catalogue) Nearest(name string) string { return diag.Nearest(name, c.names) }

// With adds components behind those there are; a name that is taken stays what it is.
func (c *Catalogue) With(components ...*Interface) *Catalogue {
	out := *c
	out.byName = make(map[string]*Interface, len(c.byName)+len(components))
	maps.Copy(out.byName, c.byName)
	out.names = slices.Clip(c.names)
	for _, i := range components {
		if !out.Has(i.Name) {
			out.byName[i.Name] = i
			out.names = append(out.names, i.Name)
		}
	}
	return &out
}

// WithLater adds saved workflows behind the components there are; a name that is taken stays what it is. of makes the one of
// a place in names when it is asked for. A catalogue has one such list.
func (c *Catalogue) WithLater(names []string, of func(n int) *Interface) *Catalogue {
	if c.later != nil {
		panic("ir: a catalogue has later components already")
	}
	out := *c
	out.later = &later{at: make(map[string]int, len(names)), of: of, made: &sync.Map{}}
	out.names = append(make([]string, 0, len(c.names)+len(names)), c.names...)
	for n, name := range names {
		if !out.Has(name) {
			out.later.at[name] = n
			out.names = append(out.names, name)
		}
	}
	return &out
}

// Making is the same catalogue, but for how its later components are made.
func (c *Catalogue) Making(of func(n int) *Interface) *Catalogue {
	out := *c
	out.later = &later{at: c.later.at, of: of, made: &sync.Map{}}
	return &out
}

// Only keeps the components whose names keep accepts.
func (c *Catalogue) Only(keep func(name string) bool) *Catalogue {
	out := *c
	out.byName, out.names = map[string]*Interface{}, nil
	if c.later != nil {
		out.later = &later{at: map[string]int{}, of: c.later.of, made: c.later.made}
	}
	for _, name := range c.names {
		if !keep(name) {
			continue
		}
		out.names = append(out.names, name)
		if i := c.byName[name]; i != nil {
			out.byName[name] = i
		} else {
			out.later.at[name] = c.later.at[name]
		}
	}
	return &out
}

// Skipping remembers components that were left out, and why: what follows the component's name in a message, such as
// "could not be read; mend nodes/a.yaml". So a workflow that uses one is told what to do.
func (c *Catalogue) Skipping(why map[string]string) *Catalogue {
	out := *c
	out.skipped = make(map[string]string, len(c.skipped)+len(why))
	maps.Copy(out.skipped, c.skipped)
	maps.Copy(out.skipped, why)
	return &out
}

// Skipped says why a component was left out.
func (c *Catalogue) Skipped(name string) (why string, ok bool) {
	why, ok = c.skipped[name]
	return why, ok
}

// AsComponent is the interface of a saved workflow that stands in another workflow as a node. The effects are those of
// its nodes; c may be nil, then they are unknown and none are stated.
func (w *Workflow) AsComponent(name, description string, c *Catalogue) *Interface {
	i := &Interface{Name: name, Description: description, Workflow: true, Origin: "workflow " + name}
	for _, in := range w.EffectiveInputs(c) {
		p := Port{Key: in.Name, Type: in.Type, Description: in.Description, Required: in.Required}
		if in.HasDefault {
			p.Default = tidy(in.Default)
		}
		if in.Secret || in.FromEnv != "" {
			p.Required = false // it is read from the environment
		}
		i.Inputs = append(i.Inputs, p)
	}
	for _, out := range w.Outputs {
		i.Outputs = append(i.Outputs, Port{Key: out.Name, Type: out.Type, Description: out.Description})
	}
	i.OpenOutputs = len(w.Outputs) == 0 // then they are those of the last node
	if c != nil {
		i.Effects = w.Effects(c)
	}
	return i
}

// Effects joins the effects of a workflow's nodes. It is idempotent if every node is.
func (w *Workflow) Effects(c *Catalogue) []Effect {
	has := map[Effect]bool{Idempotent: len(w.Nodes) > 0}
	for i := range w.Nodes {
		component := c.Get(w.Nodes[i].Type)
		if component == nil {
			has[Idempotent] = false
			continue
		}
		effects := component.Effects
		if component.Call != nil {
			if name, ok := w.Nodes[i].Params[component.Call.Name].(string); ok {
				if called := c.Get(name); called != nil {
					effects = called.Effects
				}
			}
		}
		idempotent := false
		for _, e := range effects {
			if e == Idempotent {
				idempotent = true
			} else {
				has[e] = true
			}
		}
		has[Idempotent] = has[Idempotent] && idempotent
	}
	var out []Effect
	for _, e := range Effects() {
		if has[e] {
			out = append(out, e)
		}
	}
	return out
}

// EffectiveInputs are the declared inputs or, where the document declares none, those that its templates imply: each
// root that is no node, no flat key and not stdin and is only used whole is a required string. With a nil catalogue
// flat keys are unknown.
func (w *Workflow) EffectiveInputs(c *Catalogue) []Input {
	if w.Inputs != nil {
		return w.Inputs
	}
	if c == nil {
		c = NewCatalogue()
	}
	v := newValidator(w, c, Options{})
	v.compile()
	var out []Input
	for _, name := range v.implied() {
		out = append(out, Input{Name: name, Type: value.String, Required: true})
	}
	return out
}
