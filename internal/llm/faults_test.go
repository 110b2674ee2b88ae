package llm_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/fault"
	"pflow/internal/llm"
	"pflow/internal/llmtest"
)

// TestFaults meets every fault of the scripted server over HTTP, whole and streamed: its kind, the number of requests,
// and that no message, exchange or reply holds the key.
func TestFaults(t *testing.T) {
	quick := map[string]string{"Retry-After-Ms": "1"}
	cases := []struct {
		fault    string
		kind     fault.Kind // "" if the call succeeds
		requests int
		says     string
	}{
		{"rate_limit", fault.RateLimit, 1, "limits the rate of requests and wants to be left alone for 1ms: Rate limit reached."},
		{"unavailable", fault.Unavailable, 1, "failed with status 503: The engine is currently overloaded.; try again later"},
		{"quota", fault.Quota, 1, "the account of the key in OPENAI_API_KEY has no credit or quota left"},
		{"server_error", fault.Unavailable, 1, "failed with status 500"},
		{"unauthorized", fault.Authentication, 1, "does not accept the key in OPENAI_API_KEY: set one that is valid"},
		{"forbidden", fault.Permission, 1, "The key [key] has no access"},
		{"not_found", fault.NotFound, 1, "there is no such model or address"},
		{"context_length", fault.ContextLength, 1, "shorten it, or take a model with a larger context"},
		{"bad_request", fault.InvalidRequest, 1, "Something is wrong with [key]."},
		{"bad_schema", fault.InvalidRequest, 5, "Invalid schema"}, // a request for each step of the ladder
		{"reset", fault.Network, 1, "in the middle of the reply"},
		{"cut_body", "", 1, ""}, // unavailable or network, below
		{"not_json", fault.Unavailable, 1, "what is no chat completion (text/html"},
		{"error_inside", fault.Unavailable, 1, "Provider returned error"},
		{"empty_choices", "", 1, ""},
		{"refusal", fault.Refused, 1, "refused: I cannot help with that."},
		{"huge", fault.Truncated, 1, "more than 4 MB"},
		{"truncated", fault.Truncated, 1, "was cut off after"},
		{"fenced", "", 1, ""},
		{"python", "", 1, ""},
		{"prose", "", 1, ""},
		{"reasoning", "", 1, ""},
		{"wrong_schema", fault.Schema, 2, "there is no property unexpected"},
	}
	for _, c := range cases {
		for _, streamed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/streamed=%v", c.fault, streamed), func(t *testing.T) {
				t.Parallel()
				kind, says := c.kind, c.says
				switch {
				case c.fault == "cut_body" && streamed:
					kind, says = fault.Network, "ended in the middle of the reply"
				case c.fault == "cut_body":
					kind, says = fault.Unavailable, "no chat completion"
				case c.fault == "empty_choices" && streamed:
					kind, says = fault.Network, "ended in the middle"
				case c.fault == "empty_choices":
					kind, says = fault.Unavailable, "without a choice"
				}
				var told strings.Builder
				client, server := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{{
					JSON: map[string]any{"name": "Bern", "people": 134506, "old": nil}, Fault: c.fault, Headers: quick, Times: c.requests,
				}}})
				s := city()
				s.Check = func(v any) []string {
					m := v.(map[string]any)
					delete(m, "old") // there for Python's None
					return city().Check(m)
				}
				request := llm.Request{Messages: say("where?"), Schema: s, OnExchange: func(e llm.Exchange) { fmt.Fprintf(&told, "%+v", e) }}
				if streamed {
					request.OnText = func(string) {}
				}
				r, err := client.Call(t.Context(), request)
				if kind == "" {
					if err != nil || !cmp.Equal(r.Value, map[string]any{"name": "Bern", "people": 134506}) {
						t.Fatalf("%+v, %v", r, err)
					}
					if r.Repaired != (c.fault != "reasoning") {
						t.Errorf("repaired: %v", r.Repaired)
					}
				} else if f := fault.Of(err); err == nil || f.Kind != kind || !strings.Contains(f.Message, says) {
					t.Errorf("got %v, want %s: %s", err, kind, says)
				}
				if n := len(server.Requests()); n != c.requests || r.Usage.Calls != n {
					t.Errorf("%d requests, want %d; usage says %d", n, c.requests, r.Usage.Calls)
				}
				if all := fmt.Sprintf("%v %+v %s", err, r, told.String()); strings.Contains(all, testKey) || told.Len() == 0 {
					t.Errorf("the key is shown, or nothing: %s", all)
				}
			})
		}
	}
}

func TestSlow(t *testing.T) {
	for _, streamed := range []bool{false, true} {
		client, _ := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{{Fault: "slow"}}})
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		request := llm.Request{Messages: say("x")}
		if streamed {
			request.OnText = func(string) {}
		}
		if _, err := client.Call(ctx, request); fault.Of(err) == nil || fault.Of(err).Kind != fault.Timeout {
			t.Errorf("streamed %v: %v", streamed, err)
		}
	}
}

