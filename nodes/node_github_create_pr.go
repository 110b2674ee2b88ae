package nodes

import (
	"context"

	"pflow/internal/fault"
	"pflow/internal/github"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// githubCreatePR makes a pull request.
func githubCreatePR(d Deps) nodetype.Type {
	return githubNode(d, &ir.Interface{
		Name:        "github-create-pr",
		Description: "Creates or opens a pull request (PR) in a GitHub repository, for a branch that is pushed.",
		Inputs: []ir.Port{
			{Key: "title", Type: value.String, Required: true, Description: "Its title."},
			{Key: "body", Type: value.String, Description: "What it says, in Markdown."},
		},
		Params: []ir.Port{
			{Key: "head", Type: value.String, Description: "The branch with the changes, or OWNER:BRANCH of a fork; the branch that is checked out if left out."},
			{Key: "base", Type: value.String, Description: "The branch that they are for; the repository's default branch if left out."},
			{Key: "draft", Type: value.Boolean, Default: false, Description: "Make it a draft."},
		},
		Outputs: []ir.Port{{Key: "pr_data", Type: value.Object, Structure: ir.MustStructure(github.PullShape), Description: "The new pull request, with its number and html_url."}},
		Effects: changesGithub,
	}, func(ctx context.Context, g *github.Client, r github.Repo, c nodetype.Call) (map[string]any, error) {
		title, err := given(c, "title")
		if err != nil {
			return nil, err
		}
		head, base := c.Text("head"), c.Text("base")
		if head == "" {
			if head, err = currentBranch(ctx, d, c); err != nil {
				return nil, err
			}
		}
		if base == "" {
			if base, err = g.DefaultBranch(ctx, r); err != nil {
				return nil, err
			}
		}
		if head == base {
			return nil, fault.New(fault.InvalidRequest, "head and base are both %s: a pull request leads from one branch to another; check out or name the branch with the changes", quote(head))
		}
		pull, err := g.CreatePull(ctx, r, github.PullDraft{Title: title, Body: c.Text("body"), Head: head, Base: base, Draft: c.Flag("draft")})
		return map[string]any{"pr_data": pull}, err
	}, nodetype.Example{
		Params: map[string]any{"title": "Stop at once", "head": "stop", "repo": "octo/tool"},
		Outputs: map[string]any{"pr_data": examplePull("number", 3, "title", "Stop at once", "state", "open", "merged", false, "user", map[string]any{"login": "me"},
			"head", map[string]any{"ref": "stop", "sha": "1f"}, "created_at", "2026-03-01T12:00:00Z", "updated_at", "2026-03-01T12:00:00Z", "closed_at", "", "merged_at", "",
			"html_url", "https://github.com/octo/tool/pull/3")},
	})
}
