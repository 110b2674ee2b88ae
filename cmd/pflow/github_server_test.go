package main

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"pflow/internal/githubtest"
)

// hubToken is the token that tests have for a server of GitHub's API. No output and no file may hold it.
const hubToken = "ghp_5cR1pt3dT0k3nN0tT0B3Sh0wn"

// hub is a server of GitHub's API.
type hub struct {
	*githubtest.Server
	at *httptest.Server
}

// newHub starts a server with repositories in JSON: {"OWNER/NAME": {issues: …, …}}.
func newHub(repos []byte) (*hub, error) {
	h := &hub{Server: &githubtest.Server{Token: hubToken}}
	if err := json.Unmarshal(repos, &h.Repos); err != nil {
		return nil, err
	}
	h.at = httptest.NewServer(h)
	return h, nil
}

// env is what makes it the GitHub of a program.
func (h *hub) env() []string {
	return []string{"GITHUB_API_URL=" + h.at.URL, "GITHUB_SERVER_URL=https://github.com", "GITHUB_TOKEN=" + hubToken}
}

// github serves GitHub's API to the workflow that is tested; its token is given.
func (b *bench) github(repos string) *hub {
	b.t.Helper()
	h, err := newHub([]byte(repos))
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(h.at.Close)
	b.env = append(b.env, h.env()...)
	return h
}

type hubKey struct{}

// watchHubs ends the servers of a script, and fails it where the token is in a file.
func watchHubs(e *testscript.Env) {
	running := new(*hub)
	e.Values[hubKey{}] = running
	e.Defer(func() {
		if *running == nil {
			return
		}
		(*running).at.Close()
		err := filepath.WalkDir(e.WorkDir, func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			if strings.Contains(string(data), hubToken) {
				e.T().Log("the token of the GitHub server is in " + path)
				e.T().FailNow()
			}
			return err
		})
		if err != nil {
			e.T().Log(err)
			e.T().FailNow()
		}
	})
}

func githubServer(ts *testscript.TestScript, neg bool, args []string) {
	running := ts.Value(hubKey{}).(**hub)
	if neg || len(args) != 1 || *running != nil {
		ts.Fatalf("usage, once: github-server REPOS.json")
	}
	data, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	h, err := newHub(data)
	ts.Check(err)
	*running = h
	for _, v := range h.env() {
		name, text, _ := strings.Cut(v, "=")
		ts.Setenv(name, text)
	}
}

func githubSent(ts *testscript.TestScript, neg bool, args []string) {
	running := *ts.Value(hubKey{}).(**hub)
	if neg || len(args) != 1 || running == nil {
		ts.Fatalf("usage, after github-server: github-sent FILE")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Join(running.Requests(), "\n")+"\n"), 0o644))
}
