package nodes

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/outbound"
	"pflow/internal/value"
	"pflow/ir"
)

// Bounds on http.
const (
	maxBody        = 32 << 20
	maxRedirects   = 10
	defaultTimeout = 60 * time.Second
	maxShown       = 2000 // of a response, in an error message
)

// httpType sends one HTTP request.
func httpType(d Deps) nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "http",
			Description: "Sends an HTTP request, such as GET to fetch or download something, and gives the response. A status from 400 on is an error.",
			Inputs: []ir.Port{
				{Key: "url", Type: value.String, Required: true, Description: "Where to, beginning with https:// or http://."},
				{Key: "body", Type: value.Any, Description: "What to send: text as it is, any other value as JSON."},
			},
			Params: []ir.Port{
				{Key: "method", Type: value.String, Enum: []any{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}, Description: "GET if left out, POST if there is a body."},
				{Key: "headers", Type: value.Object, Default: map[string]any{}, Description: "Headers of the request, by name."},
				{Key: "params", Type: value.Object, Default: map[string]any{}, Description: "Query parameters, by name; they are escaped, a list repeats its name."},
				{Key: "timeout", Type: value.Any, Default: "60s", Description: "How long it may take: seconds, or a duration such as 30s."},
				{Key: "response_type", Type: value.String, Default: responseAuto, Enum: []any{responseAuto, responseText, responseJSON, responseBase64},
					Description: "How the body is read: auto by its content type, text as it is, also JSON; json also where the server does not call it so; base64 its bytes."},
				acceptStatusPort(),
			},
			Outputs: []ir.Port{
				{Key: "response", Type: value.Any, Description: "The body: the value if it is JSON, text otherwise; bytes that are no text in base64."},
				{Key: "status_code", Type: value.Integer, Description: "The status, such as 200."},
				{Key: "content_type", Type: value.String, Description: "What the body is, such as text/html; \"\" if the server does not say."},
				{Key: "headers", Type: value.Object, Description: "Headers of the response, by name in lower case."},
			},
			Effects: []ir.Effect{ir.Network},
		},
		Check: func(params map[string]any) []ir.Problem {
			return append(checkDuration(params, "timeout"), checkAcceptStatus(params)...)
		},
		Foresee: foreseeHTTP,
		Run:     func(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) { return runHTTP(ctx, d, c) },
		Example: nodetype.Example{
			Params:  map[string]any{"url": "https://api.example.com/items", "params": map[string]any{"state": "open"}},
			Outputs: map[string]any{"response": map[string]any{"count": 2}, "status_code": 200, "content_type": "application/json", "headers": map[string]any{"content-type": "application/json"}},
		},
	}
}

func runHTTP(ctx context.Context, d Deps, c nodetype.Call) (nodetype.Outcome, error) {
	timeout, err := duration(c.Params["timeout"], "timeout", defaultTimeout)
	if err != nil {
		return nodetype.Outcome{}, err
	}
	accepted, err := readAcceptStatus(c.Params["accept_status"])
	if err != nil {
		return nodetype.Outcome{}, err
	}
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := httpRequest(bounded, c)
	if err != nil {
		return nodetype.Outcome{}, err
	}
	doing := req.Method + " " + where(req.URL)
	failed := func(err error) (nodetype.Outcome, error) {
		if ctx.Err() != nil {
			return nodetype.Outcome{}, ctx.Err()
		}
		return nodetype.Outcome{}, networkFault(doing, timeout, err)
	}
	resp, err := httpClient(d.HTTP).Do(req)
	if err != nil {
		return failed(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return failed(err)
	}
	if len(data) > maxBody {
		return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "%s: the response is larger than %d MiB; fetch it into a file with a download node", doing, maxBody>>20)
	}
	body, warning, err := readBodyAs(c.Text("response_type"), data, resp.Header.Get("Content-Type"))
	failing := resp.StatusCode >= 400 && !accepted(resp.StatusCode)
	if err != nil && !failing {
		return nodetype.Outcome{}, fault.New(fault.Malformed, "%s: %v", doing, err)
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	headers := map[string]any{}
	for name, values := range resp.Header {
		headers[strings.ToLower(name)] = strings.ToValidUTF8(strings.Join(values, ", "), "\uFFFD")
	}
	out := nodetype.Outcome{Outputs: map[string]any{"response": body, "status_code": resp.StatusCode, "content_type": kind, "headers": headers}}
	for name := range headers {
		if credential.MatchString(name) {
			out.Private = append(out.Private, "headers."+name)
		}
	}
	slices.Sort(out.Private)
	if warning != "" {
		out.Warnings = []string{doing + ": " + warning}
	}
	if failing {
		return out, statusFault(ctx, doing, resp.StatusCode, body)
	}
	return out, nil
}

// credential matches the names of headers that let in whoever has them.
var credential = regexp.MustCompile(`(?i)^(set-)?cookie2?$|authorization|token|secret|passw|credential|session|api-?key|access-?key|signature`)

// httpRequest makes the request of a node's params.
func httpRequest(ctx context.Context, c nodetype.Call) (*http.Request, error) {
	u, err := httpURL(c.Text("url"))
	if err != nil {
		return nil, err
	}
	if params := c.Object("params"); len(params) > 0 {
		query := url.Values{}
		for name, v := range params {
			list, ok := v.([]any)
			if !ok {
				list = []any{v}
			}
			for _, item := range list {
				query.Add(name, ir.Text(item))
			}
		}
		if u.RawQuery != "" {
			u.RawQuery += "&"
		}
		u.RawQuery += query.Encode()
	}
	body := c.Params["body"]
	method := strings.ToUpper(c.Text("method"))
	if method == "" {
		method = http.MethodGet
		if body != nil {
			method = http.MethodPost
		}
	}
	var reader io.Reader
	text := ir.Text(body)
	if body != nil {
		reader = strings.NewReader(text)
	}
	req, err := http.NewRequestWithContext(outbound.Asks(ctx, u), method, u.String(), reader)
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "%s %s is no request: %v", quote(method), where(u), err)
	}
	if body != nil {
		req.Header.Set("Content-Type", contentType(body, text))
	}
	setHeaders(req, c.Object("headers"))
	return req, nil
}

