package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
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
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
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
	s.call("get_run", map[string]any{"id": plan.document["run_id"]}).wants(t, false, "workflow-generation")

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

// remove is a workflow that deletes a file.
func remove() map[string]any {
	return map[string]any{"ir_version": "0.1.0", "inputs": map[string]any{"file": map[string]any{"type": "string", "required": true, "description": "the file to delete"}},
		"nodes":   []any{map[string]any{"id": "gone", "type": "delete-file", "params": map[string]any{"file_path": "${file}", "confirm_delete": true}}},
		"edges":   []any{},
		"outputs": map[string]any{"deleted": map[string]any{"source": "${gone.deleted}", "type": "boolean"}}}
}

func accept(content map[string]any) func(*mcp.ElicitParams) *mcp.ElicitResult {
	return func(*mcp.ElicitParams) *mcp.ElicitResult {
		return &mcp.ElicitResult{Action: "accept", Content: content}
	}
}

// TestMCPServeDigest: a client that cannot ask its user approves by the digest of what it was shown, and of nothing else.
func TestMCPServeDigest(t *testing.T) {
	s := serve(t, serveOptions{files: map[string]string{"a.txt": "a", "b.txt": "b"}})
	s.call("save_workflow", map[string]any{"ir": remove(), "name": "remove"}).wants(t, false)
	if tool := s.tool("remove"); !*tool.Annotations.DestructiveHint || tool.Annotations.ReadOnlyHint {
		t.Error("a tool that deletes does not say so")
	}
	digest := s.call("remove", map[string]any{"file": "a.txt"}).wants(t, true, "nothing was run", "gone (delete-file)", "a.txt").digest(t)
	other := s.call("remove", map[string]any{"file": "b.txt", "approve": digest}).wants(t, true, "what was approved is not what would run now", "b.txt").digest(t)
	s.call("remove", map[string]any{"file": "b.txt", "approve": "yes"}).wants(t, true, "nothing was run")
	if other == digest || !s.has("a.txt") || !s.has("b.txt") {
		t.Fatal("something was deleted, or the digest does not tell what")
	}
	if got := s.call("remove", map[string]any{"file": "a.txt", "approve": digest}).wants(t, false); s.has("a.txt") || got.document["deleted"] != true {
		t.Error(got.document)
	}
	s.call("run_workflow", map[string]any{"ir": remove(), "inputs": map[string]any{"file": "b.txt"}}).wants(t, true, "nothing was run").digest(t)
	s.call("remove", map[string]any{}).wants(t, true, "file (string): the file to delete; pass it as an argument")

	only := serve(t, serveOptions{files: map[string]string{"a.txt": "a"}, args: []string{"--ask-only"}})
	only.call("run_workflow", map[string]any{"ir": remove(), "inputs": map[string]any{"file": "a.txt"}, "approve": digest}).wants(t, true, "takes no other approval")
	if !only.has("a.txt") {
		t.Error("it was deleted")
	}
}

// TestMCPServeElicitation: a client that can ask its user is asked, for approval and for inputs, whatever digest it passes.
func TestMCPServeElicitation(t *testing.T) {
	yes := true
	s := serve(t, serveOptions{files: map[string]string{"a.txt": "a"}, answer: func(p *mcp.ElicitParams) *mcp.ElicitResult {
		fields, _ := p.RequestedSchema.(map[string]any)["properties"].(map[string]any)
		if fields["file"] != nil {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"file": "a.txt"}}
		}
		if yes {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"approve": true}}
		}
		return &mcp.ElicitResult{Action: "decline"}
	}})
	yes = false
	run := map[string]any{"ir": remove()}
	s.call("run_workflow", run).wants(t, true, "the user did not approve it")
	if first, second := <-s.asked, <-s.asked; !strings.Contains(first.Message, "needs more") || !strings.Contains(second.Message, "a.txt") {
		t.Error(first.Message, second.Message)
	}
	if !s.has("a.txt") {
		t.Fatal("declined, and deleted")
	}
	yes = true
	s.call("run_workflow", run).wants(t, false, "done")
	if s.has("a.txt") {
		t.Error("approved, and not deleted")
	}

	for name, answer := range map[string]func(*mcp.ElicitParams) *mcp.ElicitResult{
		"accepted without a yes": accept(map[string]any{"approve": false}),
		"cancelled":              func(*mcp.ElicitParams) *mcp.ElicitResult { return &mcp.ElicitResult{Action: "cancel"} },
	} {
		s := serve(t, serveOptions{files: map[string]string{"a.txt": "a"}, answer: answer})
		s.call("run_workflow", map[string]any{"ir": remove(), "inputs": map[string]any{"file": "a.txt"}}).wants(t, true, "nothing was run")
		if !s.has("a.txt") {
			t.Errorf("%s, and deleted", name)
		}
	}
}

