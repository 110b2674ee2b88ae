package engine

import (
	"context"
	"time"

	"pflow/internal/value"
)

// Foresee steps through a run that is about to begin, as far as it can be told now: known gives the outcome of an attempt, or nil
// where nobody knows it, and what follows that is not reached. Ops that are instant are carried out, waits pass at once. ended,
// if not nil, is told of every node that ends. day is Options.Day.
func Foresee(ctx context.Context, flow *Flow, input map[string]any, day time.Time, known func(Attempted) *Event, ended func(Transition)) error {
	in, err := value.Normalize(input)
	if err != nil {
		return err
	}
	r := NewRun(flow, ended)
	queue := []Event{{Kind: EventStart, Time: beginning(time.Now(), day), Seed: 1, Input: in.(map[string]any)}}
	var waits []int
	for !r.Done() && len(queue)+len(waits) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(queue) == 0 {
			queue, waits = append(queue, Event{Kind: EventTimer, ID: waits[0]}), waits[1:]
		}
		ev := queue[0]
		queue = queue[1:]
		commands, err := r.Step(&ev)
		if err != nil {
			return err
		}
		for i := range commands {
			switch c := &commands[i]; {
			case c.Kind == CommandExec && c.Op().Instant:
				var got Event
				c.Perform(ctx, r, &got)
				queue = append(queue, got)
			case c.Kind == CommandExec:
				if got := known(c.attempted(0)); got != nil {
					got.Kind, got.ID = EventOutcome, c.ID
					queue = append(queue, *got)
				}
			case c.Kind == CommandWait && !c.Running:
				waits = append(waits, c.ID)
			case c.Kind == CommandStop:
				for k := range waits {
					if waits[k] == c.ID {
						waits = append(waits[:k], waits[k+1:]...)
						break
					}
				}
			}
		}
	}
	return nil
}

// beginning is the instant at which a run begins: that of the clock, on the day that it is taken to begin on, if one is given.
func beginning(now, day time.Time) time.Time {
	began := now.Round(0).UTC()
	if day.IsZero() {
		return began
	}
	return time.Date(day.Year(), day.Month(), day.Day(), began.Hour(), began.Minute(), began.Second(), began.Nanosecond(), time.UTC)
}
