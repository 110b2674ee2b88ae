package nodes

import (
	"context"

	"pflow/internal/gitcli"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// gitAdd stages files.
func gitAdd(d Deps) nodetype.Type {
	return gitType(d, &ir.Interface{
		Name:        "git-add",
		Description: "Stages files for the next git commit, new and deleted ones too.",
		Params: []ir.Port{
			pathsPort("The files, or folders with all in them."),
			{Key: "all", Type: value.Boolean, Default: false, Description: "Stage every file that changed or is new, in place of paths."},
		},
		Outputs: []ir.Port{filesPort("staged", "The paths of all files that the next commit changes.")},
		Effects: []ir.Effect{ir.Reads, ir.Writes, ir.Idempotent},
	}, func(ctx context.Context, g *gitcli.Git, c nodetype.Call) (nodetype.Outcome, error) {
		paths, err := gitPaths(c, "paths")
		if err == nil {
			err = g.Add(ctx, paths, c.Flag("all"))
		}
		return gitStaged(ctx, g, err)
	}, nodetype.Example{
		Files:   map[string]string{"a.txt": "one\n", "b.txt": "two\n"},
		Before:  []nodetype.Use{{Type: "git-init"}},
		Params:  map[string]any{"paths": []any{"a.txt"}},
		Outputs: map[string]any{"staged": []any{"a.txt"}},
	})
}

// gitUnstage takes files out of the next commit.
func gitUnstage(d Deps) nodetype.Type {
	return gitType(d, &ir.Interface{
		Name:        "git-unstage",
		Description: "Takes files out of the next git commit; their content stays.",
		Params:      []ir.Port{pathsPort("The files, or folders with all in them; all that is staged otherwise.")},
		Outputs:     []ir.Port{filesPort("staged", "The paths of the files that the next commit still changes.")},
		Effects:     []ir.Effect{ir.Reads, ir.Writes, ir.Idempotent},
	}, func(ctx context.Context, g *gitcli.Git, c nodetype.Call) (nodetype.Outcome, error) {
		paths, err := gitPaths(c, "paths")
		if err == nil {
			err = g.Unstage(ctx, paths)
		}
		return gitStaged(ctx, g, err)
	}, nodetype.Example{
		Files:   map[string]string{"a.txt": "one\n", "b.txt": "two\n"},
		Before:  []nodetype.Use{{Type: "git-init"}, {Type: "git-add", Params: map[string]any{"all": true}}},
		Params:  map[string]any{"paths": []any{"b.txt"}},
		Outputs: map[string]any{"staged": []any{"a.txt"}},
	})
}

func gitStaged(ctx context.Context, g *gitcli.Git, err error) (nodetype.Outcome, error) {
	if err != nil {
		return nodetype.Outcome{}, err
	}
	s, err := g.Status(ctx)
	if err != nil {
		return nodetype.Outcome{}, err
	}
	return nodetype.Outcome{Outputs: map[string]any{"staged": s.Paths(gitcli.Change.Staged)}}, nil
}
