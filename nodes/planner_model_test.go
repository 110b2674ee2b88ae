package nodes

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/engine"
	"pflow/flows"
	"pflow/internal/fault"
	"pflow/internal/library"
	"pflow/internal/llm"
	"pflow/internal/shelf"
	"pflow/internal/value"
	"pflow/ir"
	"pflow/prompts"
)

// said is one reply of a scripted model: JSON for a structured reply, or an error.
type said struct {
	json string
	err  error
	tool string // the tool that is called with json
}

// script is a model that answers each prompt, by the name of its schema ("" for one without), with what it was given, in
// order. What nobody expected, and what nobody asked for, fails the test.
type script struct {
	t       testing.TB
	slow    time.Duration // how long each reply takes
	mu      sync.Mutex
	replies map[string][]said
	asked   []string // schema names, in the order of the calls
	prompts []string
}

func (s *script) model(_ context.Context, r llm.Request) (*llm.Reply, error) {
	time.Sleep(s.slow)
	s.mu.Lock()
	defer s.mu.Unlock()
	name := ""
	if r.Schema != nil {
		name = r.Schema.Name
	}
	s.asked = append(s.asked, name)
	text := ""
	for _, m := range r.Messages {
		text += m.Content + "\n"
	}
	s.prompts = append(s.prompts, text)
	list := s.replies[name]
	if len(list) == 0 {
		s.t.Errorf("nobody expected a call for %q", name)
		return nil, fault.New(fault.Refused, "not scripted")
	}
	next := list[0]
	s.replies[name] = list[1:]
	usage := llm.Usage{Calls: 1, PromptTokens: 100, CompletionTokens: 10, Priced: true, CostUSD: 0.001}
	reply := &llm.Reply{Text: next.json, Model: "test/m", Usage: usage}
	if next.err != nil {
		if fault.Of(next.err).Kind == fault.Schema { // it answered, if badly
			return reply, next.err
		}
		return nil, next.err
	}
	v, err := value.ParseJSON([]byte(next.json))
	if err != nil {
		return reply, fault.New(fault.Malformed, "the reply is no JSON")
	}
	if next.tool != "" {
		calls := []llm.ToolCall{{ID: fmt.Sprint("call-", len(s.asked)), Name: next.tool, Arguments: v}}
		return &llm.Reply{ToolCalls: calls, Model: "test/m", FinishReason: "tool_calls", Usage: usage, Asks: 1}, nil
	}
	if misfits := r.Schema.Check(v); len(misfits) > 0 {
		return reply, fault.New(fault.Schema, "the reply does not fit: %s", strings.Join(misfits, "; "))
	}
	return &llm.Reply{Text: next.json, Value: v, Model: "test/m", FinishReason: "stop", Usage: usage, Asks: 1}, nil
}

// planner loads a shipped flow whose model answers from a script that can be replaced.
func planner(t testing.TB, flow string, offered *shelf.Shelf, set ...engine.Setting) (f *engine.Flow, use func(*script)) {
	t.Helper()
	var s *script
	d := Deps{Shelf: func(context.Context) (*shelf.Shelf, error) { return offered, nil }, Log: func(string, string) {},
		Model: func(ctx context.Context, r llm.Request) (*llm.Reply, error) { return s.model(ctx, r) }}
	l := &engine.Loader{Ops: engine.NewRegistry(All(d)...), Resources: engine.Folders{Flows: flows.FS, Prompts: prompts.FS}, Set: set}
	f, found := l.LoadNamed(flow)
	if f == nil {
		t.Fatal(found.Text())
	}
	return f, func(next *script) { s = next }
}

// plan runs a shipped flow with a scripted model.
func plan(t testing.TB, flow string, offered *shelf.Shelf, replies map[string][]said, input map[string]any, set ...engine.Setting) (store map[string]any, s *script, path []string) {
	t.Helper()
	f, use := planner(t, flow, offered, set...)
	s = &script{t: t, replies: replies}
	use(s)
	res, err := engine.Execute(t.Context(), f, input, engine.Options{})
	if err != nil || res.Status != engine.Done {
		t.Fatalf("%v %+v", err, res.Error)
	}
	for schema, list := range s.replies {
		if len(list) > 0 {
			t.Errorf("%d replies for %q were never asked for", len(list), schema)
		}
	}
	for _, step := range res.Steps {
		if !strings.ContainsAny(step.Node, "/.[") {
			path = append(path, step.Node)
		}
	}
	return res.Store, s, path
}

