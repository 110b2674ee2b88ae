package ir

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestAdviceIsAccepted follows what findings on templates offer: with the first template offered in the place of the one
// that was refused, the finding is gone and no other stands there.
func TestAdviceIsAccepted(t *testing.T) {
	refused := regexp.MustCompile(`^(\$\{[^}]*\}|\$\S+)`)
	for file, want := range map[string]int{"ambiguous": 1, "ambiguous_later": 1, "hyphens": 1} {
		data, err := os.ReadFile("testdata/err/" + file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		_, list := Check(data, testCatalogue(), Options{})
		followed := 0
		for _, f := range list {
			offers := f.Alternatives
			if f.Suggestion != "" {
				offers = []string{f.Suggestion}
			}
			if len(offers) == 0 || !strings.HasPrefix(offers[0], "${") {
				continue
			}
			was := refused.FindString(f.Message)
			written := strings.NewReplacer("${", "$", "}", "").Replace(was)
			doc := strings.Replace(strings.Replace(string(data), was, offers[0], 1), written, offers[0], 1)
			if doc == string(data) {
				t.Errorf("%s: %q is not in the document", file, was)
			}
			followed++
			_, after := Check([]byte(doc), testCatalogue(), Options{})
			for _, g := range after {
				if g.Path == f.Path && (g.Kind == f.Kind && strings.HasPrefix(g.Message, was) || strings.Contains(g.Message, offers[0])) {
					t.Errorf("%s: after following %q: %s", file, f.Message, g.Message)
				}
			}
		}
		if followed != want {
			t.Errorf("%s: %d findings gave advice, want %d", file, followed, want)
		}
	}
}
