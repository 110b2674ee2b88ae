package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"sync"
	"time"

	"pflow/internal/fault"
)

// newest follows the newest runs for those who look at lists: once for all of them, and no longer than somebody does.
type newest struct {
	mu       sync.Mutex
	watching int
	stop     context.CancelFunc
	stands   string
	changed  chan struct{} // closed and made anew at each change
}

// How often the list is looked at, and how many of its runs.
const (
	listEvery = time.Second
	listMost  = 50
)

// watch begins to look, unless somebody does. leave says that one less wants to know.
func (n *newest) watch(list func(ctx context.Context) (string, error), log func(format string, args ...any)) (leave func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.watching++; n.watching == 1 {
		ctx, stop := context.WithCancel(context.Background())
		n.stop, n.stands, n.changed = stop, "", make(chan struct{})
		fault.Go(func() { n.look(ctx, list) }, func(err error) {
			stop()
			log("the newest runs are not followed any more: %v", err)
		})
	}
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.watching--; n.watching == 0 {
			n.stop()
		}
	}
}

// now says how the list stands, "" while that is not known, and when it is otherwise.
func (n *newest) now() (stands string, changed <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.stands, n.changed
}

func (n *newest) look(ctx context.Context, list func(ctx context.Context) (string, error)) {
	tick := time.NewTicker(listEvery)
	defer tick.Stop()
	for {
		if stands, err := list(ctx); err == nil {
			n.tell(stands)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (n *newest) tell(stands string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stands != stands {
		n.stands = stands
		close(n.changed)
		n.changed = make(chan struct{})
	}
}

// listEvents tells when the newest runs, or how they stand, are others than when a list was made.
func (s *Server) listEvents(w http.ResponseWriter, r *http.Request) error {
	leave, err := s.viewers.enter("runs")
	if err != nil {
		return err
	}
	defer leave()
	defer s.newest.watch(s.standing, s.o.Log)()
	out, err := openStream(w)
	if err != nil {
		return err
	}
	for seen := r.URL.Query().Get("seen"); ; {
		stands, changed := s.newest.now()
		if stands != "" && stands != seen {
			if err := out.send(frameOf(0, "refresh", struct{}{})); err != nil {
				return err
			}
			seen = stands
		}
		if err := out.wait(r.Context(), s.closing, changed); err != nil {
			return err
		}
	}
}

// standing stands for which runs there are, and how they stand.
func (s *Server) standing(ctx context.Context) (string, error) {
	got, err := s.runs(ctx, Params{"limit": listMost})
	return standingOf(got.Runs), err
}

func standingOf(runs []runRow) string {
	var b bytes.Buffer
	for _, r := range runs {
		b.WriteString(r.ID + " " + r.Status + " " + r.Decided + "\n")
	}
	sum := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(sum[:8])
}
