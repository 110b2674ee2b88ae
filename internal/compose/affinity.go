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

// written is a value whose form says what it is: a path, an address. target says that a preposition leads to it.
type written struct {
	kind   string
	start  int
	target bool
}

// writtenValues are such values of a request.
func writtenValues(request string, now time.Time) []written {
	words := retrieve.Words(request)
	var out []written
	for _, e := range extract.Entities(request, now) {
		switch e.Kind {
		case extract.Path, extract.URL, extract.Email:
		default:
			continue
		}
		if e.Kind == extract.Path && !strings.ContainsAny(e.Text, "/") && strings.HasPrefix(e.Text, ".") {
			continue // the ending of files
		}
		v := written{kind: e.Kind, start: e.Start}
		for k := len(words) - 1; k >= 0; k-- {
			if words[k].End <= e.Start {
				v.target = slices.Contains([]string{"to", "into", "onto", "as", "in", "at", "under"}, words[k].Text)
				break
			}
		}
		out = append(out, v)
	}
	return out
}

func within(all []written, span [2]int) []written {
	out := []written{}
	for _, v := range all {
		if v.start >= span[0] && v.start < span[1] {
			out = append(out, v)
		}
	}
	return out
}

// suits weighs a component by the values of a clause whose form says what they are: whether it has inputs for them, whether
// its required inputs are had, and whether it reads or writes as the prepositions say. later says that an earlier step
// may give what has no such form.
func suits(i *ir.Interface, values []written, later bool) float64 {
	wanted := map[string]int{}
	for _, p := range i.Inputs {
		if kind := mapparams.WantedKind(mapparams.Input{Name: p.Key, Kind: p.Kind, Description: p.Description}); kind != "" && p.Required {
			wanted[kind]++
		}
	}
	had := map[string]int{}
	target := false
	for _, v := range values {
		had[v.kind]++
		target = target || v.target && v.kind == extract.Path
	}
	s := 0.0
	for _, kind := range []string{extract.Path, extract.URL, extract.Email} {
		switch {
		case had[kind] > 0 && wanted[kind] == 0:
			s -= 0.15
		case had[kind] > 0 && had[kind] == wanted[kind]:
			s += 0.2
			if kind != extract.Path {
				s += 0.1 // rarer, so it says more
			}
		case had[kind] > 0 && wanted[kind] > had[kind]:
			s -= 0.05
		case had[kind] == 0 && wanted[kind] > 0 && kind != extract.Path:
			s -= 0.1
		}
	}
	if had[extract.Path] == 1 && wanted[extract.Path] == 1 && len(i.Effects) > 0 {
		if writes := i.Has(ir.Writes); writes == target {
			s += 0.12
		} else {
			s -= 0.12
		}
		if later && target && !i.Has(ir.Writes) {
			s -= 0.25
		}
	}
	if had[extract.Path] > 0 && i.Has(ir.Destructive) {
		s -= 0.1 // what destroys has to be asked for by its words
	}
	return s
}

// headed says that a clause begins with the word by which a component says what it does, unless many say it so.
func (c *composer) headed(i *ir.Interface, clause string) float64 {
	for _, w := range retrieve.Words(clause) {
		if w.Stop {
			continue
		}
		if c.heads == nil {
			c.heads = map[string]int{}
			for _, other := range c.interfaces {
				for stem := range headsOf(other) {
					c.heads[stem]++
				}
			}
		}
		if headsOf(i)[w.Stem] && 5*c.heads[w.Stem] <= max(5, len(c.interfaces)) {
			return 0.12
		}
		return 0
	}
	return 0
}

// headsOf are the first words of a component's name and description, by stem.
func headsOf(i *ir.Interface) map[string]bool {
	out := map[string]bool{}
	for _, text := range []string{i.Description, i.Name} {
		if words := retrieve.Words(text); len(words) > 0 && !words[0].Stop {
			out[words[0].Stem] = true
		}
	}
	return out
}
