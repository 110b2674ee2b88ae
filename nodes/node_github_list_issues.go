package nodes

import (
	"context"
	"time"

	"pflow/internal/github"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// githubListIssues lists issues.
func githubListIssues(d Deps) nodetype.Type {
	return githubNode(d, &ir.Interface{
		Name:        "github-list-issues",
		Description: "Lists the issues of a GitHub repository, newest first; pull requests are not among them.",
		Params: []ir.Port{
			{Key: "state", Type: value.String, Default: "open", Enum: []any{"open", "closed", "all"}, Description: "Which issues."},
			limitPort("issues", 30),
			textsPort("labels", "Only issues that have all of these labels."),
			{Key: "assignee", Type: value.String, Description: "Only issues of this user's; none for those that nobody has, * for those that somebody has."},
			{Key: "author", Type: value.String, Description: "Only issues that this user wrote."},
			{Key: "milestone", Type: value.String, Description: "Only issues of this milestone, by its number; none for those without one, * for those with any."},
			{Key: "since", Type: value.String, Description: "Only issues that changed since then, such as 2026-01-31 or 2026-01-31T12:00:00Z."},
			sortPort("comments"), directionPort(),
		},
		Outputs: []ir.Port{
			{Key: "issues", Type: value.Array, Structure: listOf(github.IssueShape), Description: "The issues, with the keys that GitHub's API gives them."},
			{Key: "count", Type: value.Integer, Description: "How many there are in issues."},
		},
		Effects: readsGithub,
	}, func(ctx context.Context, g *github.Client, r github.Repo, c nodetype.Call) (map[string]any, error) {
		limit, err := limitOf(c, 30)
		if err != nil {
			return nil, err
		}
		labels, err := textsOf(c, "labels")
		if err != nil {
			return nil, err
		}
		var since time.Time
		if text := c.Text("since"); text != "" {
			if since, err = instant(c, "since", text); err != nil {
				return nil, err
			}
		}
		issues, err := g.Issues(ctx, r, github.Filter{State: c.Text("state"), Labels: labels, Assignee: c.Text("assignee"), Creator: c.Text("author"),
			Milestone: c.Text("milestone"), Since: since, Sort: c.Text("sort"), Direction: c.Text("direction"), Limit: limit})
		return map[string]any{"issues": issues, "count": len(issues)}, err
	}, nodetype.Example{
		Params:  map[string]any{"repo": "octo/tool", "labels": []any{"bug"}, "limit": 5},
		Outputs: map[string]any{"issues": []any{exampleIssue}, "count": 1},
	})
}

func sortPort(more string) ir.Port {
	return ir.Port{Key: "sort", Type: value.String, Default: "created", Enum: []any{"created", "updated", more}, Description: "What they are sorted by."}
}

func directionPort() ir.Port {
	return ir.Port{Key: "direction", Type: value.String, Default: "desc", Enum: []any{"asc", "desc"}, Description: "desc for the newest or most first."}
}
