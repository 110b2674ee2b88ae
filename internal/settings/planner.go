package settings

import (
	"pflow/internal/diag"
	"pflow/internal/split"
	"pflow/internal/yamltree"
)

// Planner says how requests are split among planner flows. A flow is a name, or a path that counts from the home.
type Planner struct {
	Split  split.Split           // nil: they are not
	Losing bool                  // an arm that is found to lose gets no more requests
	Places map[string]diag.Place // of the arms
}

// StopLosing is the value of stop.
const StopLosing = "losing"

// planners reads planner.
func planners(d *yamltree.Decoder, to *Planner) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		stop, split := "", false
		d.Mapping(v, "{split: {FLOW: WEIGHT, …}, stop: losing}", yamltree.Fields{
			"stop": d.OneOf(&stop, StopLosing),
			"split": func(v *yamltree.Value) {
				split = true
				arms(d, to)(v)
			},
		})
		to.Losing = stop == StopLosing
		if v.Kind == yamltree.Map && !split {
			d.Report(v, yamltree.MissingKey, "planner says how requests are split, as in {split: {planner: 90, mine: 10}}; a flow that is to plan always stands under flow")
		}
	}
}

// arms reads the flows of a split with their weights.
func arms(d *yamltree.Decoder, to *Planner) func(*yamltree.Value) {
	return func(v *yamltree.Value) {
		to.Places = map[string]diag.Place{}
		var out split.Split
		var values []*yamltree.Value
		wrong := len(d.Found)
		d.Named(v, "planner flows with their weights, as in {planner: 90, mine: 10}", func(e yamltree.Entry) {
			a := split.Arm{Flow: e.Key}
			d.Number(&a.Weight, 0)(e.Value)
			out, values = append(out, a), append(values, e.Value)
			to.Places[e.Key] = e.KeyPlace
		})
		if v.Kind != yamltree.Map || len(d.Found) > wrong {
			return
		}
		if why, arm := out.Check(); why != "" {
			at := v
			if arm >= 0 {
				at = values[arm]
			}
			d.Report(at, yamltree.BadValue, "%s", why)
			return
		}
		to.Split = out
	}
}
