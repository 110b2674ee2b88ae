package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folder writes files into a new folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// data is a small folder of data. Its scripts say what they were asked for.
func data(t *testing.T) string {
	return folder(t, map[string]string{
		"README.md": `# Sets

| set | n | measures | licence | naive, here | LLM, published |
|---|---|---|---|---|---|
| tools | 4 | which tool | MIT | node F1 .50 [.52] | node 96.9 |
| plans-a, -b | 2 | the validator | MIT | – | 37 % are clean |
`,
		"tools/set.json":   `{"set": "tools", "kind": "plan"}`,
		"plans-a/set.json": `{"set": "plans-a"}`,
		"plans-b/set.json": `{"set": "plans-b"}`,
		"run.sh": `#!/bin/bash
[ -x "$2" ] || exit 3
echo '{"set": "'$1'", "n": 4, "node_f1_macro": {"value": 0.8412, "ci95": [0.7, 0.9]}, "accuracy": 1.0, "edge_f1_micro": null, "missing": 1}' > "$3/$1.score.json"
`,
		"score.py":             "",
		"newcomer/cases.jsonl": "",
		"newcomer/run.py": `import json, sys
out = sys.argv[sys.argv.index('--out') + 1]
with open(out, 'w') as f:
    for group, outcome in ('files', 'right'), ('files', 'harmful'), ('git', 'held back'), ('git', 'right'):
        print(json.dumps({'group': group, 'outcome': outcome}), file=f)
`,
	})
}

func TestEvaluation(t *testing.T) {
	dir := data(t)
	out := filepath.Join(t.TempDir(), "evaluation.md")
	program := filepath.Join(dir, "run.sh") // any program will do
	if err := run(t.Context(), []string{"-data", dir, "-pflow", program, "-out", out, "-date", "2026-01-02", "-commit", "abc1234"}); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"on 2026-01-02, of commit abc1234",
		"4 steps.",
		"| all | 4 | .500 [.150, .850] | .250 [.046, .699] | .250 [.046, .699] | .250 [.046, .699] |",
		"| files | 2 | .500 [.095, .905] | .000 [.000, .658] | .500 [.095, .905] | .500 [.095, .905] |",
		"| tools | 4 | which tool | node F1, macro .84 [.70, .90]<br>right 1.00 | node F1 .50 [.52] | node 96.9 | MIT |",
		"| plans-b | 4 | the validator | node F1, macro .84 [.70, .90]<br>right 1.00 | – | 37 % are clean | MIT |",
		"3 cases have no result",
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if strings.Contains(string(page), dir) {
		t.Errorf("the page names a path of this machine:\n%s", page)
	}
}

func TestEvaluationRefuses(t *testing.T) {
	whole := data(t)
	for _, c := range []struct {
		name, want string
		args       []string
	}{
		{"no data", "say where the data are: make eval EVAL=DIR", nil},
		{"no program", "which program", []string{"-data", whole}},
		{"an empty folder", "has no run.sh", []string{"-data", t.TempDir(), "-pflow", "x"}},
		{"results that are not there", "tools.score.json", []string{"-data", whole, "-made", "-commit", "x", "-results", folder(t, map[string]string{
			"plans-a.score.json": `{"n": 1, "accuracy": 1}`, "plans-b.score.json": `{"n": 1, "accuracy": 1}`, sandboxRows: `{"group": "a", "outcome": "right"}`})}},
		{"no score", "plans-a.score.json holds no score", []string{"-data", whole, "-made", "-commit", "x", "-results", folder(t, map[string]string{
			"plans-a.score.json": "stopped", sandboxRows: `{"group": "a", "outcome": "right"}`})}},
		{"an empty sandbox", "has no rows", []string{"-data", whole, "-made", "-commit", "x", "-results", folder(t, map[string]string{sandboxRows: ""})}},
	} {
		out := filepath.Join(t.TempDir(), "evaluation.md")
		err := run(t.Context(), append(c.args, "-out", out))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: a page was written", c.name)
		}
	}
}
