package workflow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pflow/engine"
	"pflow/engine/journal"
	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// causes is what the nodes of these tests work on: files of a folder, a server, and the marks that steps leave.
type causes struct {
	dir    string
	url    string
	mu     sync.Mutex
	broken bool
	gets   map[string]int
}

func newCauses(t *testing.T) *causes {
	c := &causes{gets: map[string]int{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.gets[r.URL.Path]++
		if c.broken && r.URL.Path == "/down" {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, `{"new": {"name": "x"}}`)
	}))
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

func (c *causes) file(name string) string { return filepath.Join(c.dir, name) }

// marks counts the marks that steps left.
func (c *causes) marks(t *testing.T) map[string]int {
	t.Helper()
	data, err := os.ReadFile(c.file("marks"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	out := map[string]int{}
	for _, line := range strings.Fields(string(data)) {
		out[line]++
	}
	return out
}

// types are nodes that work on real files, processes and requests. None is idempotent but load, which reads; decode comes of its
// params alone.
func (c *causes) types() map[string]nodetype.Type {
	out := testTypes()
	add := func(name string, run func(ctx context.Context, text string) (any, error)) {
		out[name] = nodetype.Type{
			Interface: &ir.Interface{Name: name, Inputs: []ir.Port{{Key: "of", Type: value.Any}, {Key: "in", Type: value.Any}},
				Outputs: []ir.Port{{Key: "out", Type: value.Any}}},
			Run: func(ctx context.Context, call nodetype.Call) (nodetype.Outcome, error) {
				v, err := run(ctx, string(ir.Text(call.Params["of"])))
				return nodetype.Outcome{Outputs: map[string]any{"out": v}}, err
			},
		}
	}
	add("mark", func(_ context.Context, text string) (any, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		f, err := os.OpenFile(c.file("marks"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, err
		}
		_, err = fmt.Fprintln(f, text)
		return text, errors.Join(err, f.Close())
	})
	add("read", func(_ context.Context, name string) (any, error) {
		data, err := os.ReadFile(c.file(name))
		if err != nil {
			return nil, fault.New(fault.NotFound, "%v", err)
		}
		return string(data), nil
	})
	add("parse", func(_ context.Context, name string) (any, error) {
		data, err := os.ReadFile(c.file(name))
		if err != nil {
			return nil, err
		}
		return value.ParseJSON(data)
	})
	add("decode", func(_ context.Context, text string) (any, error) {
		v, err := value.ParseJSON([]byte(text))
		if err != nil {
			return nil, fault.New(fault.Malformed, "%v", err)
		}
		return v, nil
	})
	add("load", func(_ context.Context, name string) (any, error) {
		c.mu.Lock()
		c.gets[name]++
		c.mu.Unlock()
		data, err := os.ReadFile(c.file(name))
		return string(data), err
	})
	out["parse-again"] = out["parse"]
	for _, name := range []string{"load", "parse-again", "decode"} {
		t := out[name]
		i := *t.Interface
		i.Name, i.Effects = name, []ir.Effect{ir.Idempotent}
		t.Interface = &i
		out[name] = t
	}
	pure := out["decode"]
	pure.Pure = true
	out["decode"] = pure
	add("write", func(_ context.Context, name string) (any, error) {
		return nil, os.WriteFile(c.file(name), []byte("text"), 0o600)
	})
	add("get", func(ctx context.Context, path string) (any, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+path, nil)
		if err != nil {
			return nil, err
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, err
		}
		defer res.Body.Close()
		data, err := io.ReadAll(res.Body)
		if err == nil && res.StatusCode >= 400 {
			err = fault.New(fault.InvalidRequest, "the server answered %s", res.Status)
		}
		if err != nil {
			return nil, err
		}
		return value.ParseJSON(data)
	})
	add("child", func(ctx context.Context, name string) (any, error) {
		out, err := exec.CommandContext(ctx, "sh", "-c", `if test -e "$0"; then kill -9 $$; fi; echo lived`, c.file(name)).Output()
		if err != nil {
			return nil, fault.New(fault.Failure, "the child: %v", err)
		}
		return string(out), nil
	})
	return out
}

// cause is one way to fail. The step of these params fails once broken was called, and no more once mended was; a step before it may
// be needed, whose edge leads to it. %s is the way the step is written after it was mended.
type cause struct {
	name           string
	step, mendedAs string // type and params of the step
	before         string // of the one before it, "" for none
	broken, mended func(c *causes) error
}

func allCauses() []cause {
	none := func(*causes) error { return nil }
	write := func(name, text string) func(*causes) error {
		return func(c *causes) error { return os.WriteFile(c.file(name), []byte(text), 0o600) }
	}
	remove := func(name string) func(*causes) error {
		return func(c *causes) error { return os.Remove(c.file(name)) }
	}
	server := func(broken bool) func(*causes) error {
		return func(c *causes) error { c.mu.Lock(); c.broken = broken; c.mu.Unlock(); return nil }
	}
	return []cause{
		{name: "missing file", step: `"type": "read", "params": {"of": "there"}`, broken: none, mended: write("there", "text")},
		{name: "http 500", step: `"type": "get", "params": {"of": "/down"}`, broken: server(true), mended: server(false)},
		{name: "bad json", step: `"type": "parse", "params": {"of": "doc"}`, broken: write("doc", `{"a": `), mended: write("doc", `{"a": 1}`)},
		{name: "bad json of a step before", before: `"type": "load", "params": {"of": "doc"}`, step: `"type": "decode", "params": {"of": "${api.out}"}`,
			broken: write("doc", `{"a": `), mended: write("doc", `{"a": 1}`)},
		{name: "missing key of a step before", before: `"type": "parse-again", "params": {"of": "doc"}`, step: `"type": "echo", "params": {"value": "${api.out.a}"}`,
			broken: write("doc", `{"b": 1}`), mended: write("doc", `{"a": 1}`)},
		{name: "killed child", step: `"type": "child", "params": {"of": "trap"}`, broken: write("trap", ""), mended: remove("trap")},
		{name: "nothing can be written", step: `"type": "write", "params": {"of": "full"}`,
			broken: func(c *causes) error { return os.Mkdir(c.file("full"), 0o700) }, mended: remove("full")},
		{name: "changed shape", before: `"type": "get", "params": {"of": "/api"}`, step: `"type": "echo", "params": {"value": "${api.out.old.name}"}`,
			mendedAs: `"type": "echo", "params": {"value": "${api.out.new.name}"}`, broken: none, mended: none},
	}
}

// shape is a workflow in which the node FAIL is one of several; marks is how many marks it leaves in all.
type shape struct {
	name  string
	nodes []string // ids in order; each is a mark but for FAIL
	edges [][2]string
	items bool // the node "inner" calls the workflow inner for each of three items
	inner *shape
}

const failing = "FAIL"

func allShapes() (out []shape) {
	chain := func(n, at int, prefix string) shape {
		s := shape{name: fmt.Sprintf("chain of %d, step %d", n, at+1)}
		for i := range n {
			id := fmt.Sprintf("%s%d", prefix, i)
			if i == at {
				id = failing
			}
			if s.nodes = append(s.nodes, id); i > 0 {
				s.edges = append(s.edges, [2]string{s.nodes[i-1], id})
			}
		}
		return s
	}
	named := func(name string, edges [][2]string, nodes ...string) {
		for at := range nodes {
			swap := func(id string) string {
				if id == nodes[at] {
					return failing
				}
				return id
			}
			s := shape{name: fmt.Sprintf("%s, step %d", name, at+1)}
			for _, id := range nodes {
				s.nodes = append(s.nodes, swap(id))
			}
			for _, e := range edges {
				s.edges = append(s.edges, [2]string{swap(e[0]), swap(e[1])})
			}
			out = append(out, s)
		}
	}
	for _, n := range []int{5, 9} {
		for at := range n {
			out = append(out, chain(n, at, "m"))
		}
	}
	named("diamond", [][2]string{{"a", "b"}, {"a", "c"}, {"b", "d"}, {"c", "d"}, {"d", "e"}}, "a", "b", "c", "d", "e")
	named("fan", [][2]string{{"a", "b"}, {"a", "c"}, {"a", "d"}, {"a", "e"}, {"b", "f"}, {"c", "f"}, {"d", "f"}, {"e", "f"}}, "a", "b", "c", "d", "e", "f")
	for _, items := range []bool{false, true} {
		for at := range 5 {
			inner := chain(5, at, "i")
			out = append(out, shape{name: fmt.Sprintf("called, items %v, step %d", items, at+1), nodes: []string{"a", "inner", "z"},
				edges: [][2]string{{"a", "inner"}, {"inner", "z"}}, items: items, inner: &inner})
		}
	}
	return out
}

// document writes a shape. Of items only the one called bad fails.
func (s *shape) document(c *cause, mended, inner bool) string {
	var nodes, edges []string
	for _, id := range s.nodes {
		switch {
		case id == failing:
			step := c.step
			if mended && c.mendedAs != "" {
				step = c.mendedAs
			}
			if c.before != "" {
				nodes = append(nodes, `{"id": "api", `+c.before+`}`)
				edges = append(edges, `{"from": "api", "to": "FAIL"}`)
			}
			nodes = append(nodes, `{"id": "FAIL", `+step+`}`)
		case id == "inner" && s.items:
			nodes = append(nodes, `{"id": "inner", "type": "inner", "params": {"item": "${item}"}, "batch": {"items": ["x", "y", "z"], "as": "item"}}`)
		case id == "inner":
			nodes = append(nodes, `{"id": "inner", "type": "inner", "params": {"item": "only"}}`)
		case inner:
			nodes = append(nodes, fmt.Sprintf(`{"id": %q, "type": "mark", "params": {"of": "%s-${item}"}}`, id, id))
		default:
			nodes = append(nodes, fmt.Sprintf(`{"id": %q, "type": "mark", "params": {"of": %q}}`, id, id))
		}
	}
	for _, e := range s.edges {
		to := e[1]
		if to == failing && c.before != "" {
			to = "api"
		}
		edges = append(edges, fmt.Sprintf(`{"from": %q, "to": %q}`, e[0], to))
	}
	inputs := ""
	if inner {
		inputs = `"inputs": {"item": {"type": "string", "required": true}}, `
	}
	return fmt.Sprintf(`{"ir_version": "0.1.0", %s"nodes": [%s], "edges": [%s]}`, inputs, strings.Join(nodes, ", "), strings.Join(edges, ", "))
}

func (s *shape) program(t *testing.T, c *causes, of *cause, mended bool) *Program {
	t.Helper()
	w := world{types: c.types()}
	if s.inner != nil {
		w.saved = map[string]string{"inner": s.inner.document(of, mended, true)}
	}
	return w.compile(t, s.document(of, mended, false))
}

// wanted are the marks of a whole run.
func (s *shape) wanted() map[string]int {
	out := map[string]int{}
	for _, id := range s.nodes {
		if id != failing && id != "inner" {
			out[id] = 1
		}
	}
	if s.inner != nil {
		items := []string{"only"}
		if s.items {
			items = []string{"x", "y", "z"}
		}
		for _, id := range s.inner.nodes {
			for _, item := range items {
				if id != failing {
					out[id+"-"+item] = 1
				}
			}
		}
	}
	return out
}

// again runs the run that lies under a name in a home again, as the next one, from nothing but its files.
func again(t *testing.T, home, parent, id string, types map[string]nodetype.Type, now *Program, given map[string]any, retry bool) (*Result, *Retry, error) {
	t.Helper()
	past, docs, err := journal.Read(home, parent)
	if err != nil {
		t.Fatal(err)
	}
	reloaded, err := Reload(docs, types)
	if err != nil {
		t.Fatal(err)
	}
	before, found := Compile(reloaded.Source, reloaded.Env)
	if before == nil {
		t.Fatal(found.Text())
	}
	if now == nil {
		now = before
	}
	r, err := NewRetry(parent, before, now, &past.History)
	if err != nil {
		t.Fatal(err)
	}
	r.Again = retry
	if len(given) == 0 {
		r.FailedIn(past.End.Error)
	}
	inputs := now.Again(past.History.Events[0].Input).Values
	for k, v := range given {
		inputs[k] = v
	}
	text, err := now.Documents(Source{Name: "test", Workflow: now.Workflow}, nil)
	if err != nil {
		t.Fatal(err)
	}
	j, err := journal.Create(home, id, journal.About{Parent: parent, By: journal.ByRetry}, text)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	res, err := now.Run(context.Background(), bind(t, now, inputs), Options{Options: engine.Options{RunID: id, Journal: j, Keep: r.Keep}})
	return res, r, err
}

// TestRetryAfterInjectedFailures: of each failure the retry finishes once its cause is gone, and no step that finished runs again.
func TestRetryAfterInjectedFailures(t *testing.T) {
	c := newCauses(t)
	n := 0
	for _, s := range allShapes() {
		for _, of := range allCauses() {
			n++
			t.Run(s.name+", "+of.name, func(t *testing.T) {
				c.dir = t.TempDir()
				clear(c.gets)
				if err := of.broken(c); err != nil {
					t.Fatal(err)
				}
				home := t.TempDir()
				res := kept(t, s.program(t, c, &of, false), home, nil, nil)
				if res.Status != Failed {
					t.Fatalf("it ended as %s before the cause was gone", res.Status)
				}
				first := c.marks(t)
				if err := of.mended(c); err != nil {
					t.Fatal(err)
				}
				now := s.program(t, c, &of, true)
				got, r, err := again(t, home, "run", "retry", c.types(), now, nil, false)
				if err != nil || got.Status != Done {
					t.Fatalf("%v %+v", err, got)
				}
				if marks := c.marks(t); value.JSON(counts(marks)) != value.JSON(counts(s.wanted())) {
					t.Errorf("marks %v, want each once: %v", marks, s.wanted())
				}
				keptMarks := 0
				for _, name := range r.Kept() {
					if !strings.HasSuffix(name, "api") && !strings.HasSuffix(name, failing) {
						keptMarks++
					}
				}
				if keptMarks != len(first) {
					t.Errorf("kept %v, want what left %v", r.Kept(), first)
				}
				items := 1
				if s.items {
					items = 3
				}
				if strings.Contains(of.before, "/api") && c.gets["/api"] != items {
					t.Errorf("%d requests, want %d", c.gets["/api"], items)
				}
				// What is done is kept whole by a retry of the retry, and says where it ran.
				more, _, err := again(t, home, "retry", "more", c.types(), now, nil, false)
				if err != nil || more.Status != Done {
					t.Fatalf("%v %+v", err, more)
				}
				if marks := c.marks(t); value.JSON(counts(marks)) != value.JSON(counts(s.wanted())) {
					t.Errorf("the retry of the retry left marks: %v", marks)
				}
			})
		}
	}
	if n < 200 {
		t.Errorf("%d failures", n)
	}
}

func counts(m map[string]int) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		out[k] = v
	}
	return out
}

