package flowtest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pflow/engine"
	"pflow/internal/value"
	"pflow/internal/yamltree"
)

// Report is how one test went.
type Report struct {
	Name   string   `json:"name"`
	Pass   bool     `json:"pass"`
	Faults []string `json:"faults"`
}

// Check runs one test of a flow.
func (c *Case) Check(ctx context.Context, flow *engine.Flow) Report {
	return c.CheckOn(flow, Here(ctx))
}

// CheckOn runs one test of a flow on a driver.
func (c *Case) CheckOn(flow *engine.Flow, run Driver) Report {
	r := Report{Name: c.Name, Faults: []string{}}
	under := flow
	for _, name := range value.SortedKeys(c.store) {
		if declared := flow.Inputs(); !slices.Contains(declared, name) {
			r.Faults = append(r.Faults, fmt.Sprintf("%s: store: the flow has no state key %q; it has: %s", c.Place, name, strings.Join(declared, ", ")))
			return r
		}
	}
	if c.Node != "" {
		if under = flow.Only(c.Node); under == nil {
			r.Faults = append(r.Faults, fmt.Sprintf("%s: the flow has no node %q; it has: %s", c.Place, c.Node, strings.Join(flow.Nodes(), ", ")))
			return r
		}
	}
	answers := &Answers{canned: c.results, used: map[string]int{}}
	res, prep, err := run(under, c.store, answers)
	if err == nil {
		err = answers.left(res)
	}
	if err != nil {
		r.Faults = append(r.Faults, fmt.Sprintf("%s: %v", c.Place, err))
		return r
	}
	got := map[string]any{
		"status": string(res.Status), "action": res.Action, "store": res.Store, "path": path(res), "error": nil, "prep": nil,
	}
	if res.Error != nil {
		got["error"] = map[string]any{
			"kind": res.Error.Kind, "message": res.Error.Message, "node": res.Error.Node, "attempts": res.Error.Attempts,
		}
	}
	if prep != nil {
		got["prep"] = prep
	}
	e := c.expect
	if e.status == nil && e.err == nil && res.Status != engine.Done {
		r.Faults = append(r.Faults, fmt.Sprintf("%s: status: want done, got %s: %v", c.Place, res.Status, res.Error))
	}
	for _, w := range []struct {
		name string
		want *yamltree.Value
	}{{"status", e.status}, {"action", e.action}, {"path", e.path}, {"prep", e.prep}, {"store", e.store}, {"error", e.err}} {
		if w.want != nil {
			Compare(&r.Faults, w.name, w.want, got[w.name], w.name == "store" || w.name == "error")
		}
	}
	r.Pass = len(r.Faults) == 0
	return r
}

// path lists the steps that ended, in order; a node that ran twice stands there twice.
func path(res *engine.Result) []any {
	out := []any{}
	for _, s := range res.Steps {
		out = append(out, s.Node)
	}
	return out
}

// Compare adds a fault for each difference. Of an open object only the wanted keys count.
func Compare(faults *[]string, name string, want *yamltree.Value, got any, open bool) {
	if object, ok := got.(map[string]any); ok && open && want.Kind == yamltree.Map {
		for _, e := range want.Entries {
			v, there := object[e.Key]
			if !there {
				*faults = append(*faults, fmt.Sprintf("%s: %s.%s: there is none; there is: %s", e.KeyPlace, name, e.Key, strings.Join(value.SortedKeys(object), ", ")))
				continue
			}
			Compare(faults, name+"."+e.Key, e.Value, v, false)
		}
		return
	}
	if w := want.Plain(); !value.Equal(w, got) {
		*faults = append(*faults, fmt.Sprintf("%s: %s: want %s, got %s", want.Place, name, value.JSON(w), value.JSON(got)))
	}
}
