package llm

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/diag"
)

func TestShippedModels(t *testing.T) {
	m, found := ParseModels("", nil)
	if len(found) > 0 {
		t.Fatal(found.Text())
	}
	want := []string{"anthropic", "claude-code", "client", "codex", "gemini", "gemini-cli", "llm", "ollama", "ollama-run", "openai", "openrouter", "vllm"}
	if diff := cmp.Diff(want, m.Names()); diff != "" {
		t.Error(diff)
	}
	for _, p := range m.Providers {
		if p.BaseURL == "" {
			if (p.Program == nil) == (p.By == "") || p.DefaultModel == "" || p.KeyVar != "" {
				t.Errorf("%+v", p)
			}
			continue
		}
		if p.KeyVar == "" || p.BaseURLVar == "" || p.ModelVar == "" || p.Ladder[len(p.Ladder)-1] != Prompt {
			t.Errorf("%+v", p)
		}
		for _, e := range p.Models {
			if e.Prices != nil && e.Prices.Date == "" {
				t.Errorf("%s/%s has prices without a date", p.Name, e.Pattern)
			}
		}
	}
}

// TestOverrides merges a home's file over the shipped one.
func TestOverrides(t *testing.T) {
	home := t.TempDir()
	text := `
default: [work, openai]
providers:
  gemini: null
  openai:
    limits: {concurrency: 1}
    models:
      gpt-4.1-mini: {prices: null}
      "gpt-4.1-*": {context: 5}
  work:
    base_url: https://models.example.com/v1
    key_env: WORK_KEY
    default_model: big
    extra: {a: {b: [1, 2.5, x]}}
    models: {big: {prices: {input: 1, output: 2.5, date: 2025-01-02}}}
`
	if err := os.WriteFile(filepath.Join(home, ModelsFile), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := ReadModels(home)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"anthropic", "claude-code", "client", "codex", "gemini-cli", "llm", "ollama", "ollama-run", "openai", "openrouter", "vllm", "work"}, m.Names()); diff != "" {
		t.Error(diff)
	}
	openai := m.Providers["openai"]
	if openai.Concurrency != 1 || openai.PerMinute != 500 || openai.BaseURL != "https://api.openai.com/v1" {
		t.Errorf("%+v", openai)
	}
	if e := openai.Entry("gpt-4.1-mini"); e.Prices != nil || e.Context != 1047576 {
		t.Errorf("%+v", e)
	}
	if e := openai.Entry("gpt-4.1-nano-2025-04-14"); e.Context != 5 || e.Prices != nil {
		t.Errorf("the longest pattern: %+v", e)
	}
	want := &Provider{
		Name: "work", BaseURL: "https://models.example.com/v1", KeyVar: "WORK_KEY", DefaultModel: "big", Ladder: ladder, Concurrency: 4,
		Extra:  map[string]any{"a": map[string]any{"b": []any{1, 2.5, "x"}}},
		Models: []ModelEntry{{Pattern: "big", Prices: &Prices{Input: 1, CachedInput: 1, Output: 2.5, Date: "2025-01-02"}}},
	}
	if diff := cmp.Diff(want, m.Providers["work"]); diff != "" {
		t.Error(diff)
	}
	env := func(name string) string { return map[string]string{"WORK_KEY": "k", "OPENAI_API_KEY": "k"}[name] }
	if got, _ := m.DefaultModel(env, func(name string) bool { return env(name) != "" }); got != "work/big" {
		t.Errorf("default %q", got)
	}
}

