//go:build !race

package main

import (
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"pflow/internal/llmtest"
	"pflow/internal/web/assets/browsertest"
)

// hostileReplyText is what no page may carry out, lay over others, or show as something else.
const hostileReplyText = "<script>window.ran=1</script>\"><img src=x onerror=\"window.ran=2\"> javascript:window.ran=3 \u202egpj.exe\u2066\u2069 \u001b[31mred\u0007 " +
	"</textarea></script><svg onload=window.ran=4> {{.Token}} Z\u0300\u0301\u0302"

// harmDone is what a page has that came of markup or of characters that are not seen, but what stands in an editor.
const harmDone = `(() => {
	const unseen = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/, out = window.ran ? ["it ran: " + window.ran] : [];
	for (const e of document.querySelectorAll("*")) {
		const field = e.tagName === "TEXTAREA" || e.tagName === "INPUT";
		for (const a of e.attributes)
			if (a.name.startsWith("on") || /^\s*javascript:/i.test(a.value) && a.name !== "value" || !field && unseen.test(a.value)) out.push(e.cloneNode(false).outerHTML);
		for (const n of e.childNodes)
			if (n.nodeType === 3 && unseen.test(n.data) && !field && e.type !== "application/json") out.push(e.tagName + " " + JSON.stringify(n.data.slice(0, 200)));
	}
	return out;
})()`

// TestPageHostileReplies: whatever a model replies is text on every page that shows it. Where a value is not in the words that the model
// names for it, the plan says who made it; what stands in its field otherwise than it is, is shown as it is, too.
func TestPageHostileReplies(t *testing.T) {
	quoted, err := json.Marshal(hostileReplyText)
	if err != nil {
		t.Fatal(err)
	}
	replies := map[string]string{
		"choice":     `{"node_ids": ["copy-file", "EVIL"], "workflow_names": ["../../EVIL"], "reasoning": "EVIL"}`,
		"parameters": `{"params": [{"name": "source", "value": "notes.txt"}, {"name": "target", "value": "EVIL"}]}`,
		"workflow": `{"feasible": true, "reason": "EVIL", "parts": [{"text": "copy", "by": "node:copy-it"}, {"text": "notes.txt", "by": "input:source"}, {"text": "to backup/notes.txt", "by": "input:target"}],
		 "workflow": {"ir_version": "0.1.0", "inputs": {"source": {"type": "string", "required": true, "description": "EVIL"}, "target": {"type": "string", "required": true, "description": "EVIL"}},
		 "nodes": [{"id": "copy-it", "type": "copy-file", "purpose": "EVIL", "params": {"source_path": "${source}", "dest_path": "${target}"}}], "edges": [],
		 "outputs": {"copy": {"source": "${copy-it.dest_path}", "type": "string", "description": "EVIL"}}}}`,
		"metadata": `{"name": "keep-a-copy", "description": "EVIL", "keywords": ["EVIL", "file", "duplicate"]}`,
		"values":   `{"values": [{"name": "source", "value": "notes.txt"}, {"name": "target", "value": "EVIL"}]}`,
	}
	model := llmtest.New(t, llmtest.Script{Answer: func(r *llmtest.Request) *llmtest.Reply {
		return &llmtest.Reply{Text: strings.ReplaceAll(replies[r.Schema], "EVIL", string(quoted[1:len(quoted)-1]))}
	}})
	p := atPage(t, map[string]string{"notes.txt": "remember\n"}, "OPENAI_BASE_URL="+model.BaseURL(), "OPENAI_API_KEY="+serverKey)
	plan := planned(t, p, "request", "copy notes.txt to backup/notes.txt")
	said := html.UnescapeString(plan.Body)
	pageSays(t, plan, "Ready to run")
	for _, want := range []string{"your words “notes.txt”", "a model made it of your words “to backup/notes.txt”, where it is not written", "characters that are not seen", `\u202egpj.exe\u2066`} {
		if !strings.Contains(said, want) {
			t.Errorf("the plan does not say %q:\n%s", want, mainOf(said))
		}
	}
	run := strings.TrimPrefix(plan.Path, "/plans/")
	b := browsertest.Start(t)
	b.Look("light", 360, 900)
	b.Do(chromedp.Navigate(p.open))
	for _, path := range []string{plan.Path, "/runs/" + run + "/calls", "/runs/" + run, p.ended(p.post("/planner/replay", "run", run, "flow", "")).Path} {
		b.Do(chromedp.Navigate(p.url + path))
		b.Wait(`document.readyState === "complete" && location.pathname === ` + fmt.Sprintf("%q", path))
		browsertest.JS[bool](b, `(document.querySelectorAll("details").forEach(d => d.open = true), true)`)
		b.Narrow()
		for _, harm := range browsertest.JS[[]string](b, harmDone) {
			t.Errorf("%s: %s", path, harm)
		}
		b.Quiet()
	}
}
