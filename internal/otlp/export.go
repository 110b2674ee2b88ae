package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pflow/internal/fault"
	"pflow/internal/mask"
	"pflow/internal/outbound"
	"pflow/internal/printable"
)

// What is kept and sent at once, as the specification's batch processor has it; it waits 5 s.
const (
	queueLength = 2048
	batchLength = 512
	batchDelay  = time.Second
)

// Waits between two tries of one batch.
const (
	firstPause   = 200 * time.Millisecond
	longestPause = 5 * time.Second
)

// Options are an exporter's surroundings.
type Options struct {
	URL     func() string       // where to; "": where the environment says, if it does
	Getenv  func(string) string // of the variables OTEL_ and TRACEPARENT
	Version string
	Masks   func() *mask.Masker // of what is never told, whatever is run; nil: nothing
}

// Exporter sends the spans of a process. It does nothing before a first run begins, and nothing at all where nobody says where to.
type Exporter struct {
	o      Options
	once   sync.Once
	config *config // nil: nothing is sent
	wrong  error   // why nothing can be

	queue   chan made
	closing chan struct{}
	ended   chan struct{}
	ctx     context.Context // of requests
	cancel  context.CancelFunc
	client  *http.Client
	headers *mask.Masker // of what the headers hold

	whole, lost atomic.Int64
	mu          sync.Mutex
	why         string // the last reason that some were lost
}

// made is a span, or what makes it.
type made interface{ made() *span }

// New makes an exporter.
func New(o Options) *Exporter { return &Exporter{o: o} }

// ready reports whether spans are sent.
func (e *Exporter) ready() bool {
	e.once.Do(func() {
		if e.config, e.wrong = read(e.o.URL(), e.o.Version, e.o.Getenv); e.config == nil {
			return
		}
		e.queue, e.closing, e.ended = make(chan made, queueLength), make(chan struct{}), make(chan struct{})
		e.ctx, e.cancel = context.WithCancel(outbound.Asks(context.Background(), e.config.url))
		e.client = &http.Client{
			Transport:     outbound.Transport(nil),
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
		var held []mask.Secret
		for _, h := range e.config.headers {
			if len(h[1]) >= shortestHeader {
				held = append(held, mask.Secret{Value: h[1], Mark: "[header]"})
			}
		}
		e.headers = mask.New(held...)
		fault.Go(func() { defer close(e.ended); e.send() }, func(err error) { e.lose(0, err.Error()) })
	})
	return e.config != nil
}

// put takes a span that ended, unless there is no room.
func (e *Exporter) put(m made) {
	e.whole.Add(1)
	select {
	case e.queue <- m:
	default:
		e.lose(1, "")
	}
}

// lose counts spans that were not taken; "" is a reason that says less than any other.
func (e *Exporter) lose(n int, why string) {
	e.lost.Add(int64(n))
	if why != "" {
		e.mu.Lock()
		e.why = why
		e.mu.Unlock()
	}
}

// Close sends what is left, for as long as it is given, and says what is to be told of spans that were lost, or of why there
// are none; "" is nothing.
func (e *Exporter) Close(within time.Duration) (warning string) {
	e.once.Do(func() {}) // no run began: there is nothing to send
	if e.wrong != nil {
		return fmt.Sprintf("no traces are sent: %v", e.wrong)
	}
	if e.config == nil {
		return ""
	}
	close(e.closing)
	late := time.NewTimer(within)
	defer late.Stop()
	select {
	case <-e.ended:
	case <-late.C:
		e.cancel()
		<-e.ended
	}
	e.cancel()
	e.client.CloseIdleConnections()
	lost := e.lost.Load()
	if lost == 0 {
		return ""
	}
	why := e.why
	if why == "" {
		why = "there were more than could be sent"
	}
	return fmt.Sprintf("traces: %d of %d spans did not reach %s: %s", lost, e.whole.Load(), e.config.shown(), why)
}

// send sends what comes until nothing more will.
func (e *Exporter) send() {
	var batch []made
	full := time.NewTimer(batchDelay)
	full.Stop()
	for {
		select {
		case m := <-e.queue:
			if batch = append(batch, m); len(batch) == 1 {
				full.Reset(batchDelay)
			}
			if len(batch) < batchLength {
				continue
			}
		case <-full.C:
		case <-e.closing:
			for more := true; more; {
				select {
				case m := <-e.queue:
					batch = append(batch, m)
				default:
					more = false
				}
				if len(batch) == batchLength || !more && len(batch) > 0 {
					e.deliver(batch)
					batch = batch[:0]
				}
			}
			return
		}
		e.deliver(batch)
		clear(batch)
		batch = batch[:0]
	}
}

// deliver sends a batch, again where that may help, until its time is over. Once the process is to end nothing is tried again.
func (e *Exporter) deliver(batch []made) {
	if len(batch) == 0 {
		return
	}
	if e.ctx.Err() != nil {
		e.lose(len(batch), "it did not answer in time")
		return
	}
	body, headers := e.encode(batch)
	ctx, cancel := context.WithTimeout(e.ctx, e.config.timeout)
	defer cancel()
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		wait, again, err := e.post(ctx, body, headers, len(batch))
		if err == nil {
			return
		}
		if !again || !e.pause(ctx, max(pause, wait)) {
			e.lose(len(batch), e.clean(err.Error()))
			return
		}
	}
}

