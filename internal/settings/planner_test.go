package settings

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPlanner reads a split, and says of what is none where it is and what to do.
func TestPlanner(t *testing.T) {
	s, found := Parse("s.yaml", []byte("planner: {split: {planner: 90, ./mine.yaml: 7.5}, stop: losing}\n"))
	if got := s.Planner.Split.String(); len(found) > 0 || got != "planner=90,./mine.yaml=7.5" || !s.Planner.Losing {
		t.Errorf("%s %v %s", got, s.Planner.Losing, found.Text())
	}
	for text, want := range map[string]string{
		"planner: {split: {a: 1}}":                   "s.yaml:1:18 a split has two planner flows or more, as in {planner: 90, mine: 10}; to plan with one of them always, name it as flow",
		"planner: {split: {a: 1, b: 0}}":             "s.yaml:1:28 the weight of b is a number above 0 and at most 1000000; an arm that is to get nothing is left out, or stopped",
		"planner: {split: {a: 1, b: x}}":             "s.yaml:1:28 want a number, got text",
		"planner: {split: [a, b]}":                   "s.yaml:1:18 want planner flows with their weights, as in {planner: 90, mine: 10}, got a list",
		"planner: {stop: losing}":                    "s.yaml:1:10 planner says how requests are split, as in {split: {planner: 90, mine: 10}}; a flow that is to plan always stands under flow",
		"planner: {split: {a: 1, b: 1}, stop: x}":    `s.yaml:1:38 want one of: losing; got "x"`,
		"planner: {split: {a: 1, b: 1}, spilt: 1}":   `s.yaml:1:32 there is no key "spilt" here`,
		"flow: mine\nplanner: {split: {a: 1, b: 1}}": "s.yaml:2:10 the flow at line 1 and planner.split both say what plans: leave one out; --flow plans with one of them for once",
	} {
		_, found := Parse("s.yaml", []byte(text))
		got := ""
		if len(found) > 0 {
			got = found[0].Place.String() + " " + found[0].Message
		}
		if diff := cmp.Diff(want, got); diff != "" || len(found) != 1 {
			t.Errorf("%s: %s\n%s", text, diff, found.Text())
		}
	}
}
