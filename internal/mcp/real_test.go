//lint:file-ignore SA1019 Newer protocols drop sampling; clients that speak those of today offer it for a year at least.

package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pflow/internal/fault"
	"pflow/internal/home"
)

// The test program is itself a server, where this variable says which: one written with the SDK, or one that writes raw
// JSON and has a fault.
const serverVariable = "TEST_MCP_SERVER"

func TestMain(m *testing.M) {
	switch kind := os.Getenv(serverVariable); kind {
	case "":
		os.Exit(m.Run())
	case "sdk":
		if err := realServer().Run(context.Background(), &sdk.StdioTransport{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		rawServer(kind)
	}
}

type divideIn struct {
	A int `json:"a" jsonschema:"the number that is divided"`
	B int `json:"b" jsonschema:"the number it is divided by"`
}

type divideOut struct {
	Quotient int   `json:"quotient"`
	Parts    []int `json:"parts"`
}

// realServer is a server written with the SDK.
func realServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "real", Version: "1.0.0"}, nil)
	no := false
	sdk.AddTool(s, &sdk.Tool{Name: "divide", Description: "Divides two numbers.", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no}},
		func(_ context.Context, _ *sdk.CallToolRequest, in divideIn) (*sdk.CallToolResult, divideOut, error) {
			if in.B == 0 {
				return nil, divideOut{}, fmt.Errorf("division by zero")
			}
			return nil, divideOut{in.A / in.B, []int{in.A, in.B}}, nil
		})
	sdk.AddTool(s, &sdk.Tool{Name: "env", Description: "Shows a variable."}, func(_ context.Context, _ *sdk.CallToolRequest, in struct {
		Name string `json:"name"`
	}) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: os.Getenv(in.Name)}, &sdk.ImageContent{MIMEType: "image/png", Data: []byte{1}}}}, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "pid"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprint(os.Getpid())}}}, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "ask"}, func(ctx context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		_, elicit := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: "your password?", RequestedSchema: map[string]any{"type": "object"}})
		_, sample := r.Session.CreateMessage(ctx, &sdk.CreateMessageParams{MaxTokens: 1})
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf("elicitation: %v, sampling: %v", elicit != nil, sample != nil)}}}, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "slow"}, func(ctx context.Context, r *sdk.CallToolRequest, in struct {
		File string `json:"file"`
	}) (*sdk.CallToolResult, any, error) {
		_ = os.WriteFile(in.File, []byte("begun\n"), 0o600)
		<-ctx.Done()
		_ = os.WriteFile(in.File, []byte("cancelled\n"), 0o600)
		return nil, nil, ctx.Err()
	})
	return s
}

