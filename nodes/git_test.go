package nodes

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
)

// repository is a real one, and the nodes that work on it.
type repository struct {
	t    *testing.T
	dir  string
	deps Deps
}

func newRepository(t *testing.T, files map[string]string) *repository {
	r := &repository{t: t, dir: t.TempDir(), deps: exampleDeps()}
	r.run("git-init", nil)
	if files != nil {
		r.commit("First", files)
	}
	return r
}

// try runs a node in the repository.
func (r *repository) try(name string, params map[string]any) (map[string]any, error) {
	r.t.Helper()
	if params == nil {
		params = map[string]any{}
	}
	c := nodetype.Call{Params: params, Dir: r.dir, Now: nodetype.ExampleTime}
	out, err := nodeType(r.t, r.deps, name).Run(r.t.Context(), c)
	return out.Outputs, err
}

func (r *repository) run(name string, params map[string]any) map[string]any {
	r.t.Helper()
	out, err := r.try(name, params)
	if err != nil {
		r.t.Fatalf("%s %v: %v %v", name, params, err, fault.Of(err).Details)
	}
	return out
}

// fails runs a node that must fail for a reason.
func (r *repository) fails(name string, params map[string]any, kind fault.Kind, reason string) *fault.Error {
	r.t.Helper()
	_, err := r.try(name, params)
	if err == nil {
		r.t.Fatalf("%s %v does not fail", name, params)
	}
	got := fault.Of(err)
	if got.Kind != kind || got.Details["reason"] != reason {
		r.t.Errorf("%s %v fails with %s %v: %s; want %s %s", name, params, got.Kind, got.Details["reason"], got.Message, kind, reason)
	}
	return got
}

// commit writes files and commits all.
func (r *repository) commit(message string, files map[string]string) {
	r.t.Helper()
	writeFiles(r.t, r.dir, files)
	r.run("git-commit", map[string]any{"message": message, "add_all": true})
}

// git runs git itself.
func (r *repository) git(args ...string) string {
	r.t.Helper()
	c := exec.Command("git", args...)
	c.Dir, c.Env = r.dir, r.deps.Environ
	out, err := c.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *repository) write(name, content string) {
	writeFiles(r.t, r.dir, map[string]string{name: content})
}

