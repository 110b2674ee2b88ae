package nodes

import (
	"context"
	"slices"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/table"
	"pflow/internal/value"
	"pflow/ir"
)

// joinTables puts the rows of two tables together.
func joinTables() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "join-tables",
			Description: "Combines two tables on a column they share: each row of the first with the rows of the second that have the same value there.",
			Inputs: []ir.Port{
				{Key: "file_path", Type: value.String, Description: "The file of the first table, such as sales.csv."},
				{Key: "rows", Type: value.Array, Structure: tableRows, Description: "The rows of the first table, instead of its file."},
				{Key: "with_path", Type: value.String, Description: "The file of the second table, such as customers.csv: the smaller one."},
				{Key: "with_rows", Type: value.Array, Structure: tableRows, Description: "The rows of the second table, instead of its file."},
				{Key: "on", Type: value.String, Required: true, Description: "The column that both have."},
			},
			Params: append([]ir.Port{
				{Key: "with_on", Type: value.String, Description: "What the column is called in the second table, if otherwise."},
				{Key: "keep", Type: value.String, Default: "matching", Enum: []any{"matching", "all"}, Description: "Whether rows of the first table that nothing fits are left out, or kept with empty values."},
			}, formatPorts()...),
			Outputs: heldOutputs("The rows: the columns of the first table, then those of the second; one that both have is NAME_2 of the second.", "How many rows there are in rows."),
			Effects: []ir.Effect{ir.Reads, ir.Idempotent},
		},
		From: []string{"file_path", "with_path"},
		Run:  runJoinTables,
		Example: nodetype.Example{
			Files:  map[string]string{"sales.csv": "item,customer\npen,7\nink,9\n", "customers.csv": "id;name\n7;Ann\n9;Bob\n"},
			Params: map[string]any{"file_path": "sales.csv", "with_path": "customers.csv", "on": "customer", "with_on": "id"},
			Outputs: map[string]any{
				"rows":    []any{map[string]any{"item": "pen", "customer": "7", "name": "Ann"}, map[string]any{"item": "ink", "customer": "9", "name": "Bob"}},
				"columns": []any{"item", "customer", "name"}, "count": 2, "values": []any{"pen", "ink"},
				"listing": "item  customer  name\npen   7         Ann\nink   9         Bob\n",
			},
		},
	}
}

func runJoinTables(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
	join := table.Join{Left: c.Text("on"), Right: c.Text("with_on"), All: c.Text("keep") == "all"}
	if join.Left == "" {
		return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "on is empty; give the column that both tables have")
	}
	if join.Right == "" {
		join.Right = join.Left
	}
	var readers [2]table.Reader
	var doing [2]string
	for i, keys := range [2][2]string{{"file_path", "rows"}, {"with_path", "with_rows"}} {
		in, err := readsTable(c, keys[0], "", keys[1])
		if err != nil {
			return nodetype.Outcome{}, err
		}
		if readers[i], err = in.open(); err != nil {
			return nodetype.Outcome{}, err
		}
		defer readers[i].Close()
		doing[i] = in.doing
	}
	var rows table.Rows
	err := join.Run(ctx, readers[0], readers[1], rows.Add)
	warnings := slices.Concat(readers[0].Warnings(), readers[1].Warnings())
	if err != nil {
		return nodetype.Outcome{Warnings: warnings}, fileFault(doing[0]+" and "+doing[1], err)
	}
	return heldTable(rows.List, rows.Columns(), len(rows.List), warnings), nil
}
