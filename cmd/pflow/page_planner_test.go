//go:build !race

package main

import (
	"encoding/json"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"pflow/internal/llmtest"
)

// plannerReplies are what the scripted model says to the prompts of the planner, by the schema of the reply: a plan that copies a file.
func plannerReplies(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	files, err := filepath.Glob("../../examples/recorded/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(err, "no recordings")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var x struct {
			Request struct {
				Messages []struct{ Content string }
				Schema   struct{ Name string }
			}
			Reply struct{ Text string }
		}
		if err := json.Unmarshal(data, &x); err != nil {
			t.Fatal(err)
		}
		loud := false
		for _, m := range x.Request.Messages {
			loud = loud || strings.Contains(m.Content, "loud")
		}
		if loud && out[x.Request.Schema.Name] == "" {
			out[x.Request.Schema.Name] = x.Reply.Text
		}
	}
	return out
}

const loudRequest = "make the words of notes.txt loud, all in capitals, and keep them in loud.txt"

// hostileReply is what a model may say, too.
const hostileReply = "</script><img src=x onerror=alert(1)><script>alert(2)</script>\u202e"

// plannerPage is a page over a home with one plan that a scripted model made.
func plannerPage(t *testing.T) (p *pageServer, asked func() []*llmtest.Request, name *string) {
	t.Helper()
	replies := plannerReplies(t)
	var mu sync.Mutex
	var all []*llmtest.Request
	named := ""
	name = &named
	model := llmtest.New(t, llmtest.Script{Answer: func(r *llmtest.Request) *llmtest.Reply {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, r)
		text := replies[r.Schema]
		if r.Schema == "metadata" {
			text = strings.ReplaceAll(text, `Writes the words`, hostileReply+" writes the words")
		}
		if r.Schema == "metadata" && named != "" {
			text = strings.ReplaceAll(text, "capitalize-file", named)
		}
		return &llmtest.Reply{Text: text}
	}})
	asked = func() []*llmtest.Request {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
	p = startPage(t, t.TempDir(), "OPENAI_BASE_URL="+model.BaseURL(), "OPENAI_API_KEY=sk-test-0123456789abcdef", "ANTHROPIC_API_KEY=", "GEMINI_API_KEY=", "OPENROUTER_API_KEY=")
	p.pflow("plan", "--model", "openai/gpt-4.1-mini", "--json", loudRequest)
	return p, asked, name
}

// TestPagePlannerReplay: an edited prompt is foreseen to ask one call, asks just that one, and both plans stand side by side; what is not
// saved is replayed, too.
func TestPagePlannerReplay(t *testing.T) {
	t.Parallel()
	p, asked, name := plannerPage(t)
	first := len(asked())
	page := p.get("/planner/prompts/metadata.tmpl")
	if page.Status != 200 || !strings.Contains(page.Body, "See what would be asked") {
		t.Fatal(page.Status, page.Body)
	}
	text := editorText(t, page.Body)
	edited := strings.Replace(text, "two to five words, a verb first", "two to five words, a noun first", 1)
	if edited == text {
		t.Fatal("the prompt is another one")
	}
	run := regexp.MustCompile(`<option value="([^"]+)" selected>`).FindStringSubmatch(page.Body)[1]
	fields := []string{"run", run, "flow", "", "place", "prompts/metadata.tmpl", "text", strings.ReplaceAll(edited, "\n", "\r\n")}

	dry := p.ended(p.post("/planner/replay", append(fields, "dry", "1")...))
	for _, want := range []string{"<strong>4</strong> <span>calls answered as recorded", "<strong>1</strong> <span>would be asked of a model: metadata", "<ins>- name: kebab-case, two to five words, a noun first: what it does.</ins>", "Ask it now"} {
		if !strings.Contains(dry.Body, want) {
			t.Errorf("foreseen: no %q in\n%s", want, dry.Body)
		}
	}
	if n := len(asked()); n != first {
		t.Fatalf("a dry run asked %d times", n-first)
	}
	*name = "file-capitalize"
	real := p.ended(p.post("/planner/replay", fields...))
	for _, want := range []string{"Before and after", "<strong>4</strong> <span>calls answered as recorded", "<strong>1</strong> <span>asked of a model", "<mark>capitalize-file</mark>", "<mark>file-capitalize</mark>"} {
		if !strings.Contains(real.Body, want) {
			t.Errorf("replayed: no %q in\n%s", want, real.Body)
		}
	}
	if strings.Contains(real.Body, "\u202e") || strings.Contains(real.Body, "<img") || strings.Contains(real.Body, "<script>alert") || !strings.Contains(real.Body, "&lt;img src=x") {
		t.Error("the reply of a model is no text of the page")
	}
	if now := asked()[first:]; len(now) != 1 || now[0].Schema != "metadata" || !strings.Contains(now[0].Messages[0].Content, "a noun first") {
		t.Errorf("asked %d: %+v", len(now), now)
	}
	if strings.Contains(p.get("/planner/prompts/metadata.tmpl").Body, "a noun first") {
		t.Error("a replay saved the text")
	}

	// Saved, the same is asked again, since a replay is held against the run that it is of.
	if saved := p.post("/planner/prompts/metadata.tmpl", "if", "none", "text", edited); saved.Path != "/planner/prompts/metadata.tmpl?saved=1" || !strings.Contains(saved.Body, "yours, changed") {
		t.Fatal(saved.Path, saved.Body)
	}
	status, doc := p.api("POST", "/api/v1/runs/last/replay?wait=true", map[string]any{})
	if status != 200 || doc["asked"] != 1.0 || doc["recorded"] != 4.0 || doc["schema"] != "pflow.run-replay/v1" {
		t.Errorf("%d %v", status, doc["asked"])
	}
	if b, _ := doc["before"].(map[string]any); b["run_id"] != run {
		t.Errorf("last is %v, and not the plan that somebody asked for, %s", b["run_id"], run)
	}
}

