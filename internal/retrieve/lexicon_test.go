package retrieve

import (
	"strings"
	"testing"
)

// TestLexicon: what is wrong in the lexicon is said with its place, and every class is used.
func TestLexicon(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"stop: >-", "stopp: >-", `lexicon.yaml:4:1: error: there is no key "stopp" here`},
		{"lead_in: then", "lead_in: [then", "lexicon.yaml:"},
		{"joining: [and then", "joining: 3 # [and then", "lexicon.yaml:"},
	} {
		text := strings.Replace(string(lexiconText), c.old, c.new, 1)
		if text == string(lexiconText) {
			t.Fatalf("the lexicon has no %q", c.old)
		}
		if _, found := readLexicon("lexicon.yaml", []byte(text)); !strings.Contains(found.Text(), c.want) {
			t.Errorf("%q: got\n%swant %q", c.new, found.Text(), c.want)
		}
	}
	if IsVerb("tree") || !IsVerb("sort") || !LeadsIn("please") || !Words("the")[0].Stop {
		t.Error("a class of the lexicon is not read")
	}
	if got := len(Clauses("read a.txt and then sort it as well as count it", nil)); got != 3 {
		t.Errorf("%d clauses", got)
	}
}
