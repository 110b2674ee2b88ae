package experiment

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pflow/engine"
	"pflow/engine/cond"
	"pflow/internal/yamltree"
)

// Verdicts are what a comparison can end with; fail_on names some of them.
var Verdicts = []string{"PROMOTE", "REJECT", "EXTEND", "INCONCLUSIVE"}

func (r *specReader) guardrails(v *yamltree.Value) {
	if !r.Want(v, yamltree.Map, "a mapping from metrics to {relative, absolute}, with nodes or targets") {
		return
	}
	for _, e := range v.Entries {
		switch e.Key {
		case "nodes":
			r.nodeGuardrails(e.Value)
			continue
		case "targets":
			r.Truth(&r.s.FlowTargets)(e.Value)
			continue
		}
		name, g := "", Guardrail{}
		r.OneOf(&name, append(metricNames(), "nodes", "targets")...)(e.Name)
		g.Metric = Metric(name)
		limit := func(to **float64) func(*yamltree.Value) {
			return func(v *yamltree.Value) {
				n := 0.
				found := len(r.Found)
				if r.Number(&n, 0)(v); g.Metric.Rate() && n >= 1 && len(r.Found) == found {
					r.Report(v, yamltree.BadValue, "want less than 1: %s is from 0 to 1, and 0.05 is 5 points of it, or 5%% of what it was", g.Metric)
				}
				*to = &n
			}
		}
		r.Mapping(e.Value, "{relative, absolute}", yamltree.Fields{"relative": limit(&g.Relative), "absolute": limit(&g.Absolute)})
		if e.Value.Kind == yamltree.Map && g.Relative == nil && g.Absolute == nil {
			r.Report(e.Value, yamltree.MissingKey, "want relative or absolute: by how much %s may %s", e.Key, g.Metric.worsens())
		}
		r.s.Guardrails = append(r.s.Guardrails, g)
	}
}

// apart refuses a guardrail on the primary, once both are known.
func (r *specReader) apart(tree *yamltree.Value) {
	v := tree.Get("guardrails")
	if v == nil || v.Kind != yamltree.Map {
		return
	}
	for _, e := range v.Entries {
		if Metric(e.Key) == r.s.Primary {
			r.Report(e.Name, yamltree.BadValue, "%s", guardedPrimary(r.s.Primary))
		}
	}
}

func (r *specReader) failOn(v *yamltree.Value) {
	var names []string
	r.Texts(&names)(v)
	for _, name := range names {
		if upper := strings.ToUpper(name); slices.Contains(Verdicts, upper) {
			r.s.FailOn = append(r.s.FailOn, upper)
		} else if name != "" {
			r.Report(v, yamltree.BadValue, "there is no verdict %q; there are: %s", name, strings.Join(Verdicts, ", "))
		}
	}
}

// failIf reads a list of predicates over the report: text in expr, or {cel: …}.
func (r *specReader) failIf(v *yamltree.Value) {
	items := []*yamltree.Value{v}
	if v.Kind == yamltree.Seq {
		items = v.Items
	}
	for _, item := range items {
		c, at := Condition{Lang: string(cond.Expr), place: item.Place}, item
		if item.Kind == yamltree.Map {
			r.Mapping(item, "{expr} or {cel}", yamltree.Fields{
				"expr": func(v *yamltree.Value) { at = v; r.Text(&c.Source)(v) },
				"cel":  func(v *yamltree.Value) { at = v; c.Lang = string(cond.CEL); r.Text(&c.Source)(v) },
			})
		} else {
			r.Text(&c.Source)(item)
		}
		if c.Source == "" {
			continue
		}
		if _, problems := compileGate(c); len(problems) > 0 {
			for _, p := range problems {
				f := at.Error(p.Kind, p.Message)
				f.Place, f.Suggestion, f.Alternatives = at.At(p.Offset), p.Suggestion, p.Alternatives
				r.Found = append(r.Found, f)
			}
			continue
		}
		r.s.FailIf = append(r.s.FailIf, c)
	}
}

// isDate reports whether text is a day like 2024-01-31.
func isDate(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// FlowLabel is what a flow is called, and a variant of it that has no name: without folder and ending.
func FlowLabel(flow string) string {
	if !engine.IsPath(flow) {
		return flow
	}
	base := filepath.Base(flow)
	return strings.TrimSuffix(base, filepath.Ext(base))
}
