package fault

import (
	"fmt"
	"path"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// Guard calls f. A panic in it is its error, of kind bug: it says where it came from, and Details has the stack.
func Guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(p)
		}
	}()
	return f()
}

// Go calls f in a goroutine of its own, which is the only way to start one: a panic there would end the process, and with
// it all that runs beside. broken is given the error of a panic; it does for those who wait on f what f no longer does.
func Go(f func(), broken func(error)) {
	go func() {
		if err := Guard(func() error { f(); return nil }); err != nil {
			broken(err)
		}
	}()
}

// Outcome is what a call gave.
type Outcome[T any] struct {
	Value T
	Err   error
}

// Async calls f in a goroutine of its own. Its outcome comes on the channel, whether anybody still reads it or not.
func Async[T any](f func() (T, error)) <-chan Outcome[T] {
	got := make(chan Outcome[T], 1)
	Go(func() {
		v, err := f()
		got <- Outcome[T]{v, err}
	}, func(err error) { got <- Outcome[T]{Err: err} })
	return got
}

// What is told of a panic.
const (
	maxPanic = 300 // of its value, in bytes
	maxStack = 30  // functions
)

// panicked is the error of a panic that was recovered; it is called by the function that recovered it.
func panicked(p any) *Error {
	text := strings.ToValidUTF8(fmt.Sprint(p), "\uFFFD")
	if len(text) > maxPanic {
		text = strings.ToValidUTF8(text[:maxPanic], "") + "…"
	}
	stack := stackOfPanic()
	where := "an unknown place"
	if len(stack) > 0 {
		where, _ = stack[0].(string)
	}
	return &Error{Kind: Bug, Details: map[string]any{"stack": stack},
		Message: fmt.Sprintf("this is a bug in pflow, not in what you gave it: %s, in %s; please report it: this message, the command, "+
			"and the output of pflow version", text, where)}
}

// stackOfPanic lists the functions that were under way when a panic came, the one it came from first.
func stackOfPanic() []any {
	pcs := make([]uintptr, 100)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	stack := []any{}
	for past, more := false, true; more && len(stack) < maxStack; {
		var f runtime.Frame
		f, more = frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			past, stack = true, stack[:0] // of panics within panics the outermost speaks
		case past && !strings.HasPrefix(f.Function, "runtime."):
			stack = append(stack, fmt.Sprintf("%s (%s:%d)", f.Function, path.Base(f.File), f.Line))
		}
	}
	return stack
}

// Each calls f with each number below n, on all processors at the same time, and gives the error of each when all are done.
// That of a panic is of kind bug.
func Each(n int, f func(i int) error) []error {
	errs := make([]error, n)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Add(1)
		Go(func() {
			defer workers.Done()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				errs[i] = Guard(func() error { return f(i) })
			}
		}, func(error) {}) // what may panic is guarded one by one
	}
	workers.Wait()
	return errs
}
