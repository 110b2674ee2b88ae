// Package table reads and writes tables as streams: CSV, TSV, JSON lines and arrays of JSON objects. What it holds at a time
// does not grow with the rows, but where something must be held (sorting, groups, distinct values), and that is bounded.
//
// encoding/csv splits the fields: it knows quotes, lines within them, and the place of what is wrong. It bounds no record,
// guesses no delimiter, and drops the marks of an encoding nowhere; that stands here.
package table

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/value"
)

// Format is how a table is written down.
type Format string

// The formats.
const (
	CSV   Format = "csv"
	TSV   Format = "tsv"
	Lines Format = "jsonl" // an object a line
	Array Format = "json"  // an array of objects
)

// Formats lists the formats.
func Formats() []any { return []any{string(CSV), string(TSV), string(Lines), string(Array)} }

// extensions are the ends of the names of files in a format.
var extensions = map[string]Format{".csv": CSV, ".tsv": TSV, ".tab": TSV, ".jsonl": Lines, ".ndjson": Lines, ".json": Array}

// FormatOf is the format that is given, or the one that a file's name ends in.
func FormatOf(given, path string) (Format, error) {
	if given != "" {
		return Format(given), nil
	}
	ext := strings.ToLower(filepath.Ext(path))
	if f, ok := extensions[ext]; ok {
		return f, nil
	}
	return "", fault.New(fault.InvalidRequest, "the name of %q does not say how the table is written: give format: csv, tsv, jsonl or json", path)
}

// Guess is the format of a text.
func Guess(text string) Format {
	switch text = strings.TrimLeft(strings.TrimPrefix(text, "\ufeff"), " \t\r\n"); {
	case strings.HasPrefix(text, "["):
		return Array
	case strings.HasPrefix(text, "{"):
		return Lines
	}
	return CSV
}

// What to do with a row that has more or fewer fields than the header.
const (
	RaggedError = "error"
	RaggedPad   = "pad"  // a short one is filled with empty fields
	RaggedSkip  = "skip" // it is left out
)

// Options say how a table is read. The zero value reads CSV with a header, whatever its delimiter.
type Options struct {
	Format    Format
	Delimiter string // one character; "": that of the format, of CSV the one that fits
	NoHeader  bool   // the first row is data: the columns are column_1, column_2, …
	Ragged    string
	Latin1    bool // the bytes are Latin-1 and not UTF-8
}

// Source is a table that can be read, also twice.
type Source struct {
	Name string // for messages: "data.csv", in quotes
	Open func() (io.ReadCloser, error)
	Rows []any  // instead of Open: rows that are there already, objects
	More []Part // tables of the same columns, whose rows follow
}

// Part is a table that follows another one.
type Part struct {
	Source
	Options
}

// Record is one row. Cells are string, json.Number, bool, nil, json.RawMessage (an object or a list) or, of rows that were
// held or computed, any normalised value.
type Record struct {
	Names []string // of the cells; the same slice for every row of CSV
	Cells []any
	unit  string // what Line counts: line, item, row
	Line  int
}

// At says where a row stands: line 7.
func (r *Record) At() string { return fmt.Sprintf("%s %d", r.unit, r.Line) }

// Cell gives the cell of a column.
func (r *Record) Cell(name string) (any, bool) {
	if i := slices.Index(r.Names, name); i >= 0 {
		return r.Cells[i], true
	}
	return nil, false
}

// Reader gives the rows of a table. A record is only good until the next one is read.
type Reader interface {
	// Header lists the columns of CSV and TSV; nil where each row names its own.
	Header() []string
	// Read gives the next row, or io.EOF.
	Read() (*Record, error)
	// Warnings are what was mended or left out so far.
	Warnings() []string
	Close() error
}

// Open begins to read a table.
func Open(s Source, o Options) (Reader, error) {
	if len(s.More) == 0 {
		return openOne(s, o)
	}
	rest := s.More
	s.More = nil
	first, err := openOne(s, o)
	if err != nil {
		return nil, err
	}
	return &chain{Reader: first, header: first.Header(), first: s.Name, rest: rest}, nil
}

// chain gives the rows of several tables, one behind the other.
type chain struct {
	Reader
	header   []string // of the first
	first    string   // its name
	rest     []Part
	place    []int // where the columns of the first are in this one; nil: in the same places
	warnings []string
}

func (c *chain) Header() []string { return c.header }

func (c *chain) Warnings() []string { return append(slices.Clone(c.warnings), c.Reader.Warnings()...) }

func (c *chain) Read() (*Record, error) {
	for {
		rec, err := c.Reader.Read()
		if err != io.EOF || len(c.rest) == 0 {
			if err == nil && c.place != nil {
				cells := make([]any, len(c.place))
				for i, at := range c.place {
					cells[i] = rec.Cells[at]
				}
				rec = &Record{Names: c.header, Cells: cells, unit: rec.unit, Line: rec.Line}
			}
			return rec, err
		}
		c.warnings = c.Warnings()
		if err := c.Reader.Close(); err != nil {
			return nil, err
		}
		part := c.rest[0]
		c.rest = c.rest[1:]
		next, err := openOne(part.Source, part.Options)
		if err != nil {
			c.Reader = &held{}
			return nil, err
		}
		c.Reader = next
		if err := c.fit(part.Name); err != nil {
			return nil, err
		}
	}
}

