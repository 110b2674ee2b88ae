package nodes

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// writeFile writes a text to a file.
func writeFile() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "write-file",
			Description: "Writes, saves or stores text to a file, which is made or replaced as a whole; with append it is added to the end.",
			Inputs: []ir.Port{
				{Key: "file_path", Type: value.String, Required: true, Description: "The file to write; folders on the way are made."},
				{Key: "content", Type: value.Any, Required: true, Description: "Text is written as it is, a line or more; any other value as JSON."},
			},
			Params: []ir.Port{
				overwritePort(),
				{Key: "append", Type: value.Boolean, Default: false, Description: "Add to the end of the file instead of replacing it."},
				{Key: "whole_lines", Type: value.Boolean, Default: false, Description: "The text begins on a line of its own and ends with a line break, which is added where it is missing."},
				encodingPort("How the text becomes the file's bytes; base64 when content is a binary file in base64."),
			},
			Outputs: []ir.Port{
				{Key: "file_path", Type: value.String, Description: "The file that was written, as it was given."},
				{Key: "bytes", Type: value.Integer, Description: "How many bytes were written."},
			},
			Effects: []ir.Effect{ir.Writes},
		},
		Foresee: func(c nodetype.Call, pending []string) nodetype.Foreseen { return foreseeFile(c, pending, "file_path") },
		Run:     runWriteFile,
		Example: nodetype.Example{
			Files:   map[string]string{"log.txt": "one\n"},
			Params:  map[string]any{"file_path": "log.txt", "content": "two\n", "append": true},
			Outputs: map[string]any{"file_path": "log.txt", "bytes": 4},
			Want:    map[string]string{"log.txt": "one\ntwo\n"},
		},
	}
}

func runWriteFile(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
	path, err := c.Path("file_path")
	if err != nil {
		return nodetype.Outcome{}, err
	}
	doing := "write " + quote(c.Text("file_path"))
	data, err := encode(c.Params["content"], c.Text("encoding"), doing)
	if err != nil {
		return nodetype.Outcome{}, err
	}
	path, old, err := target(path, doing, "give the path of a file in it")
	if err != nil {
		return nodetype.Outcome{}, err
	}
	if c.Flag("whole_lines") && data != "" && !strings.HasSuffix(data, "\n") {
		data += "\n"
	}
	if c.Flag("append") {
		if c.Flag("whole_lines") && data != "" && endsWithin(path) {
			data = "\n" + data
		}
		add := func() error { return appendTo(path, data) }
		if c.Files != nil {
			err = c.Files.Add(ctx, realPath(path), add)
		} else {
			err = add()
		}
	} else {
		var mode fs.FileMode
		if old != nil {
			mode = old.Mode()
		}
		err = place(ctx, c, path, mode, c.Flag("overwrite"), func(f *os.File) error {
			_, err := f.WriteString(data)
			return err
		})
	}
	if errors.Is(err, fs.ErrExist) {
		return nodetype.Outcome{}, existsFault(doing, c.Text("file_path"), c.Flag("overwrite"))
	}
	if err != nil {
		return nodetype.Outcome{}, fileFault(doing, err)
	}
	return nodetype.Outcome{Outputs: map[string]any{"file_path": c.Text("file_path"), "bytes": len(data)}}, nil
}

// endsWithin reports that a file ends within a line.
func endsWithin(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false // appendTo tells why
	}
	defer f.Close()
	last := make([]byte, 1)
	if _, err := f.Seek(-1, io.SeekEnd); err != nil {
		return false
	}
	_, err = f.Read(last)
	return err == nil && last[0] != '\n'
}

// appendTo adds to a file in one write. What a full disk leaves half written is taken back.
func appendTo(path, data string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		return err
	}
	n, err := f.WriteString(data)
	if err != nil {
		// Only if nobody else has added to it meanwhile.
		if now, statErr := f.Stat(); statErr == nil && now.Size() == before.Size()+int64(n) {
			f.Truncate(before.Size())
		}
		return err
	}
	return f.Sync()
}

// encode gives the bytes to write.
func encode(content any, encoding, doing string) (string, error) {
	text, ok := content.(string)
	if !ok {
		text = value.JSON(content)
	}
	switch encoding {
	case "", utf8Encoding:
		return text, nil
	case base64Encoding:
		data, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
		if err != nil {
			return "", fault.New(fault.InvalidRequest, "cannot %s: content is not base64: %v", doing, err)
		}
		return string(data), nil
	case latin1Encoding:
		out := make([]byte, 0, len(text))
		for _, r := range text {
			if r > 0xFF {
				return "", fault.New(fault.InvalidRequest, "cannot %s: latin-1 has no %q; leave encoding out to write UTF-8", doing, r)
			}
			out = append(out, byte(r))
		}
		return string(out), nil
	}
	return "", unknownEncoding(encoding)
}