// editorText is what stands in the editor of a page.
func editorText(t *testing.T, page string) string {
	t.Helper()
	m := regexp.MustCompile(`(?s)<textarea [^>]*name="text"[^>]*>\n(.*?)</textarea>`).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("no editor in\n%s", page)
	}
	return html.UnescapeString(m[1])
}

// TestPagePlannerSave: what is wrong is not saved and stays in the editor with its findings; what somebody else saved meanwhile is not lost; what is
// shipped can be gone back to.
func TestPagePlannerSave(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	const path = "/planner/flows/planner-words"
	page := p.get(path)
	text := editorText(t, page.Body)
	for _, want := range []string{"<pflow-editor", `check="/api/v1/editor/flows/planner-words/check"`, "<pflow-graph", "Save as mine", "Make it mine"} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("no %q in %s", want, page.Body)
		}
	}
	hostile := strings.Replace(text, "description: ", "description: </textarea><script>alert(1)</script> ", 1)
	bad := p.post(path, "if", "none", "text", strings.Replace(hostile, "nodes:", "nodez:", 1))
	if bad.Status != 422 || !strings.Contains(bad.Body, "a flow has no key &#34;nodez&#34;") || !strings.Contains(bad.Body, "It was not saved") {
		t.Error(bad.Status, bad.Body)
	}
	if !strings.Contains(editorText(t, bad.Body), "nodez:") || strings.Contains(bad.Body, "<script>alert") {
		t.Error("what was typed is lost, or runs")
	}
	for _, broken := range []string{"", "{", "flow: [", "\tx: 1", "flow: planner-words\nversion: 1\nextends: nowhere\n", "a: &a [*a]", strings.Repeat("[", 5000)} {
		if got := p.post(path, "if", "none", "text", broken); got.Status != 422 && got.Status != 400 || !strings.Contains(got.Body, "<nav") {
			t.Errorf("%.20q: %d\n%s", broken, got.Status, got.Body)
		}
		status, doc := p.api("POST", "/api/v1/editor/flows/planner-words/check", map[string]any{"text": broken})
		if found, _ := doc["diagnostics"].([]any); status != 200 && status != 400 || status == 200 && len(found) == 0 {
			t.Errorf("check of %.20q: %d %v", broken, status, doc)
		}
	}
	if got := p.post(path, "if", "none", "text", hostile); got.Path != path+"?saved=1" || strings.Contains(got.Body, "<script>alert") {
		t.Fatal(got.Path, got.Body)
	}
	if list := p.get("/planner").Body; strings.Contains(list, "<script>alert") || !strings.Contains(list, "&lt;script&gt;alert(1)") {
		t.Error(list)
	}
	// The second editor began with what was shipped.
	mine := strings.Replace(text, "version: 1\n", "version: 1\n# mine\n", 1)
	again := p.post(path, "if", "none", "text", mine)
	if again.Status != 422 || !strings.Contains(again.Body, "Somebody saved this meanwhile") || editorText(t, again.Body) != mine {
		t.Error(again.Status, again.Body)
	}
	if !strings.Contains(again.Body, "<ins># mine</ins>") {
		t.Error("the difference is not shown")
	}
	hash := regexp.MustCompile(`name="if" value="([0-9a-f]{32})"`).FindStringSubmatch(again.Body)
	if hash == nil {
		t.Fatal(again.Body)
	}
	if got := p.post(path, "if", hash[1], "text", mine); got.Path != path+"?saved=1" || !strings.Contains(got.Body, "# mine") {
		t.Error(got.Path)
	}
	now := regexp.MustCompile(`name="if" value="([0-9a-f]{32})"`).FindStringSubmatch(p.get(path).Body)[1]
	if got := p.post(path+"/delete", "if", hash[1], "sure", "yes"); got.Status != 409 {
		t.Errorf("another text was deleted: %d", got.Status)
	}
	if got := p.post(path+"/delete", "if", now); got.Status != 400 {
		t.Errorf("deleted without a word: %d", got.Status)
	}
	if got := p.post(path+"/delete", "if", now, "sure", "yes"); got.Path != path || editorText(t, got.Body) != text {
		t.Error(got.Status, got.Path)
	}
}

