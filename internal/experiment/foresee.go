package experiment

import (
	"fmt"
	"slices"
	"strings"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/shelf"
)

// CannotHold is the kind of findings about expectations that no plan can meet.
const CannotHold = "cannot-hold"

// equalVariants is the error of variants that compile to the same: they could only differ by chance.
func equalVariants(variants []Variant, flows []*engine.Flow) error {
	var pairs []string
	for i, v := range variants {
		for k := range i {
			if flows[i].Hash == flows[k].Hash && v.Model == variants[k].Model {
				pairs = append(pairs, fmt.Sprintf("%s and %s", variants[k].Name, v.Name))
				break
			}
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	return fault.New(fault.InvalidRequest, "the variants %s are equal: their flows, prompts, settings and models come to the same, so that whatever differs is chance. "+
		"Look at which flows they name; to see how much chance there is (an A/A test), say --allow-equal, or allow_equal: true in the document", strings.Join(pairs, ", "))
}

// foreseen are the expectations of a case that nothing which the case may use can meet.
func (x *Experiment) foreseen(c *Case) diag.List {
	s, err := x.o.Shelf(c)
	if err != nil {
		return diag.List{{Severity: diag.Error, Kind: BadCase, Place: c.place, Message: strings.TrimRight(err.Error(), "\n")}}
	}
	if x.o.Withhold != nil {
		if err := x.o.Withhold(c, s, jsonText(c.raw)); err != nil {
			return diag.List{{Severity: diag.Error, Kind: BadCase, Place: c.place, Message: err.Error()}}
		}
	}
	f := &foresight{c: c, on: s}
	f.nodes()
	f.workflow()
	return f.found
}

// foresight looks at one case.
type foresight struct {
	c     *Case
	on    *shelf.Shelf
	said  []string
	found diag.List
}

func (f *foresight) report(name, format string, args ...any) {
	if slices.Contains(f.said, name) {
		return
	}
	f.said = append(f.said, name)
	f.found = append(f.found, diag.Finding{Severity: diag.Error, Kind: CannotHold, Place: f.c.place, Message: fmt.Sprintf("case %s: ", f.c.ID) + fmt.Sprintf(format, args...)})
}

// types are those of which every plan that is as expected has a node.
func (e *Expect) types() []string {
	var out []string
	edges := func(list []edge) {
		for _, pair := range list {
			out = append(out, pair.from, pair.to)
		}
	}
	if e.Nodes != nil {
		out = slices.Concat(out, e.Nodes.Exact, e.Nodes.All, e.Nodes.Order)
	}
	if e.Edges != nil {
		edges(e.Edges.Exact)
		edges(e.Edges.All)
	}
	for _, p := range e.Params {
		out = append(out, p.Node)
	}
	for _, call := range e.Calls {
		out = append(out, call.Node)
	}
	return out
}

func (f *foresight) nodes() {
	has := func(name string) bool { return name == "" || name == "*" || f.on.Catalogue.Has(name) }
	for _, name := range f.c.Expect.types() {
		if !has(name) {
			f.lacks(name)
		}
	}
	if n := f.c.Expect.Nodes; n != nil && len(n.Any) > 0 && !slices.ContainsFunc(n.Any, has) {
		f.lacks(n.Any[0])
	}
}

// lacks says why a case has no component of a name.
func (f *foresight) lacks(name string) {
	if f.c.Only != nil && !slices.Contains(f.c.Only, name) {
		f.report(name, "%s is expected, and not among what the case may use (only: %s)", name, diag.Names(f.c.Only, 12))
		return
	}
	hint := "declare it in nodes or catalogue, or mend the name"
	if near := f.on.Catalogue.Nearest(name); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	f.report(name, "%s is expected, and there is no such component; %s", name, hint)
}

// workflow looks for the saved workflow that is to be reused, and for the inputs that it is to ask for.
func (f *foresight) workflow() {
	e := &f.c.Expect
	if e.Workflow == nil || *e.Workflow == "" {
		if e.Path == "reuse" && len(f.on.Records) == 0 {
			f.report("", "a saved workflow is to be reused, and there is none; name a library, or save one first")
		}
		return
	}
	name := *e.Workflow
	var names []string
	for _, r := range f.on.Records {
		names = append(names, r.Name)
	}
	if !slices.Contains(names, name) {
		if f.c.Only != nil && !slices.Contains(f.c.Only, name) {
			f.report(name, "the saved workflow %s is to be reused, and not among what the case may use (only: %s)", name, diag.Names(f.c.Only, 12))
			return
		}
		hint := "there is: " + diag.Names(names, 12)
		if len(names) == 0 {
			hint = "there are none"
		} else if near := diag.Nearest(name, names); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		f.report(name, "the saved workflow %s is to be reused, and is not in its library; %s", name, hint)
		return
	}
	var inputs []string
	for _, r := range f.on.Records {
		if w := r.Workflow(); r.Name == name && w != nil {
			for _, in := range w.EffectiveInputs(f.on.Catalogue) {
				inputs = append(inputs, in.Name)
			}
		}
	}
	for _, input := range e.Ask {
		if len(inputs) == 0 {
			f.report("ask "+input, "it is to ask for %s, and the saved workflow %s has no inputs", input, name)
		} else if !slices.ContainsFunc(inputs, func(in string) bool { return comparableKey(in) == comparableKey(input) }) {
			f.report("ask "+input, "it is to ask for %s, which is no input of the saved workflow %s; its inputs are: %s", input, name, diag.Names(inputs, 12))
		}
	}
}
