package compose

import (
	"slices"
	"sort"
	"strings"

	"pflow/internal/extract"
	"pflow/internal/mapparams"
	"pflow/ir"
)

// written is a value whose form says what it is: a path, an address. target says that a preposition leads to it, goal that
// it is one that says nothing else: what is in a place may be there already.
type written struct {
	kind         string
	start, end   int
	target, goal bool
	file         bool // it has the form of a file's path
	glob         bool // it is a pattern of paths
}

// writtenValues are such values of a request.
func writtenValues(r *mapparams.Request) []written {
	words := r.Words
	out := []written{}
	before := 0 // the first word that is not before the value; values come in order
	for _, e := range r.Entities {
		for before < len(words) && words[before].End <= e.Start {
			before++
		}
		v := written{kind: e.Kind, start: e.Start, end: e.End, file: e.Kind == extract.Path && mapparams.IsFile(e.Text),
			glob: e.Kind == extract.Path && mapparams.IsPattern(e.Text)}
		if before > 0 {
			w := words[before-1].Text
			v.goal = lexicon().goals[w]
			v.target = v.goal || lexicon().places[w]
		}
		switch e.Kind {
		case extract.Path:
			if !strings.Contains(e.Text, "/") && strings.HasPrefix(e.Text, ".") {
				continue // the ending of files
			}
		case extract.URL, extract.Email:
		default:
			continue
		}
		out = append(out, v)
	}
	return out
}

// Written counts the paths, URLs, e-mail addresses and quoted texts of a request, by their kinds.
func Written(r *mapparams.Request) map[string]int {
	out := map[string]int{}
	for _, v := range writtenValues(r) {
		out[v.kind]++
	}
	for _, e := range r.Entities {
		if e.Kind == extract.Quoted {
			out[e.Kind]++
		}
	}
	return out
}

// mediaOf are the sorts of data of the files that a request names.
func mediaOf(request string) map[string]bool {
	out := map[string]bool{}
	for _, word := range strings.Fields(request) {
		out[mapparams.Medium(strings.Trim(word, "\"'`“”‘’.,;:!?()"))] = true
	}
	return out
}

// within are the values of a part of the request; values come in order.
func within(all []written, span [2]int) []written {
	at := func(place int) int {
		return sort.Search(len(all), func(k int) bool { return all[k].start >= place })
	}
	return slices.Clone(all[at(span[0]):at(span[1])])
}

// suits weighs a usage by the values of a clause whose form says what they are: whether it has inputs for them, whether its
// required inputs are had, and whether it reads or writes as the prepositions say. media are what sorts of data there are;
// later says that earlier steps give something.
func (w *Weights) suits(p *usage, values []written, media map[string]bool, later bool) float64 {
	had := map[string]int{}
	s := w.suitsMedia(p, media)
	for _, v := range values {
		if v.glob && p.pattern {
			s += w.hasPattern
			continue // the path is another value
		}
		had[v.kind]++
	}
	for _, kind := range []string{extract.Path, extract.URL, extract.Email} {
		s += w.suitsKind(p, kind, had[kind], values)
	}
	if had[extract.Path] == 1 {
		s += w.suitsWay(p, values, later)
	}
	if had[extract.Path] > 0 && p.of.Has(ir.Destructive) {
		s += w.destroys
	}
	return s
}

func (w *Weights) suitsMedia(p *usage, media map[string]bool) float64 {
	s := 0.0
	for _, in := range p.inputs {
		switch {
		case !in.Required || !mapparams.IsMedium(in.Kind):
		case media[in.Kind]:
			s += w.hasMedium
		default:
			s += w.lacksMedium
		}
	}
	return s
}

// suitsKind weighs whether as many values of a kind are wanted as there are.
func (w *Weights) suitsKind(p *usage, kind string, had int, values []written) float64 {
	s, wanted, address := 0.0, p.wanted[kind], kind != extract.Path
	switch {
	case had > 0 && wanted == 0 && p.isFed(values):
		s = w.isRead
	case had > 0 && (wanted == 0 || !address && p.folder && allFiles(values)):
		s = w.lacksInput
	case had > 0 && had == wanted && address:
		s = w.hasInputs + w.hasAddresses
	case had > 0 && had == wanted:
		s = w.hasInputs
	case had > 0 && wanted > had:
		s = w.lacksValue
	case had == 0 && wanted > 0 && !address && len(values) > 0 && p.of.Has(ir.Writes):
		s = w.lacksPlace
	case had == 0 && wanted > 0 && address:
		s = w.lacksAddress
	}
	if p.of.Workflow && wanted != had {
		s += w.otherWorkflow
	}
	return s
}

// suitsWay weighs whether a usage does with the one path what the preposition before it says: gets something there, or puts
// it there.
func (w *Weights) suitsWay(p *usage, values []written, later bool) float64 {
	if p.folder && allFiles(values) || p.wanted[extract.Path] != 1 || len(p.of.Effects) == 0 {
		return 0
	}
	target := slices.ContainsFunc(values, func(v written) bool { return (v.goal || later && v.target) && v.kind == extract.Path })
	writes := p.of.Has(ir.Writes)
	switch {
	case writes == target:
		return w.rightWay
	case later && target:
		return w.cannotWrite - w.rightWay
	}
	return -w.rightWay
}

// allFiles reports whether there are paths, all of files.
func allFiles(values []written) bool {
	return len(values) > 0 && !slices.ContainsFunc(values, func(v written) bool { return v.kind == extract.Path && !v.file })
}

// headed weighs whether a clause begins with the word by which a usage says what it does, unless many say it so.
func (c *composer) headed(p *usage, stems []string) float64 {
	if len(stems) == 0 || !slices.Contains(p.heads, stems[0]) || c.w.headedByFew*c.heads[stems[0]] > max(c.w.headedByFew, len(c.usages)) {
		return 0
	}
	if len(stems) == 1 || slices.ContainsFunc(stems[1:], c.index.Knows) {
		return c.w.headed
	}
	return c.w.headedAlone
}