// TestPagePlannerCheck: the findings of an editor are those of flow check, in their places, with the graph once it is right.
func TestPagePlannerCheck(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	text := p.pflow("flow", "show", "planner-metadata")
	status, doc := p.api("POST", "/api/v1/editor/flows/planner-metadata/check", map[string]any{"text": text})
	if found, _ := doc["diagnostics"].([]any); status != 200 || len(found) != 0 || doc["graph"] == nil {
		t.Errorf("%d %v", status, doc)
	}
	status, doc = p.api("POST", "/api/v1/editor/flows/planner-metadata/check", map[string]any{"text": strings.Replace(text, "op: eval", "op: evil", 1)})
	first, _ := doc["diagnostics"].([]any)
	if status != 200 || len(first) == 0 || doc["graph"] != nil {
		t.Fatalf("%d %v", status, doc)
	}
	f := first[0].(map[string]any)
	if place, _ := f["place"].(map[string]any); place["line"] == nil || f["suggestion"] != "eval" {
		t.Errorf("%v", f)
	}
	prompt := p.pflow("prompt", "show", "metadata")
	status, doc = p.api("POST", "/api/v1/editor/prompts/metadata.tmpl/check", map[string]any{"text": strings.Replace(prompt, `"request" .request`, `"request" .wish`, 1)})
	if found, _ := doc["diagnostics"].([]any); status != 200 || len(found) == 0 {
		t.Errorf("a variable that no flow gives: %d %v", status, doc)
	}
	_, doc = p.api("GET", "/api/v1/editor/flows/planner-metadata/options", nil)
	words := map[string]bool{}
	for _, o := range doc["options"].([]any) {
		words[o.(map[string]any)["label"].(string)] = true
	}
	for _, want := range []string{"op", "next", "eval", "ask", "settle", "store.templatized_input", "params.name_words", "holds", "metadata", "planner-ask", "end"} {
		if !words[want] {
			t.Errorf("no %q is offered", want)
		}
	}
	_, doc = p.api("GET", "/api/v1/editor/prompts/metadata.tmpl/options", nil)
	if text, _ := json.Marshal(doc); !strings.Contains(string(text), `".steps"`) {
		t.Errorf("%s", text)
	}
	for _, path := range []string{"/planner/flows/nowhere", "/planner/prompts/nowhere.tmpl", "/planner/flows/..%2f..%2fetc", "/planner/prompts/" + url.PathEscape("../../x.tmpl"), "/planner/jobs/NOWHERE"} {
		if got := p.get(path); got.Status != 404 && got.Status != 400 {
			t.Errorf("%s: %d", path, got.Status)
		}
	}
}

// TestPagePlannerVariant: an edit is kept as a planner of another name, which replays as the edit does; eject and tests are actions.
func TestPagePlannerVariant(t *testing.T) {
	t.Parallel()
	p, asked, _ := plannerPage(t)
	first := len(asked())
	edited := strings.Replace(editorText(t, p.get("/planner/prompts/metadata.tmpl").Body), "a verb first", "a noun first", 1)
	kept := p.post("/planner/variant", "variant_of", "planner", "as", "nouns", "place", "prompts/metadata.tmpl", "text", edited)
	if compare := regexp.MustCompile(`href="(/experiments/_new\?[^"]+)"`).FindStringSubmatch(kept.Body); compare == nil || p.get(html.UnescapeString(compare[1])).Status != 200 {
		t.Errorf("no experiment can be begun: %v", compare)
	}
	if kept.Path != "/planner/flows/nouns" || !strings.Contains(kept.Body, "nouns-planner-metadata") {
		t.Fatal(kept.Path, kept.Body)
	}
	p.pflow("flow", "check", "nouns")
	if twice := p.post("/planner/variant", "variant_of", "planner", "as", "nouns", "place", "prompts/metadata.tmpl", "text", edited); twice.Status != 400 {
		t.Errorf("a variant replaced another: %d", twice.Status)
	}
	if _, doc := p.api("POST", "/api/v1/runs/last/replay?wait=true", map[string]any{"flow": "nouns"}); doc["asked"] != 1.0 || doc["recorded"] != 4.0 {
		t.Errorf("%v", doc)
	}
	if got := len(asked()) - first; got != 1 {
		t.Errorf("asked %d times", got)
	}
	if got := p.post("/planner/eject/planner"); got.Path != "/planner/flows/planner" || !strings.Contains(got.Body, "yours, as shipped") {
		t.Error(got.Path)
	}
	if got := p.ended(p.post("/planner/flows/planner-metadata/test")); !strings.Contains(got.Body, " passed, 0 failed") {
		t.Error(got.Body)
	}
	if got := p.get("/planner/replay?run=last"); got.Status != 200 {
		t.Error(got.Status)
	}
}

func containsAll(text string, all ...string) bool {
	for _, one := range all {
		if !strings.Contains(text, one) {
			return false
		}
	}
	return true
}
