package nodes

import (
	"slices"
	"strings"
	"testing"

	"pflow/internal/value"
)

// slips are what models do wrong when they write a workflow: a text of goodDraft, what stands there instead, and what the
// model is told.
var slips = []struct{ name, old, new, told string }{
	{"an unused input", `"inputs": {`, `"inputs": {"format": {"type": "string", "description": "png or jpg"}, `, `nothing reads the input "format"`},
	{"a foreign template", `"image": "${image}"`, `"image": "{{image}}"`, `{{image}} is text here; the input "image" is written ${image}`},
	{"a key of another form", `"purpose": "Make it small"`, `"purpose": "Make it small", "depends_on": []`, `this node has no key "depends_on"`},
	{"a value of the request", `"width": "${width}"`, `"width": 300`, `is a value of this request; write ${width}`},
	{"an output that is none", `${resize-image.resized}`, `${resize-image.picture}`, `writes no "picture"`},
	{"an edge to nowhere", `"edges": []`, `"edges": [{"from": "resize-image", "to": "upload-image"}]`, `the edge leads to "upload-image", but there is no node of this id`},
	{"words that nothing stands for", `{"text": "resize", "by": "node:resize-image"}, `, ``, `no part is for "resize"`},
}

// TestSlipsAreMended: each slip is told so that one more draft mends it, and so are all of them together.
func TestSlipsAreMended(t *testing.T) {
	planned := func(t *testing.T, bad string, told ...string) {
		t.Helper()
		store, s, _ := plan(t, "planner", tools(t, false), map[string][]said{"choice": just(choseBoth), "parameters": just(namedThem),
			"workflow": {{json: bad}, {json: goodDraft}}, "metadata": just(described), "values": just(mappedBoth)}, smaller)
		out, _ := store["planner_output"].(map[string]any)
		if out["status"] != "ready" || out["attempts"] != 2 || value.JSON(out["coverage"].(map[string]any)["open"]) != "[]" {
			t.Errorf("%v after %v attempts, open: %s", out["status"], out["attempts"], value.JSON(out["coverage"]))
		}
		again := ""
		for i, name := range s.asked {
			if name == "workflow" {
				again = s.prompts[i]
			}
		}
		for _, text := range told {
			if !strings.Contains(again, text) {
				t.Errorf("the model is not told %q in\n%s", text, again[max(0, strings.Index(again, "## Attempt")):])
			}
		}
	}
	all, told := goodDraft, []string(nil)
	for _, slip := range slips {
		if !strings.Contains(goodDraft, slip.old) {
			t.Fatalf("%s: %s is not in the draft", slip.name, slip.old)
		}
		all, told = strings.Replace(all, slip.old, slip.new, 1), append(told, slip.told)
		t.Run(slip.name, func(t *testing.T) { planned(t, strings.Replace(goodDraft, slip.old, slip.new, 1), slip.told) })
	}
	t.Run("all of them", func(t *testing.T) { planned(t, all, slices.Clone(told)...) })
	// What does no harm does not send a draft back.
	store, _, _ := plan(t, "planner", tools(t, false), map[string][]said{"choice": just(choseBoth), "parameters": just(namedThem),
		"workflow": just(strings.Replace(goodDraft, `{"ir_version"`, `{"name": "resize", "description": "Resizes.", "ir_version"`, 1)), "metadata": just(described), "values": just(mappedBoth)}, smaller)
	if out, _ := store["planner_output"].(map[string]any); out["status"] != "ready" || out["attempts"] != 1 {
		t.Errorf("a name at the top: %v after %v attempts", out["status"], out["attempts"])
	}
}
