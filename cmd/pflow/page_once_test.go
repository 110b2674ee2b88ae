package main

import (
	"context"
	"html"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// fields are those of the form of a page that is sent to an address, as a browser without scripts sends them unchanged.
func (a pageAnswer) fields(t *testing.T, action string) url.Values {
	t.Helper()
	at := regexp.MustCompile(`<form[^>]* action="` + regexp.QuoteMeta(action) + `"`).FindStringIndex(a.Body)
	if at == nil {
		t.Fatalf("there is no form for %s in\n%s", action, mainOf(a.Body))
	}
	form, _, _ := strings.Cut(a.Body[at[0]:], "</form>")
	out := url.Values{}
	for _, m := range regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)"`).FindAllStringSubmatch(form, -1) {
		out.Add(m[1], html.UnescapeString(m[2]))
	}
	if len(out.Get("once")) < 20 || out.Get("token") == "" {
		t.Fatalf("the form for %s has no word of its own: %v", action, out)
	}
	return out
}

// sends sends a form so many times at once, and gives where each was led.
func (p *pageServer) sends(ctx context.Context, times int, path string, form url.Values) []string {
	led := make([]string, times)
	client := &http.Client{Jar: p.client.Jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	var all sync.WaitGroup
	for i := range led {
		all.Go(func() {
			r, err := http.NewRequestWithContext(ctx, "POST", p.url+path, strings.NewReader(form.Encode()))
			if err != nil {
				led[i] = err.Error()
				return
			}
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Origin", p.url)
			res, err := client.Do(r)
			if err != nil {
				led[i] = err.Error()
				return
			}
			defer res.Body.Close()
			led[i] = res.Status + " " + res.Header.Get("Location")
		})
	}
	all.Wait()
	return led
}

// TestPageSentTwice: what a form asks for is done once, however often the same form is sent; filled in again, it is another.
func TestPageSentTwice(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	p.workflow("note", `{"ir_version": "0.1.0", "inputs": {"text": {"type": "string"}}, "nodes": [{"id": "say", "type": "shell", "params": {"command": "echo x >> said.txt"}}]}`)
	said := func() int {
		data, _ := os.ReadFile(p.file("said.txt"))
		return len(data) / 2
	}
	same := func(led []string, prefix string) string {
		t.Helper()
		for _, to := range led {
			if to != led[0] || !strings.HasPrefix(to, "303 See Other "+prefix) {
				t.Fatalf("the forms lead to %q", led)
			}
		}
		return strings.TrimPrefix(led[0], "303 See Other ")
	}

	// A run: six clicks begin one, and a seventh, after it, leads to it, too.
	form := p.get("/library/note/run").fields(t, "/library/note/run")
	form.Set("in.text", "a")
	form.Set("do", "run")
	form["approve"] = []string{"plan", "destructive"}
	led := same(p.sends(p.ctx, 6, "/library/note/run", form), "/runs/")
	p.until(led, `data-state="done"`)
	if later := same(p.sends(p.ctx, 1, "/library/note/run", form), "/runs/"); later != led || said() != 1 || len(p.runsOf()) != 1 {
		t.Errorf("sent again it leads to %s, not %s; the command ran %d times, in %d runs", later, led, said(), len(p.runsOf()))
	}

	// The same form with other fields is another; so is the form of a page that is loaded anew.
	form.Set("in.text", "b")
	if other := same(p.sends(p.ctx, 1, "/library/note/run", form), "/runs/"); other == led {
		t.Error("other values lead to the run of the first")
	}
	again := p.get("/library/note/run").fields(t, "/library/note/run")
	for _, name := range []string{"in.text", "do", "approve"} {
		again[name] = form[name]
	}
	same(p.sends(p.ctx, 2, "/library/note/run", again), "/runs/")
	if n := len(p.runsOf()); n != 3 {
		t.Errorf("there are %d runs, want 3", n)
	}

	// What is wrong does nothing, and may be sent again when it is right.
	wrong := p.get("/schedules/_new?workflow=note").fields(t, "/schedules/_new")
	if got := p.sends(p.ctx, 2, "/library/nosuch/delete", wrong); strings.HasPrefix(got[0], "303") || strings.HasPrefix(got[1], "303") {
		t.Errorf("deleting what is not there leads to %q", got)
	}

	// A request: asked by a browser that leaves at once, and then twice more.
	ask := p.get("/").fields(t, "/")
	ask.Set("request", "copy a.txt to b.txt")
	if err := os.WriteFile(p.file("a.txt"), []byte("a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	gone, leave := context.WithCancel(p.ctx)
	go leave()
	p.sends(gone, 1, "/", ask)
	plan := same(p.sends(p.ctx, 2, "/", ask), "/plans/")
	if n := len(p.runsOf("--kind", "plan")); n != 1 {
		t.Errorf("one form made %d plans", n)
	}

	// Approval.
	ready := p.until(plan, `formaction="`+plan+`/apply"`)
	apply := pageAnswer{Body: ready}.fields(t, plan+"/edit")
	apply.Set("do", "run")
	same(p.sends(p.ctx, 3, plan+"/apply", apply), "/")
	for _, r := range p.runsOf("--kind", "workflow") {
		p.until("/runs/"+r.ID, `data-state="done"`)
	}
	if _, err := os.Stat(p.file("b.txt")); err != nil || len(p.runsOf("--kind", "workflow")) != 4 {
		t.Errorf("approved three times: %d runs, %v", len(p.runsOf("--kind", "workflow")), err)
	}
}
