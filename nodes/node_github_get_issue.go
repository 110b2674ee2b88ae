package nodes

import (
	"context"

	"pflow/internal/github"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// githubGetIssue reads one issue.
func githubGetIssue(d Deps) nodetype.Type {
	return githubNode(d, &ir.Interface{
		Name:        "github-get-issue",
		Description: "Reads or fetches one issue of a GitHub repository, by its number.",
		Inputs:      []ir.Port{issueNumberPort("The number of the issue, such as 12.")},
		Params: []ir.Port{
			{Key: "with_comments", Type: value.Boolean, Default: false, Description: "Read what was said to it too."},
			limitPort("comments", 100),
		},
		Outputs: []ir.Port{
			{Key: "issue_data", Type: value.Object, Structure: ir.MustStructure(github.IssueShape), Description: "The issue, with the keys that GitHub's API gives it."},
			{Key: "comments", Type: value.Array, Structure: listOf(github.CommentShape), Description: "The comments, oldest first; empty without with_comments."},
		},
		Effects: readsGithub,
	}, func(ctx context.Context, g *github.Client, r github.Repo, c nodetype.Call) (map[string]any, error) {
		n, err := number(c, "issue_number")
		if err != nil {
			return nil, err
		}
		limit, err := limitOf(c, 100)
		if err != nil {
			return nil, err
		}
		issue, err := g.Issue(ctx, r, n)
		if err != nil {
			return nil, err
		}
		comments := []any{}
		if c.Flag("with_comments") {
			if comments, err = g.Comments(ctx, r, n, limit); err != nil {
				return nil, err
			}
		}
		return map[string]any{"issue_data": issue, "comments": comments}, nil
	}, nodetype.Example{
		Params:  map[string]any{"issue_number": 1, "repo": "octo/tool", "with_comments": true},
		Outputs: map[string]any{"issue_data": exampleIssue, "comments": []any{exampleComment}},
	})
}

// What the examples show.
var (
	exampleIssue = map[string]any{
		"number": 1, "title": "It hangs", "body": "On start.", "state": "open", "state_reason": "", "user": map[string]any{"login": "ada"},
		"labels": []any{map[string]any{"name": "bug"}}, "assignees": []any{}, "milestone": map[string]any{"title": ""}, "comments": 1,
		"created_at": "2026-01-02T15:04:05Z", "updated_at": "2026-01-03T15:04:05Z", "closed_at": "", "html_url": "https://github.com/octo/tool/issues/1",
	}
	exampleComment = map[string]any{"id": 7, "body": "Here, too.", "user": map[string]any{"login": "bob"}, "created_at": "2026-01-03T15:04:05Z",
		"html_url": "https://github.com/octo/tool/issues/1#issuecomment-7"}
)
