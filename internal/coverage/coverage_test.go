package coverage

import (
	"fmt"
	"strings"
	"testing"
)

// TestByWordsWhole: what has no words but those of its past requests stands for the rest of a wish that is like them, and for
// nothing that is added to one.
func TestByWordsWhole(t *testing.T) {
	past := []Said{{By: "workflow", Whole: true, Texts: []string{"card-not-working", "why is my card not working", "my bank card was declined in a shop"}}}
	for request, want := range map[string]string{
		"my new card is not working":                         "",
		"why was my card declined if I was in a shop":        "",
		"my card was declined at the station":                "",
		"why is my card declined and water the plants":       "water plants",
		"why is my card declined, but only if it rains":      "only if rains",
		"why is my card declined twice":                      "twice",
		"my card was declined without telling anybody":       "without telling anybody",
		"my card is declined. Then order a pizza":            "order pizza",
		"my card is not working. How is that to be handled?": "",
		"play some loud music":                               "play loud music",
	} {
		var open []string
		for _, o := range ByWords(request, past, nil, nil).Open {
			open = append(open, o.Text)
		}
		if got := strings.Join(open, " "); got != want {
			t.Errorf("%q: open %q, want %q", request, got, want)
		}
	}
}

func TestByWords(t *testing.T) {
	said := []Said{
		{By: "node:copy", Texts: []string{"copy-file", "Copies a file to another place."}},
		{By: "node:list", Texts: []string{"list-files", "Lists the files of a folder."}},
		{By: "workflow", Texts: []string{"backs up notes"}},
	}
	values := []Value{{By: "input:source", Text: "a.txt"}, {By: "input:dest", Text: "b/a.txt"}, {By: "input:n", Text: "3", Start: 0, End: 0},
		{By: "input:file", Text: "3.txt"}, {By: "input:pattern", Text: "src/**/*.go"}, {By: "node:list", Text: "*.md"}}
	for _, c := range []struct {
		request, parts, open string
		marks                [][2]int
	}{
		{request: "please copy the file a.txt to b/a.txt", parts: "please=phrase copy=node:copy the=phrase file=node:copy a.txt=input:source to=phrase b/a.txt=input:dest"},
		{request: "copy a.txt without the header", parts: "copy=node:copy a.txt=input:source the=phrase", open: "without header"},
		{request: "backing up aa.txt", parts: "backing=workflow up=phrase", open: "aa.txt"},
		{request: "list 3 files", parts: "list=node:list 3=input:n files=node:list"},
		{request: "list 5 files twice", parts: "list=node:list files=node:list", open: "5 twice", marks: [][2]int{{5, 6}}},
		{request: "list the .go files", parts: "list=node:list the=phrase .go=input:pattern files=node:list"},
		{request: "list the .md and the .txt files", parts: "list=node:list the=phrase .md=node:list and the=phrase files=node:list", open: ".txt", marks: [][2]int{{21, 25}}},
		{request: "copy 3.txt", parts: "copy=node:copy 3.txt=input:file"},
		{request: "copy every file", parts: "copy=node:copy every=phrase file=node:copy"},
		{request: "copy a.txt every morning", parts: "copy=node:copy a.txt=input:source", open: "every morning"},
		{request: "copy a.txt every 2 days, give the result", parts: "copy=node:copy a.txt=input:source give the result=phrase", open: "every 2 days"},
		{request: "don't copy", parts: "copy=node:copy", open: "don't"},
		{request: ""},
	} {
		got := ByWords(c.request, said, values, c.marks)
		var parts, open []string
		for _, p := range got.Parts {
			parts = append(parts, fmt.Sprintf("%s=%s", p.Text, p.By))
			if c.request[p.Start:p.End] != p.Text {
				t.Errorf("%q: %q is not at %d", c.request, p.Text, p.Start)
			}
		}
		for _, o := range got.Open {
			open = append(open, o.Text)
			if c.request[o.Start:o.End] != o.Text || o.Why == "" {
				t.Errorf("%q: %q is not at %d", c.request, o.Text, o.Start)
			}
		}
		if strings.Join(parts, " ") != c.parts || strings.Join(open, " ") != c.open {
			t.Errorf("%q: parts %q, open %q\nwant %q, open %q", c.request, strings.Join(parts, " "), strings.Join(open, " "), c.parts, c.open)
		}
	}
}