// TestRetryAsksBeforeItRepeats: a step that finished, is not idempotent and has other params, or follows what runs again, is named with
// why; with leave it runs. What was decided is done by whoever goes on with the run.
func TestRetryAsksBeforeItRepeats(t *testing.T) {
	doc := `{"ir_version": "0.1.0", "inputs": {"a": {"type": "string", "required": true}, "file": {"type": "string", "required": true}},
		"nodes": [{"id": "first", "type": "mark", "params": {"of": "first"}}, {"id": "one", "type": "mark", "params": {"of": "${a}"}},
			{"id": "two", "type": "mark", "params": {"of": "two"}}, {"id": "read", "type": "read", "params": {"of": "${file}"}}],
		"edges": [{"from": "first", "to": "one"}, {"from": "one", "to": "two"}, {"from": "two", "to": "read"}]}`
	c := &causes{dir: t.TempDir()}
	p := world{types: c.types()}.compile(t, doc)
	home := t.TempDir()
	kept(t, p, home, map[string]any{"a": "A", "file": "none"}, nil)
	_, _, err := again(t, home, "run", "asks", c.types(), nil, map[string]any{"a": "B"}, false)
	var asks *RunsAgain
	if !errors.As(err, &asks) || asks.Step != "one" || asks.Why != `its param of is changed: "A" → "B"` {
		t.Fatalf("%v", err)
	}
	if marks := c.marks(t); marks["B"] != 0 || marks["two"] != 1 || marks["first"] != 1 {
		t.Errorf("something ran: %v", marks)
	}
	if err := os.WriteFile(c.file("there"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	res, r, err := again(t, home, "run", "leave", c.types(), nil, map[string]any{"a": "B", "file": "there"}, true)
	if err != nil || res.Status != Done {
		t.Fatalf("%v %+v", err, res)
	}
	if marks := c.marks(t); marks["B"] != 1 || marks["two"] != 2 || marks["first"] != 1 || !slices.Equal(r.Kept(), []string{"first"}) {
		t.Errorf("marks %v, kept %v", marks, r.Kept())
	}
	// Where the run that asked is gone on with, it keeps what it kept and runs what it was left to.
	past, docs, j, err := journal.Resume(home, "asks", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	reloaded, err := Reload(docs, c.types())
	if err != nil {
		t.Fatal(err)
	}
	now, _ := Compile(reloaded.Source, reloaded.Env)
	parent, _, err := journal.Read(home, "run")
	if err != nil {
		t.Fatal(err)
	}
	r, err = NewRetry("run", now, now, &parent.History)
	if err != nil {
		t.Fatal(err)
	}
	r.Again, past.History.Retry = true, true
	if err := r.Resumes(&past.History); err != nil {
		t.Fatal(err)
	}
	res, err = now.Run(context.Background(), nil, Options{Options: engine.Options{RunID: "asks", Journal: j, History: &past.History, Keep: r.Keep}})
	if err != nil || res.Status != Failed || res.Error.Node != "read" {
		t.Fatalf("%v %+v", err, res)
	}
	if marks := c.marks(t); marks["first"] != 1 || marks["B"] != 2 || marks["two"] != 3 {
		t.Errorf("marks %v", marks)
	}
}

// TestRetryOfWhatFailsAgain: a step that fails on what it was given alone fails again with it, so that what gave it runs again, or is
// asked for if that may repeat an effect; not if the step was changed.
func TestRetryOfWhatFailsAgain(t *testing.T) {
	document := func(first, text string) string {
		return `{"ir_version": "0.1.0", "nodes": [{"id": "first", "type": "` + first + `", "params": {"of": "doc"}},
			{"id": "same", "type": "decode", "params": {"of": "\"${first.out}\""}},
			{"id": "decode", "type": "decode", "params": {"of": "` + text + `"}}, {"id": "last", "type": "mark", "params": {"of": "last"}}],
		"edges": [{"from": "first", "to": "same"}, {"from": "same", "to": "decode"}, {"from": "decode", "to": "last"}]}`
	}
	c := &causes{dir: t.TempDir(), gets: map[string]int{}}
	types := c.types()
	once := types["load"]
	i := *once.Interface
	i.Name, i.Effects = "once", nil
	once.Interface = &i
	types["once"] = once
	put := func(text string) {
		if err := os.WriteFile(c.file("doc"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, first := range []string{"load", "once"} {
		t.Run(first, func(t *testing.T) {
			clear(c.gets)
			home := t.TempDir()
			put("bad")
			before := world{types: types}.compile(t, document(first, "${same.out}"))
			kept(t, before, home, nil, nil)
			changed, _, err := again(t, home, "run", "changed", types, world{types: types}.compile(t, document(first, "7")), nil, false)
			if err != nil || changed.Status != Done || c.gets["doc"] != 1 {
				t.Errorf("the step was changed: %v %v, read %d times", err, changed, c.gets["doc"])
			}
			put("7")
			res, r, err := again(t, home, "run", "same", types, nil, nil, false)
			var asks *RunsAgain
			switch {
			case first == "load" && (err != nil || res.Status != Done || c.gets["doc"] != 2 || len(r.Kept()) != 0):
				t.Errorf("%v %v, read %d times", err, res, c.gets["doc"])
			case first == "once" && (!errors.As(err, &asks) || asks.Step != "first" || asks.Why != "decode fails again with what it gave" || c.gets["doc"] != 1):
				t.Errorf("%v, read %d times", err, c.gets["doc"])
			}
		})
	}
}
