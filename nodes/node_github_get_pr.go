package nodes

import (
	"context"

	"pflow/internal/github"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// githubGetPR reads one pull request, with the files that it changes.
func githubGetPR(d Deps) nodetype.Type {
	return githubNode(d, &ir.Interface{
		Name:        "github-get-pr",
		Description: "Reads or fetches one pull request (PR) of a GitHub repository, by its number, with the files that it changes.",
		Inputs:      []ir.Port{{Key: "pr_number", Type: value.Integer, Required: true, Description: "The number of the pull request, such as 12."}},
		Params:      []ir.Port{limitPort("files", 300)},
		Outputs: []ir.Port{
			{Key: "pr_data", Type: value.Object, Structure: ir.MustStructure(github.SizedPullShape), Description: "The pull request, with the keys that GitHub's API gives it."},
			{Key: "files", Type: value.Array, Structure: listOf(github.FileShape), Description: "The files that it changes, each with its diff in patch."},
		},
		Effects: readsGithub,
	}, func(ctx context.Context, g *github.Client, r github.Repo, c nodetype.Call) (map[string]any, error) {
		n, err := number(c, "pr_number")
		if err != nil {
			return nil, err
		}
		limit, err := limitOf(c, 300)
		if err != nil {
			return nil, err
		}
		pull, err := g.PullRequest(ctx, r, n)
		if err != nil {
			return nil, err
		}
		files, err := g.Files(ctx, r, n, limit)
		return map[string]any{"pr_data": pull, "files": files}, err
	}, nodetype.Example{
		Params: map[string]any{"pr_number": 2, "repo": "octo/tool"},
		Outputs: map[string]any{
			"pr_data": examplePull("commits", 1, "comments", 0, "additions", 2, "deletions", 1, "changed_files", 1),
			"files": []any{map[string]any{"filename": "main.go", "previous_filename": "", "status": "modified", "additions": 2, "deletions": 1, "changes": 3,
				"patch": "@@ -1 +1,2 @@\n-wait()\n+// at once\n+start()"}},
		},
	})
}
