package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/llmtest"
)

// workflowExamples are the workflows of examples/workflows, each with a test that runs it by the program, and looks at
// what is there afterwards.
var workflowExamples = map[string]func(*testing.T, *bench){
	"issue-triage":           issueTriage,
	"label-issues":           labelIssues,
	"stale-issues":           staleIssues,
	"issues-to-csv":          issuesToCSV,
	"release-notes":          releaseNotes,
	"open-pull-request":      openPullRequest,
	"changelog":              changelog,
	"commit-report":          commitReport,
	"bump-version":           bumpVersion,
	"weekly-report":          weeklyReport,
	"invoices":               invoices,
	"bank-statement":         bankStatement,
	"csv-total":              csvTotal,
	"totals":                 totals,
	"html-report":            htmlReport,
	"log-errors":             logErrors,
	"rotate-logs":            rotateLogs,
	"backup-folder":          backupFolder,
	"find-duplicates":        findDuplicates,
	"photos-by-date":         photosByDate,
	"batch-rename":           batchRename,
	"replace-in-docs":        replaceInDocs,
	"download-list":          downloadList,
	"watch-page":             watchPage,
	"watch-url":              watchURL,
	"check-links":            checkLinks,
	"table-from-page":        tableFromPage,
	"all-pages":              allPages,
	"summarise-each":         summariseEach,
	"branch-by-result":       branchByResult,
	"wait-for-job":           waitForJob,
	"retries":                retries,
	"publish-after-approval": publishAfterApproval,
	"two-at-once":            twoAtOnce,
	"fallback":               fallback,
}

const exampleFolder = "../../examples/workflows"

// exampleFiles are the files of the workflows by their names.
func exampleFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, ending := range []string{".json", ".yaml"} {
		found, err := filepath.Glob(exampleFolder + "/*" + ending)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range found {
			files[strings.TrimSuffix(filepath.Base(file), ending)] = filepath.Base(file)
		}
	}
	return files
}

// runExamples runs the workflows that are wanted.
func runExamples(t *testing.T, which func(name string) bool) {
	t.Helper()
	files := exampleFiles(t)
	for name, test := range workflowExamples {
		if !which(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &bench{session: newSession(t), name: name, file: "./workflows/" + files[name]}
			if err := os.CopyFS(filepath.Join(b.dir, "workflows"), os.DirFS(exampleFolder)); err != nil {
				t.Fatal(err)
			}
			if name == "totals" {
				b.must("pflow workflow save ./workflows/csv-total.yaml --batch") // which is a component of it
			}
			b.must("pflow validate " + b.file)
			b.must("pflow workflow save " + b.file + " --name " + name + " --batch")
			shown := b.must("pflow workflow show " + name)
			for _, id := range nodeIDs(t, filepath.Join(b.dir, b.file)) {
				if !strings.Contains(shown, id+": ") {
					t.Errorf("pflow workflow show hides the node %s:\n%s", id, shown)
				}
			}
			test(t, b)
		})
	}
}

// nodeIDs reads the ids off the text of a workflow, in JSON or YAML.
func nodeIDs(t *testing.T, file string) (ids []string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)(?:\{"id": "|^  - id: )([a-z0-9-]+)`).FindAllSubmatch(data, -1) {
		ids = append(ids, string(m[1]))
	}
	if len(ids) == 0 {
		t.Fatalf("%s has no nodes", file)
	}
	return ids
}

// bench is a directory and a home of one example's own.
type bench struct {
	*session
	name, file string
}

