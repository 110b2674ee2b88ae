package nodes

import (
	"context"

	"pflow/internal/gitcli"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// gitMerge merges a branch.
func gitMerge(d Deps) nodetype.Type {
	return gitType(d, &ir.Interface{
		Name:        "git-merge",
		Description: "Merges a branch into the current branch of a git repository; where files conflict nothing changes.",
		Inputs:      []ir.Port{{Key: "branch", Type: value.String, Required: true, Description: "The branch, tag or commit to merge."}},
		Params: []ir.Port{
			{Key: "message", Type: value.String, Description: "The message of the merge; otherwise one that names the branch."},
			{Key: "fast_forward", Type: value.String, Enum: []any{"auto", "only", "never"}, Default: "auto", Description: "Whether the branch may just be moved on, without a merge commit: if that can be, only so, or never."},
		},
		Outputs: mergePorts(),
		Effects: []ir.Effect{ir.Reads, ir.Writes},
	}, func(ctx context.Context, g *gitcli.Git, c nodetype.Call) (nodetype.Outcome, error) {
		return merged(g.Merge(ctx, c.Text("branch"), c.Text("fast_forward"), c.Text("message")))
	}, nodetype.Example{
		Files: map[string]string{"a.txt": "one\n"},
		Before: append(gitFirst[:len(gitFirst):len(gitFirst)],
			nodetype.Use{Type: "git-checkout", Params: map[string]any{"branch": "more", "create": true}}),
		Params:  map[string]any{"branch": "main"},
		Outputs: map[string]any{"commit_sha": firstSHA, "merged": false, "fast_forward": false},
	})
}

// gitPull gets the commits of a remote.
func gitPull(d Deps) nodetype.Type {
	return gitType(d, &ir.Interface{
		Name:        "git-pull",
		Description: "Gets the new commits of a remote into the current branch of a git repository, if it has none of its own.",
		Params:      []ir.Port{remotePort(), timeoutPort()},
		Outputs:     mergePorts(),
		Effects:     []ir.Effect{ir.Reads, ir.Network, ir.Writes},
	}, remotely(func(ctx context.Context, g *gitcli.Git, c nodetype.Call) (nodetype.Outcome, error) {
		return merged(g.Pull(ctx, c.Text("remote")))
	}), nodetype.Example{
		Files: map[string]string{"a.txt": "one\n"},
		Before: append(append(gitFirst[:len(gitFirst):len(gitFirst)], gitWithRemote...),
			nodetype.Use{Type: "git-push", Params: map[string]any{"set_upstream": true}}),
		Params:  map[string]any{},
		Outputs: map[string]any{"commit_sha": firstSHA, "merged": false, "fast_forward": false},
	})
}

// gitFetch brings what is known of a remote up to date.
func gitFetch(d Deps) nodetype.Type {
	return gitType(d, &ir.Interface{
		Name:        "git-fetch",
		Description: "Gets the branches and tags of a remote into a git repository; its own branches and files stay.",
		Params: []ir.Port{
			remotePort(),
			{Key: "prune", Type: value.Boolean, Default: false, Description: "Forget the remote's branches that are no longer there."},
			timeoutPort(),
		},
		Outputs: []ir.Port{
			{Key: "remote", Type: value.String, Description: "The remote."},
			{Key: "refs", Type: value.Array, Structure: ir.MustStructure([]any{updateStructure}), Description: "The branches and tags that moved; status is new, updated or deleted, from and to are commits."},
		},
		Effects: []ir.Effect{ir.Reads, ir.Network, ir.Writes, ir.Idempotent},
	}, remotely(func(ctx context.Context, g *gitcli.Git, c nodetype.Call) (nodetype.Outcome, error) {
		from, moved, err := g.Fetch(ctx, c.Text("remote"), c.Flag("prune"))
		if err != nil {
			return nodetype.Outcome{}, err
		}
		return nodetype.Outcome{Outputs: map[string]any{"remote": from, "refs": updates(moved)}}, nil
	}), nodetype.Example{
		Files:   map[string]string{"a.txt": "one\n"},
		Before:  append(gitFirst[:len(gitFirst):len(gitFirst)], gitWithRemote...),
		Params:  map[string]any{"remote": "origin"},
		Outputs: map[string]any{"remote": "origin", "refs": []any{}},
	})
}

func mergePorts() []ir.Port {
	return []ir.Port{
		{Key: "commit_sha", Type: value.String, Description: "The full name of the commit that is checked out now."},
		{Key: "merged", Type: value.Boolean, Description: "False if there was nothing new."},
		{Key: "fast_forward", Type: value.Boolean, Description: "True if the branch was moved on without a merge commit."},
	}
}

func merged(m *gitcli.Merge, err error) (nodetype.Outcome, error) {
	if err != nil {
		return nodetype.Outcome{}, err
	}
	return nodetype.Outcome{Outputs: map[string]any{"commit_sha": m.SHA, "merged": m.Changed, "fast_forward": m.FastForward}}, nil
}
