package main

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
	"time"
)

// lockstep lets requests through in groups: none of a group is answered before all of it have come, and all of one are
// answered before any of the next comes. So groups are what runs at the same time, and their number is how deep the calls
// are. guard only tells a hang: a group that never becomes full.
type lockstep struct {
	t      *testing.T
	groups []int
	next   http.Handler
	guard  time.Duration

	mu       sync.Mutex
	full     []chan struct{}
	arrived  int
	answered int
}

func newLockstep(t *testing.T, groups []int, next http.Handler) *lockstep {
	l := &lockstep{t: t, groups: groups, next: next, guard: time.Minute}
	for range groups {
		l.full = append(l.full, make(chan struct{}))
	}
	return l
}

func (l *lockstep) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	l.arrived++
	group, end := -1, 0
	for i, n := range l.groups {
		if l.arrived <= end+n {
			group = i
			break
		}
		end += n
	}
	if group < 0 {
		l.t.Errorf("the request %d: there are to be no more", l.arrived)
		l.mu.Unlock()
		http.Error(w, "too many", http.StatusBadRequest)
		return
	}
	if l.answered < end {
		l.t.Errorf("the request %d came when only %d of the %d before its group were answered", l.arrived, l.answered, end)
	}
	if l.arrived == end+l.groups[group] {
		close(l.full[group])
	}
	full := l.full[group]
	l.mu.Unlock()
	select {
	case <-full:
	case <-r.Context().Done():
	case <-time.After(l.guard):
		l.t.Errorf("the group %d of %d requests never became full", group+1, l.groups[group])
	}
	// Counted before the answer is sent, since the next request may come before this function is back.
	l.mu.Lock()
	l.answered++
	l.mu.Unlock()
	l.next.ServeHTTP(w, r)
}

// TestPlannerDepth: the standard planner's six calls follow each other; planner-fast has three at the same time, then one,
// then two.
func TestPlannerDepth(t *testing.T) {
	for flow, groups := range map[string][]int{"planner": {1, 1, 1, 1, 1, 1}, "planner-fast": {3, 1, 2}} {
		t.Run(flow, func(t *testing.T) {
			t.Parallel()
			p := newPlanning(t, "not-found", "chosen", "named", "good", "described", "taken")
			p.savedAs("duplicate-file", duplicateFile)
			to, err := url.Parse(p.server.URL)
			if err != nil {
				t.Fatal(err)
			}
			front := httptest.NewServer(newLockstep(t, groups, httputil.NewSingleHostReverseProxy(to)))
			defer front.Close()
			p.env = append(p.env, "OPENAI_BASE_URL="+front.URL+"/v1")
			plan, stderr, status := p.plan("copy a.txt to b.txt", "--flow", flow)
			if got := summary(plan); got != generated || status != 0 || stderr != "" || plan.Usage.Calls != 6 {
				t.Errorf("%s, exit %d, %d calls\n%s", got, status, plan.Usage.Calls, stderr)
			}
		})
	}
}
