package nodes

import (
	"os"
	"path/filepath"
	"testing"

	"pflow/ir"
)

// TestScriptsFromValues: a script whose path is a value runs, with values as its data, in both spellings; and both are
// checked alike before they run.
func TestScriptsFromValues(t *testing.T) {
	typ := shell(Deps{})
	for _, params := range []map[string]any{
		{"command": "sh ${script} ${data}"},
		{"command": `sh "$1" "$2"`, "args": []any{"${script}", "${data}"}},
	} {
		if problems := typ.Check(params); len(problems) > 0 {
			t.Errorf("%v: %v", params, problems)
		}
		values := ir.Values{"script": "say.sh", "data": "$(false); -c x"}
		if args, ok := params["args"].([]any); ok {
			args[0], args[1] = values["script"], values["data"]
		}
		call := newCall(t, params, values)
		if err := os.WriteFile(filepath.Join(call.Dir, "say.sh"), []byte(`printf %s "$1"`), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := runNode(t, "shell", call)
		if err != nil || out.Outputs["stdout"] != values["data"] {
			t.Errorf("%v: %v, %v", params, out.Outputs, err)
		}
	}
	call := newCall(t, map[string]any{"command": `set -- /dev/null; sh "$1"; echo done`, "args": []any{"-c"}}, nil)
	if out, err := runNode(t, "shell", call); err != nil || out.Outputs["stdout"] != "done" {
		t.Errorf("args that the command replaces: %v, %v", out.Outputs, err)
	}
	if problems := typ.Check(map[string]any{"command": `python3 "$1" "$2"`, "args": []any{"-c", "${data}"}}); len(problems) != 1 || problems[0].Path != "args[0]" {
		t.Errorf("code that is spelt with args: %v", problems)
	}
}
