package compose

import (
	"slices"
	"strings"
	"time"

	"pflow/internal/extract"
	"pflow/internal/mapparams"
	"pflow/internal/retrieve"
	"pflow/ir"
)

// written is a value whose form says what it is: a path, an address. target says that a preposition leads to it, goal that
// it is one that says nothing else: what is in a place may be there already.
type written struct {
	kind         string
	start, end   int
	target, goal bool
	file         bool // it has the form of a file's path
}

// writtenValues are such values of a request.
func writtenValues(request string, now time.Time) []written {
	words := retrieve.Words(request)
	out := []written{}
	before := 0 // the first word that is not before the value; values come in order
	for _, e := range extract.Entities(request, now) {
		for before < len(words) && words[before].End <= e.Start {
			before++
		}
		v := written{kind: e.Kind, start: e.Start, end: e.End, file: e.Kind == extract.Path && mapparams.IsFile(e.Text)}
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
func Written(request string, now time.Time) map[string]int {
	out := map[string]int{}
	for _, v := range writtenValues(request, now) {
		out[v.kind]++
	}
	for _, e := range extract.Entities(request, now) {
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

func within(all []written, span [2]int) []written {
	out := []written{}
	for _, v := range all {
		if v.start >= span[0] && v.start < span[1] {
			out = append(out, v)
		}
	}
	return out
}

// How much the values of a clause move the confidence in a part, measured on development cases of NESTFUL, Seal-Tools and
// TaskBench and on sentences about files: the share of shared words, which it is added to, is 0.3 to 0.6 for parts that fit.
const (
	hasInputs     = 0.2   // it needs as many paths as there are, or as many addresses
	hasAddresses  = 0.1   // on top: addresses are rarer, so they say more
	isRead        = 0.1   // it takes whatever is read from there
	lacksInput    = -0.15 // it takes none of the paths or addresses there are
	lacksValue    = -0.05 // it needs more of them than there are
	lacksAddress  = -0.1  // it needs an address and there is none
	otherWorkflow = -0.3  // it is a saved workflow, for other values than there are: it does more than is said, or something else
	rightWay      = 0.12  // it writes, and the path is where something goes; or it only reads, and the path is no such place
	cannotWrite   = -0.25 // on top, for a later step: what earlier steps gave is to go to the path
	otherNumber   = -0.25 // it is a form that takes a number and there is none, or the other way round
	destroys      = -0.1  // what destroys has to be asked for by its words
	hasMedium     = 0.05  // there is an image, or whatever it needs
	lacksMedium   = -0.05 // there is none
	headed        = 0.06  // the clause begins with the word by which the part says what it does
	headedAlone   = 0.2   // the same where no part has any of the other words: they are values
	headedByFew   = 5     // but only if no more than one part in this many says it so
)

// suits weighs a part by the values of a clause whose form says what they are: whether it has inputs for them, whether its
// required inputs are had, and whether it reads or writes as the prepositions say. media are what sorts of data there are;
// later says that earlier steps give something.
func (p *part) suits(values []written, media map[string]bool, later bool) float64 {
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
	had := map[string]int{}
	target := false
	for _, v := range values {
		had[v.kind]++
		target = target || (v.goal || later && v.target) && v.kind == extract.Path
	}
	for _, kind := range []string{extract.Path, extract.URL, extract.Email} {
		address := kind != extract.Path
		switch h, w := had[kind], p.wanted[kind]; {
		case h > 0 && w == 0 && p.isFed(values):
			s += isRead
		case h > 0 && (w == 0 || !address && p.folder && allFiles(values)):
			s += lacksInput
		case h > 0 && h == w:
			s += hasInputs
			if address {
				s += hasAddresses
			}
		case h > 0 && w > h:
			s += lacksValue
		case h == 0 && w > 0 && address:
			s += lacksAddress
		}
		if p.of.Workflow && p.wanted[kind] != had[kind] {
			s += otherWorkflow
		}
	}
	writes := p.of.Has(ir.Writes)
	if had[extract.Path] == 1 && !(p.folder && allFiles(values)) && p.wanted[extract.Path] == 1 && len(p.of.Effects) > 0 {
		if writes == target {
			s += rightWay
		} else {
			s -= rightWay
		}
		if later && target && !writes {
			s += cannotWrite
		}
	}
	if had[extract.Path] > 0 && p.of.Has(ir.Destructive) {
		s += destroys
	}
	return s
}

// allFiles reports whether there are paths, all of files.
func allFiles(values []written) bool {
	return len(values) > 0 && !slices.ContainsFunc(values, func(v written) bool { return v.kind == extract.Path && !v.file })
}

// headed weighs whether a clause begins with the word by which a part says what it does, unless many say it so.
func (c *composer) headed(p *part, clause string) float64 {
	stems := retrieve.Stems(clause)
	if len(stems) == 0 || !slices.Contains(p.heads, stems[0]) || headedByFew*c.heads[stems[0]] > max(headedByFew, len(c.parts)) {
		return 0
	}
	if len(stems) == 1 || slices.ContainsFunc(stems[1:], c.index.Knows) {
		return headed
	}
	return headedAlone
}
