package llmtest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Server answers from a script. Its methods may be called at any time.
type Server struct {
	URL     string // without /v1
	server  *httptest.Server
	reject  []string
	answers func(*Request) *Reply
	closed  chan struct{}
	once    sync.Once

	mu       sync.Mutex
	replies  []*compiled
	requests []*Request
}

// Start starts a server on loopback. Close ends it.
func Start(script Script) (*Server, error) {
	replies, err := compile(script)
	if err != nil {
		return nil, err
	}
	s := &Server{reject: script.Reject, answers: script.Answer, replies: replies, closed: make(chan struct{})}
	s.server = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.server.URL
	return s, nil
}

// New starts a server for a test, which fails if at its end replies are left, or requests had none.
func New(t testing.TB, script Script) *Server {
	t.Helper()
	s, err := Start(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		if err := s.Unused(); err != nil && !t.Failed() {
			t.Error(err)
		}
	})
	return s
}

// BaseURL is what a client takes as the base URL of the endpoint.
func (s *Server) BaseURL() string { return s.URL + "/v1" }

// Close ends the server, and requests that wait for an answer.
func (s *Server) Close() {
	s.once.Do(func() { close(s.closed) })
	s.server.CloseClientConnections()
	s.server.Close()
}

// Requests are those that came so far, in order.
func (s *Server) Requests() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*Request{}, s.requests...)
}

// Unused reports replies that were never asked for and requests that had no reply, or is nil.
func (s *Server) Unused() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for i, r := range s.replies {
		if r.left > 0 {
			errs = append(errs, fmt.Errorf("llm server: the reply %d (%s) was given %d times, %d are left", i, r, r.used, r.left))
		}
	}
	for i, r := range s.requests {
		if !r.Answered {
			errs = append(errs, fmt.Errorf("llm server: the request %d has no reply in the script: %s", i, describe(r)))
		}
	}
	return errors.Join(errs...)
}

func describe(r *Request) string {
	last := ""
	if n := len(r.Messages); n > 0 {
		last = r.Messages[n-1].Content
	}
	if len(last) > 300 {
		last = strings.ToValidUTF8(last[:300], "") + "…"
	}
	return fmt.Sprintf("%s, model %q, schema %q, %d messages, the last: %q", r.Path, r.Model, r.Schema, len(r.Messages), last)
}

// take finds the reply of a request and uses it up.
func (s *Server) take(r *Request) (reply *compiled, rejected string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answers != nil {
		if reply := s.answers(r); reply != nil {
			return &compiled{Reply: *reply}, ""
		}
	}
	s.requests = append(s.requests, r)
	if rejected := r.rejected(s.reject); rejected != "" {
		r.Answered = true
		return nil, rejected
	}
	for _, c := range s.replies {
		if !c.fits(r) {
			continue
		}
		if c.left > 0 {
			c.left--
		}
		c.used++
		r.Answered = true
		return c, ""
	}
	return nil, ""
}

func (s *Server) serve(w http.ResponseWriter, h *http.Request) {
	data, err := io.ReadAll(h.Body)
	if err != nil {
		return
	}
	r, err := readRequest(h.URL.Path, h.Header, data)
	if err == nil && (h.Method != http.MethodPost || h.URL.Path != "/v1/chat/completions") {
		err = fmt.Errorf("%s %s: want POST /v1/chat/completions", h.Method, h.URL.Path)
	}
	if err != nil {
		s.mu.Lock()
		s.requests = append(s.requests, r)
		s.mu.Unlock()
		sendError(w, http.StatusInternalServerError, "the scripted server: "+err.Error(), "unexpected")
		return
	}
	c, rejected := s.take(r)
	if rejected != "" {
		sendError(w, http.StatusBadRequest, "Invalid parameter: '"+parameterOf(rejected)+"' is not supported with this model.", "invalid_request_error")
		return
	}
	if c == nil {
		sendError(w, http.StatusInternalServerError, "the scripted server has no reply for "+describe(r), "unexpected")
		return
	}
	if !s.wait(h, c.Delay) {
		panic(http.ErrAbortHandler)
	}
	s.answer(w, h, r, c)
}

// wait passes a delay; false if client or server are gone before.
func (s *Server) wait(h *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-h.Context().Done():
	case <-s.closed:
	}
	return false
}

// parameterOf names a feature as an endpoint's complaint does.
func parameterOf(feature string) string {
	switch feature {
	case "strict_json_schema":
		return "response_format.json_schema.strict' of type 'json_schema"
	case "json_schema", "json_object":
		return "response_format' of type '" + feature
	}
	return feature
}
