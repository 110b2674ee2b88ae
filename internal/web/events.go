package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Bounds of those who watch.
const (
	maxViewers       = 1000             // in all
	maxViewersOfOne  = 500              // of one run, or of one job
	heartbeat        = 15 * time.Second // how often something is sent where nothing happens, so that what is between closes nothing
	maxFrames        = 512              // that are kept of a run; who is further behind is told how all stands
	reconnect        = 2 * time.Second  // after which a browser asks again
	refreshPerViewer = 500 * time.Millisecond
)

// viewers counts those who watch.
type viewers struct {
	mu  sync.Mutex
	all int
	of  map[string]int
}

// enter lets one more in. leave says that it has gone.
func (v *viewers) enter(what string) (leave func(), err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.all >= maxViewers || v.of[what] >= maxViewersOfOne {
		return nil, &Error{Status: http.StatusServiceUnavailable, Message: fmt.Sprintf("%d watch already, of them %d this", v.all, v.of[what]),
			Do: "close pages that show live runs"}
	}
	v.all++
	v.of[what]++
	return func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.all--
		if v.of[what]--; v.of[what] == 0 {
			delete(v.of, what)
		}
	}, nil
}

// frameOf is an event as it is sent: made once, for all who watch.
func frameOf(id int, event string, data any) []byte {
	var b bytes.Buffer
	if id > 0 {
		b.WriteString("id: " + strconv.Itoa(id) + "\n")
	}
	text, err := json.Marshal(data)
	if err != nil {
		panic("web: an event that is no JSON: " + err.Error())
	}
	b.WriteString("event: " + event + "\ndata: ")
	b.Write(text)
	b.WriteString("\n\n")
	return b.Bytes()
}

// stream is an answer that goes on: server-sent events.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// openStream begins one. What is written to it goes out at once; who takes too long to read it is dropped (guard.go bounds each write).
func openStream(w http.ResponseWriter) (*stream, error) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // of proxies
	w.WriteHeader(http.StatusOK)
	s := &stream{w, http.NewResponseController(w)}
	return s, s.send([]byte(fmt.Sprintf("retry: %d\n\n", reconnect.Milliseconds())))
}

func (s *stream) send(frames ...[]byte) error {
	for _, f := range frames {
		if _, err := s.w.Write(f); err != nil {
			return err
		}
	}
	return s.control.Flush()
}

// wait waits for a change, and keeps the stream alive meanwhile.
func (s *stream) wait(ctx context.Context, closing, changed <-chan struct{}) error {
	beat := time.NewTimer(heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-changed:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-closing:
			_ = s.send(frameOf(0, "stop", struct{}{})) // whoever listens may have gone
			return errStopping
		case <-beat.C:
			if err := s.send([]byte(":\n\n")); err != nil {
				return err
			}
			beat.Reset(heartbeat)
		}
	}
}

var errStopping = &Error{Status: http.StatusServiceUnavailable, Message: "pflow serve is ending"}

// eventRoutes adds the streams of events.
func (s *Server) eventRoutes() {
	s.stream("GET /api/v1/runs/{id}/events", s.runEvents)
	s.stream("GET /api/v1/jobs/{job}/events", s.jobEvents)
}

// stream adds a route whose answer goes on. An error of one that has begun is nobody's to be told.
func (s *Server) stream(pattern string, f func(w http.ResponseWriter, r *http.Request) error) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		if err := f(w, r); err != nil && w.Header().Get("Content-Type") == "" {
			writeError(w, err)
		}
	})
}

func (s *Server) runEvents(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	if err := ofRun.check(id); err != nil {
		return &Error{Status: http.StatusBadRequest, Message: err.Error(), Where: "id"}
	}
	leave, err := s.viewers.enter("run " + id)
	if err != nil {
		return err
	}
	defer leave()
	t := s.hub.follow(id)
	defer s.hub.unfollow(t)
	ctx := r.Context()
	if err := t.ready(ctx); err != nil {
		return err
	}
	out, err := openStream(w)
	if err != nil {
		return err
	}
	after, err := strconv.Atoi(r.Header.Get("Last-Event-ID"))
	if err != nil || after < 0 {
		after = -1
	}
	told := 0 // of the refreshes
	for {
		frames, next, refreshed, over, changed := t.since(after, told)
		if err := out.send(frames...); err != nil {
			return err
		}
		if after, told = next, refreshed; over {
			return nil
		}
		if err := out.wait(ctx, s.closing, changed); err != nil {
			return err
		}
	}
}

func (s *Server) jobEvents(w http.ResponseWriter, r *http.Request) error {
	j, err := s.job(r)
	if err != nil {
		return err
	}
	leave, err := s.viewers.enter("job " + j.ID)
	if err != nil {
		return err
	}
	defer leave()
	out, err := openStream(w)
	if err != nil {
		return err
	}
	seen, runs := 0, 0
	for {
		j.mu.Lock()
		text, begun, result, changed := j.messages.String()[seen:], j.runs[runs:], j.result, j.changed
		j.mu.Unlock()
		if result == nil {
			text = text[:strings.LastIndexByte(text, '\n')+1] // the rest of the line is yet to come
		}
		seen, runs = seen+len(text), runs+len(begun)
		var frames [][]byte
		for _, id := range begun {
			frames = append(frames, frameOf(0, "run", map[string]string{"id": id}))
		}
		for _, line := range linesOf(text) {
			frames = append(frames, frameOf(0, "message", map[string]string{"line": line}))
		}
		if text != "" {
			frames = append(frames, frameOf(0, "refresh", struct{}{}))
		}
		if result != nil {
			frames = append(frames, frameOf(0, "end", map[string]int{"exit": result.Exit}))
		}
		if err := out.send(frames...); err != nil || result != nil {
			return err
		}
		if err := out.wait(r.Context(), s.closing, changed); err != nil {
			return err
		}
	}
}