// gated is a workflow whose second node wants approval.
func gated() map[string]any {
	return map[string]any{"ir_version": "0.1.0", "nodes": []any{
		map[string]any{"id": "first", "type": "write-file", "params": map[string]any{"file_path": "first.txt", "content": "1"}},
		map[string]any{"id": "second", "type": "write-file", "approval": "required", "params": map[string]any{"file_path": "second.txt", "content": "2"}},
	}, "edges": []any{map[string]any{"from": "first", "to": "second"}}}
}

// TestMCPServeApproval: a node that wants approval is asked about when its turn comes; where nobody can be asked the run waits and goes on
// with the digest of what it waits for.
func TestMCPServeApproval(t *testing.T) {
	s := serve(t, serveOptions{})
	waits := s.call("run_workflow", map[string]any{"ir": gated()}).wants(t, true, "waits for the approval of second")
	if !s.has("first.txt") || s.has("second.txt") {
		t.Fatal("the run did not stop at the gate")
	}
	id := waits.document["run_id"]
	s.call("get_run", map[string]any{"id": id}).wants(t, false, `"status": "waiting"`)
	s.call("run_workflow", map[string]any{"resume": id, "approve": "sha256:other"}).wants(t, true, "waits for the approval of second")
	s.call("run_workflow", map[string]any{"resume": id}).wants(t, true, "waits for the approval of second")
	s.call("run_workflow", map[string]any{"resume": id, "approve": waits.digest(t)}).wants(t, false, `"status": "done"`)
	if !s.has("second.txt") {
		t.Error("approved, and not run")
	}
	asked := serve(t, serveOptions{answer: accept(map[string]any{"approve": true})})
	asked.call("run_workflow", map[string]any{"ir": gated()}).wants(t, false, `"status": "done"`)
	if p := <-asked.asked; !strings.Contains(p.Message, "second") {
		t.Error(p.Message)
	}
}

// slow is a workflow that tells that it has begun, and then goes on for a minute.
func slow() map[string]any {
	return map[string]any{"ir_version": "0.1.0", "nodes": []any{
		map[string]any{"id": "first", "type": "write-file", "params": map[string]any{"file_path": "begun.txt", "content": "1"}},
		map[string]any{"id": "second", "type": "shell", "params": map[string]any{"command": "sleep 60"}},
	}, "edges": []any{map[string]any{"from": "first", "to": "second"}}}
}

// statuses reads how the runs of a home stand.
func (s *served) statuses() string {
	files, _ := filepath.Glob(filepath.Join(s.home, "runs", "*", "journal.jsonl"))
	all := ""
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			s.t.Fatal(err)
		}
		all += string(data)
	}
	return all
}

var cancelledEnd = regexp.MustCompile(`"status":"cancelled"`)

// TestMCPServeCancel: cancelling a call ends its run, which can be gone on with; so does the end of the client.
func TestMCPServeCancel(t *testing.T) {
	s := serve(t, serveOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		params := &mcp.CallToolParams{Name: "run_workflow", Arguments: map[string]any{"ir": slow()}}
		params.SetProgressToken("t")
		_, err := s.CallTool(ctx, params)
		done <- err
	}()
	if got := <-s.progress; got != "1 first: default" {
		t.Error(got)
	}
	cancel()
	if err := <-done; err == nil {
		t.Error("the call was not cancelled")
	}
	until(t, "the run is cancelled", func() bool { return cancelledEnd.MatchString(s.statuses()) })
	s.call("describe_nodes", map[string]any{"names": []any{"shell"}}).wants(t, false)

	gone := &served{t: t, dir: t.TempDir(), home: t.TempDir()}
	c := exec.Command("pflow", "mcp", "serve", "--home", gone.home)
	c.Dir, c.Stderr = gone.dir, os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"lines","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_workflow","arguments":{"ir":`+mustJSON(slow())+`}}}
