package nodes

import (
	"context"
	"os"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// makeFolder makes a folder.
func makeFolder() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "make-folder",
			Description: "Makes or creates a folder (directory), with those above it; one that is there already stays as it is.",
			Inputs:      []ir.Port{{Key: "path", Type: value.String, Required: true, Description: "The folder to make, such as reports/2024."}},
			Outputs:     []ir.Port{{Key: "path", Type: value.String, Description: "The folder, as it was given."}},
			Effects:     []ir.Effect{ir.Writes, ir.Idempotent},
		},
		Run: func(_ context.Context, c nodetype.Call) (nodetype.Outcome, error) {
			path, err := c.Path("path")
			if err != nil {
				return nodetype.Outcome{}, err
			}
			doing := "make the folder " + quote(c.Text("path"))
			path = unslashed(path)
			if info, err := os.Stat(path); err == nil && !info.IsDir() {
				return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "cannot %s: a file has that name; choose another", doing)
			}
			return nodetype.Outcome{Outputs: map[string]any{"path": c.Text("path")}}, fileFault(doing, os.MkdirAll(path, 0o777))
		},
		Example: nodetype.Example{
			Params:  map[string]any{"path": "reports/2024"},
			Outputs: map[string]any{"path": "reports/2024"},
		},
	}
}
