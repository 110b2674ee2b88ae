package nodes

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/table"
	"pflow/internal/value"
	"pflow/ir"
)

// writeTable writes rows to a file.
func writeTable() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "write-table",
			Description: "Makes a table, such as a CSV, of rows, or adds them to one.",
			Inputs: []ir.Port{
				{Key: "file_path", Type: value.String, Required: true, Description: "The file to write, such as sales.csv; folders on the way are made."},
				{Key: "rows", Type: value.Array, Required: true, Structure: tableRows, Description: "The rows, an object each with its values by column."},
			},
			Params: []ir.Port{
				{Key: "columns", Type: value.Array, Structure: listOfText, Description: "The columns to write, in this order; such as ${read.columns}. Otherwise all that the rows have, by name."},
				formatPort("How the table is written: csv, tsv, jsonl (an object a line) or json (an array of objects). Otherwise the name's end says it."),
				{Key: "delimiter", Type: value.String, Description: "What stands between fields of CSV, one character; otherwise a comma."},
				{Key: "header", Type: value.Boolean, Default: true, Description: "Whether the first line of CSV names the columns."},
				overwritePort(),
				{Key: "append", Type: value.Boolean, Default: false, Description: "Add to the rows that the file has, in the order of its columns."},
			},
			Outputs: []ir.Port{
				{Key: "file_path", Type: value.String, Description: "The file that was written, as it was given."},
				{Key: "rows_written", Type: value.Integer, Description: "How many rows were written."},
			},
			Effects: []ir.Effect{ir.Writes},
		},
		Foresee: func(c nodetype.Call, pending []string) nodetype.Foreseen { return foreseeFile(c, pending, "file_path") },
		Run:     runWriteTable,
		Example: nodetype.Example{
			Params: map[string]any{"file_path": "out/ages.csv", "columns": []any{"name", "age"},
				"rows": []any{map[string]any{"age": 36, "name": "Lovelace, Ada"}, map[string]any{"age": nil, "name": "Bob"}}},
			Outputs: map[string]any{"file_path": "out/ages.csv", "rows_written": 2},
			Want:    map[string]string{"out/ages.csv": "name,age\n\"Lovelace, Ada\",36\nBob,\n"},
		},
	}
}

// tableOut is a table that a node writes.
type tableOut struct {
	call        nodetype.Call
	given       string // the path, as in the params
	path, doing string
	old         fs.FileInfo // what is there; nil: nothing
}

// writesTable settles where a table is written.
func writesTable(c nodetype.Call, key string) (*tableOut, error) {
	path, err := c.Path(key)
	if err != nil {
		return nil, err
	}
	out := &tableOut{call: c, given: c.Text(key), doing: "write " + quote(c.Text(key))}
	out.path, out.old, err = target(path, out.doing, "give the path of a file in it")
	return out, err
}

// write makes the file of what fill writes, as a whole or not at all.
func (o *tableOut) write(ctx context.Context, w table.WriteOptions, fill func(*table.Writer) error) (rows int, err error) {
	var mode fs.FileMode
	if o.old != nil {
		mode = o.old.Mode()
	}
	err = place(ctx, o.call, o.path, mode, o.call.Flag("overwrite"), func(f *os.File) error {
		t, err := table.NewWriter(f, w)
		if err != nil {
			return err
		}
		if err := fill(t); err != nil {
			return err
		}
		rows = t.Rows()
		return t.Close()
	})
	if errors.Is(err, fs.ErrExist) {
		return 0, existsFault(o.doing, o.given, o.call.Flag("overwrite"))
	}
	return rows, fileFault(o.doing, err)
}

func runWriteTable(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
	out, err := writesTable(c, "file_path")
	if err != nil {
		return nodetype.Outcome{}, err
	}
	rows := table.Source{Name: "rows"}
	rows.Rows, _ = c.Params["rows"].([]any)
	w := table.WriteOptions{Delimiter: unescapedTab(c.Text("delimiter"))}
	if w.Format, err = table.FormatOf(c.Text("format"), out.given); err != nil {
		return nodetype.Outcome{}, err
	}
	header, said := c.Params["header"].(bool)
	w.NoHeader = said && !header
	given, err := columnNames(c, "columns")
	if err != nil {
		return nodetype.Outcome{}, err
	}
	have, err := table.Columns(rows, table.Options{}) // looks at every row
	if err != nil {
		return nodetype.Outcome{}, inParam("rows", err)
	}
	for _, name := range given {
		if len(rows.Rows) > 0 && !slices.Contains(have, name) {
			return nodetype.Outcome{}, inParam("columns", table.Unknown(name, have))
		}
	}
	if w.Columns = given; given == nil && (w.Format == table.CSV || w.Format == table.TSV) {
		w.Columns = have
	}
	fill := func(t *table.Writer) error {
		r, err := table.Open(rows, table.Options{})
		for err == nil {
			var rec *table.Record
			if rec, err = r.Read(); err == io.EOF {
				return ctx.Err()
			} else if err == nil {
				err = t.Write(rec)
			}
		}
		return err
	}
	n := len(rows.Rows)
	if c.Flag("append") && out.old != nil && out.old.Size() > 0 {
		err = out.append(ctx, w, have, fill)
	} else {
		n, err = out.write(ctx, w, fill)
	}
	if err != nil {
		return nodetype.Outcome{}, err
	}
	return nodetype.Outcome{Outputs: map[string]any{"file_path": out.given, "rows_written": n}}, nil
}

// append adds rows to a file that has some, in the order of its columns.
func (o *tableOut) append(ctx context.Context, w table.WriteOptions, have []string, fill func(*table.Writer) error) error {
	switch w.Format {
	case table.Array:
		return fault.New(fault.InvalidRequest, "cannot add to %s: a JSON array has an end; write JSON lines (a name that ends in .jsonl), or read the table, join the rows and write it again", quote(o.given))
	case table.CSV, table.TSV:
		in := table.Source{Name: quote(o.given), Open: func() (io.ReadCloser, error) { return os.Open(o.path) }}
		r, err := table.Open(in, table.Options{Format: w.Format, Delimiter: w.Delimiter, NoHeader: w.NoHeader})
		if err != nil {
			return fileFault("add to "+quote(o.given), err)
		}
		there, delimiter := r.Header(), table.DelimiterOf(r)
		r.Close()
		if !w.NoHeader {
			wanted := w.Columns
			for _, name := range wanted {
				if !slices.Contains(there, name) {
					return fault.New(fault.InvalidRequest, "cannot add to %s: %v; name the columns to write with columns", quote(o.given), table.Unknown(name, there))
				}
			}
			w.Columns = there
		} else if len(w.Columns) != len(there) {
			return fault.New(fault.InvalidRequest, "cannot add to %s: its rows have %d fields, and these %d (%v)", quote(o.given), len(there), len(w.Columns), have)
		}
		w.NoHeader, w.Delimiter = true, delimiter
	}
	var b bytes.Buffer
	t, err := table.NewWriter(&b, w)
	if err == nil {
		if err = fill(t); err == nil {
			err = t.Close()
		}
	}
	if err != nil {
		return fileFault(o.doing, err)
	}
	data := b.String()
	if data != "" && endsWithin(o.path) {
		data = "\n" + data
	}
	add := func() error { return appendTo(o.path, data) }
	if o.call.Files != nil {
		err = o.call.Files.Add(ctx, realPath(o.path), add)
	} else {
		err = add()
	}
	return fileFault(o.doing, err)
}
