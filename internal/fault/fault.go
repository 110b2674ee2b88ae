// Package fault is the one form of a run-time error: a kind from the flow language's closed vocabulary, a message for
// the user, and the cause. Retry policies, catch edges and exit statuses look at the kind and never at the text.
package fault

import (
	"context"
	"errors"
	"fmt"

	"pflow/internal/diag"
)

// Kind names a class of errors. A kind that is not listed here counts as temporary, so that an op may name its own.
type Kind string

// Temporary kinds: trying again may help.
const (
	Timeout     Kind = "timeout"
	Network     Kind = "network"
	Unavailable Kind = "unavailable"
	RateLimit   Kind = "rate_limit"
	Truncated   Kind = "truncated"
	Malformed   Kind = "malformed"
	Failure     Kind = "error" // an error that says no kind of its own
)

// Permanent kinds: the same attempt would fail the same way.
const (
	Type           Kind = "type"
	MissingKey     Kind = "missing_key"
	InvalidRequest Kind = "invalid_request"
	NotFound       Kind = "not_found"
	Permission     Kind = "permission"
	ExitStatus     Kind = "exit_status"
	Authentication Kind = "authentication"
	Quota          Kind = "quota"
	ContextLength  Kind = "context_length"
	Refused        Kind = "refused"
	Schema         Kind = "schema"
	Unpriced       Kind = "unpriced"
	Exhausted      Kind = "exhausted" // every round of a node that repeats was spent
	Uncertain      Kind = "uncertain" // it may have been done, and must not be done twice
	Bug            Kind = "bug"       // of pflow itself: see Guard
)

// Kinds that end a run: never retried, never caught, never handed to a fallback.
const (
	Cancelled Kind = "cancelled"
	Limit     Kind = "limit"
)

var permanent = map[Kind]bool{
	Type: true, MissingKey: true, InvalidRequest: true, NotFound: true, Permission: true, ExitStatus: true,
	Authentication: true, Quota: true, ContextLength: true, Refused: true, Schema: true, Unpriced: true, Exhausted: true, Uncertain: true, Bug: true,
	Cancelled: true, Limit: true,
}

// Temporary reports whether trying again may help.
func (k Kind) Temporary() bool { return !permanent[k] }

// Final reports whether an error of this kind ends the run whatever the flow says.
func (k Kind) Final() bool { return k == Cancelled || k == Limit }

// Error is an error with a kind. Message is written for the user: what is wrong, where, what to do.
type Error struct {
	Kind    Kind
	Message string
	Cause   error
	Details map[string]any // what else an op knows of it, normalised; expressions see it as error.details

	// Place is where it was raised, such as the operation of an expression that failed; zero if that is not known. With
	// Path it counts within the text there.
	Place diag.Place
	Path  string // in the node of a workflow: params.expression, retry.attempts
}

// New makes an error of a kind; the last argument that is an error becomes the cause.
func New(kind Kind, format string, args ...any) *Error {
	e := &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
	for _, a := range args {
		if err, ok := a.(error); ok {
			e.Cause = err
		}
	}
	return e
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Cause }

// Of reads any error as an Error: its own kind if it has one, cancelled and timeout for the context's errors, else
// Failure. Of(nil) is nil.
func Of(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	switch {
	case errors.As(err, &e):
		if e.Message == err.Error() {
			return e
		}
		return &Error{Kind: e.Kind, Message: err.Error(), Cause: err, Details: e.Details, Place: e.Place, Path: e.Path}
	case errors.Is(err, context.Canceled):
		return &Error{Kind: Cancelled, Message: err.Error(), Cause: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Kind: Timeout, Message: err.Error(), Cause: err}
	}
	return &Error{Kind: Failure, Message: err.Error(), Cause: err}
}
