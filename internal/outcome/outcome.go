// Package outcome is how commands end that run workflows and flows, here or elsewhere: exit statuses, and what is printed of a
// result.
package outcome

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"pflow/engine"
	"pflow/internal/printable"
)

// The exit statuses. Where several apply: those of signals first, then usage, missing, declined, unplanned,
// failed.
const (
	Done        = 0
	Failed      = 1   // a run failed or hit a limit, a test or a check found a fault, or whatever is not named here
	Usage       = 2   // usage, or an invalid document
	Missing     = 3   // input is missing
	Declined    = 4   // declined, waiting for approval, or a resume that needs a decision
	Unplanned   = 5   // no workflow could be planned
	Gate        = 100 // an experiment's gate
	HungUp      = 129 // SIGHUP, unless it was ignored when pflow began, as under nohup
	Interrupted = 130 // SIGINT
	Terminated  = 143 // SIGTERM
)

// Error ends the program with a status. An empty message was shown already.
type Error struct {
	Code    int
	Message string
	Do      string // what to do about it at a terminal, as it follows the message there
	Absent  bool   // what was named is not there
	Flag    string // the flag that the message is of, which comes before it at a terminal: "since"
	Value   string // of the flag, as it is said there, where the message does not say it

	// What it would take, of what was declined for nothing else.
	Repeats  bool // to agree that it may repeat effects: --retry
	Destroys bool // to agree that it destroys what is there: --yes=destructive
}

func (e *Error) Error() string {
	of := ""
	if e.Flag != "" {
		of = strings.TrimSpace("--"+e.Flag+" "+e.Value) + ": "
	}
	return of + e.Message + e.Do
}

// Fail is the error that ends the program with a status.
func Fail(code int, format string, args ...any) error {
	e := &Error{Code: code, Message: fmt.Sprintf(format, args...)}
	for _, arg := range args {
		var why interface{ Absent() bool }
		if err, ok := arg.(error); ok && errors.As(err, &why) {
			e.Absent = why.Absent()
		}
	}
	return e
}

// Advise adds what to do at a terminal to an error that ends the program.
func Advise(err error, format string, args ...any) error {
	var e *Error
	if errors.As(err, &e) {
		e.Do += fmt.Sprintf(format, args...)
	}
	return err
}

// Failure says why a run failed.
func Failure(e *engine.RunError) string {
	text := e.Error() + " [" + e.Kind + "]"
	if p := e.Place.String(); p != "" {
		text = p + ": " + text
	}
	if e.Attempts > 1 {
		text += fmt.Sprintf(", after %d attempts", e.Attempts)
	}
	return text
}

// JSON writes a document as JSON. Who looks at it later on a terminal is not steered by it.
func JSON(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(printable.JSON(b.Bytes()))
	return err
}

// Outputs writes the outputs of a workflow: a single text as it is, a single list of texts one a line, anything else as JSON.
func Outputs(w io.Writer, outputs map[string]any) error {
	if len(outputs) == 1 {
		for _, v := range outputs {
			if list, ok := v.([]any); ok {
				if lines, ok := linesOf(list); ok {
					v = lines
				}
			}
			if text, ok := v.(string); ok {
				if text != "" && !strings.HasSuffix(text, "\n") {
					text += "\n"
				}
				_, err := io.WriteString(w, text)
				return err
			}
			return JSON(w, v, "  ")
		}
	}
	if len(outputs) == 0 {
		return nil
	}
	return JSON(w, outputs, "  ")
}

// linesOf is a list of texts, one a line; not ok where it is empty or an item is no text of one line, which lines would not tell.
func linesOf(list []any) (string, bool) {
	lines := make([]string, len(list))
	for k, item := range list {
		text, ok := item.(string)
		if !ok || strings.ContainsAny(text, "\r\n") {
			return "", false
		}
		lines[k] = text
	}
	return strings.Join(lines, "\n"), len(list) > 0
}
