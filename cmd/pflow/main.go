// Command pflow turns a request in plain language into a workflow that can be kept and run for ever.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	startWithRoom(os.Getenv)
	a := newApp(os.Stdin, os.Stdout, os.Stderr, os.Getenv)
	ctx, stop := a.notify(context.Background(), func(c chan<- os.Signal) {
		signal.Notify(c, os.Interrupt, syscall.SIGTERM)
		if !signal.Ignored(syscall.SIGHUP) { // as under nohup, which is there so that closing a terminal ends nothing
			signal.Notify(c, syscall.SIGHUP)
		}
	}, os.Exit)
	code := a.main(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}