// fit finds the columns of the first table in the next one, which has to have the same.
func (c *chain) fit(name string) error {
	there := c.Reader.Header()
	if c.place = nil; c.header == nil || there == nil || slices.Equal(c.header, there) {
		return nil
	}
	if len(there) == len(c.header) {
		for _, column := range c.header {
			c.place = append(c.place, slices.Index(there, column))
		}
	}
	if c.place == nil || slices.Contains(c.place, -1) {
		return fault.New(fault.InvalidRequest, "%s has the columns %s, and %s has %s; tables that are put together have the same: take them with columns, or join them with join-tables",
			name, strings.Join(there, ", "), c.first, strings.Join(c.header, ", "))
	}
	return nil
}

func openOne(s Source, o Options) (Reader, error) {
	if s.Open == nil {
		return &held{rows: s.Rows}, nil
	}
	f, err := s.Open()
	if err != nil {
		return nil, err
	}
	in, err := newInput(f, o.Latin1)
	if err == nil {
		var r Reader
		switch o.Format {
		case CSV, TSV, "":
			r, err = openCSV(s.Name, in, f, o)
		case Lines:
			r = &jsonLines{name: s.Name, in: in, close: f}
		case Array:
			r, err = openArray(s.Name, in, f)
		default:
			err = fault.New(fault.InvalidRequest, "there is no format %q: use csv, tsv, jsonl or json", o.Format)
		}
		if err == nil {
			return r, nil
		}
	}
	f.Close()
	return nil, inTable(s.Name, err)
}

// inTable names the table in an error of reading it.
func inTable(name string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	e := *fault.Of(err)
	if !strings.Contains(e.Message, name) {
		e.Message = name + ": " + e.Message
	}
	return &e
}

// held gives rows that are there already.
type held struct {
	rows []any
	at   int
}

func (h *held) Header() []string   { return nil }
func (h *held) Warnings() []string { return nil }
func (h *held) Close() error       { return nil }

func (h *held) Read() (*Record, error) {
	if h.at == len(h.rows) {
		return nil, io.EOF
	}
	h.at++
	m, ok := h.rows[h.at-1].(map[string]any)
	if !ok {
		return nil, fault.New(fault.Type, "rows[%d] is %s; a row is an object with a value for each column", h.at-1, value.Describe(h.rows[h.at-1]))
	}
	r := &Record{Names: value.SortedKeys(m), unit: "row", Line: h.at}
	for _, name := range r.Names {
		r.Cells = append(r.Cells, m[name])
	}
	return r, nil
}

// Columns lists every column of a table, in the order in which they come first. It reads the table where its rows name
// their columns themselves.
func Columns(s Source, o Options) ([]string, error) {
	r, err := Open(s, o)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if h := r.Header(); h != nil {
		return h, nil
	}
	var seen names
	for {
		rec, err := r.Read()
		switch {
		case err == io.EOF:
			return seen.list, nil
		case err != nil:
			return nil, err
		}
		if err := seen.add(rec.Names); err != nil {
			return nil, inTable(s.Name, err)
		}
	}
}

// MaxColumns bounds the columns of one table.
const MaxColumns = 16_384

// names is a list of names, each once.
type names struct {
	list []string
	in   map[string]bool
}

func (n *names) add(more []string) error {
	if n.in == nil {
		n.in = map[string]bool{}
	}
	for _, name := range more {
		if n.in[name] {
			continue
		}
		if len(n.list) == MaxColumns {
			return fault.New(fault.InvalidRequest, "the rows have more than %d different columns", MaxColumns)
		}
		n.in[name] = true
		n.list = append(n.list, name)
	}
	return nil
}

// Unknown is the error of a column that is not there.
func Unknown(name string, there []string) error {
	hint := "."
	if near := diag.Nearest(name, there); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	list := strings.Join(there[:min(len(there), 20)], ", ")
	if len(there) > 20 {
		list += ", …"
	}
	return fault.New(fault.InvalidRequest, "there is no column %q%s There are: %s", name, hint, list).Lacks(name, there)
}

// BadDelimiter says why a text is no delimiter; "" if it is one.
func BadDelimiter(text string) string {
	if r, width := utf8.DecodeRuneInString(text); width == 0 || width != len(text) || r == utf8.RuneError || strings.ContainsRune("\"\r\n", r) {
		return fmt.Sprintf(`a delimiter is one character such as ";" or a tab, got %q`, text)
	}
	return ""
}

// Value gives a cell as expressions and the store have it.
func Value(cell any) (any, error) {
	switch c := cell.(type) {
	case json.Number:
		return value.ParseNumber(string(c))
	case json.RawMessage:
		return value.ParseJSON(c)
	}
	return cell, nil
}

// Text gives a cell as a field of CSV has it: null is empty, an object or a list its JSON.
func Text(cell any) string {
	switch c := cell.(type) {
	case nil:
		return ""
	case string:
		return c
	case json.Number:
		return string(c)
	case json.RawMessage:
		return string(compact(c))
	}
	return value.JSON(cell)
}
