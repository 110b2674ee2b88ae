package table

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// jsonLines reads an object a line.
type jsonLines struct {
	name  string
	in    *input
	close io.Closer
	line  int
	ended bool
}

func (j *jsonLines) Header() []string   { return nil }
func (j *jsonLines) Warnings() []string { return nil }
func (j *jsonLines) Close() error       { return j.close.Close() }

func (j *jsonLines) Read() (*Record, error) {
	for !j.ended {
		line, err := j.next()
		if err == io.EOF {
			j.ended = true
		} else if err != nil {
			return nil, inTable(j.name, err)
		}
		j.line++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		d := json.NewDecoder(bytes.NewReader(line))
		rec, err := object(d)
		if err == nil {
			if _, more := d.Token(); more != io.EOF {
				err = errors.New("text follows the object; JSON lines have one object on each line")
			}
		}
		if err != nil {
			return nil, inTable(j.name, wrongJSON(fmt.Sprintf("line %d, column %d", j.line, utf8.RuneCount(line[:min(offset(d, err), int64(len(line)))])+1), err))
		}
		rec.unit, rec.Line = "line", j.line
		return rec, nil
	}
	return nil, io.EOF
}

// Position is the line that a reader has come to, of JSON lines: after an error, the one that is wrong; the next can be read.
// ok is false of all other tables, which end with an error.
func Position(r Reader) (line int, ok bool) {
	j, ok := r.(*jsonLines)
	if !ok {
		return 0, false
	}
	return j.line, true
}

// next reads a line of a bounded length.
func (j *jsonLines) next() ([]byte, error) {
	var line []byte
	for {
		part, err := j.in.r.ReadSlice('\n')
		if len(line)+len(part) > maxRecord {
			j.line++
			return nil, fault.New(fault.InvalidRequest, "line %d is longer than %d MB", j.line, maxRecord>>20)
		}
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return line, err
	}
}

// jsonArray reads an array of objects.
type jsonArray struct {
	name  string
	in    *input
	d     *json.Decoder
	close io.Closer
	item  int
}

func openArray(name string, in *input, close io.Closer) (*jsonArray, error) {
	a := &jsonArray{name: name, in: in, d: json.NewDecoder(in), close: close}
	first, err := a.d.Token()
	switch {
	case err == io.EOF:
		return nil, fault.New(fault.Malformed, "it is empty; a table in JSON is an array of objects, [] if there are none")
	case err != nil:
		return nil, a.wrong(err)
	case first != json.Delim('['):
		return nil, fault.New(fault.Malformed, "it holds no array; a table in JSON is an array of objects: read it with read-file and pick the array with transform, or set format to jsonl if there is an object on each line")
	}
	return a, nil
}

func (a *jsonArray) Header() []string   { return nil }
func (a *jsonArray) Warnings() []string { return nil }
func (a *jsonArray) Close() error       { return a.close.Close() }

func (a *jsonArray) Read() (*Record, error) {
	a.in.next()
	if !a.d.More() {
		_, err := a.d.Token()
		if err == nil {
			_, err = a.d.Token()
			if err == io.EOF {
				return nil, io.EOF
			}
			if err == nil {
				err = errors.New("text follows the array")
			}
		}
		return nil, inTable(a.name, a.wrong(err))
	}
	a.item++
	rec, err := object(a.d)
	if err != nil {
		return nil, inTable(a.name, a.wrong(err))
	}
	rec.unit, rec.Line = "item", a.item
	return rec, nil
}

// wrong names the item and the line.
func (a *jsonArray) wrong(err error) error {
	line := 1 + a.in.nl
	if rest, e := io.ReadAll(a.d.Buffered()); e == nil {
		line -= bytes.Count(rest, []byte("\n"))
	}
	if a.item == 0 {
		return wrongJSON(fmt.Sprintf("line %d", line), err)
	}
	return wrongJSON(fmt.Sprintf("item %d, line %d", a.item, line), err)
}

func wrongJSON(where string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the text ends too early")
	}
	return fault.New(fault.Malformed, "%s: %v", where, err)
}

func offset(d *json.Decoder, err error) int64 {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return max(d.InputOffset(), syntax.Offset-1)
	}
	return d.InputOffset()
}

// object reads an object with its keys in order. Numbers keep their text.
func object(d *json.Decoder) (*Record, error) {
	open, err := d.Token()
	if err != nil {
		return nil, err
	}
	if open != json.Delim('{') {
		return nil, errors.New("a row is an object with a value for each column, such as {\"name\": \"Ada\"}")
	}
	rec := &Record{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, ok := key.(string)
		if !ok {
			return nil, errors.New("want the name of a column")
		}
		if _, twice := rec.Cell(name); twice {
			return nil, fmt.Errorf("the key %q stands there twice", name)
		}
		if len(rec.Names) == MaxColumns {
			return nil, fmt.Errorf("the object has more than %d keys", MaxColumns)
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, err
		}
		cell, err := cellOf(raw)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		rec.Names, rec.Cells = append(rec.Names, name), append(rec.Cells, cell)
	}
	_, err = d.Token()
	return rec, err
}

func cellOf(raw json.RawMessage) (any, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("it is no UTF-8 text")
	}
	switch raw[0] {
	case '{', '[':
		return raw, nil
	case '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err
	case 't', 'f':
		return raw[0] == 't', nil
	case 'n':
		return nil, nil
	}
	return json.Number(raw), nil
}

// compact takes the blanks out of JSON.
func compact(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// appendCell writes a cell as JSON.
func appendCell(dst []byte, cell any) []byte {
	switch c := cell.(type) {
	case json.Number:
		return append(dst, c...)
	case json.RawMessage:
		return append(dst, compact(c)...)
	}
	return value.AppendJSON(dst, cell)
}
