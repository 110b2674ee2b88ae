package experiment_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pflow/internal/experiment"
	"pflow/nodes"
)

// TestFlowDiff: a comparison tells how its flow differs from the baseline's, as it was when the experiment was made.
func TestFlowDiff(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	write(t, file, "flow: mine\nversion: 1\nextends: planner-offline\nparams: {phrases_decide: false}\n")
	s := specOf(t, 3, "variants: [{flow: planner-offline}, {name: mine, flow: "+file+", model: openai/gpt-4.1-mini}]\n")
	x, store := started(t, s, surroundings(t, nodes.Deps{}))
	write(t, file, "flow: mine\nversion: 1\nextends: planner-offline\n")
	if _, err := x.Run(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	want := []string{"~ model: the default one -> openai/gpt-4.1-mini", "~ param params.phrases_decide: true -> false"}
	for _, store := range []*experiment.Store{store, reopened(t, store)} {
		if got := report(t, store).Comparisons[0].Diff; !slices.Equal(got, want) {
			t.Errorf("the difference is %q, want %q", got, want)
		}
	}
	if text, err := report(t, store).Format("json", 0); err != nil || !strings.Contains(text, `"diff": [`) {
		t.Errorf("%v %s", err, text)
	}
}

// reopened reads what is kept.
func reopened(t *testing.T, s *experiment.Store) *experiment.Store {
	t.Helper()
	r, err := experiment.ReadStore(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}
