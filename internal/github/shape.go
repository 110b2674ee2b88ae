package github

import (
	"time"

	"github.com/google/go-github/v82/github"
)

// Shapes of what is given, in the form that ir.ParseStructure reads. Times are as in 2026-01-02T15:04:05Z, "" where there
// is none; all other keys are always there, too.
var (
	IssueShape = map[string]any{
		"number": "integer", "title": "string", "body": "string", "state": "string", "state_reason": "string",
		"user": login, "labels": named, "assignees": []any{login}, "milestone": map[string]any{"title": "string"}, "comments": "integer",
		"created_at": "string", "updated_at": "string", "closed_at": "string", "html_url": "string",
	}
	PullShape = map[string]any{
		"number": "integer", "title": "string", "body": "string", "state": "string", "draft": "boolean", "merged": "boolean",
		"user": login, "labels": named, "head": branch, "base": branch,
		"created_at": "string", "updated_at": "string", "closed_at": "string", "merged_at": "string", "html_url": "string",
	}
	SizedPullShape = with(PullShape, map[string]any{
		"commits": "integer", "comments": "integer", "additions": "integer", "deletions": "integer", "changed_files": "integer"})
	CommentShape = map[string]any{"id": "integer", "body": "string", "user": login, "created_at": "string", "html_url": "string"}
	FileShape    = map[string]any{
		"filename": "string", "previous_filename": "string", "status": "string", "additions": "integer", "deletions": "integer",
		"changes": "integer", "patch": "string",
	}
	ReleaseShape = map[string]any{
		"id": "integer", "tag_name": "string", "name": "string", "body": "string", "draft": "boolean", "prerelease": "boolean",
		"author": login, "created_at": "string", "published_at": "string", "html_url": "string",
		"assets": []any{map[string]any{"name": "string", "size": "integer", "browser_download_url": "string"}},
	}

	login  = map[string]any{"login": "string"}
	named  = []any{map[string]any{"name": "string"}}
	branch = map[string]any{"ref": "string", "sha": "string"}
)

func with(shape, more map[string]any) map[string]any {
	out := map[string]any{}
	for _, m := range []map[string]any{shape, more} {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

func issue(i *github.Issue) map[string]any {
	return map[string]any{
		"number": i.GetNumber(), "title": i.GetTitle(), "body": i.GetBody(), "state": i.GetState(), "state_reason": i.GetStateReason(),
		"user": user(i.GetUser()), "labels": labels(i.Labels), "assignees": users(i.Assignees),
		"milestone": map[string]any{"title": i.GetMilestone().GetTitle()}, "comments": i.GetComments(),
		"created_at": at(i.CreatedAt), "updated_at": at(i.UpdatedAt), "closed_at": at(i.ClosedAt), "html_url": i.GetHTMLURL(),
	}
}

func pull(p *github.PullRequest) map[string]any {
	return map[string]any{
		"number": p.GetNumber(), "title": p.GetTitle(), "body": p.GetBody(), "state": p.GetState(), "draft": p.GetDraft(),
		"merged": p.MergedAt != nil, "user": user(p.GetUser()), "labels": labels(p.Labels),
		"head": map[string]any{"ref": p.GetHead().GetRef(), "sha": p.GetHead().GetSHA()}, "base": map[string]any{"ref": p.GetBase().GetRef(), "sha": p.GetBase().GetSHA()},
		"created_at": at(p.CreatedAt), "updated_at": at(p.UpdatedAt), "closed_at": at(p.ClosedAt), "merged_at": at(p.MergedAt), "html_url": p.GetHTMLURL(),
	}
}

// pullWithSize is a pull request as it is read alone: lists do not tell its size.
func pullWithSize(p *github.PullRequest) map[string]any {
	return with(pull(p), map[string]any{"commits": p.GetCommits(), "comments": p.GetComments(), "additions": p.GetAdditions(),
		"deletions": p.GetDeletions(), "changed_files": p.GetChangedFiles()})
}

func comment(c *github.IssueComment) map[string]any {
	return map[string]any{"id": int(c.GetID()), "body": c.GetBody(), "user": user(c.GetUser()), "created_at": at(c.CreatedAt), "html_url": c.GetHTMLURL()}
}

func release(r *github.RepositoryRelease) map[string]any {
	assets := []any{}
	for _, a := range r.Assets {
		assets = append(assets, map[string]any{"name": a.GetName(), "size": a.GetSize(), "browser_download_url": a.GetBrowserDownloadURL()})
	}
	return map[string]any{
		"id": int(r.GetID()), "tag_name": r.GetTagName(), "name": r.GetName(), "body": r.GetBody(), "draft": r.GetDraft(), "prerelease": r.GetPrerelease(),
		"author": user(r.GetAuthor()), "created_at": at(r.CreatedAt), "published_at": at(r.PublishedAt), "html_url": r.GetHTMLURL(), "assets": assets,
	}
}

func user(u *github.User) map[string]any { return map[string]any{"login": u.GetLogin()} }

func users(list []*github.User) []any {
	out := []any{}
	for _, u := range list {
		out = append(out, user(u))
	}
	return out
}

func labels(list []*github.Label) []any {
	out := []any{}
	for _, l := range list {
		out = append(out, map[string]any{"name": l.GetName()})
	}
	return out
}

func at(t *github.Timestamp) string {
	if t == nil || t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
