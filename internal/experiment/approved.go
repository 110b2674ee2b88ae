package experiment

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"pflow/internal/planner"
	"pflow/internal/value"
	"pflow/ir"
)

// Approved is a request with the plan that a person approved for it.
type Approved struct {
	ID      string // of its case
	Request string
	Stdin   any
	Date    string // the day from which it was planned
	At      time.Time
	Plan    *planner.Result // as it was approved
	Library []string        // files of the workflows that were saved when it was planned
}

// Cases makes cases of approved requests, in the order of their time: the approved plan is what is expected. Of those that ask
// the same and expect the same the first is taken. Requests for one workflow are a group. earlier is the share that the
// first list has; a group is in one of the lists as a whole, by its first request.
func Cases(list []Approved, components *ir.Catalogue, earlier float64) (first, later []map[string]any) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Approved) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.ID, b.ID)) })
	seen, groups := map[string]bool{}, map[string]bool{}
	var all []map[string]any
	for _, a := range list {
		c := a.asCase(components)
		key := strings.ToLower(oneLine(a.Request)) + "\n" + value.JSON(c["expect"])
		if seen[key] {
			continue
		}
		seen[key] = true
		all = append(all, c)
	}
	most := int(math.Round(earlier * float64(len(all))))
	for i, c := range all {
		group, _ := c["group"].(string)
		if _, known := groups[group]; group == "" || !known {
			groups[group] = i < most
		}
		if i < most && group == "" || group != "" && groups[group] {
			first = append(first, c)
		} else {
			later = append(later, c)
		}
	}
	return first, later
}

func (a *Approved) asCase(components *ir.Catalogue) map[string]any {
	c := map[string]any{"id": a.ID, "request": a.Request, "current_date": a.Date, "expect": a.expect(components)}
	if a.Stdin != nil {
		c["stdin"] = a.Stdin
	}
	if group := text(a.Plan.WorkflowName); group != "" {
		c["group"] = group
	}
	files := []any{}
	for _, f := range a.Library {
		files = append(files, f)
	}
	c["library"] = files
	return c
}

// expect is a plan as an expectation: what it is made of, what feeds what, and what the request gave. What the plan chose by itself,
// such as the words of a prompt, another planner may choose otherwise.
func (a *Approved) expect(components *ir.Catalogue) map[string]any {
	p := readPlan(a.Plan, components)
	out := map[string]any{}
	if a.Plan.Status == planner.NeedsInput {
		ask := []any{}
		for _, m := range objects(a.Plan.MissingParams) {
			ask = append(ask, text(m["name"]))
		}
		out["ask"] = ask
	} else {
		out["status"] = a.Plan.Status
	}
	if a.Plan.Path == "reuse" {
		out["workflow"] = a.Plan.WorkflowName
	} else {
		types := []any{}
		for _, t := range p.types {
			types = append(types, t)
		}
		out["nodes"] = types
		if edges := p.fed(); len(edges) > 0 {
			out["edges"] = map[string]any{"all": edges}
		}
	}
	if given := p.given(); len(given) > 0 {
		out["params"] = map[string]any{"all": given}
	}
	return out
}

// fed are the pairs of types of which one takes what the other gives.
func (p *planned) fed() []any {
	var out []any
	for e := range p.refs {
		out = append(out, []any{e.from, e.to})
	}
	slices.SortFunc(out, func(a, b any) int { return strings.Compare(value.JSON(a), value.JSON(b)) })
	return out
}

// given are the params whose values come of inputs, as an expectation has them, in the order of the nodes.
func (p *planned) given() []any {
	doc, _ := p.result.WorkflowIR.(map[string]any)
	out := []any{}
	for _, n := range objects(doc["nodes"]) {
		component := text(n["type"])
		params, _ := n["params"].(map[string]any)
		known := p.components.Get(component)
		for _, k := range value.SortedKeys(params) {
			if known != nil && rawParam(known, k) || !p.fromInput(params[k], 0) {
				continue
			}
			used := map[string]bool{}
			if v := p.fill(params[k], used, 0); len(used) == 0 && v != (missing{}) && !absent(v) {
				out = append(out, []any{component, k, v})
			}
		}
	}
	return out
}

// fromInput reports whether a value has a template that reads a value of the request.
func (p *planned) fromInput(v any, depth int) bool {
	if depth > deepest {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		return slices.ContainsFunc(value.SortedKeys(v), func(k string) bool { return p.fromInput(v[k], depth+1) })
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return p.fromInput(item, depth+1) })
	case string:
		param, problems := ir.Compile(v)
		if len(problems) > 0 {
			return false
		}
		found := false
		param.Walk(func(_ string, e *ir.Expr) {
			for _, alt := range e.Alts {
				if alt.Ref != nil {
					_, given := p.values[alt.Ref.Root]
					found = found || given
				}
			}
		})
		return found
	}
	return false
}
