package nodes

import (
	"context"

	"pflow/internal/gitcli"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// gitStatus tells what changed in a working tree.
func gitStatus(d Deps) nodetype.Type {
	return gitType(d, &ir.Interface{
		Name:        "git-status",
		Description: "Tells which files changed, are staged or are new in a git repository, and its branch.",
		Outputs: []ir.Port{
			{Key: "status", Type: value.Object, Description: "Branch and upstream (empty if there is none), by how many commits it is ahead of it and behind, whether nothing changed, and the files; index and worktree are git's letters: M changed, A added, D deleted, R renamed, U conflict, ? new.",
				Structure: ir.MustStructure(map[string]any{
					"branch": "string", "upstream": "string", "ahead": "integer", "behind": "integer", "clean": "boolean",
					"files": []any{map[string]any{
						"path": "string", "index": "string", "worktree": "string", "staged": "boolean", "untracked": "boolean",
						"conflicted": "boolean", "renamed_from": "string",
					}},
				})},
			filesPort("changed", "The paths of files with changes that are not staged."),
			filesPort("staged", "The paths of files that the next commit changes."),
			filesPort("untracked", "The paths of files that git does not know yet."),
			filesPort("conflicted", "The paths of files that a merge left with conflicts."),
		},
		Effects: []ir.Effect{ir.Reads, ir.Idempotent},
	}, func(ctx context.Context, g *gitcli.Git, _ nodetype.Call) (nodetype.Outcome, error) {
		s, err := g.Status(ctx)
		if err != nil {
			return nodetype.Outcome{}, err
		}
		return nodetype.Outcome{Outputs: map[string]any{
			"status": s.Value(),
			"changed": s.Paths(func(c gitcli.Change) bool {
				return c.Worktree != "" && !c.Untracked() && !c.Conflicted()
			}),
			"staged":     s.Paths(gitcli.Change.Staged),
			"untracked":  s.Paths(gitcli.Change.Untracked),
			"conflicted": s.Paths(gitcli.Change.Conflicted),
		}}, nil
	}, nodetype.Example{
		Files:  map[string]string{"a.txt": "one\n"},
		Before: []nodetype.Use{{Type: "git-init"}},
		Params: map[string]any{},
		Outputs: map[string]any{
			"status": map[string]any{
				"branch": "main", "upstream": "", "ahead": 0, "behind": 0, "clean": false,
				"files": []any{map[string]any{
					"path": "a.txt", "index": "", "worktree": "?", "staged": false, "untracked": true, "conflicted": false, "renamed_from": "",
				}},
			},
			"changed": []any{}, "staged": []any{}, "untracked": []any{"a.txt"}, "conflicted": []any{},
		},
	})
}
