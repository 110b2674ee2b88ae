//go:build !race

package assets

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// policy is what the page is served with.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-%s'; connect-src 'self'; img-src 'self' data:; font-src 'none'; base-uri 'none'; form-action 'self'; frame-src 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// demo serves a page with every part there is, and the calls and events that they want.
type demo struct {
	*httptest.Server
	mu       sync.Mutex
	fetched  int
	rows     int
	live     bool
	events   chan string // frames that the stream of events sends
	streams  chan bool   // a stream was opened
	left     chan bool   // its reader closed it
	slow     chan bool   // what pages wait for once they are made; nil: nothing
	checks   []string    // bodies of /check
	tokens   []string    // and their tokens
	finished bool
}

func startDemo(t *testing.T, rows int) *demo {
	t.Helper()
	d := &demo{rows: rows, live: true, events: make(chan string, 100), streams: make(chan bool, 100), left: make(chan bool, 100)}
	page := template.Must(template.New("demo.html").Funcs(template.FuncMap{"url": URL}).ParseFiles("testdata/demo.html"))
	mux := http.NewServeMux()
	mux.Handle("GET /assets/", Handler())
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		nonce := rand.Text()
		var made bytes.Buffer
		d.mu.Lock()
		d.fetched++
		slow := d.slow
		err := page.Execute(&made, d.data(nonce))
		d.mu.Unlock()
		if err != nil {
			t.Error(err)
		}
		if slow != nil {
			<-slow
		}
		w.Header().Set("Content-Security-Policy", fmt.Sprintf(policy, nonce))
		_, _ = made.WriteTo(w) // who asked may have gone
	})
	mux.HandleFunc("GET /events", d.stream)
	mux.HandleFunc("POST /check", d.check)
	mux.HandleFunc("GET /complete", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"options": [{"label": "type", "as": "key", "under": "nodes.*", "info": "what the node does"}, {"label": "retries", "as": "key", "under": "nodes.*"},
			{"label": "ask-model", "as": "value", "under": "nodes.*.type", "detail": "op"}, {"label": "flow", "as": "key", "under": ""}, {"label": "elsewhere", "as": "key", "under": "state"}]}`)
	})
	d.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		d.CloseClientConnections()
		d.Close()
	})
	return d
}

func (d *demo) data(nonce string) any {
	state := "running"
	if d.finished {
		state = "done"
	}
	return map[string]any{
		"Nonce": nonce, "Count": d.fetched, "Done": d.finished, "Live": d.live,
		"States": []string{"done", "running", "failed", "waiting", "skipped", "kept", "limit", "cancelled", "not_reached"},
		"Graph":  demoGraph(state), "Timeline": demoTimeline(d.rows), "Flow": demoFlow, "Prompt": demoPrompt,
	}
}

func demoGraph(state string) any {
	type node struct {
		ID    string `json:"id"`
		Label string `json:"label,omitempty"`
		Kind  string `json:"kind,omitempty"`
		Note  string `json:"note,omitempty"`
		Href  string `json:"href,omitempty"`
		State string `json:"state,omitempty"`
	}
	type edge struct {
		From   string `json:"from"`
		To     string `json:"to"`
		Label  string `json:"label,omitempty"`
		Taken  bool   `json:"taken,omitempty"`
		Action string `json:"action,omitempty"`
	}
	return map[string]any{
		"start": "reading",
		"nodes": []node{
			{ID: "reading", Kind: "trigger-reading", State: "done", Href: "#steps"}, {ID: "discover", Kind: "ask-model", Note: "a saved workflow?", State: "done"},
			{ID: "browse", Kind: "ask-model", State: state}, {ID: "generate", Kind: "ask-model"}, {ID: "check", Kind: "check-workflow"},
			{ID: "metadata", Kind: "ask-model"}, {ID: "parameters", Label: "<img src=x onerror='window.hacked = 1'>", Kind: "ask-model", Href: "javascript:window.hacked=2"}, {ID: "gate", Kind: "gate", Note: "waits for a person"}, {ID: "fail", Kind: "end"},
		},
		"edges": []edge{
			{"reading", "discover", "", true, ""}, {"discover", "browse", "not_found", true, ""}, {"discover", "parameters", "found", false, ""}, {"browse", "generate", "", false, ""},
			{"generate", "check", "", false, ""}, {"check", "generate", "structure", false, ""}, {"check", "metadata", "valid", false, ""}, {"check", "fail", "given up", false, ""},
			{"metadata", "parameters", "", false, ""}, {"parameters", "gate", "", false, ""}, {"gate", "generate", "edited: result.again", false, "edited"}, {"gate", "fail", "", false, "*"},
		},
	}
}

func demoTimeline(n int) any {
	rows := make([]map[string]any, n)
	at := 0
	for i := range rows {
		state := "done"
		switch {
		case i%97 == 13:
			state = "failed"
		case i > n-4:
			state = "running"
		case i%41 == 5:
			state = "skipped"
		}
		long := 40 + (i*7919)%900
		rows[i] = map[string]any{"name": fmt.Sprintf("each-issue[%d].summarise", i), "step": fmt.Sprintf("row-%d", i), "from_ms": at, "to_ms": at + long, "state": state, "href": "#steps"}
		if state == "running" {
			rows[i]["to_ms"] = nil
		}
		at += 11 + (i*31)%40
	}
	return map[string]any{"rows": rows, "now_ms": at + 1000}
}

const demoFlow = `flow: triage
version: 1
start: read
nodes:
  read:
    type: list-issues      # those that are open
    limit: 30
  write:
    type: nonsense
    params: {file: "issues.md", append: false}
    next: end
`

const demoPrompt = "---\nname: generate\nvariables: [request, errors]\n---\nDesign a workflow for this request: {{.request}}\n{{range .errors}}- {{cut 80 .message}}\n{{end}}{{/* a comment */}}{{template \"rules\" .}}\n"

// check finds fault with each line that has "nonsense".
func (d *demo) check(w http.ResponseWriter, r *http.Request) {
	var body struct{ Text string }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	d.mu.Lock()
	d.checks = append(d.checks, body.Text)
	d.tokens = append(d.tokens, r.Header.Get("X-Pflow-Token"))
	d.mu.Unlock()
	found := []any{}
	nodes := []any{map[string]any{"id": "read"}}
	for i, line := range strings.Split(body.Text, "\n") {
		if at := strings.Index(line, "nonsense"); at >= 0 {
			found = append(found, map[string]any{"severity": "error", "code": "unknown-node-type", "message": "there is no type “nonsense”", "suggestion": "Did you mean “write-file”?", "place": map[string]any{"line": i + 1, "column": at + 1}})
		}
		if strings.HasPrefix(line, "  write") {
			nodes = append(nodes, map[string]any{"id": "write"})
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"diagnostics": found, "graph": map[string]any{"nodes": nodes, "edges": []any{}}})
}

func (d *demo) stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, "retry: 50\n\n")
	w.(http.Flusher).Flush()
	d.streams <- true
	for {
		select {
		case frame := <-d.events:
			fmt.Fprint(w, frame)
			w.(http.Flusher).Flush()
		case <-r.Context().Done():
			d.left <- true
			return
		case <-time.After(time.Second): // a comment, so that a lost client is seen
			fmt.Fprint(w, ": here\n\n")
			w.(http.Flusher).Flush()
		}
	}
}

func (d *demo) send(event string, data any) {
	b, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	d.events <- fmt.Sprintf("event: %s\ndata: %s\n\n", event, b)
}
