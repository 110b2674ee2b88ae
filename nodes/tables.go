package nodes

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"pflow/engine/cond"
	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/table"
	"pflow/internal/value"
	"pflow/ir"
)

// What the node types of tables have in common: how a table is read, and which of its rows and columns are taken.

const (
	tableText  = "Values of CSV and TSV are texts unless types says otherwise."
	rawRow     = "sees the row as row and the names of inputs"
	autoTypes  = "auto"
	tableLimit = "At most so many rows."
	filterText = `Takes only the rows for which all of these hold, such as [{column: price, op: ">", value: 10}]. op is ==, !=, >, >=, <, <=, between (two values), within (days, such as 2026-03-01/2026-03-31), in (a list), ` +
		`contains, startsWith, endsWith or empty; otherwise ==. Without column any column will do. {any: [...]}, {all: [...]} and {not: {...}} join conditions. ` +
		`A text without capitals fits one with them.`
)

var listOfText = ir.MustStructure([]any{"string"})

// tableRows is the structure of rows.
var tableRows = ir.MustStructure([]any{"object"})

func formatPort(description string) ir.Port {
	return ir.Port{Key: "format", Type: value.String, Enum: table.Formats(), Description: description}
}

// readPorts say how a table is read.
func readPorts() []ir.Port {
	return append([]ir.Port{{Key: "more_paths", Type: value.Array, Structure: listOfText, Description: "Files of tables with the same columns, whose rows follow, such as [b.csv]."}}, formatPorts()...)
}

// formatPorts say how a table is written.
func formatPorts() []ir.Port {
	return []ir.Port{
		formatPort("How the table is written: csv, tsv, jsonl (an object a line) or json (an array of objects). Otherwise the name's end says it."),
		{Key: "header", Type: value.Boolean, Default: true, Description: "Whether the first line of CSV names the columns; without it they are column_1, column_2 and so on."},
		{Key: "delimiter", Type: value.String, Description: "What stands between fields, one character; otherwise of CSV the one of , ; tab | that fits."},
		{Key: "ragged", Type: value.String, Default: table.RaggedError, Enum: []any{table.RaggedError, table.RaggedPad, table.RaggedSkip},
			Description: "A row with too many or too few fields: an error, filled with empty fields, or left out."},
		{Key: "encoding", Type: value.String, Default: utf8Encoding, Enum: []any{utf8Encoding, latin1Encoding}, Description: "How the file's bytes become text."},
	}
}

// shapePorts say which rows are taken and what is added to them.
func shapePorts() []ir.Port {
	return []ir.Port{
		{Key: "types", Type: value.Any, Description: "The types of columns, such as {price: number, paid: boolean}: string, number, integer or boolean; auto finds them. " + tableText},
		{Key: "decimal", Type: value.String, Default: ".", Enum: []any{".", ","}, Description: "What stands before the fraction of a number."},
		{Key: "filter", Type: value.Array, Structure: tableRows, Description: filterText},
		{Key: "where", Type: value.String, Raw: true, Description: `Takes only the rows for which this expr expression is true, such as row.country == "Spain" and row.price > 10; it ` + rawRow + "."},
		{Key: "add", Type: value.Object, Raw: true, Description: "Columns to compute, an expr expression each, such as {total: row.price * row.amount}; each " + rawRow + "."},
	}
}

// pickPorts say which columns and rows are given in the end.
func pickPorts() []ir.Port {
	return []ir.Port{
		{Key: "unique_by", Type: value.Array, Structure: listOfText, Description: `Of rows that are equal in these columns only the first is taken; ["*"] are all.`},
		{Key: "sort_by", Type: value.Array, Structure: listOfText, Description: `The columns to sort by, such as ["price desc", "name"], or ["*"] for all from the first on; numbers are sorted as numbers.`},
		descendingPort(),
		{Key: "last", Type: value.Integer, Description: "Only the last so many rows."},
		{Key: "first_row", Type: value.Integer, Description: "Only the rows from this place on, counted from 1 among those that are left."},
		{Key: "last_row", Type: value.Integer, Description: "Only the rows up to this place."},
		{Key: "limit", Type: value.Integer, Description: tableLimit},
		{Key: "rename", Type: value.Any, Description: "New names of columns, such as {amount: qty}; or a list, [{column: amount, name: qty}]."},
		{Key: "columns", Type: value.Array, Structure: listOfText, Description: "The columns to take, in this order, by their new names; #2 is the second that there is, #-1 the last. Otherwise all."},
		{Key: "without", Type: value.Array, Structure: listOfText, Description: "The columns to leave out."},
	}
}

func descendingPort() ir.Port {
	return ir.Port{Key: "descending", Type: value.Boolean, Default: false, Description: "Sort the columns of sort_by that say neither asc nor desc from the largest to the smallest."}
}

