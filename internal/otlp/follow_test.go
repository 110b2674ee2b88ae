package otlp_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/engine"
	"pflow/engine/cond"
	"pflow/internal/fault"
	"pflow/internal/llm"
	"pflow/internal/mask"
	"pflow/internal/otlp"
	"pflow/internal/otlptest"
)

// eval is an engine.Evaluator, holds an engine.Tester.
type eval func(*cond.Scope) (any, error)

func (f eval) Eval(s *cond.Scope) (any, error) { return f(s) }

type holds func(*cond.Scope) (bool, error)

func (f holds) Test(s *cond.Scope) (bool, error) { return f(s) }

func value(v any) eval { return func(*cond.Scope) (any, error) { return v, nil } }

// node is a node of a dag that runs a component.
func node(id, component string, exec engine.Exec) engine.DAGNode {
	if exec == nil {
		exec = func(context.Context, engine.Input) (engine.Output, error) { return engine.Output{}, nil }
	}
	return engine.DAGNode{ID: id, Op: &engine.Op{Name: "node", Tool: component, OpenPrep: true, Idempotent: true, Meters: []string{"calls"}}, Exec: exec}
}

// dag runs its nodes one after the other.
func dag(t testing.TB, name string, nodes ...engine.DAGNode) *engine.Flow {
	t.Helper()
	d := engine.DAG{Name: name, Nodes: nodes, Starts: []string{nodes[0].ID}, Concurrency: 3}
	for i := 1; i < len(nodes); i++ {
		d.Edges = append(d.Edges, engine.DAGEdge{From: nodes[i-1].ID, Action: engine.DefaultAction, To: nodes[i].ID}, engine.DAGEdge{From: nodes[i-1].ID, Action: engine.ErrorAction, To: nodes[i].ID})
	}
	flow, err := engine.NewDAG(d)
	if err != nil {
		t.Fatal(err)
	}
	return flow
}

// started gives a collector, and an exporter that sends to it as the environment says.
func started(t *testing.T, environment map[string]string, answer func(*otlptest.Collector)) (*otlptest.Collector, *otlp.Exporter, context.Context) {
	t.Helper()
	c := otlptest.Start()
	t.Cleanup(c.Close)
	if answer != nil {
		answer(c)
	}
	e := exporter(c.URL, environment)
	return c, e, engine.WithTracer(t.Context(), e)
}

func exporter(url string, environment map[string]string) *otlp.Exporter {
	return otlp.New(otlp.Options{
		URL: func() string { return url }, Version: "v1.2.3",
		Getenv: func(name string) string { return environment[name] },
		Masks:  func() *mask.Masker { return mask.New(mask.Env("KEY", "sk-key-of-a-provider")) },
	})
}

// sent closes an exporter that is to have nothing to say, and gives what it sent.
func sent(t *testing.T, c *otlptest.Collector, e *otlp.Exporter) string {
	t.Helper()
	if warning := e.Close(time.Minute); warning != "" {
		t.Error(warning)
	}
	if err := c.Wrong(); err != nil {
		t.Error(err)
	}
	return c.Tree()
}

