package llm_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pflow/internal/fault"
	"pflow/internal/llm"
)

// programs makes a PATH with shell scripts on it.
func programs(t *testing.T, scripts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return dir + string(filepath.ListSeparator) + os.Getenv("PATH")
}

// TestPrograms asks each of the shipped providers that are programs, which print what the programs of that name print.
func TestPrograms(t *testing.T) {
	path := programs(t, map[string]string{
		"claude": `[ "$*" = "-p --output-format json --max-turns 1 --model=sonnet" ] || { echo "got $*" >&2; exit 3; }
[ -z "$(ls -A)" ] || { echo "the folder is not empty" >&2; exit 3; }
cat > /dev/null
echo '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"4","session_id":"x","total_cost_usd":0.0125,
"usage":{"input_tokens":3,"cache_creation_input_tokens":100,"cache_read_input_tokens":20,"output_tokens":5}}'`,
		"codex": `[ "$*" = "exec --json --skip-git-repo-check --sandbox read-only -" ] || { echo "got $*" >&2; exit 3; }
cat > /dev/null
echo 'Reading prompt from stdin...'
echo '{"type":"thread.started","thread_id":"t"}'
echo '{"type":"item.completed","item":{"id":"0","type":"reasoning","text":"hm"}}'
echo '{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"4"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":30,"cached_input_tokens":10,"output_tokens":2}}'`,
		"gemini": `cat > /dev/null; echo '{"response":"4","stats":{"models":{"a":{"tokens":{"prompt":10,"candidates":1,"total":11,"cached":0}},"b":{"tokens":{"prompt":5,"candidates":2,"total":7,"cached":3}}}}}'`,
		"llm":    `[ "$OPENAI_API_KEY" = key-of-llm ] && [ -z "$OTHER_API_KEY" ] && cat > /dev/null && echo 4`,
		"ollama": `[ "$*" = "run llama3.2" ] && tail -1 | sed 's/2 and 2/4/'`,
	})
	for model, want := range map[string]llm.Usage{
		"claude-code/sonnet":  {Calls: 1, PromptTokens: 123, CachedTokens: 20, CompletionTokens: 5, CostUSD: 0.0125, Priced: true},
		"codex/default":       {Calls: 1, PromptTokens: 30, CachedTokens: 10, CompletionTokens: 2},
		"gemini-cli/default":  {Calls: 1, PromptTokens: 15, CachedTokens: 3, CompletionTokens: 3},
		"llm/default":         {Calls: 1, PromptTokens: 4, CompletionTokens: 1}, // estimated
		"ollama-run/llama3.2": {Calls: 1, PromptTokens: 4, CompletionTokens: 1},
	} {
		t.Run(model, func(t *testing.T) {
			c, err := llm.New(llm.Options{Getenv: env("PATH", path, "OPENAI_API_KEY", "key-of-llm", "OTHER_API_KEY", "no"), Environ: func() []string { return []string{"PATH=" + path} }})
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.Call(t.Context(), llm.Request{Model: model, Messages: []llm.Message{{Role: "system", Content: "Add up."}, {Role: "user", Content: "2 and 2"}}})
			if err != nil {
				t.Fatal(err)
			}
			if got.Text != "4" || got.Usage != want {
				t.Errorf("%q %+v, want 4 %+v", got.Text, got.Usage, want)
			}
			if priced, err := c.Priced(model); err != nil || priced != want.Priced {
				t.Error(priced, err)
			}
		})
	}
}

