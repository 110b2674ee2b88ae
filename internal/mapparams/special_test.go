package mapparams

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/value"
)

// TestSteps: an input takes its value from the clause that speaks of its step, whatever it is called.
func TestSteps(t *testing.T) {
	step := func(name, does string, order int) Input {
		return Input{Name: name, Type: value.String, Required: true, Step: does, Order: order}
	}
	inputs := []Input{step("file_1", "read a file", 1), step("file_2", "delete a file", 2)}
	for request, want := range map[string]map[string]any{
		"read a.txt, then delete b.txt": {"file_1": "a.txt", "file_2": "b.txt"},
		"delete b.txt, then read a.txt": {"file_1": "a.txt", "file_2": "b.txt"},
		"open a.txt. Then clean b.txt.": {"file_1": "a.txt", "file_2": "b.txt"}, // in other words, in their order
	} {
		if diff := cmp.Diff(want, mapped(t, request, inputs, "", time.Time{}).Extracted); diff != "" {
			t.Errorf("%q (-want +got):\n%s", request, diff)
		}
	}
}

// TestCommandLines: an input for a command line takes what stands behind the verb, word by word.
func TestCommandLines(t *testing.T) {
	in := []Input{{Name: "command", Type: value.Array, Kind: CommandLine, Required: true}}
	for request, want := range map[string]string{
		"run uptime":                     `["uptime"]`,
		"run go test ./... and print it": `["go","test","./..."]`,
		"run go test ./...":              `["go","test","./..."]`,
		"run uptime.":                    `["uptime"]`,
		"run the command ls -l":          `["ls","-l"]`,
		"run `git status` and save it":   `["git","status"]`,
	} {
		if got := value.JSON(mapped(t, request, in, "", time.Time{}).Extracted["command"]); got != want {
			t.Errorf("%q: %s, want %s", request, got, want)
		}
	}
}

func TestKinds(t *testing.T) {
	for path, want := range map[string]bool{"a.txt": true, "src/a.go": true, "src": false, "src/": false, ".go": false, "a.b/c": false} {
		if IsFile(path) != want {
			t.Errorf("IsFile(%q) = %v", path, !want)
		}
	}
	for text, want := range map[string]bool{"The folder to list.": true, "Path of the directory": true, "The file": false, "": false} {
		if WantsFolder("path", text) != want {
			t.Errorf("WantsFolder(path, %q) = %v", text, !want)
		}
	}
}
