package nodes

import (
	"context"

	"pflow/internal/gitcli"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// gitCommit makes a commit.
func gitCommit(d Deps) nodetype.Type {
	t := gitType(d, &ir.Interface{
		Name:        "git-commit",
		Description: "Commits changes in a git repository: what is staged, some files, or all.",
		Inputs:      []ir.Port{{Key: "message", Type: value.String, Required: true, Description: "What the commit does: a short line; more after an empty line."}},
		Params: []ir.Port{
			pathsPort("Commit these files or folders, new ones too, and nothing else."),
			{Key: "all", Type: value.Boolean, Default: false, Description: "Commit every changed or deleted file that git knows."},
			{Key: "add_all", Type: value.Boolean, Default: false, Description: "Commit every changed, deleted or new file."},
			{Key: "amend", Type: value.Boolean, Default: false, Description: "Replace the last commit."},
			{Key: "allow_empty", Type: value.Boolean, Default: false, Description: "Commit also without any change."},
			{Key: "when_nothing", Type: value.String, Enum: []any{"error", "skip"}, Default: "error", Description: "What to do if there is nothing to commit: error, or skip and go on with the last commit."},
		},
		Outputs: []ir.Port{
			{Key: "commit_sha", Type: value.String, Description: "The full name of the commit; where nothing was committed, of the last one, or empty."},
			{Key: "message", Type: value.String, Description: "The message of that commit."},
			{Key: "files", Type: value.Array, Structure: ir.MustStructure([]any{fileStructure}), Description: "The files that were committed: path and status."},
			{Key: "committed", Type: value.Boolean, Description: "False if there was nothing to commit."},
		},
		Effects: []ir.Effect{ir.Reads, ir.Writes},
	}, runGitCommit, nodetype.Example{
		Files:  map[string]string{"a.txt": "one\n"},
		Before: []nodetype.Use{{Type: "git-init"}},
		Params: map[string]any{"message": "First", "paths": []any{"a.txt"}},
		Outputs: map[string]any{
			"commit_sha": firstSHA, "message": "First", "committed": true,
			"files": []any{map[string]any{"path": "a.txt", "status": "added", "renamed_from": ""}},
		},
	})
	t.Foresee = func(c nodetype.Call, pending []string) (seen nodetype.Foreseen) {
		if c.Flag("amend") || isPending(pending, "amend") {
			seen.Destroys = "it replaces the last commit"
		}
		return seen
	}
	return t
}

func runGitCommit(ctx context.Context, g *gitcli.Git, c nodetype.Call) (nodetype.Outcome, error) {
	paths, err := gitPaths(c, "paths")
	if err != nil {
		return nodetype.Outcome{}, err
	}
	made, err := g.MakeCommit(ctx, gitcli.CommitOptions{
		Message: c.Text("message"), Paths: paths, All: c.Flag("all"), AddAll: c.Flag("add_all"), Amend: c.Flag("amend"), AllowEmpty: c.Flag("allow_empty"),
	})
	if err != nil {
		return nodetype.Outcome{}, err
	}
	if made != nil {
		return nodetype.Outcome{Outputs: map[string]any{"commit_sha": made.SHA, "message": made.Message(), "files": gitcli.FileValues(made.Files), "committed": true}}, nil
	}
	if c.Text("when_nothing") != "skip" {
		return nodetype.Outcome{}, gitcli.NothingToCommit()
	}
	out := map[string]any{"commit_sha": "", "message": "", "files": []any{}, "committed": false}
	last, err := g.Log(ctx, gitcli.LogOptions{Limit: 1})
	if err == nil && len(last.Commits) > 0 {
		out["commit_sha"], out["message"] = last.Commits[0].SHA, last.Commits[0].Message()
	}
	return nodetype.Outcome{Outputs: out}, err
}
