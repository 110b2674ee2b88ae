package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// TestTerminalStreaming: on a terminal, while a model writes, one sees which step it is and how much there is. Ctrl-C ends it.
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
	tt.expect("planning: component-browsing")
	tt.expect(" characters (")
	tt.send(ctrlC)
	tt.exits(130)
}
