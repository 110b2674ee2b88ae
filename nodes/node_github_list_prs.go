package nodes

import (
	"context"

	"pflow/internal/github"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// githubListPRs lists pull requests.
func githubListPRs(d Deps) nodetype.Type {
	return githubNode(d, &ir.Interface{
		Name:        "github-list-prs",
		Description: "Lists the pull requests (PRs) of a GitHub repository, newest first.",
		Params: []ir.Port{
			{Key: "state", Type: value.String, Default: "open", Enum: []any{"open", "closed", "merged", "all"}, Description: "Which ones; closed are merged ones and others."},
			limitPort("pull requests", 30),
			{Key: "base", Type: value.String, Description: "Only those to this branch."},
			{Key: "head", Type: value.String, Description: "Only the one of this branch, as OWNER:BRANCH."},
			sortPort("popularity"), directionPort(),
		},
		Outputs: []ir.Port{
			{Key: "prs", Type: value.Array, Structure: listOf(github.PullShape), Description: "The pull requests, with the keys that GitHub's API gives them."},
			{Key: "count", Type: value.Integer, Description: "How many there are in prs."},
		},
		Effects: readsGithub,
	}, func(ctx context.Context, g *github.Client, r github.Repo, c nodetype.Call) (map[string]any, error) {
		limit, err := limitOf(c, 30)
		if err != nil {
			return nil, err
		}
		prs, err := g.PullRequests(ctx, r, github.Pulls{State: c.Text("state"), Base: c.Text("base"), Head: c.Text("head"),
			Sort: c.Text("sort"), Direction: c.Text("direction"), Limit: limit})
		return map[string]any{"prs": prs, "count": len(prs)}, err
	}, nodetype.Example{
		Params:  map[string]any{"repo": "octo/tool", "state": "merged"},
		Outputs: map[string]any{"prs": []any{examplePull()}, "count": 1},
	})
}

// examplePull is what the examples show, with what is only known of one that is read alone.
func examplePull(more ...any) map[string]any {
	out := map[string]any{
		"number": 2, "title": "Start at once", "body": "", "state": "closed", "draft": false, "merged": true, "user": map[string]any{"login": "ada"}, "labels": []any{},
		"head": map[string]any{"ref": "fix", "sha": "1f"}, "base": map[string]any{"ref": "main", "sha": "0f"},
		"created_at": "2026-01-04T15:04:05Z", "updated_at": "2026-01-05T15:04:05Z", "closed_at": "2026-01-05T15:04:05Z", "merged_at": "2026-01-05T15:04:05Z",
		"html_url": "https://github.com/octo/tool/pull/2",
	}
	for i := 0; i < len(more); i += 2 {
		out[more[i].(string)] = more[i+1]
	}
	return out
}