// tools is a small shelf: two components, and a saved workflow if it is wanted.
func tools(t testing.TB, withWorkflow bool) *shelf.Shelf {
	t.Helper()
	offered := &shelf.Shelf{Catalogue: ir.NewCatalogue(
		&ir.Interface{Name: "resize", Description: "Resize an image.",
			Inputs:  []ir.Port{{Key: "image", Type: value.String, Required: true}, {Key: "width", Type: value.Integer, Required: true}},
			Outputs: []ir.Port{{Key: "resized", Type: value.String}}},
		&ir.Interface{Name: "upload", Description: "Upload a file.",
			Inputs: []ir.Port{{Key: "file", Type: value.String, Required: true}}, Outputs: []ir.Port{{Key: "url", Type: value.String}}},
	)}
	if withWorkflow {
		r, _, err := library.Parse("shrink.json", []byte(`{"name": "shrink", "description": "Make an image smaller.", "keywords": ["image"], "ir": {
			"ir_version": "0.1.0", "nodes": [{"id": "resize-it", "type": "resize", "params": {"image": "${image}", "width": "${width}"}}],
			"inputs": {"image": {"type": "string", "required": true, "description": "the image"}, "width": {"type": "integer", "required": true, "description": "in pixels"}}}}`))
		if err != nil {
			t.Fatal(err)
		}
		offered.Records = append(offered.Records, r)
	}
	return offered
}

const goodDraft = `{"feasible": true, "reason": "", "workflow": {"ir_version": "0.1.0",
	"inputs": {"image": {"type": "string", "required": true, "description": "the image"}, "width": {"type": "integer", "required": true, "description": "in pixels"}},
	"nodes": [{"id": "resize-image", "type": "resize", "purpose": "Make it small", "params": {"image": "${image}", "width": "${width}"}}],
	"edges": [], "outputs": {"picture": {"source": "${resize-image.resized}", "type": "string", "description": "the result"}}},
	"parts": [{"text": "resize", "by": "node:resize-image"}, {"text": "a.png", "by": "input:image"}, {"text": "to a width of 300", "by": "input:width"}]}`

// draft is goodDraft with another text in the place of one of its own.
func draft(old, new string) said {
	if !strings.Contains(goodDraft, old) {
		panic(old)
	}
	return said{json: strings.Replace(goodDraft, old, new, 1)}
}

const (
	notFound   = `{"found": false, "workflow_name": null, "confidence": 0, "reasoning": "none does it"}`
	foundIt    = `{"found": true, "workflow_name": "shrink", "confidence": 0.9, "reasoning": "the same"}`
	choseBoth  = `{"node_ids": ["resize", "upload", "teleport"], "workflow_names": [], "reasoning": "of use"}`
	namedThem  = `{"params": [{"name": "image", "value": "a.png"}, {"name": "width", "value": "300"}]}`
	described  = `{"name": "resize-image", "description": "Resize an image to a width.", "keywords": ["image", "a.png", "resize"]}`
	mappedBoth = `{"values": [{"name": "image", "value": "a.png"}, {"name": "width", "value": "300"}, {"name": "colour", "value": "red"}]}`
)

var smaller = map[string]any{"user_input": "resize a.png to a width of 300", "current_date": "2024-01-15"}

func just(text string) []said { return []said{{json: text}} }

