package nodes

import (
	"context"
	"path/filepath"

	"pflow/internal/gitcli"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// gitDiff compares.
func gitDiff(d Deps) nodetype.Type {
	return gitType(d, &ir.Interface{
		Name:        "git-diff",
		Description: "Shows what changed in the files of a git repository: not yet staged, staged, or between two commits.",
		Params: []ir.Port{
			{Key: "from", Type: value.String, Description: "The tag, branch or commit to compare with; otherwise what is staged."},
			{Key: "to", Type: value.String, Description: "The tag, branch or commit that is compared; otherwise the files as they are."},
			{Key: "staged", Type: value.Boolean, Default: false, Description: "Show what the next commit changes."},
			pathsPort("Only these files or folders."),
			{Key: "stat", Type: value.Boolean, Default: false, Description: "Give a summary with the number of lines by file as diff, in place of the lines."},
			{Key: "max_bytes", Type: value.Integer, Default: defaultOutput, Description: "How much of the patch is kept, in bytes; that it was cut is told."},
		},
		Outputs: []ir.Port{
			{Key: "diff", Type: value.String, Description: "The changes as a patch, or the summary; empty if there are none."},
			{Key: "files", Type: value.Array, Structure: ir.MustStructure([]any{fileStructure}), Description: "The files that differ; status is added, modified, deleted, renamed, copied or type_changed, added and deleted count lines."},
		},
		Effects: []ir.Effect{ir.Reads, ir.Idempotent},
	}, func(ctx context.Context, g *gitcli.Git, c nodetype.Call) (nodetype.Outcome, error) {
		paths, err := gitPaths(c, "paths")
		if err != nil {
			return nodetype.Outcome{}, err
		}
		limit := outputLimit(c)
		diff, err := g.Diff(ctx, gitcli.DiffOptions{From: c.Text("from"), To: c.Text("to"), Staged: c.Flag("staged"), Paths: paths, Stat: c.Flag("stat"), Limit: limit})
		if err != nil {
			return nodetype.Outcome{}, err
		}
		if err := permitsDiff(ctx, g, c, diff); err != nil {
			return nodetype.Outcome{}, err
		}
		out := nodetype.Outcome{Outputs: map[string]any{"diff": diff.Text, "files": gitcli.FileValues(diff.Files)}}
		if diff.Cut {
			out.Warnings = []string{cutNote("diff", limit)}
		}
		return out, nil
	}, nodetype.Example{
		Files:  map[string]string{"a.txt": "one\n"},
		Before: []nodetype.Use{{Type: "git-init"}, {Type: "git-add", Params: map[string]any{"paths": []any{"a.txt"}}}},
		Params: map[string]any{"staged": true},
		Outputs: map[string]any{
			"diff":  "diff --git a/a.txt b/a.txt\nnew file mode 100644\nindex 0000000..5626abf\n--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+one\n",
			"files": []any{map[string]any{"path": "a.txt", "status": "added", "renamed_from": "", "added": 1, "deleted": 0, "binary": false}},
		},
	})
}

// permitsDiff looks for files that the settings turn off and only one of the commits has.
func permitsDiff(ctx context.Context, g *gitcli.Git, c nodetype.Call, diff *gitcli.Diff) error {
	if _, err := g.Top(ctx); err != nil || c.Permits == nil {
		return nil // without a working tree no path is one of this machine
	}
	if g.Dir != "" {
		c.Dir = g.Dir
	}
	for _, f := range diff.Files {
		for _, name := range []string{f.Path, f.From} {
			if name == "" {
				continue
			}
			if err := c.Permit(c.Locate(filepath.FromSlash(name)), false); err != nil {
				return err
			}
		}
	}
	return nil
}

func outputLimit(c nodetype.Call) int {
	limit, _ := c.Params["max_bytes"].(int)
	if limit <= 0 {
		limit = defaultOutput
	}
	return min(limit, maxOutput)
}