func list(texts ...string) []any {
	out := []any{}
	for _, s := range texts {
		out = append(out, s)
	}
	return out
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func (r *repository) remote() *repository {
	bare := &repository{t: r.t, dir: r.t.TempDir(), deps: r.deps}
	bare.git("init", "-q", "--bare")
	bare.git("symbolic-ref", "HEAD", "refs/heads/main")
	r.git("remote", "add", "origin", bare.dir)
	return bare
}

// strange are names that a shell, an option parser, a pattern or a list by lines would take for something else.
var strange = []string{"-rf", "--all", "*.txt", ":(top)x", "a\nb.txt", "h\"i'.txt", "ümläut ☃.txt", "tab\there", "dir [1]/x?.txt", "plain.txt"}

func TestGitStrangeNames(t *testing.T) {
	r := newRepository(t, map[string]string{"plain.md": ""})
	for _, name := range strange {
		r.write(name, "one\n")
	}
	s := r.run("git-status", nil)
	want := slices.Clone(strange)
	slices.Sort(want)
	equal(t, "untracked", s["untracked"], list(want...))
	for _, name := range strange {
		staged := r.run("git-add", map[string]any{"paths": list(name)})
		equal(t, "staged", staged["staged"], list(name))
		r.run("git-unstage", map[string]any{"paths": list(name)})
		made := r.run("git-commit", map[string]any{"message": "-m " + name, "paths": list(name)})
		file := made["files"].([]any)[0].(map[string]any)
		if len(made["files"].([]any)) != 1 || file["path"] != name {
			t.Errorf("committed %v, want %q", made["files"], name)
		}
		equal(t, "content", r.run("git-read", map[string]any{"file_path": name})["content"], "one\n")
		equal(t, "log", r.run("git-log", map[string]any{"paths": list(name)})["count"], 1)
		r.write(name, "spoilt\n")
		diff := r.run("git-diff", map[string]any{"paths": list(name)})
		equal(t, "diff", diff["files"], []any{map[string]any{"path": name, "status": "modified", "renamed_from": "", "added": 1, "deleted": 1, "binary": false}})
		equal(t, "restored", r.run("git-restore", map[string]any{"paths": list(name)})["restored"], list(name))
	}
	equal(t, "clean", r.run("git-status", nil)["status"].(map[string]any)["clean"], true)
}

// TestGitStatus looks at every state at once, from the top and from a folder below.
func TestGitStatus(t *testing.T) {
	r := newRepository(t, map[string]string{"a": "1\n2\n3\n4\n", "b": "b", "sub/c": "c", "gone": "g"})
	r.git("mv", "a", "sub/renamed")
	r.write("b", "changed")
	r.write("sub/new", "")
	os.Remove(filepath.Join(r.dir, "gone"))
	s := r.run("git-status", nil)
	equal(t, "changed", s["changed"], list("b", "gone"))
	equal(t, "staged", s["staged"], list("sub/renamed"))
	equal(t, "untracked", s["untracked"], list("sub/new"))
	first := s["status"].(map[string]any)["files"].([]any)
	i := slices.IndexFunc(first, func(f any) bool { return f.(map[string]any)["renamed_from"] != "" })
	equal(t, "renamed", first[i].(map[string]any)["renamed_from"], "a")
	below := r.run("git-status", map[string]any{"cwd": "sub"})
	equal(t, "changed from below", below["changed"], list("../b", "../gone"))
	// What it gives is what the others take.
	equal(t, "staged from below", r.run("git-add", map[string]any{"cwd": "sub", "paths": below["changed"]})["staged"], list("../b", "../gone", "renamed"))
	r.fails("git-add", map[string]any{"paths": list("../other")}, fault.InvalidRequest, "outside")
	r.fails("git-add", map[string]any{"paths": list("nowhere")}, fault.NotFound, "unknown_path")
}

// TestGitReadsRunNothing has a repository whose configuration names a program wherever it can: what only reads runs none.
func TestGitReadsRunNothing(t *testing.T) {
	r := newRepository(t, map[string]string{"a.txt": "one\n", ".gitattributes": "* diff=evil filter=evil\n"})
	marker := filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(t.TempDir(), "evil")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho \"$0 $*\" >> '"+marker+"'\ncat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{
		"core.fsmonitor", "core.pager", "pager.log", "pager.diff", "pager.status", "diff.external", "diff.evil.command", "diff.evil.textconv",
		"filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "core.sshCommand", "core.editor", "core.askPass", "gpg.program",
		"credential.helper", "core.gitProxy", "core.alternateRefsCommand", "sequence.editor", "interactive.diffFilter", "remote.origin.uploadpack",
	} {
		r.git("config", key, script)
	}
	r.git("config", "alias.log", "!"+script)
	r.git("config", "alias.status", "!"+script)
	r.git("config", "log.showSignature", "true")
	r.git("config", "filter.evil.required", "true")
	r.git("config", "status.submoduleSummary", "true")
	for _, hook := range []string{"post-index-change", "post-checkout", "fsmonitor-watchman", "reference-transaction", "pre-auto-gc"} {
		r.write(".git/hooks/"+hook, "#!/bin/sh\necho hook >> '"+marker+"'\n")
		os.Chmod(filepath.Join(r.dir, ".git/hooks", hook), 0o755)
	}
	// Objects that are not here, of a remote that brings them.
	r.git("config", "extensions.partialClone", "origin")
	r.git("config", "remote.origin.promisor", "true")
	r.git("config", "remote.origin.url", "ext::"+script)
	r.git("config", "protocol.ext.allow", "always")
	os.Remove(marker)

	r.write("a.txt", "two\n")
	later := time.Now().Add(time.Hour)
	os.Chtimes(filepath.Join(r.dir, ".gitattributes"), later, later) // so that git compares contents
	r.deps.Environ = append(r.deps.Environ, "GIT_PAGER="+script, "PAGER="+script, "GIT_EXTERNAL_DIFF="+script)
	equal(t, "changed", r.run("git-status", nil)["changed"], list("a.txt"))
	equal(t, "log", r.run("git-log", map[string]any{"files": true})["count"], 1)
	diff := r.run("git-diff", nil)
	if !strings.Contains(diff["diff"].(string), "-one\n+two\n") {
		t.Errorf("diff is %q", diff["diff"])
	}
	r.run("git-diff", map[string]any{"from": "HEAD", "stat": true, "max_bytes": 1000})
	r.run("git-show", nil)
	equal(t, "content", r.run("git-read", map[string]any{"file_path": "a.txt"})["content"], "one\n")
	r.run("git-branches", nil)
	r.run("git-tags", nil)
	seen := nodeType(t, r.deps, "git-restore").Foresee(nodetype.Call{Dir: r.dir, Params: map[string]any{"paths": list("a.txt")}}, nil)
	equal(t, "foreseen", seen.Destroys, "it throws away the changes of a.txt")
	r.try("git-show", map[string]any{"ref": "1111111111111111111111111111111111111111"})
	if ran, err := os.ReadFile(marker); err == nil {
		t.Errorf("programs of the repository ran:\n%s", ran)
	}
	// The same configuration is obeyed where git itself reads: the test can fail.
	exec.Command("git", "-C", r.dir, "status").Run()
	if _, err := os.Stat(marker); err != nil {
		t.Error("git itself runs none of them either")
	}
}

