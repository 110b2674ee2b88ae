package nodes

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pflow/internal/compose"
	"pflow/internal/mapparams"
	"pflow/ir"
)

// TestComposePlainRequests composes workflows of the built-in nodes for plain requests: the right ones, or none. A workflow
// that does a part of what is asked for, or something else, is what must not come.
func TestComposePlainRequests(t *testing.T) {
	for request, want := range map[string]string{
		"write the number of lines in a.txt to n.txt":                    "read-file transform write-file",
		"save to n.txt the number of lines in a.txt":                     "read-file transform write-file",
		"how many lines of a.log contain WARNING":                        "read-file transform",
		`keep the lines of a.log that contain "late" and write to b.log`: "read-file transform write-file",
		"sort the lines of a.txt and write them to b.txt":                "read-file transform write-file",
		"reverse the lines of a.txt and store them in b.txt":             "read-file transform write-file",
		"remove the duplicate lines of a.txt":                            "read-file transform",
		"read p.json, take the field owner and write it to owner.txt":    "read-file transform write-file",
		"get http://localhost/p.json and take the field owner":           "http transform",
		"download http://localhost/p.json to p.json":                     "download",
		"save http://localhost/p.csv to p.csv":                           "download",
		"convert a.txt to upper case and save to b.txt":                  "read-file transform write-file",
		"run `uptime` and print the output":                              "shell",
		`append "x" to a.txt`:                                            "write-file",

		"join a.txt and b.txt into c.txt": "join-tables write-file", // which asks for the column that both have

		"do not delete a.txt":                                  "",
		"don't copy a.txt to b.txt":                            "",
		"copy a.txt to b.txt and c.txt":                        "",
		"copy a.txt to b.txt, c.txt to d.txt":                  "",
		"copy the first line of a.txt to b.txt":                "",
		"copy a.txt to b.txt tomorrow at noon":                 "",
		"copy a.txt to b.txt if it is larger than 3 MB":        "",
		"list the .md files in docs, but not x.md":             "",
		"upload a.json to http://localhost/up":                 "",
		"mail a.txt to me@example.org":                         "",
		"read p.json, keep those older than 30 and count them": "",
		"save the first 7 entries of a.json to b.json":         "",
		"how often does plum appear in a.txt":                  "",
		"sort a.txt numerically and save it to b.txt":          "read-table write-file", // phrases read it before
		"zip pictures into pictures.zip":                       "",
		`write "a" to a.txt and "b" to b.txt`:                  "",
		"get http://localhost/p.json and print the owner":      "",
	} {
		got, reason := composed(t, request)
		if got != want {
			t.Errorf("%s: %q, want %q (%s)", request, got, want, reason)
		}
		if got == "" && reason == "" {
			t.Errorf("%s: nothing, and no reason", request)
		}
	}
}

// composed names the node types of the workflow that is made of the built-in nodes for a request, without neighbours twice.
func composed(t *testing.T, request string) (types, reason string) {
	t.Helper()
	var all []*ir.Interface
	for _, typ := range Types(Deps{}) {
		all = append(all, typ.Interface)
	}
	read, err := mapparams.Read(t.Context(), request, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := compose.Compose(t.Context(), read, all, compose.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Workflow == nil {
		return "", r.Reason
	}
	var names []string
	for _, n := range r.Workflow.Nodes {
		names = append(names, n.Type)
	}
	return strings.Join(slices.Compact(names), " "), r.Reason
}
