package nodes

import (
	"context"
	"os"

	"pflow/internal/gitcli"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// gitInit makes a repository.
func gitInit(d Deps) nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "git-init",
			Description: "Makes a folder a new git repository; one that is there stays as it is.",
			Params: []ir.Port{
				{Key: "path", Type: value.String, Default: ".", Description: "The folder, made if it is not there; . is the working directory."},
				{Key: "branch", Type: value.String, Default: "main", Description: "The name of the first branch."},
			},
			Outputs: []ir.Port{
				{Key: "path", Type: value.String, Description: "The folder, as it was given."},
				{Key: "created", Type: value.Boolean, Description: "False if it was a repository already."},
			},
			Effects: []ir.Effect{ir.Writes, ir.Idempotent},
		},
		Run: func(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
			given, branch := c.Text("path"), c.Text("branch")
			dir := c.Dir
			if given == "" {
				given = "."
			} else {
				var err error
				if dir, err = c.Path("path"); err != nil {
					return nodetype.Outcome{}, err
				}
				if err := os.MkdirAll(dir, 0o777); err != nil {
					return nodetype.Outcome{}, fileFault("make the folder "+quote(given), err)
				}
			}
			if branch == "" {
				branch = "main"
			}
			_, made, err := gitcli.Init(ctx, GitProgram(environment(d, c)), dir, branch)
			if err != nil {
				return nodetype.Outcome{}, err
			}
			return nodetype.Outcome{Outputs: map[string]any{"path": given, "created": made}}, nil
		},
		Example: nodetype.Example{
			Params:  map[string]any{"path": "notes"},
			Outputs: map[string]any{"path": "notes", "created": true},
		},
	}
}
