package nodes

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"pflow/internal/atomicfile"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// moveFile moves or renames a file.
func moveFile() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "move-file",
			Description: "Moves or renames a file, also to another disk.",
			Inputs:      transferInputs("move"),
			Params:      []ir.Port{overwritePort()},
			Outputs:     []ir.Port{{Key: "dest_path", Type: value.String, Description: "The moved file's new path, as it was given."}},
			Effects:     []ir.Effect{ir.Reads, ir.Writes},
		},
		Foresee: foreseeTransfer,
		Run: func(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
			t, err := newTransfer(c, "move")
			if err != nil {
				return nodetype.Outcome{}, err
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

// move gives the file its new name by rename. Where that is on another file system it is copied, and removed only when
// the copy is on the disk.
func (t *transfer) move(ctx context.Context, rename func(from, to string, replace bool) error) error {
	if err := os.MkdirAll(filepath.Dir(t.to), 0o777); err != nil {
		return err
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
