package mapparams

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"pflow/internal/value"
)

func TestReadings(t *testing.T) {
	ctx, monday := t.Context(), time.Date(2024, 1, 15, 0, 0, 0, 0, time.UTC)
	tuesday := monday.AddDate(0, 0, 1)
	read := func(k *Readings, text string, now time.Time) *Request {
		t.Helper()
		r, err := k.Read(ctx, text, now)
		if err != nil || r.Text != text || !r.Now.Equal(now) {
			t.Fatalf("Read(%q, %v) = %v, %v", text, now, r, err)
		}
		return r
	}
	k := &Readings{}
	first := read(k, "remind me tomorrow", monday)
	if read(k, "remind me tomorrow", monday) != first {
		t.Error("the same request is read again")
	}
	if other := read(k, "remind me tomorrow", tuesday); other == first || other.Entities[0].Value != "2024-01-17" || first.Entities[0].Value != "2024-01-16" {
		t.Errorf("on another day tomorrow is %v, was %v", other.Entities[0].Value, first.Entities[0].Value)
	}
	var none *Readings
	if a, b := read(none, "x", monday), read(none, "x", monday); a == b {
		t.Error("nothing keeps a reading")
	}

	// What was used last stays.
	for i := range mostKept - 1 {
		read(k, strings.Repeat("x", i+1), monday)
		if read(k, "remind me tomorrow", monday) != first {
			t.Fatalf("what was used last is gone after %d others", i+1)
		}
	}
	if n := len(k.kept); n > mostKept {
		t.Errorf("%d are kept, %d are the most", n, mostKept)
	}
	long := read(k, strings.Repeat("a ", longestKept), monday)
	if len(k.kept) != 1 || read(k, long.Text, monday) != long {
		t.Errorf("%d are kept beside one that is as long as all may be", len(k.kept)-1)
	}
	read(k, "short", monday)
	if len(k.kept) != 1 {
		t.Errorf("%d are kept, one of them longer than all may be", len(k.kept))
	}

	ended, cancel := context.WithCancel(ctx)
	cancel()
	for _, text := range []string{"short", "one that ended"} {
		if _, err := k.Read(ended, text, monday); !errors.Is(err, context.Canceled) {
			t.Errorf("Read(%q) in a context that ended: %v", text, err)
		}
	}
	read(k, "one that ended", monday)
}

// What is kept is shared by runs that go on at once: none may see what another made of it.
func TestReadingsAreShared(t *testing.T) {
	const text = "send a.txt to Ann Bo and ann@example.org from 3 May to 5 May for $20"
	inputs := []Input{{Name: "file", Type: value.String, Required: true}, {Name: "email", Type: value.String, Required: true},
		{Name: "start_date", Type: value.String}, {Name: "amount", Type: value.Number, Description: "price"}}
	alone, err := Read(t.Context(), text, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := Map(t.Context(), alone, inputs, "send a file")
	if err != nil {
		t.Fatal(err)
	}
	k, wait := &Readings{}, sync.WaitGroup{}
	for i := range 8 {
		wait.Go(func() {
			r, err := k.Read(t.Context(), text, time.Time{})
			if err != nil {
				t.Error(err)
				return
			}
			if i%2 == 0 { // other inputs take other words
				if _, err := Map(t.Context(), r, []Input{{Name: "n", Type: value.Integer, Required: true}}, "count"); err != nil {
					t.Error(err)
				}
			}
			if got, err := Map(t.Context(), r, inputs, "send a file"); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%v, %v; alone %v", got, err, want)
			}
		})
	}
	wait.Wait()
}