// TestPlannerPaths takes each route of the standard planner and looks at what the model was asked, and what came of it.
func TestPlannerPaths(t *testing.T) {
	down := []said{{err: fault.New(fault.Authentication, "the key is refused")}}
	generated := func(drafts ...said) map[string][]said {
		return map[string][]said{"choice": just(choseBoth), "parameters": just(namedThem), "workflow": drafts, "metadata": just(described), "values": just(mappedBoth)}
	}
	without := func(m map[string][]said, keys ...string) map[string][]said {
		for _, k := range keys {
			delete(m, k)
		}
		return m
	}
	with := func(m map[string][]said, key string, list []said) map[string][]said {
		m[key] = list
		return m
	}
	good := said{json: goodDraft}
	front := []string{"workflow-discovery", "component-browsing", "parameter-discovery", "workflow-generation"}
	whole := slices.Concat(front, []string{"workflow-validation", "metadata-generation", "parameter-mapping", "parameter-preparation", "result-preparation"})
	for _, c := range []struct {
		name    string
		saved   bool
		replies map[string][]said
		want    string // status, path, name, params, missing, attempts, error kind
		asked   string
		path    []string
	}{
		{"reuse", true, map[string][]said{"discovery": just(foundIt), "values": just(mappedBoth)},
			`ready reuse shrink {"image":"a.png","width":300} [] 0 null`, "discovery values",
			[]string{"workflow-discovery", "parameter-mapping", "parameter-preparation", "result-preparation"}},
		{"reuse with an input missing", true, map[string][]said{"discovery": just(foundIt), "values": just(`{"values": [{"name": "width", "value": "wide"}]}`)},
			`needs_input reuse shrink {} ["image","width"] 0 null`, "discovery values",
			[]string{"workflow-discovery", "parameter-mapping", "result-preparation"}},
		{"an empty library", false, generated(good),
			`ready generate resize-image {"image":"a.png","width":300} [] 1 null`, "choice parameters workflow metadata values", whole},
		{"generate", true, with(generated(good), "discovery", just(notFound)),
			`ready generate resize-image {"image":"a.png","width":300} [] 1 null`, "discovery choice parameters workflow metadata values", whole},
		{"a name that is made up", true, with(generated(good), "discovery", just(strings.Replace(foundIt, "shrink", "shrnk", 1))),
			`ready generate resize-image {"image":"a.png","width":300} [] 1 null`, "discovery choice parameters workflow metadata values", whole},
		{"discovery, browsing, parameters and metadata fail", true, map[string][]said{"discovery": down, "choice": down, "parameters": down,
			"workflow": {good}, "metadata": down, "values": just(mappedBoth)},
			`ready generate resize-path-to-a-width-of {"image":"a.png","width":300} [] 1 null`, "discovery choice parameters workflow metadata values", whole},
		{"sent back once", false, generated(draft(`"type": "resize"`, `"type": "resizer"`), good),
			`ready generate resize-image {"image":"a.png","width":300} [] 2 null`, "choice parameters workflow workflow metadata values",
			slices.Concat(front, []string{"workflow-validation", "workflow-generation"}, whole[4:])},
		{"text in the place of JSON", false, generated(said{json: `{"feasible": tru`}, good),
			`ready generate resize-image {"image":"a.png","width":300} [] 2 null`, "choice parameters workflow workflow metadata values",
			slices.Concat(front, []string{"workflow-validation", "workflow-generation"}, whole[4:])},
		{"a literal of the request", false, generated(draft(`"width": "${width}"`, `"width": 300`), good),
			`ready generate resize-image {"image":"a.png","width":300} [] 2 null`, "choice parameters workflow workflow metadata values",
			slices.Concat(front, []string{"workflow-validation", "workflow-generation"}, whole[4:])},
		{"generations spent", false, without(generated(draft(`"type": "resize"`, `"type": "resizer"`), draft(`resize-image.resized`, `resize-image.picture`),
			draft(`"${width}"`, `"${widht}"`)), "metadata", "values"),
			`invalid generate null {} [] 3 invalid`, "choice parameters workflow workflow workflow",
			slices.Concat(front, []string{"workflow-validation", "workflow-generation", "workflow-validation", "workflow-generation", "workflow-validation", "result-preparation"})},
		{"a class spent", false, without(generated(draft(`"edges": []`, `"edges": [{"from": "resize-image", "to": "resize-image"}]`),
			draft(`"edges": []`, `"edges": [{"from": "resize-image", "to": "resize-image"}]`)), "metadata", "values"),
			`invalid generate null {} [] 2 invalid`, "choice parameters workflow workflow",
			slices.Concat(front, []string{"workflow-validation", "workflow-generation", "workflow-validation", "result-preparation"})},
		{"infeasible", false, without(generated(said{json: `{"feasible": false, "reason": "no paint", "workflow": null}`}), "metadata", "values"),
			`infeasible null null {} [] 1 infeasible`, "choice parameters workflow", slices.Concat(front, []string{"result-preparation"})},
		{"generation fails", false, without(generated(said{err: fault.New(fault.ContextLength, "too long")}), "metadata", "values"),
			`failed null null {} [] 1 context_length`, "choice parameters workflow", slices.Concat(front, []string{"result-preparation"})},
		{"the gate fails", false, with(generated(good), "values", down),
			`failed generate resize-image {} ["image","width"] 1 authentication`, "choice parameters workflow metadata values",
			slices.Concat(whole[:7], []string{"result-preparation"})},
		{"no model answers", true, map[string][]said{"discovery": down, "choice": down, "parameters": down, "workflow": down},
			`failed null null {} [] 1 provider_error`, "discovery choice parameters workflow", slices.Concat(front, []string{"result-preparation"})},
	} {
		t.Run(c.name, func(t *testing.T) {
			store, s, path := plan(t, "planner", tools(t, c.saved), c.replies, smaller)
			if diff := cmp.Diff(c.want, told(store)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.asked, strings.Join(s.asked, " ")); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(append([]string{"trigger-reading"}, c.path...), path); diff != "" {
				t.Errorf("path (-want +got):\n%s", diff)
			}
		})
	}
}

// told is the gist of a plan.
func told(store map[string]any) string {
	out, _ := store["planner_output"].(map[string]any)
	missing := []any{}
	for _, m := range out["missing_params"].([]any) {
		missing = append(missing, m.(map[string]any)["name"])
	}
	var kind any
	if e, ok := out["error"].(map[string]any); ok {
		kind = e["kind"]
	}
	parts := []string{}
	for _, v := range []any{out["status"], out["path"], out["workflow_name"], out["execution_params"], missing, out["attempts"], kind} {
		if text, ok := v.(string); ok {
			parts = append(parts, text)
		} else {
			parts = append(parts, value.JSON(v))
		}
	}
	return fmt.Sprint(strings.Join(parts, " "))
}
