package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"pflow/internal/fault"
	"pflow/internal/web"
)

// pageAddress is where the page is, unless --listen says otherwise. Where it is taken, another port is.
const pageAddress = "127.0.0.1:7353"

// commands carries out what the page asks for: each command by an app of its own, as a process of its own would.
type commands struct {
	a    *app
	here *runsHere
}

// Carry implements web.Commands.
func (cs commands) Carry(ctx context.Context, c web.Command) int {
	args := append([]string(nil), c.Args...)
	if len(c.Files) > 0 {
		dir, err := os.MkdirTemp("", "pflow-page-*")
		if err != nil {
			fmt.Fprintf(c.Stderr, "pflow: %v\n", err)
			return exitFailed
		}
		defer os.RemoveAll(dir)
		for _, f := range c.Files {
			path := filepath.Join(dir, filepath.Base(f.Name))
			if err := os.WriteFile(path, f.Data, 0o600); err != nil {
				fmt.Fprintf(c.Stderr, "pflow: %s\n", fileError(err))
				return exitFailed
			}
			args[f.Arg] = path
		}
	}
	one := newApp(bytes.NewReader(c.Stdin), c.Stdout, c.Stderr, cs.a.getenv)
	asked := ctx.Done()
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	w := &worker{func() { cancel(&signalError{syscall.SIGINT}) }}
	defer cs.here.ended(w)
	one.stopHere = cs.here.stop
	one.begun = func(run string) {
		cs.here.works(w, run)
		if c.Begun != nil {
			c.Begun(run)
		}
	}
	fault.Go(func() {
		select {
		case <-asked:
			cancel(&signalError{syscall.SIGINT})
		case <-ctx.Done():
		}
	}, func(err error) { cancel(err) })
	return one.main(ctx, append(args[:commandEnd(args):commandEnd(args)], append([]string{"--batch", "--no-color", "--home", cs.a.homeDir()}, args[commandEnd(args):]...)...))
}

// commandEnd is where flags end and what "--" begins, if anything does.
func commandEnd(args []string) int {
	for i, arg := range args {
		if arg == "--" {
			return i
		}
	}
	return len(args)
}

// servePage answers the requests of the page until ctx ends. It gives the address to open.
func (a *app) servePage(address string) (url string, stop func(), err error) {
	l, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) && address == pageAddress {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return "", nil, fail(exitFailed, "the page cannot be served: %v", err)
	}
	s := web.New(web.Options{Commands: commands{a, newRunsHere()}, Version: buildVersion(), Home: a.homeDir()})
	server := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second, ErrorLog: nil}
	fault.Go(func() { _ = server.Serve(l) }, func(error) {})
	stop = func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		s.Stop()
		if server.Shutdown(ctx) != nil {
			server.Close()
		}
	}
	return "http://" + l.Addr().String() + "/?token=" + s.Token(), stop, nil
}
