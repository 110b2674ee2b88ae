package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"pflow/internal/printable"
	"pflow/internal/retrieve"
	"pflow/internal/runs"
	"pflow/internal/value"
)

// mostNear is how many of the components that were looked at are named to people.
const mostNear = 8

// printWhy prints why for people.
func (a *app) printWhy(y *whyShown) error {
	w := &runText{}
	switch {
	case y.PlanFile != "":
		fmt.Fprintf(w, "plan %s: %s\n", printable.Line(y.PlanFile), printable.Line(y.Plan.Status))
	default:
		fmt.Fprintf(w, "%s %s: %s\n", orElse(string(y.Run.Kind), "run"), y.Run.ID, y.Run.Status)
	}
	if y.PlanRun != "" {
		fmt.Fprintf(w, "it came of a plan: pflow runs why %s says why that is what it is\n", runs.Short(y.PlanRun))
	}
	if y.Plan != nil {
		a.showCoverage(w, y.Plan.Request, y.result)
		w.plan(y.Plan)
	}
	w.edges(y)
	_, err := io.WriteString(a.stdout, w.String())
	return err
}

func (w *runText) plan(p *whyPlan) {
	if len(p.Components) > 0 {
		w.WriteString("components:\n")
	}
	for _, c := range p.Components {
		fmt.Fprintf(w, "  %s (%s)%s\n", printable.Line(c.Node), printable.Line(c.Type), ofWords(c.Words))
	}
	if len(p.Values) > 0 {
		w.WriteString("values:\n")
	}
	for _, v := range p.Values {
		fmt.Fprintf(w, "  %s", printable.Line(v.Input))
		if v.Value != nil {
			fmt.Fprintf(w, " = %s", w.value(v.Value))
		}
		w.WriteString(v.from())
		w.WriteString("\n")
	}
	near := &runText{}
	for _, c := range p.Near {
		m, _ := c.(map[string]any)
		reason, _ := m["reason"].(string)
		said, shares := retrieve.Said(reason, p.Request)
		if !shares {
			continue
		}
		fmt.Fprintf(near, "  workflow %s", w.value(m["name"]))
		if m["confidence"] != nil {
			fmt.Fprintf(near, " (%s)", w.value(m["confidence"]))
		}
		if said != "" {
			fmt.Fprintf(near, ": %s", w.cut(said))
		}
		near.WriteString("\n")
	}
	if near.Len()+len(p.Browsed) > 0 {
		w.WriteString("near:\n" + near.String())
	}
	if n := len(p.Browsed); n > 0 {
		fmt.Fprintf(w, "  looked at: %s", printable.Line(strings.Join(p.Browsed[:min(n, mostNear)], ", ")))
		if n > mostNear {
			fmt.Fprintf(w, " and %d more", n-mostNear)
		}
		w.WriteString("\n")
	}
	w.ranked(p)
	if p.Reasoning != "" {
		by := ""
		if p.Model {
			by = " (a model was asked)"
		}
		fmt.Fprintf(w, "how%s: %s\n", by, w.cut(p.Reasoning))
	}
}

// mostRanked is of how many of the best of each step it is told what spoke for them.
const mostRanked = 3

// ranked prints which words, and which approved request, spoke for what was ranked best; what no word speaks for is left out.
func (w *runText) ranked(p *whyPlan) {
	step, told := "", 0
	for _, r := range p.Ranked {
		if r.Step != step {
			step, told = r.Step, 0
		}
		if told++; told > mostRanked || len(r.Terms) == 0 && r.Example == nil {
			continue
		}
		if told == 1 {
			fmt.Fprintf(w, "ranked by %s:\n", printable.Line(r.Step))
		}
		var why []string
		for _, t := range r.Terms {
			why = append(why, fmt.Sprintf("%s %.2f", printable.Line(t.Word), t.Weight))
		}
		if r.Example != nil {
			why = append(why, fmt.Sprintf("like the approved request %q (%.2f)", w.cut(r.Example.Request), r.Example.Alike))
		}
		fmt.Fprintf(w, "  %s (%s): %s\n", printable.Line(r.Name), w.value(r.Confidence), strings.Join(why, ", "))
	}
}

// ofWords says which words chose something; "" where none are known to.
func ofWords(words []string) string {
	if len(words) == 0 {
		return ""
	}
	quoted := make([]string, len(words))
	for i, text := range words {
		quoted[i] = strconv.Quote(printable.Line(text))
	}
	return ": your words " + strings.Join(quoted, ", ")
}

// edges prints what chose each edge. A step that ended with the only action it has is listed without a reason.
func (w *runText) edges(y *whyShown) {
	if len(y.Edges) == 0 {
		return
	}
	w.WriteString("edges:\n")
	for _, e := range y.Edges {
		fmt.Fprintf(w, "  %s", printable.Line(e.Step))
		if e.Action != "" {
			fmt.Fprintf(w, " -> %s", printable.Line(e.Action))
		}
		if e.Why != "" {
			fmt.Fprintf(w, ": %s", printable.Line(e.Why))
		}
		w.WriteString("\n")
		w.because("      ", e.Because, e.Not, e.Saw)
	}
}

// because prints the condition that chose an edge, those before it that did not hold, and what they saw.
func (w *runText) because(indent, held string, not []string, saw map[string]any) {
	for _, text := range not {
		fmt.Fprintf(w, "%snot: %s\n", indent, w.cut(text))
	}
	if held != "" {
		fmt.Fprintf(w, "%sbecause: %s\n", indent, w.cut(held))
	}
	for _, k := range value.SortedKeys(saw) {
		fmt.Fprintf(w, "%s  %s was %s\n", indent, printable.Line(k), w.value(saw[k]))
	}
}