func rowInputsPort() ir.Port {
	return ir.Port{Key: "inputs", Type: value.Object, Description: "Values that where and add see by name, such as {country: ${country}}."}
}

// tableOptions reads the params of readPorts. given is the path, "" of a text.
func tableOptions(c nodetype.Call, given, text string) (o table.Options, err error) {
	format := c.Text("format")
	if given == "" && format == "" {
		o.Format = table.Guess(text)
	} else if o.Format, err = table.FormatOf(format, given); err != nil {
		return o, err
	}
	header, said := c.Params["header"].(bool)
	o.NoHeader = said && !header
	o.Delimiter, o.Ragged = unescapedTab(c.Text("delimiter")), c.Text("ragged")
	o.Latin1 = c.Text("encoding") == latin1Encoding
	if o.Delimiter != "" {
		if bad := table.BadDelimiter(o.Delimiter); bad != "" {
			return o, fault.New(fault.InvalidRequest, "delimiter: %s", bad)
		}
	}
	return o, nil
}

// unescapedTab takes \t, as a shell or a form gives it, for a tab.
func unescapedTab(s string) string {
	if s == `\t` || s == "tab" {
		return "\t"
	}
	return s
}

// tableIn is a table that a node reads.
type tableIn struct {
	table.Source
	table.Options
	doing string
}

// readsTable gives the table of the first of the keys that is given: a path, a text or rows.
func readsTable(c nodetype.Call, path, text, rows string) (*tableIn, error) {
	in := &tableIn{}
	var given []string
	for _, key := range []string{path, text, rows} {
		if key != "" && c.Params[key] != nil {
			given = append(given, key)
		}
	}
	keys := slices.DeleteFunc([]string{path, text, rows}, func(key string) bool { return key == "" })
	if len(given) != 1 {
		what := strings.Join(keys[:len(keys)-1], ", ") + " or " + keys[len(keys)-1]
		if len(given) > 1 {
			return nil, fault.New(fault.InvalidRequest, "%s are given; give only one of %s", strings.Join(given, " and "), what)
		}
		return nil, fault.New(fault.InvalidRequest, "no table is given; give %s", what)
	}
	var err error
	switch given[0] {
	case path:
		var at string
		if at, err = c.Path(path); err != nil {
			return nil, err
		}
		in.Name = quote(c.Text(path))
		in.doing = "read " + in.Name
		in.Source.Open = func() (io.ReadCloser, error) {
			f, _, err := openRegular(at, in.doing, "list-files gives what is in it")
			if err != nil {
				return nil, err
			}
			return f, nil
		}
		in.Options, err = tableOptions(c, c.Text(path), "")
	case text:
		in.Name, in.doing = "the text", "read the text"
		in.Source.Open = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(c.Text(text))), nil }
		in.Options, err = tableOptions(c, "", c.Text(text))
	case rows:
		in.Name, in.doing = rows, "read "+rows
		in.Source.Rows, _ = c.Params[rows].([]any)
	}
	if err == nil {
		err = in.more(c)
	}
	return in, err
}

// more adds the tables of more_paths.
func (in *tableIn) more(c nodetype.Call) error {
	paths, _ := c.Params["more_paths"].([]any)
	for i, item := range paths {
		given, ok := item.(string)
		if !ok || given == "" {
			return fault.New(fault.InvalidRequest, "more_paths[%d] is %s; give the path of a table", i, value.Describe(item))
		}
		at, err := c.At("more_paths", given)
		if err != nil {
			return err
		}
		o, err := tableOptions(c, given, "")
		if err != nil {
			return err
		}
		part := table.Part{Options: o}
		part.Name = quote(given)
		part.Open = func() (io.ReadCloser, error) {
			f, _, err := openRegular(at, "read "+part.Name, "list-files gives what is in it")
			if err != nil {
				return nil, err
			}
			return f, nil
		}
		in.Source.More = append(in.Source.More, part)
	}
	return nil
}

// open begins to read the table.
func (in *tableIn) open() (table.Reader, error) {
	r, err := table.Open(in.Source, in.Options)
	return r, in.fault(err)
}

// fault names the table in an error of reading it.
func (in *tableIn) fault(err error) error {
	if err = fileFault(in.doing, err); err == nil || strings.Contains(err.Error(), in.Name) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := *fault.Of(err)
	e.Message = in.Name + ": " + e.Message
	return &e
}

// texts tells that the table has nothing but texts.
func (in *tableIn) texts() bool {
	return in.Source.Open != nil && (in.Format == table.CSV || in.Format == table.TSV)
}

