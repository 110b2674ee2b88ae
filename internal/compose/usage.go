package compose

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"pflow/internal/extract"
	"pflow/internal/mapparams"
	"pflow/internal/retrieve"
	"pflow/internal/value"
	"pflow/ir"
)

// usage is one way of using a component, which a step can be made of: as it is or, where it states forms, in one of them.
type usage struct {
	of      *ir.Interface
	form    *ir.Form
	does    string         // in words
	inputs  []ir.Port      // all that it can be given
	heads   []string       // the words, by stem, with which it says what it does: the first of each text, and of its name
	wanted  map[string]int // how many required inputs want a written value of a kind
	folder  bool           // the path that it wants is that of a folder
	number  bool           // it wants a number
	pattern bool           // it can be given a pattern of paths
	kinds   []string       // of the written values that the inputs want, in their order
	named   []string       // the words of the component's name, as they are written
	says    []string       // the words of does
}

func newUsage(of *ir.Interface, form *ir.Form, says []string, inputs []ir.Port) *usage {
	p := &usage{of: of, form: form, does: strings.Join(says, " "), inputs: inputs, wanted: map[string]int{}}
	if form != nil {
		p.does = form.Does()
	}
	p.named, p.says = textsOf(of.Name), textsOf(p.does)
	for _, text := range append(slices.Clone(says), of.Name) {
		if words := retrieve.Words(text); len(words) > 0 && !words[0].Stop && !slices.Contains(p.heads, words[0].Stem) {
			p.heads = append(p.heads, words[0].Stem)
		}
	}
	for _, in := range inputs {
		wanted := mapparams.Input{Name: in.Key, Kind: in.Kind, Description: in.Description, Default: in.Default}
		kind := mapparams.WantedKind(wanted)
		p.pattern = p.pattern || mapparams.WantsPattern(wanted)
		p.kinds = append(p.kinds, kind)
		if !in.Required {
			continue
		}
		if kind != "" {
			p.wanted[kind]++
		}
		p.folder = p.folder || kind == extract.Path && mapparams.WantsFolder(in.Key, in.Description)
		p.number = p.number || in.Type == value.Integer || in.Type == value.Number
	}
	return p
}

// textsOf lists the words of a text as they are written, in lower case.
func textsOf(text string) (out []string) {
	for _, w := range retrieve.Words(text) {
		out = append(out, w.Text)
	}
	return out
}

// spokenOf leaves out the saved workflows that the request does not name: their descriptions are past requests, whose words
// say little of what they are for as a step.
func spokenOf(interfaces []*ir.Interface, request string) []*ir.Interface {
	said := strings.ToLower(request)
	return slices.DeleteFunc(slices.Clone(interfaces), func(i *ir.Interface) bool { return i.Workflow && !strings.Contains(said, i.Name) })
}

// Usages keep the ways of using components, which are the same for every request. They are known by the interface itself, which
// must not change. The zero value knows none; it is safe for concurrent use.
type Usages struct {
	known sync.Map // *ir.Interface -> []*usage
	last  atomic.Pointer[usageIndex]
}

// usageIndex finds usages by words.
type usageIndex struct {
	*retrieve.Index
	place map[*usage]int // among those of the index
}

// index gives an index of usages, and where each of those that it finds stands in the list. Most requests have the same usages, in
// another order: the index that was made last serves them, too.
func (u *Usages) index(ctx context.Context, usages []*usage) (*retrieve.Index, []int, error) {
	x := u.last.Load()
	if at := x.order(usages); at != nil {
		return x.Index, at, nil
	}
	made, err := retrieve.NewIndex(ctx, candidates(usages))
	if err != nil {
		return nil, nil, err
	}
	x = &usageIndex{made, make(map[*usage]int, len(usages))}
	at := make([]int, len(usages))
	for i, p := range usages {
		x.place[p], at[i] = i, i
	}
	u.last.Store(x)
	return made, at, nil
}

// order says where those of an index stand in a list, nil if the list is not of just these, each once.
func (x *usageIndex) order(usages []*usage) []int {
	if x == nil || len(x.place) != len(usages) {
		return nil
	}
	at := make([]int, len(usages))
	for i := range at {
		at[i] = -1
	}
	for i, p := range usages {
		k, ok := x.place[p]
		if !ok || at[k] >= 0 {
			return nil
		}
		at[k] = i
	}
	return at
}

// of lists the ways of using components.
func (u *Usages) of(interfaces []*ir.Interface) []*usage {
	var out []*usage
	for _, i := range interfaces {
		known, ok := u.known.Load(i)
		if !ok {
			known, _ = u.known.LoadOrStore(i, usagesOf(i))
		}
		out = append(out, known.([]*usage)...)
	}
	return out
}

// usagesOf lists the ways of using a component. There are none of what a sentence cannot fill in: a call of another component,
// and what needs text that is code, unless a form gives that code.
func usagesOf(i *ir.Interface) (out []*usage) {
	for n := range i.Forms {
		f := &i.Forms[n]
		out = append(out, newUsage(i, f, f.Says, f.Inputs))
	}
	if len(i.Forms) > 0 || i.Call != nil {
		return out
	}
	inputs := append(slices.Clone(i.Inputs), i.OnlyParams()...)
	if slices.ContainsFunc(inputs, func(p ir.Port) bool { return p.Raw && p.Required }) {
		return nil
	}
	inputs = slices.DeleteFunc(inputs, func(p ir.Port) bool { return p.Raw })
	return []*usage{newUsage(i, nil, []string{i.Description}, inputs)}
}

// text is what a usage says of itself.
func (p *usage) text() string { return p.of.Name + " " + p.does }

// params are those of a node whose inputs are given these values.
func (p *usage) params(given map[string]any) map[string]any {
	if p.form != nil {
		return p.form.Fill(given)
	}
	return given
}

// candidates are the usages as they are found by a request.
func candidates(usages []*usage) []retrieve.Candidate {
	out := make([]retrieve.Candidate, len(usages))
	for i, p := range usages {
		out[i] = retrieve.Candidate{Name: p.of.Name, Description: p.does}
		for _, ports := range [][]ir.Port{p.inputs, p.of.Outputs} {
			for _, port := range ports {
				if port.Default != nil { // a setting: it says how, not what
					continue
				}
				out[i].Keywords = append(out[i].Keywords, port.Key, port.Kind)
			}
		}
	}
	return out
}