// TestRateLimitThenFine: a limit is not repeated, the next call waits for as long as was demanded, and counts that time.
func TestRateLimitThenFine(t *testing.T) {
	client, _ := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{
		{Fault: "rate_limit", Headers: map[string]string{"Retry-After-Ms": "1000"}}, {Text: "ok"},
	}})
	r, err := client.Call(t.Context(), llm.Request{Messages: say("x")})
	if fault.Of(err) == nil || fault.Of(err).Kind != fault.RateLimit || r.Usage.Calls != 1 || r.Waited >= time.Second {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = client.Call(t.Context(), llm.Request{Messages: say("x")})
	if err != nil || r.Text != "ok" || r.Usage.Calls != 1 || r.Waited <= 0 || r.Waited > r.Latency {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestNoTimeToWait gives up at once when the wait does not fit into the deadline.
func TestNoTimeToWait(t *testing.T) {
	client, server := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{{Fault: "rate_limit", Headers: map[string]string{"Retry-After": "3600"}}}})
	start := time.Now()
	_, err := client.Call(t.Context(), llm.Request{Messages: say("x")})
	if fault.Of(err) == nil || fault.Of(err).Kind != fault.RateLimit || !strings.Contains(err.Error(), "1h0m0s") || len(server.Requests()) != 1 {
		t.Errorf("%v after %d requests", err, len(server.Requests()))
	}
	if time.Since(start) > 30*time.Second {
		t.Error("it waited")
	}
}

func TestNobodyThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	base := "http://user:secret-word@" + l.Addr().String() + "/v1?token=secret-word"
	l.Close()
	client, err := llm.New(llm.Options{Getenv: env("OPENAI_BASE_URL", base)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Call(t.Context(), llm.Request{Messages: say("x")})
	f := fault.Of(err)
	if f == nil || f.Kind != fault.Network || !strings.Contains(f.Message, "connection refused; check the base URL (OPENAI_BASE_URL, or models.yaml) and the network") {
		t.Errorf("%v", err)
	}
	if strings.Contains(f.Message, "secret-word") {
		t.Errorf("a secret is shown: %v", err)
	}
}

// TestOddEndpoints are answers that no script gives.
func TestOddEndpoints(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter, r *http.Request)
		kind   fault.Kind
		says   string
	}{
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://example.com/?key=x", http.StatusMovedPermanently)
		},
			fault.InvalidRequest, "answered 301 and points elsewhere: correct the base URL"},
		"mistyped":    {func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `{"choices": "none"}`) }, fault.Unavailable, "cannot be read"},
		"empty":       {func(w http.ResponseWriter, r *http.Request) {}, fault.Unavailable, "no chat completion"},
		"plain error": {func(w http.ResponseWriter, r *http.Request) { http.Error(w, "bad gateway", http.StatusBadGateway) }, fault.Unavailable, "502: bad gateway"},
		"detail": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(422)
			fmt.Fprint(w, `{"detail": [{"loc": ["n"]}]}`)
		}, fault.InvalidRequest, `[{"loc":["n"]}]`},
		"gemini": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(429)
			fmt.Fprint(w, `[{"error": {"code": 429, "message": "Quota", "status": "RESOURCE_EXHAUSTED"}}]`)
		}, fault.RateLimit, "Quota"},
		"credit": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(400)
			fmt.Fprint(w, `{"error": {"type": "invalid_request_error", "message": "Your credit balance is too low to access the API."}}`)
		}, fault.Quota, "credit balance"},
		"payment": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(402)
			fmt.Fprint(w, `{"error": {"message": "Insufficient credits"}}`)
		}, fault.Quota, "Insufficient credits"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(c.answer))
			defer server.Close()
			client, err := llm.New(llm.Options{Getenv: env("OPENAI_BASE_URL", server.URL)})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
			defer cancel()
			_, err = client.Call(ctx, llm.Request{Messages: say("x")})
			if f := fault.Of(err); f == nil || f.Kind != c.kind || !strings.Contains(f.Message, c.says) {
				t.Errorf("got %v, want %s: %s", err, c.kind, c.says)
			}
		})
	}
}

// TestErrorInStream reads an error that comes after the stream began.
func TestErrorInStream(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\ndata: {\"error\":{\"message\":\"overloaded\",\"type\":\"overloaded_error\"}}\n\n")
	}))
	defer server.Close()
	client, err := llm.New(llm.Options{Getenv: env("OPENAI_BASE_URL", server.URL)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Call(t.Context(), llm.Request{Messages: say("x"), OnText: func(string) {}})
	if f := fault.Of(err); f == nil || f.Kind != fault.Unavailable || !strings.Contains(f.Message, "overloaded") {
		t.Errorf("%v", err)
	}
}

// TestDoesNotStream takes the answer of an endpoint that does not stream although it was asked to.
func TestDoesNotStream(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"choices":[{"message":{"role":"assistant","content":[{"type":"text","text":"whole"}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`)
	}))
	defer server.Close()
	client, err := llm.New(llm.Options{Getenv: env("OPENAI_BASE_URL", server.URL)})
	if err != nil {
		t.Fatal(err)
	}
	var got string
	r, err := client.Call(t.Context(), llm.Request{Messages: say("x"), OnText: func(s string) { got += s }})
	if err != nil || r.Text != "whole" || got != "whole" || r.Usage.PromptTokens != 3 {
		t.Errorf("%+v, %v, %q", r, err, got)
	}
}
