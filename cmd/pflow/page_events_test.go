//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pageEvent is an event of a stream.
type pageEvent struct {
	ID, Name string
	Data     map[string]any
}

// listen opens a stream of events and gives what comes, until its end.
func (p *pageServer) listen(ctx context.Context, path, after string) <-chan pageEvent {
	p.t.Helper()
	r, err := http.NewRequestWithContext(ctx, "GET", p.url+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	if after != "" {
		r.Header.Set("Last-Event-ID", after)
	}
	res, err := p.client.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	if kind := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/event-stream") {
		body, _ := io.ReadAll(res.Body)
		p.t.Fatalf("%s: %d %s %s", path, res.StatusCode, kind, body)
	}
	out := make(chan pageEvent, 1000)
	go func() {
		defer res.Body.Close()
		defer close(out)
		var e pageEvent
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				e.ID = value
			case "event":
				e.Name = value
			case "data":
				_ = json.Unmarshal([]byte(value), &e.Data)
			case "":
				if e.Name != "" {
					out <- e
				}
				e = pageEvent{}
			}
		}
	}()
	return out
}

// awaitEvent reads events until one is as wanted; it is given.
func awaitEvent(t *testing.T, events <-chan pageEvent, what string, is func(e pageEvent) bool) pageEvent {
	t.Helper()
	for e := range events {
		if is(e) {
			return e
		}
	}
	t.Fatalf("the stream ended before %s", what)
	return pageEvent{}
}

func stepIs(step, state string) func(pageEvent) bool {
	return func(e pageEvent) bool { return e.Name == "step" && e.Data["step"] == step && e.Data["state"] == state }
}

// waitingWorkflow is the file of a workflow of two steps, the first of which waits for a file "go" beside it.
func waitingWorkflow(t testing.TB) (file, goes string) {
	dir := t.TempDir()
	file, goes = filepath.Join(dir, "waiting.json"), filepath.Join(dir, "go")
	text := `{"ir_version": "0.1.0", "nodes": [
	 {"id": "first", "type": "shell", "params": {"command": "until [ -e '` + goes + `' ]; do sleep 0.02; done"}},
	 {"id": "second", "type": "template", "params": {"template": "x"}}], "edges": [{"from": "first", "to": "second"}]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, goes
}

// runElsewhere runs a workflow in a process of its own, in the home of the page, which is killed if the test ends before it. It gives the run once
// that has begun.
func (p *pageServer) runElsewhere(file string) (other *exec.Cmd, id string) {
	p.t.Helper()
	other = p.command("run", file, "--yes", "--batch")
	if err := other.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		if other.ProcessState == nil {
			_ = other.Process.Kill()
			_ = other.Wait()
		}
	})
	until(p.t, "the run begins", func() bool {
		_, got := p.api("GET", "/api/v1/runs?status=running", nil)
		if all, _ := got["runs"].([]any); len(all) == 1 {
			id, _ = all[0].(map[string]any)["id"].(string)
		}
		return id != ""
	})
	return other, id
}

// TestPageEvents: a run of another process is followed from whenever one begins to look, by many at once; who comes back is told what
// they missed.
func TestPageEvents(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	file, goes := waitingWorkflow(t)
	other, id := p.runElsewhere(file)
	ctx, leave := context.WithCancel(t.Context())
	one, two := p.listen(ctx, "/api/v1/runs/"+id+"/events", ""), p.listen(t.Context(), "/api/v1/runs/"+id+"/events", "")
	stands := awaitEvent(t, one, "how it stands", func(e pageEvent) bool { return e.Name == "state" })
	if stands.ID == "" {
		t.Errorf("%+v has no id", stands)
	}
	leave()
	if err := os.WriteFile(goes, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	awaitEvent(t, two, "the first is done", stepIs("first", "done"))
	awaitEvent(t, two, "the second is done", stepIs("second", "done"))
	if end := awaitEvent(t, two, "the end", func(e pageEvent) bool { return e.Name == "end" }); end.Data["status"] != "done" {
		t.Errorf("%+v", end)
	}
	if err := other.Wait(); err != nil {
		t.Error(err)
	}
	back := p.listen(t.Context(), "/api/v1/runs/"+id+"/events", stands.ID)
	if first := <-back; first.Name == "state" {
		t.Errorf("who comes back is told all again: %+v", first)
	}
	awaitEvent(t, back, "the end", func(e pageEvent) bool { return e.Name == "end" })
	if status, got := p.api("GET", "/api/v1/runs/none-such/events", nil); status != http.StatusNotFound {
		t.Errorf("a run that is not there: %d %v", status, got)
	}
}

// TestPageInterrupted: where the process of a run is killed, its page, its steps and its events say alike that it was interrupted.
func TestPageInterrupted(t *testing.T) {
	p := startPage(t, t.TempDir())
	file, _ := waitingWorkflow(t)
	other, id := p.runElsewhere(file)
	state := func(state string) func(pageEvent) bool {
		return func(e pageEvent) bool {
			steps, _ := e.Data["steps"].([]any)
			if e.Name != "state" || len(steps) != 1 {
				return e.Name == "step" && e.Data["state"] == state
			}
			return steps[0].(map[string]any)["state"] == state
		}
	}
	watching := p.listen(t.Context(), "/api/v1/runs/"+id+"/events", "")
	awaitEvent(t, watching, "the first step runs", state("running"))
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = other.Wait()
	awaitEvent(t, watching, "the first step is interrupted", state("interrupted"))
	awaitEvent(t, watching, "the page is fetched anew", func(e pageEvent) bool { return e.Name == "refresh" })
	later := p.listen(t.Context(), "/api/v1/runs/"+id+"/events", "")
	if first := <-later; !state("interrupted")(first) {
		t.Errorf("who looks later is told %+v", first)
	}
	body := p.get("/runs/" + id).Body
	says(t, body, `<span class="badge" data-state="interrupted">interrupted</span></div>`, `<span class="badge" data-state="interrupted" data-step="first">interrupted</span>`)
	if body = mainOf(body); strings.Contains(body, "running") {
		t.Errorf("something runs:\n%s", body)
	}

	// What it asks before it goes on says what happened, and leaves it as it was.
	p.post("/runs/" + id + "/resume")
	says(t, p.until("/runs/"+id, "It needs your decision"), "the run was interrupted while first was under way", `<span class="badge" data-state="interrupted">interrupted</span></div>`, "Go on: it may repeat that")
}

// TestPageEndsStreams: who watches is told that pflow serve ends.
func TestPageEndsStreams(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	file := filepath.Join(t.TempDir(), "wait.json")
	if err := os.WriteFile(file, []byte(`{"ir_version": "0.1.0", "nodes": [{"id": "t", "type": "template", "approval": "required", "params": {"template": "x"}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := p.exits("run", file); code != exitDeclined {
		t.Fatalf("status %d", code)
	}
	events := p.listen(t.Context(), "/api/v1/runs/last/events", "")
	awaitEvent(t, events, "how it stands", func(e pageEvent) bool { return e.Name == "state" })
	if code := p.end(); code != exitDone {
		t.Errorf("status %d: %s", code, p.lines)
	}
	awaitEvent(t, events, "it stops", func(e pageEvent) bool { return e.Name == "stop" })
}
