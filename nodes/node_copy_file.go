package nodes

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

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
				{Key: "dest_path", Type: value.String, Required: true, Description: "Its new path, with the file's name; folders on the way are made."},
			},
			Params:  []ir.Port{overwritePort()},
			Outputs: []ir.Port{{Key: "dest_path", Type: value.String, Description: "The copy, as it was given."}},
			Effects: []ir.Effect{ir.Reads, ir.Writes},
		},
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

func foreseeTransfer(c nodetype.Call, pending []string) nodetype.Foreseen {
	return foreseeFile(c, pending, "dest_path")
}

// transfer is the way of a file from one path to another.
type transfer struct {
	call      nodetype.Call
	given     string // the new path, as in the params
	doing     string // `copy "a" to "b"`
	from, to  string
	source    fs.FileInfo
	replace   bool
	overwrite fs.FileInfo // what is replaced; nil if nothing is there
}

// transfer checks what copy-file and move-file are asked to do.
func newTransfer(c nodetype.Call, verb string) (*transfer, error) {
	from, err := c.Path("source_path")
	if err != nil {
		return nil, err
	}
	to, err := c.Path("dest_path")
	if err != nil {
		return nil, err
	}
	t := &transfer{call: c, given: c.Text("dest_path"), from: from, replace: c.Flag("overwrite")}
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
