package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"pflow/internal/diag"
)

// The exit statuses. Where several apply: those of signals first, then usage, missing, declined, unplanned,
// failed.
const (
	exitDone        = 0
	exitFailed      = 1   // a run failed or hit a limit, a test or a check found a fault, or whatever is not named here
	exitUsage       = 2   // usage, or an invalid document
	exitMissing     = 3   // input is missing
	exitDeclined    = 4   // declined, waiting for approval, or a resume that needs a decision
	exitUnplanned   = 5   // no workflow could be planned
	exitGate        = 100 // an experiment's gate
	exitHungUp      = 129 // SIGHUP, unless it was ignored when pflow began, as under nohup
	exitInterrupted = 130 // SIGINT
	exitTerminated  = 143 // SIGTERM
)

// exitError ends the program with a status. An empty message was shown already.
type exitError struct {
	code    int
	message string
}

func (e *exitError) Error() string { return e.message }

func fail(code int, format string, args ...any) error {
	return &exitError{code, fmt.Sprintf(format, args...)}
}

// usage is the error of a command line that cannot be meant.
func usage(format string, args ...any) error { return fail(exitUsage, format, args...) }

// status shows an error and gives the exit status that stands for it.
func (a *app) status(err error) int {
	var exit *exitError
	var invalid *diag.Err
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &exit):
		if exit.message != "" {
			a.say(styled{codeRed, "pflow:"}, " "+exit.message+"\n")
		}
		return exit.code
	case errors.As(err, &invalid):
		fmt.Fprint(a.stderr, invalid.List.Text())
		return exitUsage
	}
	a.say(styled{codeRed, "pflow:"}, " "+err.Error()+"\n")
	return exitFailed // what nobody classed is no fault of the command line
}

// interrupted is the status for a signal that ended the program.
func interrupted(ctx context.Context) (int, bool) {
	var s *signalError
	if !errors.As(context.Cause(ctx), &s) {
		return 0, false
	}
	switch s.signal {
	case syscall.SIGTERM:
		return exitTerminated, true
	case syscall.SIGHUP:
		return exitHungUp, true
	}
	return exitInterrupted, true
}

// signalError is the cause of a context that a signal ended.
type signalError struct{ signal os.Signal }

func (e *signalError) Error() string { return "stopped by " + e.signal.String() }
