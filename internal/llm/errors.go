package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"pflow/internal/fault"
)

// statusError is an answer whose status is no success.
type statusError struct {
	fault    *fault.Error
	status   int
	stepDown bool // it complains of the way in which a structured reply was asked for
}

func (e *statusError) Error() string { return e.fault.Message }
func (e *statusError) Unwrap() error { return e.fault }

// problem is what the body of an error answer says, in the forms of OpenAI and of those like it.
type problem struct{ message, kind, code string }

func readProblem(body []byte) problem {
	var doc struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  any             `json:"detail"`
	}
	if list := []json.RawMessage{}; json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0] // Gemini
	}
	if json.Unmarshal(body, &doc) != nil {
		return problem{message: string(body)}
	}
	var inner struct {
		Message any    `json:"message"`
		Type    string `json:"type"`
		Status  string `json:"status"`
		Code    any    `json:"code"`
		Param   any    `json:"param"`
	}
	var text string
	switch {
	case json.Unmarshal(doc.Error, &text) == nil && text != "":
		return problem{message: text}
	case json.Unmarshal(doc.Error, &inner) == nil && len(doc.Error) > 0:
		p := problem{message: asText(inner.Message), kind: inner.Type + " " + inner.Status, code: asText(inner.Code)}
		if param := asText(inner.Param); param != "" && !strings.Contains(p.message, param) {
			p.message += " (" + param + ")"
		}
		return p
	case doc.Message != "":
		return problem{message: doc.Message}
	case doc.Detail != nil:
		return problem{message: asText(doc.Detail)}
	}
	return problem{message: string(body)}
}

func asText(v any) string {
	if v == nil {
		return ""
	}
	if s, ok := v.(string); ok {
		return s
	}
	data, _ := json.Marshal(v)
	return string(data)
}

var (
	tooLong  = regexp.MustCompile(`(?i)context[_ ](length|window|size)|maximum context|(prompt|input|request) is too long|too many (input )?tokens|reduce the length|exceeds? the (model'?s? )?(max|limit|context)`)
	noMoney  = regexp.MustCompile(`(?i)insufficient_quota|billing|credit balance|insufficient (credits|balance|funds)|exceeded your current quota|payment`)
	noCredit = regexp.MustCompile(`(?i)credit balance is too low|insufficient (credits|balance|funds)`) // Anthropic says so with 400
	// aboutForm matches complaints of the way a structured reply was asked for.
	aboutForm = regexp.MustCompile(`(?i)response_?format|json_?schema|json_?object|schema|\bstrict\b|structured.outputs?|tool_choice|\btools?\b|\bfunctions?\b|requested parameters|guided`)
	policy    = regexp.MustCompile(`(?i)content_?(filter|policy)|responsible ?ai|safety`)
)