// TestSpansOfARun: every part of a run is a span under what it is in: items with their attempts, rounds, steps of an inner flow, of
// a run within a step, and calls of models.
func TestSpansOfARun(t *testing.T) {
	c, e, ctx := started(t, nil, nil)
	var tries atomic.Int32
	each := node("get", "http", func(_ context.Context, in engine.Input) (engine.Output, error) {
		if in.Index() == "1" && tries.Add(1) < 3 {
			return engine.Output{}, fault.New(fault.Unavailable, "not now")
		}
		return engine.Output{Meters: map[string]float64{"calls": 1}}, nil
	})
	each.Batch = &engine.Batch{Items: value([]any{"a", "b"})}
	each.Attempts, each.Concurrency = 3, 1
	poll := node("poll", "mcp.hub.look", nil)
	poll.Rounds, poll.Repeat = 5, &engine.Repeat{Store: value(map[string]any{}), Result: value(1), Until: holds(func(s *cond.Scope) (bool, error) { return s.Get("index") == 1, nil })}
	inner := node("call", "", nil)
	inner.Op, inner.Exec, inner.Flow = nil, nil, dag(t, "tidy-up", node("sweep", "delete-file", nil))
	nested := node("other", "workflow", func(ctx context.Context, _ engine.Input) (engine.Output, error) {
		_, err := engine.Execute(ctx, dag(t, "by-name", node("one", "template", nil)), nil, engine.Options{})
		return engine.Output{}, err
	})
	ask := node("ask", "llm", func(ctx context.Context, _ engine.Input) (engine.Output, error) {
		warm := 0.5
		otlp.Chat(ctx, &llm.Request{Temperature: &warm, MaxTokens: 100, Schema: &llm.Schema{}}, llm.Exchange{
			Model: "gemini/flash", AnsweredBy: "flash-002", Prompt: "discovery", FinishReason: "stop", LadderStep: "json_schema", Reply: "a secret reply",
			Messages: []llm.Message{{Role: "user", Content: "a secret question"}},
			Usage:    llm.Usage{Calls: 1, PromptTokens: 120, CompletionTokens: 7, CachedTokens: 20, CostUSD: 0.25, Priced: true},
		})
		otlp.Chat(ctx, &llm.Request{}, llm.Exchange{Model: "openai/gpt", Error: "they do not fit", Err: fault.New(fault.RateLimit, "they do not fit")})
		return engine.Output{}, fault.New(fault.Malformed, "it replied: a secret reply")
	})
	last := node("last", "read-file", func(context.Context, engine.Input) (engine.Output, error) {
		return engine.Output{}, fault.New(fault.NotFound, "no.txt: there is no such file")
	})
	_, err := engine.Execute(ctx, dag(t, "everything", node("a", "read-file", nil), each, poll, inner, nested, ask, last), nil, engine.Options{RunID: "20260101-000000-00000000"})
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/spans.txt")
	if err != nil {
		t.Fatal(err)
	}
	got := sent(t, c, e)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s\n%s", diff, got)
	}
	if strings.Contains(c.Bodies(), "a secret") {
		t.Errorf("what was said to a model and back is told: %s", c.Bodies())
	}
	if diff := cmp.Diff(map[string]any{"service.name": "pflow", "service.version": "v1.2.3"}, c.Resource()); diff != "" {
		t.Error(diff)
	}
	for _, s := range c.Spans() {
		if s.Trace != c.Spans()[0].Trace || s.Flags&1 == 0 {
			t.Errorf("%s: trace %s, flags %x", s.Name, s.Trace, s.Flags)
		}
	}
}

// memory is a journal that keeps what a run would be resumed from.
type memory struct {
	events  []engine.Event
	started map[int]engine.Attempt
}

func (m *memory) Begin(ev engine.Event) error { m.events = append(m.events, ev); return nil }
func (m *memory) Started(a engine.Attempt) error {
	m.started[a.ID] = a
	return nil
}
func (m *memory) Happened(ev engine.Event) error {
	delete(m.started, ev.ID)
	m.events = append(m.events, ev)
	return nil
}
func (m *memory) Ended(engine.Ending) error { return nil }

// TestResumedRunIsOfTheSameTrace: what goes on is in the trace of what began, tells nothing twice, and what ends in it that began
// before is the parent of what was told of before.
func TestResumedRunIsOfTheSameTrace(t *testing.T) {
	stop := errors.New("killed")
	j := &memory{started: map[int]engine.Attempt{}}
	ctx, kill := context.WithCancelCause(t.Context())
	resumed := false
	each := node("get", "http", func(_ context.Context, in engine.Input) (engine.Output, error) {
		if in.Index() == "1" && !resumed {
			kill(stop)
			return engine.Output{}, stop
		}
		return engine.Output{}, nil
	})
	each.Batch = &engine.Batch{Items: value([]any{"a", "b"})}
	flow := dag(t, "two", node("a", "read-file", nil), each)
	before, first, _ := started(t, nil, nil)
	_, _ = engine.Execute(engine.WithTracer(ctx, first), flow, nil, engine.Options{RunID: "R", Journal: j})
	_ = sent(t, before, first)
	var item otlptest.Span
	for _, s := range before.Spans() {
		if s.Attributes["pflow.step.index"] == "0" {
			item = s
		}
	}
	events := j.events
	for i, ev := range events {
		if ev.Kind == engine.EventCancel {
			events = events[:i]
			break
		}
	}
	resumed = true
	c, e, again := started(t, nil, nil)
	res, err := engine.Execute(again, flow, nil, engine.Options{RunID: "R", History: &engine.History{Events: events, Started: j.started}})
	if err != nil || res.Status != engine.Done {
		t.Fatal(res, err)
	}
	sent(t, c, e)
	var names []string
	for _, s := range c.Spans() {
		names = append(names, s.Name)
		if s.Trace != item.Trace {
			t.Errorf("%s is of trace %s, not %s", s.Name, s.Trace, item.Trace)
		}
		if s.Name == "step get" && s.ID != item.In {
			t.Errorf("step get is %s, and its first item was in %s", s.ID, item.In)
		}
		if strings.HasPrefix(s.Name, "invoke") && (s.Attributes["pflow.run.resumed"] != true || len(s.Links) != 1) {
			t.Errorf("%v, %v", s.Attributes, s.Links)
		}
	}
	if diff := cmp.Diff([]string{"execute_tool http", "step get", "invoke_workflow two"}, names); diff != "" {
		t.Error(diff)
	}
}

