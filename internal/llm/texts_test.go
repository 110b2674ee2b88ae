package llm_test

import (
	"fmt"
	"strings"
	"testing"

	"pflow/internal/llm"
	"pflow/internal/llmtest"
)

// TestTexts: what a client says to a model is what models.yaml says, and a home's replaces the shipped.
func TestTexts(t *testing.T) {
	models, found := llm.ParseModels("m.yaml", []byte(`
texts:
  form: "FORM {{.schema}}"
  function: FUNCTION {{.name}}
  misfit: MISFIT {{join "; " .wrong}}
  no_json: NO JSON. {{.form}}
`))
	if len(found) > 0 {
		t.Fatal(found.Text())
	}
	for _, c := range []struct {
		name   string
		reject []string
		reply  llmtest.Reply // the first
		asked  bool          // again
		says   string        // in the last request
	}{
		{"form", []string{"json_schema", "tools"}, llmtest.Reply{JSON: map[string]any{"name": "Bern"}}, false, "FORM {\"additionalProperties\""},
		{"function", []string{"json_schema"}, llmtest.Reply{JSON: map[string]any{"name": "Bern"}}, false, "FUNCTION city"},
		{"misfit", nil, llmtest.Reply{JSON: map[string]any{"nam": "Bern"}}, true, "MISFIT name: want text; there is no property nam\n"},
		{"no json", nil, llmtest.Reply{Text: "I do not know."}, true, "NO JSON. FORM {\"additionalProperties\""},
		{"no json, the form is known", []string{"json_schema", "tools"}, llmtest.Reply{Text: "I do not know."}, true, "NO JSON. \n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var told []llm.Message
			script := llmtest.Script{Reject: c.reject, Replies: []llmtest.Reply{c.reply}}
			if c.asked {
				script.Replies = append(script.Replies, llmtest.Reply{JSON: map[string]any{"name": "Bern"}})
			}
			client, server := endpoint(t, script, func(o *llm.Options) { o.Models = models })
			_, err := client.Call(t.Context(), llm.Request{Messages: say("where?"), Schema: city(), OnExchange: func(e llm.Exchange) { told = e.Messages }})
			if err != nil {
				t.Fatal(err)
			}
			last := server.Requests()[len(server.Requests())-1]
			sent := fmt.Sprint(last.Body["tools"]) + "\n"
			for _, m := range told {
				sent += m.Content + "\n"
			}
			if !strings.Contains(sent, c.says) {
				t.Errorf("there is no %q in %s", c.says, sent)
			}
		})
	}
}
