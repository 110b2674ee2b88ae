package nodes

import (
	"context"

	"pflow/internal/gitcli"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// gitBranches lists branches.
func gitBranches(d Deps) nodetype.Type {
	return gitType(d, &ir.Interface{
		Name:        "git-branches",
		Description: "Lists the branches of a git repository, and tells the current one.",
		Outputs: []ir.Port{
			{Key: "branches", Type: value.Array, Description: "The branches, by name; upstream is what one follows (origin/main), date and subject are of its last commit.",
				Structure: ir.MustStructure([]any{map[string]any{"name": "string", "commit_sha": "string", "current": "boolean", "upstream": "string", "date": "string", "subject": "string"}})},
			{Key: "current", Type: value.String, Description: "The branch that is checked out; empty if none is."},
		},
		Effects: []ir.Effect{ir.Reads, ir.Idempotent},
	}, func(ctx context.Context, g *gitcli.Git, _ nodetype.Call) (nodetype.Outcome, error) {
		current, err := g.Branch(ctx)
		if err != nil {
			return nodetype.Outcome{}, err
		}
		branches, err := g.Branches(ctx)
		list := make([]any, len(branches))
		for i, b := range branches {
			list[i] = b.Value()
		}
		return nodetype.Outcome{Outputs: map[string]any{"branches": list, "current": current}}, err
	}, nodetype.Example{
		Files:  map[string]string{"a.txt": "one\n"},
		Before: gitFirst,
		Params: map[string]any{},
		Outputs: map[string]any{
			"branches": []any{map[string]any{"name": "main", "commit_sha": firstSHA, "current": true, "upstream": "", "date": "2024-01-31T12:00:00Z", "subject": "First"}},
			"current":  "main",
		},
	})
}

// gitRenameBranch gives a branch another name.
func gitRenameBranch(d Deps) nodetype.Type {
	return gitType(d, &ir.Interface{
		Name:        "git-rename-branch",
		Description: "Renames a branch of a git repository.",
		Inputs:      []ir.Port{{Key: "new_name", Type: value.String, Required: true, Description: "Its new name."}},
		Params:      []ir.Port{{Key: "branch", Type: value.String, Description: "The branch to rename; otherwise the one that is checked out."}},
		Outputs: []ir.Port{
			{Key: "branch", Type: value.String, Description: "Its new name."},
			{Key: "previous", Type: value.String, Description: "Its old name."},
		},
		Effects: []ir.Effect{ir.Reads, ir.Writes},
	}, func(ctx context.Context, g *gitcli.Git, c nodetype.Call) (nodetype.Outcome, error) {
		from, err := g.RenameBranch(ctx, c.Text("branch"), c.Text("new_name"))
		if err != nil {
			return nodetype.Outcome{}, err
		}
		return nodetype.Outcome{Outputs: map[string]any{"branch": c.Text("new_name"), "previous": from}}, nil
	}, nodetype.Example{
		Files:   map[string]string{"a.txt": "one\n"},
		Before:  gitFirst,
		Params:  map[string]any{"new_name": "trunk"},
		Outputs: map[string]any{"branch": "trunk", "previous": "main"},
	})
}

// gitDeleteBranch deletes a branch.
func gitDeleteBranch(d Deps) nodetype.Type {
	t := gitType(d, &ir.Interface{
		Name:        "git-delete-branch",
		Description: "Deletes a merged branch of a git repository here, not at a remote.",
		Inputs:      []ir.Port{{Key: "branch", Type: value.String, Required: true, Description: "The branch to delete; not the one that is checked out."}},
		Params:      []ir.Port{{Key: "force", Type: value.Boolean, Default: false, Description: "Delete it also if it has commits that the current branch has not; they are lost."}},
		Outputs: []ir.Port{
			{Key: "branch", Type: value.String, Description: "The branch that is gone."},
			{Key: "commit_sha", Type: value.String, Description: "The commit it was at, to have it back."},
		},
		Effects: []ir.Effect{ir.Reads, ir.Writes},
	}, func(ctx context.Context, g *gitcli.Git, c nodetype.Call) (nodetype.Outcome, error) {
		sha, err := g.DeleteBranch(ctx, c.Text("branch"), c.Flag("force"))
		if err != nil {
			return nodetype.Outcome{}, err
		}
		return nodetype.Outcome{Outputs: map[string]any{"branch": c.Text("branch"), "commit_sha": sha}}, nil
	}, nodetype.Example{
		Files: map[string]string{"a.txt": "one\n"},
		Before: append(gitFirst[:len(gitFirst):len(gitFirst)],
			nodetype.Use{Type: "git-checkout", Params: map[string]any{"branch": "old", "create": true}},
			nodetype.Use{Type: "git-checkout", Params: map[string]any{"branch": "main"}}),
		Params:  map[string]any{"branch": "old"},
		Outputs: map[string]any{"branch": "old", "commit_sha": firstSHA},
	})
	t.Foresee = func(c nodetype.Call, pending []string) (seen nodetype.Foreseen) {
		if isPending(pending, "branch") || isPending(pending, "force") {
			if c.Flag("force") || isPending(pending, "force") {
				seen.Destroys = "it may delete a branch with commits of its own"
			}
			return seen
		}
		if !c.Flag("force") {
			return seen
		}
		return foreseeGit(d, c, func(ctx context.Context, g *gitcli.Git) nodetype.Foreseen {
			if merged, err := g.Merged(ctx, c.Text("branch")); err == nil && !merged {
				seen.Destroys = "it deletes the branch " + c.Text("branch") + " with commits of its own"
			}
			return seen
		})
	}
	return t
}
