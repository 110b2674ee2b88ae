package retrieve

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWords(t *testing.T) {
	for in, want := range map[string]string{
		"getUserID from HTTPServer's APIs":  "get user id from http server's apis",
		"The files, filed and filing":       "the files filed and filing",
		"snake_case-and kebab 3pm don’t x'": "snake case and kebab 3pm don’t x",
	} {
		var got []string
		for _, w := range Words(in) {
			got = append(got, w.Text)
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", in, diff)
		}
	}
}

func TestStem(t *testing.T) {
	for _, same := range []string{"file files filed filing", "copy copies copied copying", "retrieve retrieves retrieving", "stop stopped stopping"} {
		words := strings.Fields(same)
		for _, w := range words[1:] {
			if Stem(w) != Stem(words[0]) {
				t.Errorf("%s: %s, %s: %s", words[0], Stem(words[0]), w, Stem(w))
			}
		}
	}
}

func TestClauses(t *testing.T) {
	for in, want := range map[string]string{
		"read go.mod, count its lines and save the number to lines.txt": "read go.mod|count its lines|save the number to lines.txt",
		"find a flat in Paris, France and Rome":                         "find a flat in Paris, France and Rome",
		"Copy it. Then send \"this, and write that\" to Ann":            "Copy it|Then send \"this, and write that\" to Ann",
	} {
		var got []string
		for _, c := range Clauses(in, nil) {
			got = append(got, strings.Trim(strings.TrimSuffix(strings.TrimSpace(in[c[0]:c[1]]), " and"), " .,"))
		}
		if diff := cmp.Diff(want, strings.Join(got, "|")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", in, diff)
		}
	}
}

// TestSaid: people are told of the words of their request, and not of stems, nor of what shares none.
func TestSaid(t *testing.T) {
	x, err := NewIndex(t.Context(), []Candidate{{Name: "copying-file", Description: "Copies a file."}, {Name: "weather", Description: "What the sky does."}})
	if err != nil {
		t.Fatal(err)
	}
	const request = "Copying the files"
	ranked, err := x.Rank(t.Context(), request)
	if err != nil || len(ranked) != 2 {
		t.Fatal(ranked, err)
	}
	for k, want := range []string{"shares copying files", ""} {
		if got, shares := Said(ranked[k].Reason, request); got != want || shares != (want != "") {
			t.Errorf("%s: %q, %v of %q; want %q", ranked[k].Name, got, shares, ranked[k].Reason, want)
		}
	}
	for reason, want := range map[string]string{
		"shares " + Stem("files") + " copi (its last run failed: read: no (such) file)": "shares files copying (its last run failed: read: no (such) file)",
		"is the workflow that would be made for the request":                            "is the workflow that would be made for the request",
	} {
		if got, shares := Said(reason, request); got != want || !shares {
			t.Errorf("%q: %q", reason, got)
		}
	}
	if _, shares := Said("shares no word (its last run failed: x)", request); shares {
		t.Error("what shares no word is near")
	}
}

// TestRank: the fitting candidate comes first, the ranking is the same each time, and a request that nothing fits is
// less sure than one that something does.
func TestRank(t *testing.T) {
	x, err := NewIndex(t.Context(), []Candidate{
		{Name: "send-mail", Description: "Send a message to somebody.", Keywords: []string{"recipient", "text"}},
		{Name: "resizeImage", Description: "Change the size of a picture."},
		{Name: "wf", Description: "", Examples: []string{"what is the weather in Rome", "will it rain today"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	rank := func(request string) []Ranked {
		ranked, err := x.Rank(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		return ranked
	}
	for _, c := range []struct {
		request, first string
		sure           bool
	}{
		{"send a message to Ann", "send-mail", true},
		{"please resize the image", "resizeImage", true},
		{"what is the weather in Oslo", "wf", true},
		{"play some music", "", false},
	} {
		got := rank(c.request)
		if len(got) != 3 || c.sure != (got[0].Confidence > 0.3) || c.sure && got[0].Name != c.first {
			t.Errorf("%q: %+v", c.request, got)
		}
		if fmt.Sprint(got) != fmt.Sprint(rank(c.request)) {
			t.Errorf("%q: the ranking changes", c.request)
		}
	}
}
