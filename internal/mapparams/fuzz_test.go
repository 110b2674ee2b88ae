package mapparams

import (
	"testing"
	"time"

	"pflow/internal/value"
)

// FuzzMap: whatever is asked for, a value is of its input's type, comes from the request's bytes, and each required input
// has one or is missing.
func FuzzMap(f *testing.F) {
	f.Add("fly from Paris, France to New York on 5 May", "origin", "The city, such as \"Rome\"", "a flight", "city")
	f.Add("add up 4, 7 and 9", "numbers", "", "", "command-line")
	f.Add("run `go vet` for 3 days", "length", "How long, YYYY-MM-DD", "run", "image")
	f.Fuzz(func(t *testing.T, request, name, description, about, kind string) {
		if len(request) > 2000 || len(name)+len(description)+len(about) > 2000 {
			return
		}
		var inputs []Input
		for n, typ := range []value.Type{value.String, value.Integer, value.Number, value.Boolean, value.Array, value.Object, value.Any, value.String} {
			in := Input{Name: name + string(rune('a'+n)), Type: typ, Kind: kind, Description: description, Required: n%2 == 0, Step: about, Order: n/3 + 1}
			if n == 7 {
				in.Enum = []any{name, description, 3}
			}
			inputs = append(inputs, in)
		}
		r := mapped(t, request, inputs, about, time.Date(2024, 1, 15, 0, 0, 0, 0, time.UTC))
		missing := map[string]bool{}
		for _, in := range r.Missing {
			missing[in.Name] = true
		}
		for _, in := range inputs {
			v, ok := r.Extracted[in.Name]
			if ok && in.Enum == nil {
				if _, err := value.Fits(in.Type, v); err != nil {
					t.Errorf("%s: %v", in.Name, err)
				}
			}
			if missing[in.Name] == ok && in.Required {
				t.Errorf("%s: has a value: %v, missing: %v", in.Name, ok, missing[in.Name])
			}
			if at, taken := r.Taken[in.Name]; taken && (at[0] < 0 || at[1] > len(request) || at[0] >= at[1]) {
				t.Errorf("%s is taken from %v of %d bytes", in.Name, at, len(request))
			}
		}
		if r.Confidence < 0 || r.Confidence > 1 {
			t.Errorf("confidence %v", r.Confidence)
		}
	})
}