// contentType is what a body without a header of its own is sent as. Text that is a JSON object or list counts as JSON.
func contentType(body any, text string) string {
	if _, isText := body.(string); isText {
		if trimmed := strings.TrimSpace(text); trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' {
			return "text/plain; charset=utf-8"
		}
		if _, err := value.ParseJSON([]byte(text)); err != nil {
			return "text/plain; charset=utf-8"
		}
	}
	return "application/json"
}

// The ways to read a response.
const (
	responseAuto   = "auto"
	responseText   = "text"
	responseJSON   = "json"
	responseBase64 = "base64"
)

// readBodyAs reads a response in the way that was asked for. The error is that of a text that is no JSON; body is the text then.
func readBodyAs(how string, data []byte, contentType string) (body any, warning string, err error) {
	switch how {
	case responseBase64:
		return base64.StdEncoding.EncodeToString(data), "", nil
	case responseText:
		_, attributes, _ := mime.ParseMediaType(contentType)
		body, warning = readBody(data, mime.FormatMediaType("text/plain", attributes))
	case responseJSON:
		if v, err := value.ParseJSON(data); err != nil {
			body, warning = readBody(data, "text/plain")
			return body, warning, fmt.Errorf("the response is no JSON (%w); leave response_type out to have it as text", err)
		} else {
			return v, "", nil
		}
	default:
		body, warning = readBody(data, contentType)
	}
	return body, warning, nil
}

// readBody reads a response by its content type.
func readBody(data []byte, contentType string) (body any, warning string) {
	if len(data) == 0 {
		return "", ""
	}
	kind, attributes, _ := mime.ParseMediaType(contentType)
	switch charset := strings.ToLower(attributes["charset"]); {
	case charset == "iso-8859-1" || charset == "latin1" || charset == "us-ascii":
		data = []byte(latin1(data))
	case !utf8.Valid(data) && (strings.HasPrefix(kind, "text/") || isJSON(kind)):
		return strings.ToValidUTF8(string(data), "\uFFFD"), "the response is not all UTF-8 text; other bytes became U+FFFD"
	case !utf8.Valid(data):
		return base64.StdEncoding.EncodeToString(data), ""
	}
	if isJSON(kind) {
		v, err := value.ParseJSON(data)
		if err == nil {
			return v, ""
		}
		warning = fmt.Sprintf("the response calls itself %s and is none (%v); it is given as text", kind, err)
	}
	return string(data), warning
}

func isJSON(kind string) bool { return kind == "application/json" || strings.HasSuffix(kind, "+json") }

// statusKind is the kind of error that a status stands for.
func statusKind(status int) fault.Kind {
	switch status {
	case http.StatusUnauthorized:
		return fault.Authentication
	case http.StatusPaymentRequired:
		return fault.Quota
	case http.StatusForbidden:
		return fault.Permission
	case http.StatusNotFound, http.StatusGone:
		return fault.NotFound
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return fault.Timeout
	case http.StatusTooManyRequests:
		return fault.RateLimit
	}
	if status >= 500 {
		return fault.Unavailable
	}
	return fault.InvalidRequest
}

func networkFault(doing string, timeout time.Duration, err error) error {
	var known *fault.Error
	if errors.As(err, &known) {
		return fault.New(known.Kind, "%s: %s", doing, known.Message)
	}
	var inner *url.Error
	if errors.As(err, &inner) {
		err = inner.Err // its text holds the whole URL, with what may be secret in it
	}
	var network net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &network) && network.Timeout() {
		return fault.New(fault.Timeout, "%s: no answer within %s", doing, timeout)
	}
	if message := err.Error(); strings.Contains(message, "invalid header field") {
		return fault.New(fault.InvalidRequest, "%s: %s", doing, message)
	}
	return fault.New(fault.Network, "%s: %v", doing, err)
}

// where shows an address without what may be secret in it: user, password and query.
func where(u *url.URL) string { return u.Scheme + "://" + u.Host + u.EscapedPath() }