// rawServer speaks JSON-RPC by hand. Its fault comes where its kind says.
func rawServer(kind string) {
	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	say := func(format string, args ...any) {
		fmt.Fprintf(out, format+"\n", args...)
		out.Flush()
	}
	hang := func() { time.Sleep(time.Hour) }
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	pages := 0
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		_ = json.Unmarshal(line, &m)
		at, fault, _ := strings.Cut(kind, " ")
		if at == m.Method {
			switch fault {
			case "hang":
				hang()
			case "die":
				fmt.Fprintln(os.Stderr, "out of cheese")
				os.Exit(3)
			case "garbage":
				for {
					say("%%%% no JSON %%%%")
				}
			case "banner":
				say("listening on stdio")
			case "broken":
				say(`{"jsonrpc": "2.0", "id": %s, "result": {"a": `, m.ID)
				say(`{"jsonrpc": oops`)
			case "null":
				say(`{"jsonrpc": "2.0", "id": %s, "result": null}`, m.ID)
				continue
			case "text":
				say(`{"jsonrpc": "2.0", "id": %s, "result": "hello"}`, m.ID)
				continue
			case "nested":
				out.WriteString(`{"jsonrpc": "2.0", "id": ` + string(m.ID) + `, "result": {"content": [{"type": "text", "text": "a"}], "structuredContent": ` + strings.Repeat("[", 200_000) + "\n")
				out.Flush()
				hang()
			case "huge":
				out.WriteString(`{"jsonrpc": "2.0", "id": ` + string(m.ID) + `, "result": {"content": [{"type": "text", "text": "`)
				for range 17 << 10 { // KB
					out.WriteString(strings.Repeat("x", 1<<10))
				}
				say(`"}]}}`)
				hang()
			case "endless":
				for {
					out.WriteString(strings.Repeat("{", 1) + strings.Repeat("x", 1<<10))
				}
			case "notifications":
				for {
					out.WriteString(`{"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}}` + "\n")
				}
			case "deaf":
				os.Stdin.Close()
				hang()
			}
		}
		switch m.Method {
		case "initialize":
			say(`{"jsonrpc": "2.0", "id": %s, "result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "raw", "version": "1"}}}`, m.ID)
		case "tools/list":
			switch {
			case kind == "cursor loop":
				say(`{"jsonrpc": "2.0", "id": %s, "result": {"tools": [], "nextCursor": "again"}}`, m.ID)
			case kind == "cursor endless":
				pages++
				say(`{"jsonrpc": "2.0", "id": %s, "result": {"tools": [], "nextCursor": "%d"}}`, m.ID, pages)
			case kind == "null tool":
				say(`{"jsonrpc": "2.0", "id": %s, "result": {"tools": [null]}}`, m.ID)
			default:
				say(`{"jsonrpc": "2.0", "id": %s, "result": {"tools": [{"name": "t", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}}]}}`, m.ID)
			}
		case "tools/call":
			switch kind {
			case "wrong type":
				say(`{"jsonrpc": "2.0", "id": %s, "result": {"content": [], "structuredContent": {"n": "seven"}}}`, m.ID)
			case "no structure":
				say(`{"jsonrpc": "2.0", "id": %s, "result": {"content": [{"type": "text", "text": "seven"}]}}`, m.ID)
			case "is error":
				say(`{"jsonrpc": "2.0", "id": %s, "result": {"isError": true, "content": [{"type": "text", "text": "no such row\u001b[2J"}]}}`, m.ID)
			case "refuses":
				say(`{"jsonrpc": "2.0", "id": %s, "error": {"code": -32602, "message": "bad arguments"}}`, m.ID)
			case "other id":
				say(`{"jsonrpc": "2.0", "id": 999, "result": {"content": []}}`)
			case "unknown content":
				say(`{"jsonrpc": "2.0", "id": %s, "result": {"content": [{"type": "hologram"}], "structuredContent": {"n": 7}}}`, m.ID)
			case "batch":
				say(`[{"jsonrpc": "2.0", "id": %s, "result": {"content": []}}]`, m.ID)
			default:
				say(`{"jsonrpc": "2.0", "id": %s, "result": {"content": [{"type": "text", "text": "seven"}], "structuredContent": {"n": 7}}}`, m.ID)
			}
		}
	}
}

