package compose

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/mapparams"
	"pflow/internal/value"
)

func groundOf(t *testing.T, request string) *Ground {
	t.Helper()
	read, err := mapparams.Read(t.Context(), request, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := NewGround(t.Context(), read, office)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestDraftsAsValues: what a stage gives can be written and read back before the next one, and the workflow is the same.
func TestDraftsAsValues(t *testing.T) {
	for _, request := range []string{"read a.txt, sort the lines and write them to b.txt", "sort the lines of a.txt", "read a.txt, then count its lines"} {
		g := groundOf(t, request)
		again := func(d *Draft, err error) *Draft {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			plain, err := value.Normalize(d.Plain())
			if err != nil {
				t.Fatal(err)
			}
			read, err := g.Draft(plain)
			if err != nil {
				t.Fatalf("%s: %v", value.JSON(plain), err)
			}
			if diff := cmp.Diff(d.Plain(), read.Plain()); diff != "" {
				t.Errorf("%q (-written +read):\n%s", request, diff)
			}
			return read
		}
		d := again(g.Choose(t.Context(), g.Clauses(), Shipped()))
		d = again(g.Bind(t.Context(), d))
		wired, needless, err := g.Wire(t.Context(), d, Shipped())
		if len(needless) > 0 {
			t.Errorf("%q: needless %v", request, needless)
		}
		w, templated, title := g.Write(t.Context(), again(wired, err), false)
		whole := composed(t, request, office, Options{})
		if whole.Workflow == nil {
			t.Fatalf("%q: %s", request, whole.Reason)
		}
		want := []string{wiring(whole), whole.Templated, whole.Title}
		if diff := cmp.Diff(want, []string{wiring(Result{Workflow: w}), templated, title}); diff != "" {
			t.Errorf("%q (-at once +by stages):\n%s", request, diff)
		}
	}
}

// TestNoDraft: what is no draft of a request is said with its place.
func TestNoDraft(t *testing.T) {
	g := groundOf(t, "sort the lines of a.txt")
	step := func(more string) string { return `{"steps": [{"id": "x", "component": "read-file", ` + more + `}]}` }
	for _, c := range []struct{ draft, want string }{
		{`[]`, "draft: want an object, got"},
		{`{}`, "draft.steps: there is none"},
		{`{"steps": [1]}`, "draft.steps[0]: want an object, got"},
		{step(`"start": 0`), "draft.steps[0].end: want a whole number, got null"},
		{step(`"start": 0, "end": 99`), "draft.steps[0]: from byte 0 to 99 is no part of the request, which has 23"},
		{step(`"start": 4, "end": 2`), "draft.steps[0]: from byte 4 to 2 is no part"},
		{step(`"start": 0, "end": 2, "form": 3`), `draft.steps[0]: there is no component "read-file" of that form`},
		{step(`"start": 0, "end": 2, "given": {"file_path": {"step": "y", "output": "content"}}`), `draft.steps[0].given.file_path.step: there is no step "y"`},
		{step(`"start": 0, "end": 2, "given": {"file_path": {"step": "x"}}`), "draft.steps[0].given.file_path.output: want text, got null"},
		{step(`"start": 0, "end": 2}, {"id": "x", "component": "read-file", "start": 0, "end": 2`), `draft.steps[1].id: "x" is the id of another step`},
		{`{"steps": [], "taken": [{"start": 0, "end": 1}]}`, "draft.taken[0].key: want text, got null"},
		{`{"steps": [], "skipped": {}}`, "draft.skipped: want a list, got"},
	} {
		v, err := value.ParseJSON([]byte(c.draft))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Draft(v); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.draft, err, c.want)
		}
	}
}
