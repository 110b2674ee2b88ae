package nodes

import (
	"context"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/fault"
	"pflow/internal/githubtest"
	"pflow/internal/llm"
	"pflow/internal/nodetype"
	"pflow/internal/settings"
	"pflow/internal/value"
	"pflow/ir"
)

// roundTrip answers requests without a network.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// gitIdentity is who commits in tests, and when, whatever the machine's own settings are.
var gitIdentity = []string{
	"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_AUTHOR_DATE=2024-01-31T12:00:00Z",
	"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.org", "GIT_COMMITTER_DATE=2024-01-31T12:00:00Z",
	"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
}

// exampleDeps are the surroundings that the examples need.
func exampleDeps() Deps {
	return Deps{
		Environ: append(os.Environ(), gitIdentity...),
		HTTP: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			if r.URL.Host == "api.github.com" {
				w := httptest.NewRecorder()
				if r.Body == nil {
					r.Body = http.NoBody
				}
				exampleHub().ServeHTTP(w, r)
				resp := w.Result()
				resp.Request = r
				return resp, nil
			}
			return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: 12,
				Body: io.NopCloser(strings.NewReader(`{"count": 2}`)), Request: r}, nil
		})},
		Agents: func() ([]settings.Agent, error) {
			return []settings.Agent{{Name: "hello", Command: []string{"/bin/sh", "-c", "cat >/dev/null; echo Hello."}}}, nil
		},
		RunWorkflow: func(_ context.Context, name string, inputs map[string]any, _ int) (map[string]any, error) {
			return map[string]any{name + "ing": "Hello, " + inputs["name"].(string) + "!"}, nil
		},
		Model: func(_ context.Context, r llm.Request) (*llm.Reply, error) {
			usage := llm.Usage{Calls: 1, PromptTokens: 20, CompletionTokens: 5, CostUSD: 0.0001, Priced: true}
			reply := map[string]any{"mood": "complaint"}
			if wrong := r.Schema.Check(reply); len(wrong) > 0 {
				return nil, fault.New(fault.Schema, "%v", wrong)
			}
			return &llm.Reply{Text: value.JSON(reply), Value: reply, Model: "test/model", Usage: usage}, nil
		},
	}
}

// exampleHub is the GitHub of the examples.
func exampleHub() *githubtest.Server {
	user := map[string]any{"login": "ada"}
	return &githubtest.Server{Open: true, Repos: map[string]*githubtest.Repo{"octo/tool": {
		Branches: []string{"main", "stop"},
		Files:    map[string]string{"v1:docs/guide.md": "# Guide\n"},
		Issues: []map[string]any{{"number": 1, "title": "It hangs", "body": "On start.", "state": "open", "user": user, "labels": []any{map[string]any{"name": "bug"}},
			"comments": 1, "created_at": "2026-01-02T15:04:05Z", "updated_at": "2026-01-03T15:04:05Z", "html_url": "https://github.com/octo/tool/issues/1"}},
		Comments: map[string][]map[string]any{"1": {{"id": 7, "body": "Here, too.", "user": map[string]any{"login": "bob"}, "created_at": "2026-01-03T15:04:05Z",
			"html_url": "https://github.com/octo/tool/issues/1#issuecomment-7"}}},
		Pulls: []map[string]any{{"number": 2, "title": "Start at once", "state": "closed", "user": user, "head": map[string]any{"ref": "fix", "sha": "1f"},
			"base": map[string]any{"ref": "main", "sha": "0f"}, "created_at": "2026-01-04T15:04:05Z", "updated_at": "2026-01-05T15:04:05Z",
			"closed_at": "2026-01-05T15:04:05Z", "merged_at": "2026-01-05T15:04:05Z", "html_url": "https://github.com/octo/tool/pull/2",
			"commits": 1, "comments": 0, "additions": 2, "deletions": 1, "changed_files": 1}},
		Changed: map[string][]map[string]any{"2": {{"filename": "main.go", "status": "modified", "additions": 2, "deletions": 1, "changes": 3,
			"patch": "@@ -1 +1,2 @@\n-wait()\n+// at once\n+start()"}}},
		Releases: []map[string]any{{"id": 1, "tag_name": "v1", "name": "v1", "body": "The first one.", "author": user, "created_at": "2026-01-06T15:04:05Z",
			"published_at": "2026-01-06T15:04:05Z", "html_url": "https://github.com/octo/tool/releases/tag/v1"}},
	}}}
}

