//go:build unix

package secret_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/secret"
)

func store(t *testing.T, env map[string]string, mapped ...secret.Mapping) *secret.Store {
	t.Helper()
	if env == nil {
		env = map[string]string{}
	}
	if env["HOME"] == "" {
		env["HOME"] = t.TempDir()
	}
	for i := range mapped {
		mapped[i].Place = diag.Place{File: "settings.yaml", Line: 3, Col: 5}
	}
	return secret.New(secret.Options{Getenv: func(name string) string { return env[name] }, Mapped: mapped})
}

func sh(script string) secret.Mapping {
	return secret.Mapping{Name: "TOKEN", Command: []string{"/bin/sh", "-c", script}}
}

// TestRead: the environment goes before the mapping; a command gives what it prints without one line end, and runs once,
// at home, when it is read and not before.
func TestRead(t *testing.T) {
	home := t.TempDir()
	s := store(t, map[string]string{"HOME": home, "OTHER": "of the environment"}, sh(`echo ran >>ran; printf ' two\nlines\r\n'`), secret.Mapping{Name: "OTHER", Command: []string{"/nowhere"}})
	if !s.Has("TOKEN") || s.Known("TOKEN") != "" || s.Has("NONE") {
		t.Error("what is mapped is there, and not known")
	}
	if _, err := os.Stat(filepath.Join(home, "ran")); err == nil {
		t.Error("the command ran unasked")
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got, err := s.Read(t.Context(), "TOKEN"); got != " two\nlines" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	all.Wait()
	if ran, err := os.ReadFile(filepath.Join(home, "ran")); string(ran) != "ran\n" || err != nil || s.Known("TOKEN") != " two\nlines" {
		t.Errorf("it ran as %q, %v; known is %q", ran, err, s.Known("TOKEN"))
	}
	if got, err := s.Read(t.Context(), "OTHER"); got != "of the environment" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := s.Read(t.Context(), "NONE"); got != "" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// TestReadFails: a failure names the mapping and shows nothing of what the command printed; it is tried again the next time.
func TestReadFails(t *testing.T) {
	const says = "the secret TOKEN cannot be read: the command /bin/sh (settings.yaml:3:5) "
	for script, want := range map[string]string{
		"echo s3cr3t; echo s3cr3t >&2; exit 3":  says + "ended with exit status 3; run it by hand to see why",
		"true":                                  says + "gave nothing",
		"echo":                                  says + "gave nothing",
		`printf '\377\376'`:                     says + "gave something that is no text",
		"head -c 100000 /dev/zero | tr '\\0' x": says + "gave more than 64 KiB, which no secret has",
		"read line </dev/tty && echo s3cr3t; exit 9": says + "ended with exit status 9; run it by hand to see why", // there is no terminal
		"read line && echo s3cr3t || exit 8":         says + "ended with exit status 8; run it by hand to see why", // and nothing to read
	} {
		s := store(t, nil, sh(script))
		_, err := s.Read(t.Context(), "TOKEN")
		if e := fault.Of(err); e == nil || e.Kind != fault.Authentication || e.Message != want {
			t.Errorf("%s\n%v\nwant %s", script, err, want)
		}
	}
	s := store(t, nil, secret.Mapping{Name: "TOKEN", Command: []string{"no-such-program-here", "s3cr3t"}})
	if _, err := s.Read(t.Context(), "TOKEN"); err == nil || strings.Contains(err.Error(), "s3cr3t") || !strings.Contains(err.Error(), "the command no-such-program-here (settings.yaml:3:5) cannot be run: executable file not found") {
		t.Errorf("%v", err)
	}
	again := store(t, nil, sh("test -e tried && echo got; touch tried"))
	if _, err := again.Read(t.Context(), "TOKEN"); err == nil {
		t.Error("no error")
	}
	if got, err := again.Read(t.Context(), "TOKEN"); got != "got" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestReadEnds: who is cancelled does not wait for the command, and all of it ends.
func TestReadEnds(t *testing.T) {
	home := t.TempDir()
	s := store(t, map[string]string{"HOME": home}, sh("echo begun >begun; sleep 600 & wait"))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { _, err := s.Read(ctx, "TOKEN"); done <- err }()
	for {
		if _, err := os.Stat(filepath.Join(home, "begun")); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-done; err != context.Canceled {
		t.Errorf("%v", err)
	}
}

func TestKeyring(t *testing.T) {
	keyring.MockInit()
	if err := keyring.Set("deploy", "me", "of the keyring"); err != nil {
		t.Fatal(err)
	}
	s := store(t, nil, secret.Mapping{Name: "KEY", Service: "deploy", User: "me"}, secret.Mapping{Name: "GONE", Service: "deploy", User: "you"})
	if got, err := s.Read(t.Context(), "KEY"); got != "of the keyring" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := s.Read(t.Context(), "GONE"); err == nil || err.Error() != `the secret GONE cannot be read: the keyring's entry of the service "deploy" and the user "you" (settings.yaml:3:5) is not there: store it with the keyring's own program` {
		t.Errorf("%v", err)
	}
	keyring.MockInitWithError(keyring.ErrUnsupportedPlatform)
	if _, err := store(t, nil, secret.Mapping{Name: "KEY", Service: "deploy", User: "me"}).Read(t.Context(), "KEY"); err == nil || !strings.Contains(err.Error(), "cannot be had: ") {
		t.Errorf("%v", err)
	}
}
