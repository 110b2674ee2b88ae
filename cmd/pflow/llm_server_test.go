package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"pflow/internal/llmtest"
)

// serverKey is the key that scripts have for the scripted server. No output and no file may hold it.
const serverKey = "sk-test-5cR1pt3dK3yN0tT0B3Sh0wn"

// llmServers are the scripted servers of one script.
type llmServers struct{ running []*llmtest.Server }

type llmServersKey struct{}

// watchServers fails a script that leaves replies over, sends requests without a reply, or writes the key into a file.
func watchServers(e *testscript.Env) {
	servers := &llmServers{}
	e.Values[llmServersKey{}] = servers
	e.Defer(func() {
		failed := false
		for _, s := range servers.running {
			s.Close()
			if err := s.Unused(); err != nil {
				e.T().Log(err)
				failed = true
			}
		}
		if len(servers.running) == 0 {
			return
		}
		err := filepath.WalkDir(e.WorkDir, func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			if strings.Contains(string(data), serverKey) {
				e.T().Log("the key of the model server is in " + path)
				failed = true
			}
			return err
		})
		if err != nil {
			e.T().Log(err)
		}
		if failed || err != nil {
			e.T().FailNow()
		}
	})
}

// llmServer starts a scripted server (internal/llmtest) and makes it the endpoint of the provider openai.
func llmServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: llm-server SCRIPT.yaml")
	}
	script, err := llmtest.Load(ts.MkAbs(args[0]))
	ts.Check(err)
	server, err := llmtest.Start(script)
	ts.Check(err)
	servers := ts.Value(llmServersKey{}).(*llmServers)
	servers.running = append(servers.running, server)
	ts.Setenv("OPENAI_BASE_URL", server.BaseURL())
	ts.Setenv("OPENAI_API_KEY", serverKey)
}

// llmSent writes what the newest scripted server was sent into a file: for each request a line "=== NUMBER SCHEMA FORM",
// and its messages.
func llmSent(ts *testscript.TestScript, neg bool, args []string) {
	servers := ts.Value(llmServersKey{}).(*llmServers)
	if neg || len(args) != 1 || len(servers.running) == 0 {
		ts.Fatalf("usage, after llm-server: llm-sent FILE")
	}
	var b strings.Builder
	for i, r := range servers.running[len(servers.running)-1].Requests() {
		fmt.Fprintf(&b, "=== %d %s %s\n", i+1, r.Schema, r.Form)
		for _, m := range r.Messages {
			fmt.Fprintf(&b, "--- %s\n%s\n", m.Role, m.Content)
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(b.String()), 0o644))
}

// keepsSecrets fails a script whose last command printed the key.
func keepsSecrets(ts *testscript.TestScript) {
	for _, stream := range []string{"stdout", "stderr"} {
		if strings.Contains(ts.ReadFile(stream), serverKey) {
			ts.Fatalf("the key of the model server is in %s", stream)
		}
		if strings.Contains(ts.ReadFile(stream), hubToken) {
			ts.Fatalf("the token of the GitHub server is in %s", stream)
		}
	}
}
