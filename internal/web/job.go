package web

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"pflow/internal/fault"
	"pflow/internal/outcome"
)

// Job is a command that takes long.
type Job struct {
	ID       string
	Endpoint string
	Began    time.Time

	given Params // what it was begun with

	mu         sync.Mutex
	runs       []string
	experiment string // that it runs, "" while it runs none
	messages   bytes.Buffer
	changed    chan struct{} // closed and made anew at each change
	result     *Result       // nil while it goes on
	cancel     context.CancelFunc
}

// Bounds of jobs: how many are remembered, and how many bytes of them, where those that go on and the last are never forgotten, and
// how many go on at the same time.
const (
	maxJobs = 200
	maxHeld = 128 << 20
	maxOpen = 32
)

type jobs struct {
	mu    sync.Mutex
	of    map[string]*Job
	order []string // the oldest first
	stop  context.CancelFunc
	ctx   context.Context
	open  sync.WaitGroup
}

func newJobs() *jobs {
	ctx, stop := context.WithCancel(context.Background())
	return &jobs{of: map[string]*Job{}, ctx: ctx, stop: stop}
}

// Begin begins a call that takes long, and gives the job at once.
func (s *Server) Begin(name string, given Params) (*Job, error) {
	e := s.endpoint(name)
	c, err := e.command(given)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(s.jobs.ctx)
	j := &Job{ID: rand.Text(), Endpoint: name, Began: time.Now(), given: given, changed: make(chan struct{}), cancel: cancel}
	if err := s.jobs.add(j); err != nil {
		cancel()
		return nil, err
	}
	var out bytes.Buffer
	c.Stdout, c.Stderr, c.Begun = &out, (*jobMessages)(j), j.begun
	c.Experiment = func(id string) { j.change(func() { j.experiment = id }) }
	fault.Go(func() {
		defer s.jobs.open.Done()
		defer cancel()
		ended := s.commands.Carry(ctx, c)
		j.change(func() { j.result = e.result(ended, out.Bytes(), j.messages.String()) })
	}, func(err error) {
		j.change(func() { j.result = &Result{Ended: Ended{Exit: outcome.Failed}, Messages: []string{err.Error()}} })
	})
	return j, nil
}

// add takes a job that begins.
func (js *jobs) add(j *Job) error {
	js.mu.Lock()
	defer js.mu.Unlock()
	open := 0
	for _, other := range js.of {
		if other.Result() == nil {
			open++
		}
	}
	switch {
	case js.ctx.Err() != nil:
		return errStopping
	case open >= maxOpen:
		return &Error{Status: http.StatusServiceUnavailable, Message: fmt.Sprintf("%d jobs go on already", open), Do: "wait until one has ended, or stop one"}
	}
	js.open.Add(1)
	js.of[j.ID] = j
	js.order = append(js.order, j.ID)
	held := 0
	for _, other := range js.of {
		held += other.held()
	}
	for i := 0; (len(js.order) > maxJobs || held > maxHeld) && i < len(js.order); {
		if id := js.order[i]; js.of[id].Result() != nil {
			held -= js.of[id].held()
			delete(js.of, id)
			js.order = slices.Delete(js.order, i, i+1)
			continue
		}
		i++
	}
	return nil
}

// held is about how many bytes a job takes that has ended.
func (j *Job) held() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := j.messages.Len()
	if j.result != nil {
		n += len(j.result.Stdout) + j.messages.Len() // the lines, too
	}
	for _, v := range j.given {
		if text, ok := v.(string); ok {
			n += len(text)
		}
	}
	return n
}

// end stops all jobs; none begins any more.
func (js *jobs) end() {
	js.mu.Lock()
	js.stop()
	js.mu.Unlock()
	js.open.Wait()
}

// going names those that go on: by their runs, or where they began none by the call.
func (js *jobs) going() (out []string) {
	js.mu.Lock()
	defer js.mu.Unlock()
	for _, id := range js.order {
		j := js.of[id]
		j.mu.Lock()
		switch {
		case j.result != nil:
		case len(j.runs) > 0:
			out = append(out, "run "+j.runs[0])
		default:
			out = append(out, j.Endpoint)
		}
		j.mu.Unlock()
	}
	return out
}

func (js *jobs) get(id string) *Job {
	js.mu.Lock()
	defer js.mu.Unlock()
	return js.of[id]
}

func (j *Job) change(f func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	f()
	close(j.changed)
	j.changed = make(chan struct{})
}

func (j *Job) begun(run string) { j.change(func() { j.runs = append(j.runs, run) }) }

// jobMessages takes the standard error of a job's command.
type jobMessages Job

// maxMessages bounds the messages that are kept of a job, in bytes.
const maxMessages = 1 << 20

func (m *jobMessages) Write(p []byte) (int, error) {
	j := (*Job)(m)
	j.change(func() {
		if j.messages.Len() < maxMessages {
			j.messages.Write(p)
		}
	})
	return len(p), nil
}

// Result is what the job came to; nil while it goes on.
func (j *Job) Result() *Result {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.result
}

// until waits until a job is as wanted, or has ended.
func (j *Job) until(ctx context.Context, wanted func() bool) error {
	for {
		j.mu.Lock()
		done, changed := j.result != nil || wanted(), j.changed
		j.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// Wait waits for the end of the job.
func (j *Job) Wait(ctx context.Context) (*Result, error) {
	if err := j.until(ctx, func() bool { return false }); err != nil {
		return nil, err
	}
	return j.Result(), nil
}

// Run waits for the first run of the job. Where it ends without one, that is its failure.
func (j *Job) Run(ctx context.Context) (string, error) {
	if err := j.until(ctx, func() bool { return len(j.runs) > 0 }); err != nil {
		return "", err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.runs) > 0 {
		return j.runs[0], nil
	}
	return "", cmp.Or(j.unkept(), j.result.failure())
}

// unkept is the error of a job that has ended, and ran something which could not be kept, so that there is no page of it; nil of another.
func (j *Job) unkept() *Error {
	var ran struct {
		ID     string `json:"run_id"`
		Status string `json:"status"`
	}
	if of, _ := j.given["id"].(string); json.Unmarshal(j.result.Stdout, &ran) != nil || ran.ID == "" || of != "" && strings.HasPrefix(ran.ID, of) {
		return nil
	}
	return &Error{Status: http.StatusInternalServerError, Exit: j.result.Exit, Do: "see to it before you send this again: it would be done again",
		Message: fmt.Sprintf("this was done (%s), but nothing of it could be kept, so there is no page of it\n%s", ran.Status, strings.Join(j.result.Messages, "\n"))}
}

// Events is the address of the stream that tells of the job while it goes on.
func (j *Job) Events() string { return "/api/v1/jobs/" + j.ID + "/events" }

func (s *Server) job(r *http.Request) (*Job, error) {
	j := s.jobs.get(r.PathValue("job"))
	if j == nil {
		return nil, &Error{Status: http.StatusNotFound, Message: "there is no such job: it was long ago, or pflow serve was started again since", Do: "what it began stands among the runs"}
	}
	return j, nil
}
