package main

import (
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pflow/internal/otlptest"
)

// TestServedRunsAreTraced: what a client asks for is told of while the server goes on.
func TestServedRunsAreTraced(t *testing.T) {
	c := otlptest.Start()
	t.Cleanup(c.Close)
	s := serve(t, serveOptions{files: map[string]string{"a.txt": "a"}, args: []string{"--otlp", c.URL}})
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "plan", Arguments: map[string]any{"request": "copy a.txt to q.txt"}}); err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(c.Tree(), "invoke_workflow planner-offline") { // until the test's deadline
		time.Sleep(5 * time.Millisecond)
	}
	if err := c.Wrong(); err != nil {
		t.Error(err)
	}
}