// newCall makes a call as a runner does: in a folder, with templates that scope fills in.
func newCall(t *testing.T, params map[string]any, scope ir.Values) nodetype.Call {
	return nodetype.Call{
		Params: params, Dir: t.TempDir(), Now: time.Now(), Env: func(string) string { return "" },
		Resolve: func(template string) (any, error) {
			p, problems := ir.Compile(template)
			if problems != nil {
				t.Fatalf("Resolve(%q): %v", template, problems)
			}
			return p.Resolve(scope)
		},
	}
}

func nodeType(t *testing.T, d Deps, name string) nodetype.Type {
	for _, n := range Types(d) {
		if n.Interface.Name == name {
			return n
		}
	}
	t.Fatalf("there is no node type %s", name)
	return nodetype.Type{}
}

// runNode runs a node of the type.
func runNode(t *testing.T, name string, c nodetype.Call) (nodetype.Outcome, error) {
	t.Helper()
	return nodeType(t, exampleDeps(), name).Run(t.Context(), c)
}

// fails checks that a node fails with this kind and message.
func fails(t *testing.T, name string, c nodetype.Call, kind fault.Kind, message string) {
	t.Helper()
	_, err := runNode(t, name, c)
	if err == nil {
		t.Fatalf("%s: no error, want %q", name, message)
	}
	if got := fault.Of(err); got.Kind != kind || got.Message != message {
		t.Errorf("%s fails with\n%s %s\nwant\n%s %s", name, got.Kind, got.Message, kind, message)
	}
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o644); err != nil { // whatever the umask
			t.Fatal(err)
		}
	}
}

