package prompt

import "testing"

// TestSplit: a line of --- in the template ends no front matter, and both parts together are the file.
func TestSplit(t *testing.T) {
	for text, want := range map[string]string{
		"---\nname: a\n---\nFirst\n---\nSecond\n": "First\n---\nSecond\n",
		"---\n---\nAlone\n":                       "Alone\n",
		"First\n---\nSecond\n":                    "First\n---\nSecond\n",
		"\ufeff---\r\nname: a\r\n---\r\nText\r\n": "Text\n",
	} {
		head, body := Split([]byte(text))
		if body != want || head+body != plain([]byte(text)) {
			t.Errorf("%q: %q and %q", text, head, body)
		}
	}
}