// statusFault classes an answer that is no success. Secrets are taken out of what the body says.
func (t *target) statusFault(status int, h http.Header, body []byte) *statusError {
	p := readProblem(body)
	p.message, p.kind, p.code = t.redact(p.message), t.redact(p.kind), t.redact(p.code)
	said := clip(p.message, 300)
	if said == "" {
		said = http.StatusText(status)
	}
	all := p.message + " " + p.kind + " " + p.code
	e := &statusError{status: status}
	set := func(kind fault.Kind, format string, args ...any) *statusError {
		e.fault = fault.New(kind, format, args...)
		return e
	}
	keyVar := orText(t.provider.KeyVar, "the key's variable")
	switch {
	case status >= 300 && status < 400:
		return set(fault.InvalidRequest, "%s answered %d and points elsewhere: correct the base URL%s", t.at(), status, t.urlHint())
	case status == 401:
		// What the endpoint says is left out: some repeat the key, in parts.
		if t.key == "" {
			return set(fault.Authentication, "%s wants a key: set %s", t.at(), keyVar)
		}
		return set(fault.Authentication, "%s does not accept the key in %s: set one that is valid", t.at(), keyVar)
	case status == 402, (status == 429 || status == 403) && noMoney.MatchString(all), status == 400 && noCredit.MatchString(all):
		return set(fault.Quota, "%s: the account of the key in %s has no credit or quota left: %s", t.at(), keyVar, said)
	case status == 403:
		return set(fault.Permission, "%s does not let the key in %s use this model: %s", t.at(), keyVar, said)
	case status == 408:
		return set(fault.Timeout, "%s gave up waiting (408): %s", t.at(), said)
	case status == 413, (status == 400 || status == 422) && tooLong.MatchString(all):
		return set(fault.ContextLength, "%s: the prompt is too long for the model: shorten it, or take a model with a larger context: %s", t.at(), said)
	case status == 429:
		wait := retryAfter(h, time.Now())
		if wait > 0 {
			return set(fault.RateLimit, "%s limits the rate of requests and wants to be left alone for %s: %s", t.at(), wait.Round(time.Millisecond), said)
		}
		return set(fault.RateLimit, "%s limits the rate of requests: %s", t.at(), said)
	case status == 400 && policy.MatchString(p.kind+" "+p.code):
		return set(fault.Refused, "%s refused the prompt by its content policy: %s", t.at(), said)
	case status == 404:
		e.stepDown = aboutForm.MatchString(all)
		return set(fault.NotFound, "%s: there is no such model or address: %s; check the model's name and the base URL%s", t.at(), said, t.urlHint())
	case status >= 500 && status != 501:
		return set(fault.Unavailable, "%s failed with status %d: %s; try again later", t.at(), status, said)
	}
	e.stepDown = aboutForm.MatchString(all)
	return set(fault.InvalidRequest, "%s refused the request with status %d: %s", t.at(), status, said)
}

// notNow reports whether the answer says that the request came at a bad time, and was not worked on.
func (e *statusError) notNow() bool {
	return e.fault.Kind == fault.RateLimit || e.status == http.StatusServiceUnavailable || e.status == 529 // 529: Anthropic, overloaded
}

func orText(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// errNoCompletion is the cause of errors of endpoints that answer with success and no chat completion: no model has spoken.
var errNoCompletion = errors.New("no chat completion")

func noCompletion(format string, args ...any) error {
	return &fault.Error{Kind: fault.Unavailable, Message: fmt.Sprintf(format, args...), Cause: errNoCompletion}
}

// explain turns whatever ended an exchange into a fault that names model and endpoint.
func (t *target) explain(ctx context.Context, err error) error {
	var f *fault.Error
	var dns *net.DNSError
	var timeout net.Error
	var u *url.Error
	var status *statusError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &status):
		return status
	case errors.As(err, &f):
		return f
	case errors.Is(err, context.Canceled) || ctx.Err() == context.Canceled:
		return &fault.Error{Kind: fault.Cancelled, Message: "the call of " + t.name + " was cancelled", Cause: context.Canceled}
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return &fault.Error{Kind: fault.Timeout, Message: t.at() + " did not answer in time: raise the timeout, or ask for less", Cause: context.DeadlineExceeded}
	case errors.As(err, &dns):
		return fault.New(fault.Network, "%s cannot be reached: there is no address for the host %s; check the base URL%s and the network", t.at(), dns.Name, t.urlHint())
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fault.New(fault.Network, "the connection to %s ended in the middle of the reply: try again", t.at())
	}
	if errors.As(err, &u) {
		err = u.Err
	}
	return &fault.Error{Kind: fault.Network, Message: t.at() + " cannot be reached: " + clip(t.redact(err.Error()), 200) + "; check the base URL" + t.urlHint() + " and the network", Cause: err}
}

// urlHint says where the base URL comes from.
func (t *target) urlHint() string {
	if t.provider.BaseURLVar == "" {
		return " in models.yaml"
	}
	return " (" + t.provider.BaseURLVar + ", or models.yaml)"
}
