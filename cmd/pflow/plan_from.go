package main

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
	"pflow/internal/planner"
	"pflow/internal/shelf"
	"pflow/internal/value"
)

// maxPlanLine is how long a line of --from may be, in bytes.
const maxPlanLine = 8 << 20

// planLine is one line of --from.
type planLine struct {
	ID      any
	Request string
	Stdin   any
	Date    string
	Nodes   []any
	Only    []string // nil: every component
}

// planMany plans each line of a file. Every line gets its result line, in order, also one that cannot be read.
func (a *app) planMany(ctx context.Context, from string, file io.Writer, concurrency int) error {
	in, err := a.openLines(ctx, from)
	if err != nil {
		return err
	}
	defer in.Close()
	flow, _, err := a.plannerFlow()
	if err != nil {
		return err
	}
	base, err := a.shelfOf(ctx)
	if err != nil {
		return err
	}
	if file == nil {
		file = a.results
	}
	m := &manyPlans{a: a, flow: flow, shelves: shelf.Narrowed{Base: base}}
	results := make(chan chan []byte, concurrency) // in the order of the lines; its room bounds how many are under way
	written := make(chan error, 1)
	fault.Go(func() {
		var failed error
		for r := range results {
			line := <-r
			if failed == nil {
				_, failed = file.Write(line)
			}
		}
		written <- failed
	}, func(err error) {
		for r := range results { // those who plan must not wait for a writer that has ended
			<-r
		}
		written <- err
	})
	slots := make(chan struct{}, concurrency)
	r := bufio.NewReaderSize(in, 1<<16)
	number := 0
	for ctx.Err() == nil {
		line, err := readLine(r)
		if ctx.Err() != nil {
			break
		}
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, errLongLine) {
			close(results)
			<-written
			return usage("--from %s: %v", from, reason(err))
		}
		number++
		if len(bytes.TrimSpace(line)) > 0 || errors.Is(err, errLongLine) {
			done, n, tooLong := make(chan []byte, 1), number, errors.Is(err, errLongLine)
			slots <- struct{}{}
			results <- done
			fault.Go(func() {
				done <- m.plan(ctx, n, line, tooLong)
				<-slots
			}, func(err error) {
				done <- m.refused(planLine{}, fmt.Errorf("line %d: %w", n, err))
				<-slots
			})
		}
		if errors.Is(err, io.EOF) {
			break
		}
	}
	close(results)
	if err := <-written; err != nil {
		return fail(exitFailed, "the results cannot be written: %v", reason(err))
	}
	if ctx.Err() != nil {
		return fail(exitFailed, "stopped after line %d", number)
	}
	return nil
}

var errLongLine = fmt.Errorf("the line is longer than %d MB", maxPlanLine>>20)

// readLine reads a line of any length, keeping none of one that is too long.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxPlanLine; !long {
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

// manyPlans plans lines.
type manyPlans struct {
	a       *app
	flow    *engine.Flow
	shelves shelf.Narrowed
}

// plan gives the result line of one line.
func (m *manyPlans) plan(ctx context.Context, number int, data []byte, tooLong bool) []byte {
	line, err := readPlanLine(data)
	if tooLong {
		err = fault.New(fault.InvalidRequest, "%v", errLongLine)
	}
	var res *planner.Result
	if err != nil {
		res = planner.Refuse(m.flow, fault.New(fault.InvalidRequest, "line %d: %v", number, err))
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
func (m *manyPlans) refused(line planLine, err error) []byte {
	out, _ := encodeLine(line.ID, planner.Refuse(m.flow, err))
	return out
}

// planLine plans a line. One request must not take the others with it: where planning panics, its line says so.
func (m *manyPlans) planLine(ctx context.Context, number int, line planLine) (res *planner.Result) {
	if err := fault.Guard(func() error { res = m.planned(ctx, number, line); return nil }); err != nil {
		return planner.Refuse(m.flow, fmt.Errorf("line %d: %w", number, err))
	}
	return res
}

func (m *manyPlans) planned(ctx context.Context, number int, line planLine) *planner.Result {
	offered, err := m.shelves.Of(line.Nodes, line.Only)
	if err != nil {
		return planner.Refuse(m.flow, fault.New(fault.InvalidRequest, "line %d: %v", number, err))
	}
	date := line.Date
	if date == "" {
		date = m.a.date
	}
	return planner.Plan(offered.Within(ctx), m.flow, planner.Request{Text: line.Request, Source: "file", Stdin: line.Stdin, Date: date}, engine.Options{})
}

// encodeLine is a result as one line of JSON, the id first and as it was given.
func encodeLine(id any, res *planner.Result) ([]byte, error) {
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

// readPlanLine reads a line. What it gives beside an error is what could be read, the id above all.
func readPlanLine(data []byte) (planLine, error) {
	var l planLine
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
