package nodes

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
)

// echo answers with what it was asked.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/vnd.test+json; charset=utf-8")
	json.NewEncoder(w).Encode(map[string]any{
		"method": r.Method, "query": r.URL.RawQuery, "type": r.Header.Get("Content-Type"), "body": string(body), "x": r.Header.Get("X-Api-Key"),
	})
}

func runHTTPNode(t *testing.T, client *http.Client, params map[string]any) (nodetype.Outcome, error) {
	return nodeType(t, Deps{HTTP: client}, "http").Run(t.Context(), newCall(t, params, nil))
}

func TestHTTPRequest(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(echo))
	defer server.Close()
	cases := []struct {
		params map[string]any
		want   map[string]any
	}{
		{map[string]any{}, map[string]any{"method": "GET", "query": "", "type": "", "body": "", "x": ""}},
		{map[string]any{"params": map[string]any{"q": "a&b=c #?\n", "n": 2, "l": []any{"x", true}}, "headers": map[string]any{"x-api-key": "k", "none": nil}},
			map[string]any{"method": "GET", "query": "l=x&l=true&n=2&q=a%26b%3Dc+%23%3F%0A", "type": "", "body": "", "x": "k"}},
		{map[string]any{"body": map[string]any{"b": "ü<", "a": []any{1}}},
			map[string]any{"method": "POST", "query": "", "type": "application/json", "body": `{"a":[1],"b":"ü<"}`, "x": ""}},
		{map[string]any{"method": "PUT", "body": "plain"}, map[string]any{"method": "PUT", "query": "", "type": "text/plain; charset=utf-8", "body": "plain", "x": ""}},
		{map[string]any{"body": `{"a": "${b}"}`}, map[string]any{"method": "POST", "query": "", "type": "application/json", "body": `{"a": "${b}"}`, "x": ""}},
		{map[string]any{"body": "{x}", "headers": map[string]any{"Content-Type": "text/x"}}, map[string]any{"method": "POST", "query": "", "type": "text/x", "body": "{x}", "x": ""}},
	}
	for _, c := range cases {
		c.params["url"] = server.URL
		out, err := runHTTPNode(t, server.Client(), c.params)
		if err != nil {
			t.Errorf("%v: %v", c.params, err)
			continue
		}
		if diff := cmp.Diff(c.want, out.Outputs["response"]); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.params, diff)
		}
	}
}

func TestHTTPResponse(t *testing.T) {
	cases := []struct {
		contentType, body string
		want              any
		warning           string
	}{
		{"application/json", `{"n": 12345678901234567, "f": 1.5}`, map[string]any{"n": 12345678901234567, "f": 1.5}, ""},
		{"application/json", "", "", ""},
		{"application/json", "{oops", "{oops", "the response calls itself application/json and is none (not valid JSON at line 1, column 2: invalid character 'o'); it is given as text"},
		{"text/html", "<p>{{.x}} ${x}", "<p>{{.x}} ${x}", ""},
		{"text/plain; charset=iso-8859-1", "\xfc", "ü", ""},
		{"text/plain", "\xfc", "\uFFFD", "the response is not all UTF-8 text; other bytes became U+FFFD"},
		{"image/png", "\xff\x00\x01", "/wAB", ""},
		{"", "text", "text", ""},
	}
	for _, c := range cases {
		got, warning := readBody([]byte(c.body), c.contentType)
		if diff := cmp.Diff(c.want, got); diff != "" || warning != c.warning {
			t.Errorf("%s %q: %s%s", c.contentType, c.body, diff, warning)
		}
	}
}