// tableShape reads the params of shapePorts and pickPorts.
func tableShape(ctx context.Context, c nodetype.Call, in *tableIn) (*table.Shape, error) {
	s := &table.Shape{Types: table.Types{Decimal: c.Text("decimal")}}
	if err := tableTypes(c, in, &s.Types); err != nil {
		return nil, err
	}
	inputs := c.Object("inputs")
	scope := expressionScope(ctx, c, inputs)
	compile := func(path, source string, want value.Type) (*cond.Program, error) {
		program, problems := compileRow(path, source, inputs, value.TypeOf, want)
		if problems != nil {
			return nil, badParam(path, source, problems)
		}
		return program, nil
	}
	advised := func(err error) error {
		e := *fault.Of(err)
		switch {
		case e.Kind != fault.Type || !in.texts():
		case c.Params["types"] == "auto":
			e.Message += "; with types auto an empty field is null (row.x ?? 0 counts it as 0), and a column in which any value is no number stays text (float(row.x) reads one)"
		case len(s.Types.Of) == 0:
			e.Message += "; the values of this table are texts: set types to auto, or to such as {column: number}"
		}
		return &e
	}
	if list, _ := c.Params["filter"].([]any); len(list) > 0 {
		all, err := tableFilters("filter", list)
		if err != nil {
			return nil, err
		}
		s.Filter = &table.Filter{All: all}
	}
	if source := c.Text("where"); source != "" {
		program, err := compile("where", source, value.Boolean)
		if err != nil {
			return nil, err
		}
		s.Where = func(row map[string]any) (bool, error) {
			scope.Set("row", row)
			ok, err := program.Test(scope)
			if err != nil {
				return false, advised(err)
			}
			return ok, nil
		}
	}
	add := c.Object("add")
	for _, name := range value.SortedKeys(add) {
		program, err := compile("add."+name, ir.Text(add[name]), value.Any)
		if err != nil {
			return nil, err
		}
		s.Add = append(s.Add, table.Added{Name: name, Value: func(row map[string]any) (any, error) {
			scope.Set("row", row)
			v, err := program.Eval(scope)
			if err != nil {
				return nil, advised(err)
			}
			return v, nil
		}})
	}
	return s, tablePicks(c, s)
}

// tablePicks reads the params of pickPorts.
func tablePicks(c nodetype.Call, s *table.Shape) (err error) {
	if s.Limit, err = tableLimitOf(c); err != nil {
		return err
	}
	for key, to := range map[string]*int{"last": &s.Places.Last, "first_row": &s.Places.First, "last_row": &s.Places.Until} {
		n, given := c.Params[key].(int)
		if given && n < 1 {
			return fault.New(fault.InvalidRequest, "%s is %d; give 1 or more, or leave it out", key, n)
		}
		*to = n
	}
	if s.Places.First > s.Places.Until && s.Places.Until > 0 {
		return fault.New(fault.InvalidRequest, "first_row is %d and last_row is %d; give a last_row that is not before it", s.Places.First, s.Places.Until)
	}
	for key, to := range map[string]*[]string{"unique_by": &s.Unique, "columns": &s.Columns, "without": &s.Without} {
		if *to, err = columnNames(c, key); err != nil {
			return err
		}
	}
	if s.Sort, err = sortKeys(c); err != nil {
		return err
	}
	s.Rename, err = tableRenames(c.Params["rename"])
	return err
}

// tableRenames reads the new names of columns: {column: name}, or a list of {column, name}.
func tableRenames(v any) (map[string]string, error) {
	pairs := map[string]any{}
	switch v := v.(type) {
	case nil:
	case map[string]any:
		pairs = v
	case []any:
		for i, item := range v {
			m, _ := item.(map[string]any)
			column, ok := m["column"].(string)
			if _, twice := pairs[column]; !ok || len(m) != 2 || twice {
				return nil, fault.New(fault.InvalidRequest, "rename[%d] is %s; give a column, each once, and its name: {column: amount, name: qty}", i, value.Describe(item))
			}
			pairs[column] = m["name"]
		}
	default:
		return nil, fault.New(fault.InvalidRequest, "rename is %s; give new names by column, such as {amount: qty}", value.Describe(v))
	}
	out := map[string]string{}
	for name, to := range pairs {
		text, ok := to.(string)
		if !ok || text == "" {
			return nil, fault.New(fault.InvalidRequest, "rename: the new name of %s is %s; give a text", quote(name), value.Describe(to))
		}
		out[name] = text
	}
	return out, nil
}

func tableLimitOf(c nodetype.Call) (int, error) {
	n, ok := c.Params["limit"].(int)
	if ok && n < 1 {
		return 0, fault.New(fault.InvalidRequest, "limit is %d; give 1 or more, or leave it out for all rows", n)
	}
	return n, nil
}

