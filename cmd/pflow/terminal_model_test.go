package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTerminalStreaming: on a terminal, while a model writes, one sees which step it is and the end of what it writes. Ctrl-C ends it.
func TestTerminalStreaming(t *testing.T) {
	t.Parallel()
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the server notices when the client is gone
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			fmt.Fprint(w, `data: {"id": "1", "object": "chat.completion.chunk", "model": "gpt-4.1-mini", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "{ \"no"}}]}`+"\n\n")
			w.(http.Flusher).Flush()
			time.Sleep(50 * time.Millisecond)
		}
	}))
	defer endless.Close()
	d := newDesk(t)
	d.env = append(d.env, "OPENAI_BASE_URL="+endless.URL+"/v1", "OPENAI_API_KEY="+serverKey)
	tt := d.start("plan", "--model", "openai/gpt-4.1-mini", "copy README.md to out.md")
	tt.until("the step with what the model writes", func(s string) bool {
		return shows(s, `planning \(\d+ s\)`) && shows(s, `  ● component-browsing: \d+ s\n(.*\n)*    ● ask \(llm\): \d+ s, \d+ characters\n +…?.*"no\{ "no`)
	})
	tt.send(ctrlC)
	tt.exits(130)
	if s := tt.screen(); shows(s, "component-browsing") || shows(s, "planning") {
		t.Errorf("what was under way stays:\n%s", s)
	}
}

// TestTerminalOffersAProgram: where a program on the PATH is a model and nothing says which plans, it is asked once.
func TestTerminalOffersAProgram(t *testing.T) {
	for _, c := range []struct{ name, typed, kept, says string }{
		{"no", "n\n", "model: \"none\"\n", saveAndRun},
		{"enter", "\n", "model: \"none\"\n", saveAndRun},
		{"yes", "y\n", "model: \"claude-code/sonnet\"\n", "claude could not reply: you are not logged in"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.file("bin/claude", "#!/bin/sh\ncat > /dev/null; echo '{\"is_error\": true, \"result\": \"you are not logged in\"}'\n")
			d.env = append(d.env, "PATH="+d.dir+"/bin:"+os.Getenv("PATH"))
			for _, asked := range []bool{true, false} {
				tt := d.start(strings.Fields(copyRequest)...)
				if asked {
					tt.expect("claude is on the PATH: is it to plan, as claude-code/sonnet? It is sent your requests. [y/N]")
					tt.send(c.typed)
					tt.expect("kept as model: ")
				}
				tt.expect(c.says)
				tt.send(ctrlC)
				<-tt.ended
				if strings.Count(tt.printed(), "is on the PATH") > 0 != asked {
					t.Errorf("asked %v, want %v\n%s", !asked, asked, tt.printed())
				}
			}
			if got, err := os.ReadFile(filepath.Join(d.home, "settings.yaml")); err != nil || string(got) != c.kept {
				t.Errorf("kept %q, %v; want %q", got, err, c.kept)
			}
		})
	}
}
