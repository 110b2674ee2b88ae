package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/google/go-github/v82/github"

	"pflow/internal/fault"
)

// maxWaits is how often one call waits for GitHub.
const maxWaits = 5

// Waits where GitHub does not say how long: its documentation asks for a minute. A clock may be a little behind.
const (
	unsaid = time.Minute
	slack  = time.Second
)

// limit is a rate limit that was hit.
type limit struct {
	until   time.Time
	primary int // requests an hour; 0 where it is a secondary limit, on how fast requests come
}

// limitOf reads a rate limit off an error; nil if there is none.
func limitOf(err error) *limit {
	var primary *github.RateLimitError
	var secondary *github.AbuseRateLimitError
	var other *github.ErrorResponse
	after := func(d time.Duration) *limit { return &limit{until: time.Now().Add(max(d, slack))} }
	switch {
	case errors.As(err, &primary):
		until := primary.Rate.Reset.Time.Add(slack)
		if now := time.Now(); until.Before(now) {
			until = now.Add(slack)
		}
		return &limit{until: until, primary: max(primary.Rate.Limit, 1)}
	case errors.As(err, &secondary):
		if secondary.RetryAfter == nil {
			return after(unsaid)
		}
		return after(*secondary.RetryAfter)
	case errors.As(err, &other) && other.Response != nil:
		status, given := other.Response.StatusCode, other.Response.Header.Get("Retry-After")
		seconds, bad := strconv.Atoi(given)
		switch {
		case status != http.StatusForbidden && status != http.StatusTooManyRequests:
		case given != "" && bad == nil && seconds >= 0 && seconds < 1<<20:
			return after(time.Duration(seconds) * time.Second)
		case status == http.StatusTooManyRequests:
			return after(unsaid)
		}
	}
	return nil
}

// wait waits for the end of a limit, or says at once that ctx does not last until then or that it waited often enough.
func (c *Client) wait(ctx context.Context, what call, l *limit, waits int) error {
	if end, ok := ctx.Deadline(); waits >= maxWaits || ok && end.Before(l.until) {
		left := time.Until(l.until).Round(time.Second)
		message := fmt.Sprintf("cannot %s: GitHub takes no more requests until %s (in %s), ", what.doing, l.until.UTC().Format("2006-01-02 15:04:05 UTC"), left)
		if l.primary > 0 {
			message += fmt.Sprintf("the %d of the hour are spent", l.primary)
		} else {
			message += "since they came too fast"
		}
		message += "; run it again then, or set timeout to more than that"
		if c.token.Text == "" {
			message += "; with a token there are more: " + c.howToken()
		}
		return &fault.Error{Kind: fault.RateLimit, Message: message, Details: map[string]any{"reset": l.until.UTC().Format(time.RFC3339)}}
	}
	timer := time.NewTimer(time.Until(l.until))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
