package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// mcpServerCommand is the program mcp-server of the scripts, an MCP server that speaks JSON-RPC by hand. Its argument is a
// file {tools: [as tools/list gives them], answers: {TOOL: the result of tools/call, or hang}}; what it is called with is
// written to calls.jsonl beside that file, and a line to started when it starts.
func mcpServerCommand() {
	file := os.Args[1]
	note := func(name, line string) {
		f, err := os.OpenFile(file+"."+name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			fmt.Fprintln(f, line)
			f.Close()
		}
	}
	note("started", "TOKEN="+os.Getenv("TOKEN")+" X_API_KEY="+os.Getenv("X_API_KEY"))
	var doc struct {
		Tools   json.RawMessage
		Answers map[string]json.RawMessage
	}
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &doc)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name      string
				Arguments json.RawMessage
			}
		}
		_ = json.Unmarshal(in.Bytes(), &m)
		result := ""
		switch m.Method {
		case "initialize":
			result = `{"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "scripted", "version": "2"}}`
		case "tools/list":
			result = fmt.Sprintf(`{"tools": %s}`, compact(doc.Tools))
		case "tools/call":
			note("calls", m.Params.Name+" "+compact(m.Params.Arguments))
			answer, ok := doc.Answers[m.Params.Name]
			if string(answer) == `"hang"` {
				time.Sleep(time.Hour)
			}
			if !ok {
				answer = fmt.Appendf(nil, `{"content": [{"type": "text", "text": %q}]}`, "called "+m.Params.Name)
			}
			result = compact(answer)
		default:
			continue
		}
		fmt.Printf("{\"jsonrpc\": \"2.0\", \"id\": %s, \"result\": %s}\n", m.ID, result)
	}
}

func compact(raw json.RawMessage) string { return strings.ReplaceAll(string(raw), "\n", " ") }