// TestGitLocale checks that neither the locale nor settings of the user change what is read.
func TestGitLocale(t *testing.T) {
	r := newRepository(t, map[string]string{"ä.txt": "one\n"})
	config := filepath.Join(t.TempDir(), "config")
	os.WriteFile(config, []byte("[color]\nui = always\n[diff]\nnoprefix = true\nrenames = false\n[log]\ndate = relative\ndecorate = full\nshowSignature = true\n[format]\npretty = oneline\n[status]\nshort = true\nbranch = true\nrelativePaths = false\nshowUntrackedFiles = no\n[core]\nquotepath = true\nabbrev = 20\n"), 0o644)
	r.deps.Environ = append(r.deps.Environ, "LANG=de_DE.UTF-8", "LC_ALL=de_DE.UTF-8", "LANGUAGE=de", "GIT_CONFIG_GLOBAL="+config, "GIT_DIR=/nowhere", "GIT_TRACE=1", "GIT_WORK_TREE=/nowhere")
	r.write("neu", "")
	r.write("ä.txt", "zwei\n")
	s := r.run("git-status", nil)
	equal(t, "untracked", s["untracked"], list("neu"))
	log := r.run("git-log", nil)["commits"].([]any)[0].(map[string]any)
	equal(t, "date", log["date"], "2024-01-31T12:00:00Z")
	diff := r.run("git-diff", nil)["diff"].(string)
	if !strings.HasPrefix(diff, "diff --git a/ä.txt b/ä.txt\n") {
		t.Errorf("diff is %q", diff)
	}
	if e := r.fails("git-log", map[string]any{"from": "nowhere"}, fault.NotFound, "unknown_ref"); !strings.Contains(e.Message, "nowhere") {
		t.Error(e.Message)
	}
}

