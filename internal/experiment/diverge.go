package experiment

import "cmp"

// Divergence is the first place where two runs of a request went different ways.
type Divergence struct {
	Kind     string `json:"kind"`     // action: one node took different actions; path: the flows have no such node in common
	Node     string `json:"node"`     // of the baseline, "" if it had ended
	Visit    int    `json:"visit"`    // of that node
	Baseline *Step  `json:"baseline"` // null if the run had ended
	Variant  *Step  `json:"variant"`
}

// Kinds of divergences.
const (
	DivergeAction = "action"
	DivergePath   = "path"
)

// diverge gives the first visit of a node, in the order of a, at which a and b took different actions. If no node that
// both visited did, it is the first step that one has and the other has not; nil if the runs are alike.
func diverge(a, b []Step) *Divergence {
	inB := map[visit]*Step{}
	for i := range b {
		inB[visit{b[i].Node, b[i].Visit}] = &b[i]
	}
	for i := range a {
		if other := inB[visit{a[i].Node, a[i].Visit}]; other != nil && other.Action != a[i].Action {
			return &Divergence{Kind: DivergeAction, Node: a[i].Node, Visit: a[i].Visit, Baseline: &a[i], Variant: other}
		}
	}
	for i := range max(len(a), len(b)) {
		d := &Divergence{Kind: DivergePath}
		if i < len(a) {
			d.Baseline = &a[i]
		}
		if i < len(b) {
			d.Variant = &b[i]
		}
		if d.Baseline != nil && d.Variant != nil && d.Baseline.Node == d.Variant.Node {
			continue
		}
		at := cmp.Or(d.Baseline, d.Variant)
		d.Node, d.Visit = at.Node, at.Visit
		return d
	}
	return nil
}
