package nodes

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/engine"
	"pflow/flows"
	"pflow/internal/shelf"
	"pflow/internal/value"
	"pflow/ir"
	"pflow/prompts"
)

// runFlowText loads and runs a flow document.
func runFlowText(t *testing.T, d Deps, text string, input map[string]any) map[string]any {
	t.Helper()
	l := &engine.Loader{Ops: engine.NewRegistry(All(d)...), Resources: engine.Folders{Flows: flows.FS, Prompts: prompts.FS}}
	flow, found := l.Load(engine.Document{Kind: engine.FlowDocument, Name: "test", Path: "test.yaml", Data: []byte(text)})
	if len(found) > 0 {
		t.Fatal(found.Text())
	}
	res, err := engine.Execute(context.Background(), flow, input, engine.Options{})
	if err != nil || res.Status != engine.Done {
		t.Fatalf("%v %+v", err, res.Error)
	}
	return res.Store
}

// TestPlanningExamples runs the example of each op that planners are made of and looks at what it leaves in the store.
func TestPlanningExamples(t *testing.T) {
	copyIt := &ir.Interface{Name: "copy-it", Description: "Copy a file.", Inputs: []ir.Port{{Key: "file_path", Type: value.String, Required: true}}}
	d := Deps{Shelf: func(context.Context) (*shelf.Shelf, error) {
		return &shelf.Shelf{Catalogue: ir.NewCatalogue(copyIt)}, nil
	}}
	for _, c := range []struct{ op, key, want string }{
		{"browse-components", "chosen", `["copy-it"]`},
		{"browse-workflows", "found", `null`},
		{"retrieve", "best", `"copy-file"`},
		{"extract", "entities", `[{"end":15,"kind":"path","start":5,"text":"report.pdf","value":"report.pdf"},{"end":34,"kind":"email","start":19,"text":"ann@example.org","value":"ann@example.org"}]`},
		{"map-params", "values", `{"image":"photo.png","width":300}`},
		{"validate", "errors", `[{"code":"missing-field","key":"e8a9c025636d","message":"there is no node; give at least one, {\"id\": …, \"type\": …, \"params\": {…}}","path":"nodes","severity":"error"}]`},
	} {
		op := engine.NewRegistry(All(d)...).Op(c.op)
		got := value.JSON(runFlowText(t, d, op.Example, nil)[c.key])
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.op, diff)
		}
	}
}

// TestPlannerOffline plans over a catalogue of one component.
func TestPlannerOffline(t *testing.T) {
	text, err := flows.FS.ReadFile("planner-offline.yaml")
	if err != nil {
		t.Fatal(err)
	}
	resize := &ir.Interface{Name: "resize", Description: "Resize an image.", Inputs: []ir.Port{
		{Key: "image", Type: value.String, Required: true, Description: "The path of the image"}, {Key: "width", Type: value.Integer, Required: true}}}
	d := Deps{Shelf: func(context.Context) (*shelf.Shelf, error) {
		return &shelf.Shelf{Catalogue: ir.NewCatalogue(resize)}, nil
	}}
	for request, want := range map[string]string{
		"resize the image a.png to a width of 300": `"ready" {"image":"a.png","width":300}`,
		"resize a.png":   `"needs_input" {"image":"a.png"}`,
		"paint my house": `"infeasible" {}`,
	} {
		store := runFlowText(t, d, string(text), map[string]any{"user_input": request, "current_date": "2024-01-15"})
		out, _ := store["planner_output"].(map[string]any)
		if got := value.JSON(out["status"]) + " " + value.JSON(out["execution_params"]); got != want {
			t.Errorf("%q: got %s, want %s", request, got, want)
		}
	}
}
