package planner

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/inorder"
	"pflow/internal/shelf"
	"pflow/internal/value"
)

// Lines plans many requests, one JSON object a line: {id, request, stdin, current_date, nodes, only}.
type Lines struct {
	Flow        func(request string) *engine.Flow // that plans a request; "" is a line that has none
	Shelves     *shelf.Narrowed                   // what each line may use
	Date        string                            // of lines that say none
	Concurrency int                               // how many lines are planned at once
	HasSecret   func(name string) bool
	// Could adds to a plan what might do what it leaves open; nil: nothing is added. The context has the shelf of the line.
	Could func(ctx context.Context, request string, r *Result)
}

// ErrUnwritten is the error of results that could not be written.
var ErrUnwritten = errors.New("the results cannot be written")

// Plan plans each line, and says how many there were. Every line gets its result line, in order, also one that cannot be
// read. Once ctx is done no more lines are begun.
func (m *Lines) Plan(ctx context.Context, in io.Reader, out io.Writer) (number int, err error) {
	r := bufio.NewReaderSize(in, 1<<16)
	ended := false
	err, unwritten := inorder.Run(ctx, m.Concurrency, func() (inorder.Work[[]byte], error) {
		for !ended {
			line, err := readLine(r)
			if ctx.Err() != nil {
				break
			}
			ended = errors.Is(err, io.EOF)
			tooLong := errors.Is(err, errLongLine)
			if err != nil && !ended && !tooLong {
				return inorder.Work[[]byte]{}, err
			}
			number++
			if len(bytes.TrimSpace(line)) > 0 || tooLong {
				n := number
				return inorder.Work[[]byte]{
					Do:    func() []byte { return m.plan(ctx, n, line, tooLong) },
					Broke: func(err error) []byte { return m.refused(requestLine{}, fmt.Errorf("line %d: %w", n, err)) },
				}, nil
			}
		}
		return inorder.Work[[]byte]{}, io.EOF
	}, func(line []byte) error {
		_, err := out.Write(line)
		return err
	})
	if err == nil && unwritten != nil {
		err = fmt.Errorf("%w: %w", ErrUnwritten, unwritten)
	}
	return number, err
}

// maxLine is how long a line may be, in bytes.
const maxLine = 8 << 20

// requestLine is one line.
type requestLine struct {
	ID      any
	Request string
	Stdin   any
	Date    string
	Nodes   []any
	Only    []string // nil: every component
}

var errLongLine = fmt.Errorf("the line is longer than %d MB", maxLine>>20)

// readLine reads a line of any length, keeping none of one that is too long.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil && long:
			return nil, errLongLine
		}
		return line, err
	}
}

// plan gives the result line of one line.
func (m *Lines) plan(ctx context.Context, number int, data []byte, tooLong bool) []byte {
	line, err := readRequestLine(data)
	if tooLong {
		err = fault.New(fault.InvalidRequest, "%v", errLongLine)
	}
	var res *Result
	if err != nil {
		res = Refuse(m.Flow(line.Request), fault.New(fault.InvalidRequest, "line %d: %v", number, err))
	} else {
		res = m.planLine(ctx, number, line)
	}
	out, err := encodeLine(line.ID, res)
	if err != nil {
		return m.refused(line, fmt.Errorf("line %d: the plan cannot be written: %w", number, err))
	}
	return out
}

// refused is the result line of a line that has no plan.
func (m *Lines) refused(line requestLine, err error) []byte {
	out, _ := encodeLine(line.ID, Refuse(m.Flow(line.Request), err))
	return out
}

// planLine plans a line. One request must not take the others with it: where planning panics, its line says so.
func (m *Lines) planLine(ctx context.Context, number int, line requestLine) (res *Result) {
	if err := fault.Guard(func() error { res = m.planned(ctx, number, line); return nil }); err != nil {
		return Refuse(m.Flow(line.Request), fmt.Errorf("line %d: %w", number, err))
	}
	return res
}

func (m *Lines) planned(ctx context.Context, number int, line requestLine) *Result {
	offered, err := m.Shelves.Of(line.Nodes, line.Only)
	if err != nil {
		return Refuse(m.Flow(line.Request), fault.New(fault.InvalidRequest, "line %d: %v", number, err))
	}
	date := line.Date
	if date == "" {
		date = m.Date
	}
	ctx = offered.Within(ctx)
	res := Plan(ctx, m.Flow(line.Request), Request{Text: line.Request, Source: "file", Stdin: line.Stdin, Date: date}, engine.Options{})
	res.Secrets(m.HasSecret)
	if m.Could != nil {
		m.Could(ctx, line.Request, res)
	}
	return res
}

// encodeLine is a result as one line of JSON, the id first and as it was given.
func encodeLine(id any, res *Result) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(res); err != nil {
		return nil, err
	}
	if id == nil {
		return b.Bytes(), nil
	}
	return slices.Concat([]byte(`{"id":`), value.AppendJSON(nil, id), []byte(","), b.Bytes()[1:]), nil
}

// readRequestLine reads a line. What it gives beside an error is what could be read, the id above all.
func readRequestLine(data []byte) (requestLine, error) {
	var l requestLine
	v, err := value.ParseJSON(data)
	if err != nil {
		return l, err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return l, fmt.Errorf("want an object {id, request, …}, got %s", value.Name(v))
	}
	l.ID = m["id"]
	text := func(key string) string {
		s, ok := m[key].(string)
		if m[key] != nil && !ok && err == nil {
			err = fmt.Errorf("%s: want text, got %s", key, value.Name(m[key]))
		}
		return s
	}
	l.Request, l.Date, l.Stdin = text("request"), text("current_date"), m["stdin"]
	list := func(key string) []any {
		items, ok := m[key].([]any)
		if m[key] != nil && !ok && err == nil {
			err = fmt.Errorf("%s: want a list, got %s", key, value.Name(m[key]))
		}
		return items
	}
	l.Nodes = list("nodes")
	if only := list("only"); only != nil {
		l.Only = []string{}
		for _, name := range only {
			s, ok := name.(string)
			if !ok && err == nil {
				err = fmt.Errorf("only: want names, got %s", value.Name(name))
			}
			l.Only = append(l.Only, s)
		}
	}
	return l, err
}
