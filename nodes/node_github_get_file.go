package nodes

import (
	"context"
	"encoding/base64"
	"unicode/utf8"

	"pflow/internal/github"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// githubGetFile reads a file of a repository.
func githubGetFile(d Deps) nodetype.Type {
	return githubNode(d, &ir.Interface{
		Name:        "github-get-file",
		Description: "Reads or fetches a file of a GitHub repository, as it is there at a branch, tag or commit.",
		Inputs:      []ir.Port{{Key: "path", Type: value.String, Required: true, Description: "The path of the file in the repository, such as docs/guide.md."}},
		Params:      []ir.Port{{Key: "ref", Type: value.String, Description: "The branch, tag or commit; the default branch if left out."}},
		Outputs: []ir.Port{
			{Key: "content", Type: value.String, Description: "The text of the file; bytes that are no text in base64."},
			{Key: "encoding", Type: value.String, Description: "utf-8, or base64 if the file is no text."},
			{Key: "size", Type: value.Integer, Description: "How many bytes the file has."},
		},
		Effects: readsGithub,
	}, func(ctx context.Context, g *github.Client, r github.Repo, c nodetype.Call) (map[string]any, error) {
		path, err := given(c, "path")
		if err != nil {
			return nil, err
		}
		data, err := g.File(ctx, r, path, c.Text("ref"))
		if err != nil {
			return nil, err
		}
		content, encoding := string(data), "utf-8"
		if !utf8.Valid(data) {
			content, encoding = base64.StdEncoding.EncodeToString(data), "base64"
		}
		return map[string]any{"content": content, "encoding": encoding, "size": len(data)}, nil
	}, nodetype.Example{
		Params:  map[string]any{"path": "docs/guide.md", "repo": "octo/tool", "ref": "v1"},
		Outputs: map[string]any{"content": "# Guide\n", "encoding": "utf-8", "size": 8},
	})
}