// TestGitHistory follows a repository from nothing to a second release.
func TestGitHistory(t *testing.T) {
	r := newRepository(t, nil)
	empty := r.run("git-log", map[string]any{"since_last_tag": true})
	equal(t, "log of nothing", empty["commits"], []any{})
	equal(t, "branch", r.run("git-status", nil)["status"].(map[string]any)["branch"], "main")
	r.fails("git-show", nil, fault.NotFound, "no_commits")
	r.fails("git-tag", map[string]any{"name": "v1"}, fault.NotFound, "no_commits")
	r.fails("git-commit", map[string]any{"message": "x"}, fault.InvalidRequest, "nothing_to_commit")
	equal(t, "skipped", r.run("git-commit", map[string]any{"message": "x", "when_nothing": "skip"})["committed"], false)

	subjects := func(params map[string]any) (out []string) {
		for _, c := range r.run("git-log", params)["commits"].([]any) {
			out = append(out, c.(map[string]any)["subject"].(string))
		}
		return out
	}
	dated := func(day string) {
		r.deps.Environ = append(r.deps.Environ, "GIT_AUTHOR_DATE="+day+"T12:00:00Z", "GIT_COMMITTER_DATE="+day+"T12:00:00Z")
	}
	dated("2024-01-10")
	r.commit("feat: one\n\nWhy it is so.\n# not a comment", map[string]string{"a": "1"})
	equal(t, "no tag", subjects(map[string]any{"since_last_tag": true}), []string{"feat: one"})
	dated("2024-01-20")
	r.commit("fix: two", map[string]string{"b": "2"})
	r.run("git-tag", map[string]any{"name": "v1.9", "message": "Nine\n\nMore."})
	dated("2024-01-25")
	r.commit("fix: three", map[string]string{"a": "3"})
	dated("2024-01-30")
	r.commit("docs: four", map[string]string{"c": "4"})
	last := r.run("git-log", map[string]any{"since_last_tag": true})
	equal(t, "since the last tag", last["since_tag"], "v1.9")
	equal(t, "count", last["count"], 2)
	first := r.run("git-show", map[string]any{"ref": "HEAD~3"})["commit"].(map[string]any)
	equal(t, "body", first["body"], "Why it is so.\n# not a comment")
	for _, c := range []struct {
		params map[string]any
		want   []string
	}{
		{map[string]any{"since": "v1.9"}, []string{"docs: four", "fix: three"}},
		{map[string]any{"from": "v1.9", "to": "HEAD~1"}, []string{"fix: three"}},
		{map[string]any{"since": "2024-01-20", "until": "2024-01-25"}, []string{"fix: three", "fix: two"}},
		{map[string]any{"since": "2024-01-25T13:00"}, []string{"docs: four"}},
		{map[string]any{"since": "yesterday"}, []string{"docs: four"}}, // the run begins on the 31st
		{map[string]any{"since": "1 week ago"}, []string{"docs: four", "fix: three"}},
		{map[string]any{"grep": "FIX:"}, []string{"fix: three", "fix: two"}},
		{map[string]any{"author": "example.org", "paths": list("a")}, []string{"fix: three", "feat: one"}},
		{map[string]any{"author": "--all"}, nil},
		{map[string]any{"limit": 1}, []string{"docs: four"}},
	} {
		equal(t, "log", subjects(c.params), c.want)
	}
	for _, bad := range []string{"yesterdayish", "--output=x", "a..b"} {
		r.fails("git-log", map[string]any{"since": bad}, fault.InvalidRequest, "bad_date")
	}
	r.fails("git-log", map[string]any{"from": "--output=x"}, fault.InvalidRequest, "bad_ref")
	r.fails("git-log", map[string]any{"from": "v1.9", "since_last_tag": true}, fault.InvalidRequest, "bad_range")
	equal(t, "more", r.run("git-log", map[string]any{"limit": 1})["more"], true)

	r.run("git-tag", map[string]any{"name": "v1.10-rc1"})
	r.run("git-tag", map[string]any{"name": "v1.10"})
	tags := r.run("git-tags", nil)
	equal(t, "latest", tags["latest"], "v1.10")
	names := func(tags any) (out []string) {
		for _, x := range tags.([]any) {
			out = append(out, x.(map[string]any)["name"].(string))
		}
		return out
	}
	equal(t, "tags", names(tags["tags"]), []string{"v1.10", "v1.10-rc1", "v1.9"})
	equal(t, "message", tags["tags"].([]any)[2].(map[string]any)["message"], "Nine")
	r.fails("git-tag", map[string]any{"name": "v1.9"}, fault.InvalidRequest, "tag_exists")
	for _, bad := range []string{"-d", "a b", "a..b", "", "x~1", "line\nbreak"} {
		r.fails("git-tag", map[string]any{"name": bad}, fault.InvalidRequest, "bad_name")
	}
	diff := r.run("git-diff", map[string]any{"from": "v1.9", "to": "v1.10", "stat": true})
	if !strings.Contains(diff["diff"].(string), "2 files changed") {
		t.Errorf("stat is %q", diff["diff"])
	}
	cut := r.run("git-diff", map[string]any{"from": "v1.9", "to": "v1.10", "max_bytes": 40})["diff"].(string)
	if len(cut) != 40 || len(r.run("git-diff", map[string]any{"from": "v1.9", "to": "v1.10"})["diff"].(string)) <= 40 {
		t.Errorf("cut is %q", cut)
	}
}

