package fault

import (
	"errors"
	"strings"
	"testing"
)

type thing struct{ n int }

func (t *thing) get() int { return t.n }

func TestGuard(t *testing.T) {
	if err := Guard(func() error { return nil }); err != nil {
		t.Error(err)
	}
	own := errors.New("own")
	if err := Guard(func() error { return own }); err != own {
		t.Error(err)
	}
	var none *thing
	var list []int
	for want, f := range map[string]func(){
		"nil pointer dereference, in pflow/internal/fault.(*thing).get (panic_test.go:": func() { none.get() },
		"index out of range [3] with length 0, in pflow/internal/fault.TestGuard.func":  func() { list[3]++ },
		"said so, in pflow/internal/fault.TestGuard.func":                               func() { panic("said so") },
		"an error, in pflow/internal/fault.TestGuard.func":                              func() { panic(errors.New("an error")) },
		"…, in pflow/internal/fault.TestGuard.func":                                     func() { panic(strings.Repeat("x", 5000)) },
		"outer, in pflow/internal/fault.TestGuard.func":                                 func() { defer func() { panic("outer") }(); panic("inner") },
		"panic called with nil argument":                                                func() { panic(nil) },
	} {
		err := Guard(func() error { f(); return nil })
		var e *Error
		if !errors.As(err, &e) || e.Kind != Bug || e.Kind.Temporary() || !strings.Contains(e.Message, want) || len(e.Details["stack"].([]any)) == 0 {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

func TestGo(t *testing.T) {
	broken := make(chan error, 1)
	Go(func() { panic("in a goroutine") }, func(err error) { broken <- err })
	if err := <-broken; !strings.Contains(err.Error(), "in a goroutine") {
		t.Error(err)
	}
	if got := <-Async(func() (int, error) { return 3, nil }); got.Value != 3 || got.Err != nil {
		t.Error(got)
	}
	if got := <-Async(func() (int, error) { panic("async") }); Of(got.Err).Kind != Bug {
		t.Error(got)
	}
}
