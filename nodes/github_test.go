//go:build unix

package nodes

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pflow/internal/fault"
	"pflow/internal/githubtest"
	"pflow/internal/mask"
	"pflow/internal/nodetype"
	"pflow/internal/secret"
)

// hub is a GitHub of a test, a folder to call from, and its environment.
type hub struct {
	*githubtest.Server
	t    *testing.T
	dir  string
	env  map[string]string
	call nodetype.Call
}

func newHub(t *testing.T) *hub {
	s := &githubtest.Server{Token: "ghp_right", Repos: map[string]*githubtest.Repo{"octo/tool": {Branches: []string{"main", "fix"}}}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	h := &hub{Server: s, t: t, dir: t.TempDir(), env: map[string]string{
		"GITHUB_API_URL": server.URL, "GITHUB_SERVER_URL": "https://github.com", "PATH": os.Getenv("PATH"), "HOME": t.TempDir()}}
	return h
}

// run runs a node in the folder.
func (h *hub) run(name string, params map[string]any) (nodetype.Outcome, error) {
	h.t.Helper()
	getenv := func(name string) string { return h.env[name] }
	h.call = nodetype.Call{Params: params, Dir: h.dir, Env: getenv, Secrets: secret.Environment(getenv)}
	environ := []string{}
	for k, v := range h.env {
		environ = append(environ, k+"="+v)
	}
	return nodeType(h.t, Deps{Environ: environ}, name).Run(h.t.Context(), h.call)
}

func (h *hub) git(args ...string) {
	h.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = h.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		h.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// TestGithubOrigin: repo left out is the remote origin, head the branch that is checked out, base the default branch; what
// does not help is named.
func TestGithubOrigin(t *testing.T) {
	h := newHub(t)
	h.env["GITHUB_TOKEN"] = "ghp_right"
	wants := func(params map[string]any, message string) {
		t.Helper()
		_, err := h.run("github-create-pr", params)
		if e := fault.Of(err); e == nil || e.Kind != fault.InvalidRequest || e.Message != strings.ReplaceAll(message, "DIR", h.dir) {
			t.Errorf("%v\nwant %s", err, message)
		}
	}
	wants(map[string]any{"title": "x"}, "repo is left out, and DIR has no git remote called origin; give repo as OWNER/NAME")
	h.git("init", "-q", "-b", "main")
	wants(map[string]any{"title": "x"}, "repo is left out, and DIR has no git remote called origin; give repo as OWNER/NAME")
	h.git("remote", "add", "origin", "https://me:pw12345@gitlab.com/octo/tool.git")
	wants(map[string]any{"title": "x"}, `repo is left out, and the remote origin of DIR is no help: "https://gitlab.com/octo/tool.git" is at gitlab.com, not at github.com; set GH_HOST to the host of your GitHub, or give repo as OWNER/NAME`)
	h.git("remote", "set-url", "origin", "git@github.com:octo/tool.git")
	wants(map[string]any{"title": "x"}, `head and base are both "main": a pull request leads from one branch to another; check out or name the branch with the changes`)
	h.git("symbolic-ref", "HEAD", "refs/heads/fix")
	out, err := h.run("github-create-pr", map[string]any{"title": "Fix it"})
	if err != nil {
		t.Fatal(err)
	}
	pull := out.Outputs["pr_data"].(map[string]any)
	if pull["head"].(map[string]any)["ref"] != "fix" || pull["base"].(map[string]any)["ref"] != "main" || len(h.Repos["octo/tool"].Pulls) != 1 {
		t.Errorf("%v", pull)
	}
	wants(map[string]any{"title": "Fix it", "head": "fix"}, "cannot create a pull request of fix to main in octo/tool: Validation Failed (A pull request already exists for octo:fix.)")
}

// TestGithubToken: GITHUB_TOKEN goes before GH_TOKEN, and that before the one that gh keeps, which is masked from then on. A gh
// that fails or hangs is none.
func TestGithubToken(t *testing.T) {
	bin := t.TempDir()
	gh := func(script string) {
		if err := os.WriteFile(filepath.Join(bin, "gh"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	create := map[string]any{"title": "x", "repo": "octo/tool"}
	for name, c := range map[string]struct {
		env  map[string]string
		gh   string
		want fault.Kind
	}{
		"the first":     {env: map[string]string{"GITHUB_TOKEN": "ghp_right", "GH_TOKEN": "wrong"}, gh: "echo wrong"},
		"the second":    {env: map[string]string{"GH_TOKEN": " ghp_right\n"}, gh: "echo wrong"},
		"gh's":          {gh: `test "$*" = "auth token --hostname github.com" && echo ghp_right`},
		"none":          {want: fault.Authentication},
		"a gh without":  {gh: "echo wrong; echo not logged in >&2; exit 1", want: fault.Authentication},
		"the wrong one": {env: map[string]string{"GITHUB_TOKEN": "wrong", "GH_TOKEN": "ghp_right"}, want: fault.Authentication},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHub(t)
			h.env["PATH"] = bin + ":/usr/bin:/bin"
			if c.gh == "" {
				h.env["PATH"] = "/nowhere"
			}
			gh(c.gh)
			for k, v := range c.env {
				h.env[k] = v
			}
			_, err := h.run("github-create-issue", create)
			if got := fault.Of(err); got == nil && c.want != "" || got != nil && got.Kind != c.want {
				t.Errorf("%v, want %q", err, c.want)
			}
			if name == "gh's" && mask.New(h.call.Secrets.Learned()...).Text("it is ghp_right.") != `it is {"$secret":"gh auth token"}.` {
				t.Errorf("its token is not masked: %v", h.call.Secrets.Learned())
			}
		})
	}
}

// TestGithubForesee: closing an issue can be undone, its words cannot be had back.
func TestGithubForesee(t *testing.T) {
	n := nodeType(t, exampleDeps(), "github-update-issue")
	for want, params := range map[string]map[string]any{"": {"state": "closed", "add_labels": []any{"x"}}, "it replaces the body of the issue": {"body": "new"}} {
		if got := n.Foresee(nodetype.Call{Params: params}, nil).Destroys; got != want {
			t.Errorf("%v destroys %q, want %q", params, got, want)
		}
	}
	if got := n.Foresee(nodetype.Call{Params: map[string]any{}}, []string{"title"}).Destroys; got == "" {
		t.Error("a title that is to come destroys nothing")
	}
}
