package nodes

import (
	"fmt"
	"slices"
	"testing"

	"pflow/internal/library"
)

// TestAlike: saved workflows with the same trait are found in their order without looking through all of them again.
func TestAlike(t *testing.T) {
	var records []*library.Record
	for i := range 40 {
		doc := fmt.Sprintf(`{"ir_version": "0.1.0", "nodes": [{"id": "n%d", "type": "shell", "params": {"command": "tool-%d"}}], "edges": []}`, i, i*i%7)
		records = append(records, library.NewRecord(fmt.Sprintf("w%d", i), []byte(doc), nil))
	}
	asked := 0
	steps := func(tr *library.Traits) string { asked++; return tr.Steps }
	a := &alike{}
	for _, r := range records {
		var want []int
		for n, other := range records {
			if other.Traits().Steps == r.Traits().Steps {
				want = append(want, n)
			}
		}
		for _, most := range []int{1, 4, len(records)} {
			if got := a.first(records, steps, r.Traits().Steps, most); !slices.Equal(got, want[:min(most, len(want))]) {
				t.Errorf("%s, %d at most: %v, want %v", r.Name, most, got, want)
			}
		}
	}
	if got := a.first(records, steps, "none has these", 9); got != nil {
		t.Errorf("%v have steps that none has", got)
	}
	if asked != len(records) {
		t.Errorf("%d records were looked at for the traits of %d", asked, len(records))
	}
}
