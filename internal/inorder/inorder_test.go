package inorder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"testing"
)

// TestRun: results come in the order of the work, no more than so much is under way, and what panics is told.
func TestRun(t *testing.T) {
	const n = 4
	var under, most atomic.Int32
	i := 0
	var got []string
	first, second := Run(t.Context(), n, func() (Work[string], error) {
		if i == 50 {
			return Work[string]{}, io.EOF
		}
		i++
		me := i
		return Work[string]{
			Do: func() string {
				now := under.Add(1)
				defer under.Add(-1)
				for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
				}
				if me == 7 {
					panic("seven")
				}
				return fmt.Sprint(me)
			},
			Broke: func(error) string { return "broke" },
		}, nil
	}, func(s string) error { got = append(got, s); return nil })
	if first != nil || second != nil || len(got) != 50 {
		t.Fatalf("%v, %v, %d results", first, second, len(got))
	}
	for k, s := range got {
		if want := fmt.Sprint(k + 1); s != want && !(k == 6 && s == "broke") {
			t.Errorf("result %d is %s", k+1, s)
		}
	}
	if most.Load() > n {
		t.Errorf("%d were under way at the same time, want at most %d", most.Load(), n)
	}
}

// TestRunEnds: an error of the source and of the results is told, a context ends the source, and all that was begun ends.
func TestRunEnds(t *testing.T) {
	bad, full := errors.New("bad line"), errors.New("disk full")
	i := 0
	next := func() (Work[int], error) {
		if i++; i > 3 {
			return Work[int]{}, bad
		}
		return Work[int]{Do: func() int { return 1 }}, nil
	}
	if first, second := Run(t.Context(), 2, next, func(int) error { return full }); first != bad || second != full {
		t.Errorf("%v, %v", first, second)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := 0
	first, second := Run(ctx, 1, func() (Work[int], error) {
		return Work[int]{Do: func() int { cancel(); return 1 }}, nil
	}, func(int) error { done++; return nil })
	if first != nil || second != nil || done == 0 {
		t.Errorf("%v, %v, %d done", first, second, done)
	}
}
