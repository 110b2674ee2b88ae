package engine

import (
	"math"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// outcome makes an event of what an attempt gave, in the forms that a journal gives back as they are: whatever follows from
// an event is the same when it is stepped through again.
func (ev *Event) outcome(id int, out *Output, err error) {
	*ev = Event{Kind: EventOutcome, ID: id, Action: valid(out.Action), Waits: valid(out.Waits), Meters: out.Meters}
	if len(out.Meters) > 0 && err == nil {
		err = notFinite(out.Meters)
	}
	if err == nil {
		ev.Result, err = value.Normalize(out.Result)
	}
	if err == nil && out.Kept != nil {
		ev.Unkept = out.Unkept
		ev.Kept, err = value.Normalize(out.Kept)
	}
	if err != nil {
		ev.Result, ev.Kept, ev.Unkept = nil, nil, nil
		ev.Action, ev.Waits, ev.Err = "", "", recordable(fault.Of(err))
		ev.Meters = finite(ev.Meters)
	}
}

// notFinite is the error of the first meter that is no number that can be added up.
func notFinite(meters map[string]float64) error {
	for _, name := range value.SortedKeys(meters) {
		if n := meters[name]; math.IsNaN(n) || math.IsInf(n, 0) {
			return fault.New(fault.Type, "the op used %v of %s; a meter must be finite", n, name)
		}
	}
	return nil
}

// recordable is an error without what no journal holds: text that is not UTF-8, details that are no value.
func recordable(err *fault.Error) *fault.Error {
	details, bad := value.Normalize(err.Details)
	if bad != nil {
		details = nil
	}
	out := &fault.Error{Kind: fault.Kind(valid(string(err.Kind))), Message: valid(err.Message), Cause: err.Cause, Place: err.Place, Path: err.Path}
	if m, _ := details.(map[string]any); len(m) > 0 {
		out.Details = m
	}
	return out
}

func finite(meters map[string]float64) map[string]float64 {
	var out map[string]float64
	for name, n := range meters {
		if math.IsNaN(n) || math.IsInf(n, 0) {
			continue
		}
		if out == nil {
			out = make(map[string]float64, len(meters))
		}
		out[name] = n
	}
	return out
}

func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
