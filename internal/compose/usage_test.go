package compose

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/ir"
)

// TestUsages: how components are used is worked out once for many requests, in whatever order they come, and what is made
// with it is what is made without.
func TestUsages(t *testing.T) {
	backwards := slices.Clone(tools)
	slices.Reverse(backwards)
	u := &Usages{}
	first, again := u.of(tools), u.of(backwards)
	slices.Reverse(again)
	if len(first) != len(tools) || !slices.Equal(first, again) {
		t.Errorf("%d usages, worked out anew the second time", len(first))
	}
	x, _, err := u.index(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	if y, at, err := u.index(t.Context(), u.of(backwards)); err != nil || y != x || at[0] != len(first)-1 {
		t.Errorf("another index for another order: %v %v", at, err)
	}
	if y, _, err := u.index(t.Context(), first[1:]); err != nil || y == x {
		t.Errorf("the same index for other usages: %v", err)
	}
	for _, request := range []string{"Send \"hello\" to ann@example.com", "Find flights from Oslo", "Read \"hello\" out aloud and make the recording louder", "water the flowers"} {
		for _, list := range [][]*ir.Interface{tools, backwards} {
			want, got := composed(t, request, list, Options{}), composed(t, request, list, Options{Usages: u})
			if diff := cmp.Diff(wiring(want), wiring(got)); diff != "" || want.Reason != got.Reason || want.Confidence != got.Confidence {
				t.Errorf("%q (-without +with):\n%s", request, diff)
			}
		}
	}
}
