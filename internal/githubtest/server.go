// Package githubtest is a server that speaks the part of GitHub's REST API that pflow uses, for tests: with repositories
// that change, pages with Link headers, private repositories, refusals with the errors that GitHub gives, and limits.
package githubtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Repo is a repository. Items are as the API gives them: {number, title, body, state, user: {login}, labels: [{name}], …}.
type Repo struct {
	Private  bool                        `json:"private"`
	Branches []string                    `json:"branches"` // the first is the default
	Files    map[string]string           `json:"files"`    // by path; those of another branch as BRANCH:PATH
	Issues   []map[string]any            `json:"issues"`   // those with pull_request are no issues
	Pulls    []map[string]any            `json:"pulls"`
	Changed  map[string][]map[string]any `json:"changed"`  // the files of pull requests, by number
	Comments map[string][]map[string]any `json:"comments"` // by number of their issue
	Releases []map[string]any            `json:"releases"`
}

// Server is an http.Handler. Its fields are set before it is used.
type Server struct {
	Repos map[string]*Repo // by OWNER/NAME
	Token string           // the one that is let in; what changes something, and private repositories, want it
	Open  bool             // no token is wanted
	// Before, if not nil, sees each request first, with how many came before it, and reports whether it answered.
	Before func(n int, w http.ResponseWriter, r *http.Request) bool

	mu       sync.Mutex
	requests []string
}

// now is when everything happens here.
const now = "2026-03-01T12:00:00Z"

// Requests lists what was asked, as METHOD PATH?QUERY and the body.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	n := len(s.requests)
	s.requests = append(s.requests, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+strings.TrimSpace(string(body))))
	if s.Before != nil && s.Before(n, w, r) {
		return
	}
	given := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case given != "" && given != s.Token:
		refuse(w, http.StatusUnauthorized, "Bad credentials")
		return
	case given == "" && !s.Open && r.Method != http.MethodGet:
		refuse(w, http.StatusUnauthorized, "Requires authentication")
		return
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(parts) < 3 || parts[0] != "repos" {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	name := parts[1] + "/" + parts[2]
	repo := s.Repos[name]
	if repo == nil || repo.Private && given == "" {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	var doc any
	if len(body) > 0 && json.Unmarshal(body, &doc) != nil {
		refuse(w, http.StatusBadRequest, "Problems parsing JSON")
		return
	}
	sent, ok := doc.(map[string]any)
	if !ok {
		sent = map[string]any{"labels": doc} // the one request that may be a list
	}
	a := &asked{w: w, r: r, repo: repo, name: name, sent: sent}
	a.route(parts[3:])
}

// asked is a request to a repository.
type asked struct {
	w    http.ResponseWriter
	r    *http.Request
	repo *Repo
	name string
	sent map[string]any
}

func (a *asked) route(rest []string) {
	is := func(method string, want ...string) bool {
		if a.r.Method != method || len(rest) != len(want) {
			return false
		}
		for i, w := range want {
			if w != "*" && w != rest[i] {
				return false
			}
		}
		return true
	}
	switch {
	case is("GET"):
		answer(a.w, http.StatusOK, map[string]any{"full_name": a.name, "default_branch": a.branches()[0]})
	case is("GET", "issues"):
		a.list(a.issues())
	case is("POST", "issues"):
		a.createIssue()
	case is("GET", "issues", "*"):
		a.one(a.repo.Issues, rest[1])
	case is("PATCH", "issues", "*"):
		if i := find(a.repo.Issues, rest[1]); i != nil {
			for k, v := range a.sent {
				i[k] = v
			}
			i["labels"], i["updated_at"] = named(i["labels"]), now
		}
		a.one(a.repo.Issues, rest[1])
	case is("POST", "issues", "*", "labels"):
		i := find(a.repo.Issues, rest[1])
		if i == nil {
			refuse(a.w, http.StatusNotFound, "Not Found")
			return
		}
		list, _ := named(i["labels"]).([]any)
		more, _ := a.sent["labels"].([]any)
		i["labels"] = named(append(list, more...))
		answer(a.w, http.StatusOK, i["labels"])
	case is("GET", "issues", "*", "comments"):
		a.list(a.repo.Comments[rest[1]])
	case is("POST", "issues", "*", "comments"):
		a.createComment(rest[1])
	case is("GET", "pulls"):
		a.list(a.pulls())
	case is("POST", "pulls"):
		a.createPull()
	case is("GET", "pulls", "*"):
		a.one(a.repo.Pulls, rest[1])
	case is("GET", "pulls", "*", "files"):
		a.list(a.repo.Changed[rest[1]])
	case is("GET", "releases"):
		a.list(a.repo.Releases)
	case is("POST", "releases"):
		a.createRelease()
	case a.r.Method == http.MethodGet && len(rest) > 1 && rest[0] == "contents":
		a.contents(strings.Join(rest[1:], "/"))
	default:
		refuse(a.w, http.StatusNotFound, "Not Found")
	}
}

func (a *asked) branches() []string {
	if len(a.repo.Branches) == 0 {
		return []string{"main"}
	}
	return a.repo.Branches
}

// list answers one page, with the Link header that leads to the next.
func (a *asked) list(items []map[string]any) {
	q := a.r.URL.Query()
	size, page := number(q.Get("per_page"), 30), number(q.Get("page"), 1)
	from, to := min((page-1)*size, len(items)), min(page*size, len(items))
	if to < len(items) {
		q.Set("page", strconv.Itoa(page+1))
		a.w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?%s>; rel="next", <http://%[1]s%[2]s?page=99>; rel="last"`, a.r.Host, a.r.URL.Path, q.Encode()))
	}
	answer(a.w, http.StatusOK, append([]map[string]any{}, items[from:to]...))
}

func number(text string, otherwise int) int {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return n
	}
	return otherwise
}

