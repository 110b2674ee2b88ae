package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"syscall"

	"pflow/internal/fault"
)

// Bounds on what a server may send. A server that says more is not read on.
const (
	maxMessage  = 16 << 20  // bytes of one message
	maxBytes    = 128 << 20 // bytes, and
	maxMessages = 10_000    // messages until the next answer to a call is there
	maxNested   = 10_000    // brackets that are open at once: deeper nesting takes a decoder's stack
	maxNoise    = 20        // lines that are no messages, as servers print that log to their standard output
	shownNoise  = 200       // bytes of one of these lines, in an error
)

// meter counts what a server sends. Its first complaint ends the reading and explains what fails then.
type meter struct {
	mu       sync.Mutex
	bytes    int
	messages int
	nested   int
	noise    []string // lines that were left out
	wrong    error
	over     string // whether the output ended by itself ("ended"), or was no longer read ("closed")
}

// ended and closed note how the reading came to its end; what comes first holds.
func (m *meter) ended()  { m.end("ended") }
func (m *meter) closed() { m.end("closed") }

func (m *meter) end(how string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over == "" {
		m.over = how
	}
}

// endedItself reports whether the output ended before anybody closed it.
func (m *meter) endedItself() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.over == "ended"
}

// rest starts counting anew: the server has answered.
func (m *meter) rest() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bytes, m.messages = 0, 0
}

// complain keeps the first reason why the server is not read on.
func (m *meter) complain(err error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.wrong == nil {
		m.wrong = err
	}
	return m.wrong
}

// complaint is the first line that was no message, and why the server is not read on; "" and nil where there is nothing.
func (m *meter) complaint() (noise string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.noise) > 0 {
		noise = m.noise[0]
	}
	return noise, m.wrong
}

// count takes note of bytes that came. Brackets within texts count, too: no text holds thousands that nothing closes.
func (m *meter) count(p []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bytes += len(p)
	for _, c := range p {
		switch c {
		case '\n':
			m.messages++
		case '{', '[':
			m.nested++
		case '}', ']':
			m.nested = max(0, m.nested-1)
		}
		if m.nested > maxNested {
			return m.first("it sent values that are nested more than %d deep", maxNested)
		}
	}
	switch {
	case m.wrong != nil:
		return m.wrong
	case m.bytes > maxBytes:
		return m.first("it sent more than %d MB that answer nothing", maxBytes>>20)
	case m.messages > maxMessages:
		return m.first("it sent more than %d messages that answer nothing", maxMessages)
	}
	return nil
}

func (m *meter) first(format string, args ...any) error {
	if m.wrong == nil {
		m.wrong = fault.New(fault.Malformed, format, args...)
	}
	return m.wrong
}

// lines reads messages, one a line, from the standard output of a program. What is no message is left out, but not without
// end. It is an io.ReadCloser.
type lines struct {
	from  io.ReadCloser
	meter *meter
	buf   []byte // what was read and not given yet: ready bytes of it are whole messages
	ready int
	raw   []byte // a line that has no end yet
	err   error
}

func (l *lines) Read(p []byte) (int, error) {
	for l.ready == 0 && l.err == nil {
		l.fill()
	}
	if l.ready == 0 {
		return 0, l.err
	}
	n := copy(p, l.buf[:l.ready])
	l.buf, l.ready = l.buf[n:], l.ready-n
	return n, nil
}

// fill reads on and takes whole lines.
func (l *lines) fill() {
	chunk := make([]byte, 32<<10)
	n, err := l.from.Read(chunk)
	if n > 0 {
		if e := l.meter.count(chunk[:n]); e != nil {
			l.err = e
			return
		}
		l.raw = append(l.raw, chunk[:n]...)
	}
	l.buf = l.buf[:0:0]
	for {
		at := bytes.IndexByte(l.raw, '\n')
		if at < 0 {
			break
		}
		l.take(l.raw[:at+1])
		l.raw = l.raw[at+1:]
		if l.err != nil {
			return
		}
	}
	if len(l.raw) > maxMessage {
		l.err = l.meter.complain(fault.New(fault.Malformed, "it sent a message of more than %d MB", maxMessage>>20))
		return
	}
	l.ready = len(l.buf)
	if err != nil {
		l.meter.ended()
		l.err = err
	}
}

