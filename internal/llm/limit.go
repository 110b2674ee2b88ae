package llm

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"pflow/internal/fault"
)

// limiter keeps to the limits of one provider, over all calls of a client: so many exchanges at once, so many requests in
// a minute (a token bucket that holds a tenth of a minute's), and none before the time that the provider told.
type limiter struct {
	slots chan struct{}

	mu     sync.Mutex
	rate   float64 // requests a second; 0: no bound
	most   float64 // what the bucket holds
	tokens float64
	last   time.Time
	paused time.Time // no request before
}

func newLimiter(concurrency, perMinute int) *limiter {
	l := &limiter{slots: make(chan struct{}, max(concurrency, 1)), rate: float64(perMinute) / 60}
	l.most = max(float64(perMinute)/10, 1)
	l.tokens = l.most
	return l
}

// acquire waits until a request may be sent, and says how long that took. release must be called when it is over.
func (l *limiter) acquire(ctx context.Context) (waited time.Duration, release func(), err error) {
	start := time.Now()
	select {
	case l.slots <- struct{}{}:
	case <-ctx.Done():
		return time.Since(start), nil, ctx.Err()
	}
	release = sync.OnceFunc(func() { <-l.slots })
	for {
		wait := l.reserve(time.Now())
		if wait <= 0 {
			return time.Since(start), release, nil
		}
		if err := sleep(ctx, wait); err != nil {
			release()
			if err == errNoTime && wait > mostWait {
				err = fault.New(fault.RateLimit, "the provider wants to be left alone for another %s: try again then", wait.Round(time.Second))
			}
			return time.Since(start), nil, err
		}
	}
}

// reserve takes a token, or gives the time after which to ask again.
func (l *limiter) reserve(now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if wait := l.paused.Sub(now); wait > 0 {
		return wait + rand.N(min(wait, spread))
	}
	if l.rate == 0 {
		return 0
	}
	if !l.last.IsZero() {
		l.tokens = min(l.most, l.tokens+now.Sub(l.last).Seconds()*l.rate)
	}
	l.last = now
	if l.tokens >= 1 {
		l.tokens--
		return 0
	}
	return max(time.Duration((1-l.tokens)/l.rate*float64(time.Second)), time.Millisecond)
}

// pause holds back every request for a time.
func (l *limiter) pause(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until := time.Now().Add(d); until.After(l.paused) {
		l.paused = until
	}
}

// sleep waits for a time, unless the context ends before, or would end before: then it fails at once.
func sleep(ctx context.Context, d time.Duration) error {
	if end, ok := ctx.Deadline(); ok && time.Until(end) < d {
		return errNoTime
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// errNoTime ends a wait that would outlast the call's deadline.
var errNoTime = fault.New(fault.RateLimit, "the provider's limits leave no request before the call's deadline: raise the timeout, or the limits in models.yaml")

// spread bounds the random part of a wait, so that those that are held back together do not all come at once.
const spread = 500 * time.Millisecond

// mostWait is the longest wait that is taken from counters that are used up. Where a provider demands more than that and the
// deadline comes first, the error says for how long.
const mostWait = 60 * time.Second