func (a *asked) one(items []map[string]any, n string) {
	if i := find(items, n); i != nil {
		answer(a.w, http.StatusOK, i)
		return
	}
	refuse(a.w, http.StatusNotFound, "Not Found")
}

func find(items []map[string]any, n string) map[string]any {
	for _, i := range items {
		if fmt.Sprint(i["number"]) == n {
			return i
		}
	}
	return nil
}

// contents answers the bytes of a file, or the list of a folder, as JSON.
func (a *asked) contents(path string) {
	key := path
	if ref := a.r.URL.Query().Get("ref"); ref != "" && ref != a.branches()[0] {
		key = ref + ":" + path
	}
	if text, ok := a.repo.Files[key]; ok {
		if !strings.Contains(a.r.Header.Get("Accept"), "raw") {
			refuse(a.w, http.StatusUnsupportedMediaType, "this server has raw files only")
			return
		}
		a.w.Header().Set("Content-Type", "application/vnd.github.raw+json; charset=utf-8")
		fmt.Fprint(a.w, text)
		return
	}
	var list []map[string]any
	for name := range a.repo.Files {
		if rest, ok := strings.CutPrefix(name, key+"/"); ok {
			list = append(list, map[string]any{"name": rest, "type": "file"})
		}
	}
	if list == nil {
		refuse(a.w, http.StatusNotFound, "Not Found")
		return
	}
	slices.SortFunc(list, func(x, y map[string]any) int { return strings.Compare(x["name"].(string), y["name"].(string)) })
	answer(a.w, http.StatusOK, list)
}

// answer writes JSON.
func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// Error is one of the errors of a 422.
type Error struct {
	Resource string `json:"resource"`
	Field    string `json:"field"`
	Code     string `json:"code"`
	Message  string `json:"message,omitempty"`
}

func refuse(w http.ResponseWriter, status int, message string, errors ...Error) {
	answer(w, status, map[string]any{"message": message, "errors": errors, "documentation_url": "https://docs.github.com/rest"})
}
