package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/engine/syntax"
	"pflow/internal/value"
)

func (a *app) flowOpsCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "ops [OP]",
		Short:   "List the ops that flow nodes can run, or describe one",
		Example: "  pflow flow ops\n  pflow flow ops map\n  pflow flow ops --json",
		Args:    atMostOne,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return a.host().Ops().Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			ops := a.host().Ops()
			names := ops.Names()
			if len(args) == 1 {
				if ops.Op(args[0]) == nil {
					return usage("there is no op %q%s", args[0], orElse(didYouMean(args[0], names), "; pflow flow ops lists them"))
				}
				names = args
			}
			if a.asJSON {
				list := []shownOp{}
				for _, name := range names {
					list = append(list, showOp(ops.Op(name)))
				}
				return a.printJSON(struct {
					Schema string    `json:"schema"`
					Ops    []shownOp `json:"ops"`
				}{"pflow.ops/v1", list})
			}
			if len(args) == 1 {
				return a.describeOp(ops.Op(args[0]))
			}
			w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			for _, name := range names {
				fmt.Fprintf(w, "%s\t%s\n", name, ops.Op(name).Summary)
			}
			return w.Flush()
		},
	}
}

// shownOp is one op of `flow ops --json`.
type shownOp struct {
	Name       string       `json:"name"`
	Summary    string       `json:"summary"`
	Prep       []shownField `json:"prep"`
	OpenPrep   bool         `json:"open_prep"` // prep may hold further names
	With       []shownField `json:"with"`
	Actions    []string     `json:"actions"`
	Result     string       `json:"result"`
	Meters     []string     `json:"meters"`
	Idempotent bool         `json:"idempotent"`
}

type shownField struct {
	Name        string     `json:"name"`
	Type        value.Type `json:"type"`
	Required    bool       `json:"required"`
	Default     any        `json:"default"`
	Enum        []string   `json:"enum"`
	Description string     `json:"description"`
}

func showOp(op *engine.Op) shownOp {
	fields := func(list []engine.Field) []shownField {
		out := []shownField{}
		for _, f := range list {
			out = append(out, shownField{f.Name, f.Type, f.Required, f.Default, append([]string{}, f.Enum...), f.Doc})
		}
		return out
	}
	return shownOp{
		op.Name, op.Summary, fields(op.Prep), op.OpenPrep, fields(op.With), append([]string{}, op.Actions...), op.ResultDoc,
		append([]string{}, op.Meters...), op.Idempotent,
	}
}

func (a *app) describeOp(op *engine.Op) error {
	fmt.Fprintf(a.stdout, "%s: %s\n", op.Name, op.Summary)
	show := func(title string, fields []engine.Field) {
		if len(fields) == 0 {
			return
		}
		fmt.Fprintf(a.stdout, "\n%s\n", title)
		w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
		for _, f := range fields {
			fmt.Fprintf(w, "  %s\t%s\t%s%s\n", f.Name, f.Type, f.Doc, fieldNotes(f))
		}
		w.Flush()
	}
	show("prep", op.Prep)
	if op.OpenPrep {
		fmt.Fprintln(a.stdout, "\nprep may hold any names.")
	}
	show("with", op.With)
	if op.ResultDoc != "" {
		fmt.Fprintf(a.stdout, "\nresult: %s\n", op.ResultDoc)
	}
	if len(op.Actions) > 0 {
		fmt.Fprintf(a.stdout, "actions: %s\n", strings.Join(op.Actions, ", "))
	}
	if len(op.Meters) > 0 {
		fmt.Fprintf(a.stdout, "meters: %s\n", strings.Join(op.Meters, ", "))
	}
	if op.Example != "" {
		fmt.Fprintf(a.stdout, "\nexample:\n\n%s", op.Example)
	}
	return nil
}

func fieldNotes(f engine.Field) string {
	var notes []string
	if f.Required {
		notes = append(notes, "required")
	}
	if f.Default != nil {
		notes = append(notes, "default "+value.JSON(f.Default))
	}
	if len(f.Enum) > 0 {
		notes = append(notes, "one of "+strings.Join(f.Enum, ", "))
	}
	if len(notes) == 0 {
		return ""
	}
	return " (" + strings.Join(notes, "; ") + ")"
}

func (a *app) flowSchemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of flow files, for editors",
		Long: `Print the JSON Schema of flow files. An editor with a YAML language server completes and checks a flow that begins with
  # yaml-language-server: $schema=./flow.schema.json`,
		Example: "  pflow flow schema > flow.schema.json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			ops := a.host().Ops()
			var specs []syntax.OpSchema
			for _, name := range ops.Names() {
				specs = append(specs, ops.Op(name).Schema())
			}
			_, err := a.results.Write(syntax.Schema(specs))
			return err
		},
	}
}
