package main

import (
	"maps"
	"sync"
)

// runsHere are the runs that commands of this process work on, where it carries out several. A signal would stop all of them; this
// stops one.
type runsHere struct {
	mu sync.Mutex
	of map[string]*worker
}

// worker is a command that works on runs. stop stops it as a signal would.
type worker struct{ stop func() }

func newRunsHere() *runsHere { return &runsHere{of: map[string]*worker{}} }

// works says that a command works on a run.
func (h *runsHere) works(w *worker, run string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.of[run] = w
}

// ended says that a command has ended.
func (h *runsHere) ended(w *worker) {
	h.mu.Lock()
	defer h.mu.Unlock()
	maps.DeleteFunc(h.of, func(_ string, of *worker) bool { return of == w })
}

// stop stops what works on a run here, and reports whether anything does.
func (h *runsHere) stop(run string) bool {
	h.mu.Lock()
	w := h.of[run]
	h.mu.Unlock()
	if w == nil {
		return false
	}
	w.stop()
	return true
}