// TestModelsFindings compares whole reports.
func TestModelsFindings(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"providers: [", "m.yaml:1:12: error: "},
		{"provider: {}", `m.yaml:1:1: error: there is no key "provider" here [unknown-key]`},
		{"providers:\n  openai: {base_ulr: x}", "m.yaml:2:12: error: there is no key \"base_ulr\" here [unknown-key]\n    openai: {base_ulr: x}\n             ^\n  did you mean \"base_url\"?"},
		{"providers:\n  openai: {base_url: localhost}", "m.yaml:2:22: error: want a URL such as https://api.openai.com/v1 [bad-value]"},
		{"providers:\n  mine: {key_env: A}", "m.yaml:2:3: error: the provider mine needs one of base_url, command and by: how it is asked [missing-key]"},
		{"providers:\n  mine: {command: [x], base_url: http://x}", "m.yaml:2:3: error: the provider mine needs one of base_url, command and by"},
		{"providers:\n  mine: {command: []}", "m.yaml:2:19: error: want a program and its arguments"},
		{"providers:\n  mine: {command: [./x]}", "the program is a name that is looked for on the PATH, or a path from the root"},
		{"providers:\n  mine: {command: [x, '{{.modle}}']}", "did you mean \"model\"?"},
		{"providers:\n  mine: {command: [x], reply: {text: outptu.a}}", "m.yaml:2:38: error: reply.text: unknown name \"outptu\""},
		{"providers:\n  mine: {command: [x], reply: {format: json}}", "reply needs text"},
		{"providers:\n  mine: {command: [x], ladder: [prompt]}", "only an endpoint has a ladder"},
		{"providers:\n  mine: {base_url: http://x, env: [A]}", "reply and env are for a provider with a command"},
		{"providers:\n  mine: {command: [x], env: [sk-0123456789abcdef]}", "keys themselves are never written here"},
		{"providers:\n  Mine: {base_url: http://x}", "m.yaml:2:3: error: the provider's name \"Mine\": small letters"},
		{"providers:\n  openai:\n    ladder: [json_shema]", "m.yaml:3:14: error: want one of: strict_json_schema, json_schema, tool_call, json_object, prompt; got \"json_shema\" [bad-value]"},
		{"providers: {openai: {ladder: [prompt, prompt]}}", "stands twice"},
		{"providers: {openai: {ladder: []}}", "a ladder has at least one of"},
		{"providers: {openai: {limits: {concurrency: 0}}}", "m.yaml:1:44: error: want at least 1 [bad-value]"},
		{"providers: {openai: {models: {a: {context: big}}}}", "m.yaml:1:44: error: want a whole number, got text [wrong-kind]"},
		{"providers: {openai: {models: {a: {temperature: 0}}}}", "want true or false, got an integer"},
		{"providers: {openai: {models: {a: {prices: {input: 1}}}}}", "prices need output; without it the model is unpriced: leave prices out"},
		{"providers: {openai: {models: {a: {prices: {input: -1, output: 1, date: 2025-01-01}}}}}", "m.yaml:1:51: error: want at least 0 [bad-value]"},
		{"providers: {openai: {models: {a: {prices: {input: 1, output: 1, date: May}}}}}", "want the day the prices are of"},
		{"providers: {openai: {models: {'[': {}}}}", "is no pattern"},
		{"providers: {openai: {extra: 1}}", "m.yaml:1:29: error: want a mapping, got an integer [wrong-kind]"},
		{"default: [opena]", `m.yaml:1:11: error: there is no provider "opena"`},
		{"[]", "want models as a mapping: {default, texts, providers}, got a list"},
		{"texts: {misfit: 'No: {{.wrog}}'}", "m.yaml:1:17: error: the text misfit uses {{.wrog}}, which it is not given [bad-value]\n  texts: {misfit: 'No: {{.wrog}}'}\n                  ^\n  did you mean \"wrong\"?"},
		{"texts: {misfit: '{{range .wrong}}'}", "m.yaml:1:17: error: the template cannot be read: "},
		{"texts: {misfit: '{{index .wrong 4}}'}", "m.yaml:1:17: error: the template texts.misfit: "},
		{"texts: {no_jsn: x}", "m.yaml:1:9: error: there is no key \"no_jsn\" here [unknown-key]"},
		{"texts: {form: null}", "error: texts.form is needed: what is said to a model cannot be taken away, only replaced [missing-key]"},
		{"texts: null", "error: texts.no_json is needed"},
	} {
		_, found := ParseModels("m.yaml", []byte(c.text))
		if got := found.Text(); !strings.Contains(got, c.want) {
			t.Errorf("%s\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
	if _, found := ParseModels("m.yaml", []byte("providers: {openai: {key_env: sk-0123456789abcdef}}")); !found.HasErrors() || strings.Contains(found.Text(), "sk-0123") {
		t.Errorf("a key in the wrong place is shown, or taken:\n%s", found.Text())
	}
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ModelsFile), []byte("x: 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	var e *diag.Err
	if _, err := ReadModels(home); !errors.As(err, &e) {
		t.Errorf("%v", err)
	}
}
