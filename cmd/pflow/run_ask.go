package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/term"

	"pflow/internal/fault"
	"pflow/internal/printable"
	"pflow/internal/workflow"
	"pflow/ir"
)

// askInput asks for an input until the answer fits, and puts it into values; a secret is asked for without echo and kept in
// memory only. stopped says what came of it where the asking was interrupted.
func (a *app) askInput(ctx context.Context, in ir.Input, values map[string]any, stopped string) error {
	question := fmt.Sprintf("%s (%s)", in.Name, in.Type)
	if in.Description != "" {
		question += ": " + in.Description
	}
	for {
		text, err := a.ask(ctx, question, in.Secret)
		if ctx.Err() != nil {
			return fail(exitDeclined, "%s", stopped)
		}
		if err != nil {
			return fail(exitMissing, "%s: %v", in.Name, err)
		}
		if in.Secret {
			if text != "" {
				a.secrets().Give(in.FromEnv, text)
				return nil
			}
			continue
		}
		v, err := workflow.ParseInput(in, text)
		if err == nil {
			values[in.Name] = v
			return nil
		}
		fmt.Fprintln(a.stderr, err)
	}
}

// ask asks a question on the terminal.
func (a *app) ask(ctx context.Context, question string, secret bool) (string, error) {
	if !secret {
		return a.readLine(ctx, question)
	}
	terminal, ok := a.stdin.(*os.File)
	if !ok {
		return a.readLine(ctx, question)
	}
	fd := int(terminal.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", fmt.Errorf("the terminal cannot be kept from showing what you type (%v); set the environment variable instead", err)
	}
	answer := fault.Async(func() ([]byte, error) { return term.ReadPassword(fd) })
	silent(fd, before)
	defer a.screen.pause()()
	a.say(styled{codeBold, printable.Line(question)}, ": ")
	defer fmt.Fprintln(a.screen.out)
	select {
	case <-ctx.Done(): // the read cannot be ended: it is left behind
		_ = term.Restore(fd, before)
		return "", ctx.Err()
	case got := <-answer:
		return string(got.Value), got.Err
	}
}

// silent waits until the terminal no longer shows what is typed, as the read makes it: whoever answers the question at once
// is not to be shown either. A terminal that showed nothing before is not waited for long.
func silent(fd int, before *term.State) {
	for range 100 {
		if now, err := term.GetState(fd); err != nil || *now != *before {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
