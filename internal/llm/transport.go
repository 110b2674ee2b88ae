package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// The chain under go-openai, from the outside in. It is made anew for each exchange; the innermost transport and the
// limiter are shared.
//
//	fields     writes what go-openai leaves out or refuses: the model's name, temperature 0, the provider's own fields
//	answered   turns an error status into a fault, and tells the limiter how long the provider wants to be left alone
//	bounded    reads the body within maxBody and gives the slot back
//	limited    waits for a slot, a token and the time that the provider told
//	Options.Transport, or net/http's

// maxBody bounds what is read of one answer, in bytes.
const maxBody = 4 << 20

// trip is what the chain tells of one exchange.
type trip struct {
	waited time.Duration // for slots, tokens and what the provider demanded
	calls  int           // answered by the endpoint
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// chain makes the round trippers of one exchange.
func (t *target) chain(base http.RoundTripper, set map[string]any, trip *trip) http.RoundTripper {
	return fields(set, t.answered(t.bounded(trip, t.limited(trip, base))))
}

// fields sets fields of the request's body. Messages without content get an empty one: go-openai drops it, and some
// endpoints refuse a message that has none.
func fields(set map[string]any, next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		var body map[string]any
		d := json.NewDecoder(r.Body)
		d.UseNumber()
		err := d.Decode(&body)
		r.Body.Close()
		if err != nil {
			return nil, fmt.Errorf("the request's body: %w", err)
		}
		for k, v := range set {
			body[k] = v
		}
		list, _ := body["messages"].([]any)
		for _, item := range list {
			if m, ok := item.(map[string]any); ok && m["content"] == nil && m["tool_calls"] == nil {
				m["content"] = ""
			}
		}
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		if err := e.Encode(body); err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		data := out.Bytes()
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
		r.Body, _ = r.GetBody()
		r.ContentLength = int64(len(data))
		return next.RoundTrip(r)
	})
}

// answered gives answers that are a success. Nothing is sent again here: that the flow's retry policy decides. The next
// attempt, and every other call to the provider, waits in the limiter for as long as the provider demanded.
func (t *target) answered(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		demanded := usedUp(resp.Header, time.Now())
		if resp.StatusCode >= 200 && resp.StatusCode < 300 {
			t.limiter.pause(demanded)
			return resp, nil
		}
		text, _ := io.ReadAll(resp.Body) // bounded read it already
		resp.Body.Close()
		f := t.statusFault(resp.StatusCode, resp.Header, text)
		if f.notNow() {
			t.limiter.pause(max(demanded, retryAfter(resp.Header, time.Now())))
		}
		return nil, f
	})
}

// limited waits for the provider's limiter. The slot is given back when the body is closed.
func (t *target) limited(trip *trip, next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		waited, release, err := t.limiter.acquire(r.Context())
		trip.waited += waited
		if err != nil {
			return nil, err
		}
		resp, err := next.RoundTrip(r)
		if err != nil {
			release()
			return nil, err
		}
		trip.calls++
		resp.Body = &releasing{resp.Body, release}
		return resp, nil
	})
}

type releasing struct {
	io.ReadCloser
	release func()
}

func (r *releasing) Close() error {
	defer r.release()
	return r.ReadCloser.Close()
}

// notStreamed is an answer in one piece to a request that wanted a stream.
type notStreamed struct{ body []byte }

func (*notStreamed) Error() string { return "the endpoint did not stream" }

// bounded reads answers within maxBody: a stream as it comes, all others whole, so that a connection that breaks is told
// from a reply that is no JSON.
func (t *target) bounded(_ *trip, next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		limit := &limitedBody{ReadCloser: resp.Body, left: maxBody, ctx: r.Context(), target: t}
		if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") && resp.StatusCode < 300 {
			resp.Body = limit
			return resp, nil
		}
		data, err := io.ReadAll(limit)
		limit.Close()
		if err != nil {
			return nil, err
		}
		resp.Body = io.NopCloser(bytes.NewReader(data))
		if resp.StatusCode >= 300 || resp.StatusCode < 200 {
			return resp, nil
		}
		if err := value.Bounded(data); err != nil {
			return nil, noCompletion("%s answered with more than a chat completion can be: %v", t.at(), err)
		}
		var peek struct {
			Choices json.RawMessage `json:"choices"`
			Error   json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(data, &peek); err != nil {
			return nil, noCompletion("%s answered with what is no chat completion (%s, %d bytes): check the base URL%s", t.at(), orText(resp.Header.Get("Content-Type"), "no content type"), len(data), t.urlHint())
		}
		if len(peek.Choices) == 0 && len(peek.Error) > 0 && string(peek.Error) != "null" { // OpenRouter
			return nil, t.errorInside(data)
		}
		if r.Header.Get("Accept") == "text/event-stream" {
			return nil, &notStreamed{data}
		}
		return resp, nil
	})
}

// errorInside is the fault of an error that came with a status of success.
func (t *target) errorInside(data []byte) error {
	p := readProblem(data)
	status := 500
	var code int
	if json.Unmarshal([]byte(p.code), &code) == nil && code >= 400 && code < 600 {
		status = code
	} else if strings.Contains(p.kind+p.code, "rate_limit") {
		status = 429
	}
	return t.statusFault(status, http.Header{}, data)
}

// limitedBody fails when an answer is too large, and says of a read that failed that it did.
type limitedBody struct {
	io.ReadCloser
	left   int
	ctx    context.Context
	target *target
}

func (b *limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, fault.New(fault.Truncated, "%s answered with more than %d MB: ask for less, or set max_tokens", b.target.at(), maxBody>>20)
	}
	if err != nil && err != io.EOF {
		if b.ctx.Err() == nil {
			return n, fault.New(fault.Network, "the connection to %s broke in the middle of the reply: try again", b.target.at())
		}
		return n, b.ctx.Err()
	}
	return n, err
}
