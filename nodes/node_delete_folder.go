package nodes

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// deleteFolder deletes a folder with all that is in it.
func deleteFolder() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "delete-folder",
			Description: "Deletes a folder (directory) with everything in it for good, or only what is in it.",
			Inputs:      []ir.Port{{Key: "path", Type: value.String, Required: true, Description: "The folder to delete; links in it are deleted, not what they lead to."}},
			Params: []ir.Port{
				{Key: "confirm_delete", Type: value.Boolean, Required: true, Enum: []any{true}, Description: "Must be true: a deleted folder cannot be had back."},
				{Key: "keep_folder", Type: value.Boolean, Default: false, Description: "Delete what is in the folder and keep the folder itself, empty."},
			},
			Outputs: []ir.Port{{Key: "deleted", Type: value.Boolean, Description: "True."}},
			Effects: []ir.Effect{ir.Writes, ir.Destructive},
		},
		Foresee: func(c nodetype.Call, _ []string) nodetype.Foreseen {
			return nodetype.Foreseen{Destroys: "it deletes the folder " + c.Text("path") + " and all that is in it"}
		},
		Run: runDeleteFolder,
		Example: nodetype.Example{
			Files:   map[string]string{"old/a.log": "", "old/more/b.log": "", "new.log": ""},
			Params:  map[string]any{"path": "old", "confirm_delete": true},
			Outputs: map[string]any{"deleted": true},
			Want:    map[string]string{"new.log": ""},
		},
	}
}

func runDeleteFolder(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
	path, err := c.Tree("path")
	if err != nil {
		return nodetype.Outcome{}, err
	}
	doing := "delete the folder " + quote(c.Text("path"))
	if !c.Flag("confirm_delete") {
		return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "cannot %s: confirm_delete must be true", doing)
	}
	path = unslashed(path)
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nodetype.Outcome{}, fileFault(doing, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "cannot %s: it is a symbolic link; delete-file deletes the link, and leaves what it leads to", doing)
	case !info.IsDir():
		return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "cannot %s: it is a file; delete-file deletes it", doing)
	}
	if why := guarded(c, info); why != "" {
		return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "cannot %s: %s", doing, why)
	}
	entries, err := os.ReadDir(path)
	for _, e := range entries { // one by one, so that a cancel is heard
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = os.RemoveAll(filepath.Join(path, e.Name()))
		}
	}
	if err == nil && !c.Flag("keep_folder") {
		err = os.Remove(path)
	}
	if err != nil {
		return nodetype.Outcome{}, fileFault(doing, err)
	}
	return nodetype.Outcome{Outputs: map[string]any{"deleted": true}}, nil
}
