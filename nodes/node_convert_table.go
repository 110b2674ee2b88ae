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

// convertTable makes a table's file of another one's, row by row.
func convertTable() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name: "convert-table",
			Description: "Converts a table file to another, such as CSV to JSON or semicolons to commas, and filters, sorts or deduplicates its rows, " +
				"drops, renames or computes columns on the way; of any size.",
			Inputs: []ir.Port{
				{Key: "source_path", Type: value.String, Required: true, Description: "The file to read, such as sales.csv."},
				{Key: "dest_path", Type: value.String, Required: true, Description: "The file to write; folders on the way are made. It may be the same, with overwrite."},
				rowInputsPort(),
			},
			Params: slices.Concat(readPorts(), shapePorts(), pickPorts(), []ir.Port{
				{Key: "to_format", Type: value.String, Enum: table.Formats(), Description: "How the new table is written. Otherwise the name's end says it."},
				{Key: "to_delimiter", Type: value.String, Description: "What stands between its fields, one character; otherwise of CSV a comma."},
				{Key: "to_header", Type: value.Boolean, Default: true, Description: "Whether its first line names the columns."},
				overwritePort(),
			}),
			Outputs: []ir.Port{
				{Key: "dest_path", Type: value.String, Description: "The file that was written, as it was given."},
				{Key: "rows_written", Type: value.Integer, Description: "How many rows were written."},
			},
			Effects: []ir.Effect{ir.Reads, ir.Writes},
		},
		From:    []string{"source_path", "more_paths"},
		Check:   checkRowExpressions,
		Foresee: foreseeTransfer,
		Run:     runConvertTable,
		Example: nodetype.Example{
			Files:   map[string]string{"sales.csv": "name;price;amount\nAda;12.50;3\nBob;9;1\n"},
			Params:  map[string]any{"source_path": "sales.csv", "dest_path": "totals.csv", "types": "auto", "where": "row.amount > 1", "add": map[string]any{"total": "row.price * row.amount"}, "without": []any{"amount"}},
			Outputs: map[string]any{"dest_path": "totals.csv", "rows_written": 1},
			Want:    map[string]string{"sales.csv": "name;price;amount\nAda;12.50;3\nBob;9;1\n", "totals.csv": "name,price,total\nAda,12.50,37.5\n"},
		},
	}
}

func runConvertTable(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
	out, err := writesTable(c, "dest_path")
	if err != nil {
		return nodetype.Outcome{}, err
	}
	w := table.WriteOptions{Delimiter: unescapedTab(c.Text("to_delimiter"))}
	if w.Format, err = table.FormatOf(c.Text("to_format"), out.given); err != nil {
		return nodetype.Outcome{}, err
	}
	if w.Delimiter != "" {
		if bad := table.BadDelimiter(w.Delimiter); bad != "" {
			return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "to_delimiter: %s", bad)
		}
	}
	header, said := c.Params["to_header"].(bool)
	w.NoHeader = said && !header
	in, err := readsTable(c, "source_path", "", "")
	if err != nil {
		return nodetype.Outcome{}, err
	}
	if out.old != nil && !c.Flag("overwrite") && (c.Files == nil || !c.Files.May(realPath(out.path))) {
		return nodetype.Outcome{}, existsFault(out.doing, out.given, false) // before the work
	}
	shape, err := tableShape(ctx, c, in)
	if err != nil {
		return nodetype.Outcome{}, err
	}
	delimited := w.Format == table.CSV || w.Format == table.TSV
	shape.Typed = !delimited && len(shape.Types.Of) > 0
	if delimited {
		all, err := table.Columns(in.Source, in.Options)
		if err == nil {
			shape.Settle(all) // the first line has the names that the table has
			if w.Columns = shape.Columns; w.Columns == nil {
				w.Columns, err = shape.Final(all)
			}
		}
		if err != nil {
			return nodetype.Outcome{}, in.fault(err)
		}
	}
	r, err := in.open()
	if err != nil {
		return nodetype.Outcome{}, err
	}
	defer r.Close()
	rows, err := out.write(ctx, w, func(t *table.Writer) error { return in.fault(shape.Run(ctx, r, t.Write)) })
	if err != nil {
		return nodetype.Outcome{Warnings: r.Warnings()}, err
	}
	return nodetype.Outcome{Outputs: map[string]any{"dest_path": out.given, "rows_written": rows}, Warnings: r.Warnings()}, nil
}
