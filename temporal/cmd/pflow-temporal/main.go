// Command pflow-temporal runs pflow's workflows and flows on Temporal: it is the backend "temporal" of pflow run --on, and the
// worker that carries their steps out.
package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"pflow/internal/fault"
)

func main() {
	a := newApp(os.Stdin, os.Stdout, os.Stderr, os.Getenv)
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	fault.Go(func() {
		cancel(&signalled{<-signals})
		signal.Stop(signals) // a second one ends the process as signals do
	}, func(err error) { cancel(err) })
	os.Exit(a.main(ctx, os.Args[1:]))
}

// signalled is the cause of a context that a signal ended.
type signalled struct{ os.Signal }

func (s *signalled) Error() string { return "stopped by " + s.String() }

// interrupted reports whether a signal ended the context, and by which status that is told.
func interrupted(ctx context.Context) (int, bool) {
	var s *signalled
	if !errors.As(context.Cause(ctx), &s) {
		return 0, false
	}
	if s.Signal == syscall.SIGTERM {
		return 143, true
	}
	return 130, true
}
