package nodes

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

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
				{Key: "exclude", Type: value.Array, Description: "Patterns of what stays, as list-files has them: by name, or with a slash by the path in the folder. A folder that fits stays with all that is in it, and those on the way to what stays do; keep_folder has to be true. (?i) in front makes capital and small letters alike."},
			},
			Outputs: []ir.Port{{Key: "deleted", Type: value.Boolean, Description: "True."}},
			Effects: []ir.Effect{ir.Writes, ir.Destructive},
		},
		From: []string{"path"},
		Foresee: func(c nodetype.Call, _ []string) nodetype.Foreseen {
			seen := nodetype.Foreseen{Destroys: "it deletes the folder " + c.Text("path") + " and all that is in it"}
			if kept, _ := c.Params["exclude"].([]any); len(kept) > 0 {
				seen.Destroys = "it deletes all that is in the folder " + c.Text("path") + " but " + value.JSON(kept)
			}
			return seen
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
	keep, err := globsOf(c, "exclude")
	if err != nil {
		return nodetype.Outcome{}, err
	}
	if len(keep) > 0 && !c.Flag("keep_folder") {
		return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "cannot %s: exclude says what stays in it, so that keep_folder has to be true", doing)
	}
	for _, g := range keep {
		g.dots = true
	}
	_, err = clearFolder(ctx, path, keep, nil)
	if err == nil && !c.Flag("keep_folder") {
		err = os.Remove(path)
	}
	if err != nil {
		return nodetype.Outcome{}, fileFault(doing, err)
	}
	return nodetype.Outcome{Outputs: map[string]any{"deleted": true}}, nil
}

// clearFolder deletes what is in a folder but for what fits a pattern; at is the way to it. It reports whether something stays.
func clearFolder(ctx context.Context, dir string, keep []*glob, at []string) (stays bool, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	for _, e := range entries { // one by one, so that a cancel is heard
		if err := ctx.Err(); err != nil {
			return false, err
		}
		full, way := filepath.Join(dir, e.Name()), append(at[:len(at):len(at)], e.Name())
		if slices.ContainsFunc(keep, func(g *glob) bool { return g.matches(way) }) {
			stays = true
			continue
		}
		if e.IsDir() && len(keep) > 0 {
			within, err := clearFolder(ctx, full, keep, way)
			if err != nil {
				return false, err
			}
			if within {
				stays = true
				continue
			}
		}
		if err := os.RemoveAll(full); err != nil {
			return false, err
		}
	}
	return stays, nil
}
