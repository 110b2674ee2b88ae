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

// copyFile copies a file of any size.
func copyFile() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "copy-file",
			Description: "Copies or duplicates a file of any size, as a whole or not at all.",
			Inputs: []ir.Port{
				{Key: "source_path", Type: value.String, Required: true, Description: "The file to copy."},
				{Key: "dest_path", Type: value.String, Required: true, Description: "Its new path, with the file's name; or a folder, into which it goes under its own name: one that is there, or ends in a slash. Folders on the way are made."},
			},
			Params:  []ir.Port{overwritePort()},
			Outputs: []ir.Port{{Key: "dest_path", Type: value.String, Description: "The path of the copy."}},
			Effects: []ir.Effect{ir.Reads, ir.Writes},
		},
		From:    []string{"source_path"},
		Foresee: foreseeTransfer,
		Run: func(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
			t, err := newTransfer(c, "copy")
			if err != nil {
				return nodetype.Outcome{}, err
			}
			return t.outcome(t.copy(ctx))
		},
		Example: nodetype.Example{
			Files:   map[string]string{"report.txt": "All is well.\n"},
			Params:  map[string]any{"source_path": "report.txt", "dest_path": "backup/report.txt"},
			Outputs: map[string]any{"dest_path": "backup/report.txt"},
			Want:    map[string]string{"report.txt": "All is well.\n", "backup/report.txt": "All is well.\n"},
		},
	}
}

func overwritePort() ir.Port {
	return ir.Port{Key: "overwrite", Type: value.Boolean, Default: false, Description: "Replace a file that is there. Otherwise only one that this workflow wrote, and nobody changed since, is replaced; any other is an error."}
}

// foreseeTransfer foresees into which file of a folder a file goes, if its own name is known by then.
func foreseeTransfer(c nodetype.Call, pending []string) nodetype.Foreseen {
	if !isPending(pending, "dest_path") && !isPending(pending, "source_path") {
		if to, err := destination(c); err == nil {
			params := maps.Clone(c.Params)
			params["dest_path"] = to
			c.Params = params
		}
	}
	return foreseeFile(c, pending, "dest_path")
}

// destination is the dest_path of copy-file and move-file with the name of what goes there: a folder that is there, or a
// path that ends in a slash, is what it goes into under its own name.
func destination(c nodetype.Call) (string, error) {
	to := c.Text("dest_path")
	path, err := c.Path("dest_path")
	if err != nil {
		return "", err
	}
	name := filepath.Base(unslashed(c.Locate(c.Text("source_path"))))
	if !strings.HasSuffix(to, "/") && !strings.HasSuffix(to, string(filepath.Separator)) {
		if c.Flag("beside") && !strings.ContainsAny(to, "/"+string(filepath.Separator)) {
			return filepath.ToSlash(filepath.Join(filepath.Dir(unslashed(c.Text("source_path"))), to)), nil
		}
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			return to, nil
		}
	}
	if folder, err := os.Stat(unslashed(path)); err == nil {
		if source, err := os.Stat(c.Locate(c.Text("source_path"))); err == nil && os.SameFile(folder, source) {
			return to, nil // not into itself
		}
	}
	return filepath.ToSlash(filepath.Join(to, name)), nil
}

// transfer is the way of a file from one path to another.
type transfer struct {
	call      nodetype.Call
	given     string // the new path, with its name
	doing     string // `copy "a" to "b"`
	from, to  string
	source    fs.FileInfo
	replace   bool
	overwrite fs.FileInfo // what is replaced; nil if nothing is there
}

// newTransfer checks what copy-file and move-file are asked to do.
func newTransfer(c nodetype.Call, verb string) (*transfer, error) {
	from, err := c.Path("source_path")
	if err != nil {
		return nil, err
	}
	given, err := destination(c)
	if err != nil {
		return nil, err
	}
	to, err := c.At("dest_path", given)
	if err != nil {
		return nil, err
	}
	t := &transfer{call: c, given: given, from: from, replace: c.Flag("overwrite")}
	t.doing = verb + " " + quote(c.Text("source_path")) + " to " + quote(t.given)
	if t.source, err = os.Stat(from); err != nil {
		return nil, fileFault(t.doing, err)
	}
	if t.source.IsDir() {
		return t, t.toFolder(to, verb)
	}
	t.to, t.overwrite, err = target(to, t.doing, "give the new path with the file's name, such as "+quote(filepath.Join(t.given, filepath.Base(from))))
	if err != nil {
		return nil, err
	}
	switch {
	case t.overwrite == nil:
	case os.SameFile(t.source, t.overwrite):
		return nil, fault.New(fault.InvalidRequest, "cannot %s: both are the same file", t.doing)
	case !t.replace && (c.Files == nil || !c.Files.May(realPath(t.to))):
		return nil, existsFault(t.doing, t.given, t.replace)
	}
	return t, nil
}

// copy makes the new file of the old one's content and mode.
func (t *transfer) copy(ctx context.Context) error {
	src, info, err := openRegular(t.from, t.doing, "")
	if err != nil {
		return err
	}
	defer src.Close()
	return place(ctx, t.call, t.to, info.Mode(), t.replace, func(dst *os.File) error { return stream(ctx, dst, src) })
}

func (t *transfer) outcome(err error) (nodetype.Outcome, error) {
	if errors.Is(err, fs.ErrExist) && t.source.IsDir() {
		return nodetype.Outcome{}, folderExists(t.doing, t.given, t.from)
	}
	if errors.Is(err, fs.ErrExist) {
		return nodetype.Outcome{}, existsFault(t.doing, t.given, t.replace)
	}
	if err != nil {
		return nodetype.Outcome{}, fileFault(t.doing, err)
	}
	return nodetype.Outcome{Outputs: map[string]any{"dest_path": t.given}}, nil
}
