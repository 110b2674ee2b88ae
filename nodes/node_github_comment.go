package nodes

import (
	"context"

	"pflow/internal/github"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// githubComment says something to an issue or a pull request.
func githubComment(d Deps) nodetype.Type {
	return githubNode(d, &ir.Interface{
		Name:        "github-comment",
		Description: "Writes a comment on an issue or pull request (PR) of a GitHub repository.",
		Inputs: []ir.Port{
			issueNumberPort("The number of the issue or pull request."),
			{Key: "body", Type: value.String, Required: true, Description: "The comment, in Markdown."},
		},
		Outputs: []ir.Port{{Key: "comment", Type: value.Object, Structure: ir.MustStructure(github.CommentShape), Description: "The new comment, with its id and html_url."}},
		Effects: changesGithub,
	}, func(ctx context.Context, g *github.Client, r github.Repo, c nodetype.Call) (map[string]any, error) {
		n, err := number(c, "issue_number")
		if err != nil {
			return nil, err
		}
		body, err := given(c, "body")
		if err != nil {
			return nil, err
		}
		comment, err := g.Comment(ctx, r, n, body)
		return map[string]any{"comment": comment}, err
	}, nodetype.Example{
		Params: map[string]any{"issue_number": 1, "body": "Fixed.", "repo": "octo/tool"},
		Outputs: map[string]any{"comment": map[string]any{"id": 2, "body": "Fixed.", "user": map[string]any{"login": "me"}, "created_at": "2026-03-01T12:00:00Z",
			"html_url": "https://github.com/octo/tool/issues/1#issuecomment-2"}},
	})
}
