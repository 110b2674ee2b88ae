package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// TestSignals: one that comes twice at once is one; a later one, or another, ends the process.
func TestSignals(t *testing.T) {
	type sent struct {
		after time.Duration
		what  os.Signal
	}
	for _, c := range []struct {
		name  string
		sent  []sent
		cause int
		exit  int // 0: it does not
	}{
		{"once", []sent{{0, os.Interrupt}}, exitInterrupted, 0},
		{"as GNU timeout does", []sent{{0, syscall.SIGTERM}, {time.Millisecond, syscall.SIGTERM}}, exitTerminated, 0},
		{"three times at once", []sent{{0, os.Interrupt}, {0, os.Interrupt}, {together / 2, os.Interrupt}}, exitInterrupted, 0},
		{"a person twice", []sent{{0, os.Interrupt}, {time.Second, os.Interrupt}}, exitInterrupted, exitInterrupted},
		{"at once and again", []sent{{0, os.Interrupt}, {0, os.Interrupt}, {time.Second, os.Interrupt}}, exitInterrupted, exitInterrupted},
		{"another", []sent{{0, os.Interrupt}, {time.Millisecond, syscall.SIGTERM}}, exitInterrupted, exitInterrupted},
		{"a closed terminal", []sent{{0, syscall.SIGHUP}, {time.Millisecond, syscall.SIGHUP}}, exitHungUp, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var signals chan<- os.Signal
				exited := 0
				var stderr bytes.Buffer
				a := newApp(strings.NewReader(""), io.Discard, &stderr, func(string) string { return "" })
				ctx, stop := a.notify(context.Background(), func(c chan<- os.Signal) { signals = c }, func(code int) { exited = code })
				for _, s := range c.sent {
					time.Sleep(s.after)
					signals <- s.what
					synctest.Wait()
				}
				if code, ok := interrupted(ctx); !ok || code != c.cause {
					t.Errorf("status %d, want %d", code, c.cause)
				}
				if exited != c.exit || (exited != 0) != strings.Contains(stderr.String(), "not waiting") {
					t.Errorf("exit %d, want %d: %s", exited, c.exit, stderr.String())
				}
				stop()
				if exited == 0 { // whoever waits for a signal still does: let it go
					signals <- os.Kill
				}
			})
		})
	}
}

// TestPatient: a read that nobody waits for any more loses nothing.
func TestPatient(t *testing.T) {
	r, w := io.Pipe()
	p := newPatient(r)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := p.line(ctx, 100)
		failed <- err
	}()
	if _, err := w.Write([]byte("half ")); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-failed; err != context.Canceled {
		t.Fatal(err)
	}
	go func() {
		w.Write([]byte("a line\r\nanother\nthe"))
		w.Write([]byte(" rest"))
		w.Close()
	}()
	for _, want := range []string{"half a line", "another"} {
		if got, err := p.line(t.Context(), 100); got != want || err != nil {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	if rest, err := io.ReadAll(p.until(t.Context())); string(rest) != "the rest" || err != nil {
		t.Errorf("%q, %v", rest, err)
	}
	if _, err := p.line(t.Context(), 100); err != io.EOF {
		t.Error(err)
	}
	if _, err := newPatient(strings.NewReader(strings.Repeat("x", 500_000))).line(t.Context(), 1000); err != bytes.ErrTooLarge {
		t.Error(err)
	}
}
