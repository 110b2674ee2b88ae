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
			v.goal, v.target = targets[words[before-1].Text]
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

// targets are the prepositions that lead to where something goes, and whether they say only that.
var targets = map[string]bool{"to": true, "into": true, "onto": true, "as": true, "in": false, "at": false, "under": false}

// within are the values of a part of the request; values come in order.
func within(all []written, span [2]int) []written {
	at := func(place int) int {
		return sort.Search(len(all), func(k int) bool { return all[k].start >= place })
	}
	return slices.Clone(all[at(span[0]):at(span[1])])
}

// How much the values of a clause move the confidence in a usage, measured on development cases of NESTFUL, Seal-Tools and
// TaskBench and on sentences about files: the share of shared words, which it is added to, is 0.3 to 0.6 for usages that fit.
const (
	hasInputs     = 0.2   // it needs as many paths as there are, or as many addresses
	hasAddresses  = 0.1   // on top: addresses are rarer, so they say more
	isRead        = 0.1   // it takes whatever is read from there
	lacksInput    = -0.15 // it takes none of the paths or addresses there are
	lacksValue    = -0.05 // it needs more of them than there are
	lacksPlace    = -0.15 // it writes to a path, and there are only other values
	lacksAddress  = -0.1  // it needs an address and there is none
	otherWorkflow = -0.3  // it is a saved workflow, for other values than there are: it does more than is said, or something else
	rightWay      = 0.12  // it writes, and the path is where something goes; or it only reads, and the path is no such place
	cannotWrite   = -0.25 // on top, for a later step: what earlier steps gave is to go to the path
	otherNumber   = -0.25 // it is a form that takes a number and there is none, or the other way round
	destroys      = -0.1  // what destroys has to be asked for by its words
	hasPattern    = 0.2   // it has an input for a pattern of paths, and there is one
	hasMedium     = 0.05  // there is an image, or whatever it needs
	lacksMedium   = -0.05 // there is none
	headed        = 0.06  // the clause begins with the word by which the part says what it does
	headedAlone   = 0.2   // the same where no usage has any of the other words: they are values
	headedByFew   = 5     // but only if no more than one usage in this many says it so
)

// suits weighs a usage by the values of a clause whose form says what they are: whether it has inputs for them, whether its
// required inputs are had, and whether it reads or writes as the prepositions say. media are what sorts of data there are;
// later says that earlier steps give something.
func (p *usage) suits(values []written, media map[string]bool, later bool) float64 {
	had := map[string]int{}
	s := p.suitsMedia(media)
	for _, v := range values {
		if v.glob && p.pattern {
			s += hasPattern
			continue // the path is another value
		}
		had[v.kind]++
	}
	for _, kind := range []string{extract.Path, extract.URL, extract.Email} {
		s += p.suitsKind(kind, had[kind], values)
	}
	if had[extract.Path] == 1 {
		s += p.suitsWay(values, later)
	}
	if had[extract.Path] > 0 && p.of.Has(ir.Destructive) {
		s += destroys
	}
	return s
}

func (p *usage) suitsMedia(media map[string]bool) float64 {
	s := 0.0
	for _, in := range p.inputs {
		switch {
		case !in.Required || !mapparams.IsMedium(in.Kind):
		case media[in.Kind]:
			s += hasMedium
		default:
			s += lacksMedium
		}
	}
	return s
}

// suitsKind weighs whether as many values of a kind are wanted as there are.
func (p *usage) suitsKind(kind string, had int, values []written) float64 {
	s, wanted, address := 0.0, p.wanted[kind], kind != extract.Path
	switch {
	case had > 0 && wanted == 0 && p.isFed(values):
		s = isRead
	case had > 0 && (wanted == 0 || !address && p.folder && allFiles(values)):
		s = lacksInput
	case had > 0 && had == wanted && address:
		s = hasInputs + hasAddresses
	case had > 0 && had == wanted:
		s = hasInputs
	case had > 0 && wanted > had:
		s = lacksValue
	case had == 0 && wanted > 0 && !address && len(values) > 0 && p.of.Has(ir.Writes):
		s = lacksPlace
	case had == 0 && wanted > 0 && address:
		s = lacksAddress
	}
	if p.of.Workflow && wanted != had {
		s += otherWorkflow
	}
	return s
}

// suitsWay weighs whether a usage does with the one path what the preposition before it says: gets something there, or puts
// it there.
func (p *usage) suitsWay(values []written, later bool) float64 {
	if p.folder && allFiles(values) || p.wanted[extract.Path] != 1 || len(p.of.Effects) == 0 {
		return 0
	}
	target := slices.ContainsFunc(values, func(v written) bool { return (v.goal || later && v.target) && v.kind == extract.Path })
	writes := p.of.Has(ir.Writes)
	switch {
	case writes == target:
		return rightWay
	case later && target:
		return cannotWrite - rightWay
	}
	return -rightWay
}

// allFiles reports whether there are paths, all of files.
func allFiles(values []written) bool {
	return len(values) > 0 && !slices.ContainsFunc(values, func(v written) bool { return v.kind == extract.Path && !v.file })
}

// headed weighs whether a clause begins with the word by which a usage says what it does, unless many say it so.
func (c *composer) headed(p *usage, stems []string) float64 {
	if len(stems) == 0 || !slices.Contains(p.heads, stems[0]) || headedByFew*c.heads[stems[0]] > max(headedByFew, len(c.usages)) {
		return 0
	}
	if len(stems) == 1 || slices.ContainsFunc(stems[1:], c.index.Knows) {
		return headed
	}
	return headedAlone
}
