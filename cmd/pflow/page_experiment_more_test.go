//go:build !race && unix

package main

import (
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPageExperimentMore: a verdict that more cases would decide has a form that asks the same on other cases; any other verdict has none, and
// neither has an experiment that the form could not ask again.
func TestPageExperimentMore(t *testing.T) {
	t.Parallel()
	p := startPage(t, t.TempDir())
	var few, more strings.Builder
	for i := range 40 {
		line := fmt.Sprintf(`{"id": "copy-%d", "request": "copy a%d.txt to b%d.txt", "expect": {"nodes": ["copy-file"]}}`+"\n", i, i, i)
		if more.WriteString(line); i < 7 {
			few.WriteString(line)
		}
	}
	for i, file := range []string{"photo.jpg", "song.mp3", "report.pdf"} { // only one of the two flows asks
		fmt.Fprintf(&few, `{"id": "ask-%d", "request": "rename %s", "expect": {"status": "needs_input"}}`+"\n", i, file)
	}
	if err := os.MkdirAll(filepath.Join(p.home, "cases"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{filepath.Join(p.home, "cases", "few.jsonl"): few.String(), filepath.Join(p.home, "cases", "more.jsonl"): more.String(), p.file("few.jsonl"): few.String()} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hidden := func(page pageAnswer) url.Values {
		t.Helper()
		_, form, found := strings.Cut(page.Body, "Run more to know")
		if !found {
			t.Fatalf("%s has no form for more cases:\n%s", page.Path, visible(page))
		}
		form, _, _ = strings.Cut(form, "</form>")
		out := url.Values{}
		for _, m := range regexp.MustCompile(`type="hidden" name="([^"]+)" value="([^"]*)"`).FindAllStringSubmatch(form, -1) {
			out.Add(m[1], html.UnescapeString(m[2]))
		}
		return out
	}

	page := over(t, p, p.post("/experiments", "a", "planner-words", "b", "planner-offline", "cases", "home:few", "effect", "0.03"))
	page = p.get(page.Path)
	pageSays(t, page, "EXTEND", `<option value="home:few">the same 10</option>`, "home:more (40)")
	form := hidden(page)
	if form.Get("a") != "planner-words" || form.Get("b") != "planner-offline" || form.Get("effect") != "0.03" {
		t.Errorf("the form asks something else: %v", form)
	}
	form.Set("cases", "home:more")
	pageSays(t, p.get("/experiments/_new?"+form.Encode()), "Ready to run", "40 cases", "80 plans to make")

	// Cases that the page does not open are no choice; what it could not ask again has no form.
	p.pflow("experiment", "run", "--a", "planner-words", "--b", "planner-offline", "--cases", p.file("few.jsonl"), "--id", "file", "--quiet")
	ofFile := p.get("/experiments/file")
	if hidden(ofFile); strings.Contains(ofFile.Body, "the same 10") {
		t.Errorf("a file can be chosen:\n%s", visible(ofFile))
	}
	p.pflow("experiment", "run", "--a", "planner-words", "--b", "planner-offline", "--cases", "home:few", "--seed", "3", "--id", "seeded", "--quiet")
	p.pflow("experiment", "run", "--a", "planner-words", "--b", "planner-offline", "--cases", "home:more", "--allow-equal", "--id", "same", "--quiet")
	for _, id := range []string{"seeded", "same"} {
		if got := p.get("/experiments/" + id); strings.Contains(got.Body, "Run more to know") || !strings.Contains(got.Body, "Verdict") {
			t.Errorf("%s has a form, or no verdict:\n%s", id, visible(got))
		}
	}
}
