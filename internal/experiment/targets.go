package experiment

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/stats"
	"pflow/internal/yamltree"
)

// Target bounds a percentile of the time that a node of a variant's flow takes. It is held against the variant alone.
type Target struct {
	Variant string     `json:"variant,omitempty"` // "" of the document: every variant whose flow has the node
	Node    string     `json:"node"`              // one of the flow itself, not of one that it runs
	Percent int        `json:"percent"`           // of the visits
	Within  float64    `json:"within_ms"`
	Place   diag.Place `json:"-"`
}

func (t *Target) metric() string { return fmt.Sprintf("p%d of %s", t.Percent, t.Node) }

// nodeGuardrails reads {NODE: {p50, p95, p99}}.
func (r *specReader) nodeGuardrails(v *yamltree.Value) {
	if !r.Want(v, yamltree.Map, "a mapping from nodes to percentiles, as in {workflow-discovery: {p95: 2s}}") {
		return
	}
	for _, e := range v.Entries {
		before := len(r.s.Targets)
		within := func(percent int) func(*yamltree.Value) {
			return func(v *yamltree.Value) {
				text := ""
				r.Text(&text)(v)
				if d, err := time.ParseDuration(text); err == nil && d > 0 {
					r.s.Targets = append(r.s.Targets, Target{Node: e.Key, Percent: percent, Within: float64(d) / float64(time.Millisecond), Place: e.Name.Place})
				} else if text != "" {
					r.Report(v, yamltree.BadValue, "want a time such as 250ms or 2s")
				}
			}
		}
		found := len(r.Found)
		r.Mapping(e.Value, "{p50, p95, p99}", yamltree.Fields{"p50": within(50), "p95": within(95), "p99": within(99)})
		if len(r.s.Targets) == before && len(r.Found) == found {
			r.Report(e.Value, yamltree.MissingKey, "want p50, p95 or p99: the time that so many of 100 visits of %s keep within", e.Key)
		}
	}
}

// settleTargets makes targets of single variants of those of the document, and of those that flows declare.
func (s *Spec) settleTargets(flows []*engine.Flow) error {
	var out []Target
	for _, t := range s.Targets {
		known := false
		for i, v := range s.Variants {
			if slices.Contains(flows[i].Nodes(), t.Node) {
				known, t.Variant = true, v.Name
				out = append(out, t)
			}
		}
		if !known {
			names := flows[0].Nodes()
			hint := "it has: " + diag.Names(names, 12)
			if near := diag.Nearest(t.Node, names); near != "" {
				hint = fmt.Sprintf("did you mean %q?", near)
			}
			return fault.New(fault.InvalidRequest, "%s:%d:%d: guardrails.nodes: no flow of a variant has a node %q; of %s: %s", t.Place.File, t.Place.Line, t.Place.Col, t.Node, flows[0].Name, hint)
		}
	}
	for i, v := range s.Variants {
		for _, t := range flows[i].Targets() {
			said := slices.ContainsFunc(out, func(o Target) bool { return o.Variant == v.Name && o.Node == t.Node && o.Percent == t.Percent })
			if s.FlowTargets && !said {
				out = append(out, Target{Variant: v.Name, Node: t.Node, Percent: t.Percent, Within: float64(t.Within) / float64(time.Millisecond)})
			}
		}
	}
	s.Targets, s.FlowTargets = out, false
	return nil
}

// nodeTimes are how long the visits of each node of a flow itself took, in milliseconds.
type nodeTimes map[string][]float64

func (n nodeTimes) observed(t engine.Transition) {
	if !strings.Contains(t.Node, "/") {
		n[t.Node] = append(n[t.Node], t.DurationMS)
	}
}

// timesOf are the times that a target is of, by case, those of all repeats together, in seconds.
func (x *results) timesOf(t *Target, variant int) []stats.Case {
	out := make([]stats.Case, len(x.cases))
	for i, c := range x.cases {
		out[i] = stats.Case{ID: c.id, Group: c.group}
		for _, ms := range x.times[variant][i][t.metric()] {
			out[i].B = append(out[i].B, ms/1000)
		}
	}
	return out
}

// targets are those of a variant, held against how long it took.
func (x *results) targets(variant int) (out []stats.Checked) {
	for _, t := range x.spec.Targets {
		switch {
		case t.Variant != x.variants[variant].Name:
		case !x.spec.Replies.Timed():
			out = append(out, notTimed(t.metric()))
		default:
			out = append(out, stats.Target{Metric: t.metric(), Percent: t.Percent, Within: t.Within / 1000, Unit: "s"}.Check(x.timesOf(&t, variant)))
		}
	}
	return out
}

// notTimed is the guardrail of a time where replies are recorded.
func notTimed(metric string) stats.Checked {
	return stats.Checked{Metric: metric, State: stats.Unclear, Reason: metric + " cannot be judged: replies of models were recorded, and recorded replies take no time; replies.clock gives them one"}
}
