package main

import (
	"context"
	"fmt"
	"os"

	"golang.org/x/term"

	"pflow/internal/fault"
	"pflow/internal/printable"
	"pflow/internal/workflow"
	"pflow/ir"
)

// askInputs asks for what is missing; an answer that does not fit is asked for again. A secret is asked for without
// echo and kept in memory only.
func (a *app) askInputs(ctx context.Context, l *loaded, missing []ir.Input, given *workflow.Given) error {
	for _, in := range missing {
		question := fmt.Sprintf("%s (%s)", in.Name, in.Type)
		if in.Description != "" {
			question += ": " + in.Description
		}
		for {
			text, err := a.ask(ctx, question, in.Secret)
			if ctx.Err() != nil {
				return fail(exitDeclined, "nothing was run")
			}
			if err != nil {
				return fail(exitMissing, "%s: %v", in.Name, err)
			}
			if in.Secret {
				if text != "" {
					l.asked[in.FromEnv] = text
					break
				}
				continue
			}
			v, err := workflow.ParseInput(in, text)
			if err != nil {
				fmt.Fprintln(a.stderr, err)
				continue
			}
			given.Values[in.Name] = v
			break
		}
	}
	return nil
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
	before, err := term.GetState(int(terminal.Fd()))
	if err != nil {
		return "", fmt.Errorf("the terminal cannot be kept from showing what you type (%v); set the environment variable instead", err)
	}
	a.say(styled{codeBold, printable.Line(question)}, ": ")
	defer a.screen.pause()()
	defer fmt.Fprintln(a.screen.out)
	select {
	case <-ctx.Done(): // the read cannot be ended: it is left behind
		_ = term.Restore(int(terminal.Fd()), before)
		return "", ctx.Err()
	case got := <-fault.Async(func() ([]byte, error) { return term.ReadPassword(int(terminal.Fd())) }):
		return string(got.Value), got.Err
	}
}