`)
	until(t, "the run has begun", func() bool { return gone.has("begun.txt") })
	in.Close()
	if err := c.Wait(); err != nil || !cancelledEnd.MatchString(gone.statuses()) {
		t.Error("the run outlived its client:", err, gone.statuses())
	}
}

// TestMCPServeSecret: a secret is no argument, and in no answer.
func TestMCPServeSecret(t *testing.T) {
	const secret = "correct-horse-battery"
	s := serve(t, serveOptions{env: []string{"THE_TOKEN=" + secret}, answer: accept(map[string]any{"approve": true})})
	s.call("save_workflow", map[string]any{"name": "leak", "ir": map[string]any{
		"ir_version": "0.1.0", "inputs": map[string]any{"token": map[string]any{"type": "string", "secret": true, "from_env": "THE_TOKEN", "required": true}},
		"nodes":   []any{map[string]any{"id": "say", "type": "shell", "params": map[string]any{"command": "echo it is $$T", "env": map[string]any{"T": "${token}"}}}},
		"edges":   []any{},
		"outputs": map[string]any{"said": map[string]any{"source": "${say.stdout}", "type": "string"}},
	}}).wants(t, false)
	schema, _ := json.Marshal(s.tool("leak").InputSchema)
	if strings.Contains(string(schema), "token") {
		t.Errorf("a secret is an argument: %s", schema)
	}
	for _, a := range []answer{s.call("leak", nil), s.call("run_workflow", map[string]any{"name": "leak"})} {
		a.wants(t, false, "it is ")
		if doc, _ := json.Marshal(a.document); strings.Contains(a.text+string(doc), secret) {
			t.Errorf("the answer holds the secret: %s", a.text)
		}
	}
	s.call("leak", map[string]any{"token": "x"}).wants(t, true, "secret")
	s.call("plan", map[string]any{"request": "write the text " + secret + " to x.txt"}).wants(t, true, "THE_TOKEN")

	unset := serve(t, serveOptions{answer: accept(map[string]any{"token": "typed"})})
	unset.call("save_workflow", map[string]any{"name": "leak", "ir": map[string]any{
		"ir_version": "0.1.0", "inputs": map[string]any{"token": map[string]any{"type": "string", "secret": true, "from_env": "THE_TOKEN", "required": true}},
		"nodes": []any{map[string]any{"id": "say", "type": "shell", "params": map[string]any{"command": "echo $$T", "env": map[string]any{"T": "${token}"}}}}, "edges": []any{},
	}}).wants(t, false)
	unset.call("leak", nil).wants(t, true, "set the environment variable THE_TOKEN")
	if len(unset.asked) > 0 {
		t.Error("the client was asked for a secret")
	}
}

// TestMCPServeSettings: what the settings deny is not there to be found, planned or run.
func TestMCPServeSettings(t *testing.T) {
	s := serve(t, serveOptions{files: map[string]string{"a.txt": "a"}})
	s.call("save_workflow", map[string]any{"ir": remove(), "name": "remove"}).wants(t, false)
	<-s.changed
	if err := os.WriteFile(filepath.Join(s.home, "settings.yaml"), []byte("deny: [delete-file]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	<-s.changed
	until(t, "the tool is gone", func() bool { return s.tool("remove") == nil })
	s.call("run_workflow", map[string]any{"name": "remove", "inputs": map[string]any{"file": "a.txt"}}).wants(t, true, "turned off")
	s.call("validate_workflow", map[string]any{"ir": remove()}).wants(t, false, `"valid": false`, "turned off")
	if !s.has("a.txt") {
		t.Error("it was deleted")
	}
}

// TestMCPServeLines: a client without any library, which writes whatever it likes, one message a line.
func TestMCPServeLines(t *testing.T) {
	c := exec.Command("pflow", "mcp", "serve", "--home", t.TempDir())
	c.Dir, c.Stderr = t.TempDir(), os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReaderSize(out, 1<<20)
	ask := func(line string) string {
		t.Helper()
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
		got, err := lines.ReadString('\n')
		if err != nil || !json.Valid([]byte(got)) {
			t.Fatalf("%v: %s", err, got)
		}
		return got
	}
	wants := func(line string, texts ...string) {
		t.Helper()
		got := ask(line)
		for _, text := range texts {
			if !strings.Contains(got, text) {
				t.Errorf("%q is not in %.400s", text, got)
			}
		}
	}
	call := func(id int, name, arguments string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, name, arguments)
	}
	wants("{not json", "-32700")
	wants(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"lines","version":"1"}}}`, `"protocolVersion":"2025-06-18"`, "plan")
	if _, err := io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n\n"); err != nil {
		t.Fatal(err)
	}
	wants(`[{"jsonrpc":"2.0","id":2,"method":"ping"}]`, "batch")
	wants(`{"id":3,"hello":true}`, "-32600")
	wants(`"text"`, "-32600")
	wants(`{"jsonrpc":"2.0","id":4,"method":"no/such"}`, "-32601")
	wants(call(5, "no_such", "{}"), "unknown tool")
	wants(call(6, "plan", `{"request": 5}`), `"id":6`, `the argument \"request\" is`, "want a string", `"isError":true`)
	wants(call(7, "plan", `[]`), "want an object")
	wants(call(8, "plan", `{}`), `needs the argument \"request\"`)
	wants(call(9, "run_workflow", `{"name": "x", "plan": "y"}`), "give one of name, plan, ir, resume")
	wants(call(10, "run_workflow", `{"name": "./x.json"}`), "is the name of a file")
	big := strings.Repeat("x", 10<<20)
	wants(call(11, "plan", `{"request": "`+big+`"}`), `"id":11`, "more than 100 KB")
	wants(call(12, "validate_workflow", `{"ir": "`+big+`"}`), `"id":12`, `\"valid\": false`)
	wants(strings.Repeat("y", 33<<20), "longer than 32 MB")
	wants(call(13, "describe_nodes", `{"names":["shell"]}`), `"id":13`, "command")
	in.Close()
	rest, err := io.ReadAll(lines)
	if err != nil || len(rest) > 0 {
		t.Errorf("%v, and behind the last answer: %s", err, rest)
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}

