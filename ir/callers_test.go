package ir

import (
	"fmt"
	"strings"
	"testing"
)

// TestBreaksCallers: one workflow stands in for another if whoever calls the other notices nothing.
func TestBreaksCallers(t *testing.T) {
	decode := func(inputs, outputs string) *Workflow {
		t.Helper()
		w, list := Decode([]byte(fmt.Sprintf(`{"ir_version": "0.1.0", "inputs": {%s}, "outputs": {%s}, "nodes": [{"id": "a", "type": "t"}]}`, inputs, outputs)))
		if err := list.Err(); err != nil {
			t.Fatal(err)
		}
		return w
	}
	const text, optional = `"a": {"type": "string", "required": true}`, `"a": {"type": "string", "required": false}`
	const out = `"o": {"type": "number", "source": "${a.x}"}`
	for _, c := range []struct{ oldInputs, oldOutputs, inputs, outputs, want string }{
		{text, out, text, out, ""},
		{text, out, text + `, "b": {"type": "string", "default": ""}`, out + `, "p": {"type": "string", "source": "${a.y}"}`, ""},
		{text, out, `"a": {"type": "any", "required": true}`, `"o": {"type": "integer", "source": "${a.x}"}`, ""},
		{text, out, optional, out, ""},
		{optional, out, text, out, `it needs the input "a"`},
		{text, out, ``, out, `it has no input "a"`},
		{text, out, `"b": {"type": "string", "required": true}`, out, `it has no input "a"; it needs the input "b"`},
		{text, out, `"a": {"type": "integer", "required": true}`, out, `the input "a" is integer, not string`},
		{text, out, text, ``, `it has no output "o"`},
		{text, out, text, `"o": {"type": "string", "source": "${a.x}"}`, `the output "o" is string, not number`},
		{text, ``, text, out, `its outputs are others`},
		{text, out, `"a": {"type": "string", "secret": true, "from_env": "A"}`, out, `the input "a" became a secret`},
		{`"a": {"type": "string", "required": true, "from_stdin": true}`, out, text, out, `the input "a" is not read from the piped text`},
	} {
		got := strings.Join(decode(c.inputs, c.outputs).BreaksCallers(decode(c.oldInputs, c.oldOutputs), nil), "; ")
		if got != c.want {
			t.Errorf("%s {%s} for %s {%s}: %q, want %q", c.inputs, c.outputs, c.oldInputs, c.oldOutputs, got, c.want)
		}
	}
}
