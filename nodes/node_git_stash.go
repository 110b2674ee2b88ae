package nodes

import (
	"context"

	"pflow/internal/gitcli"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// gitStash puts changes aside.
func gitStash(d Deps) nodetype.Type {
	return gitType(d, &ir.Interface{
		Name:        "git-stash",
		Description: "Puts the changes in a git repository aside, to be brought back with git-stash-pop.",
		Params: []ir.Port{
			{Key: "message", Type: value.String, Description: "What they are about."},
			{Key: "untracked", Type: value.Boolean, Default: false, Description: "Put new files aside too."},
		},
		Outputs: []ir.Port{
			{Key: "stashed", Type: value.Boolean, Description: "False if there was nothing to put aside."},
			{Key: "commit_sha", Type: value.String, Description: "The commit that keeps the changes; empty if there were none."},
			filesPort("files", "The paths of the files that were put aside."),
		},
		Effects: []ir.Effect{ir.Reads, ir.Writes},
	}, func(ctx context.Context, g *gitcli.Git, c nodetype.Call) (nodetype.Outcome, error) {
		sha, files, err := g.Stash(ctx, c.Text("message"), c.Flag("untracked"))
		if err != nil {
			return nodetype.Outcome{}, err
		}
		return nodetype.Outcome{Outputs: map[string]any{"stashed": sha != "", "commit_sha": sha, "files": gitcli.Texts(files)}}, nil
	}, nodetype.Example{
		Files:   map[string]string{"a.txt": "one\n"},
		Before:  gitFirst,
		Params:  map[string]any{},
		Outputs: map[string]any{"stashed": false, "commit_sha": "", "files": []any{}},
	})
}

// gitStashPop brings changes back.
func gitStashPop(d Deps) nodetype.Type {
	return gitType(d, &ir.Interface{
		Name:        "git-stash-pop",
		Description: "Brings back the changes that git-stash put aside; where they do not fit nothing changes.",
		Outputs:     []ir.Port{filesPort("files", "The paths of the files that have changes again.")},
		Effects:     []ir.Effect{ir.Reads, ir.Writes},
	}, func(ctx context.Context, g *gitcli.Git, _ nodetype.Call) (nodetype.Outcome, error) {
		files, err := g.StashPop(ctx)
		if err != nil {
			return nodetype.Outcome{}, err
		}
		return nodetype.Outcome{Outputs: map[string]any{"files": gitcli.Texts(files)}}, nil
	}, nodetype.Example{
		Files: map[string]string{"a.txt": "one\n"},
		Before: append(gitFirst[:len(gitFirst):len(gitFirst)],
			nodetype.Use{Type: "write-file", Params: map[string]any{"file_path": "a.txt", "content": "two\n", "overwrite": true}},
			nodetype.Use{Type: "git-stash"}),
		Params:  map[string]any{},
		Outputs: map[string]any{"files": []any{"a.txt"}},
		Want:    map[string]string{"a.txt": "two\n"},
	})
}
