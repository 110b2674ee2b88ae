package compose

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/mapparams"
	"pflow/ir"
)

// TestTitle: a workflow is named by what is asked for, without the values of the request.
func TestTitle(t *testing.T) {
	for _, c := range []struct{ request, title, templated string }{
		{"copy a.txt to b.txt", "copy-file-workflow", "copy {source_path} to {dest_path}"},
		{"sort the lines of a.txt", "sort-lines", "sort the lines of {file_path}"},
		{"count   the lines  of a.txt", "count-lines", "count the lines of {file_path}"},
		{"fetch https://example.org/x", "fetch-workflow", "fetch {url}"}, // never the name of a component alone
		{"count the number of lines in the file a.txt", "count-number-lines-file", "count the number of lines in the file {file_path}"},
	} {
		r := composed(t, c.request, office, Options{})
		if r.Title != c.title || r.Templated != c.templated {
			t.Errorf("%q: %q, %q, want %q, %q (%s)", c.request, r.Title, r.Templated, c.title, c.templated, r.Reason)
		}
	}
	for name, want := range map[string]string{"read-file": "read-file", "a b/c": "a-b-c", "é": "step", "": "step", "--": "step", "x_1": "x_1"} {
		if got := idOf(name); got != want {
			t.Errorf("idOf(%q) = %q, want %q", name, got, want)
		}
	}
	for text, want := range map[string]string{"": "", "One. Two.": "One.", "a  b\nc": "a b c", strings.Repeat("é", 100): strings.Repeat("é", 80) + "…"} {
		if got := firstSentence(text); got != want {
			t.Errorf("firstSentence(%q) = %q, want %q", text, got, want)
		}
	}
	if got := excerpt("  " + strings.Repeat("é", 150)); got != strings.Repeat("é", 100)+"…" || excerpt(" a ") != "a" {
		t.Errorf("excerpt: %q", got)
	}
}

// TestWithoutValues: what is left of a request when its values are blanks of the same length.
func TestWithoutValues(t *testing.T) {
	for _, c := range []struct{ request, masked, unvalued string }{
		{"copy a.txt now", "copy  .txt now", "copy       now"},
		{`say "hi" 3 times`, `say      3 times`, `say      3 times`},
		{"mail ann@x.org, see https://x.org/a", "mail          , see                ", "mail          , see                "},
		{"use v1.2.3 of src/main", "use        of         ", "use        of         "},
	} {
		read, err := mapparams.Read(t.Context(), c.request, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if got := Masked(read); got != c.masked {
			t.Errorf("Masked(%q) = %q, want %q", c.request, got, c.masked)
		}
		if got := Unvalued(read); got != c.unvalued {
			t.Errorf("Unvalued(%q) = %q, want %q", c.request, got, c.unvalued)
		}
	}
}

// TestWritten counts values by what their form says.
func TestWritten(t *testing.T) {
	for request, want := range map[string]map[string]int{
		"":                           {},
		"copy a.txt to b.txt":        {"path": 2},
		"list the .go files in src/": {"path": 1}, // an ending is no path
		`say "hi" to ann@x.org about http://x.org`: {"quoted": 1, "email": 1, "url": 1},
		"wait 3 days": {},
	} {
		read, err := mapparams.Read(t.Context(), request, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, Written(read)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", request, diff)
		}
	}
}

// TestInterfaceForms: forms, effects and all that is said of ports survive the way through the store.
func TestInterfaceForms(t *testing.T) {
	full := &ir.Interface{Name: "tool", Description: "Does it.", Effects: []ir.Effect{ir.Reads, ir.Writes}, Workflow: true,
		Inputs:  []ir.Port{{Key: "a", Type: "string", Kind: "image", Description: "d", Required: true, Enum: []any{"x"}}, {Key: "b", Type: "integer", Default: 3}},
		Params:  []ir.Port{{Key: "code", Type: "string", Raw: true, Required: true}},
		Outputs: []ir.Port{{Key: "o", Type: "array"}},
		Forms:   []ir.Form{{Says: []string{"So."}, Inputs: []ir.Port{{Key: "t", Type: "string"}}, With: map[string]any{"code": "x(t)"}}}}
	for _, i := range append([]*ir.Interface{full}, office...) {
		got, err := Interfaces([]any{Plain(i)})
		if err != nil {
			t.Errorf("%s: %v", i.Name, err)
			continue
		}
		if diff := cmp.Diff(Plain(i), Plain(got[0])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", i.Name, diff)
		}
	}
	for _, wrong := range []any{1, nil, map[string]any{"name": ""}, map[string]any{"name": "a", "inputs": 1}, map[string]any{"name": "a", "outputs": []any{1}},
		map[string]any{"name": "a", "params": []any{map[string]any{"type": "string"}}}, map[string]any{"name": "a", "forms": 1}, map[string]any{"name": "a", "forms": []any{"b"}},
		map[string]any{"name": "a", "forms": []any{map[string]any{"says": []any{"b"}, "inputs": "c"}}}} {
		if got, err := Interfaces([]any{wrong}); err == nil {
			t.Errorf("%v is taken: %+v", wrong, got[0])
		}
	}
}
