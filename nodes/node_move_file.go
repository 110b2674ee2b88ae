package nodes

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"pflow/internal/atomicfile"
	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// moveFile moves or renames a file.
func moveFile() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "move-file",
			Description: "Moves or renames a file or a folder, also to another disk.",
			Inputs: []ir.Port{
				{Key: "source_path", Type: value.String, Required: true, Description: "The file or folder to move."},
				{Key: "dest_path", Type: value.String, Required: true, Description: "Its new path, with the name of the file or folder; or a folder, into which it goes under its own name: one that is there, or ends in a slash. Folders on the way are made."},
			},
			Params: []ir.Port{
				overwritePort(),
				{Key: "beside", Type: value.Boolean, Default: false, Description: "A dest_path without a slash is a name in the folder of the source, as when it is renamed."},
			},
			Outputs: []ir.Port{{Key: "dest_path", Type: value.String, Description: "The new path."}},
			Effects: []ir.Effect{ir.Reads, ir.Writes},
		},
		From:    []string{"source_path"},
		Foresee: foreseeTransfer,
		Run: func(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
			t, err := newTransfer(c, "move")
			if err != nil {
				return nodetype.Outcome{}, err
			}
			if c.Files != nil {
				t.call.Files = movedFiles{c.Files, realPath(t.from)}
			}
			return t.outcome(t.move(ctx, rename))
		},
		Example: nodetype.Example{
			Files:   map[string]string{"draft.txt": "Dear all,\n"},
			Params:  map[string]any{"source_path": "draft.txt", "dest_path": "letter.txt"},
			Outputs: map[string]any{"dest_path": "letter.txt"},
			Want:    map[string]string{"letter.txt": "Dear all,\n"},
		},
	}
}

// movedFiles are the files of a run for a file that comes from a real path.
type movedFiles struct {
	nodetype.Files
	from string
}

// Put implements nodetype.Files.
func (f movedFiles) Put(ctx context.Context, path, content string, overwrite bool, put func(replace bool) error) error {
	return f.Move(ctx, f.from, path, content, overwrite, put)
}

// move gives the file its new name by rename. Where that is on another file system it is copied, and removed only when
// the copy is on the disk.
func (t *transfer) move(ctx context.Context, rename func(from, to string, replace bool) error) error {
	if err := os.MkdirAll(filepath.Dir(t.to), 0o777); err != nil {
		return err
	}
	if t.source.IsDir() {
		return t.moveFolder(ctx, rename)
	}
	err := putFile(ctx, t.call, t.to, t.from, t.replace, func(replace bool) error { return rename(t.from, t.to, replace) })
	if err == nil {
		atomicfile.SyncFolder(filepath.Dir(t.to))
		return nil
	}
	if !errors.Is(err, syscall.EXDEV) {
		return err
	}
	if err := t.copy(ctx); err != nil {
		return err
	}
	os.Chtimes(t.to, t.source.ModTime(), t.source.ModTime()) // a move keeps the time; that it cannot be kept harms nobody
	return os.Remove(t.from)
}

// toFolder checks the way of a folder. None is replaced by it.
func (t *transfer) toFolder(to, verb string) error {
	if verb == "copy" {
		return fault.New(fault.InvalidRequest, "cannot %s: the source is a folder; copy-folder copies it", t.doing)
	}
	if why := guarded(t.call, t.source); why != "" {
		return fault.New(fault.InvalidRequest, "cannot %s: %s", t.doing, why)
	}
	for _, path := range []string{t.from, to} { // all that is in it moves
		if err := t.call.Permit(path, true); err != nil {
			return err
		}
	}
	t.from, t.to = unslashed(t.from), unslashed(to)
	return freeForFolder(t.call, t.to, t.from, t.given, t.doing, false)
}

// moveFolder does for a folder what move does for a file.
func (t *transfer) moveFolder(ctx context.Context, rename func(from, to string, replace bool) error) error {
	err := rename(t.from, t.to, false)
	if err == nil {
		atomicfile.SyncFolder(filepath.Dir(t.to))
		return nil
	}
	if link, bad := os.Lstat(t.from); !errors.Is(err, syscall.EXDEV) || bad != nil || !link.IsDir() {
		return err
	}
	if err := placeFolder(t.to, false, func(temp string) error { return copyTree(ctx, t.from, temp, t.doing) }); err != nil {
		return err
	}
	return os.RemoveAll(t.from)
}
