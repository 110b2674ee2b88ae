package ir

import (
	"maps"

	"pflow/internal/diag"
	"pflow/internal/value"
)

// Catalogue holds the components a workflow may be built from. It is immutable: narrowing it gives another one.
type Catalogue struct {
	byName  map[string]*Interface
	names   []string          // in the order given
	skipped map[string]string // a component that was left out -> why
}

// NewCatalogue makes a catalogue; of two components of one name the first counts.
func NewCatalogue(components ...*Interface) *Catalogue {
	c := &Catalogue{byName: make(map[string]*Interface, len(components)), skipped: map[string]string{}}
	for _, i := range components {
		if c.byName[i.Name] == nil {
			c.byName[i.Name] = i
			c.names = append(c.names, i.Name)
		}
	}
	return c
}

// Get gives the component of a name, nil if there is none.
func (c *Catalogue) Get(name string) *Interface { return c.byName[name] }

// Names lists the components in the order given.
func (c *Catalogue) Names() []string { return c.names }

// Len is how many components there are.
func (c *Catalogue) Len() int { return len(c.names) }

// All lists the components in the order given.
func (c *Catalogue) All() []*Interface {
	out := make([]*Interface, len(c.names))
	for i, n := range c.names {
		out[i] = c.byName[n]
	}
	return out
}

// Nearest is the component that name was probably meant to be, or "".
func (c *Catalogue) Nearest(name string) string { return diag.Nearest(name, c.names) }

// With adds components behind those there are; a name that is taken stays what it is.
func (c *Catalogue) With(components ...*Interface) *Catalogue {
	return NewCatalogue(append(c.All(), components...)...).Skipping(c.skipped)
}

// Only keeps the components that keep accepts.
func (c *Catalogue) Only(keep func(*Interface) bool) *Catalogue {
	var kept []*Interface
	for _, i := range c.All() {
		if keep(i) {
			kept = append(kept, i)
		}
	}
	return NewCatalogue(kept...).Skipping(c.skipped)
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
