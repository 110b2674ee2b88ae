package nodes

import (
	"context"
	"time"

	"pflow/engine"
	"pflow/internal/extract"
	"pflow/internal/fault"
	"pflow/internal/mapparams"
	"pflow/internal/value"
)

// extractOp finds entities.
func extractOp(d Deps) engine.Op {
	return engine.Op{
		Name:    "extract",
		Summary: "Finds what a text names (dates, numbers, paths, addresses, quoted text, …) with values that programs use.",
		Prep: []engine.Field{
			{Name: "text", Type: value.String, Required: true, Doc: "the text"},
			{Name: "now", Type: value.Any, Doc: "the date, or date and time, that relative words count from; the run's own if not given"},
		},
		Result: value.Object,
		ResultDoc: "{entities: [{kind, text, start, end, value | from, to}] in the order of the text; start and end count characters, " +
			"values are ISO, the end of a range is exclusive and null where it is open; templatized: the text with {kind} for each}",
		Idempotent: true,
		Instant:    true,
		Steady:     true,
		Example: `flow: extract-example
version: 1
description: Find what a sentence names.
state:
  text:     {type: string, default: send report.pdf to ann@example.org}
  entities: {type: array, default: []}
nodes:
  look:
    op: extract
    prep: {text: store.text}
    post: {entities: result.entities}
    next: end
`,
		New: func(*engine.Setup) engine.Exec {
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				text, _ := in.Prep["text"].(string)
				read, err := d.reading(ctx, text, in.Prep["now"], in.Now)
				if err != nil {
					return engine.Output{}, err
				}
				return engine.Output{Result: map[string]any{"entities": entitiesValue(text, read.Entities), "templatized": extract.Templatized(text, read.Entities)}}, nil
			}
		},
	}
}

// reading reads a text as a request, once for all steps that do. Its relative dates count from now, which is null, a date or a
// date and time, or otherwise.
func (d Deps) reading(ctx context.Context, text string, now any, otherwise time.Time) (*mapparams.Request, error) {
	at, err := nowOf(now, otherwise)
	if err != nil {
		return nil, err
	}
	return d.readings.Read(ctx, text, at)
}

// nowOf reads the instant that relative dates count from; v is null, a date or a date and time.
func nowOf(v any, otherwise time.Time) (time.Time, error) {
	if v == nil || v == "" {
		return otherwise, nil
	}
	text, _ := v.(string)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return otherwise, fault.New(fault.InvalidRequest, "%s is no date; write one like 2024-01-31 or 2024-01-31T09:30:00", value.Describe(v))
}

// entitiesValue is a list of entities as a value, with offsets in characters.
func entitiesValue(text string, found []extract.Entity) []any {
	out := make([]any, 0, len(found))
	at, chars := 0, 0
	count := func(to int) int {
		if to < at {
			at, chars = 0, 0
		}
		for range text[at:to] {
			chars++
		}
		at = to
		return chars
	}
	for _, e := range found {
		m := map[string]any{"kind": e.Kind, "text": e.Text, "start": count(e.Start), "end": count(e.End)}
		if e.Range {
			m["from"], m["to"] = e.From, e.To
		} else {
			m["value"] = e.Value
		}
		if e.Unit != "" {
			m["unit"] = e.Unit
		}
		out = append(out, m)
	}
	return out
}
