package catalogue

import (
	"pflow/internal/diag"
	"pflow/internal/value"
	"pflow/internal/yamltree"
	"pflow/ir"
)

// examples reads how a node is used, and what comes of it.
func (r *nodeReader) examples(v *yamltree.Value) []Example {
	var out []Example
	r.Each(v, "a list of {params, files, outputs, after}", func(item *yamltree.Value) {
		e := Example{Place: item.Place}
		r.Mapping(item, "an example: {params, files, outputs, after}", yamltree.Fields{
			"says":    r.Text(&e.Says),
			"params":  r.Object(&e.Params),
			"files":   r.fileTexts(&e.Files),
			"outputs": r.Object(&e.Outputs),
			"after":   r.fileTexts(&e.After),
		})
		out = append(out, e)
	})
	return out
}

// fileTexts reads {path: text}.
func (r *nodeReader) fileTexts(to *map[string]string) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		*to = map[string]string{}
		r.Named(v, "{path: text}", func(e yamltree.Entry) {
			var text string
			r.Written(&text)(e.Value)
			(*to)[e.Key] = text
		})
	}
}

// checkExamples holds the examples of a node against its interface.
func (r *nodeReader) checkExamples(d *Declared, v *yamltree.Value) {
	i := d.Interface
	for n, e := range d.Examples {
		at := v.Get("examples").Items[n]
		for _, key := range value.SortedKeys(e.Params) {
			port, known := i.Param(key)
			if !known {
				if !i.OpenParams {
					r.unknownName(at.Get("params").Entry(key), "%q is no param of "+i.Name, key, i.ParamKeys())
				}
				continue
			}
			if _, err := value.Fits(port.Type, e.Params[key]); err != nil {
				r.Report(at.Get("params").Get(key), yamltree.BadValue, "%q: %v", key, err)
			}
		}
		for _, p := range append(append([]ir.Port{}, i.Inputs...), i.OnlyParams()...) {
			if _, given := e.Params[p.Key]; p.Required && !given {
				r.Report(at, yamltree.MissingKey, "the example has no value for %q", p.Key)
			}
		}
		for _, key := range value.SortedKeys(e.Outputs) {
			if _, known := i.Output(key); !known && !i.OpenOutputs && len(i.Outputs) > 0 {
				r.unknownName(at.Get("outputs").Entry(key), "%q is no output of "+i.Name, key, i.OutputKeys())
			}
		}
	}
}

func (r *nodeReader) unknownName(at *yamltree.Entry, format, key string, names []string) {
	f := r.Report(at.Name, yamltree.UnknownKey, format, key)
	f.Suggestion, f.Alternatives = diag.Nearest(key, names), names
}