func sortKeys(c nodetype.Call) ([]table.Key, error) {
	names, err := columnNames(c, "sort_by")
	var out []table.Key
	for _, name := range names {
		k := table.ParseKey(name)
		if c.Flag("descending") && k.Column == name {
			k.Desc = true
		}
		out = append(out, k)
	}
	return out, err
}

// columnNames reads a list of columns.
func columnNames(c nodetype.Call, key string) ([]string, error) {
	list, _ := c.Params[key].([]any)
	var out []string
	for i, item := range list {
		name, ok := item.(string)
		switch {
		case !ok || name == "":
			return nil, fault.New(fault.InvalidRequest, "%s[%d] is %s; give the name of a column", key, i, value.Describe(item))
		case slices.Contains(out, name):
			return nil, fault.New(fault.InvalidRequest, "%s names %s twice", key, quote(name))
		}
		out = append(out, name)
	}
	return out, nil
}

// tableTypes reads types; auto reads the table.
func tableTypes(c nodetype.Call, in *tableIn, t *table.Types) error {
	switch given := c.Params["types"].(type) {
	case nil:
		return nil
	case string:
		if given == autoTypes {
			return in.fault(t.Infer(in.Source, in.Options))
		}
	case map[string]any:
		t.Of = map[string]value.Type{}
		for _, name := range value.SortedKeys(given) {
			typ := value.Type(ir.Text(given[name]))
			if !slices.Contains([]value.Type{value.String, value.Number, value.Integer, value.Boolean}, typ) {
				return fault.New(fault.InvalidRequest, "types: column %s is to be %s; use string, number, integer or boolean", quote(name), value.JSON(given[name]))
			}
			t.Of[name] = typ
		}
		return nil
	}
	return fault.New(fault.InvalidRequest, `types is %s; give auto, or the types of columns, such as {"price": "number"}`, value.Describe(c.Params["types"]))
}

// compileRow compiles an expression over a row and inputs.
func compileRow(path, source string, inputs map[string]any, typeOf func(any) value.Type, want value.Type) (*cond.Program, []ir.Problem) {
	seen := map[string]any{}
	for k, v := range inputs {
		seen[k] = v
	}
	seen["row"] = nil
	return compileExpression(path, source, seen, func(v any) value.Type {
		if v == nil {
			return value.Any
		}
		return typeOf(v)
	}, want)
}

// checkRowExpressions finds what is wrong with where and add before anything runs.
func checkRowExpressions(params map[string]any) []ir.Problem {
	var out []ir.Problem
	if list, ok := params["filter"].([]any); ok {
		if _, err := tableFilters("filter", list); err != nil {
			out = append(out, ir.Problem{Path: "filter", Message: err.Error()})
		}
	}
	inputs, ok := params["inputs"].(map[string]any)
	if !ok && params["inputs"] != nil {
		return out // a template: the names are known when it runs
	}
	if source, ok := params["where"].(string); ok && source != "" {
		_, problems := compileRow("where", source, inputs, anyType, value.Boolean)
		out = append(out, problems...)
	}
	add, _ := params["add"].(map[string]any)
	for _, name := range value.SortedKeys(add) {
		source, ok := add[name].(string)
		if !ok {
			out = append(out, ir.Problem{Path: "add." + name, Message: "want an expression, such as row.price * row.amount"})
			continue
		}
		_, problems := compileRow("add."+name, source, inputs, anyType, value.Any)
		out = append(out, problems...)
	}
	return out
}

// heldTable is the outcome of a node that gives rows.
func heldTable(rows []any, columns []string, count int, warnings []string) nodetype.Outcome {
	names := make([]any, len(columns))
	for i, name := range columns {
		names[i] = name
	}
	if rows == nil {
		rows = []any{}
	}
	texts := []any{}
	if len(columns) > 0 {
		for _, row := range rows {
			texts = append(texts, table.Text(row.(map[string]any)[columns[0]]))
		}
	}
	return nodetype.Outcome{Outputs: map[string]any{"rows": rows, "columns": names, "count": count, "values": texts, "listing": table.Aligned(columns, rows)}, Warnings: warnings}
}

func heldOutputs(rows, count string) []ir.Port {
	return []ir.Port{
		{Key: "rows", Type: value.Array, Structure: tableRows, Description: rows},
		{Key: "columns", Type: value.Array, Detail: true, Structure: listOfText, Description: "The names of the columns, in order."},
		{Key: "count", Type: value.Integer, Detail: true, Description: count},
		{Key: "values", Type: value.Array, Detail: true, Structure: listOfText, Description: "The values of the first column as texts, row by row."},
		{Key: "listing", Type: value.String, Detail: true, Description: "The rows for a reader: the columns under one another."},
	}
}
