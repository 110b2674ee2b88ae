package nodes

import (
	"context"
	"encoding/base64"
	"io"
	"unicode/utf8"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// maxRead bounds a file that is read into a value, which is kept in the run's records.
const maxRead = 64 << 20

// readFile reads a file into a text.
func readFile() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "read-file",
			Description: "Reads a file and gives its content as text.",
			Inputs:      []ir.Port{{Key: "file_path", Type: value.String, Required: true, Description: "The file to read, such as notes.txt."}},
			Params:      []ir.Port{encodingPort("How the file's bytes become text; base64 for images and other binary files.")},
			Outputs:     []ir.Port{{Key: "content", Type: value.String, Description: "All of the file."}},
			Effects:     []ir.Effect{ir.Reads, ir.Idempotent},
		},
		From: []string{"file_path"},
		Run: func(_ context.Context, c nodetype.Call) (nodetype.Outcome, error) {
			path, err := c.Path("file_path")
			if err != nil {
				return nodetype.Outcome{}, err
			}
			doing := "read " + quote(c.Text("file_path"))
			f, info, err := openRegular(path, doing, "list-files gives what is in it")
			if err != nil {
				return nodetype.Outcome{}, err
			}
			defer f.Close()
			if info.Size() > maxRead {
				return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "cannot %s: it is %d MiB, at most %d can be read into a value; let a shell node work on the file itself",
					doing, info.Size()>>20, maxRead>>20)
			}
			data, err := io.ReadAll(io.LimitReader(f, maxRead+1))
			if err != nil {
				return nodetype.Outcome{}, fileFault(doing, err)
			}
			if len(data) > maxRead { // it grew, or it is one of those of /proc, whose size is 0
				return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "cannot %s: it is more than %d MiB; let a shell node work on the file itself", doing, maxRead>>20)
			}
			content, err := decode(data, c.Text("encoding"), doing)
			return nodetype.Outcome{Outputs: map[string]any{"content": content}}, err
		},
		Example: nodetype.Example{
			Files:   map[string]string{"notes.txt": "Buy milk.\n"},
			Params:  map[string]any{"file_path": "notes.txt"},
			Outputs: map[string]any{"content": "Buy milk.\n"},
		},
	}
}

const (
	utf8Encoding   = "utf-8"
	latin1Encoding = "latin-1"
	base64Encoding = "base64"
)

func encodingPort(description string) ir.Port {
	return ir.Port{
		Key: "encoding", Type: value.String, Default: utf8Encoding, Description: description,
		Enum: []any{utf8Encoding, latin1Encoding, base64Encoding},
	}
}

// decode reads bytes as text.
func decode(data []byte, encoding, doing string) (string, error) {
	switch encoding {
	case "", utf8Encoding:
		if !utf8.Valid(data) {
			return "", fault.New(fault.InvalidRequest, "cannot %s: it is not UTF-8 text; set encoding to latin-1 for old text, or to base64 for a binary file", doing)
		}
		return string(data), nil
	case latin1Encoding:
		return latin1(data), nil
	case base64Encoding:
		return base64.StdEncoding.EncodeToString(data), nil
	}
	return "", unknownEncoding(encoding)
}

func latin1(data []byte) string {
	out := make([]byte, 0, len(data)+len(data)/8)
	for _, b := range data {
		out = utf8.AppendRune(out, rune(b))
	}
	return string(out)
}

func unknownEncoding(encoding string) error {
	return fault.New(fault.InvalidRequest, "there is no encoding %s: use utf-8, latin-1 or base64", quote(encoding))
}
