package nodes

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/value"
)

// TestPlannerVariants takes the shipped variants of the planner through what they do otherwise.
func TestPlannerVariants(t *testing.T) {
	good := said{json: goodDraft}
	bad := func() said { return draft(`"type": "resize"`, `"type": "resizer"`) }
	all := func(drafts ...said) map[string][]said {
		return map[string][]said{"discovery": just(notFound), "choice": just(choseBoth), "parameters": just(namedThem), "workflow": drafts,
			"metadata": just(described), "values": just(mappedBoth)}
	}
	across := draft(`"text": "resize"`, `"text": "have the picture"`)
	across.json = strings.Replace(across.json, "to a width of 300", "take 300 across", 1)
	const ready = `ready generate resize-image {"image":"a.png","width":300} [] 1 null`
	for _, c := range []struct {
		name, flow string
		saved      bool
		request    string
		replies    map[string][]said
		want       string
		asked      string // sorted: calls side by side have no order
		path       string
	}{
		{"fast", "planner-fast", true, "", all(good), ready, "choice discovery metadata parameters values workflow",
			"trigger-reading reconnaissance workflow-generation workflow-validation metadata-and-mapping parameter-preparation result-preparation"},
		{"fast, found", "planner-fast", true, "",
			map[string][]said{"discovery": just(foundIt), "choice": just(choseBoth), "parameters": just(namedThem), "values": just(mappedBoth)},
			`ready reuse shrink {"image":"a.png","width":300} [] 0 null`, "choice discovery parameters values",
			"trigger-reading reconnaissance parameter-mapping parameter-preparation result-preparation"},
		{"fast, a draft goes back", "planner-fast", false, "", func() map[string][]said {
			m := all(bad(), good)
			delete(m, "discovery")
			return m
		}(), strings.Replace(ready, "[] 1", "[] 2", 1), "choice metadata parameters values workflow workflow",
			"trigger-reading reconnaissance workflow-generation workflow-validation workflow-generation workflow-validation metadata-and-mapping parameter-preparation result-preparation"},
		{"strategies", "planner-strategies", true, "", all(bad(), good, bad()), ready, "choice discovery metadata parameters values workflow workflow workflow",
			"trigger-reading workflow-discovery component-browsing parameter-discovery drafting checking strategy-selection workflow-validation metadata-generation parameter-mapping parameter-preparation result-preparation"},
		{"strategies, all fail", "planner-strategies", true, "", map[string][]said{"discovery": just(notFound), "choice": just(choseBoth), "parameters": just(namedThem),
			"workflow": slices.Repeat([]said{{err: fault.New(fault.Refused, "no")}}, 3)},
			`failed null null {} [] 1 refused`, "choice discovery parameters workflow workflow workflow",
			"trigger-reading workflow-discovery component-browsing parameter-discovery drafting checking strategy-selection result-preparation"},
		{"hybrid, sure", "planner-hybrid", true, "make the image a.png smaller, to a width of 300", nil,
			`ready reuse shrink {"image":"a.png","width":300} [] 0 null`, "", "offline-plan"},
		{"hybrid, unsure", "planner-hybrid", true, "have the picture a.png take 300 across", all(across), ready,
			"choice discovery metadata parameters values workflow",
			"offline-plan trigger-reading workflow-discovery component-browsing parameter-discovery workflow-generation workflow-validation metadata-generation parameter-mapping parameter-preparation result-preparation"},
		{"agent", "planner-agent", true, "", map[string][]said{"": {
			{tool: "find_workflow", json: `{"words": "video"}`},
			{tool: "describe_nodes", json: `{"names": ["resize", "teleport"]}`},
			{tool: "validate_workflow", json: `{"workflow": {"ir_version": "0.1.0", "nodes": []}}`},
			{tool: "dance", json: `{}`},
			{tool: "submit", json: `{}`},
			{tool: "submit", json: `{"workflow": ` + partOf(bad(), "workflow") + `}`},
			{tool: "submit", json: `{"workflow": ` + partOf(good, "workflow") + `, "parts": ` + partOf(good, "parts") + `}`},
		}, "metadata": just(described), "values": just(mappedBoth)},
			`ready generate resize-image {"image":"a.png","width":300} [] 3 null`, "       metadata values",
			"trigger-reading masking listing think find-workflow answering think describe-nodes answering think workflow-validation answering think answering think answering think workflow-validation answering " +
				"think workflow-validation metadata-generation parameter-mapping parameter-preparation result-preparation"},
		{"agent, reuse", "planner-agent", true, "", map[string][]said{"": {
			{tool: "submit", json: `{"saved_workflow": "shrnk"}`}, {tool: "submit", json: `{"saved_workflow": "shrink"}`}}, "values": just(mappedBoth)},
			`ready reuse shrink {"image":"a.png","width":300} [] 0 null`, "  values",
			"trigger-reading masking listing think saved-workflow answering think saved-workflow parameter-mapping parameter-preparation result-preparation"},
		{"agent, infeasible", "planner-agent", true, "", map[string][]said{"": {{tool: "submit", json: `{"infeasible": "no paint"}`}}},
			`infeasible null null {} [] 0 infeasible`, "", "trigger-reading masking listing think result-preparation"},
		{"agent, spent", "planner-agent", true, "", map[string][]said{"": slices.Repeat([]said{{tool: "find_workflow", json: `{"words": "x"}`}}, 3)},
			`failed null null {} [] 0 unfinished`, "  ", "trigger-reading masking listing think find-workflow answering think find-workflow answering think find-workflow answering result-preparation"},
		{"agent, no model", "planner-agent", true, "", map[string][]said{"": {{err: fault.New(fault.Authentication, "the key is refused")}}},
			`failed null null {} [] 0 provider_error`, "", "trigger-reading masking listing think result-preparation"},
		{"agent, a model that cannot be read", "planner-agent", true, "", map[string][]said{"": {{err: fault.New(fault.Schema, "no such tool call")}}},
			`failed null null {} [] 0 schema`, "", "trigger-reading masking listing think result-preparation"},
		{"agent, spent on drafts", "planner-agent", true, "", map[string][]said{"": slices.Repeat([]said{{tool: "submit", json: `{"workflow": {"ir_version": "0.1.0", "nodes": []}}`}}, 3)},
			`invalid generate null {} [] 3 invalid`, "  ", "trigger-reading masking listing think workflow-validation answering think workflow-validation answering think workflow-validation answering result-preparation"},
	} {
		t.Run(c.name, func(t *testing.T) {
			input := map[string]any{"user_input": c.request, "current_date": "2024-01-15"}
			if c.request == "" {
				input = smaller
			}
			var set []engine.Setting
			if strings.HasPrefix(c.name, "agent, spent") {
				set = []engine.Setting{{Path: "params.max_turns", Value: "3"}}
			}
			if c.name == "hybrid, sure" { // a library of one is never all but certain
				set = []engine.Setting{{Path: "params.sure.reuse", Value: "0.5"}}
			}
			store, s, path := plan(t, c.flow, tools(t, c.saved), c.replies, input, set...)
			if diff := cmp.Diff(c.want, told(store)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if e, ok := store["planner_output"].(map[string]any)["error"].(map[string]any); ok && !slices.Contains(path, e["node"].(string)) {
				t.Errorf("the error names the node %v, which did not run", e["node"])
			}
			slices.Sort(s.asked)
			if diff := cmp.Diff(c.asked, strings.Join(s.asked, " ")); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.path, strings.Join(path, " ")); diff != "" {
				t.Errorf("path (-want +got):\n%s", diff)
			}
			if c.name == "strategies" {
				scores := store["strategy_results"].(map[string]any)
				got := value.JSON(store["selected_strategy"])
				for _, name := range value.SortedKeys(scores) {
					got += " " + value.JSON(scores[name].(map[string]any)["score"])
				}
				if !strings.HasSuffix(got, `99`) && !strings.Contains(got, `99 `) || !strings.Contains(got, "79") {
					t.Errorf("selected and scores: %s", got)
				}
			}
		})
	}
}

// TestCallsDeep counts how many calls of a model stand one after the other: each takes a second, and nothing else takes time.
func TestCallsDeep(t *testing.T) {
	for flow, want := range map[string]time.Duration{"planner": 6 * time.Second, "planner-fast": 3 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			f, use := planner(t, flow, tools(t, true))
			use(&script{t: t, slow: time.Second, replies: map[string][]said{"discovery": just(notFound), "choice": just(choseBoth),
				"parameters": just(namedThem), "workflow": just(goodDraft), "metadata": just(described), "values": just(mappedBoth)}})
			began := time.Now()
			res, err := engine.Execute(t.Context(), f, smaller, engine.Options{})
			if err != nil || res.Status != engine.Done || res.Usage["calls"] != 6 {
				t.Fatalf("%s: %v %v %v", flow, err, res.Error, res.Usage)
			}
			if took := time.Since(began); took != want {
				t.Errorf("%s took %v, want %v", flow, took, want)
			}
		})
	}
}

// partOf is the member of a draft that has a name.
func partOf(d said, name string) string {
	v, err := value.ParseJSON([]byte(d.json))
	if err != nil {
		panic(err)
	}
	return value.JSON(v.(map[string]any)[name])
}
