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
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

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
