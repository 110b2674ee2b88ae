package split

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestStop stops the arm that loses, for good, leaves the last one, and begins anew where it is started again.
func TestStop(t *testing.T) {
	b := newBench(t)
	var entries []entry
	for i := range 200 {
		request, run := fmt.Sprint("request ", i), fmt.Sprint("run", i)
		arm := b.arms.Choose(b.key, request).Flow
		outcome := Worked
		if arm == "b" {
			outcome = Declined
		}
		entries = append(entries,
			entry{E: entryPlan, At: day, Run: run, Arms: b.arms, Unit: Unit(b.key, request), Arm: arm, Hash: "1", Asked: Person},
			entry{E: entryScored, At: day, Run: run, Scored: &Scored{Outcome: outcome, Run: run}})
	}
	if err := b.l.append(entries...); err != nil {
		t.Fatal(err)
	}
	losing, err := b.state().Losing(b.arms)
	if err != nil || len(losing) != 1 || losing[0].Flow != "b" {
		t.Fatal(losing, err)
	}
	for range 2 { // two processes find it at once
		if err := b.l.Stop(b.arms, "b", losing[0].Why, day); err != nil {
			t.Fatal(err)
		}
	}
	s := b.state()
	if got := s.Open(b.arms).String(); got != "a=1,b=0" || len(s.Stopped(b.arms)) != 1 {
		t.Error(got, s.Stopped(b.arms))
	}
	if got := s.Open(Split{{"a", 10}, {"b", 90}}).String(); got != "a=10,b=0" {
		t.Errorf("other weights start it again: %s", got)
	}
	if losing, err := s.Losing(b.arms); err != nil || len(losing) > 0 {
		t.Error(losing, err)
	}
	r, err := s.Compare(b.history(), b.arms, time.Time{})
	if err != nil || !strings.HasPrefix(r.Verdict, "b is worse than a: people take its plans less often; b gets no more requests since ") || r.Arms[1].Stopped == nil || r.Arms[0].Share != 1 {
		t.Errorf("%+v %v", r, err)
	}
	// Once the settings name no split any more, the weights are those of when both had requests.
	if _, err := b.state().Compare(b.history(), s.Last(), time.Time{}); err != nil || s.Last().String() != "a=1,b=1" {
		t.Error(s.Last(), err)
	}
	if err := b.l.Begin(b.key, "after that", "run-after", s.Open(b.arms), "a", "1", Person, day); err != nil {
		t.Fatal(err)
	}
	if s = b.state(); s.Last().String() != "a=1,b=1" {
		t.Error(s.Last())
	}
	last, err := s.Compare(b.history(), s.Last(), time.Time{})
	if err != nil || last.Verdict != r.Verdict || last.Arms[0].Share != 1 || last.Arms[1].Share != 0 {
		t.Errorf("%+v %v", last, err)
	}
	if err := b.l.Start(b.arms, "b", day); err != nil {
		t.Fatal(err)
	}
	s = b.state()
	r, err = s.Compare(b.history(), b.arms, time.Time{})
	if losing, _ := s.Losing(b.arms); err != nil || len(losing) > 0 || s.Open(b.arms).String() != "a=1,b=1" || r.Before != 201 || r.Arms[0].Requests != 0 {
		t.Errorf("%+v %v", r, err)
	}
}
