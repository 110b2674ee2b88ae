package nodes

import (
	"context"

	"pflow/internal/github"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// githubCreateIssue makes an issue.
func githubCreateIssue(d Deps) nodetype.Type {
	return githubNode(d, &ir.Interface{
		Name:        "github-create-issue",
		Description: "Creates, opens or files a new issue in a GitHub repository.",
		Inputs: []ir.Port{
			{Key: "title", Type: value.String, Required: true, Description: "Its title."},
			{Key: "body", Type: value.String, Description: "What it says, in Markdown."},
		},
		Params:  []ir.Port{textsPort("labels", "Labels that it gets."), textsPort("assignees", "Users who get it.")},
		Outputs: []ir.Port{{Key: "issue_data", Type: value.Object, Structure: ir.MustStructure(github.IssueShape), Description: "The new issue, with its number and html_url."}},
		Effects: changesGithub,
	}, func(ctx context.Context, g *github.Client, r github.Repo, c nodetype.Call) (map[string]any, error) {
		title, err := given(c, "title")
		if err != nil {
			return nil, err
		}
		labels, err := textsOf(c, "labels")
		if err != nil {
			return nil, err
		}
		assignees, err := textsOf(c, "assignees")
		if err != nil {
			return nil, err
		}
		issue, err := g.CreateIssue(ctx, r, github.Draft{Title: title, Body: c.Text("body"), Labels: labels, Assignees: assignees})
		return map[string]any{"issue_data": issue}, err
	}, nodetype.Example{
		Params: map[string]any{"title": "It hangs again", "body": "Since v2.", "labels": []any{"bug"}, "repo": "octo/tool"},
		Outputs: map[string]any{"issue_data": map[string]any{
			"number": 3, "title": "It hangs again", "body": "Since v2.", "state": "open", "state_reason": "", "user": map[string]any{"login": "me"},
			"labels": []any{map[string]any{"name": "bug"}}, "assignees": []any{}, "milestone": map[string]any{"title": ""}, "comments": 0,
			"created_at": "2026-03-01T12:00:00Z", "updated_at": "2026-03-01T12:00:00Z", "closed_at": "", "html_url": "https://github.com/octo/tool/issues/3",
		}},
	})
}
