package host

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pflow/internal/githubtest"
	"pflow/internal/library"
	"pflow/internal/llmtest"
	"pflow/internal/workflow"
)

const exampleFolder = "../../../examples/workflows"

// examples make the folder of each workflow of examples/workflows, with the servers that it calls, and give its inputs.
var examples = map[string]func(b *bench) map[string]any{
	"log-errors": func(b *bench) map[string]any {
		b.keep("logs/a.log", "2026-03-04 10:00 INFO up\n2026-03-04 10:01 ERROR disk\n  at main.go:7\n2026-03-05 09:00 FATAL <out>\n")
		b.keep("logs/b.log", "2026-03-04 11:00 ERROR net\n2026-03-04 11:01 INFO no TERROR here\n")
		return map[string]any{"around": 1}
	},
	"rotate-logs": func(b *bench) map[string]any {
		b.keep("logs/old.log", "old")
		return map[string]any{"days": -1}
	},
	"backup-folder": func(b *bench) map[string]any {
		b.keep("notes/a.txt", "a")
		b.keep("notes/b.tmp", "b")
		return map[string]any{"folder": "notes"}
	},
	"find-duplicates": func(b *bench) map[string]any {
		for name, text := range map[string]string{"a.txt": "same", "b/c.txt": "same", "b/d.txt": "other", "z, z.txt": "same", "empty": ""} {
			b.keep("files/"+name, text)
		}
		return map[string]any{"folder": "files"}
	},
	"photos-by-date": func(b *bench) map[string]any {
		b.keep("inbox/IMG_7.JPG", "7")
		b.keep("inbox/film.mov", "film")
		return nil
	},
	"batch-rename": func(b *bench) map[string]any {
		b.keep("photos/Holiday 1.JPG", "one")
		b.keep("photos/Café & Bar.tar.GZ", "two")
		b.keep("photos/plain.txt", "three")
		return map[string]any{"folder": "photos"}
	},
	"replace-in-docs": func(b *bench) map[string]any {
		b.keep("docs/a.md", "Old.Name, and OldxName: Old.Name\n")
		b.keep("docs/deep/b.html", "<p>Old.Name")
		return map[string]any{"old": "Old.Name", "new": "New$1"}
	},
	"weekly-report": func(b *bench) map[string]any {
		b.keep("hours/ada.csv", "date,project,hours\n2026-03-01,Site,9\n2026-03-02,Site,1.25\n2026-03-04,\"Search, fast\",0.5\n")
		b.keep("hours/bob.csv", "project,hours,date\nSite,2,2026-03-08\n\"Search, fast\",7,2026-03-03\n")
		return map[string]any{"day": "2026-03-05"}
	},
	"invoices": func(b *bench) map[string]any {
		b.keep("invoices.csv", "customer,number,date,amount\n\"Smith & Sons\",12,2026-02-01,10.10\nÄrzte,13,2026-01-05,7\n\"Smith & Sons\",9,2026-01-20,20.20\n")
		return nil
	},
	"bank-statement": func(b *bench) map[string]any {
		b.keep("bank.csv", "Date;Text;Amount\n31.01.2026;Salary   January;2000,00\n03.01.2026;\"SUPERMARKET; 12\";-12,50\n04.01.2026;Landlord Inc.;-1.800,00\n")
		return map[string]any{"file": "bank.csv"}
	},
	"csv-total": func(b *bench) map[string]any {
		b.keep("sales.csv", "item,amount\na,0.1\nb,0.2\n")
		return map[string]any{"file": "sales.csv", "column": "amount"}
	},
	"totals": func(b *bench) map[string]any {
		b.keep("sales/may.csv", "item,amount\na,1.10\nb,2.20\n")
		b.keep("sales/june.csv", "amount\n3.30\n")
		return nil
	},
	"html-report": func(b *bench) map[string]any {
		b.keep("stock.csv", "item,supplier,count\nZinc,Smith & Sons,12\n\"<b>\",nobody,3\n")
		b.keep("suppliers.csv", "supplier,phone\nSmith & Sons,007\n")
		return nil
	},
	"changelog": func(b *bench) map[string]any {
		b.git(`save "first"; git tag v1; save "feat(cli): a new command"; save 'fix: quotes "and $dollars" stay'`)
		return map[string]any{"version": "1.1", "day": "2026-02-04"}
	},
	"commit-report": func(b *bench) map[string]any {
		b.git(`save one; save "three <b>"`)
		return map[string]any{"since": "2026-01-01", "until": "2026-03-08"}
	},
	"bump-version": func(b *bench) map[string]any {
		b.keep("app.json", `{"minimum": "11.9.4", "version": "1.9.4"}`)
		b.git(`git add app.json; save "first"; git tag v1.9.4`)
		return map[string]any{"part": "minor", "paths": []any{"app.json"}}
	},
	"open-pull-request": func(b *bench) map[string]any {
		b.github(`{"octo/tool": {"branches": ["main", "stop"]}}`)
		b.git(`git init -q --bare remote.git && git remote add origin ./remote.git; save "first"; git push -q origin main; git checkout -q -b stop; save "feat: stop"`)
		return map[string]any{"repo": "octo/tool", "title": "Stop"}
	},
	"issue-triage": func(b *bench) map[string]any {
		b.github(`{"octo/tool": {"issues": [{"number": 4, "title": "Labelled", "state": "open", "labels": [{"name": "bug"}]},
			{"number": 3, "title": "Broken", "body": null, "state": "open", "labels": []},
			{"number": 1, "title": "It hangs", "body": "On start.", "state": "open", "labels": []}]}}`)
		b.model(llmtest.Reply{Match: "It hangs", JSON: map[string]any{"label": "bug", "reason": "it says so"}},
			llmtest.Reply{Match: "Broken", Fault: "context_length", Times: llmtest.Any})
		return map[string]any{"repo": "octo/tool"}
	},
	"label-issues": func(b *bench) map[string]any {
		b.github(`{"octo/tool": {"issues": [{"number": 4, "title": "Exchange the doctor", "state": "open", "labels": []},
			{"number": 1, "title": "Crash", "body": "The docs do not help.", "state": "open", "labels": []}]}}`)
		return map[string]any{"repo": "octo/tool"}
	},
	"stale-issues": func(b *bench) map[string]any {
		b.github(`{"octo/tool": {"issues": [{"number": 3, "title": "Nr, 3", "state": "open", "labels": [], "user": {"login": "ada"}, "updated_at": "2025-12-01T00:00:00Z", "html_url": "https://github.com/octo/tool/issues/3"}]}}`)
		return map[string]any{"repo": "octo/tool"}
	},
	"issues-to-csv": func(b *bench) map[string]any {
		b.github(`{"octo/tool": {"issues": [{"number": 1, "title": "Say \"hi\"", "state": "closed", "labels": [{"name": "a"}], "user": {"login": "ada"}, "created_at": "2026-01-02T03:04:05Z"}]}}`)
		return map[string]any{"repo": "octo/tool"}
	},
	"release-notes": func(b *bench) map[string]any {
		b.github(`{"octo/tool": {"releases": [{"id": 1, "tag_name": "v1.0.0", "published_at": "2026-02-01T00:00:00Z"}], "pulls": [
			{"number": 6, "title": "Start", "state": "closed", "user": {"login": "bob"}, "base": {"ref": "main"}, "merged_at": "2026-02-03T00:00:00Z", "updated_at": "2026-02-09T00:00:00Z"}]}}`)
		return map[string]any{"repo": "octo/tool", "tag": "v1.1.0"}
	},
	"summarise-each": func(b *bench) map[string]any {
		b.keep("notes/a.txt", "Apples are red.")
		b.keep("notes/b.txt", "Bananas are yellow.")
		b.model(llmtest.Reply{Match: "Apples", Text: "Of apples."}, llmtest.Reply{Match: "Bananas", Fault: "unavailable"}, llmtest.Reply{Match: "Bananas", Text: "Of bananas."})
		return nil
	},
	"branch-by-result": func(b *bench) map[string]any {
		b.keep("many.log", strings.Repeat("ERROR disk\n", 12))
		return map[string]any{"file": "many.log", "hook": b.serve(answers("{}"))}
	},
	"wait-for-job": func(b *bench) map[string]any {
		return map[string]any{"video": "film.mp4", "pause": "1ms",
			"api": b.serve(answers(`{"id": 7}`, `{"state": "running"}`, `{"state": "running"}`, `{"state": "done", "result": "https://example.org/film.webm"}`))}
	},
	"retries": func(b *bench) map[string]any {
		b.keep("data.txt", "a line\n")
		return map[string]any{"file": "data.txt", "wait": "1ms", "url": b.serve(answers("503", "503", "{}"))}
	},
	"two-at-once": func(b *bench) map[string]any {
		meet := make(chan bool) // neither server answers before the other one is asked
		at := func(answer string, wait func(done <-chan struct{})) string {
			return b.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				wait(r.Context().Done())
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprint(w, answer)
			}))
		}
		weather := at(`{"sky": "rain"}`, func(done <-chan struct{}) {
			select {
			case meet <- true:
			case <-done:
			}
		})
		news := at(`["It rains."]`, func(done <-chan struct{}) {
			select {
			case <-meet:
			case <-done:
			}
		})
		return map[string]any{"weather": weather, "news": news}
	},
	"fallback": func(b *bench) map[string]any {
		return map[string]any{"file": "gone.json", "url": b.serve(answers("410"))}
	},
	"publish-after-approval": func(b *bench) map[string]any {
		b.keep("draft.txt", "1 < 2\n")
		return map[string]any{"draft": "draft.txt"}
	},
	"download-list": func(b *bench) map[string]any {
		url := b.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/gone.txt" {
				http.Error(w, "gone", http.StatusGone)
				return
			}
			fmt.Fprint(w, r.URL.Path)
		}))
		b.keep("downloads.csv", fmt.Sprintf("url,file,sha256\n%[1]s/a.bin,one.bin,\n%[1]s/gone.txt,gone.txt,\n", url))
		return map[string]any{"wait": "1ms"}
	},
	"watch-page": func(b *bench) map[string]any {
		b.keep("page.txt", "Seats\n\nsold out\n")
		return map[string]any{"url": b.serve(answers("<p>Seats</p><p>12 left</p>"))}
	},
	"watch-url": func(b *bench) map[string]any {
		return map[string]any{"every": "1ms", "url": b.serve(answers("sold out", "503", "sold out", "tickets!"))}
	},
	"check-links": func(b *bench) map[string]any {
		return map[string]any{"url": b.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/docs/" {
				fmt.Fprint(w, `<a href="good">Good</a><a href="/gone">Gone, "really"</a>`)
			} else if r.URL.Path == "/gone" {
				http.NotFound(w, r)
			}
		})) + "/docs/"}
	},
	"table-from-page": func(b *bench) map[string]any {
		return map[string]any{"url": b.serve(answers("<table><tr><th>Item<th>Price<tr><td>Tea, green<td>1.50</table>"))}
	},
	"all-pages": func(b *bench) map[string]any {
		return map[string]any{"url": b.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if r.URL.Query().Get("cursor") == "" {
				fmt.Fprintf(w, `{"items": [{"n": 1}], "next": %q}`, "http://"+r.Host+"/items?cursor=b")
				return
			}
			fmt.Fprint(w, `{"items": [{"n": 2}], "next": null}`)
		})) + "/items"}
	},
}