// TestGitCommit checks what a commit takes, and that one that fails leaves what was staged.
func TestGitCommit(t *testing.T) {
	r := newRepository(t, map[string]string{"a": "1", "b": "1"})
	r.write("a", "2")
	r.write("b", "2")
	r.write("c", "new")
	r.run("git-add", map[string]any{"paths": list("b")})
	staged := r.git("diff", "--cached", "--name-only")
	r.write(".git/hooks/pre-commit", "#!/bin/sh\necho no thanks >&2\nexit 1\n")
	os.Chmod(filepath.Join(r.dir, ".git/hooks/pre-commit"), 0o755)
	for _, how := range []map[string]any{{"paths": list("a", "c")}, {"all": true}, {"add_all": true}, {}} {
		how["message"] = "x"
		e := r.fails("git-commit", how, fault.ExitStatus, "not_committed")
		if !strings.Contains(e.Message, "no thanks") || e.Details["exit_status"] != 1 {
			t.Errorf("%s %v", e.Message, e.Details)
		}
		equal(t, "staged after a refused commit", r.git("diff", "--cached", "--name-only"), staged)
	}
	os.Remove(filepath.Join(r.dir, ".git/hooks/pre-commit"))
	paths := func(out map[string]any) (names []any) {
		for _, f := range out["files"].([]any) {
			names = append(names, f.(map[string]any)["path"])
		}
		return names
	}
	equal(t, "paths", paths(r.run("git-commit", map[string]any{"message": "x", "paths": list("a", "c")})), list("a", "c"))
	equal(t, "staged", paths(r.run("git-commit", map[string]any{"message": "x"})), list("b"))
	os.Remove(filepath.Join(r.dir, "c"))
	r.write("d", "")
	equal(t, "all", paths(r.run("git-commit", map[string]any{"message": "x", "all": true})), list("c"))
	amended := r.run("git-commit", map[string]any{"message": "", "amend": true, "add_all": true})
	equal(t, "amended", paths(amended), list("c", "d"))
	equal(t, "its message", amended["message"], "x")
	r.fails("git-commit", map[string]any{"message": " "}, fault.InvalidRequest, "no_message")
	r.fails("git-commit", map[string]any{"message": "x", "all": true, "add_all": true}, fault.InvalidRequest, "bad_paths")

	r.deps.Environ = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nowhere", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "EMAIL="}
	r.git("config", "user.useConfigOnly", "true")
	r.write("a", "3")
	e := r.fails("git-commit", map[string]any{"message": "x", "all": true}, fault.InvalidRequest, "no_identity")
	if !strings.Contains(e.Message, "git config --global user.name") {
		t.Error(e.Message)
	}
}

