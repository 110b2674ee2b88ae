package nodes

import (
	"context"
	"slices"

	"pflow/internal/nodetype"
	"pflow/internal/table"
	"pflow/internal/value"
	"pflow/ir"
)

// readTable reads a table into rows.
func readTable() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "read-table",
			Description: "Reads the rows of a table, such as a CSV: all of them, or those that fit, sorted, each once.",
			Inputs: []ir.Port{
				{Key: "file_path", Type: value.String, Description: "The file to read, such as sales.csv."},
				{Key: "text", Type: value.String, Description: "The table itself, instead of a file."},
				rowInputsPort(),
			},
			Params:  slices.Concat(readPorts(), shapePorts(), pickPorts()),
			Outputs: heldOutputs("The rows, an object each with its values by column.", "How many rows there are in rows."),
			Effects: []ir.Effect{ir.Reads, ir.Idempotent},
		},
		From:  []string{"file_path", "more_paths"},
		Check: checkRowExpressions,
		Run: func(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
			in, err := readsTable(c, "file_path", "text", "")
			if err != nil {
				return nodetype.Outcome{}, err
			}
			shape, err := tableShape(ctx, c, in)
			if err != nil {
				return nodetype.Outcome{}, err
			}
			shape.Typed = true
			r, err := in.open()
			if err != nil {
				return nodetype.Outcome{}, err
			}
			defer r.Close()
			var rows table.Rows
			if err := shape.Run(ctx, r, rows.Add); err != nil {
				return nodetype.Outcome{Warnings: r.Warnings()}, in.fault(err)
			}
			columns, err := shownColumns(shape, r, rows.Columns())
			return heldTable(rows.List, columns, len(rows.List), r.Warnings()), err
		},
		Example: nodetype.Example{
			Files:  map[string]string{"sales.csv": "name;price\nAda;12.5\nBob;9\nCid;101\n"},
			Params: map[string]any{"file_path": "sales.csv", "types": "auto", "filter": []any{map[string]any{"column": "price", "op": ">", "value": 10}}, "sort_by": []any{"price desc"}},
			Outputs: map[string]any{
				"rows":    []any{map[string]any{"name": "Cid", "price": 101}, map[string]any{"name": "Ada", "price": 12.5}},
				"columns": []any{"name", "price"}, "count": 2, "values": []any{"Cid", "Ada"}, "listing": "name  price\nCid   101\nAda   12.5\n",
			},
		},
	}
}

// shownColumns are the columns of a table that was read: those that it has, whatever rows were taken.
func shownColumns(shape *table.Shape, r table.Reader, seen []string) ([]string, error) {
	if shape.Columns != nil {
		return shape.Columns, nil
	}
	if h := r.Header(); h != nil {
		return shape.Final(h)
	}
	return seen, nil
}