func readFiles(t *testing.T, dir string) map[string]string {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && e.Name() == ".git" {
			return fs.SkipDir
		}
		if info, linked := os.Stat(path); err != nil || e.IsDir() || linked == nil && info.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestForms runs the example of every form of a node type, on the files of the type's own example, and holds each form
// against the interface.
func TestForms(t *testing.T) {
	for _, n := range Types(exampleDeps()) {
		for _, p := range n.Interface.CheckForms() {
			t.Errorf("%s: %s: %s", n.Interface.Name, p.Path, p.Message)
		}
		for _, f := range n.Interface.Forms {
			t.Run(n.Interface.Name+"/"+f.Shown(), func(t *testing.T) {
				if f.Gives == nil {
					t.Fatal("the form has no example")
				}
				if found, given := n.Interface.FormOf(f.Fill(f.Example)); found == nil || found.Shown() != f.Shown() || !value.Equal(given, f.Example) {
					t.Errorf("its params are read back as %v", given)
				}
				params := f.Fill(f.Example)
				if n.Check != nil {
					if problems := n.Check(params); problems != nil {
						t.Fatalf("Check: %v", problems)
					}
				}
				c := newCall(t, params, ir.Values{})
				writeFiles(t, c.Dir, n.Example.Files)
				c.Now = nodetype.ExampleTime
				for name := range n.Example.Files {
					if err := os.Chtimes(filepath.Join(c.Dir, name), c.Now, c.Now); err != nil {
						t.Fatal(err)
					}
				}
				for _, before := range n.Example.Before {
					b := c
					b.Params = before.Params
					if _, err := runNode(t, before.Type, b); err != nil {
						t.Fatalf("%s: %v", before.Type, err)
					}
				}
				out, err := n.Run(t.Context(), c)
				if err != nil {
					t.Fatal(err)
				}
				for k, want := range f.Gives {
					if diff := cmp.Diff(want, out.Outputs[k]); diff != "" {
						t.Errorf("%s (-want +got):\n%s", k, diff)
					}
				}
			})
		}
	}
}

// TestExamples runs the example of every node type, and holds its interface against what it shows.
func TestExamples(t *testing.T) {
	for _, n := range Types(exampleDeps()) {
		t.Run(n.Interface.Name, func(t *testing.T) {
			ex := n.Example
			if n.Check != nil {
				if problems := n.Check(ex.Params); problems != nil {
					t.Fatalf("Check: %v", problems)
				}
			}
			c := newCall(t, ex.Params, ir.Values{})
			writeFiles(t, c.Dir, ex.Files)
			c.Now = nodetype.ExampleTime
			for name := range ex.Files {
				if err := os.Chtimes(filepath.Join(c.Dir, name), c.Now, c.Now); err != nil {
					t.Fatal(err)
				}
			}
			for _, before := range ex.Before {
				b := c
				b.Params = before.Params
				if _, err := runNode(t, before.Type, b); err != nil {
					t.Fatalf("%s: %v", before.Type, err)
				}
			}
			for key, v := range ex.Params {
				port, ok := n.Interface.Param(key)
				if !ok {
					t.Fatalf("the example gives %q, which is no param", key)
				}
				if _, err := value.Fits(port.Type, v); err != nil {
					t.Errorf("%s: %v", key, err)
				}
			}
			out, err := n.Run(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(ex.Outputs, out.Outputs); diff != "" {
				t.Errorf("outputs (-want +got):\n%s", diff)
			}
			want := ex.Want
			if want == nil {
				want = ex.Files
			}
			if want == nil {
				want = map[string]string{}
			}
			if diff := cmp.Diff(want, readFiles(t, c.Dir)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			for key := range out.Outputs {
				if _, ok := n.Interface.Output(key); !ok && !n.Interface.OpenOutputs {
					t.Errorf("output %q is not in the interface", key)
				}
			}
			if !n.Interface.OpenOutputs && len(out.Outputs) != len(n.Interface.Outputs) {
				t.Errorf("the interface has the outputs %v", n.Interface.OutputKeys())
			}
		})
	}
}

// TestInterfaces checks what every interface must have, since prompts and documentation are made of it.
func TestInterfaces(t *testing.T) {
	var names []string
	for _, n := range Types(Deps{}) {
		i := n.Interface
		names = append(names, i.Name)
		for _, p := range slices.Concat(i.Inputs, i.Params, i.Outputs) {
			if p.Description == "" || p.Type == "" || !strings.HasSuffix(p.Description, ".") {
				t.Errorf("%s.%s wants a type, and a description that ends with a full stop", i.Name, p.Key)
			}
			if p.Default != nil {
				if _, err := value.Fits(p.Type, p.Default); err != nil {
					t.Errorf("%s.%s: the default: %v", i.Name, p.Key, err)
				}
			}
		}
		for _, key := range n.Late {
			if p, ok := i.Param(key); !ok || p.Raw || !slices.ContainsFunc(i.Params, func(p ir.Port) bool { return p.Key == key }) {
				t.Errorf("%s.%s is late: it must be a param, not an input, and not raw", i.Name, key)
			}
		}
	}
	want := []string{
		"read-file",
		"write-file",
		"copy-file",
		"move-file",
		"delete-file",
		"list-files",
		"make-folder",
		"copy-folder",
		"delete-folder",
		"set-mode",
		"hash-file",
		"find-text",
		"replace-text",
		"shell",
		"http",
		"download",
		"html-text",
		"archive",
		"unarchive",
		"list-archive",
		"llm",
		"transform",
		"switch",
		"template",
		"wait",
		"workflow",
		"git-init",
		"git-status",
		"git-log",
		"git-diff",
		"git-show",
		"git-read",
		"git-add",
		"git-unstage",
		"git-commit",
		"git-restore",
		"git-stash",
		"git-stash-pop",
		"git-checkout",
		"git-branches",
		"git-rename-branch",
		"git-delete-branch",
		"git-merge",
		"git-tag",
		"git-tags",
		"git-push",
		"git-pull",
		"git-fetch",
		"git-clone",
		"read-table",
		"write-table",
		"convert-table",
		"summarise-table",
		"join-tables",
		"read-json",
		"edit-json",
		"agent",
		"github-get-issue",
		"github-list-issues",
		"github-list-prs",
		"github-get-pr",
		"github-get-file",
		"github-list-releases",
		"github-create-issue",
		"github-create-pr",
		"github-comment",
		"github-update-issue",
		"github-create-release",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}