// answers gives a handler that gives one answer after the other, the last for ever; a number is a status.
func answers(texts ...string) http.Handler {
	var mu sync.Mutex
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		text := texts[0]
		if len(texts) > 1 {
			texts = texts[1:]
		}
		var status int
		if _, err := fmt.Sscanf(text, "%d", &status); err == nil {
			http.Error(w, "busy", status)
			return
		}
		if json.Valid([]byte(text)) {
			w.Header().Set("Content-Type", "application/json")
		}
		fmt.Fprint(w, text)
	})
}

// git runs commands in the folder as a repository; save SUBJECT commits, all at the same instant.
func (b *bench) git(commands string) {
	b.t.Helper()
	cmd := exec.Command("sh", "-ec", `git init -q -b main . && git config user.name Ada && git config user.email ada@example.org
		save() { echo "$1" >>code.txt && git add code.txt && GIT_COMMITTER_DATE=2026-02-01T00:00:00Z GIT_AUTHOR_DATE=2026-02-01T00:00:00Z git commit -qm "$1"; }
		`+commands)
	cmd.Dir, cmd.Env = b.dir, environ(b.env)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Fatalf("%v\n%s", err, out)
	}
}

func (b *bench) github(repos string) {
	b.t.Helper()
	hub := &githubtest.Server{Token: "ghp_token_of_the_test"}
	if err := json.Unmarshal([]byte(repos), &hub.Repos); err != nil {
		b.t.Fatal(err)
	}
	b.env["GITHUB_API_URL"], b.env["GITHUB_SERVER_URL"], b.env["GITHUB_TOKEN"] = b.serve(hub), "https://github.com", hub.Token
}

