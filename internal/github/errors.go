package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/go-github/v82/github"

	"pflow/internal/fault"
)

// fault says what went wrong with a call. sent reports whether the server may have read the request.
func (c *Client) fault(ctx context.Context, what call, err error, sent bool) error {
	var answered *github.ErrorResponse
	if errors.As(err, &answered) && answered.Response != nil {
		f := c.answered(what, answered)
		if what.once && answered.Response.StatusCode >= 500 {
			return unsure(f)
		}
		return f
	}
	var known *fault.Error
	f := &fault.Error{Kind: fault.Network, Cause: err}
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err // its text would be the address again
	}
	var syntax *json.SyntaxError
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &known):
		f.Kind, f.Message = known.Kind, fmt.Sprintf("cannot %s: %s", what.doing, known.Message)
		return f
	case errors.Is(err, context.Canceled):
		return ctx.Err()
	case isTimeout(err):
		f.Kind, f.Message = fault.Timeout, fmt.Sprintf("cannot %s: %s did not answer in time; set timeout to more", what.doing, c.site.API.Host)
	case errors.As(err, &syntax), errors.As(err, &mistyped):
		f.Kind, f.Message = fault.Malformed, fmt.Sprintf("cannot %s: %s answered with what GitHub's API does not (%v); check %s", what.doing, c.site.API, err, c.site.From)
	default:
		f.Message = fmt.Sprintf("cannot %s: %s cannot be reached: %v", what.doing, c.site.API.Host, err)
	}
	if what.once && sent {
		return unsure(f)
	}
	return f
}

// unsure is the error of what may have been done and must not be done twice.
func unsure(f *fault.Error) error {
	f.Kind = fault.Uncertain
	f.Message += "; it may have been done all the same: look before you run it again"
	return f
}

// answered is the error of an answer with a status from 400 on. Its details are status, message, errors [{field, code,
// message}] and documentation_url.
func (c *Client) answered(what call, e *github.ErrorResponse) *fault.Error {
	status := e.Response.StatusCode
	wrong := []any{}
	var said []string
	for _, w := range e.Errors {
		wrong = append(wrong, map[string]any{"resource": w.Resource, "field": w.Field, "code": w.Code, "message": w.Message})
		text := w.Message
		if text == "" {
			text = strings.ReplaceAll(w.Code, "_", " ")
		}
		if w.Field != "" {
			text = w.Field + ": " + text
		}
		said = append(said, text)
	}
	f := &fault.Error{Kind: fault.InvalidRequest, Details: map[string]any{
		"status": status, "message": e.Message, "errors": wrong, "documentation_url": e.DocumentationURL}}
	message := clip(orText(e.Message, http.StatusText(status)))
	if len(said) > 0 {
		message += " (" + clip(strings.Join(said, "; ")) + ")"
	}
	advice := ""
	switch {
	case status == http.StatusUnauthorized:
		f.Kind = fault.Authentication
		advice = "; it wants a token: " + c.howToken()
		if c.token.Text != "" {
			advice = fmt.Sprintf("; %s refuses the token of %s: make a new one", c.site.Host, c.token.From)
		}
	case status == http.StatusForbidden:
		f.Kind = fault.Permission
		advice = c.forbidden(e.Response.Header)
	case status == http.StatusNotFound:
		f.Kind = fault.NotFound
		message = fmt.Sprintf("%s has no %s", c.site.Host, what.what)
		if c.token.Text == "" {
			advice = "; a private repository looks the same without a token: " + c.howToken()
		} else {
			advice = fmt.Sprintf("; a repository that the token of %s may not see, or not change, looks the same", c.token.From)
		}
	case status == http.StatusGone:
		f.Kind = fault.NotFound
	case status == http.StatusUnprocessableEntity && slices.ContainsFunc(e.Errors, func(w github.Error) bool { return w.Field == "head" }):
		advice = "; is the branch pushed?"
	case status >= 500:
		f.Kind = fault.Unavailable
		message = fmt.Sprintf("%s answered %d %s", c.site.API.Host, status, message)
	}
	f.Message = fmt.Sprintf("cannot %s: %s%s", what.doing, message, advice)
	return f
}

// forbidden says what a token lacks.
func (c *Client) forbidden(h http.Header) string {
	if c.token.Text == "" {
		return "; it wants a token: " + c.howToken()
	}
	if sso := h.Get("X-Github-Sso"); sso != "" {
		return fmt.Sprintf("; the organisation wants single sign-on for the token of %s: authorise it at %s/settings/tokens", c.token.From, c.site.Host)
	}
	for _, name := range []string{"X-Accepted-Github-Permissions", "X-Accepted-Oauth-Scopes"} {
		if needs := h.Get(name); needs != "" {
			return fmt.Sprintf("; the token of %s lacks the permission: it needs %s", c.token.From, clip(needs))
		}
	}
	return fmt.Sprintf("; the token of %s lacks the permission", c.token.From)
}

// howToken says how a token is given.
func (c *Client) howToken() string {
	login := "gh auth login"
	if c.site.Host != defaultHost {
		login += " --hostname " + c.site.Host
	}
	return "set GITHUB_TOKEN, or log in with " + login
}

func orText(s, otherwise string) string {
	if strings.TrimSpace(s) == "" {
		return otherwise
	}
	return s
}

// clip bounds text of the server in a message.
func clip(s string) string {
	const most = 500
	if s = strings.TrimSpace(s); len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
