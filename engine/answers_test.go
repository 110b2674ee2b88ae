package engine_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pflow/engine"
	"pflow/internal/value"
)

// TestAnswers runs flows that ask a steady op, with and without what they share.
func TestAnswers(t *testing.T) {
	var asked atomic.Int64
	var fails atomic.Bool
	count := engine.Op{
		Name: "count", Prep: []engine.Field{{Name: "of", Type: value.Any}}, With: []engine.Field{{Name: "by", Type: value.Integer, Default: 1}},
		Result: value.Any, Idempotent: true, Instant: true, Steady: true,
		New: func(s *engine.Setup) engine.Exec {
			by := s.Value("by")
			return func(_ context.Context, in engine.Input) (engine.Output, error) {
				asked.Add(1)
				if fails.Load() {
					return engine.Output{}, errors.New("not now")
				}
				return engine.Output{Result: map[string]any{"of": in.Prep["of"], "by": by, "at": in.Now.Format(time.RFC3339)}}, nil
			}
		},
	}
	load := func(by string) *engine.Flow {
		l := &engine.Loader{Ops: engine.NewRegistry(count)}
		f, found := l.Load(engine.Document{Kind: engine.FlowDocument, Name: "counts", Path: "counts.yaml", Data: []byte(`flow: counts
version: 1
state: {of: {type: any, default: a}, out: {type: any, default: null}}
nodes:
  count: {op: count, prep: [of], with: {by: ` + by + `}, post: {out: result}, next: end}
`)})
		if err := found.Err(); err != nil {
			t.Fatal(err)
		}
		return f
	}
	one, two := load("1"), load("2")
	noon := time.Date(2024, 1, 15, 12, 0, 0, 0, time.UTC)
	run := func(ctx context.Context, f *engine.Flow, of any, began time.Time) string {
		t.Helper()
		res, err := engine.Execute(ctx, f, map[string]any{"of": of}, engine.Options{Began: began})
		if err != nil {
			t.Fatal(err)
		}
		return value.JSON(res.Store["out"])
	}
	with := func(a *engine.Answers) context.Context { return engine.WithAnswers(context.Background(), a) }
	shared := &engine.Answers{}
	for _, c := range []struct {
		about string
		ctx   context.Context
		flow  *engine.Flow
		of    any
		began time.Time
		fails bool
		asked int64
		out   string
	}{
		{"an error", with(shared), one, "x", noon, true, 1, `null`},
		{"is no answer", with(shared), one, "x", noon, false, 1, `{"at":"2024-01-15T12:00:00Z","by":1,"of":"x"}`},
		{"the same again", with(shared), one, "x", noon, false, 0, `{"at":"2024-01-15T12:00:00Z","by":1,"of":"x"}`},
		{"the same by another flow", with(shared), load("1"), "x", noon, false, 0, `{"at":"2024-01-15T12:00:00Z","by":1,"of":"x"}`},
		{"another prep", with(shared), one, "y", noon, false, 1, `{"at":"2024-01-15T12:00:00Z","by":1,"of":"y"}`},
		{"another option", with(shared), two, "x", noon, false, 1, `{"at":"2024-01-15T12:00:00Z","by":2,"of":"x"}`},
		{"another instant", with(shared), one, "x", noon.Add(time.Hour), false, 1, `{"at":"2024-01-15T13:00:00Z","by":1,"of":"x"}`},
		{"others", with(&engine.Answers{}), one, "x", noon, false, 1, `{"at":"2024-01-15T12:00:00Z","by":1,"of":"x"}`},
		{"nothing shared", context.Background(), one, "x", noon, false, 1, `{"at":"2024-01-15T12:00:00Z","by":1,"of":"x"}`},
	} {
		asked.Store(0)
		fails.Store(c.fails)
		if out := run(c.ctx, c.flow, c.of, c.began); out != c.out || asked.Load() != c.asked {
			t.Errorf("%s: asked %d times, want %d; got %s, want %s", c.about, asked.Load(), c.asked, out, c.out)
		}
	}
	asked.Store(0)
	together := with(&engine.Answers{})
	var runs sync.WaitGroup
	for range 8 {
		runs.Go(func() { run(together, one, "z", noon) })
	}
	runs.Wait()
	if asked.Load() != 1 {
		t.Errorf("8 runs at once asked %d times", asked.Load())
	}
}
