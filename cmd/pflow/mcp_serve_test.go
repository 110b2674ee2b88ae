//lint:file-ignore SA1019 Newer protocols drop sampling; clients that speak those of today offer it for a year at least.

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// served is a client of a `pflow mcp serve` that works in a folder of its own.
type served struct {
	*mcp.ClientSession
	t         *testing.T
	dir, home string
	process   *exec.Cmd
	changed   chan struct{} // told of each change of the list of tools
	progress  chan string
	asked     chan *mcp.ElicitParams
}

// serveOptions say what the client can do, and what the server is started with.
type serveOptions struct {
	answer func(*mcp.ElicitParams) *mcp.ElicitResult // nil: the client cannot ask its user
	files  map[string]string                         // in the folder
	env    []string
	args   []string
	model  func(prompt string) (string, error) // nil: the client does not offer its model
}

// serve starts a server and a client of the SDK.
func serve(t *testing.T, o serveOptions) *served {
	t.Helper()
	s := &served{t: t, dir: t.TempDir(), home: t.TempDir(), changed: make(chan struct{}, 100), progress: make(chan string, 1000), asked: make(chan *mcp.ElicitParams, 100)}
	for name, text := range o.files {
		s.write(name, text)
	}
	s.process = exec.Command("pflow", append([]string{"mcp", "serve", "--home", s.home}, o.args...)...)
	s.process.Dir, s.process.Env = s.dir, append(os.Environ(), o.env...)
	s.process.Stderr = os.Stderr
	s.ClientSession = s.connect(&mcp.CommandTransport{Command: s.process}, o)
	return s
}

func (s *served) connect(transport mcp.Transport, o serveOptions) *mcp.ClientSession {
	s.t.Helper()
	options := &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { s.changed <- struct{}{} },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			s.progress <- fmt.Sprintf("%v %s", r.Params.Progress, r.Params.Message)
		},
	}
	if o.answer != nil {
		options.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			s.asked <- r.Params
			return o.answer(r.Params), nil
		}
	}
	if o.model != nil {
		options.CreateMessageHandler = func(_ context.Context, r *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			prompt := r.Params.SystemPrompt
			for _, m := range r.Params.Messages {
				prompt += "\n" + m.Content.(*mcp.TextContent).Text
			}
			text, err := o.model(prompt)
			return &mcp.CreateMessageResult{Role: "assistant", Model: "theirs", Content: &mcp.TextContent{Text: text}}, err
		}
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options).Connect(s.t.Context(), transport, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { session.Close() })
	return session
}

func (s *served) write(name, text string) {
	s.t.Helper()
	file := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *served) has(name string) bool {
	_, err := os.Stat(filepath.Join(s.dir, name))
	return err == nil
}

// answer is what a call gave: its first text, and its document.
type answer struct {
	text     string
	document map[string]any
	failed   bool
}

func (s *served) call(name string, arguments map[string]any) answer {
	s.t.Helper()
	return s.callBy(s.ClientSession, name, arguments)
}

func (s *served) callBy(by *mcp.ClientSession, name string, arguments map[string]any) answer {
	s.t.Helper()
	params := &mcp.CallToolParams{Name: name, Arguments: arguments}
	params.SetProgressToken("token of " + name)
	res, err := by.CallTool(s.t.Context(), params)
	if err != nil {
		s.t.Fatalf("%s: %v", name, err)
	}
	a := answer{failed: res.IsError}
	for _, c := range res.Content {
		a.text += c.(*mcp.TextContent).Text + "\n"
	}
	a.document, _ = res.StructuredContent.(map[string]any)
	return a
}

// wants fails unless a call went as it should and said so.
func (a answer) wants(t *testing.T, failed bool, texts ...string) answer {
	t.Helper()
	if a.failed != failed {
		t.Fatalf("failed is %v: %s", a.failed, a.text)
	}
	for _, text := range texts {
		if !strings.Contains(a.text, text) {
			t.Errorf("%q is not in: %s", text, a.text)
		}
	}
	return a
}

func (s *served) tool(name string) *mcp.Tool {
	s.t.Helper()
	for tool, err := range s.Tools(s.t.Context(), nil) {
		if err != nil {
			s.t.Fatal(err)
		}
		if tool.Name == name {
			return tool
		}
	}
	return nil
}

// until waits until something holds.
func until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never came to: %s", what)
		}
	}
}

var digestIn = regexp.MustCompile(`"approve": "(sha256:[0-9a-f]{64})"`)

func (a answer) digest(t *testing.T) string {
	t.Helper()
	m := digestIn.FindStringSubmatch(a.text)
	if m == nil {
		t.Fatalf("no digest to approve in: %s", a.text)
	}
	return m[1]
}

