package fault

import "errors"

// What Details say of a name that is not there, and of a file.
const (
	DetailMissing = "missing"      // the name: a key, a column, a member
	DetailThere   = "there"        // the names that there are in its place, at most MostThere
	DetailWithin  = "within"       // of a template: the reference up to what lacks the name
	DetailParam   = "param"        // the param that names it, such as params.sort_by
	DetailPath    = "missing_path" // the path at which there is nothing, as it was asked for
)

// MostThere bounds the names of DetailThere.
const MostThere = 200

// Lacks adds to an error which name is not there, and which are: whoever mends it need not read the message.
func (e *Error) Lacks(name string, there []string) *Error {
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	names := []any{}
	for _, n := range there[:min(len(there), MostThere)] {
		names = append(names, n)
	}
	e.Details[DetailMissing], e.Details[DetailThere] = name, names
	return e
}

// Absent gives what Details say of a name or a file that is not there, and no more of them; where the error itself says nothing,
// those of its cause. It is nil if nothing is known.
func (e *Error) Absent() map[string]any {
	var out map[string]any
	for _, key := range []string{DetailMissing, DetailThere, DetailWithin, DetailParam, DetailPath} {
		if v, ok := e.Details[key]; ok {
			if out == nil {
				out = map[string]any{}
			}
			out[key] = v
		}
	}
	var cause *Error
	if out == nil && errors.As(e.Cause, &cause) {
		return cause.Absent()
	}
	return out
}
