package web

import (
	"context"
	"net"
	"sync"
	"time"
)

// wrongTokens counts wrong tokens by address. A token is too long to be guessed; this keeps those who try from costing much. Whoever has
// the right one passes, whatever others at the same address do.
type wrongTokens struct {
	mu    sync.Mutex
	since time.Time
	of    map[string]int
	slow  int // who waits for an answer
}

// Bounds of wrong tokens.
const (
	tokensFree   = 10 // of an address in a minute that are answered at once
	tokensWithin = time.Minute
	tokensDelay  = 500 * time.Millisecond
	maxSlow      = 32   // who wait at the same time; others are answered at once
	maxAddresses = 1000 // that are counted; where there are more, counting begins anew
)

// tooMany counts a wrong token of an address, and says whether there were too many. Then it takes its time.
func (a *wrongTokens) tooMany(ctx context.Context, address string) bool {
	if host, _, err := net.SplitHostPort(address); err == nil {
		address = host
	}
	a.mu.Lock()
	if now := time.Now(); now.Sub(a.since) > tokensWithin || len(a.of) > maxAddresses {
		a.since, a.of = now, map[string]int{}
	}
	a.of[address]++
	many, wait := a.of[address] > tokensFree, a.slow < maxSlow
	if many && wait {
		a.slow++
	}
	a.mu.Unlock()
	if !many || !wait {
		return many
	}
	defer func() {
		a.mu.Lock()
		a.slow--
		a.mu.Unlock()
	}()
	select {
	case <-ctx.Done():
	case <-time.After(tokensDelay):
	}
	return true
}
