package github_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pflow/internal/fault"
	"pflow/internal/github"
	"pflow/internal/githubtest"
	"pflow/internal/outbound"
)

const key = "ghp_testtoken"

var tool = github.Repo{Owner: "octo", Name: "tool"}

// start starts a server and gives a client of it.
func start(t *testing.T, s *githubtest.Server, token string) *github.Client {
	t.Helper()
	s.Token = key
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return client(t, server.URL, token)
}

func client(t *testing.T, address, token string) *github.Client {
	t.Helper()
	site, err := github.SiteOf(env("GITHUB_API_URL", address))
	if err != nil {
		t.Fatal(err)
	}
	return github.New(site, github.Token{Text: token, From: "GITHUB_TOKEN"}, outbound.Transport(nil))
}

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func issues(n int) (out []map[string]any) {
	for i := n; i > 0; i-- {
		one := map[string]any{"number": i, "title": fmt.Sprintf("Issue %d", i), "state": "open"}
		if i%3 == 0 {
			one["pull_request"] = map[string]any{"url": "x"}
		}
		out = append(out, one)
	}
	return out
}

// TestPages: lists go on to the next page until there are as many as wanted, and no further; pull requests among issues
// do not count.
func TestPages(t *testing.T) {
	s := &githubtest.Server{Repos: map[string]*githubtest.Repo{"octo/tool": {Issues: issues(330)}}}
	c := start(t, s, "")
	for limit, want := range map[int]struct{ items, requests int }{5: {5, 1}, 100: {100, 2}, 1000: {220, 4}} {
		before := len(s.Requests())
		got, err := c.Issues(t.Context(), tool, github.Filter{Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(s.Requests()) - before; len(got) != want.items || n != want.requests {
			t.Errorf("limit %d: %d issues in %d requests, want %d in %d", limit, len(got), n, want.items, want.requests)
		}
		if first := got[0].(map[string]any); first["number"] != 329 {
			t.Errorf("the first is %v", first)
		}
	}
}

// TestShapes holds what is given against the shapes that are declared: the same keys, at any depth.
func TestShapes(t *testing.T) {
	s := &githubtest.Server{Repos: map[string]*githubtest.Repo{"octo/tool": {
		Branches: []string{"main", "fix"},
		Issues:   []map[string]any{{"number": 1, "labels": []any{map[string]any{"name": "bug"}}, "assignees": []any{map[string]any{"login": "ada"}}}},
		Pulls:    []map[string]any{{"number": 2, "state": "closed", "merged_at": "2026-02-01T10:00:00+01:00"}, {"number": 3, "state": "closed"}},
		Changed:  map[string][]map[string]any{"2": {{"filename": "a.go"}}},
		Comments: map[string][]map[string]any{"1": {{"id": 7, "user": nil}}},
		Releases: []map[string]any{{"id": 1, "tag_name": "v1", "assets": []any{map[string]any{"name": "x", "size": 3}}}},
	}}}
	c := start(t, s, key)
	ctx := t.Context()
	must := func(v any, err error) any {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	list := func(v []any, err error) any {
		t.Helper()
		if err != nil || len(v) == 0 {
			t.Fatalf("%v, %v", v, err)
		}
		return v[0]
	}
	merged, err := c.PullRequests(ctx, tool, github.Pulls{State: "merged", Limit: 9})
	if err != nil || len(merged) != 1 || merged[0].(map[string]any)["merged_at"] != "2026-02-01T09:00:00Z" {
		t.Errorf("merged: %v, %v", merged, err)
	}
	for name, c := range map[string]struct{ shape, got any }{
		"issue":       {github.IssueShape, must(c.Issue(ctx, tool, 1))},
		"new issue":   {github.IssueShape, must(c.CreateIssue(ctx, tool, github.Draft{Title: "x", Body: "y", Labels: []string{"bug"}}))},
		"changed":     {github.IssueShape, must(c.UpdateIssue(ctx, tool, 1, github.Change{AddLabels: []string{"new"}}))},
		"pull":        {github.PullShape, merged[0]},
		"sized pull":  {github.SizedPullShape, must(c.PullRequest(ctx, tool, 2))},
		"new pull":    {github.PullShape, must(c.CreatePull(ctx, tool, github.PullDraft{Title: "x", Head: "fix", Base: "main"}))},
		"file":        {github.FileShape, list(c.Files(ctx, tool, 2, 9))},
		"comment":     {github.CommentShape, list(c.Comments(ctx, tool, 1, 9))},
		"new comment": {github.CommentShape, must(c.Comment(ctx, tool, 1, "Thanks."))},
		"release":     {github.ReleaseShape, list(c.Releases(ctx, tool, 9))},
		"new release": {github.ReleaseShape, must(c.CreateRelease(ctx, tool, github.NewRelease{Tag: "v2"}))},
	} {
		if why := misfit(c.shape, c.got); why != "" {
			t.Errorf("%s: %s\n%v", name, why, c.got)
		}
	}
}

// misfit says how a value differs from a shape.
func misfit(shape, v any) string {
	switch shape := shape.(type) {
	case map[string]any:
		m, ok := v.(map[string]any)
		if !ok || len(m) != len(shape) {
			return fmt.Sprintf("want the keys of %v", shape)
		}
		for k, inner := range shape {
			if why := misfit(inner, m[k]); why != "" {
				return k + ": " + why
			}
		}
	case []any:
		list, ok := v.([]any)
		if !ok {
			return "want a list"
		}
		for _, item := range list {
			if why := misfit(shape[0], item); why != "" {
				return "[]: " + why
			}
		}
	default:
		if got := fmt.Sprintf("%T", v); got != map[any]string{"string": "string", "integer": "int", "boolean": "bool"}[shape] {
			return fmt.Sprintf("want %v, got %s", shape, got)
		}
	}
	return ""
}

// TestErrors: what GitHub refuses is said with what to do about it.
func TestErrors(t *testing.T) {
	repos := func() map[string]*githubtest.Repo {
		return map[string]*githubtest.Repo{"octo/tool": {Files: map[string]string{"docs/a.md": "A", "docs/b.md": "B"}}, "octo/secret": {Private: true}}
	}
	status := func(status int, body string, headers ...string) func(int, http.ResponseWriter, *http.Request) bool {
		return func(_ int, w http.ResponseWriter, _ *http.Request) bool {
			for i := 0; i < len(headers); i += 2 {
				w.Header().Set(headers[i], headers[i+1])
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			fmt.Fprint(w, body)
			return true
		}
	}
	read := func(c *github.Client) error { _, err := c.Issue(t.Context(), tool, 12); return err }
	make := func(c *github.Client) error {
		_, err := c.CreateIssue(t.Context(), tool, github.Draft{Title: "x"})
		return err
	}
	file := func(path, ref string) func(c *github.Client) error {
		return func(c *github.Client) error { _, err := c.File(t.Context(), tool, path, ref); return err }
	}
	for name, c := range map[string]struct {
		token  string
		before func(int, http.ResponseWriter, *http.Request) bool
		do     func(*github.Client) error
		kind   fault.Kind
		want   string
	}{
		"none without a token": {do: read, kind: fault.NotFound,
			want: "cannot read issue 12 of octo/tool: HOST has no issue 12 of octo/tool; a private repository looks the same without a token: set GITHUB_TOKEN, or log in with gh auth login --hostname HOST"},
		"none with one": {token: key, do: read, kind: fault.NotFound,
			want: "cannot read issue 12 of octo/tool: HOST has no issue 12 of octo/tool; a repository that the token of GITHUB_TOKEN may not see, or not change, looks the same"},
		"a private repository": {do: func(c *github.Client) error {
			_, err := c.Issues(t.Context(), github.Repo{Owner: "octo", Name: "secret"}, github.Filter{Limit: 1})
			return err
		}, kind: fault.NotFound,
			want: "cannot list the issues of octo/secret: HOST has no repository octo/secret; a private repository looks the same without a token: set GITHUB_TOKEN, or log in with gh auth login --hostname HOST"},
		"a wrong token": {token: "wrong-token", do: read, kind: fault.Authentication,
			want: "cannot read issue 12 of octo/tool: Bad credentials; HOST refuses the token of GITHUB_TOKEN: make a new one"},
		"no token to write with": {do: make, kind: fault.Authentication,
			want: "cannot create an issue in octo/tool: Requires authentication; it wants a token: set GITHUB_TOKEN, or log in with gh auth login --hostname HOST"},
		"too few permissions": {token: key, do: make, kind: fault.Permission,
			before: status(403, `{"message": "Resource not accessible by personal access token"}`, "X-Accepted-GitHub-Permissions", "issues=write"),
			want:   "cannot create an issue in octo/tool: Resource not accessible by personal access token; the token of GITHUB_TOKEN lacks the permission: it needs issues=write"},
		"a field": {token: key, kind: fault.InvalidRequest, do: func(c *github.Client) error {
			_, err := c.CreatePull(t.Context(), tool, github.PullDraft{Title: "x", Head: "nowhere", Base: "main"})
			return err
		}, want: "cannot create a pull request of nowhere to main in octo/tool: Validation Failed (head: invalid); is the branch pushed?"},
		"read, and the server is ill": {token: key, do: read, before: status(502, `{"message": "Server Error"}`), kind: fault.Unavailable,
			want: "cannot read issue 12 of octo/tool: HOST answered 502 Server Error"},
		"written, and the server is ill": {token: key, do: make, before: status(502, `{"message": "Server Error"}`), kind: fault.Uncertain,
			want: "cannot create an issue in octo/tool: HOST answered 502 Server Error; it may have been done all the same: look before you run it again"},
		"no API": {token: key, do: read, before: status(200, `<html>`), kind: fault.Malformed,
			want: "cannot read issue 12 of octo/tool: API answered with what GitHub's API does not (invalid character '<' looking for beginning of value); check GITHUB_API_URL"},
		"a folder": {do: file("docs", ""), kind: fault.InvalidRequest, want: "docs of octo/tool is a folder; name a file in it: a.md, b.md"},
		"no file": {token: key, do: file("docs/c.md", "v1"), kind: fault.NotFound,
			want: "cannot read the file docs/c.md at v1 of octo/tool: HOST has no file docs/c.md at v1 in octo/tool; a repository that the token of GITHUB_TOKEN may not see, or not change, looks the same"},
		"no path": {do: file("docs/../a", ""), kind: fault.InvalidRequest, want: `"docs/../a" is no path of a file in a repository: want one such as docs/guide.md`},
	} {
		t.Run(name, func(t *testing.T) {
			s := &githubtest.Server{Repos: repos(), Before: c.before, Token: key}
			server := httptest.NewServer(s)
			defer server.Close()
			err := fault.Of(c.do(client(t, server.URL, c.token)))
			want := strings.ReplaceAll(strings.ReplaceAll(c.want, "API", server.URL+"/"), "GitHub's "+server.URL+"/", "GitHub's API")
			want = strings.ReplaceAll(strings.ReplaceAll(want, "GITHUB_"+server.URL+"/_URL", "GITHUB_API_URL"), "HOST", strings.TrimPrefix(server.URL, "http://"))
			if err == nil || err.Kind != c.kind || err.Message != want {
				t.Errorf("%+v\nwant %s %s", err, c.kind, want)
			}
		})
	}
}

// TestDetails: the errors of a 422 are there to be read by a workflow.
func TestDetails(t *testing.T) {
	c := start(t, &githubtest.Server{Repos: map[string]*githubtest.Repo{"octo/tool": {}}}, key)
	_, err := c.CreateIssue(t.Context(), tool, github.Draft{})
	want := map[string]any{"status": 422, "message": "Validation Failed", "documentation_url": "https://docs.github.com/rest",
		"errors": []any{map[string]any{"resource": "Issue", "field": "title", "code": "missing_field", "message": ""}}}
	if diff := cmp.Diff(want, fault.Of(err).Details); diff != "" {
		t.Error(diff)
	}
}

// TestLimits: what the primary and the secondary limit refuse is asked again when they are over; where that is too late the
// error says when.
func TestLimits(t *testing.T) {
	refusals := map[string]func(w http.ResponseWriter){
		"primary": func(w http.ResponseWriter) {
			w.Header().Set("X-RateLimit-Limit", "60")
			w.Header().Set("X-RateLimit-Remaining", "0")
			w.Header().Set("X-RateLimit-Reset", fmt.Sprint(time.Now().Add(time.Second).Unix()))
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"message": "API rate limit exceeded"}`)
		},
		"secondary": func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"message": "You have exceeded a secondary rate limit", "documentation_url": "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`)
		},
		"too many": func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprint(w, `{"message": "Slow down"}`)
		},
	}
	for name, refuse := range refusals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &githubtest.Server{Repos: map[string]*githubtest.Repo{"octo/tool": {}}, Before: func(n int, w http.ResponseWriter, _ *http.Request) bool {
				if n < 2 {
					refuse(w)
				}
				return n < 2
			}}
			c := start(t, s, key)
			if _, err := c.CreateIssue(t.Context(), tool, github.Draft{Title: "once"}); err != nil {
				t.Fatal(err)
			}
			if n := len(s.Repos["octo/tool"].Issues); n != 1 || len(s.Requests()) != 3 {
				t.Errorf("%d issues, %d requests", n, len(s.Requests()))
			}
		})
	}
	t.Run("too late", func(t *testing.T) {
		reset := time.Now().Add(time.Hour)
		s := &githubtest.Server{Before: func(_ int, w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("X-RateLimit-Limit", "60")
			w.Header().Set("X-RateLimit-Remaining", "0")
			w.Header().Set("X-RateLimit-Reset", fmt.Sprint(reset.Unix()))
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"message": "API rate limit exceeded"}`)
			return true
		}}
		c := start(t, s, "")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := c.Issue(ctx, tool, 1)
		e := fault.Of(err)
		if e == nil || e.Kind != fault.RateLimit || !strings.Contains(e.Message, "the 60 of the hour are spent") || !strings.Contains(e.Message, "set GITHUB_TOKEN") ||
			e.Details["reset"] != reset.Add(time.Second).UTC().Truncate(time.Second).Format(time.RFC3339) {
			t.Errorf("%+v", e)
		}
		if len(s.Requests()) != 1 {
			t.Errorf("requests: %v", s.Requests())
		}
	})
}

// TestTokenStays: a token goes to the site and nowhere else, whoever redirects, and over nothing that is read along.
func TestTokenStays(t *testing.T) {
	var seen []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Get("Authorization"))
	}))
	defer other.Close()
	s := &githubtest.Server{Repos: map[string]*githubtest.Repo{"octo/tool": {Issues: issues(1)}}}
	s.Before = func(_ int, w http.ResponseWriter, r *http.Request) bool {
		switch {
		case strings.HasPrefix(r.URL.Path, "/repos/octo/old"):
			code := http.StatusMovedPermanently
			http.Redirect(w, r, "/repos/octo/tool"+strings.TrimPrefix(r.URL.Path, "/repos/octo/old"), code)
		case strings.HasPrefix(r.URL.Path, "/repos/octo/away"):
			http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
		default:
			return false
		}
		return true
	}
	c := start(t, s, key)
	old := github.Repo{Owner: "octo", Name: "old"}
	if got, err := c.Issue(t.Context(), old, 1); err != nil || got["number"] != 1 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := c.CreateIssue(t.Context(), old, github.Draft{Title: "x"}); err == nil || !strings.Contains(err.Error(), "the repository has moved to /repos/octo/tool/issues; give repo as it is called now") {
		t.Errorf("%v", err)
	}
	_, err := c.Issue(t.Context(), github.Repo{Owner: "octo", Name: "away"}, 1)
	if e := fault.Of(err); e == nil || e.Kind != fault.Permission || len(seen) > 0 {
		t.Errorf("%v; the other server was sent %q", err, seen)
	}
	if _, err := client(t, "http://github.invalid", key).Issue(t.Context(), tool, 1); err == nil || !strings.Contains(err.Error(), "is not sent to http://github.invalid/, where anybody could read it along") {
		t.Errorf("%v", err)
	}
}

// TestBroken: a connection that breaks before the answer leaves it open whether something was made, and is not tried again.
func TestBroken(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		conn, _, _ := w.(http.Hijacker).Hijack()
		conn.Close()
	}))
	defer server.Close()
	c := client(t, server.URL, key)
	if _, err := c.CreateIssue(t.Context(), tool, github.Draft{Title: "x"}); fault.Of(err).Kind != fault.Uncertain || asked.Load() != 1 {
		t.Errorf("%v after %d requests", err, asked.Load())
	}
	if _, err := c.Issue(t.Context(), tool, 1); fault.Of(err).Kind != fault.Network {
		t.Errorf("%v", err)
	}
	server.Close()
	if _, err := c.CreateIssue(t.Context(), tool, github.Draft{Title: "x"}); fault.Of(err).Kind != fault.Network { // nothing was sent
		t.Errorf("%v", err)
	}
}

func TestSiteAndRepo(t *testing.T) {
	for _, c := range []struct {
		env       []string
		api, host string
	}{
		{nil, "https://api.github.com/", "github.com"},
		{[]string{"GH_HOST", "github.com"}, "https://api.github.com/", "github.com"},
		{[]string{"GH_HOST", "git.example.org"}, "https://git.example.org/api/v3/", "git.example.org"},
		{[]string{"GH_HOST", "acme.ghe.com"}, "https://api.acme.ghe.com/", "acme.ghe.com"},
		{[]string{"GITHUB_API_URL", "https://git.example.org/api/v3", "GH_HOST", "x.org"}, "https://git.example.org/api/v3/", "git.example.org"},
		{[]string{"GITHUB_API_URL", "http://127.0.0.1:99", "GITHUB_SERVER_URL", "https://github.com"}, "http://127.0.0.1:99/", "github.com"},
	} {
		site, err := github.SiteOf(env(c.env...))
		if err != nil || site.API.String() != c.api || site.Host != c.host {
			t.Errorf("%v: %v %s, %v", c.env, site.API, site.Host, err)
		}
	}
	for _, bad := range []string{"api.github.com", "ftp://x", "https://u:p@x.org", "https://x.org/?a=b"} {
		if _, err := github.SiteOf(env("GITHUB_API_URL", bad)); err == nil || strings.Contains(err.Error(), "u:p") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	site := github.Site{API: &url.URL{}, Host: "github.com"}
	for _, good := range []string{"octo/tool", "https://github.com/octo/tool.git", "https://github.com/octo/tool/", "https://u:secret@github.com/octo/tool", "git@github.com:octo/tool.git",
		"ssh://git@github.com/octo/tool.git", "ssh://git@ssh.github.com:443/octo/tool.git", "git@github-work:octo/tool.git", "git://github.com/octo/tool"} {
		if got, err := site.ParseRepo(good); err != nil || got != tool {
			t.Errorf("%s: %v, %v", good, got, err)
		}
	}
	for _, bad := range []string{"", "octo", "octo/", "/srv/tool", "/srv/git/tool.git", "../tool", "file:///srv/tool", "octo/tool/issues", "octo/to ol", "octo/../x",
		"https://gitlab.com/octo/tool", "git@gitlab.com:octo/tool", "https://u:secret@gitlab.com/octo/tool"} {
		if got, err := site.ParseRepo(bad); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, %v", bad, got, err)
		}
	}
}
