package nodes

import (
	"context"

	"pflow/internal/gitcli"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// gitCheckout switches to a branch.
func gitCheckout(d Deps) nodetype.Type {
	return gitType(d, &ir.Interface{
		Name:        "git-checkout",
		Description: "Switches a git repository to a branch, a tag or a commit, or to a new branch. Changes that would be lost stop it.",
		Inputs:      []ir.Port{{Key: "branch", Type: value.String, Required: true, Description: "The branch, tag or commit; a branch that only a remote has is made here."}},
		Params: []ir.Port{
			{Key: "create", Type: value.Boolean, Default: false, Description: "Make the branch first; one that is there is an error."},
			{Key: "from", Type: value.String, Description: "The tag, branch or commit that a new branch begins at; otherwise what is checked out."},
		},
		Outputs: []ir.Port{
			{Key: "branch", Type: value.String, Description: "The branch that is checked out; empty for a tag or commit."},
			{Key: "commit_sha", Type: value.String, Description: "The full name of its commit; empty if it has none yet."},
			{Key: "previous", Type: value.String, Description: "The branch that was checked out before; empty if none was."},
			{Key: "created", Type: value.Boolean, Description: "True if the branch was made."},
		},
		Effects: []ir.Effect{ir.Reads, ir.Writes},
	}, func(ctx context.Context, g *gitcli.Git, c nodetype.Call) (nodetype.Outcome, error) {
		got, err := g.Checkout(ctx, c.Text("branch"), c.Flag("create"), c.Text("from"))
		if err != nil {
			return nodetype.Outcome{}, err
		}
		return nodetype.Outcome{Outputs: map[string]any{"branch": got.Branch, "commit_sha": got.SHA, "previous": got.Before, "created": got.Created}}, nil
	}, nodetype.Example{
		Files:   map[string]string{"a.txt": "one\n"},
		Before:  gitFirst,
		Params:  map[string]any{"branch": "fix/typo", "create": true},
		Outputs: map[string]any{"branch": "fix/typo", "commit_sha": firstSHA, "previous": "main", "created": true},
	})
}
