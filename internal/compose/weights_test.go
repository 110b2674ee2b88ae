package compose

import (
	"os"
	"strings"
	"testing"
)

// TestDataFiles: what is wrong in a data file is said with its place.
func TestDataFiles(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"weights.yaml", "same_kind: 2.5", "same_kind: much", `weights.yaml:39:14: error: want a number`},
		{"weights.yaml", "same_kind: 2.5", "same_knd: 2.5", `there is no key "same_knd" here`},
		{"weights.yaml", "  is_read: 0.1 ", "  # is_read ", `the key "is_read" is missing`},
		{"weights.yaml", "step: 0.28", "step: 28", "want a number from 0 to 1"},
		{"weights.yaml", "by_few: 5", "by_few: 0", "want at least 1"},
		{"lexicon.yaml", "puts: put", "puts: [put]", "want text"},
		{"lexicon.yaml", "puts: put", "put: put", `the key "puts" is missing`},
		{"lexicon.yaml", "goals: to", "goals: [to", "lexicon.yaml:"},
	} {
		data, err := os.ReadFile(c.name)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(string(data), c.old, c.new, 1)
		if text == string(data) {
			t.Fatalf("%s has no %q", c.name, c.old)
		}
		_, found := ReadWeights(c.name, []byte(text))
		if c.name == "lexicon.yaml" {
			_, found = readLexicon(c.name, []byte(text))
		}
		if got := found.Text(); !strings.Contains(got, c.want) || !strings.Contains(got, c.name+":") {
			t.Errorf("%s with %q: got\n%swant %q", c.name, c.new, got, c.want)
		}
	}
}
