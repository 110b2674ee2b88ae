package secret

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/zalando/go-keyring"

	"pflow/internal/fault"
)

// Bounds on reading one secret. Somebody who is asked for a passphrase needs longer than a program.
const (
	maxSecret  = 64 << 10 // bytes
	timeout    = 30 * time.Second
	askTimeout = 3 * time.Minute
)

// read reads a secret as it is mapped.
func (s *Store) read(ctx context.Context, m Mapping) (string, error) {
	terminal := s.o.Terminal != nil && s.o.Terminal()
	bound := timeout
	if terminal {
		bound = askTimeout
	}
	bounded, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	var text, why string
	if m.Command != nil {
		text, why = s.run(bounded, m, terminal)
	} else {
		text, why = fromKeyring(bounded, m)
	}
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case bounded.Err() != nil:
		why = "gave nothing within " + bound.String()
	case why != "":
	case len(text) > maxSecret:
		why = fmt.Sprintf("gave more than %d KiB, which no secret has", maxSecret>>10)
	case text == "":
		why = "gave nothing"
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		why = "gave something that is no text"
	}
	if why != "" {
		return "", fault.New(fault.Authentication, "the secret %s cannot be read: %s (%s) %s", m.Name, m.Says(), m.Place, why)
	}
	return text, nil
}

// Says names what a mapping reads, without the arguments of a command.
func (m Mapping) Says() string {
	if m.Command != nil {
		return "the command " + m.Command[0]
	}
	return fmt.Sprintf("the keyring's entry of the service %q and the user %q", m.Service, m.User)
}

// run gives what a command prints, without one line end. What it prints is in no message, whatever comes of it.
func (s *Store) run(ctx context.Context, m Mapping, terminal bool) (text, why string) {
	cmd := exec.CommandContext(ctx, home(m.Command[0], s.o.Getenv), m.Command[1:]...)
	cmd.Env = s.o.Environ
	cmd.Dir = s.o.Getenv("HOME") // not the working directory, whose files may be a stranger's
	if _, err := os.Stat(cmd.Dir); err != nil {
		cmd.Dir = string(filepath.Separator)
	}
	cmd.WaitDelay = time.Second // for what it left behind and holds the pipe
	if terminal {
		cmd.Stdin = os.Stdin
	} else {
		detach(cmd)
	}
	out := &bounded{limit: maxSecret + 2}
	cmd.Stdout = out
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return "", fmt.Sprintf("ended with %s; run it by hand to see why", exit.ProcessState)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		var e *exec.Error
		if errors.As(err, &e) {
			err = e.Err
		}
		return "", fmt.Sprintf("cannot be run: %v", err)
	}
	text = string(out.data)
	if cut, ok := strings.CutSuffix(text, "\n"); ok {
		text = strings.TrimSuffix(cut, "\r")
	}
	return text, ""
}

// home is a path with ~/ as the home folder.
func home(path string, getenv func(string) string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && getenv("HOME") != "" {
		return filepath.Join(getenv("HOME"), rest)
	}
	return path
}

// bounded keeps the beginning of what is written.
type bounded struct {
	data  []byte
	limit int
}

func (b *bounded) Write(p []byte) (int, error) {
	b.data = append(b.data, p[:min(len(p), b.limit-len(b.data))]...)
	return len(p), nil
}

// fromKeyring reads an entry of the keyring. The keyring may ask its user, and cannot be told to stop.
func fromKeyring(ctx context.Context, m Mapping) (text, why string) {
	got := fault.Async(func() (string, error) { return keyring.Get(m.Service, m.User) })
	select {
	case <-ctx.Done():
		return "", ""
	case got := <-got:
		switch {
		case errors.Is(got.Err, keyring.ErrNotFound):
			return "", "is not there: store it with the keyring's own program"
		case got.Err != nil:
			return "", fmt.Sprintf("cannot be had: %v", got.Err)
		}
		return got.Value, ""
	}
}
