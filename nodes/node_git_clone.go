package nodes

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/gitcli"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// gitClone copies a repository.
func gitClone(d Deps) nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "git-clone",
			Description: "Clones a git repository, from GitHub or another address, into a new folder.",
			Inputs: []ir.Port{
				{Key: "url", Type: value.String, Required: true, Description: "Its address, such as https://github.com/OWNER/NAME.git, or a folder."},
				{Key: "dest_path", Type: value.String, Required: true, Description: "The folder to make, which must not be there, or be empty."},
			},
			Params: []ir.Port{
				{Key: "branch", Type: value.String, Description: "The branch or tag to check out; otherwise the repository's own choice."},
				{Key: "depth", Type: value.Integer, Description: "How many of the last commits to get; all otherwise."},
				timeoutPort(),
			},
			Outputs: []ir.Port{
				{Key: "dest_path", Type: value.String, Description: "The folder, as it was given."},
				{Key: "branch", Type: value.String, Description: "The branch that is checked out; empty for a tag."},
				{Key: "commit_sha", Type: value.String, Description: "The full name of its commit; empty if there is none yet."},
			},
			Effects: []ir.Effect{ir.Reads, ir.Network, ir.Writes},
		},
		Run: func(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
			dest, err := c.Tree("dest_path")
			if err != nil {
				return nodetype.Outcome{}, err
			}
			url := c.Text("url")
			if isFolderAddress(url) {
				if url, err = c.Tree("url"); err != nil {
					return nodetype.Outcome{}, err
				}
			} else if folder, ok := folderOf(url); ok {
				if err := c.Permit(folder, true); err != nil {
					return nodetype.Outcome{}, err
				}
			}
			bounded, cancel, err := gitTimeout(ctx, c)
			if err != nil {
				return nodetype.Outcome{}, err
			}
			defer cancel()
			depth, _ := c.Params["depth"].(int)
			g, err := gitcli.Clone(bounded, GitProgram(environment(d, c)), url, strings.TrimRight(dest, "/"), c.Text("branch"), depth)
			if err != nil {
				return nodetype.Outcome{}, tookTooLong(ctx, bounded, err)
			}
			branch, err := g.Branch(bounded)
			if err != nil {
				return nodetype.Outcome{}, err
			}
			sha, err := g.Commit(bounded, "HEAD")
			if fault.Of(err) != nil && fault.Of(err).Kind != fault.NotFound {
				return nodetype.Outcome{}, err
			}
			return nodetype.Outcome{Outputs: map[string]any{"dest_path": c.Text("dest_path"), "branch": branch, "commit_sha": sha}}, nil
		},
		Example: nodetype.Example{
			Before: []nodetype.Use{
				{Type: "git-init", Params: map[string]any{"path": "mine"}},
				{Type: "write-file", Params: map[string]any{"file_path": "mine/a.txt", "content": "one\n"}},
				{Type: "git-commit", Params: map[string]any{"message": "First", "add_all": true, "cwd": "mine"}},
			},
			Params:  map[string]any{"url": "mine", "dest_path": "copy"},
			Outputs: map[string]any{"dest_path": "copy", "branch": "main", "commit_sha": firstSHA},
			Want:    map[string]string{"mine/a.txt": "one\n", "copy/a.txt": "one\n"},
		},
	}
}

// isFolderAddress tells as git does what is a path: no scheme, and no colon before the first slash, as in HOST:PATH.
func isFolderAddress(url string) bool {
	first, _, _ := strings.Cut(url, "/")
	return url != "" && !strings.Contains(first, ":")
}

// folderOf is the folder that a file: address names.
func folderOf(address string) (string, bool) {
	u, err := url.Parse(address)
	if err != nil || !strings.EqualFold(u.Scheme, "file") {
		return "", false
	}
	return filepath.FromSlash(u.Path), true
}