// bearer adds a header to what a client sends.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// TestMCPServeHTTP: two clients at once over HTTP, and whoever is none.
func TestMCPServeHTTP(t *testing.T) {
	s := &served{t: t, dir: t.TempDir(), home: t.TempDir(), changed: make(chan struct{}, 100), progress: make(chan string, 1000), asked: make(chan *mcp.ElicitParams, 100)}
	s.process = exec.Command("pflow", "mcp", "serve", "--home", s.home, "--http", "127.0.0.1:0")
	s.process.Dir = s.dir
	stderr, err := s.process.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
	said, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, stderr)
	url := regexp.MustCompile(`http://127\.0\.0\.1:\d+/mcp`).FindString(said)
	file := filepath.Join(s.home, "mcp-token")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatal(info, err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	token := strings.TrimSpace(string(data))
	if strings.Contains(said, token) {
		t.Error("the token is shown")
	}

	for _, c := range []struct {
		name   string
		change func(*http.Request)
		status int
	}{
		{"no token", func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		{"another token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token[1:]) }, 401},
		{"another name of the host", func(r *http.Request) { r.Host = "example.org" }, 403},
		{"a page", func(r *http.Request) { r.Header.Set("Origin", "http://example.org") }, 403},
		{"a page of another server here", func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") }, 403},
		{"another path", func(r *http.Request) { r.URL.Path = "/" }, 404},
		{"no JSON", func(r *http.Request) {}, 400},
	} {
		r, err := http.NewRequest("POST", url, strings.NewReader("{bad"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		c.change(r)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != c.status {
			t.Errorf("%s: status %d, want %d", c.name, resp.StatusCode, c.status)
		}
	}

	transport := func() mcp.Transport {
		return &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(token)}}
	}
	s.ClientSession = s.connect(transport(), serveOptions{answer: accept(map[string]any{"approve": true})})
	other := s.connect(transport(), serveOptions{})
	s.write("a.txt", "a")
	other.CallTool(t.Context(), &mcp.CallToolParams{Name: "save_workflow", Arguments: map[string]any{"ir": remove(), "name": "remove"}})
	<-s.changed
	var both sync.WaitGroup
	for i, by := range []*mcp.ClientSession{s.ClientSession, other} {
		both.Go(func() {
			s.callBy(by, "run_workflow", map[string]any{"ir": map[string]any{"ir_version": "0.1.0", "edges": []any{}, "nodes": []any{
				map[string]any{"id": "meet", "type": "shell", "timeout": "60s", "params": map[string]any{
					"command": fmt.Sprintf("touch here-%d; while [ ! -e here-%d ]; do sleep 0.02; done", i, 1-i)}},
			}}}).wants(t, false, `"status": "done"`)
		})
	}
	both.Wait()
	s.callBy(other, "remove", map[string]any{"file": "a.txt"}).wants(t, true, "nothing was run")
	s.call("remove", map[string]any{"file": "a.txt"}).wants(t, false)
	if s.has("a.txt") {
		t.Error("approved over HTTP, and not deleted")
	}

	// A client that goes away takes its run with it.
	ctx, cancel := context.WithCancel(t.Context())
	raw, err := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader(`{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"run_workflow","arguments":{"ir":`+mustJSON(slow())+`}}}`))
	if err != nil {
		t.Fatal(err)
	}
	raw.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Session-Id": {other.ID()}}
	go http.DefaultClient.Do(raw)
	until(t, "the run has begun", func() bool { return s.has("begun.txt") })
	cancel()
	until(t, "the run is cancelled", func() bool { return cancelledEnd.MatchString(s.statuses()) })

	s.process.Process.Signal(os.Interrupt)
	if err := s.process.Wait(); s.process.ProcessState.ExitCode() != exitInterrupted {
		t.Error(err)
	}
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
	if want := []string{"describe_nodes", "find_workflow", "get_run", "plan", "run_workflow", "save_workflow", "validate_workflow"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}
