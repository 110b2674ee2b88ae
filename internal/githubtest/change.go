package githubtest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

func (a *asked) issues() (out []map[string]any) {
	q := a.r.URL.Query()
	state := q.Get("state")
	for _, i := range a.repo.Issues {
		ok := state == "all" || i["state"] == orOpen(state)
		for want := range strings.SplitSeq(q.Get("labels"), ",") {
			ok = ok && (want == "" || slices.ContainsFunc(labels(i), func(l string) bool { return strings.EqualFold(l, want) }))
		}
		if since, _ := i["updated_at"].(string); q.Get("since") > since {
			ok = false
		}
		if ok {
			out = append(out, i)
		}
	}
	return out
}

func (a *asked) pulls() (out []map[string]any) {
	state := a.r.URL.Query().Get("state")
	for _, p := range a.repo.Pulls {
		base, _ := p["base"].(map[string]any)
		if want := a.r.URL.Query().Get("base"); (state == "all" || p["state"] == orOpen(state)) && (want == "" || base["ref"] == want) {
			out = append(out, p)
		}
	}
	return out
}

func orOpen(state string) string {
	if state == "" {
		return "open"
	}
	return state
}

func labels(i map[string]any) (out []string) {
	list, _ := i["labels"].([]any)
	for _, l := range list {
		if m, ok := l.(map[string]any); ok {
			out = append(out, fmt.Sprint(m["name"]))
		}
	}
	return out
}

// named makes {name} of labels that were sent as text, each once.
func named(v any) any {
	list, _ := v.([]any)
	out := []any{}
	for _, l := range list {
		if _, ok := l.(map[string]any); !ok {
			l = map[string]any{"name": l}
		}
		if !slices.ContainsFunc(out, func(o any) bool { return fmt.Sprint(o) == fmt.Sprint(l) }) {
			out = append(out, l)
		}
	}
	return out
}

// next is the number of the next issue or pull request: they share them.
func (a *asked) next() int {
	n := 0
	for _, i := range slices.Concat(a.repo.Issues, a.repo.Pulls) {
		var k int
		fmt.Sscan(fmt.Sprint(i["number"]), &k)
		n = max(n, k)
	}
	return n + 1
}

func (a *asked) address(rest string) string { return "https://github.com/" + a.name + "/" + rest }

// wants reports whether a field was sent, and refuses the request if not.
func (a *asked) wants(resource, field string) bool {
	if text, _ := a.sent[field].(string); text != "" {
		return true
	}
	refuse(a.w, http.StatusUnprocessableEntity, "Validation Failed", Error{resource, field, "missing_field", ""})
	return false
}

func (a *asked) createIssue() {
	if !a.wants("Issue", "title") {
		return
	}
	n := a.next()
	i := map[string]any{"number": n, "title": a.sent["title"], "body": a.sent["body"], "state": "open", "user": map[string]any{"login": "me"},
		"labels": named(a.sent["labels"]), "comments": 0, "created_at": now, "updated_at": now, "html_url": a.address(fmt.Sprintf("issues/%d", n))}
	a.repo.Issues = append([]map[string]any{i}, a.repo.Issues...)
	answer(a.w, http.StatusCreated, i)
}

func (a *asked) createComment(on string) {
	i := find(a.repo.Issues, on)
	if i == nil {
		refuse(a.w, http.StatusNotFound, "Not Found")
		return
	}
	if !a.wants("IssueComment", "body") {
		return
	}
	if a.repo.Comments == nil {
		a.repo.Comments = map[string][]map[string]any{}
	}
	id := len(a.repo.Comments[on]) + 1
	c := map[string]any{"id": id, "body": a.sent["body"], "user": map[string]any{"login": "me"}, "created_at": now,
		"html_url": a.address(fmt.Sprintf("issues/%s#issuecomment-%d", on, id))}
	a.repo.Comments[on] = append(a.repo.Comments[on], c)
	answer(a.w, http.StatusCreated, c)
}

func (a *asked) createPull() {
	if !a.wants("PullRequest", "title") || !a.wants("PullRequest", "head") || !a.wants("PullRequest", "base") {
		return
	}
	for _, field := range []string{"head", "base"} {
		branch, _ := a.sent[field].(string)
		if _, own, ok := strings.Cut(branch, ":"); ok {
			branch = own
		}
		if !slices.Contains(a.branches(), branch) {
			refuse(a.w, http.StatusUnprocessableEntity, "Validation Failed", Error{"PullRequest", field, "invalid", ""})
			return
		}
	}
	for _, p := range a.repo.Pulls {
		if head, _ := p["head"].(map[string]any); p["state"] == "open" && head["ref"] == a.sent["head"] {
			refuse(a.w, http.StatusUnprocessableEntity, "Validation Failed",
				Error{"PullRequest", "", "custom", fmt.Sprintf("A pull request already exists for %s:%s.", strings.Split(a.name, "/")[0], a.sent["head"])})
			return
		}
	}
	n := a.next()
	p := map[string]any{"number": n, "title": a.sent["title"], "body": a.sent["body"], "state": "open", "draft": a.sent["draft"], "user": map[string]any{"login": "me"},
		"head": map[string]any{"ref": a.sent["head"], "sha": "1f"}, "base": map[string]any{"ref": a.sent["base"], "sha": "0f"},
		"created_at": now, "updated_at": now, "html_url": a.address(fmt.Sprintf("pull/%d", n))}
	a.repo.Pulls = append([]map[string]any{p}, a.repo.Pulls...)
	answer(a.w, http.StatusCreated, p)
}

func (a *asked) createRelease() {
	if !a.wants("Release", "tag_name") {
		return
	}
	for _, r := range a.repo.Releases {
		if r["tag_name"] == a.sent["tag_name"] {
			refuse(a.w, http.StatusUnprocessableEntity, "Validation Failed", Error{"Release", "tag_name", "already_exists", ""})
			return
		}
	}
	r := map[string]any{"id": len(a.repo.Releases) + 1, "tag_name": a.sent["tag_name"], "name": a.sent["name"], "body": a.sent["body"], "draft": a.sent["draft"],
		"prerelease": a.sent["prerelease"], "author": map[string]any{"login": "me"}, "created_at": now, "published_at": now,
		"html_url": a.address(fmt.Sprintf("releases/tag/%v", a.sent["tag_name"])), "assets": []any{}}
	a.repo.Releases = append([]map[string]any{r}, a.repo.Releases...)
	answer(a.w, http.StatusCreated, r)
}
