package mapparams

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Readings reads requests and keeps the last few of them: the steps of a plan each ask for the same one. It is safe for
// concurrent use; the zero value is ready, and nil keeps nothing.
type Readings struct {
	mu   sync.Mutex
	kept []*Request // the one used last is the last
}

// mostKept is how many requests are kept, and longestKept how many bytes the text of all of them may have: a reading takes
// about a hundred times as much.
const (
	mostKept    = 8
	longestKept = 1 << 18
)

// Read is the function Read, which is called only for a request that is not kept. What it gives is shared: nobody may
// change it.
func (k *Readings) Read(ctx context.Context, text string, now time.Time) (*Request, error) {
	if k == nil {
		return Read(ctx, text, now)
	}
	if r := k.find(text, now); r != nil {
		return r, ctx.Err()
	}
	r, err := Read(ctx, text, now)
	if err != nil {
		return nil, err
	}
	k.keep(r)
	return r, nil
}

// find gives a request that is kept, nil if it is not, and makes it the one used last.
func (k *Readings) find(text string, now time.Time) *Request {
	k.mu.Lock()
	defer k.mu.Unlock()
	at := slices.IndexFunc(k.kept, func(r *Request) bool { return r.Now == now && r.asked == text })
	if at < 0 {
		return nil
	}
	r := k.kept[at]
	k.kept = append(slices.Delete(k.kept, at, at+1), r)
	return r
}

// keep adds a request and lets go of the ones that were used longest ago.
func (k *Readings) keep(r *Request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept = append(k.kept, r)
	bytes := 0
	for _, r := range k.kept {
		bytes += len(r.Text)
	}
	for len(k.kept) > mostKept || bytes > longestKept && len(k.kept) > 1 {
		bytes -= len(k.kept[0].Text)
		k.kept = slices.Delete(k.kept, 0, 1)
	}
}
