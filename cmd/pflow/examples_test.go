//go:build !race

package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pflow/internal/llmtest"
)

// sampleRun is the run that the examples of resume name.
const sampleRun = "20240115-120000-1a2b3c4d"

// TestExamples runs every line of every command's examples, each in a directory that holds what the lines name.
func TestExamples(t *testing.T) {
	prepared := newSession(t)
	prepareExamples(prepared)
	prepareExperiments(prepared)
	prepareMCP(prepared)
	prepared.must("pflow workflow save ./greet.json")
	prepareSchedules(prepared)
	for _, c := range tree() {
		if strings.TrimSpace(c.Example) == "" {
			t.Errorf("%s --help has no example", c.CommandPath())
		}
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: want a short description without a full stop, got %q", c.CommandPath(), c.Short)
		}
		for _, line := range strings.Split(strings.TrimSpace(c.Example), "\n") {
			t.Run(strings.TrimSpace(line), func(t *testing.T) {
				t.Parallel()
				s := newSession(t)
				s.copyOf(prepared)
				switch {
				case strings.Contains(line, "cert.pem,key.pem"):
					writeCertificate(t, s.dir, time.Now().Add(time.Hour), "localhost")
				case strings.Contains(line, "workflow save"):
					s.must("pflow workflow delete greet --yes")
				case strings.Contains(line, "mcp add"):
					s.must("pflow mcp remove files")
				case strings.Contains(line, "workflow new"):
					s.must("rm report.yaml")
				case strings.Contains(line, "experiment cases"):
					s.must("pflow --yes 'list the files in bin'")
				case strings.Contains(line, "edited.tmpl") && !strings.Contains(line, "replay"):
					s.must("pflow prompt show metadata | sed 's/two to five/two to four/' >edited.tmpl")
				case strings.Contains(line, "flow delete"), strings.Contains(line, "prompt delete"):
					s.must("pflow flow eject planner && pflow flow eject planner-words")
				case strings.Contains(line, "runs replay"):
					s.must("rm -rf ~/.pflow/runs ~/.pflow/runs.db*; pflow prompt show metadata >edited.tmpl; pflow plan 'list the files in bin' && mv ~/.pflow/runs/2* ~/.pflow/runs/" + sampleRun + " && rm ~/.pflow/runs.db*")
				case strings.Contains(line, "schedule add"):
					s.must("pflow schedule remove report && pflow schedule remove import")
				case strings.Contains(line, "schedule resume"):
					s.must("pflow schedule pause report")
				case strings.Contains(line, "--crontab"):
					s.must("pflow schedule remove import")
				case strings.Contains(line, "--from-run"), strings.Contains(line, "runs ") && !strings.Contains(line, "cancel"):
					prepareRuns(s)
					if strings.Contains(line, "runs fix") {
						s.must("mkdir notes && mv noted.txt notes")
						if strings.Contains(line, "5e6f7a8b") { // the run that found the fix
							s.must(`! pflow runs fix last && mv ~/.pflow/runs/$(pflow runs list --by fix --limit 1 --json | sed -n 's/.*"id": "\(.*\)",*$/\1/p' | head -n 1) ~/.pflow/runs/20240117-120000-5e6f7a8b && rm ~/.pflow/runs.db*`)
						}
					}
				}
				if printed, err := s.run("PATH=\"$PWD/bin:$PATH\"; " + withMCP(t, withModel(t, line))); err != nil {
					t.Errorf("%v\n%s", err, printed)
				}
			})
		}
	}
}

// withModel gives an example that calls a model one that says ready to everything.
func withModel(t *testing.T, line string) string {
	if !strings.Contains(line, "model check") {
		return line
	}
	server := llmtest.New(t, llmtest.Script{Replies: []llmtest.Reply{
		{Match: "JSON Schema", JSON: map[string]any{"animal": "ant", "legs": 6}, Times: llmtest.Any}, {Text: "ready", Times: llmtest.Any},
	}})
	return "unset ANTHROPIC_API_KEY; export OPENAI_API_KEY=x OPENAI_BASE_URL=" + server.BaseURL() + "; " + line
}

// prepareMCP adds the MCP server that examples name. The programs of such servers are in bin, and speak for tools.json.
func prepareMCP(s *session) {
	s.t.Helper()
	s.must(`PATH="$PWD/bin:$PATH"; mkdir -p ~/.pflow/nodes && cp words.yaml ~/.pflow/nodes/ && pflow mcp add files -- npx -y @modelcontextprotocol/server-filesystem .`)
}