// TestParentOfAnotherProcess: a run is under the span that TRACEPARENT names, and where that is not sampled nothing is sent.
func TestParentOfAnotherProcess(t *testing.T) {
	const trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for given, want := range map[string]string{ // what the run's span is in
		"00-" + trace + "-" + parent + "-01":                    trace + " " + parent,
		"cc-" + trace + "-" + parent + "-01-what-comes-later":   trace + " " + parent,
		"00-" + trace + "-" + parent + "-00":                    "nothing",
		"00-" + trace + "-" + parent + "-01-more":               "another",
		"ff-" + trace + "-" + parent + "-01":                    "another",
		"00-" + strings.ToUpper(trace) + "-" + parent + "-01":   "another",
		"00-00000000000000000000000000000000-" + parent + "-01": "another",
		"00-" + trace + "-0000000000000000-01":                  "another",
		"00-" + trace[1:] + "-" + parent + "-01":                "another",
		"00-" + trace[1:] + "g-" + parent + "-01":               "another",
		"hello": "another", "": "another",
	} {
		c, e, ctx := started(t, map[string]string{"TRACEPARENT": given}, nil)
		if _, err := engine.Execute(ctx, dag(t, "d", node("a", "x", nil)), nil, engine.Options{RunID: "R"}); err != nil {
			t.Fatal(err)
		}
		sent(t, c, e)
		got := "nothing"
		for _, s := range c.Spans() {
			if strings.HasPrefix(s.Name, "invoke") {
				got = s.Trace + " " + s.In
				if s.In == "" {
					got = "another"
				}
				if remote := s.Flags&0x200 != 0; remote != (s.In != "") {
					t.Errorf("%q: flags %x", given, s.Flags)
				}
			}
		}
		if got != want {
			t.Errorf("%q: %s, want %s", given, got, want)
		}
	}
}

// TestSecretsAreNotTold: neither those of the run nor keys, wherever they come up.
func TestSecretsAreNotTold(t *testing.T) {
	c, e, ctx := started(t, map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": "api-key=header-value-1"}, nil)
	const secret, key = "s3cret-value-1234", "sk-key-of-a-provider"
	ctx = mask.With(ctx, func() *mask.Masker { return mask.New(mask.Env("TOKEN", secret)) })
	every := secret + " and " + key + " and header-value-1 " + strings.Repeat("x", 2000)
	fails := node("a", every, func(ctx context.Context, _ engine.Input) (engine.Output, error) {
		otlp.Chat(ctx, &llm.Request{}, llm.Exchange{Model: "openai/" + every, AnsweredBy: every, Prompt: every, FinishReason: every, Error: every, Err: fault.New(fault.Network, "%s", every)})
		return engine.Output{}, fault.New(fault.Network, "Get https://me:%s@host/?key=%s: %s", secret, key, every)
	})
	if _, err := engine.Execute(ctx, dag(t, every, fails), nil, engine.Options{RunID: "R"}); err != nil {
		t.Fatal(err)
	}
	sent(t, c, e)
	if len(c.Spans()) != 3 {
		t.Fatalf("%d spans", len(c.Spans()))
	}
	for _, text := range []string{secret, key, "header-value-1"} {
		if strings.Contains(c.Bodies(), text) {
			t.Errorf("%s is in %s", text, c.Bodies())
		}
	}
	if got := c.Requests()[0].Header.Get("api-key"); got != "header-value-1" {
		t.Errorf("api-key: %q", got)
	}
}
