package catalogue

import (
	"fmt"

	"pflow/internal/diag"
	"pflow/internal/yamltree"
	"pflow/ir"
)

// Extension is forms that a document adds to a component that is stated elsewhere: {forms_of: NAME, forms: […]}.
type Extension struct {
	Of      string
	Instead bool // they stand instead of those that the component has
	Forms   []ir.Form
	place   diag.Place // of the name
	places  []*yamltree.Value
}

// extension reads a document that adds forms. A form that is faulty in itself takes the whole document with it, so that it is
// mended.
func (l *loader) extension(v *yamltree.Value) {
	r := &nodeReader{yamltree.Decoder{Lenient: l.lenient, NullIsAbsent: true}}
	e := &Extension{place: v.Get(formsOf).Place}
	r.Mapping(v, "forms of a component: {forms_of, instead, forms}", yamltree.Fields{
		"forms_of": r.Text(&e.Of),
		"instead":  r.Truth(&e.Instead),
		"forms": func(v *yamltree.Value) {
			r.Each(v, "a list of {says, with, inputs, example, gives}", func(item *yamltree.Value) {
				e.Forms, e.places = append(e.Forms, r.form(item)), append(e.places, item)
			})
		},
	})
	for _, f := range r.Found {
		if f.Severity == diag.Error {
			l.leaveOut("these forms are left out", f)
			return
		}
	}
	l.found = append(l.found, r.Found...)
	l.extensions = append(l.extensions, e)
}

// extend adds forms to the components that they are of, each of which becomes one of its own. They come before those that it
// has: who writes forms of their own means these.
func (l *loader) extend(all []*ir.Interface) {
	for _, e := range l.extensions {
		at, names := -1, []string{}
		for n, i := range all {
			names = append(names, i.Name)
			if i.Name == e.Of {
				at = n
			}
		}
		if at < 0 {
			w := l.warn(BadNode, e.place, fmt.Sprintf("these forms are left out: there is no node %q", e.Of))
			w.Suggestion = diag.Nearest(e.Of, names)
			continue
		}
		own := *all[at]
		own.Forms = nil
		for n, f := range e.Forms {
			alone := own
			alone.Forms = []ir.Form{f}
			if problems := alone.CheckForms(); len(problems) > 0 {
				l.warn(BadNode, e.places[n].Place, "this form is left out: "+problems[0].Message).Snippet = e.places[n].Snippet(e.places[n].Place)
				continue
			}
			own.Forms = append(own.Forms, f)
		}
		if !e.Instead {
			own.Forms = append(own.Forms, all[at].Forms...)
		}
		all[at] = &own
		if d := l.declared[e.Of]; d != nil {
			declared := *d
			declared.Interface = &own
			l.declared[e.Of] = &declared
		}
	}
}