// must runs a command of the shell, which must succeed, and gives what it prints.
func (b *bench) must(command string) string {
	b.t.Helper()
	out, err := b.run(command)
	if err != nil {
		b.t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}

// foresees dry-runs the example with these inputs, which must leave everything as it was, and gives what that prints.
func (b *bench) foresees(inputs string) string {
	b.t.Helper()
	before := b.tree()
	out := b.must("pflow run " + b.file + " " + inputs + " --dry-run")
	if !strings.HasSuffix(out, "nothing was run\n") {
		b.t.Errorf("--dry-run prints\n%s", out)
	}
	if diff := cmp.Diff(before, b.tree()); diff != "" {
		b.t.Errorf("--dry-run changed files (-before +after):\n%s", diff)
	}
	return out
}

// does dry-runs the example with these inputs, and then runs it.
func (b *bench) does(inputs string) map[string]any {
	b.t.Helper()
	b.foresees(inputs)
	return b.outputs(b.must("pflow run " + b.file + " " + inputs + " --json 2>&1"))
}

// waits dry-runs the example, and runs it until it waits for an approval, before which only what so far says may have
// happened; then it is approved.
func (b *bench) waits(inputs string, soFar func()) map[string]any {
	b.t.Helper()
	b.foresees(inputs)
	out, err := b.run("pflow run " + b.file + " " + inputs + " --json 2>/dev/null")
	var run struct {
		Status string
		RunID  string `json:"run_id"`
	}
	if e := json.Unmarshal(out, &run); e != nil || exitStatus(err) != exitDeclined || run.Status != "waiting" {
		b.t.Fatalf("%v, %v\n%s", err, e, out)
	}
	soFar()
	return b.outputs(b.must("pflow resume " + run.RunID + " --yes --json 2>&1"))
}

// refuses runs the example, which must end with this exit status and say this.
func (b *bench) refuses(inputs string, status int, want string) {
	b.t.Helper()
	out, err := b.run("pflow run " + b.file + " " + inputs)
	if exitStatus(err) != status || !strings.Contains(string(out), want) {
		b.t.Errorf("%v, want exit status %d and %q\n%s", err, status, want, out)
	}
}

func (b *bench) outputs(text string) map[string]any {
	b.t.Helper()
	var out struct {
		Status  string
		Outputs map[string]any
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil || out.Status != "done" {
		b.t.Fatalf("%v\n%s", err, text)
	}
	return out.Outputs
}

// tree is every file of the directory with its text, but for the workflows.
func (b *bench) tree() map[string]string {
	b.t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(b.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(b.dir, path)
		if err != nil || strings.HasPrefix(rel, "workflows"+string(filepath.Separator)) || strings.HasPrefix(rel, ".git"+string(filepath.Separator)) {
			return err
		}
		data, err := os.ReadFile(path)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return files
}

// is compares the files that are there with the ones that are wanted.
func (b *bench) is(want map[string]string) {
	b.t.Helper()
	if diff := cmp.Diff(want, b.tree()); diff != "" {
		b.t.Errorf("the files (-want +got):\n%s", diff)
	}
}

func (b *bench) same(what string, got, want any) {
	b.t.Helper()
	g, _ := json.Marshal(got)
	w, _ := json.Marshal(want)
	if string(g) != string(w) {
		b.t.Errorf("%s: %s, want %s", what, g, w)
	}
}

// api is a server of one example. It keeps what it was sent: "METHOD /path?query body". Its answers hold mu.
type api struct {
	*httptest.Server
	mu   sync.Mutex
	sent []string
}

func (a *api) requests() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.sent)
}

// from changes what is answered from now on.
func (a *api) from(now func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now()
}

func (b *bench) serve(answer func(a *api, w http.ResponseWriter, r *http.Request)) *api {
	a := &api{}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			b.t.Error(err)
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.sent = append(a.sent, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Method, r.URL, body)))
		answer(a, w, r)
	}))
	b.t.Cleanup(a.Close)
	return a
}

// count is how many requests began with a text, for an answer.
func (a *api) count(begin string) (n int) {
	for _, s := range a.sent {
		if strings.HasPrefix(s, begin) {
			n++
		}
	}
	return n
}

func answerJSON(w http.ResponseWriter, text string, args ...any) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, text, args...)
}

func (b *bench) model(replies ...llmtest.Reply) *llmtest.Server {
	server := llmtest.New(b.t, llmtest.Script{Replies: replies})
	b.env = append(b.env, "OPENAI_BASE_URL="+server.BaseURL(), "OPENAI_API_KEY="+serverKey)
	return server
}

func summariseEach(t *testing.T, b *bench) {
	b.keep("notes/a.txt", "Apples are red.")
	b.keep("notes/b.txt", "Bananas are yellow.")
	b.keep("notes/c.txt", "Cherries are dark.")
	before := b.tree()
	server := b.model(llmtest.Reply{Match: "Apples", Text: "Of apples."}, llmtest.Reply{Match: "Bananas", Fault: "unavailable"},
		llmtest.Reply{Match: "Bananas", Text: "Of bananas."}, llmtest.Reply{Match: "Cherries", Text: "Of cherries."})
	b.does("")
	before["summaries/a.txt"], before["summaries/b.txt"], before["summaries/c.txt"] = "Of apples.\n", "Of bananas.\n", "Of cherries.\n"
	b.is(before)
	if n := len(server.Requests()); n != 4 {
		t.Errorf("%d calls of the model, want 3 and the one that failed", n)
	}
}

