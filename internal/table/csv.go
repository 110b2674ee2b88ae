package table

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"pflow/internal/fault"
)

// csvReader reads CSV and TSV.
type csvReader struct {
	name   string
	in     *input
	r      *csv.Reader
	close  io.Closer
	o      Options
	header []string
	first  []string // a row that was read to count its fields; nil: none
	at     int      // the line that first begins on
	before int      // lines before what r reads
	last   int      // the line that the last row begins on
	rec    Record
	warned []string
	ragged int // rows that did not fit
}

func openCSV(name string, in *input, close io.Closer, o Options) (*csvReader, error) {
	head, err := in.r.Peek(sample)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if bytes.IndexByte(head, '\n') < 0 && bytes.IndexByte(bytes.TrimRight(head, "\r"), '\r') >= 0 {
		return nil, fault.New(fault.Malformed, "its lines end in carriage returns alone, as on old Macs; save it with other line ends")
	}
	c := &csvReader{name: name, in: in, close: close, o: o}
	delimiter, skip := delimiterOf(head, len(head) < sample, o)
	if o.Delimiter != "" {
		if bad := BadDelimiter(o.Delimiter); bad != "" {
			return nil, fault.New(fault.InvalidRequest, "%s", bad)
		}
		delimiter, _ = utf8.DecodeRuneInString(o.Delimiter)
	}
	if skip > 0 {
		in.r.Discard(skip)
		c.before = 1
	}
	c.r = csv.NewReader(in)
	c.r.Comma, c.r.FieldsPerRecord, c.r.ReuseRecord = delimiter, -1, true
	row, line, err := c.row()
	switch {
	case err == io.EOF:
		c.header = []string{}
		return c, nil
	case err != nil:
		return nil, err
	case len(row) > MaxColumns:
		return nil, fault.New(fault.InvalidRequest, "line %d has %d fields; at most %d columns are read", line, len(row), MaxColumns)
	}
	if o.NoHeader {
		c.first, c.at = append([]string{}, row...), line
		row = make([]string, len(row))
	}
	c.header = c.named(row)
	return c, nil
}

// named gives each column a name of its own.
func (c *csvReader) named(row []string) []string {
	out := make([]string, len(row))
	taken := map[string]bool{}
	for _, name := range row {
		taken[name] = true
	}
	used := map[string]bool{}
	for i, name := range row {
		out[i] = name
		switch {
		case name == "":
			out[i] = free(fmt.Sprintf("column_%d", i+1), taken)
			if !c.o.NoHeader {
				c.warn("%s: column %d has no name in the header; it is called %s", c.name, i+1, out[i])
			}
		case used[name]:
			for n := 2; out[i] == name; n++ {
				if next := fmt.Sprintf("%s_%d", name, n); !taken[next] {
					out[i] = next
				}
			}
			c.warn("%s: the header names %q twice; the one of column %d is called %s", c.name, name, i+1, out[i])
		}
		taken[out[i]], used[out[i]] = true, true
	}
	return out
}

func free(name string, taken map[string]bool) string {
	for taken[name] {
		name += "_"
	}
	return name
}

// DelimiterOf is what stands between the fields that a reader reads; "" where nothing does.
func DelimiterOf(r Reader) string {
	if c, ok := r.(*csvReader); ok {
		return string(c.r.Comma)
	}
	return ""
}

func (c *csvReader) Header() []string { return c.header }
func (c *csvReader) Close() error     { return c.close.Close() }

func (c *csvReader) Warnings() []string {
	if n := c.ragged - maxWarned; n > 0 {
		return append(append([]string{}, c.warned...), fmt.Sprintf("%s: %d more rows with too many or too few fields", c.name, n))
	}
	return c.warned
}

func (c *csvReader) warn(format string, args ...any) {
	c.warned = append(c.warned, fmt.Sprintf(format, args...))
}

// maxWarned is how many ragged rows are named one by one.
const maxWarned = 5

func (c *csvReader) Read() (*Record, error) {
	for {
		row, line, err := c.row()
		if err != nil {
			return nil, inTable(c.name, err)
		}
		if len(row) != len(c.header) {
			if row, err = c.fitted(row, line); err != nil {
				return nil, inTable(c.name, err)
			}
			if row == nil {
				continue
			}
		}
		cells := c.rec.Cells
		if len(cells) != len(row) {
			cells = make([]any, len(row))
		}
		for i, field := range row {
			cells[i] = field
		}
		c.rec = Record{Names: c.header, Cells: cells, unit: "line", Line: line}
		return &c.rec, nil
	}
}

// fitted makes a row of as many fields as the header has, nil if the row is left out.
func (c *csvReader) fitted(row []string, line int) ([]string, error) {
	what := fmt.Sprintf("line %d has %s, and the header names %d", line, fields(len(row)), len(c.header))
	if c.o.NoHeader {
		what = fmt.Sprintf("line %d has %s, and the first row %d", line, fields(len(row)), len(c.header))
	}
	c.ragged++
	warn := func(done string) {
		if c.ragged <= maxWarned {
			c.warn("%s: %s; %s", c.name, what, done)
		}
	}
	switch c.o.Ragged {
	case RaggedSkip:
		warn("the row is left out")
		return nil, nil
	case RaggedPad:
		if len(row) < len(c.header) {
			warn("it is filled with empty fields")
			return append(row, make([]string, len(c.header)-len(row))...), nil
		}
		if strings.Join(row[len(c.header):], "") == "" {
			warn("what it has more is empty, and left out")
			return row[:len(c.header)], nil
		}
		return nil, fault.New(fault.Malformed, "%s: padding would lose %q; set ragged to skip to leave such rows out", what, row[len(c.header)])
	}
	return nil, fault.New(fault.Malformed, "%s; mend the line, or set ragged to pad (fill short rows) or skip (leave such rows out)", what)
}

func fields(n int) string {
	if n == 1 {
		return "1 field"
	}
	return fmt.Sprintf("%d fields", n)
}

// row gives the next fields and the line they begin on.
func (c *csvReader) row() ([]string, int, error) {
	if c.first != nil {
		row := c.first
		c.first = nil
		return row, c.at, nil
	}
	c.in.next()
	row, err := c.r.Read()
	var at *csv.ParseError
	switch {
	case errors.As(err, &at):
		advice := "a field that holds a quote stands in quotes, and the quote in it is written twice"
		if errors.Is(at.Err, csv.ErrQuote) && at.StartLine != at.Line {
			advice = fmt.Sprintf("the quote that opens on line %d is not closed before", at.StartLine+c.before)
		}
		return nil, 0, fault.New(fault.Malformed, "line %d, column %d: %v; %s", at.Line+c.before, at.Column, at.Err, advice)
	case errors.Is(err, errLongRecord):
		return nil, 0, fault.New(fault.Malformed, "after line %d: %v", c.last, err)
	case err != nil:
		return nil, 0, err
	}
	line, _ := c.r.FieldPos(0)
	c.last = line + c.before
	for i, field := range row {
		if !utf8.ValidString(field) {
			return nil, 0, fault.New(fault.Malformed, "line %d, field %d is no UTF-8 text; set encoding to latin-1 if that is what wrote it, or save the table as UTF-8", line+c.before, i+1)
		}
	}
	return row, line + c.before, nil
}
