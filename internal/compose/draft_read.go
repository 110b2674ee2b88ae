package compose

import (
	"fmt"

	"pflow/internal/fault"
	"pflow/internal/value"
)

// draftReader reads values of a flow and keeps the first error, which names its place.
type draftReader struct {
	text int // the length of the request, in bytes
	err  error
}

func (r *draftReader) report(format string, args ...any) {
	if r.err == nil {
		r.err = fault.New(fault.Type, format, args...)
	}
}

func place(list string, k int) string { return fmt.Sprintf("%s[%d]", list, k) }

// read gives a value of a type; the zero value if it is another.
func read[T any](r *draftReader, at string, v any, want string) T {
	out, ok := v.(T)
	if !ok {
		r.report("%s: want %s, got %s", at, want, value.Describe(v))
	}
	return out
}

func (r *draftReader) object(at string, v any) map[string]any {
	return read[map[string]any](r, at, v, "an object")
}

func (r *draftReader) string(at string, v any) string { return read[string](r, at, v, "text") }

func (r *draftReader) int(at string, v any) int { return read[int](r, at, v, "a whole number") }

// list reads a list; null is an empty one.
func (r *draftReader) list(at string, v any) []any {
	if v == nil {
		return nil
	}
	return read[[]any](r, at, v, "a list")
}

// span reads start and end, which are places of the request.
func (r *draftReader) span(at string, m map[string]any) [2]int {
	out := [2]int{r.int(at+".start", m["start"]), r.int(at+".end", m["end"])}
	if r.err == nil && (out[0] < 0 || out[0] > out[1] || out[1] > r.text) {
		r.report("%s: from byte %d to %d is no part of the request, which has %d", at, out[0], out[1], r.text)
	}
	if r.err != nil {
		return [2]int{}
	}
	return out
}