func branchByResult(_ *testing.T, b *bench) {
	a := b.serve(func(_ *api, w http.ResponseWriter, _ *http.Request) { answerJSON(w, `{}`) })
	b.keep("none.log", "INFO up\nnot an ERROR line\n")
	b.keep("some.log", "ERROR disk\nINFO up\n")
	b.keep("many.log", strings.Repeat("ERROR disk\n", 12))
	before := b.tree()
	for file, want := range map[string]string{"none": "default", "some": "some", "many": "many"} {
		b.same(file, b.does("file=" + file + ".log hook=" + a.URL)["case"], want)
	}
	got := b.tree()
	lines := strings.Split(strings.TrimSpace(got["errors.txt"]), "\n")
	delete(got, "errors.txt")
	b.same("other files", got, before)
	b.same("lines noted", len(lines), 2)
	b.same("requests", a.requests(), []string{`POST / {"text":"12 errors in many.log"}`})
}

func waitForJob(t *testing.T, b *bench) {
	fails := false
	a := b.serve(func(a *api, w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			answerJSON(w, `{"id": 7}`)
		case fails:
			answerJSON(w, `{"state": "failed", "message": "the video is broken"}`)
		case a.count("GET ") < 3:
			answerJSON(w, `{"state": "running"}`)
		default:
			answerJSON(w, `{"state": "done", "result": "https://example.org/film.webm"}`)
		}
	})
	out := b.does("api=" + a.URL + " video=film.mp4 pause=1ms")
	b.same("result", out["result"], "https://example.org/film.webm")
	b.same("rounds", len(out["asked"].([]any)), 3)
	b.same("requests", a.requests(), []string{`POST /jobs {"video":"film.mp4"}`, "GET /jobs/7", "GET /jobs/7", "GET /jobs/7"})

	a.from(func() { fails = true })
	text, err := b.run("pflow run " + b.file + " api=" + a.URL + " video=film.mp4 pause=1ms")
	if exitStatus(err) != 1 || !strings.Contains(string(text), "the video is broken [job_failed]") {
		t.Errorf("%v\n%s", err, text)
	}
}

func retries(t *testing.T, b *bench) {
	refuse := 2
	a := b.serve(func(_ *api, w http.ResponseWriter, _ *http.Request) {
		if refuse > 0 {
			refuse--
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusCreated)
	})
	b.keep("data.txt", "a line\n")
	b.same("status", b.does("file=data.txt wait=1ms url=" + a.URL)["status"], 201)
	b.same("requests", a.requests(), []string{"POST / a line", "POST / a line", "POST / a line"})

	a.from(func() { refuse = 9 })
	if out, err := b.run("pflow run " + b.file + " file=data.txt wait=1ms tries=2 url=" + a.URL); exitStatus(err) != 1 {
		t.Errorf("%v\n%s", err, out)
	}
	b.same("requests in all", len(a.requests()), 5)
}

func twoAtOnce(t *testing.T, b *bench) {
	meet := make(chan bool) // neither server answers before the other one is asked
	at := func(answer string, wait func() bool) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !wait() {
				http.Error(w, "the other one was not asked meanwhile", http.StatusNotFound)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, answer)
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	ctx := t.Context()
	weather := at(`{"sky": "rain"}`, func() bool {
		select {
		case meet <- true:
			return true
		case <-ctx.Done():
			return false
		}
	})
	news := at(`["It rains.", "Again."]`, func() bool {
		select {
		case <-meet:
			return true
		case <-ctx.Done():
			return false
		}
	})
	b.does("weather=" + weather + " news=" + news)
	b.is(map[string]string{"morning.md": "# rain\n\n- It rains.\n- Again.\n"})
}

func fallback(_ *testing.T, b *bench) {
	a := b.serve(func(_ *api, w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/gone" {
			http.Error(w, "gone", http.StatusGone)
			return
		}
		answerJSON(w, `{"theme": "dark"}`)
	})
	b.does("file=there.json url=" + a.URL + "/there")
	b.does("file=gone.json url=" + a.URL + "/gone")
	files := b.tree()
	b.same("what was fetched", json.RawMessage(files["there.json"]), map[string]any{"theme": "dark"})
	var instead map[string]string
	if err := json.Unmarshal([]byte(files["gone.json"]), &instead); err != nil || instead["theme"] != "plain" || !strings.Contains(instead["because"], "410") {
		b.t.Errorf("instead: %v, %v", instead, err)
	}
}

func publishAfterApproval(_ *testing.T, b *bench) {
	b.keep("draft.txt", "1 < 2\n")
	page := "<pre>1 &lt; 2\n</pre>\n"
	out := b.waits("draft=draft.txt", func() {
		b.is(map[string]string{"draft.txt": "1 < 2\n", "preview.html": page}) // nothing is published yet
	})
	b.same("page", out["page"], "public/index.html")
	b.is(map[string]string{"draft.txt": "1 < 2\n", "preview.html": page, "public/index.html": page})
}
