package mapparams

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/value"
)

// TestRoles: the preposition before a value says which of two inputs of one sort takes it.
func TestRoles(t *testing.T) {
	ends := []Input{
		{Name: "source_path", Type: value.String, Required: true, Description: "One end"},
		{Name: "target_path", Type: value.String, Required: true, Description: "The other end"},
	}
	for _, request := range []string{
		"move a.txt to b.txt", "move a.txt into b.txt", "from a.txt go to b.txt", "go to b.txt from a.txt",
		"make b.txt of a.txt", "keep a.txt as b.txt", "fill in b.txt with a.txt", "go between a.txt and b.txt", "put a.txt under b.txt",
	} {
		got := mapped(t, request, ends, "", time.Time{}).Extracted
		if diff := cmp.Diff(map[string]any{"source_path": "a.txt", "target_path": "b.txt"}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", request, diff)
		}
	}
}

// TestRolesOfNames: an input plays the part that its own name says where the name that a step has for it says none.
func TestRolesOfNames(t *testing.T) {
	ends := []Input{
		{Name: "source", Key: "file_path", Type: value.String, Required: true, Description: "The file to read"},
		{Name: "target", Key: "file_path", Type: value.String, Required: true, Description: "The file of the digest"},
	}
	got := mapped(t, "write a digest of a.txt to digest.txt", ends, "", time.Time{}).Extracted
	if diff := cmp.Diff(map[string]any{"source": "a.txt", "target": "digest.txt"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWants: of values side by side, each input takes the one of the sort that its name asks for.
func TestWants(t *testing.T) {
	const request = `tell ann@example.org at 5pm of "the plan" in Rome, 20 minutes long, from https://example.org for $12, order X7q, in notes.txt`
	for name, want := range map[string]any{
		"email": "ann@example.org", "time": "17:00", "title": "the plan", "city": "Rome", "url": "https://example.org",
		"file": "notes.txt", "order_id": "X7q",
	} {
		in := []Input{{Name: name, Type: value.String, Required: true}}
		got := mapped(t, request, in, "", time.Date(2024, 1, 15, 0, 0, 0, 0, time.UTC)).Extracted
		if diff := cmp.Diff(map[string]any{name: want}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	for name, want := range map[string]any{"price": 12, "duration": 20} {
		in := []Input{{Name: name, Type: value.Integer, Required: true}}
		if got := mapped(t, request, in, "", time.Time{}).Extracted; got[name] != want {
			t.Errorf("%s: %v, want %v", name, got[name], want)
		}
	}
}

// TestDateForms: a day is written as the description asks for.
func TestDateForms(t *testing.T) {
	for form, want := range map[string]string{
		"YYYY-MM-DD": "2024-05-03", "MM/DD/YYYY": "05/03/2024", "DD/MM/YYYY": "03/05/2024", "YYYY/MM/DD": "2024/05/03", "DD-MM-YYYY": "03-05-2024",
		"MM-DD-YYYY": "05-03-2024", "DD.MM.YYYY": "03.05.2024", "YYYYMMDD": "20240503", "": "2024-05-03",
	} {
		in := []Input{{Name: "day", Type: value.String, Required: true, Description: "The day " + form}}
		if got := mapped(t, "book a room on 3 May 2024", in, "", time.Time{}).Extracted["day"]; got != want {
			t.Errorf("%s: %v", form, got)
		}
	}
	both := []Input{{Name: "start_date", Type: value.String, Required: true}, {Name: "end_date", Type: value.String, Required: true}}
	got := mapped(t, "book a room from 3 May 2024 to 7 May 2024", both, "", time.Time{}).Extracted
	if diff := cmp.Diff(map[string]any{"start_date": "2024-05-03", "end_date": "2024-05-07"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPatternsAndPaths: what has the signs of a pattern goes to the input for one, by its key, kind, default or description.
func TestPatternsAndPaths(t *testing.T) {
	path := Input{Name: "root", Type: value.String, Required: true, Description: "The folder"}
	for _, pattern := range []Input{
		{Name: "name_pattern", Type: value.String}, {Name: "glob", Type: value.String}, {Name: "which", Type: value.String, Kind: "glob"},
		{Name: "which", Type: value.String, Default: "*", HasDefault: true}, {Name: "which", Type: value.String, Description: "Such as *.txt"},
	} {
		for request, want := range map[string]map[string]any{
			"list files in src/":      {"root": "src/"},
			"list files under src":    {"root": "src"},
			"find *.go in lib":        {"root": "lib", pattern.Name: "*.go"},
			"list .go files of ./src": {"root": "./src", pattern.Name: "*.go"},
		} {
			got := mapped(t, request, []Input{path, pattern}, "", time.Time{}).Extracted
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q, %+v (-want +got):\n%s", request, pattern, diff)
			}
		}
	}
	if WantsPattern(Input{Name: "pattern", Description: "A regular expression"}) {
		t.Error("a regular expression is taken for a pattern of paths")
	}
}
