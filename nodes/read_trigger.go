package nodes

import (
	"context"
	"fmt"
	"strings"
	"time"

	"pflow/engine"
	"pflow/internal/value"
	"pflow/internal/when"
)

// readTriggerOp takes from a request when it shall run by itself.
func readTriggerOp(d Deps) engine.Op {
	return engine.Op{
		Name:    "read-trigger",
		Summary: "Takes from a request when it shall run by itself: every weekday at 8, tomorrow at noon, when a csv arrives in inbox. It asks no model.",
		Prep: []engine.Field{
			{Name: "request", Type: value.String, Required: true, Doc: "what is asked for"},
			{Name: "now", Type: value.Any, Doc: "the date that tomorrow counts from; the run's own time if not given"},
		},
		Result: value.Object,
		ResultDoc: "{trigger, request, heard, open, reason}: trigger is null, or {cron, every, at or watch; timezone, text}; request is what is left to be done, in which a path may stand for " +
			"the file that arrives; heard is null, or where the words stood: {request, start, end, edits, stand_in}; open and reason are of what says when and is no trigger",
		Idempotent: true,
		Instant:    true,
		Steady:     true,
		Example: `flow: read-trigger-example
version: 1
description: Take the time out of a request.
state:
  request: {type: string, default: every weekday at 8 list the files in inbox}
  trigger: {type: any, default: null}
nodes:
  when:
    op: read-trigger
    prep: [request]
    post: {trigger: result.trigger, request: result.request}
    next: end
`,
		New: func(*engine.Setup) engine.Exec {
			return func(_ context.Context, in engine.Input) (engine.Output, error) {
				request, _ := in.Prep["request"].(string)
				zone := ""
				if d.Zone != nil {
					zone = d.Zone()
				}
				now, err := clock(in.Prep["now"], in.Now, zone)
				if err != nil {
					return engine.Output{}, err
				}
				return engine.Output{Result: triggerValue(request, when.Read(request, now, zone))}, nil
			}
		},
	}
}

// clock is the time in the zone of whoever asks. To a date without a time it adds that of the run.
func clock(given any, now time.Time, name string) (time.Time, error) {
	if zone, err := time.LoadLocation(name); err == nil && name != "" {
		now = now.In(zone)
	}
	day, err := nowOf(given, now)
	if text, _ := given.(string); err == nil && len(text) == len(time.DateOnly) {
		day = time.Date(day.Year(), day.Month(), day.Day(), now.Hour(), now.Minute(), now.Second(), 0, now.Location())
	}
	return day, err
}

// triggerValue is a reading as a value of a flow.
func triggerValue(request string, r when.Reading) map[string]any {
	out := map[string]any{"trigger": nil, "request": request, "heard": nil, "open": []any{}, "reason": ""}
	var reasons []string
	open := []any{}
	for _, o := range r.Open {
		open = append(open, map[string]any{"text": o.Text, "start": o.Start, "end": o.End, "why": o.Why})
		reasons = append(reasons, fmt.Sprintf("%q says when, but %s", o.Text, o.Why))
	}
	out["open"], out["reason"] = open, strings.Join(reasons, "; ")
	if r.Trigger == nil {
		return out
	}
	out["trigger"] = r.Trigger.Value()
	edits := []any{}
	for _, e := range r.Edits {
		edits = append(edits, []any{e.At, e.To, e.Start, e.End})
	}
	out["heard"] = map[string]any{"request": request, "start": r.Spans[0].Start, "end": r.Spans[0].End, "edits": edits, "stand_in": r.StandIn}
	if strings.Trim(r.Rest, " .,!?") == "" {
		out["reason"] = fmt.Sprintf("it says when, %s, and not what is to be done: say both, such as: list the files in inbox %s", r.Trigger.Words(), r.Trigger.Text)
		return out
	}
	out["request"] = r.Rest
	return out
}
