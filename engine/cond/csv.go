package cond

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// The functions of CSV text, as RFC 4180 has it. Fields are texts: whether "007" is a number only the reader knows.
var csvFunctions = []function{
	{
		Function: Function{"parse_csv", "parse_csv(s string[, delimiter string]) array",
			`The rows of CSV text as objects, named by its first line. The delimiter is a comma unless given.`,
			`parse_csv("name,age\nAda,36\n")`, `[{"age":"36","name":"Ada"}]`},
		params: []value.Type{value.String, value.String}, optional: 1, result: value.Array, literals: map[int]func(string) string{1: badDelimiter},
		call: func(s *Scope, args []any) (any, error) {
			rows, lines, err := readCSV(s, args)
			if err != nil || len(rows) == 0 {
				return []any{}, err
			}
			return records(rows, lines)
		},
	},
	{
		Function: Function{"parse_csv_rows", "parse_csv_rows(s string[, delimiter string]) array",
			`The rows of CSV text as lists, the first line among them.`,
			`parse_csv_rows("a;b\n1;\"x;y\"\n", ";")`, `[["a","b"],["1","x;y"]]`},
		params: []value.Type{value.String, value.String}, optional: 1, result: value.Array, literals: map[int]func(string) string{1: badDelimiter},
		call: func(s *Scope, args []any) (any, error) {
			rows, _, err := readCSV(s, args)
			out := make([]any, len(rows))
			for i, row := range rows {
				fields := make([]any, len(row))
				for j, field := range row {
					fields[j] = field
				}
				out[i] = fields
			}
			return out, err
		},
	},
	{
		Function: Function{"to_csv", "to_csv(rows array[, columns array]) string",
			`Rows as CSV text. Rows that are lists are written as they are; of rows that are objects, the columns: these, after a line of their names, or all that the first row has, by name. Null is an empty field.`,
			`to_csv([{"name": "Ada", "age": 36}], ["name", "age"])`, `"name,age\nAda,36\n"`},
		params: []value.Type{value.Array, value.Array}, optional: 1, result: value.String, call: toCSV,
	},
}

func badDelimiter(text string) string {
	if r, width := utf8.DecodeRuneInString(text); width == 0 || width != len(text) || r == utf8.RuneError || strings.ContainsRune("\"\r\n", r) {
		return "the delimiter is one character such as \";\", got " + describe(text)
	}
	return ""
}

// readCSV gives the rows of a text and the lines they begin on.
func readCSV(s *Scope, args []any) (rows [][]string, lines []int, err error) {
	text := strings.TrimPrefix(args[0].(string), "\ufeff")
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = -1
	if delimiter := textOr(args, 1, ","); badDelimiter(delimiter) != "" {
		return nil, nil, fault.New(fault.Type, "%s", badDelimiter(delimiter))
	} else {
		r.Comma, _ = utf8.DecodeRuneInString(delimiter)
	}
	if err := s.pay(text, parses); err != nil {
		return nil, nil, err
	}
	for {
		row, err := r.Read()
		switch at := (*csv.ParseError)(nil); {
		case err == io.EOF:
			return rows, lines, nil
		case errors.As(err, &at):
			return nil, nil, fault.New(fault.Malformed, "not valid CSV at line %d, column %d: %v", at.Line, at.Column, at.Err)
		case err != nil:
			return nil, nil, fault.New(fault.Malformed, "not valid CSV: %v", err)
		}
		if err := s.spend(2 + 2*len(row)); err != nil {
			return nil, nil, err
		}
		line, _ := r.FieldPos(0)
		rows, lines = append(rows, row), append(lines, line)
	}
}

// records names the fields of rows by the first.
func records(rows [][]string, lines []int) (any, error) {
	header := rows[0]
	seen := map[string]bool{}
	for _, name := range header {
		if seen[name] {
			return nil, fault.New(fault.Malformed, "two columns of the CSV have the name %s; parse_csv_rows reads it without names", value.JSON(name))
		}
		seen[name] = true
	}
	out := make([]any, 0, len(rows)-1)
	for i, row := range rows[1:] {
		if len(row) != len(header) {
			return nil, fault.New(fault.Malformed, "not valid CSV at line %d: %d fields, and the first line names %d", lines[i+1], len(row), len(header))
		}
		object := make(map[string]any, len(row))
		for j, field := range row {
			object[header[j]] = field
		}
		out = append(out, object)
	}
	return out, nil
}

func toCSV(s *Scope, args []any) (any, error) {
	rows := args[0].([]any)
	var b strings.Builder
	w := csv.NewWriter(&b)
	var columns []string
	if len(args) == 2 {
		for i, c := range args[1].([]any) {
			name, ok := c.(string)
			if !ok {
				return nil, fault.New(fault.Type, "to_csv takes the names of columns; number %d is %s", i+1, describe(c))
			}
			columns = append(columns, name)
		}
	} else if len(rows) > 0 {
		if first, ok := rows[0].(map[string]any); ok {
			columns = value.SortedKeys(first)
		}
	}
	put := func(fields []string) error {
		size := 1
		for _, f := range fields {
			size += len(f) + 3
		}
		if err := s.scan(size * converts); err != nil {
			return err
		}
		if err := w.Write(fields); err != nil {
			return fault.New(fault.Type, "%v", err)
		}
		w.Flush()
		if b.Len() > maxText {
			return s.text(b.Len())
		}
		return s.spend(1 + len(fields))
	}
	if columns != nil {
		if err := put(columns); err != nil {
			return nil, err
		}
	}
	for i, row := range rows {
		fields, err := csvFields(row, columns)
		if err == nil {
			err = put(fields)
		}
		if err != nil {
			if known := fault.Of(err); known.Kind == fault.Type || known.Kind == fault.MissingKey {
				return nil, fault.New(known.Kind, "to_csv, row %d: %s", i+1, known.Message)
			}
			return nil, err
		}
	}
	return b.String(), nil
}

// csvFields are the fields of a row: those of a list, or the columns of an object.
func csvFields(row any, columns []string) ([]string, error) {
	var values []any
	switch row := row.(type) {
	case []any:
		if columns != nil && len(row) != len(columns) {
			return nil, fault.New(fault.Type, "%d values for %d columns", len(row), len(columns))
		}
		values = row
	case map[string]any:
		if columns == nil {
			return nil, fault.New(fault.Type, "the first row is a list, and this one an object; give rows of one kind")
		}
		for _, name := range columns {
			v, err := member(row, name)
			if err != nil {
				return nil, err
			}
			values = append(values, v)
		}
	default:
		return nil, fault.New(fault.Type, "a row is a list or an object, got %s", describe(row))
	}
	fields := make([]string, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case nil:
		case string:
			fields[i] = v
		case bool, int, float64:
			fields[i] = value.JSON(v)
		default:
			return nil, fault.New(fault.Type, "field %d is %s; write it with to_json, or pick a part of it", i+1, describe(v))
		}
	}
	return fields, nil
}
