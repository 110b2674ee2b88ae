package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"pflow/internal/outcome"
)

// Error is why a call or a page is refused or fails.
type Error struct {
	Status  int    // of HTTP
	Message string // what is wrong
	Where   string // which param or place, "" if the message says it
	Do      string // what to do, "" if the message says it
	Exit    int    // the exit status of the command, 0 where none ran

	Terminal string // what to do at a terminal, if it is another thing

	stale bool // what was shown to be let in was let in once, or might have been
}

func (e *Error) Error() string {
	text := e.Message
	if e.Where != "" {
		text = e.Where + ": " + text
	}
	if e.Do != "" {
		text += "; " + e.Do
	}
	return text
}

// labelled is the error in the words of a form: what the message is of is called as its field there.
func (e *Error) labelled(labels map[string]string) *Error {
	told := *e
	if label := labels[e.Where]; label != "" {
		told.Where, told.Message = "", "“"+label+"”: "+e.Message
	}
	return &told
}

// asError is an error as the API and the pages tell of it.
func asError(err error) *Error {
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Status: http.StatusInternalServerError, Message: err.Error()}
	}
	return e
}

// Result is what a command came to.
type Result struct {
	Ended
	Stdout   []byte
	Messages []string // the lines of its standard error
	Param    string   // what the message is of, "" if it is of none
}

// decode reads the document of a command.
func (r *Result) decode(into any) error {
	d := json.NewDecoder(bytes.NewReader(r.Stdout))
	d.UseNumber()
	return d.Decode(into)
}

// document is what a command printed, as a part of a document: its JSON, a text, or nil.
func (r *Result) document() any {
	switch text := bytes.TrimSpace(r.Stdout); {
	case json.Valid(text):
		return json.RawMessage(text)
	case len(text) > 0:
		return string(text)
	}
	return nil
}

// statusOf is the status of HTTP for a command that ended so. A document of a run that failed is an answer all the same.
func statusOf(exit int, document bool) int {
	switch {
	case exit == outcome.Done || document:
		return http.StatusOK
	case exit == outcome.Usage, exit == outcome.Missing:
		return http.StatusBadRequest
	case exit == outcome.Declined, exit == outcome.Unplanned:
		return http.StatusConflict
	}
	return http.StatusInternalServerError
}

// endpoint gives the endpoint of a name; there is one, or the program is wrong.
func (s *Server) endpoint(name string) *Endpoint {
	e, ok := s.byName[name]
	if !ok {
		panic("web: there is no endpoint " + name)
	}
	return e
}

// carry carries a call out and waits for its end.
func (s *Server) carry(ctx context.Context, e *Endpoint, given Params, begun func(string)) (*Result, error) {
	c, err := e.command(given)
	if err != nil {
		return nil, err
	}
	var out, messages bytes.Buffer
	c.Stdout, c.Stderr, c.Begun = &out, &messages, begun
	ended := s.commands.Carry(ctx, c)
	return e.result(ended, out.Bytes(), messages.String()), nil
}

// result is what a command of the endpoint came to.
func (e *Endpoint) result(ended Ended, out []byte, messages string) *Result {
	return &Result{ended, out, linesOf(messages), e.paramOf(ended.Flag)}
}

func linesOf(text string) []string {
	text = strings.TrimSpace(text)
	if text == "" {
		return []string{}
	}
	return strings.Split(text, "\n")
}

// failure is the error of a command that printed no document.
func (r *Result) failure() *Error {
	message := strings.TrimPrefix(strings.Join(r.Messages, "\n"), "pflow: ")
	switch {
	case r.Param != "": // what was warned of before is no part of it
		message = r.Message
	case message == "":
		message = fmt.Sprintf("the command ended with exit status %d", r.Exit)
	}
	e := &Error{Status: statusOf(r.Exit, false), Message: message, Where: r.Param, Exit: r.Exit, Terminal: strings.TrimLeft(r.Do, ":; \n")}
	if r.Absent {
		e.Status = http.StatusNotFound
	}
	return e
}

// Call carries a call out for a view and decodes its document. A document that says what failed is no error.
func (s *Server) Call(ctx context.Context, name string, given Params, into any) error {
	r, err := s.carry(ctx, s.endpoint(name), given, nil)
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(r.Stdout)) == 0 && r.Exit != outcome.Done {
		return r.failure()
	}
	if into == nil {
		return nil
	}
	if err := r.decode(into); err != nil {
		return &Error{Status: http.StatusInternalServerError, Message: fmt.Sprintf("the answer of %s cannot be read: %v", name, err)}
	}
	return nil
}
