package nodes

import (
	"context"
	"slices"

	"pflow/internal/archive"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// listArchive lists what is in an archive.
func listArchive() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "list-archive",
			Description: "Lists the files in an archive, and unpacks nothing.",
			Inputs:      []ir.Port{{Key: "path", Type: value.String, Required: true, Description: "The archive; its kind is told by its content."}},
			Outputs: []ir.Port{
				{Key: "files", Type: value.Array, Structure: ir.MustStructure([]any{"string"}), Description: "The files in it, by their paths there, sorted."},
				{Key: "count", Type: value.Integer, Description: "How many they are."},
			},
			Effects: []ir.Effect{ir.Reads, ir.Idempotent},
		},
		From: []string{"path"},
		Run: func(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
			path, err := c.Path("path")
			if err != nil {
				return nodetype.Outcome{}, err
			}
			doing := "list what is in " + quote(c.Text("path"))
			file, _, err := openRegular(path, doing, "give the archive itself")
			if err != nil {
				return nodetype.Outcome{}, err
			}
			defer file.Close()
			entries, err := archive.List(ctx, file, archive.Limits{Bytes: defaultMaxBytes, Files: defaultMaxFiles, Ratio: true})
			if err != nil {
				return nodetype.Outcome{}, archiveFault(doing, err)
			}
			var names []string
			for _, e := range entries {
				names = append(names, e.Name)
			}
			slices.Sort(names)
			files := []any{}
			for _, name := range slices.Compact(names) {
				files = append(files, name)
			}
			return nodetype.Outcome{Outputs: map[string]any{"files": files, "count": len(files)}}, nil
		},
		Example: nodetype.Example{
			Files:   map[string]string{"pack.tar": exampleTar()},
			Params:  map[string]any{"path": "pack.tar"},
			Outputs: map[string]any{"files": []any{"notes.txt"}, "count": 1},
			Want:    map[string]string{"pack.tar": exampleTar()},
		},
	}
}