// host is a host whose servers are the test program in these kinds, by name.
func host(t *testing.T, kinds map[string]string, patience time.Duration) *Host {
	t.Helper()
	h := &Host{Home: home.Find(t.TempDir(), func(string) string { return "" }), Version: "test", Environ: os.Environ(), Getenv: os.Getenv}
	err := Change(h.Home, func(entries map[string]any) error {
		for name, kind := range kinds {
			variable := "TEST_KIND_" + strings.ToUpper(name)
			t.Setenv(variable, kind)
			s := &Server{Name: name, Command: os.Args[0], Env: map[string]string{serverVariable: "${" + variable + "}"}, Timeout: patience}
			entries[name] = s.Entry()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func call(t *testing.T, h *Host, ctx context.Context, server, tool string, arguments map[string]any) (map[string]any, error) {
	t.Helper()
	a, err := h.Call(ctx, Request{Target: Target{Server: server, Tool: tool}, Arguments: arguments, Dir: t.TempDir()})
	if err != nil {
		return nil, err
	}
	return a.Outputs, nil
}

// TestCall calls a server written with the SDK, as a program and over HTTP.
func TestCall(t *testing.T) {
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return realServer() }, nil)
	var authorized int
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer tok-12345678" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		authorized++
		handler.ServeHTTP(w, r)
	}))
	defer web.Close()
	t.Setenv("WEB_TOKEN", "tok-12345678")
	h := host(t, map[string]string{"program": "sdk"}, 0)
	err := Change(h.Home, func(entries map[string]any) error {
		entries["web"] = (&Server{Name: "web", URL: web.URL, Headers: map[string]string{"Authorization": "Bearer ${WEB_TOKEN}"}}).Entry()
		entries["stranger"] = (&Server{Name: "stranger", URL: web.URL}).Entry()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, server := range []string{"program", "web"} {
		t.Run(server, func(t *testing.T) {
			ctx, end := h.Within(t.Context())
			defer end()
			got, err := call(t, h, ctx, server, "divide", map[string]any{"a": 12, "b": 4})
			if err != nil || got["quotient"] != 3 {
				t.Errorf("%v %v", got, err)
			}
			_, err = call(t, h, ctx, server, "divide", map[string]any{"a": 12, "b": 0})
			if fault.Of(err).Kind != fault.Failure || !strings.Contains(err.Error(), "division by zero") {
				t.Errorf("%v", err)
			}
			_, err = call(t, h, ctx, server, "divide", map[string]any{"a": "twelve"})
			if fault.Of(err).Kind != fault.InvalidRequest || !strings.Contains(err.Error(), "a: ") {
				t.Errorf("%v", err)
			}
			_, err = call(t, h, ctx, server, "divde", nil)
			if fault.Of(err).Kind != fault.NotFound || !strings.Contains(err.Error(), `did you mean "divide"?`) {
				t.Errorf("%v", err)
			}
			got, err = call(t, h, ctx, server, "ask", nil)
			if err != nil || got["text"] != "elicitation: true, sampling: true" {
				t.Errorf("it is asked: %v %v", got, err)
			}
			got, err = call(t, h, ctx, server, "env", map[string]any{"name": "WEB_TOKEN"})
			if parts, _ := got["content"].([]any); err != nil || server == "program" && got["text"] != "tok-12345678" || len(parts) != 2 {
				t.Errorf("%v %v", got, err)
			}
			if server == "web" && strings.Contains(fmt.Sprint(got), "tok-12345678") {
				t.Errorf("the key is shown: %v", got)
			}
		})
	}
	_, err = call(t, h, t.Context(), "stranger", "divide", nil)
	if fault.Of(err).Kind != fault.Authentication || !strings.Contains(err.Error(), "--header") {
		t.Errorf("%v", err)
	}
	if authorized == 0 {
		t.Error("no request had the header")
	}
}

// TestSessionsAreShared: a run starts a server once, and it ends with the run.
func TestSessionsAreShared(t *testing.T) {
	h := host(t, map[string]string{"a": "sdk"}, 0)
	ctx, end := h.Within(t.Context())
	pids := map[any]bool{}
	got := make(chan map[string]any, 8)
	for range 8 {
		go func() {
			out, err := call(t, h, ctx, "a", "pid", nil)
			if err != nil {
				t.Error(err)
			}
			got <- out
		}()
	}
	for range 8 {
		pids[(<-got)["text"]] = true
	}
	within, inner := h.Within(ctx) // a run within the run
	out, _ := call(t, h, within, "a", "pid", nil)
	pids[out["text"]] = true
	inner()
	out, _ = call(t, h, ctx, "a", "pid", nil)
	pids[out["text"]] = true
	if len(pids) != 1 {
		t.Errorf("processes %v", pids)
	}
	end()
	for pid := range pids {
		if _, err := os.Stat("/proc/self"); err == nil {
			if _, err := os.Stat(fmt.Sprintf("/proc/%v", pid)); err == nil {
				t.Errorf("process %v lives", pid)
			}
		}
	}
	if _, err := call(t, h, ctx, "a", "pid", nil); err == nil {
		t.Error("a run that is over starts a server")
	}
}

// TestFaults: whatever a server does, a call ends with one error that says at which server, when, and why.
func TestFaults(t *testing.T) {
	const short, long = 700 * time.Millisecond, time.Minute
	for kind, want := range map[string]struct {
		kind     fault.Kind
		message  string
		patience time.Duration
	}{
		"initialize hang":          {fault.Timeout, "initialize: no answer within 700ms", short},
		"tools/list hang":          {fault.Timeout, "tools/list: no answer within 700ms", short},
		"tools/call hang":          {fault.Timeout, "the tool t: no answer within 700ms", short},
		"initialize deaf":          {fault.Timeout, "initialize: no answer", short},
		"initialize die":           {fault.Unavailable, "its program ended with exit status 3: out of cheese", long},
		"tools/list die":           {fault.Unavailable, "its program ended with exit status 3: out of cheese", long},
		"tools/call die":           {fault.Unavailable, "the tool t: its program ended with exit status 3: out of cheese", long},
		"initialize garbage":       {fault.Malformed, `no JSON-RPC messages to its standard output, such as "%% no JSON %%"`, long},
		"tools/call garbage":       {fault.Malformed, "no JSON-RPC messages", long},
		"tools/call broken":        {fault.Malformed, "its answer cannot be read", long},
		"initialize null":          {fault.Malformed, "", long},
		"initialize text":          {fault.Malformed, "its answer cannot be read", long},
		"tools/list text":          {fault.Malformed, "its answer cannot be read", long},
		"tools/call text":          {fault.Malformed, "its answer cannot be read", long},
		"tools/call nested":        {fault.Malformed, "nested more than 10000 deep", long},
		"tools/call huge":          {fault.Malformed, "a message of more than 16 MB", long},
		"tools/call endless":       {fault.Malformed, "", long},
		"tools/call notifications": {fault.Malformed, "that answer nothing", long},
		"tools/list notifications": {fault.Malformed, "that answer nothing", long},
		"cursor loop":              {fault.Malformed, `the cursor "again" twice`, long},
		"cursor endless":           {fault.Malformed, "more than 500 pages", long},
		"null tool":                {fault.NotFound, "", long},
		"wrong type":               {fault.Schema, "does not fit its own outputSchema: n: ", long},
		"no structure":             {fault.Schema, "promises a structured answer and gave none", long},
		"is error":                 {fault.Failure, "it failed: no such row", long},
		"refuses":                  {fault.InvalidRequest, "bad arguments (code -32602)", long},
		"other id":                 {fault.Timeout, "no answer within", short},
		"unknown content":          {fault.Malformed, "its answer cannot be read", long},
		"batch":                    {fault.Timeout, "it wrote what is no JSON-RPC message", short},
		"tools/list banner":        {"", "", long},
		"none":                     {"", "", long},
	} {
		t.Run(kind, func(t *testing.T) {
			h := host(t, map[string]string{"bad": kind}, want.patience)
			begun := time.Now()
			out, err := call(t, h, t.Context(), "bad", "t", nil)
			if want.kind == "" {
				if err != nil || out["n"] != 7 {
					t.Errorf("%v %v", out, err)
				}
				return
			}
			if err == nil {
				t.Fatalf("it gave %v", out)
			}
			e := fault.Of(err)
			if e.Kind != want.kind || !strings.Contains(e.Message, want.message) || !strings.HasPrefix(e.Message, "the MCP server bad: ") || e.Details["server"] != "bad" {
				t.Errorf("%s: %s (%v)", e.Kind, e.Message, e.Details)
			}
			if len(e.Message) > 5000 {
				t.Errorf("%d bytes of message", len(e.Message))
			}
			t.Logf("%v: %s", time.Since(begun).Round(10*time.Millisecond), e.Message[:min(len(e.Message), 300)])
		})
	}
}

// TestCancel: a call that is cancelled tells the server, and ends at once.
func TestCancel(t *testing.T) {
	h := host(t, map[string]string{"a": "sdk"}, 0)
	run, end := h.Within(t.Context())
	defer end()
	ctx, cancel := context.WithCancel(run)
	file := t.TempDir() + "/state"
	done := make(chan error, 1)
	go func() {
		_, err := call(t, h, ctx, "a", "slow", map[string]any{"file": file})
		done <- err
	}()
	await := func(text string) {
		t.Helper()
		for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
			if data, _ := os.ReadFile(file); string(data) == text {
				return
			}
		}
		t.Fatalf("the server never wrote %q", text)
	}
	await("begun\n")
	cancel()
	if err := <-done; fault.Of(err).Kind != fault.Cancelled {
		t.Errorf("%v", err)
	}
	await("cancelled\n")
	if out, err := call(t, h, run, "a", "divide", map[string]any{"a": 4, "b": 2}); err != nil || out["quotient"] != 2 {
		t.Errorf("the session goes on: %v %v", out, err)
	}
}

// TestServerThatDiedIsStartedAgain: the next call of the run starts it anew.
func TestServerThatDiedIsStartedAgain(t *testing.T) {
	h := host(t, map[string]string{"a": "tools/call die"}, 0)
	ctx, end := h.Within(t.Context())
	defer end()
	if _, err := call(t, h, ctx, "a", "t", nil); fault.Of(err).Kind != fault.Unavailable {
		t.Fatal(err)
	}
	t.Setenv("TEST_KIND_A", "none")
	if out, err := call(t, h, ctx, "a", "t", nil); err != nil || out["n"] != 7 {
		t.Errorf("%v %v", out, err)
	}
}