// take adds one line to what is given on, if it is a message.
func (l *lines) take(line []byte) {
	text := bytes.TrimSpace(line)
	switch {
	case len(text) == 0:
	case len(text) > maxMessage:
		l.err = l.meter.complain(fault.New(fault.Malformed, "it sent a message of more than %d MB", maxMessage>>20))
	case text[0] == '{':
		l.buf = append(append(l.buf, text...), '\n')
	default:
		l.meter.mu.Lock()
		defer l.meter.mu.Unlock()
		l.meter.nested = 0
		l.meter.noise = append(l.meter.noise, noise(text))
		if len(l.meter.noise) > maxNoise {
			l.err = l.meter.first("it writes what are no JSON-RPC messages to its standard output, such as %s", l.meter.noise[0])
		}
	}
}

func noise(text []byte) string { return strconv.Quote(string(text[:min(len(text), shownNoise)])) }

// Close ends the program. Whether it had ended its output by itself is kept for who explains what failed.
func (l *lines) Close() error {
	l.meter.closed()
	return l.from.Close()
}

// body is the body of a response, metered.
type body struct {
	io.ReadCloser
	meter *meter
	most  int // bytes of it; 0: as many as the meter allows
	size  int
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.size += n
	if b.most > 0 && b.size > b.most {
		return 0, b.meter.complain(fault.New(fault.Malformed, "it sent a message of more than %d MB", b.most>>20))
	}
	if e := b.meter.count(p[:n]); e != nil {
		return 0, e
	}
	return n, err
}

// roundTripper sends the requests of one session, with its headers, and meters the responses.
type roundTripper struct {
	next    http.RoundTripper
	headers http.Header
	meter   *meter
	mu      sync.Mutex
	status  int // of the last response that was none of success
}

// RoundTrip implements http.RoundTripper.
func (r *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	if len(r.headers) > 0 {
		req = req.Clone(req.Context())
		for k, v := range r.headers {
			req.Header[k] = v
		}
	}
	res, err := r.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= 400 && req.Method == http.MethodPost {
		r.mu.Lock()
		r.status = res.StatusCode
		r.mu.Unlock()
	}
	b := &body{ReadCloser: res.Body, meter: r.meter}
	if !isEventStream(res) {
		b.most = maxMessage
	}
	res.Body = b
	return res, nil
}

func (r *roundTripper) refusal() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status
}

func isEventStream(res *http.Response) bool {
	const kind = "text/event-stream"
	t := res.Header.Get("Content-Type")
	return len(t) >= len(kind) && t[:len(kind)] == kind
}

// sameOrigin refuses to follow a server to another one: the headers are for the first.
func sameOrigin(req *http.Request, via []*http.Request) error {
	if first := via[0].URL; first.Scheme != req.URL.Scheme || first.Host != req.URL.Host {
		return fault.New(fault.Refused, "it redirects to %s://%s; if that is where it is now, add it by that address", req.URL.Scheme, req.URL.Host)
	}
	if len(via) >= 5 {
		return fmt.Errorf("it redirects more than 5 times")
	}
	return nil
}

// writer writes messages to a program, and knows when a cancellation was written. A program that no longer reads has ended by
// itself, also where that is seen before the end of its output.
type writer struct {
	io.WriteCloser
	meter     *meter
	cancelled chan struct{}
}

func (w *writer) Write(p []byte) (int, error) {
	n, err := w.WriteCloser.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		w.meter.ended()
	}
	if bytes.Contains(p[:min(len(p), 200)], []byte(`"notifications/cancelled"`)) {
		select {
		case w.cancelled <- struct{}{}:
		default:
		}
	}
	return n, err
}
