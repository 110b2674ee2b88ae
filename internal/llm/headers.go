package llm

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// retryAfter reads how long a provider wants to be left alone: retry-after-ms, or Retry-After in seconds or as a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil && ms >= 0 {
		return seconds(ms / 1000)
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(text, 64); err == nil && s >= 0 {
		return seconds(s)
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// seconds is a duration that cannot overflow.
func seconds(s float64) time.Duration {
	return time.Duration(min(s, 24*3600) * float64(time.Second))
}

// used up gives how long to wait when the headers of an answer say that no request or token is left: 0 if some are, or if
// it does not say when there will be. OpenAI and those like it say x-ratelimit-remaining-requests and
// x-ratelimit-reset-requests (a duration such as 1m3s, or seconds); Anthropic anthropic-ratelimit-requests-remaining and
// -reset (a time).
func usedUp(h http.Header, now time.Time) time.Duration {
	var wait time.Duration
	for _, of := range []string{"requests", "tokens"} {
		for _, names := range [][2]string{
			{"X-Ratelimit-Remaining-" + of, "X-Ratelimit-Reset-" + of},
			{"Anthropic-Ratelimit-" + of + "-Remaining", "Anthropic-Ratelimit-" + of + "-Reset"},
		} {
			if strings.TrimSpace(h.Get(names[0])) == "0" {
				wait = max(wait, untilReset(strings.TrimSpace(h.Get(names[1])), now))
			}
		}
	}
	return min(wait, mostWait)
}

func untilReset(text string, now time.Time) time.Duration {
	if d, err := time.ParseDuration(text); err == nil {
		return max(d, 0)
	}
	if s, err := strconv.ParseFloat(text, 64); err == nil && s >= 0 && s < 1e6 { // larger ones are moments of some clock
		return seconds(s)
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}
