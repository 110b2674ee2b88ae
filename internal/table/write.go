package table

import (
	"bufio"
	"encoding/csv"
	"io"
	"unicode/utf8"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// Writer writes a table row by row.
type Writer struct {
	b       *bufio.Writer
	csv     *csv.Writer // of CSV and TSV
	format  Format
	columns []string
	row     []string
	buf     []byte
	rows    int

	of    []string // whose places are known
	place []int    // of each column in of; -1: it is not there
}

// WriteOptions say how a table is written.
type WriteOptions struct {
	Format    Format
	Delimiter string   // one character; "": that of the format
	NoHeader  bool     // the first line of CSV is a row, too
	Columns   []string // of CSV all there are; of JSON those that are written, nil: all that a row has
}

// NewWriter begins a table; Close ends it.
func NewWriter(w io.Writer, o WriteOptions) (*Writer, error) {
	t := &Writer{b: bufio.NewWriterSize(w, 64<<10), format: o.Format, columns: o.Columns, row: make([]string, len(o.Columns))}
	if !o.Format.delimited() {
		return t, nil
	}
	t.csv = csv.NewWriter(t.b) // takes t.b as it is
	if o.Format == TSV {
		t.csv.Comma = '\t'
	}
	if o.Delimiter != "" {
		if bad := BadDelimiter(o.Delimiter); bad != "" {
			return nil, fault.New(fault.InvalidRequest, "%s", bad)
		}
		t.csv.Comma, _ = utf8.DecodeRuneInString(o.Delimiter)
	}
	if o.NoHeader || len(o.Columns) == 0 {
		return t, nil
	}
	return t, t.line(o.Columns)
}

func (f Format) delimited() bool { return f == CSV || f == TSV }

// Rows is how many rows were written.
func (t *Writer) Rows() int { return t.rows }

// Write writes a row.
func (t *Writer) Write(r *Record) error {
	t.rows++
	if t.csv != nil {
		t.settle(r.Names)
		for i, at := range t.place {
			t.row[i] = ""
			if at >= 0 {
				t.row[i] = Text(r.Cells[at])
			}
		}
		return t.line(t.row)
	}
	t.buf = t.buf[:0]
	if t.format == Array {
		t.buf = append(t.buf, ",\n  "...)
		if t.rows == 1 {
			t.buf = append(t.buf[:0], "[\n  "...)
		}
	}
	t.buf = append(t.buf, '{')
	names, cells := r.Names, r.Cells
	if t.columns != nil {
		t.settle(r.Names)
		names, cells = nil, nil
		for i, at := range t.place {
			if at >= 0 {
				names, cells = append(names, t.columns[i]), append(cells, r.Cells[at])
			}
		}
	}
	for i, name := range names {
		if i > 0 {
			t.buf = append(t.buf, ',')
		}
		t.buf = append(value.AppendString(t.buf, name), ':')
		t.buf = appendCell(t.buf, cells[i])
	}
	t.buf = append(t.buf, '}')
	if t.format == Lines {
		t.buf = append(t.buf, '\n')
	}
	_, err := t.b.Write(t.buf)
	return err
}

// settle finds the columns among the names of a row, which are mostly those of the row before.
func (t *Writer) settle(names []string) {
	if t.place != nil && len(t.of) == len(names) && (len(names) == 0 || &t.of[0] == &names[0]) {
		return
	}
	at := make(map[string]int, len(names))
	for i, name := range names {
		at[name] = i
	}
	t.of, t.place = names, make([]int, len(t.columns))
	for i, name := range t.columns {
		t.place[i] = -1
		if k, ok := at[name]; ok {
			t.place[i] = k
		}
	}
}

// line writes the fields of a line. A lone empty field stands in quotes: an empty line is no row.
func (t *Writer) line(fields []string) error {
	if len(fields) == 1 && fields[0] == "" {
		_, err := t.b.WriteString("\"\"\n")
		return err
	}
	return t.csv.Write(fields)
}

// Close ends the table. It does not close what it writes to.
func (t *Writer) Close() error {
	if t.format == Array {
		end := "\n]\n"
		if t.rows == 0 {
			end = "[]\n"
		}
		if _, err := t.b.WriteString(end); err != nil {
			return err
		}
	}
	return t.b.Flush()
}
