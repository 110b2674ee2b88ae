package nodes

import (
	"context"
	"strconv"
	"unicode/utf8"

	"pflow/internal/fault"
	"pflow/internal/gitcli"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// gitShow shows one commit.
func gitShow(d Deps) nodetype.Type {
	return gitType(d, &ir.Interface{
		Name:        "git-show",
		Description: "Shows one commit of a git repository: author, date, message and files.",
		Params:      []ir.Port{{Key: "ref", Type: value.String, Default: "HEAD", Description: "The commit, branch or tag; otherwise what is checked out."}},
		Outputs: []ir.Port{{Key: "commit", Type: value.Object, Structure: ir.MustStructure(commitStructure),
			Description: "The commit; date is when it was written, as 2026-01-31T18:00:00+01:00, files are path and status; a merge has none."}},
		Effects: []ir.Effect{ir.Reads, ir.Idempotent},
	}, func(ctx context.Context, g *gitcli.Git, c nodetype.Call) (nodetype.Outcome, error) {
		commit, err := g.Show(ctx, orWord(c.Text("ref"), "HEAD"))
		if err != nil {
			return nodetype.Outcome{}, err
		}
		return nodetype.Outcome{Outputs: map[string]any{"commit": commit.Value()}}, nil
	}, nodetype.Example{
		Files:  map[string]string{"a.txt": "one\n"},
		Before: gitFirst,
		Params: map[string]any{"ref": "main"},
		Outputs: map[string]any{"commit": map[string]any{
			"sha": firstSHA, "short_sha": firstSHA[:7], "author": "Ada", "email": "ada@example.org", "date": "2024-01-31T12:00:00Z",
			"subject": "First", "body": "", "tags": []any{}, "files": []any{map[string]any{"path": "a.txt", "status": "added", "renamed_from": ""}},
		}},
	})
}

// gitRead reads a file as a commit has it.
func gitRead(d Deps) nodetype.Type {
	return gitType(d, &ir.Interface{
		Name:        "git-read",
		Description: "Reads a file of an earlier commit, or of another branch or tag, of a git repository.",
		Inputs:      []ir.Port{{Key: "file_path", Type: value.String, Required: true, Description: "The file."}},
		Params:      []ir.Port{{Key: "ref", Type: value.String, Default: "HEAD", Description: "The commit, branch or tag; otherwise what is checked out, as it was committed."}},
		Outputs:     []ir.Port{{Key: "content", Type: value.String, Description: "What it holds, UTF-8 text of at most 64 MiB."}},
		Effects:     []ir.Effect{ir.Reads, ir.Idempotent},
	}, func(ctx context.Context, g *gitcli.Git, c nodetype.Call) (nodetype.Outcome, error) {
		given := c.Text("file_path")
		path := given
		if given == "" {
			return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "file_path is empty: give a path")
		}
		content, cut, err := g.FileAt(ctx, path, c.Text("ref"), maxOutput)
		switch {
		case err != nil:
			return nodetype.Outcome{}, err
		case cut:
			return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "%s is longer than %s MiB", quote(given), strconv.Itoa(maxOutput>>20))
		case !utf8.ValidString(content):
			return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "%s is not UTF-8 text", quote(given))
		}
		return nodetype.Outcome{Outputs: map[string]any{"content": content}}, nil
	}, nodetype.Example{
		Files:   map[string]string{"a.txt": "one\n"},
		Before:  gitFirst,
		Params:  map[string]any{"file_path": "a.txt", "ref": "main"},
		Outputs: map[string]any{"content": "one\n"},
	})
}
