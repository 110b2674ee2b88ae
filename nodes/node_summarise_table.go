package nodes

import (
	"context"
	"slices"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/table"
	"pflow/internal/value"
	"pflow/ir"
)

// summariseTable computes sums, means and counts of a table without holding it.
func summariseTable() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name: "summarise-table",
			Description: "Computes totals of a table: the sum, average, median, smallest, largest, number of rows or different values of columns, " +
				"of all rows or per group; of any size.",
			Inputs: []ir.Port{
				{Key: "file_path", Type: value.String, Description: "The table's file, such as sales.csv."},
				{Key: "text", Type: value.String, Description: "The table itself, instead of a file."},
				{Key: "rows", Type: value.Array, Structure: tableRows, Description: "Rows that are there already, instead of a file."},
				rowInputsPort(),
			},
			Params: slices.Concat(
				[]ir.Port{
					{Key: "measures", Type: value.Object, Description: `What to compute, by name, such as {total: "sum price", average: "mean price", orders: "count"}: sum, mean, median, min, max, count or distinct, and the column; {sum: price} says the same as "sum price". Empty values do not count.`},
					{Key: "group_by", Type: value.Array, Structure: listOfText, Description: "The columns whose equal values make a group; a row for each. Without measures: the different values."},
				},
				readPorts(), shapePorts(),
				[]ir.Port{
					{Key: "sort_by", Type: value.Array, Structure: listOfText, Description: `The columns of the result to sort by, such as ["total desc"].`},
					descendingPort(),
					{Key: "limit", Type: value.Integer, Description: tableLimit},
				}),
			Outputs: summaryOutputs("A row for each group, in the order in which they come first: the columns of group_by, and the measures. One row where nothing is grouped.", "How many rows of the table were taken."),
			Effects: []ir.Effect{ir.Reads, ir.Idempotent},
		},
		From: []string{"file_path", "more_paths"},
		Check: func(params map[string]any) []ir.Problem {
			out := checkRowExpressions(params)
			measures, _ := params["measures"].(map[string]any)
			for _, name := range value.SortedKeys(measures) {
				if text, err := measureText(measures[name]); err != nil {
					out = append(out, ir.Problem{Path: "measures." + name, Message: err.Error()})
				} else if !strings.Contains(text, "$") {
					if _, err := table.ParseMeasure(name, text); err != nil {
						out = append(out, ir.Problem{Path: "measures." + name, Message: err.Error()})
					}
				}
			}
			return out
		},
		Run: runSummariseTable,
		Example: nodetype.Example{
			Files:  map[string]string{"sales.csv": "country,price\nSpain,0.1\nFrance,9\nSpain,0.2\n"},
			Params: map[string]any{"file_path": "sales.csv", "group_by": []any{"country"}, "measures": map[string]any{"total": "sum price", "sales": "count"}},
			Outputs: map[string]any{
				"rows":    []any{map[string]any{"country": "Spain", "total": 0.3, "sales": 2}, map[string]any{"country": "France", "total": 9, "sales": 1}},
				"result":  []any{map[string]any{"country": "Spain", "total": 0.3, "sales": 2}, map[string]any{"country": "France", "total": 9, "sales": 1}},
				"columns": []any{"country", "sales", "total"}, "count": 3, "values": []any{"Spain", "France"},
				"listing": "country  sales  total\nSpain    2      0.3\nFrance   1      9\n",
			},
		},
	}
}

func runSummariseTable(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
	in, err := readsTable(c, "file_path", "text", "rows")
	if err != nil {
		return nodetype.Outcome{}, err
	}
	s := &table.Summary{}
	if s.GroupBy, err = columnNames(c, "group_by"); err != nil {
		return nodetype.Outcome{}, err
	}
	measures := c.Object("measures")
	for _, name := range value.SortedKeys(measures) {
		text, err := measureText(measures[name])
		if err != nil {
			return nodetype.Outcome{}, inParam("measures."+name, err)
		}
		m, err := table.ParseMeasure(name, text)
		if err != nil {
			return nodetype.Outcome{}, inParam("measures."+name, err)
		}
		if slices.Contains(s.GroupBy, name) {
			return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "measures and group_by both name %s; call the measure something else", quote(name))
		}
		s.Measures = append(s.Measures, m)
	}
	if len(s.Measures) == 0 && len(s.GroupBy) == 0 {
		return nodetype.Outcome{}, fault.New(fault.InvalidRequest, `nothing is to be computed; give measures, such as {"total": "sum price"}, or group_by, or both`)
	}
	shape, err := tableShape(ctx, c, in)
	if err != nil {
		return nodetype.Outcome{}, err
	}
	sortBy, limit := shape.Sort, shape.Limit
	shape.Sort, shape.Limit = nil, 0 // of the result
	r, err := in.open()
	if err != nil {
		return nodetype.Outcome{}, err
	}
	defer r.Close()
	if err := s.Run(ctx, r, shape); err != nil {
		return nodetype.Outcome{Warnings: r.Warnings()}, in.fault(err)
	}
	for i, k := range sortBy {
		if sortBy[i].Column, err = s.Column(k.Column); err != nil {
			return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "sort_by: %v", err)
		}
	}
	rows, err := s.Rows()
	if err == nil && (len(sortBy) > 0 || limit > 0) {
		rows, err = table.Sort(rows, sortBy, limit)
	}
	out := heldTable(rows, s.Columns(), s.Count, r.Warnings())
	out.Outputs["result"] = summaryResult(s, rows)
	return out, err
}

// summaryOutputs are those of heldOutputs behind what a reader wants of a summary.
func summaryOutputs(rows, count string) []ir.Port {
	out := heldOutputs(rows, count)
	out[0].Detail = true
	return append([]ir.Port{{Key: "result", Type: value.Any,
		Description: "What was asked for: one value where one measure of all rows is computed, a list where it is the different values of one column, otherwise the rows."}}, out...)
}

// summaryResult is the answer that a summary is: rows of one value are given as the values alone.
func summaryResult(s *table.Summary, rows []any) any {
	columns := s.Columns()
	if len(columns) != 1 {
		return rows
	}
	values := []any{}
	for _, row := range rows {
		values = append(values, row.(map[string]any)[columns[0]])
	}
	if len(s.GroupBy) == 0 && len(values) == 1 {
		return values[0]
	}
	return values
}

// measureText writes a measure as "sum price"; as an object it is {sum: price}.
func measureText(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case map[string]any:
		for by, of := range v {
			if column, ok := of.(string); ok && column != "" && len(v) == 1 {
				return by + " " + column, nil
			}
		}
	}
	return "", fault.New(fault.InvalidRequest, `want a measure and its column, such as "sum price" or {"sum": "price"}, not %s`, value.Describe(v))
}
