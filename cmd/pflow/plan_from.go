package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"pflow/engine"
	"pflow/internal/catalogue"
	"pflow/internal/fault"
	"pflow/internal/planner"
	"pflow/internal/value"
	"pflow/ir"
	"pflow/nodes"
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
	in, err := a.openLines(from)
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
	m := &manyPlans{a: a, flow: flow, shelves: shelves{base: base}}
	results := make(chan chan []byte, concurrency) // in the order of the lines; its room bounds how many are under way
	written := make(chan error, 1)
	go func() {
		var failed error
		for r := range results {
			line := <-r
			if failed == nil {
				_, failed = file.Write(line)
			}
		}
		written <- failed
	}()
	slots := make(chan struct{}, concurrency)
	r := bufio.NewReaderSize(in, 1<<16)
	number := 0
	for ctx.Err() == nil {
		line, err := readLine(r)
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
			go func() {
				done <- m.plan(ctx, n, line, tooLong)
				<-slots
			}()
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
	shelves shelves
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
		out, _ = encodeLine(line.ID, planner.Refuse(m.flow, fmt.Errorf("line %d: the plan cannot be written: %w", number, err)))
	}
	return out
}

func (m *manyPlans) planLine(ctx context.Context, number int, line planLine) (res *planner.Result) {
	defer func() {
		// One request must not take the others with it: its line says that this is a fault of the program.
		if p := recover(); p != nil {
			res = planner.Refuse(m.flow, fmt.Errorf("line %d: a fault of pflow itself: %v", number, p))
		}
	}()
	shelf, err := m.shelves.of(number, line)
	if err != nil {
		return planner.Refuse(m.flow, err)
	}
	date := line.Date
	if date == "" {
		date = m.a.date
	}
	return planner.Plan(withShelf(ctx, shelf), m.flow, planner.Request{Text: line.Request, Source: "file", Stdin: line.Stdin, Date: date}, engine.Options{})
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

// shelves gives each line what it may use. Lines with the same components share a shelf, and so its index.
type shelves struct {
	base *nodes.Shelf
	mu   sync.Mutex
	kept map[string]*nodes.Shelf
}

func (s *shelves) of(number int, line planLine) (*nodes.Shelf, error) {
	if len(line.Nodes) == 0 && line.Only == nil {
		return s.base, nil
	}
	key := value.JSON(line.Nodes) + "\n" + strings.Join(line.Only, "\n")
	s.mu.Lock()
	defer s.mu.Unlock()
	if shelf := s.kept[key]; shelf != nil {
		return shelf, nil
	}
	shelf := s.base
	if len(line.Nodes) > 0 {
		declared, found := catalogue.Declare(fmt.Sprintf("line %d, nodes", number), fittingDefaults(line.Nodes))
		if len(declared) < len(line.Nodes) {
			return nil, fault.New(fault.InvalidRequest, "line %d: a node cannot be used: %s", number, strings.TrimSpace(found[0].Message))
		}
		shelf = declaredFor(shelf, declared)
	}
	if line.Only != nil {
		shelf = onlyOf(shelf, line.Only)
	}
	const most = 64
	if len(s.kept) >= most || s.kept == nil {
		s.kept = map[string]*nodes.Shelf{}
	}
	s.kept[key] = shelf
	return shelf, nil
}

// onlyOf narrows a shelf to components by name.
func onlyOf(s *nodes.Shelf, only []string) *nodes.Shelf {
	may := make(map[string]bool, len(only))
	for _, name := range only {
		may[name] = true
	}
	out := &nodes.Shelf{Catalogue: s.Catalogue.Only(func(i *ir.Interface) bool { return may[i.Name] })}
	for _, r := range s.Records {
		if may[r.Name] {
			out.Records = append(out.Records, r)
		}
	}
	return out
}

// fittingDefaults are declared nodes without the defaults that are no value of their ports' types: those who write tools
// in other systems write "false", "none" or "any" there. Text that holds a value of the type becomes that value.
func fittingDefaults(nodes []any) []any {
	out := make([]any, len(nodes))
	for i, n := range nodes {
		m, ok := n.(map[string]any)
		if !ok {
			out[i] = n
			continue
		}
		node := maps.Clone(m)
		for _, section := range []string{"inputs", "outputs", "params"} {
			list, ok := m[section].([]any)
			if !ok {
				continue
			}
			ports := make([]any, len(list))
			for k, p := range list {
				ports[k] = fittingDefault(p)
			}
			node[section] = ports
		}
		out[i] = node
	}
	return out
}

func fittingDefault(p any) any {
	port, ok := p.(map[string]any)
	given, has := port["default"]
	t, typed := port["type"].(string)
	if !ok || !has || !typed || !slices.Contains(value.Types(), value.Type(t)) {
		return p
	}
	port = maps.Clone(port)
	v, err := ir.Coerce(value.Type(t), given)
	if text, isText := given.(string); err != nil && isText {
		v, err = ir.Coerce(value.Type(t), strings.ToLower(text))
	}
	if err != nil {
		delete(port, "default")
	} else {
		port["default"] = v
	}
	return port
}