// TestMCPServe goes the whole way: nothing is found, a plan is made and saved, the workflow becomes a tool, and is run as one.
func TestMCPServe(t *testing.T) {
	s := serve(t, serveOptions{files: map[string]string{"a.txt": "hello"}})
	s.call("find_workflow", map[string]any{"request": "copy a.txt to b.txt"}).wants(t, false, "plan makes a new workflow")
	s.call("describe_nodes", map[string]any{"names": []any{"copy-file", "copi-file"}, "words": "delete a file"}).wants(t, false, "source_path", "delete-file", "did you mean")
	plan := s.call("plan", map[string]any{"request": "copy a.txt to b.txt"}).wants(t, false, "copy-file", "nothing was saved or run")
	digest, _ := plan.document["digest"].(string)
	if !strings.HasPrefix(digest, "sha256:") || plan.document["status"] != "ready" || s.has("b.txt") {
		t.Fatal(plan.document)
	}
	until(t, "progress is told of the planning", func() bool { return len(s.progress) > 0 })
	s.call("validate_workflow", map[string]any{"ir": plan.document["ir"]}).wants(t, false, `"valid": true`)
	s.call("validate_workflow", map[string]any{"ir": map[string]any{"nodes": []any{map[string]any{"id": "x", "type": "copi-file"}}}}).wants(t, false, `"valid": false`, "copy-file")

	s.call("save_workflow", map[string]any{"plan": digest, "name": "copy-it", "description": "Copies a file beside it."}).wants(t, false, "copy-it")
	<-s.changed
	tool := s.tool("copy-it")
	if tool == nil {
		t.Fatal("the saved workflow is no tool")
	}
	if tool.Annotations.ReadOnlyHint || *tool.Annotations.DestructiveHint || tool.Description != "Copies a file beside it." || tool.OutputSchema == nil {
		t.Errorf("%+v", tool)
	}
	inputs := tool.InputSchema.(map[string]any)["properties"].(map[string]any)
	from, to := "", ""
	for name := range inputs {
		switch {
		case strings.Contains(name, "source"):
			from = name
		case strings.Contains(name, "dest"):
			to = name
		}
	}
	s.call("copy-it", map[string]any{from: "a.txt", "no-such": 1}).wants(t, true, `has no input "no-such"`)
	ran := s.call("copy-it", map[string]any{from: "a.txt", to: "sub/c.txt"}).wants(t, false)
	if !s.has("sub/c.txt") || ran.document["dest_path"] != "sub/c.txt" {
		t.Error(ran.document)
	}
	found := s.call("find_workflow", map[string]any{"request": "copy a.txt to b.txt"}).wants(t, false, "copy-it")
	if list := found.document["workflows"].([]any); list[0].(map[string]any)["confidence"].(float64) < 0.5 {
		t.Error(list)
	}

	byName := s.call("run_workflow", map[string]any{"name": "copy-it", "inputs": map[string]any{from: "a.txt", to: "d.txt"}}).wants(t, false)
	id, _ := byName.document["run_id"].(string)
	past := s.call("get_run", map[string]any{"id": id}).wants(t, false)
	if past.document["status"] != "done" || past.document["outputs"].(map[string]any)["dest_path"] != "d.txt" || len(past.document["steps"].([]any)) != 1 {
		t.Error(past.document)
	}
	s.call("get_run", map[string]any{"id": "nope"}).wants(t, true, `there is no run "nope"`)
	s.call("get_run", map[string]any{"id": plan.document["run_id"]}).wants(t, false, "phrase-reading")

	// A plan that is run is approved by its digest, and saved once it ran well.
	again := s.call("plan", map[string]any{"request": "write 'hi' to greeting.txt"}).wants(t, false)
	s.call("run_workflow", map[string]any{"plan": again.document["digest"]}).wants(t, false, "saved_as")
	if !s.has("greeting.txt") {
		t.Error("the plan was not run")
	}
	s.call("run_workflow", map[string]any{"plan": "sha256:none"}).wants(t, true, "call plan again")

	// Others change the library, too.
	for len(s.changed) > 0 {
		<-s.changed
	}
	if err := os.Remove(filepath.Join(s.home, "workflows", "copy-it.json")); err != nil {
		t.Fatal(err)
	}
	<-s.changed
	until(t, "the tool is gone", func() bool { return s.tool("copy-it") == nil })
}

func mustJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// TestMCPServeBounds: what a workflow gives is cut to what a model can read.
func TestMCPServeBounds(t *testing.T) {
	s := serve(t, serveOptions{})
	got := s.call("run_workflow", map[string]any{"ir": map[string]any{"ir_version": "0.1.0", "edges": []any{}, "nodes": []any{
		map[string]any{"id": "much", "type": "shell", "params": map[string]any{"command": "head -c 2000000 /dev/zero | tr '\\0' x"}}}}})
	got.wants(t, false, "bytes more", "larger than 128 KB")
	if n := len(mustJSON(got.document)); n > 128<<10 {
		t.Errorf("the answer has %d bytes", n)
	}
	names := slices.Collect(func(yield func(string) bool) {
		for tool := range s.Tools(t.Context(), nil) {
			if !yield(tool.Name) {
				return
			}
		}
	})
	doc, err := os.ReadFile("../../docs/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	for tool := range s.Tools(t.Context(), nil) {
		row := regexp.MustCompile(`(?m)^\| .` + tool.Name + `. \|.*$`).FindString(string(doc))
		for name := range tool.InputSchema.(map[string]any)["properties"].(map[string]any) {
			if !regexp.MustCompile(`\b` + name + `\b`).MatchString(row) {
				t.Errorf("docs/mcp.md does not say that %s takes %s: %q", tool.Name, name, row)
			}
		}
	}
	if want := []string{"describe_nodes", "find_workflow", "get_run", "plan", "run_workflow", "save_workflow", "validate_workflow"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}
