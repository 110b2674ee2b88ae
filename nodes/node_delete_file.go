package nodes

import (
	"context"
	"os"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// deleteFile deletes one file.
func deleteFile() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "delete-file",
			Description: "Deletes one file for good.",
			Inputs:      []ir.Port{{Key: "file_path", Type: value.String, Required: true, Description: "The file to delete."}},
			Params:      []ir.Port{{Key: "confirm_delete", Type: value.Boolean, Required: true, Enum: []any{true}, Description: "Must be true: a deleted file cannot be had back."}},
			Outputs:     []ir.Port{{Key: "deleted", Type: value.Boolean, Description: "True."}},
			Effects:     []ir.Effect{ir.Writes, ir.Destructive},
		},
		From: []string{"file_path"},
		Foresee: func(c nodetype.Call, _ []string) nodetype.Foreseen {
			return nodetype.Foreseen{Destroys: "it deletes " + c.Text("file_path")}
		},
		Run: func(_ context.Context, c nodetype.Call) (nodetype.Outcome, error) {
			path, err := c.Path("file_path")
			if err != nil {
				return nodetype.Outcome{}, err
			}
			doing := "delete " + quote(c.Text("file_path"))
			if !c.Flag("confirm_delete") {
				return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "cannot %s: confirm_delete must be true", doing)
			}
			info, err := os.Lstat(path)
			if err == nil && info.IsDir() {
				return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "cannot %s: it is a folder; delete-folder deletes it with all that is in it", doing)
			}
			if err == nil {
				err = os.Remove(path)
			}
			if err != nil {
				return nodetype.Outcome{}, fileFault(doing, err)
			}
			return nodetype.Outcome{Outputs: map[string]any{"deleted": true}}, nil
		},
		Example: nodetype.Example{
			Files:   map[string]string{"old.log": "", "new.log": ""},
			Params:  map[string]any{"file_path": "old.log", "confirm_delete": true},
			Outputs: map[string]any{"deleted": true},
			Want:    map[string]string{"new.log": ""},
		},
	}
}
