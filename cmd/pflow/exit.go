package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"pflow/internal/diag"
	"pflow/internal/outcome"
)

// The exit statuses.
const (
	exitDone        = outcome.Done
	exitFailed      = outcome.Failed
	exitUsage       = outcome.Usage
	exitMissing     = outcome.Missing
	exitDeclined    = outcome.Declined
	exitUnplanned   = outcome.Unplanned
	exitGate        = outcome.Gate
	exitHungUp      = outcome.HungUp
	exitInterrupted = outcome.Interrupted
	exitTerminated  = outcome.Terminated
)

// exitError ends the program with a status. An empty message was shown already.
type exitError = outcome.Error

func fail(code int, format string, args ...any) error { return outcome.Fail(code, format, args...) }

// usage is the error of a command line that cannot be meant.
func usage(format string, args ...any) error { return fail(exitUsage, format, args...) }

// ofFlag is the error of what a flag was given: value as a terminal shows it, "" where the message does.
func ofFlag(flag, value, format string, args ...any) error {
	return &exitError{Code: exitUsage, Flag: flag, Value: value, Message: fmt.Sprintf(format, args...)}
}

// absent is the error of a name that stands for nothing; list is the command that shows those that do, said where no name is near.
func absent(name string, names []string, list, format string, args ...any) error {
	err := &exitError{Code: exitUsage, Message: fmt.Sprintf(format, args...) + didYouMean(name, names), Absent: true}
	if diag.Nearest(name, names) == "" {
		err.Do = "; " + list + " shows those there are"
	}
	return err
}

// status shows an error and gives the exit status that stands for it.
func (a *app) status(err error) int {
	var exit *exitError
	var invalid *diag.Err
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &exit):
		text := exit.Error()
		if a.failed != nil {
			text = exit.Message
			a.failed(exit)
		}
		if text != "" {
			a.say(styled{codeRed, "pflow:"}, " "+text+"\n")
		}
		return exit.Code
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
