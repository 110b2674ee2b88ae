package nodes

import (
	"context"
	"strconv"
	"strings"

	"pflow/internal/gitcli"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// gitRestore throws away the changes of files.
func gitRestore(d Deps) nodetype.Type {
	t := gitType(d, &ir.Interface{
		Name:        "git-restore",
		Description: "Throws away the changes of files in a git repository: they become those of the last commit, or another one.",
		Params: []ir.Port{
			{Key: "paths", Type: value.Array, Required: true, Structure: ir.MustStructure([]any{"string"}), Description: "The files, or folders with all in them that git knows; new files stay."},
			{Key: "ref", Type: value.String, Description: "The tag, branch or commit to take them from; otherwise the last commit."},
		},
		Outputs: []ir.Port{filesPort("restored", "The paths of the files that changed.")},
		Effects: []ir.Effect{ir.Reads, ir.Writes, ir.Destructive, ir.Idempotent},
	}, func(ctx context.Context, g *gitcli.Git, c nodetype.Call) (nodetype.Outcome, error) {
		paths, err := gitPaths(c, "paths")
		if err != nil {
			return nodetype.Outcome{}, err
		}
		restored, err := g.Restore(ctx, paths, c.Text("ref"))
		if err != nil {
			return nodetype.Outcome{}, err
		}
		return nodetype.Outcome{Outputs: map[string]any{"restored": gitcli.Texts(restored)}}, nil
	}, nodetype.Example{
		Files:   map[string]string{"a.txt": "one\n"},
		Before:  append(gitFirst[:len(gitFirst):len(gitFirst)], nodetype.Use{Type: "write-file", Params: map[string]any{"file_path": "a.txt", "content": "spoilt", "overwrite": true}}),
		Params:  map[string]any{"paths": []any{"a.txt"}},
		Outputs: map[string]any{"restored": []any{"a.txt"}},
	})
	t.Foresee = func(c nodetype.Call, pending []string) nodetype.Foreseen {
		seen := nodetype.Foreseen{Destroys: "it throws away changes of files"}
		paths, err := gitPaths(c, "paths")
		if len(pending) > 0 || err != nil {
			return seen
		}
		return foreseeGit(d, c, func(ctx context.Context, g *gitcli.Git) nodetype.Foreseen {
			if lost, err := g.Discards(ctx, paths, c.Text("ref")); err == nil && len(lost) > 0 {
				seen.Destroys = "it throws away the changes of " + fewNames(lost)
			}
			return seen
		})
	}
	return t
}

// fewNames shows the first of many names.
func fewNames(names []string) string {
	const most = 20
	s := strings.Join(names[:min(most, len(names))], ", ")
	if more := len(names) - most; more > 0 {
		s += " and " + strconv.Itoa(more) + " more"
	}
	return s
}
