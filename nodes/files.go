package nodes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"pflow/ir"
	"strings"
)

// Type is a node type: its interface and what it does, params in and outputs out.
type Type struct {
	ir.Interface
	Run func(ctx context.Context, params map[string]any) (map[string]any, error)
}

// Types lists the node types.
func Types() []Type {
	return []Type{
		{ir.Interface{Name: "copy-file", Description: "Copy (duplicate) a file to another path.",
			Inputs: []ir.Port{text("source_path", "file that the copy is made from"), text("dest_path", "path that the copy goes to")},
			Params: []ir.Port{{Key: "overwrite", Type: "boolean", Description: "replace a file that exists"}}, Outputs: []ir.Port{text("dest_path", "path of the copy")}}, copyFile},
		{ir.Interface{Name: "read-file", Description: "Read (show, print) the text in a file.", Inputs: []ir.Port{text("file_path", "path of the file")}, Outputs: []ir.Port{text("content", "text in the file")}}, readFile},
		{ir.Interface{Name: "write-file", Description: "Write (save) text into a new file.",
			Inputs: []ir.Port{text("content", "quoted text"), text("file_path", "path that the text goes to")}, Outputs: []ir.Port{text("file_path", "path of the file")}}, writeFile},
	}
}

func text(key, description string) ir.Port {
	return ir.Port{Key: key, Type: "string", Required: true, Description: description}
}

func copyFile(_ context.Context, params map[string]any) (map[string]any, error) {
	f, err := os.Open(fmt.Sprint(params["source_path"]))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", f.Name())
	}
	dest := fmt.Sprint(params["dest_path"])
	return map[string]any{"dest_path": dest}, atomicWrite(dest, f, info.Mode().Perm(), params["overwrite"] == true)
}

func readFile(_ context.Context, params map[string]any) (map[string]any, error) {
	data, err := os.ReadFile(fmt.Sprint(params["file_path"]))
	return map[string]any{"content": string(data)}, err
}

func writeFile(_ context.Context, params map[string]any) (map[string]any, error) {
	path, content := fmt.Sprint(params["file_path"]), fmt.Sprint(params["content"])
	return map[string]any{"file_path": path}, atomicWrite(path, strings.NewReader(content), 0o644, false)
}

// atomicWrite makes a file of all that r gives, or none; it makes the folder too.
func atomicWrite(path string, r io.Reader, mode os.FileMode, overwrite bool) error {
	if _, err := os.Stat(path); err == nil && !overwrite {
		return fmt.Errorf("%s exists; a file is only replaced with overwrite", path)
	}
	folder := os.MkdirAll(filepath.Dir(path), 0o777)
	temp, err := os.CreateTemp(filepath.Dir(path), ".pflow-*")
	if err != nil {
		return errors.Join(folder, err)
	}
	defer os.Remove(temp.Name()) // after the rename there is none
	_, err = io.Copy(temp, r)
	if err = errors.Join(err, temp.Chmod(mode), temp.Close()); err == nil {
		err = os.Rename(temp.Name(), path)
	}
	return err
}
