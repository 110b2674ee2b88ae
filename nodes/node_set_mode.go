package nodes

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// setMode says who may read, write and run a file.
func setMode() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "set-mode",
			Description: "Makes a file executable or not, or sets its permissions (chmod).",
			Inputs:      []ir.Port{{Key: "path", Type: value.String, Required: true, Description: "The file; with mode it may be a folder."}},
			Params: []ir.Port{
				{Key: "executable", Type: value.Boolean, Description: "Whether it may be run as a program: by whoever may read it, or by nobody."},
				{Key: "mode", Type: value.String, Description: "The permissions in octal, such as 644 or 0755."},
			},
			Outputs: []ir.Port{
				{Key: "path", Type: value.String, Description: "The file, as it was given."},
				{Key: "mode", Type: value.String, Description: "Its permissions now, in octal: 0755."},
			},
			Effects: []ir.Effect{ir.Writes, ir.Idempotent},
		},
		From: []string{"path"},
		Check: func(params map[string]any) []ir.Problem {
			_, executable := params["executable"]
			mode, both := params["mode"]
			switch text, isText := mode.(string); {
			case executable == both:
				return []ir.Problem{{Message: "give executable or mode, one of them"}}
			case both && isText && text != "" && text[0] != '$':
				if _, err := octal(text); err != nil {
					return []ir.Problem{{Path: "mode", Message: err.Error()}}
				}
			}
			return nil
		},
		Run: func(_ context.Context, c nodetype.Call) (nodetype.Outcome, error) {
			path, err := c.Path("path")
			if err != nil {
				return nodetype.Outcome{}, err
			}
			doing := "set the mode of " + quote(c.Text("path"))
			info, err := os.Stat(path)
			if err != nil {
				return nodetype.Outcome{}, fileFault(doing, err)
			}
			mode, err := modeOf(c, info, doing)
			if err == nil && mode != info.Mode().Perm() {
				err = fileFault(doing, os.Chmod(path, info.Mode()&^fs.ModePerm|mode))
			}
			if err != nil {
				return nodetype.Outcome{}, err
			}
			return nodetype.Outcome{Outputs: map[string]any{"path": c.Text("path"), "mode": fmt.Sprintf("%04o", mode)}}, nil
		},
		Example: nodetype.Example{
			Files:   map[string]string{"deploy.sh": "#!/bin/sh\n"},
			Params:  map[string]any{"path": "deploy.sh", "mode": "755"},
			Outputs: map[string]any{"path": "deploy.sh", "mode": "0755"},
		},
	}
}

// modeOf is the mode that a call asks for.
func modeOf(c nodetype.Call, info fs.FileInfo, doing string) (fs.FileMode, error) {
	run, given := c.Params["executable"].(bool)
	text := c.Text("mode")
	now := info.Mode().Perm()
	switch {
	case given == (text != ""):
		return 0, fault.New(fault.InvalidRequest, "cannot %s: give executable or mode, one of them", doing)
	case text != "":
		return octal(text)
	case info.IsDir():
		return 0, fault.New(fault.InvalidRequest, "cannot %s: it is a folder, which nobody runs; give mode", doing)
	case run:
		return now | 0o100 | now&0o444>>2, nil
	}
	return now &^ 0o111, nil
}

func octal(text string) (fs.FileMode, error) {
	n, err := strconv.ParseUint(text, 8, 32)
	if err != nil || n > 0o777 {
		return 0, fault.New(fault.InvalidRequest, "mode is %s; want three octal digits, such as 644 for a file that its owner may write and all may read", quote(text))
	}
	return fs.FileMode(n), nil
}