// withMCP gives an example what it wants of others: values of variables, an MCP server at the address that it names, and an
// end of what serves until it is stopped.
func withMCP(t *testing.T, line string) string {
	const docs, serves = "https://docs.example.org/mcp", "mcp serve --http 127.0.0.1:8123"
	switch {
	case strings.Contains(line, docs):
		server := sdk.NewServer(&sdk.Implementation{Name: "docs", Version: "1"}, nil)
		sdk.AddTool(server, &sdk.Tool{Name: "find"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{}, nil, nil
		})
		web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
		t.Cleanup(web.Close)
		line = strings.Replace(line, docs, web.URL, 1)
	case strings.HasPrefix(strings.TrimSpace(line), "pflow serve"): // until it is stopped
		line = strings.Replace(strings.TrimSpace(line), "0.0.0.0:7353", "0.0.0.0:0", 1) + ` 2>said & served=$!
			until [ -s said ] || ! kill -0 $served; do sleep 0.05; done
			kill $served; wait $served`
	case strings.HasSuffix(line, "--watch"):
		line = strings.TrimSpace(line) + ` 2>said & served=$!
			until grep -q 'Ctrl-C ends' said || ! kill -0 $served; do sleep 0.05; done
			kill $served; wait $served; grep 'Ctrl-C ends' said`
	case strings.Contains(line, serves): // at a port that is free
		line = strings.Replace(line, serves, "mcp serve --http 127.0.0.1:0", 1) + ` 2>said & served=$!
			until grep -q 'serving on http' said || ! kill -0 $served; do sleep 0.05; done
			kill $served; wait $served; grep 'serving on http' said`
	}
	return "export DOCS_TOKEN=x GITHUB_TOKEN=x; " + line
}

// must is run for what prepares a test.
func (s *session) must(command string) {
	s.t.Helper()
	if printed, err := s.run(command); err != nil {
		s.t.Fatalf("%s: %v\n%s", command, err, printed)
	}
}

// copyOf gives a session the files of another one, modes and all.
func (s *session) copyOf(from *session) {
	s.t.Helper()
	s.must(fmt.Sprintf("cp -a '%s/.' '%s' && cp -a '%s/.' '%s'", from.dir, s.dir, from.home, s.home))
}

// prepareExamples makes what the examples name: README.md, some flows, a run that was killed, and programs.
func prepareExamples(s *session) {
	t := s.t
	t.Helper()
	if err := os.CopyFS(s.dir, os.DirFS("testdata/examples")); err != nil {
		t.Fatal(err)
	}
	s.must("chmod +x bin/*")
	s.must("pflow flow run ./retry.yaml --input user_input=x")
	runs := filepath.Join(s.home, ".pflow", "runs")
	entries, err := os.ReadDir(runs)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%d runs: %v", len(entries), err)
	}
	run := filepath.Join(runs, sampleRun)
	if err := os.Rename(filepath.Join(runs, entries[0].Name()), run); err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(run, "journal.jsonl")
	data, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	said := `{"prompt": "parameters", "model": "openai/gpt-4.1-mini", "messages": [{"role": "user", "content": "Name the values"}], "reply": "{}", "usage": {}}` + "\n"
	if err := os.WriteFile(filepath.Join(run, exchangesFile), []byte(said), 0o600); err != nil {
		t.Fatal(err)
	}
	records := strings.SplitAfter(string(data), "\n")
	if err := os.WriteFile(journal, []byte(strings.Join(records[:len(records)-2], "")), 0o600); err != nil {
		t.Fatal(err)
	}
	s.must("rm ~/.pflow/runs.db*") // it knew the run by another name
}

// prepareSchedules makes the workflows and the schedules that examples name.
func prepareSchedules(s *session) {
	s.t.Helper()
	s.must(`mkdir inbox && echo a >inbox/a.csv && cp report.yaml backup.yaml
		cp report.yaml alert.yaml
		for name in report backup import alert; do pflow workflow save ./$name.yaml; done; cp report_test.yaml ~/.pflow/workflows
		pflow schedule add report --cron "0 8 * * *" --yes=schedule && pflow schedule add import --watch "inbox/*.csv" --input file --yes=schedule`)
}

// prepareRuns makes two runs that failed, of which the older is sampleRun, mends what they failed of, and makes a plan.
func prepareRuns(s *session) {
	s.t.Helper()
	s.must(`pflow plan --quiet -o plan.json "list the files in bin"
		rm -rf ~/.pflow/runs ~/.pflow/runs.db*; ! pflow run ./weather.json city=Rome
		mv ~/.pflow/runs/2* ~/.pflow/runs/` + sampleRun + ` && rm ~/.pflow/runs.db*; ! pflow run ./weather.json city=Oslo
		echo dry >noted.txt`)
}

// prepareExperiments makes the experiments that examples name.
func prepareExperiments(s *session) {
	s.t.Helper()
	s.must("pflow experiment run ./experiment.yaml --id first && pflow experiment run ./experiment.yaml --id second && pflow experiment run ./experiment.yaml")
}