func TestGitBranches(t *testing.T) {
	r := newRepository(t, map[string]string{"a": "1\n", ".gitignore": "ignored\n"})
	r.run("git-checkout", map[string]any{"branch": "work", "create": true})
	r.commit("More", map[string]string{"a": "2\n", "new": ""})
	r.git("add", "-f", "--", ".gitignore")
	r.write("ignored", "theirs")
	r.git("add", "-f", "ignored")
	r.run("git-commit", map[string]any{"message": "Tracked"})
	r.run("git-checkout", map[string]any{"branch": "main"})
	r.fails("git-checkout", map[string]any{"branch": "work", "create": true}, fault.InvalidRequest, "branch_exists")
	r.fails("git-checkout", map[string]any{"branch": "nowhere"}, fault.NotFound, "unknown_ref")
	r.fails("git-checkout", map[string]any{"branch": "--detach"}, fault.InvalidRequest, "bad_ref")
	r.fails("git-checkout", map[string]any{"branch": "-f", "create": true}, fault.InvalidRequest, "bad_name")

	r.write("a", "mine\n")
	e := r.fails("git-checkout", map[string]any{"branch": "work"}, fault.ExitStatus, "would_overwrite")
	equal(t, "files", e.Details["files"], list("a"))
	r.run("git-restore", map[string]any{"paths": list(".")})
	r.write("ignored", "mine")
	if _, err := r.try("git-checkout", map[string]any{"branch": "work"}); err == nil {
		t.Error("a file that git ignores was overwritten")
	}
	os.Remove(filepath.Join(r.dir, "ignored"))

	r.fails("git-delete-branch", map[string]any{"branch": "work"}, fault.InvalidRequest, "not_merged")
	call := nodetype.Call{Dir: r.dir, Params: map[string]any{"branch": "work", "force": true}}
	equal(t, "foreseen", nodeType(t, r.deps, "git-delete-branch").Foresee(call, nil).Destroys, "it deletes the branch work with commits of its own")
	got := r.run("git-merge", map[string]any{"branch": "work", "fast_forward": "never"})
	equal(t, "merged", []any{got["merged"], got["fast_forward"]}, []any{true, false})
	r.run("git-delete-branch", map[string]any{"branch": "work"})
	r.fails("git-delete-branch", map[string]any{"branch": "main"}, fault.InvalidRequest, "checked_out")
	r.run("git-rename-branch", map[string]any{"new_name": "trunk"})
	equal(t, "current", r.run("git-branches", nil)["current"], "trunk")

	detached := r.run("git-checkout", map[string]any{"branch": "HEAD~1"})
	equal(t, "detached", detached["branch"], "")
	equal(t, "status", r.run("git-status", nil)["status"].(map[string]any)["branch"], "")
	r.fails("git-push", nil, fault.InvalidRequest, "no_branch")
}

// TestGitMergeConflict checks that a merge that does not work leaves nothing half done.
func TestGitMergeConflict(t *testing.T) {
	r := newRepository(t, map[string]string{"a\nb": "1\n", "other": "1\n"})
	r.run("git-checkout", map[string]any{"branch": "theirs", "create": true})
	r.commit("Theirs", map[string]string{"a\nb": "theirs\n"})
	r.run("git-checkout", map[string]any{"branch": "main"})
	r.commit("Ours", map[string]string{"a\nb": "ours\n"})
	r.write("other", "not committed\n")
	head := r.git("rev-parse", "HEAD")
	e := r.fails("git-merge", map[string]any{"branch": "theirs"}, fault.ExitStatus, "conflict")
	equal(t, "files", e.Details["files"], list("a\nb"))
	equal(t, "head", r.git("rev-parse", "HEAD"), head)
	s := r.run("git-status", nil)
	equal(t, "changed", s["changed"], list("other"))
	equal(t, "conflicted", s["conflicted"], []any{})
	equal(t, "content", readFiles(t, r.dir)["other"], "not committed\n")
	r.fails("git-merge", map[string]any{"branch": "theirs", "fast_forward": "only"}, fault.InvalidRequest, "diverged")
}

// TestGitStash checks that what was put aside comes back whole, or not at all.
func TestGitStash(t *testing.T) {
	r := newRepository(t, map[string]string{"a": "1\n", "b": "1\n", "sub/c": "1\n"})
	r.fails("git-stash-pop", nil, fault.NotFound, "no_stash")
	r.write("a", "2\n")
	r.write("sub/new", "new\n")
	before := readFiles(t, r.dir)
	equal(t, "aside", r.run("git-stash", map[string]any{"message": "--all", "untracked": true, "cwd": "sub"})["files"], list("../a", "new"))
	equal(t, "clean", r.run("git-status", nil)["status"].(map[string]any)["clean"], true)
	if !strings.HasSuffix(r.git("stash", "list"), "--all") {
		t.Error(r.git("stash", "list"))
	}
	r.write("b", "mine\n")
	e := r.fails("git-stash-pop", nil, fault.InvalidRequest, "dirty")
	equal(t, "dirty", e.Details["files"], list("b"))
	r.run("git-restore", map[string]any{"paths": list("b")})
	equal(t, "back", r.run("git-stash-pop", map[string]any{"cwd": "sub"})["files"], list("../a", "new"))
	equal(t, "files", readFiles(t, r.dir), before)

	r.run("git-stash", map[string]any{"untracked": true})
	r.commit("Other", map[string]string{"a": "3\n"})
	r.write("mine", "mine\n")
	at := readFiles(t, r.dir)
	r.fails("git-stash-pop", nil, fault.ExitStatus, "conflict")
	equal(t, "files after a conflict", readFiles(t, r.dir), at)
	equal(t, "untracked", r.run("git-status", nil)["untracked"], list("mine"))
	r.git("reset", "-q", "--hard", "HEAD~1")
	r.write("sub/new", "in the way\n")
	at = readFiles(t, r.dir)
	r.fails("git-stash-pop", nil, fault.ExitStatus, "conflict")
	equal(t, "files after one that was in the way", readFiles(t, r.dir), at)
}

