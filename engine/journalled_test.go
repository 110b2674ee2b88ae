package engine_test

import (
	"context"
	"errors"
	"testing"

	"golang.org/x/tools/txtar"

	"pflow/engine"
	"pflow/engine/enginetest"
	"pflow/engine/journal"
)

// fullDisk is a journal whose start cannot be written.
type fullDisk struct{ *journal.Writer }

var errFull = errors.New("no space left on device")

func (fullDisk) Begin(engine.Event) error { return errFull }

// TestJournalledBeginsOnlyKept: what runs by itself must not run unless it is known that it did.
func TestJournalledBeginsOnlyKept(t *testing.T) {
	ran := 0
	op := engine.Op{Name: "count", OpenPrep: true, New: func(*engine.Setup) engine.Exec {
		return func(context.Context, engine.Input) (engine.Output, error) { ran++; return engine.Output{}, nil }
	}}
	flow, _ := enginetest.Load(t, txtar.Parse([]byte("-- flow.yaml --\nflow: f\nversion: 1\nnodes: {a: {op: count, next: end}}\n")), []engine.Op{op})
	for _, journalled := range []bool{true, false} {
		ran = 0
		res, err := engine.Execute(context.Background(), flow, nil, engine.Options{Journal: fullDisk{}, Journalled: journalled})
		switch {
		case journalled && (ran != 0 || !errors.Is(err, errFull)):
			t.Errorf("it ran %d times: %v", ran, err)
		case !journalled && (ran != 1 || err != nil || !errors.Is(res.Lost, errFull)):
			t.Errorf("it ran %d times: %v %+v", ran, err, res)
		}
	}
}
