package fault

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

func TestOf(t *testing.T) {
	inner := New(NotFound, "no file %q", "a.txt")
	cases := []struct {
		err  error
		kind Kind
		text string
	}{
		{inner, NotFound, `no file "a.txt"`},
		{fmt.Errorf("read: %w", inner), NotFound, `read: no file "a.txt"`},
		{context.Canceled, Cancelled, "context canceled"},
		{fmt.Errorf("call: %w", context.DeadlineExceeded), Timeout, "call: context deadline exceeded"},
		{errors.New("boom"), Failure, "boom"},
	}
	for _, c := range cases {
		got := Of(c.err)
		if got.Kind != c.kind || got.Message != c.text || !errors.Is(c.err, c.err) {
			t.Errorf("Of(%v) = %s %q, want %s %q", c.err, got.Kind, got.Message, c.kind, c.text)
		}
	}
	if Of(nil) != nil {
		t.Error("Of(nil) is not nil")
	}
}

func TestTemporary(t *testing.T) {
	for kind, want := range map[Kind]bool{
		Timeout: true, Failure: true, "made_up": true, Type: false, Cancelled: false, Limit: false, Unpriced: false,
	} {
		if kind.Temporary() != want {
			t.Errorf("%s: temporary = %v, want %v", kind, !want, want)
		}
	}
}

// TestAbsent: what an error says of a name that is not there is found behind those that wrap it, and nothing else of its details.
func TestAbsent(t *testing.T) {
	inner := New(NotFound, "there is no key").Lacks("a", []string{"b"})
	inner.Details["text"] = "the reply of a model"
	outer := New(InvalidRequest, "columns: %v", inner)
	got := outer.Absent()
	if len(got) != 2 || got[DetailMissing] != "a" {
		t.Errorf("got %v", got)
	}
	if got := New(NotFound, "x").Absent(); got != nil {
		t.Errorf("got %v", got)
	}
}