func TestGitRemote(t *testing.T) {
	r := newRepository(t, map[string]string{"a": "1\n"})
	r.fails("git-push", nil, fault.NotFound, "no_remote")
	r.remote()
	pushed := r.run("git-push", map[string]any{"set_upstream": true})
	equal(t, "pushed", []any{pushed["pushed"], pushed["remote"], pushed["branch"]}, []any{true, "origin", "main"})
	equal(t, "again", r.run("git-push", nil)["pushed"], false)
	r.fails("git-push", map[string]any{"remote": "nowhere"}, fault.NotFound, "unknown_remote")
	r.fails("git-push", map[string]any{"branch": "--mirror"}, fault.InvalidRequest, "bad_ref")

	other := &repository{t: t, dir: t.TempDir(), deps: r.deps}
	got := other.run("git-clone", map[string]any{"url": r.git("config", "remote.origin.url"), "dest_path": "copy"})
	equal(t, "branch", got["branch"], "main")
	other.dir = filepath.Join(other.dir, "copy")
	other.commit("Second", map[string]string{"b": "2\n"})
	other.run("git-push", nil)

	r.commit("Mine", map[string]string{"c": "3\n"})
	e := r.fails("git-push", nil, fault.ExitStatus, "rejected")
	if !strings.Contains(e.Message, "git-pull") || e.Details["refs"] == nil {
		t.Errorf("%s %v", e.Message, e.Details)
	}
	r.fails("git-push", map[string]any{"force": true}, fault.ExitStatus, "rejected") // it was not seen yet
	r.fails("git-pull", nil, fault.InvalidRequest, "diverged")
	s := r.run("git-status", nil)["status"].(map[string]any)
	equal(t, "counts", []any{s["upstream"], s["ahead"], s["behind"]}, []any{"origin/main", 1, 1})
	r.run("git-merge", map[string]any{"branch": "origin/main"})
	r.run("git-tag", map[string]any{"name": "v1"})
	refs := r.run("git-push", map[string]any{"tags": true})["refs"].([]any)
	equal(t, "refs", len(refs), 2)

	fetched := other.run("git-fetch", nil)["refs"].([]any)
	equal(t, "fetched", len(fetched), 2)
	pulled := other.run("git-pull", nil)
	equal(t, "pulled", []any{pulled["merged"], pulled["fast_forward"]}, []any{true, true})
	equal(t, "files", len(readFiles(t, other.dir)), 3)

	other.run("git-checkout", map[string]any{"branch": "feature", "create": true})
	other.run("git-push", map[string]any{"set_upstream": true})
	r.run("git-fetch", nil)
	tracked := r.run("git-checkout", map[string]any{"branch": "feature"})
	equal(t, "tracked", []any{tracked["branch"], tracked["created"]}, []any{"feature", true})

	// Shallow, and a second working tree.
	shallow := r.run("git-clone", map[string]any{"url": "file://" + r.git("config", "remote.origin.url"), "dest_path": "shallow", "depth": 1})
	equal(t, "shallow", shallow["branch"], "main")
	equal(t, "log", r.run("git-log", map[string]any{"cwd": "shallow", "files": true})["count"], 1)
	tree := filepath.Join(t.TempDir(), "tree")
	r.git("worktree", "add", "-q", tree, "main")
	equal(t, "worktree", r.run("git-commit", map[string]any{"cwd": tree, "message": "x", "allow_empty": true})["committed"], true)
	r.fails("git-clone", map[string]any{"url": "x", "dest_path": "shallow"}, fault.InvalidRequest, "exists")
	r.fails("git-clone", map[string]any{"url": "ext::sh -c touch% x", "dest_path": "y"}, fault.InvalidRequest, "bad_url")
	r.fails("git-clone", map[string]any{"url": "nowhere", "dest_path": "y"}, fault.NotFound, "unknown_remote")
	if _, err := os.Stat(filepath.Join(r.dir, "y")); err == nil {
		t.Error("a clone that failed left a folder")
	}
	if left, _ := filepath.Glob(filepath.Join(r.dir, ".pflow-clone-*")); left != nil {
		t.Errorf("a clone left %v", left)
	}
}

