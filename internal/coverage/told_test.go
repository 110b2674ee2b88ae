package coverage

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/extract"
)

// toldOf renders what stands for a request. parts are written "text=by".
func toldOf(t *testing.T, request string, parts ...string) string {
	t.Helper()
	entities, err := extract.Entities(context.Background(), request, time.Date(2024, 1, 15, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	var list []Part
	for _, p := range parts {
		text, by, _ := strings.Cut(p, "=")
		list = append(list, Part{Text: text, By: by})
	}
	c, problems, err := Told(context.Background(), request, entities, list, []string{"node:copy", "node:mail", "input:source", "input:to"})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, p := range c.Parts {
		if got := request[p.Start:p.End]; got != p.Text {
			t.Errorf("%q: %d-%d is %q, not %q", request, p.Start, p.End, got, p.Text)
		}
		fmt.Fprintf(&b, "%d-%d %q %s\n", p.Start, p.End, p.Text, p.By)
	}
	for _, o := range c.Open {
		if got := request[o.Start:o.End]; got != o.Text {
			t.Errorf("%q: %d-%d is %q, not %q", request, o.Start, o.End, got, o.Text)
		}
		fmt.Fprintf(&b, "open %d-%d %q: %s\n", o.Start, o.End, o.Text, o.Why)
	}
	for _, p := range problems {
		if p.Part < 0 {
			continue // said of what is open
		}
		fmt.Fprintf(&b, "part %d: %s", p.Part, p.Message)
		if p.Suggestion != "" {
			fmt.Fprintf(&b, " (%s?)", p.Suggestion)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestTold(t *testing.T) {
	for _, c := range []struct {
		request string
		parts   []string
		want    string
	}{
		{"copy a.txt and then mail it to ann@example.org, thanks", []string{"copy=node:copy", "a.txt=input:source", "and then=phrase", "mail it to=node:mail", "ann@example.org=input:to"}, `
0-4 "copy" node:copy
5-10 "a.txt" input:source
11-19 "and then" phrase
20-30 "mail it to" node:mail
31-46 "ann@example.org" input:to
`},
		// A name that also ends an address, given before it and after it.
		{"copy https://example.org/p.csv to p.csv", []string{"copy=node:copy", "https://example.org/p.csv=input:source", "p.csv=input:to"}, `
0-4 "copy" node:copy
5-30 "https://example.org/p.csv" input:source
34-39 "p.csv" input:to
`},
		{"copy https://example.org/p.csv to p.csv", []string{"p.csv=input:to", "copy=node:copy", "https://example.org/p.csv=input:source"}, `
0-4 "copy" node:copy
5-30 "https://example.org/p.csv" input:source
34-39 "p.csv" input:to
`},
		// A value within what a step does stands there, where the request has it only once.
		{"copy a.txt", []string{"copy a.txt=node:copy", "a.txt=input:source"}, `
0-10 "copy a.txt" node:copy
5-10 "a.txt" input:source
`},
		// A clause that no part stands for.
		{"Copy a.txt to b.txt, then send it to ann@example.org", []string{"copy a.txt to b.txt=node:copy"}, `
0-19 "Copy a.txt to b.txt" node:copy
open 26-52 "send it to ann@example.org": nothing stands for it
`},
		// A value alone does not do what its clause asks for; neither may a limit be passed over.
		{"delete old.txt except on 2024-02-03", []string{"old.txt=input:source"}, `
7-14 "old.txt" input:source
open 0-6 "delete": "delete" is something to do
open 15-35 "except on 2024-02-03": "2024-02-03" is a value
`},
		{"copy all files unless they are hidden", []string{"copy all files=node:copy"}, `
0-14 "copy all files" node:copy
open 15-37 "unless they are hidden": "unless" limits what is done
`},
		{"resize a.txt well", []string{"a.txt=input:source"}, `
7-12 "a.txt" input:source
open 0-6 "resize": "resize" begins what is asked for
`},
		{"the old file is copied", []string{"file is copied=node:copy"}, `
8-22 "file is copied" node:copy
`},
		// The same words twice stand in their order, and no word is cut.
		{"mail repo of the repository repo", []string{"repo=input:source", "repo=input:to", "mail=node:mail", "repo=input:to"}, `
0-4 "mail" node:mail
5-9 "repo" input:source
28-32 "repo" input:to
part 3: the request has no words "repo" that are not taken; copy each text from the request, in its order
`},
		// What is no part of the workflow, and what is more than a phrase.
		{"please copy a.txt", []string{"copy=node:cpoy", "copy a.txt=phrase"}, `
open 0-17 "please copy a.txt": nothing stands for it
part 0: "node:cpoy" cannot stand for "copy"; by is node:ID or input:NAME of the workflow, or phrase (node:copy?)
part 1: "copy a.txt" is more than a phrase: "copy" is something to do; say which node or input stands for it
`},
		{"every morning at 8 copy a.txt", []string{"every morning at 8=trigger", "copy a.txt=node:copy"}, `
19-29 "copy a.txt" node:copy
open 0-18 "every morning at 8": "8" is a value
part 0: "trigger" cannot stand for "every morning at 8"; by is node:ID or input:NAME of the workflow, or phrase
`},
		{"copy  the\n ä file", []string{"copy the ä file=node:copy", "=node:copy"}, `
0-18 "copy  the\n ä file" node:copy
part 1: the request has no words "" that are not taken; copy each text from the request, in its order
`},
		{"Hello! Could you please copy it? Thank you.", []string{"copy it=node:copy"}, `
24-31 "copy it" node:copy
`},
	} {
		if diff := cmp.Diff(c.want, "\n"+toldOf(t, c.request, c.parts...)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.request, diff)
		}
	}
}

// FuzzTold holds what is found to the request: offsets are those of the text.
func FuzzTold(f *testing.F) {
	f.Add("copy a.txt to b.txt", "a.txt", "copy")
	f.Add("\xff\u2028 x", "\xff", "x")
	f.Fuzz(func(t *testing.T, request, one, two string) {
		if len(request) < 2000 {
			toldOf(t, request, one+"=node:copy", two+"=phrase")
		}
	})
}