// pause waits before another try; false if there will be none.
func (e *Exporter) pause(ctx context.Context, d time.Duration) bool {
	if until, _ := ctx.Deadline(); time.Until(until) < d {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-e.closing:
	case <-ctx.Done():
	}
	return false
}

// shortestHeader is the length from which on the value of a header is taken for a key.
const shortestHeader = 8

// clean takes keys out of what is said of the collector.
func (e *Exporter) clean(text string) string {
	for _, m := range e.masks() {
		text = m.Text(text)
	}
	return text
}

// masks are those of what is never told, whatever is run.
func (e *Exporter) masks() []*mask.Masker {
	if e.o.Masks == nil {
		return []*mask.Masker{e.headers}
	}
	return []*mask.Masker{e.headers, e.o.Masks()}
}

// encode gives the body of a request, and the headers that say how it is written.
func (e *Exporter) encode(batch []made) (body []byte, headers [][2]string) {
	spans := make([]*span, len(batch))
	for i, m := range batch {
		spans[i] = m.made()
	}
	enc := &encoder{own: e.masks()}
	body = enc.request(e.config.resource, e.o.Version, spans)
	headers = [][2]string{{"Content-Type", "application/json"}, {"User-Agent", "pflow/" + e.o.Version}}
	if e.config.gzip {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(body)
		_ = w.Close()
		return b.Bytes(), append(headers, [2]string{"Content-Encoding", "gzip"})
	}
	return body, headers
}

// post tries once. again says whether another try may help, and wait how long the collector wants to be left alone.
func (e *Exporter) post(ctx context.Context, body []byte, headers [][2]string, spans int) (wait time.Duration, again bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.config.url.String(), bytes.NewReader(body))
	if err != nil {
		return 0, false, errors.New("the request cannot be made")
	}
	for _, h := range append(headers, e.config.headers...) {
		r.Header.Set(h[0], h[1])
	}
	resp, err := e.client.Do(r)
	if err != nil {
		return 0, true, reason(err)
	}
	defer resp.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	switch code := resp.StatusCode; {
	case code >= 200 && code < 300:
		e.partly(said, spans)
		return 0, false, nil
	case code == http.StatusTooManyRequests || code == http.StatusBadGateway || code == http.StatusServiceUnavailable || code == http.StatusGatewayTimeout:
		again, wait = true, retryAfter(resp.Header.Get("Retry-After"))
	}
	var status struct{ Message string }
	text := "it answered " + resp.Status
	if json.Unmarshal(said, &status) == nil && status.Message != "" {
		text += ": " + clip(status.Message)
	}
	return wait, again, errors.New(text)
}

// partly counts what the collector says that it did not take.
func (e *Exporter) partly(said []byte, spans int) {
	var answer struct {
		PartialSuccess struct {
			RejectedSpans json.Number
			ErrorMessage  string
		}
	}
	d := json.NewDecoder(bytes.NewReader(said))
	if d.Decode(&answer) != nil {
		return
	}
	if n, err := answer.PartialSuccess.RejectedSpans.Int64(); err == nil && n > 0 {
		e.lose(int(min(n, int64(spans))), e.clean("it did not take them: "+clip(answer.PartialSuccess.ErrorMessage)))
	}
}

// reason is the error of a request without its address.
func reason(err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	var network net.Error
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &network) && network.Timeout() {
		return errors.New("it did not answer in time")
	}
	return err
}

// retryAfter reads the header: seconds, or a date; 0 if there is none.
func retryAfter(text string) time.Duration {
	if s, err := strconv.Atoi(strings.TrimSpace(text)); err == nil && s >= 0 {
		return time.Duration(min(s, 1<<20)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

func clip(s string) string {
	if r := []rune(s); len(r) > 200 {
		s = string(r[:200]) + "…"
	}
	return printable.Line(s)
}