// TestGitNeverAsks has servers that want to know who is there.
func TestGitNeverAsks(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer server.Close()
	asked := filepath.Join(t.TempDir(), "asked")
	ask := filepath.Join(t.TempDir(), "ask")
	os.WriteFile(ask, []byte("#!/bin/sh\ntouch "+asked+"\necho me\n"), 0o755)
	r := newRepository(t, map[string]string{"a": "1"})
	r.deps.Environ = append(r.deps.Environ, "GIT_ASKPASS="+ask, "SSH_ASKPASS="+ask, "DISPLAY=:9", "GIT_TERMINAL_PROMPT=1")
	e := r.fails("git-clone", map[string]any{"url": strings.Replace(server.URL, "http://", "http://token-1234@", 1) + "/x.git", "dest_path": "x"}, fault.Authentication, "authentication")
	if strings.Contains(e.Message+e.Details["stderr"].(string), "token-1234") {
		t.Errorf("the token is told: %s", e.Message)
	}
	r.git("remote", "add", "origin", server.URL+"/x.git")
	r.fails("git-push", nil, fault.Authentication, "authentication")
	if _, err := os.Stat(asked); err == nil {
		t.Error("it asked")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	r.git("remote", "set-url", "origin", "http://"+address+"/x.git")
	r.fails("git-fetch", nil, fault.Network, "network")
}

// TestGitEnded checks that a remote that does not answer is left after the time given.
func TestGitEnded(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer server.Close()
	defer close(release)
	r := newRepository(t, map[string]string{"a": "1"})
	r.git("remote", "add", "origin", server.URL+"/x.git")
	_, err := r.try("git-fetch", map[string]any{"timeout": "500ms"})
	if fault.Of(err) == nil || fault.Of(err).Kind != fault.Timeout {
		t.Errorf("fetch: %v", err)
	}
}

func TestGitNotThere(t *testing.T) {
	r := &repository{t: t, dir: t.TempDir(), deps: exampleDeps()}
	e := r.fails("git-status", nil, fault.NotFound, "not_a_repository")
	equal(t, "status", e.Details["exit_status"], 128)
	r.fails("git-log", map[string]any{"cwd": "nowhere"}, fault.NotFound, "no_folder")
	r.deps.Environ = []string{"PATH=" + t.TempDir() + ":."}
	e = r.fails("git-status", nil, fault.NotFound, "no_git")
	if !strings.Contains(e.Message, "https://git-scm.com/downloads") {
		t.Error(e.Message)
	}
	bare := &repository{t: t, dir: t.TempDir(), deps: exampleDeps()}
	bare.git("init", "-q", "--bare")
	bare.fails("git-status", nil, fault.InvalidRequest, "no_working_tree")
	bare.run("git-log", nil)
}

// TestGitCancelled checks that a cancel is told as one.
func TestGitCancelled(t *testing.T) {
	r := newRepository(t, map[string]string{"a": "1"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := nodeType(t, r.deps, "git-log").Run(ctx, nodetype.Call{Dir: r.dir, Params: map[string]any{}})
	if fault.Of(err) == nil || fault.Of(err).Kind != fault.Cancelled {
		t.Errorf("log: %v", err)
	}
}