func (b *bench) model(replies ...llmtest.Reply) {
	server := llmtest.New(b.t, llmtest.Script{Replies: replies})
	at, err := url.Parse(server.BaseURL())
	if err != nil {
		b.t.Fatal(err)
	}
	b.env["OPENAI_BASE_URL"], b.env["OPENAI_API_KEY"] = b.serve(httputil.NewSingleHostReverseProxy(at)), "sk-key-of-the-test"
}

// TestWorkflowExamples runs every workflow of examples/workflows on both drivers: they give the same, and leave the same files.
func TestWorkflowExamples(t *testing.T) { workflowExamples(t, testEnvironment) }

func workflowExamples(t *testing.T, on driver) {
	files, err := os.ReadDir(exampleFolder)
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, file := range files {
		name, ending := strings.TrimSuffix(file.Name(), filepath.Ext(file.Name())), filepath.Ext(file.Name())
		if ending == ".md" {
			continue
		}
		ran++
		t.Run(name, func(t *testing.T) {
			setUp := examples[name]
			if setUp == nil {
				t.Fatal("it has no inputs here")
			}
			b := newBench(t)
			doc := b.example(file.Name())
			begin := func() prepared {
				b.anew()
				inputs := setUp(b)
				var called []*library.Record
				if name == "totals" {
					text := b.example("csv-total.yaml")
					r, _, err := library.Parse("csv-total.yaml", text)
					if err != nil {
						t.Fatal(err)
					}
					r.Name = "csv-total"
					called = append(called, r)
				}
				return b.prepare(b.host(), file.Name(), doc, workflow.Given{Values: inputs}, called...)
			}
			temporal := plain(t, on(b, bound(begin(), true)).Result)
			left := b.tree()
			local := b.local(begin(), true)
			same(t, local, temporal)
			same(t, b.tree(), left)
			if status := local.(map[string]any)["status"]; status != "done" {
				t.Errorf("it is %v: %v", status, local.(map[string]any)["error"])
			}
			b.sent.without(t, b.env["GITHUB_TOKEN"], b.env["OPENAI_API_KEY"])
		})
	}
	if ran < 30 {
		t.Errorf("%d examples", ran)
	}
}

func (b *bench) example(name string) []byte {
	b.t.Helper()
	doc, err := os.ReadFile(filepath.Join(exampleFolder, name))
	if err != nil {
		b.t.Fatal(err)
	}
	return doc
}

// without looks for secrets in all that a run handed to Temporal.
func (p *payloads) without(t *testing.T, secrets ...string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.data) < 2 {
		t.Errorf("%d payloads", len(p.data))
	}
	for _, secret := range secrets {
		for _, data := range p.data {
			if secret != "" && strings.Contains(string(data), secret) {
				t.Errorf("a payload holds a secret: %.300s", data)
			}
		}
	}
}
