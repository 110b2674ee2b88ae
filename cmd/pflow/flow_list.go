package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/internal/printable"
)

// listed is one flow of `flow list --json`.
type listed struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	File        string `json:"file"`
	Valid       bool   `json:"valid"`
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
			for _, name := range res.Names(engine.FlowDocument, nil) {
				l := &engine.Loader{Ops: a.host().Ops(), Resources: res}
				item := listed{Name: name}
				if doc, err := res.Find(engine.FlowDocument, name, nil); err == nil {
					item.File = doc.Path
					if f, _ := l.Load(doc); f != nil {
						item.Description, item.Valid = f.Description, true
					}
				}
				flows = append(flows, item)
			}
			if a.asJSON {
				return a.printJSON(struct {
					Schema string   `json:"schema"`
					Flows  []listed `json:"flows"`
				}{"pflow.flows/v1", flows})
			}
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			for _, f := range flows {
				where := "yours"
				if engine.IsShipped(f.File) {
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
