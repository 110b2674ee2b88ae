package nodes

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// copyFolder copies a folder with all that is in it.
func copyFolder() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "copy-folder",
			Description: "Copies or duplicates a folder (directory) with everything in it, as a whole or not at all.",
			Inputs: []ir.Port{
				{Key: "source_path", Type: value.String, Required: true, Description: "The folder to copy; links in it are copied as links."},
				{Key: "dest_path", Type: value.String, Required: true, Description: "The copy's path, with its name; or a folder, into which it goes under its own name: one that ends in a slash, or is there and not to be replaced. Folders on the way are made."},
			},
			Params:  []ir.Port{{Key: "overwrite", Type: value.Boolean, Default: false, Description: "Replace a folder that is there, with all that is in it. Otherwise that is an error."}},
			Outputs: []ir.Port{{Key: "dest_path", Type: value.String, Description: "The path of the copy."}},
			Effects: []ir.Effect{ir.Reads, ir.Writes},
		},
		From: []string{"source_path"},
		Foresee: func(c nodetype.Call, pending []string) (seen nodetype.Foreseen) {
			if !isPending(pending, "dest_path") && !isPending(pending, "source_path") {
				params := maps.Clone(c.Params)
				params["dest_path"] = folderDestination(c)
				c.Params = params
			}
			overwrite := c.Flag("overwrite") || isPending(pending, "overwrite")
			if overwrite && isPending(pending, "dest_path") {
				return nodetype.Foreseen{Destroys: "it may replace a folder that is there"}
			}
			path, err := c.Path("dest_path")
			if err != nil || !overwrite {
				return seen
			}
			if _, err := os.Lstat(unslashed(path)); err == nil {
				seen.Destroys = "it replaces the folder " + c.Text("dest_path") + " and all that is in it"
			}
			return seen
		},
		Run: runCopyFolder,
		Example: nodetype.Example{
			Files:   map[string]string{"src/a.txt": "A\n", "src/more/b.txt": "B\n"},
			Params:  map[string]any{"source_path": "src", "dest_path": "src_backup"},
			Outputs: map[string]any{"dest_path": "src_backup"},
			Want:    map[string]string{"src/a.txt": "A\n", "src/more/b.txt": "B\n", "src_backup/a.txt": "A\n", "src_backup/more/b.txt": "B\n"},
		},
	}
}

func runCopyFolder(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
	from, err := c.Tree("source_path")
	if err != nil {
		return nodetype.Outcome{}, err
	}
	if _, err := c.Path("dest_path"); err != nil {
		return nodetype.Outcome{}, err
	}
	given := folderDestination(c)
	to := c.Locate(given)
	if err := c.Permit(to, true); err != nil {
		return nodetype.Outcome{}, err
	}
	doing := "copy the folder " + quote(c.Text("source_path")) + " to " + quote(given)
	source, err := os.Stat(from)
	if err != nil {
		return nodetype.Outcome{}, fileFault(doing, err)
	}
	if !source.IsDir() {
		return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "cannot %s: the source is a file; copy-file copies it", doing)
	}
	if from, err = filepath.EvalSymlinks(from); err != nil { // the folder that a link leads to is copied, not the link
		return nodetype.Outcome{}, fileFault(doing, err)
	}
	replace := c.Flag("overwrite")
	if err := freeForFolder(c, unslashed(to), from, given, doing, replace); err != nil {
		return nodetype.Outcome{}, err
	}
	err = placeFolder(unslashed(to), replace, func(temp string) error { return copyTree(ctx, from, temp, doing) })
	if errors.Is(err, fs.ErrExist) {
		err = folderExists(doing, given, from)
	}
	return nodetype.Outcome{Outputs: map[string]any{"dest_path": given}}, fileFault(doing, err)
}

// folderDestination is the dest_path of copy-folder with the name of the copy.
func folderDestination(c nodetype.Call) string {
	to := c.Text("dest_path")
	slash := strings.HasSuffix(to, "/") || strings.HasSuffix(to, string(filepath.Separator))
	info, err := os.Stat(c.Locate(to))
	if source, bad := os.Stat(c.Locate(c.Text("source_path"))); bad == nil && err == nil && os.SameFile(source, info) {
		return to // not into itself
	}
	if !slash && (err != nil || !info.IsDir() || c.Flag("overwrite")) {
		return to
	}
	return filepath.ToSlash(filepath.Join(to, filepath.Base(unslashed(c.Locate(c.Text("source_path"))))))
}

// freeForFolder checks that a folder may be copied or moved to a path.
func freeForFolder(c nodetype.Call, to, from, given, doing string, replace bool) error {
	if within(to, from) {
		return fault.New(fault.InvalidRequest, "cannot %s: that lies in the folder itself; choose a path outside of it", doing)
	}
	old, err := os.Lstat(to)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fileFault(doing, err)
	case !replace:
		return folderExists(doing, given, from)
	case !old.IsDir():
		return fault.New(fault.InvalidRequest, "cannot %s: %s is no folder but a file or a link; delete-file deletes it", doing, quote(given))
	case within(from, to):
		return fault.New(fault.InvalidRequest, "cannot %s: the source lies in the folder that would be replaced", doing)
	}
	if why := guarded(c, old); why != "" {
		return fault.New(fault.InvalidRequest, "cannot %s: it would be replaced, and %s", doing, why)
	}
	return nil
}

func folderExists(doing, given, from string) error {
	return fault.New(fault.InvalidRequest, "cannot %s: %s exists; choose another path, such as %s", doing, quote(given), quote(filepath.ToSlash(filepath.Join(given, filepath.Base(from)))))
}

// unslashed is the path of a folder without slashes at its end, behind which a link would be followed.
func unslashed(path string) string {
	if short := strings.TrimRightFunc(path, func(r rune) bool { return r == '/' || r == filepath.Separator }); short != "" {
		return short
	}
	return path
}