// TestProgramFaults: whatever a program does is one bounded error, and nothing it started lives on.
func TestProgramFaults(t *testing.T) {
	path := programs(t, map[string]string{
		"fails": "echo secret-key-1234 is wrong >&2; exit 4", "hangs": "sleep 600 & sleep 600", "floods": "yes yes | head -c 9000000", "other": "echo no JSON",
		"binary": `printf '\377\376'`, "silent": ":", "says": `echo '{"is_error":true,"result":"you have reached your limit"}'`, "deaf": "exec <&-; echo '{\"result\": \"hm\"}'",
	})
	models := "providers:\n"
	for _, name := range []string{"fails", "hangs", "floods", "other", "binary", "silent", "says", "deaf", "gone"} {
		models += "  " + name + ": {command: [" + name + "], timeout: 20s, reply: {text: output.result, error: 'output.is_error ? output.result : null'}}\n"
	}
	models = strings.Replace(models, "hangs], timeout: 20s", "hangs], timeout: 300ms", 1)
	m, found := llm.ParseModels("models.yaml", []byte(models))
	if len(found) > 0 {
		t.Fatal(found.Text())
	}
	for name, want := range map[string]struct {
		kind fault.Kind
		says string
	}{
		"fails":  {fault.Unavailable, "fails ended with exit status 4: [key] is wrong"},
		"hangs":  {fault.Timeout, "hangs had not replied when its time was over, and was ended"},
		"floods": {fault.Malformed, "floods printed more than 4 MB"},
		"other":  {fault.Malformed, "other printed something else than the provider other in models.yaml says: no JSON"},
		"binary": {fault.Malformed, "binary printed more than 4 MB, or what is no text"},
		"silent": {fault.Malformed, "silent printed something else"},
		"says":   {fault.Unavailable, "says could not reply: you have reached your limit"},
		"gone":   {fault.NotFound, "the provider gone is the program gone, which is not on the PATH"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := llm.New(llm.Options{Models: m, Getenv: env("PATH", path, "OPENAI_API_KEY", "secret-key-1234"), Environ: func() []string { return []string{"PATH=" + path} }})
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Call(t.Context(), llm.Request{Model: name + "/x", Messages: []llm.Message{{Role: "user", Content: "Hello"}}})
			var f *fault.Error
			if !errors.As(err, &f) || f.Kind != want.kind || !strings.Contains(f.Message, want.says) {
				t.Errorf("got %v, want %s: %s", err, want.kind, want.says)
			}
		})
	}
	c, err := llm.New(llm.Options{Models: m, Getenv: env("PATH", path), Environ: func() []string { return []string{"PATH=" + path} }})
	if err != nil {
		t.Fatal(err)
	}
	long := []llm.Message{{Role: "user", Content: strings.Repeat("long ", 1<<18)}}
	if got, err := c.Call(t.Context(), llm.Request{Model: "deaf/x", Messages: long}); err != nil || got.Text != "hm" {
		t.Error("a program that does not read its input:", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := c.Call(ctx, llm.Request{Model: "gone/x", Messages: long, Tools: []llm.Tool{{Name: "f"}}}); err == nil || !strings.Contains(err.Error(), "cannot call functions") {
		t.Error(err)
	}
}

// TestProgramOfTheFolder: a program of the working directory is not taken for one on the PATH.
func TestProgramOfTheFolder(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("claude", []byte("#!/bin/sh\necho '{}'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	m, _ := llm.ParseModels("", nil)
	for _, path := range []string{".", "", ":/none", "./"} {
		if got := m.Programs(env("PATH", path)); len(got) > 0 {
			t.Errorf("PATH %q: %v", path, got)
		}
	}
	if got := m.Programs(env("PATH", dir)); len(got) != 1 || got[0] != "claude-code/sonnet" {
		t.Error(got)
	}
}

// TestSampling asks the model of whoever pflow serves.
func TestSampling(t *testing.T) {
	c, err := llm.New(llm.Options{Getenv: env()})
	if err != nil {
		t.Fatal(err)
	}
	hello := []llm.Message{{Role: "user", Content: "Hello"}}
	if _, err := c.Call(t.Context(), llm.Request{Model: "client/any", Messages: hello}); err == nil || !strings.Contains(err.Error(), "pflow mcp serve") {
		t.Error(err)
	}
	if c, err = llm.New(llm.Options{Getenv: env(), Sampling: echo{}}); err != nil {
		t.Fatal(err)
	}
	got, err := c.Call(t.Context(), llm.Request{Model: "client/any", Messages: hello, Schema: &llm.Schema{Name: "s", JSON: map[string]any{"type": "object"}}})
	if err != nil || got.Model != "theirs" || got.LadderStep != llm.Prompt {
		t.Error(got, err)
	}
}

type echo struct{}

func (echo) Complete(_ context.Context, c llm.Conversation) (*llm.Completion, error) {
	return &llm.Completion{Text: `{"said": "` + c.Messages[len(c.Messages)-1].Content + `"}`, Model: "theirs"}, nil
}