func TestHTTPErrors(t *testing.T) {
	big := strings.Repeat("x", 3000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch status := 0; r.URL.Path {
		case "/slow":
			select {
			case <-r.Context().Done():
			case <-time.After(5 * time.Second):
			}
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/cut":
			w.Header().Set("Content-Length", "10")
			io.WriteString(w, "cut")
		case "/huge":
			io.CopyN(w, zeros{}, maxBody+1)
		default:
			fmt.Sscanf(r.URL.Path, "/%d", &status)
			w.WriteHeader(status)
			if status == 500 {
				io.WriteString(w, big)
			} else {
				io.WriteString(w, "why")
			}
		}
	}))
	defer server.Close()
	closed := httptest.NewServer(nil)
	closed.Close()
	cases := []struct {
		path    string
		kind    fault.Kind
		message string // after the method and the address
	}{
		{"/400?token=secret", fault.InvalidRequest, "400 Bad Request: why"},
		{"/401", fault.Authentication, "401 Unauthorized: why"},
		{"/402", fault.Quota, "402 Payment Required: why"},
		{"/403", fault.Permission, "403 Forbidden: why"},
		{"/404", fault.NotFound, "404 Not Found: why"},
		{"/408", fault.Timeout, "408 Request Timeout: why"},
		{"/422", fault.InvalidRequest, "422 Unprocessable Entity: why"},
		{"/429", fault.RateLimit, "429 Too Many Requests: why"},
		{"/500", fault.Unavailable, "500 Internal Server Error: " + big[:maxShown] + "…"},
		{"/503", fault.Unavailable, "503 Service Unavailable: why"},
		{"/599", fault.Unavailable, "599: why"},
		{"/slow", fault.Timeout, "no answer within 200ms"},
		{"/loop", fault.InvalidRequest, "more than 10 redirects"},
		{"/cut", fault.Network, "unexpected EOF"},
		{"/huge", fault.InvalidRequest, "the response is larger than 32 MiB; fetch it into a file with a download node"},
	}
	for _, c := range cases {
		params := map[string]any{"url": server.URL + c.path}
		if c.path == "/slow" {
			params["timeout"] = 0.2
		}
		out, err := runHTTPNode(t, server.Client(), params)
		path, _, _ := strings.Cut(c.path, "?")
		want := "GET " + server.URL + path + ": " + c.message
		if got := fault.Of(err); got == nil || got.Kind != c.kind || got.Message != want {
			t.Errorf("%s: %v\nwant %s %s", c.path, got, c.kind, want)
		}
		if c.path == "/404" && out.Outputs["status_code"] != 404 {
			t.Errorf("the outcome of a failure is %v", out.Outputs)
		}
	}
	_, err := runHTTPNode(t, server.Client(), map[string]any{"url": closed.URL + "/?token=secret"})
	if got := fault.Of(err); got == nil || got.Kind != fault.Network || strings.Contains(got.Message, "secret") || !strings.HasPrefix(got.Message, "GET "+closed.URL+"/: ") {
		t.Errorf("%v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestHTTPRefuses(t *testing.T) {
	for _, c := range []struct {
		params  map[string]any
		message string
	}{
		{map[string]any{"url": "example.com"}, `url "example.com" is no address that begins with https:// or http://`},
		{map[string]any{"url": "file:///etc/passwd"}, `url "file:///etc/passwd" is no address that begins with https:// or http://`},
		{map[string]any{"url": "http://a\nb"}, `url "http://a\nb" is no address that begins with https:// or http://`},
		{map[string]any{"url": "http://127.0.0.1:1/", "method": "GE T"}, `"GE T" http://127.0.0.1:1/ is no request: net/http: invalid method "GE T"`},
		{map[string]any{"url": "http://127.0.0.1:1/", "headers": map[string]any{"X": "a\r\nY: b"}}, `GET http://127.0.0.1:1/: net/http: invalid header field value for "X"`},
	} {
		_, err := runHTTPNode(t, nil, c.params)
		if got := fault.Of(err); got == nil || got.Kind != fault.InvalidRequest || got.Message != c.message {
			t.Errorf("%v\nwant %s", err, c.message)
		}
	}
}

// TestRedirectsKeepSecrets checks that a key is not sent on to another host, and that https is not left.
func TestRedirectsKeepSecrets(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(echo))
	defer other.Close()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/here":
			http.Redirect(w, r, "/echo", http.StatusFound)
		case "/there":
			http.Redirect(w, r, other.URL, http.StatusFound)
		default:
			echo(w, r)
		}
	})
	plain, tls := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	defer plain.Close()
	defer tls.Close()
	for path, want := range map[string]string{"/here": "k", "/there": ""} {
		out, err := runHTTPNode(t, plain.Client(), map[string]any{"url": plain.URL + path, "headers": map[string]any{"X-Api-Key": "k"}})
		if err != nil || out.Outputs["response"].(map[string]any)["x"] != want {
			t.Errorf("%s: %v, %v", path, out.Outputs, err)
		}
	}
	_, err := runHTTPNode(t, tls.Client(), map[string]any{"url": tls.URL + "/there"})
	want := "GET " + tls.URL + "/there: the redirect to " + other.URL + " leaves https and was not followed"
	var e *fault.Error
	if !errors.As(err, &e) || e.Kind != fault.Permission || e.Message != want {
		t.Errorf("%v\nwant %s", err, want)
	}
}

