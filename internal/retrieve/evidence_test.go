package retrieve

import (
	"context"
	"math"
	"strings"
	"testing"
)

// What spoke for a candidate is what its score is made of: the weights of its terms are the share of the words that it has,
// and the past request that is told of is the most alike.
func TestEvidence(t *testing.T) {
	plain := []Candidate{{Name: "copy-file", Description: "copy a file to a place"}, {Name: "delete-file", Description: "delete a file"}, {Name: "greet", Description: "say hello"}}
	x, err := NewIndex(context.Background(), plain)
	if err != nil {
		t.Fatal(err)
	}
	const request = "copying the report file"
	ranked, err := x.Rank(context.Background(), request)
	if err != nil || ranked[0].Name != "copy-file" {
		t.Fatal(ranked, err)
	}
	e := x.Evidence(request, ranked[0].Index, nil, true)
	if len(e.Terms) != 2 || e.Terms[0].Word != "file" || e.Terms[1].Word != "copying" || e.Terms[0].Weight <= e.Terms[1].Weight || e.Example != "" {
		t.Errorf("%+v", e)
	}
	said := e.Terms[0].Weight + e.Terms[1].Weight
	if least, most := (1-nameShare)*said, (1-nameShare)*said+nameShare; ranked[0].Score < least-1e-3 || ranked[0].Score > most+1e-3 {
		t.Errorf("the terms are worth %v, the score is %v", said, ranked[0].Score)
	}
	if e := x.Evidence(request, 2, nil, true); len(e.Terms) > 0 {
		t.Errorf("greet: %+v", e)
	}
	if e := x.Evidence("", 0, []string{"x"}, false); len(e.Terms) > 0 || e.Example != "" {
		t.Errorf("of nothing: %+v", e)
	}

	examples := []string{"fetch the weather", "copy the report", strings.Repeat("copy the annual report ", 20)}
	d, err := NewDiscovery(context.Background(), []Candidate{{Name: "backup", Description: "keep a copy", Examples: examples}, {Name: "greet"}})
	if err != nil {
		t.Fatal(err)
	}
	if e := d.Evidence("copy the report", 0, examples, false); e.Example != examples[1] || math.Abs(e.Alike-1) > 1e-9 {
		t.Errorf("%+v", e)
	}
	if e := d.Evidence("the annual copy of a report", 0, examples[2:], false); len([]rune(e.Example)) != mostExample+1 || e.Alike <= 0 || e.Alike >= 1 {
		t.Errorf("a long one: %+v", e)
	}
}
