package workflow

import (
	"fmt"
	"strings"
	"testing"

	"pflow/internal/value"
	"pflow/ir"
)

// TestParse: parse makes typed outputs of what ran and of the params; what is wrong with it is told at its place, before
// anything runs where that can be known.
func TestParse(t *testing.T) {
	const doc = `{"ir_version": "0.1.0", "nodes": [{"id": "a", "type": "say", "params": {"text": "hi"}}]}`
	for _, c := range []struct{ parse, want string }{
		{`{n: len(result.stdout), said: inputs.text + "!"}`, `done {"n":23,"said":"hi!"}`},
		{`{n: fromJSON(result.stdout).a, said: inputs.loud == null ? "soft" : "loud"}`, `done {"n":1,"said":"soft"}`},
		{`{n: "1", said: "x"}`, `failed test[0]:1:N: parse: the output "n": want integer, got string "1"`},
		{`{said: "x"}`, `failed test[0]:1:N: parse: it gives no "n"; it must give: n, said`},
		{`{n: 1, said: "x", more: 2}`, `failed test[0]:1:N: parse: it gives "more", which is no output; declare it, or leave it out`},
		{`{n: fromJSON(inputs.text), said: ""}`, `failed test[0]:1:N: parse: `},
		{`{n: result.stdot}`, `test[0]:1:N: parse: `},
		{`1 + `, `test[0]:1:N: parse: `},
		{`"text"`, `test[0]:1:N: parse: `},
	} {
		w := world{declared: fmt.Sprintf(`[{"name": "say", "inputs": [{"key": "text", "type": "string", "required": true}, {"key": "loud", "type": "boolean"}],
			"outputs": [{"key": "n", "type": "integer"}, {"key": "said", "type": "string"}], "run": {"shell": "say $text"}, "parse": %q}]`, c.parse)}
		env := w.env(t)
		wf, found := Check([]byte(doc), env.Catalogue, env.Types, ir.Options{})
		if found.HasErrors() {
			t.Fatal(found.Text())
		}
		got := ""
		if p, found := Compile(Source{Name: "test", Workflow: wf, File: "test.json", Data: []byte(doc)}, env); p == nil {
			got = found.Text()
		} else if res, err := p.Run(t.Context(), bind(t, p, nil), Options{}); err != nil {
			t.Fatal(err)
		} else if got = fmt.Sprintf("%s %s", res.Status, value.JSON(res.Outputs)); res.Error != nil {
			got = fmt.Sprintf("%s %s", res.Status, res.Error.Message)
		}
		for _, want := range strings.Split(c.want, "N") {
			if !strings.Contains(got, want) {
				t.Errorf("%s gives\n%s\nwant %s", c.parse, got, c.want)
				break
			}
		}
	}
}
