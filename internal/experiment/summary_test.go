package experiment_test

import (
	"testing"

	"pflow/internal/experiment"
	"pflow/nodes"
)

// TestSummarize: a list says of an experiment what its report says, and of one without rows how far it is.
func TestSummarize(t *testing.T) {
	for _, variants := range []int{1, 3} {
		store := experiment.MadeStore(t, 40, variants, 2)
		s, err := experiment.Summarize(store)
		if err != nil {
			t.Fatal(err)
		}
		r := report(t, store)
		if s.Cases != 40 || s.Rows != r.Rows || s.Missing != r.Missing || len(s.Variants) != variants || len(s.Comparisons) != variants-1 {
			t.Errorf("%d variants: %+v", variants, s)
		}
		for i, c := range s.Comparisons {
			if of := r.Comparisons[i]; c.Variant != of.Variant || c.Verdict != of.Verdict || c.PHolm != of.PHolm || c.Difference != of.Metrics[0].TTest.Mean {
				t.Errorf("%+v, and the report has %s %s %v", c, of.Variant, of.Verdict, of.PHolm)
			}
		}
		if alone := s.Score != nil; alone != (variants == 1) {
			t.Errorf("%d variants: score %+v", variants, s.Score)
		}
	}
	_, empty := started(t, specOf(t, 5, ""), surroundings(t, nodes.Deps{}))
	s, err := experiment.Summarize(empty)
	if err != nil || s.Rows != 0 || s.Missing != 10 || len(s.Result()) != 0 {
		t.Errorf("without rows: %+v, %v", s, err)
	}
}