// TestHTTPAccepts looks at statuses instead of failing with them, and reads responses in the ways that can be asked for.
func TestHTTPAccepts(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status := 200
		fmt.Sscanf(r.URL.Path, "/%d", &status)
		w.Header().Set("Content-Type", r.URL.Query().Get("type"))
		w.WriteHeader(status)
		io.WriteString(w, r.URL.Query().Get("body"))
	}))
	defer server.Close()
	type object = map[string]any
	for _, c := range []struct {
		path   string
		params object
		want   object // response, status_code, content_type
		err    string
	}{
		{"/404?type=text/html%3Bcharset=utf-8&body=no", object{"accept_status": []any{404}}, object{"response": "no", "status_code": 404, "content_type": "text/html"}, ""},
		{"/503", object{"accept_status": []any{"4xx", "5XX"}}, object{"response": "", "status_code": 503, "content_type": ""}, ""},
		{"/404", object{"accept_status": []any{"410", "5xx"}}, nil, "404 Not Found"},
		{"/404", object{"accept_status": []any{"all"}}, nil, `accept_status holds "all": give statuses such as 404, or classes such as 4xx`},
		{"/?type=application/json&body=[1,%202]", object{"response_type": "text"}, object{"response": "[1, 2]", "status_code": 200, "content_type": "application/json"}, ""},
		{"/?type=text/plain&body=[1,%202]", object{"response_type": "json"}, object{"response": []any{1, 2}, "status_code": 200, "content_type": "text/plain"}, ""},
		{"/?type=text/plain&body=[1,", object{"response_type": "json"}, nil, "the response is no JSON (not valid JSON at line 1, column 4: the text ends too early); leave response_type out to have it as text"},
		{"/404?type=text/plain&body=gone", object{"response_type": "json"}, nil, "404 Not Found: gone"},
		{"/?type=text/plain%3Bcharset=iso-8859-1&body=%FC", object{"response_type": "text"}, object{"response": "ü", "status_code": 200, "content_type": "text/plain"}, ""},
		{"/?type=text/plain&body=hi", object{"response_type": "base64"}, object{"response": "aGk=", "status_code": 200, "content_type": "text/plain"}, ""},
		{"/?type=image/png", object{"method": "HEAD"}, object{"response": "", "status_code": 200, "content_type": "image/png"}, ""},
		{"/404", object{"method": "HEAD", "accept_status": []any{404}}, object{"response": "", "status_code": 404, "content_type": ""}, ""},
	} {
		c.params["url"] = server.URL + c.path
		out, err := runHTTPNode(t, server.Client(), c.params)
		if c.err != "" {
			if got := fault.Of(err); got == nil || !strings.HasSuffix(got.Message, c.err) {
				t.Errorf("%s: %v\nwant …%s", c.path, err, c.err)
			} else if strings.HasPrefix(c.err, "404") && got.Details["status"] != 404 {
				t.Errorf("%s: details %v", c.path, got.Details)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		delete(out.Outputs, "headers")
		if diff := cmp.Diff(c.want, out.Outputs); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.path, diff)
		}
	}
	problems := nodeType(t, Deps{}, "http").Check(object{"accept_status": []any{404, "${x}", "4x"}})
	if len(problems) != 1 || problems[0].Path != "accept_status[2]" {
		t.Errorf("%v", problems)
	}
}
