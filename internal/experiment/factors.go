package experiment

import (
	"maps"

	"pflow/engine"
	"pflow/internal/yamltree"
)

// factor is one node and the named ways to change it.
type factor struct {
	node   string
	levels []level
}

type level struct {
	name string
	set  []engine.Setting
}

// readFactors reads node variants and crosses them: each variant becomes one for every combination of levels.
//
//	node_variants:
//	  component-browsing:
//	    wide:   {with.most: 40}
//	    narrow: {with.most: 10}
//
// A level edits keys of its node; {} leaves it as it is.
func (r *specReader) readFactors(v *yamltree.Value) {
	if !r.Want(v, yamltree.Map, "a mapping from nodes to their variants") {
		return
	}
	for _, node := range v.Entries {
		f := factor{node: node.Key}
		if !r.Want(node.Value, yamltree.Map, "a mapping from the names of variants to what they set, as in {wide: {with.most: 40}}") {
			continue
		}
		if len(node.Value.Entries) == 0 {
			r.Report(node.Value, yamltree.BadValue, "the node %q has no variants; {} as a variant leaves it as it is", node.Key)
		}
		for _, e := range node.Value.Entries {
			l := level{name: e.Key}
			r.settings(&l.set, "nodes."+node.Key+".")(e.Value)
			f.levels = append(f.levels, l)
		}
		r.s.Variants = cross(r.s.Variants, f)
		if len(r.s.Variants) > 1000 {
			r.Report(v, yamltree.BadValue, "these node variants make more than 1000 combinations")
			return
		}
	}
}

// cross gives each variant once for each level of a factor, named VARIANT/LEVEL.
func cross(variants []Variant, f factor) []Variant {
	var out []Variant
	for _, v := range variants {
		for _, l := range f.levels {
			w := v
			w.Name += "/" + l.name
			w.Set = append(append([]engine.Setting{}, v.Set...), l.set...)
			w.Levels = maps.Clone(v.Levels)
			if w.Levels == nil {
				w.Levels = map[string]string{}
			}
			w.Levels[f.node] = l.name
			out = append(out, w)
		}
	}
	return out
}
