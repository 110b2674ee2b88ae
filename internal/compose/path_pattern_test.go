package compose

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/value"
	"pflow/ir"
)

// TestPathOrPattern: a folder goes to the input for a path and a pattern to that for one, however either is written and
// wherever it stands.
func TestPathOrPattern(t *testing.T) {
	tools := []*ir.Interface{
		{Name: "ls", Description: "Lists the files of a folder.", Effects: []ir.Effect{ir.Reads},
			Inputs:  []ir.Port{port("root", value.String, "The folder"), {Key: "glob", Type: value.String, Default: "*", Description: "Which files"}},
			Outputs: []ir.Port{port("files", value.Array)}},
		{Name: "open", Description: "Opens a file.", Effects: []ir.Effect{ir.Reads}, Inputs: []ir.Port{port("file_path", value.String, "The file")},
			Outputs: []ir.Port{port("content", value.String)}},
	}
	for request, want := range map[string]string{
		"list files in src/":                   "ls root=${root}",
		"list files under src":                 "ls root=${root}",
		"list files in ./a/b":                  "ls root=${root}",
		"list files in ../":                    "ls root=${root}",
		"list files of /var/log/app":           "ls root=${root}",
		"find *.go in lib":                     "ls glob=${glob} root=${root}",
		"find *.go in lib/":                    "ls glob=${glob} root=${root}",
		"list test_?.py of a/b":                "ls glob=${glob} root=${root}",
		"list the .txt files in docs/":         "ls glob=${glob} root=${root}",
		"in docs/, list files that are *.html": "ls glob=${glob} root=${root}",
		"open a/b.txt":                         "open file_path=${file_path}",
	} {
		got := wiring(composed(t, request, tools, Options{}))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", request, diff)
		}
	}
}
