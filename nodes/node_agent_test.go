//go:build unix

package nodes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/secret"
	"pflow/internal/settings"
)

// TestAgent: the prompt goes to the program of the settings, in the folder, with the keys that it is to have and no others; what
// goes wrong says what to do, and nothing that it started stays.
func TestAgent(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	environ := []string{"PATH=" + bin + ":/usr/bin:/bin", "MY_KEY=for-it", "OTHER_KEY=not-for-it"}
	env := func(name string) string {
		for _, v := range environ {
			if n, text, _ := strings.Cut(v, "="); n == name {
				return text
			}
		}
		return ""
	}
	writeFiles(t, bin, map[string]string{"coder": "#!/bin/sh\nread line; echo \"$1: $line in $(basename \"$PWD\"), $MY_KEY $OTHER_KEY\"; echo done >made\n",
		"fails": "#!/bin/sh\necho it broke >&2; exit 4\n", "stays": "#!/bin/sh\n(sleep 600 >/dev/null 2>&1 & echo $! >child); sleep 600\n"})
	for _, name := range []string{"coder", "fails", "stays"} {
		if err := os.Chmod(filepath.Join(bin, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "work"), 0o755); err != nil {
		t.Fatal(err)
	}
	d := Deps{Environ: environ, Agents: func() ([]settings.Agent, error) {
		return []settings.Agent{{Name: "coder", Command: []string{"coder", "-p"}, Env: []string{"MY_KEY"}}, {Name: "fails", Command: []string{"fails"}},
			{Name: "stays", Command: []string{"stays"}}, {Name: "gone", Command: []string{"gone-agent"}}}, nil
	}}
	run := func(params map[string]any) (nodetype.Outcome, error) {
		return nodeType(t, d, "agent").Run(t.Context(), nodetype.Call{Params: params, Dir: dir, Env: env, Secrets: secret.Environment(env),
			Withheld: func(name string) bool { return strings.HasSuffix(name, "_KEY") }})
	}
	out, err := run(map[string]any{"prompt": "Do it.\n", "cwd": "work"})
	if err != nil || out.Outputs["response"] != "-p: Do it. in work, for-it " || out.Outputs["exit_code"] != 0 {
		t.Errorf("%v, %v", out.Outputs, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "work", "made")); err != nil {
		t.Error(err)
	}
	for name, c := range map[string]struct {
		params map[string]any
		kind   fault.Kind
		want   string
	}{
		"exit status": {map[string]any{"prompt": "x", "agent": "fails"}, fault.ExitStatus, "the agent fails ended with exit status 4: it broke; if it wants a key, name its variable in agents.fails.env of settings.yaml"},
		"not there": {map[string]any{"prompt": "x", "agent": "gone"}, fault.NotFound,
			"the agent gone is the program gone-agent, which is not on the PATH; install it, or name another in settings.yaml: agents: {gone: {command: [PROGRAM, ARGUMENT]}}"},
		"unknown":   {map[string]any{"prompt": "x", "agent": "rm -rf"}, fault.InvalidRequest, `there is no agent "rm -rf"; settings.yaml has: coder, fails, stays, gone`},
		"no prompt": {map[string]any{"prompt": " "}, fault.InvalidRequest, "prompt is empty: give some text"},
		"no folder": {map[string]any{"prompt": "x", "cwd": "none"}, fault.NotFound, `cannot run an agent in "none": no such file or directory`},
		"too long":  {map[string]any{"prompt": "x", "agent": "stays", "timeout": "1s"}, fault.Timeout, "the agent stays was not done after 1s and was ended; what it changed stays; set timeout to more"},
	} {
		_, err := run(c.params)
		if e := fault.Of(err); e == nil || e.Kind != c.kind || e.Message != c.want {
			t.Errorf("%s: %v\nwant %s", name, err, c.want)
		}
	}
	if seen := nodeType(t, d, "agent").Foresee(nodetype.Call{}, nil); seen.Destroys == "" {
		t.Error("it destroys nothing")
	}
}
