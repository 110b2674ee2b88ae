package main

import (
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/internal/flowdiff"
	"pflow/internal/planner"
	"pflow/internal/printable"
)

// listed is one flow of `flow list --json`.
type listed struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	File        string `json:"file"`
	Valid       bool   `json:"valid"`
	Own         bool   `json:"own"`         // it lies in the home
	Shipped     bool   `json:"shipped"`     // pflow brings one of this name along
	Planner     bool   `json:"planner"`     // it can plan requests
	Differences *int   `json:"differences"` // of an own one to the shipped one of its name, with all that they use; null where there are not both
}

// planning is which flows plan now, and why.
type planning struct {
	Flows []string `json:"flows"` // by their weights, where requests are split
	By    string   `json:"by"`    // what says so
	Error string   `json:"error"` // why none can; "" if one can
}

// listedFlow tells of one flow.
func (a *app) listedFlow(res engine.Folders, name string, shipped []string) listed {
	item := listed{Name: name, Shipped: slices.Contains(shipped, name)}
	looked, err := a.known.look(res, name)
	if err != nil {
		return item
	}
	item.File, item.Own = looked.doc.Path, !engine.IsShipped(looked.doc.Path)
	f := looked.flow
	if f == nil {
		return item
	}
	item.Description, item.Valid, item.Planner = f.Description, true, planner.Is(f)
	if !item.Shipped {
		return item
	}
	if !item.Own && !slices.ContainsFunc(looked.made.Documents(), func(d engine.Document) bool { return !engine.IsShipped(d.Path) }) {
		return item
	}
	if of, err := a.known.look(res, engine.Shipped+name); err == nil && of.flow != nil && (item.Own || of.flow.Hash != f.Hash) {
		n := len(flowdiff.Compare(of.flow, f))
		item.Differences = &n
	}
	return item
}

// plansNow says which flows plan what is asked now.
func (a *app) plansNow() planning {
	out := planning{Flows: []string{}}
	among, err := a.divided()
	if err == nil && among != nil {
		out.By = among.from
		for _, arm := range among.arms {
			if arm.Weight > 0 {
				out.Flows = append(out.Flows, arm.Flow)
			}
		}
		return out
	}
	var name string
	if err == nil {
		name, out.By, err = a.plannerName()
	}
	if err != nil {
		out.Error = err.Error()
		return out
	}
	out.Flows = append(out.Flows, name)
	if f, _, err := a.load(name); err != nil {
		out.Error = err.Error()
	} else if !planner.Is(f) {
		out.Error = "it is no planner: it has no state key planner_output"
	}
	return out
}

func (a *app) flowListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the flows of your home and of pflow itself",
		Example: "  pflow flow list\n  pflow flow list --json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			res := a.folders()
			flows := []listed{}
			shipped := a.shipped()
			for _, name := range res.Names(engine.FlowDocument, nil) {
				flows = append(flows, a.listedFlow(res, name, shipped))
			}
			if a.asJSON {
				return a.printJSON(struct {
					Schema string   `json:"schema"`
					Plans  planning `json:"plans"`
					Flows  []listed `json:"flows"`
				}{"pflow.flows/v1", a.plansNow(), flows})
			}
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			for _, f := range flows {
				where := "yours"
				if !f.Own {
					where = "shipped"
				}
				if !f.Valid {
					f.Description = "(has errors: see pflow flow check " + f.Name + ")"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\n", printable.Line(f.Name), where, printable.Line(f.Description))
			}
			return w.Flush()
		},
	}
}
