package coverage

import (
	"fmt"
	"strings"
	"testing"
)

// TestByWordsWhole: what has no words but those of its past requests stands for the rest of a wish that is like them, and for
// nothing that is added to one.
func TestByWordsWhole(t *testing.T) {
	past := []Said{{By: "workflow", Texts: []string{"card-not-working"}, Past: []string{"why is my card not working", "my bank card was declined in a shop", "a payment by card does not go through"}}}
	leavesOpen(t, past, map[string]string{
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
		"my card is not working and I am at the station":     "",
		"my card is not working and I don't know the reason": "",
		"my card is not working and I want a pizza":          "pizza",
		"can you check if my card is declined":               "",
		"my card is not working. It opens in 5 minutes":      "",
	})
}

// leavesOpen checks what of each request is open beside what was said before.
func leavesOpen(t *testing.T, said []Said, requests map[string]string) {
	t.Helper()
	for request, want := range requests {
		var open []string
		for _, o := range ByWords(request, said, nil, numbersOf(request)).Open {
			open = append(open, o.Text)
		}
		if got := strings.Join(open, " "); got != want {
			t.Errorf("%q: open %q, want %q", request, got, want)
		}
	}
}

// TestByWordsFew: of what was approved for one wording or two every word has to be known.
func TestByWordsFew(t *testing.T) {
	said := []Said{{By: "workflow", Texts: []string{"disk-report"}, Past: []string{"how full are the disks"}}}
	leavesOpen(t, said, map[string]string{
		"how full are the disks":              "",
		"how full are all the disks?":         "",
		"give me the disk report":             "",
		"how empty are the disks":             "empty",
		"how full are the disks of 3":         "3",
		"how full are the disks and printers": "printers",
		"how full are the disks, and I wait":  "wait",
		"are the disks not full":              "not",
	})
}

// numbersOf are the places of the digits of a text.
func numbersOf(text string) (out [][2]int) {
	for k := range text {
		if '0' <= text[k] && text[k] <= '9' {
			out = append(out, [2]int{k, k + 1})
		}
	}
	return out
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
