package main

import (
	"context"
	"errors"
	"io"

	"pflow/internal/planner"
	"pflow/internal/shelf"
)

// planMany plans each line of a file.
func (a *app) planMany(ctx context.Context, from string, file io.Writer, concurrency int) error {
	in, err := a.openLines(ctx, from)
	if err != nil {
		return err
	}
	defer in.Close()
	flow, err := a.plannerOfEach()
	if err != nil {
		return err
	}
	base, err := a.shelfOf(ctx)
	if err != nil {
		return err
	}
	if file == nil {
		file = a.results
	}
	lines := &planner.Lines{Flow: flow, Shelves: &shelf.Narrowed{Base: base}, Date: a.date, Concurrency: concurrency, HasSecret: a.secrets().Has, Could: a.couldDo}
	number, err := lines.Plan(ctx, in, file)
	switch {
	case errors.Is(err, planner.ErrUnwritten):
		return fail(exitFailed, "the results cannot be written: %v", reason(err))
	case err != nil:
		return usage("--from %s: %v", from, reason(err))
	case ctx.Err() != nil:
		return fail(exitFailed, "stopped after line %d", number)
	}
	return nil
}
