package llm_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/fault"
	"pflow/internal/llm"
	"pflow/internal/llmtest"
)

// verdicts shortens a report.
func verdicts(r *llm.Report) string {
	var out []string
	for _, p := range r.Features {
		out = append(out, p.Feature+" "+string(p.Verdict))
	}
	return strings.Join(out, ", ")
}

// TestProbe measures endpoints that honour everything, refuse half, and ignore everything.
func TestProbe(t *testing.T) {
	ant := map[string]any{"animal": "ant", "legs": 6}
	weather := []llmtest.ToolCall{{Name: "weather", Arguments: map[string]any{"city": "Bern"}}}
	for _, c := range []struct {
		name   string
		script llmtest.Script
		want   string
		step   string
	}{
		{"honours all", llmtest.Script{Replies: []llmtest.Reply{
			{Match: "greets|animal", JSON: ant, Times: 5}, {Match: "weather", ToolCalls: weather}, {Match: "random", Text: "123", Times: 2}, {Text: "one two three"},
		}}, "strict_json_schema honoured, json_schema honoured, tool_call honoured, json_object honoured, prompt honoured, tools honoured, temperature honoured, stream honoured", llm.StrictJSONSchema},
		{"refuses half", llmtest.Script{Reject: []string{"json_schema", "tools", "temperature", "stream"}, Replies: []llmtest.Reply{
			{JSON: map[string]any{"animal": "dog"}}, {JSON: ant, Fault: "prose"},
		}}, "strict_json_schema refused, json_schema refused, tool_call refused, json_object honoured, prompt honoured, tools refused, temperature refused, stream refused", llm.JSONObject},
		{"ignores all", llmtest.Script{Replies: []llmtest.Reply{
			{Match: "greets|weather|animal", Text: "hello", Times: 6}, {Text: "1"}, {Text: "2"}, {Text: "x"},
		}}, "strict_json_schema ignored, json_schema ignored, tool_call ignored, json_object ignored, prompt ignored, tools ignored, temperature ignored, stream ignored", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := t.TempDir()
			client, server := endpoint(t, c.script, func(o *llm.Options) { o.Home = home })
			told := 0
			r, err := client.Probe(t.Context(), "", func(llm.Probed) { told++ })
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, verdicts(r)); diff != "" || r.Step != c.step || told != 8 {
				t.Errorf("step %q, told of %d, %s", r.Step, told, diff)
			}
			if r.Usage.Calls != len(server.Requests()) {
				t.Errorf("%d calls, %d requests", r.Usage.Calls, len(server.Requests()))
			}
			data, err := os.ReadFile(filepath.Join(home, "model-steps.json"))
			if remembered := strings.Contains(string(data), fmt.Sprintf("%q", c.step)); remembered != (c.step != "") {
				t.Errorf("remembered: %s, %v", data, err)
			}
		})
	}
}

func TestProbeFails(t *testing.T) {
	client, _ := endpoint(t, llmtest.Script{Replies: []llmtest.Reply{{Fault: "unauthorized"}}})
	if r, err := client.Probe(t.Context(), "", nil); fault.Of(err) == nil || fault.Of(err).Kind != fault.Authentication || len(r.Features) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	bare, err := llm.New(llm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bare.Probe(t.Context(), "openai/gpt-4o", nil); fault.Of(err) == nil || fault.Of(err).Kind != fault.Authentication {
		t.Error(err)
	}
}
