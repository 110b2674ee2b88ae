package nodes

import (
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash"
	"io"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// hashes are the algorithms of hash-file. md5 and sha1 are there for what others publish: they tell damage, not intent.
var hashes = []struct {
	name string
	new  func() hash.Hash
}{{"sha256", sha256.New}, {"sha512", sha512.New}, {"sha1", sha1.New}, {"md5", md5.New}}

// hashFile computes the hash of a file's content.
func hashFile() nodetype.Type {
	var names []any
	for _, h := range hashes {
		names = append(names, h.name)
	}
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "hash-file",
			Description: "Computes the checksum (hash) of a file of any size; files alike have the same one.",
			Inputs:      []ir.Port{{Key: "path", Type: value.String, Required: true, Description: "The file."}},
			Params:      []ir.Port{{Key: "algorithm", Type: value.String, Default: "sha256", Enum: names, Description: "How it is computed."}},
			Outputs: []ir.Port{
				{Key: "hash", Type: value.String, Description: "The checksum in hexadecimal, in small letters."},
				{Key: "path", Type: value.String, Detail: true, Description: "The file, as it was given."},
			},
			Effects: []ir.Effect{ir.Reads, ir.Idempotent},
		},
		From: []string{"path"},
		Run: func(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
			path, err := c.Path("path")
			if err != nil {
				return nodetype.Outcome{}, err
			}
			doing := "compute the checksum of " + quote(c.Text("path"))
			h, err := newHash(c.Text("algorithm"))
			if err != nil {
				return nodetype.Outcome{}, err
			}
			f, _, err := openRegular(path, doing, "list-files gives what is in it")
			if err != nil {
				return nodetype.Outcome{}, err
			}
			defer f.Close()
			for err == nil {
				if err = ctx.Err(); err == nil { // in pieces, so that a cancel is heard
					_, err = io.CopyN(h, f, 8<<20)
				}
			}
			if err != io.EOF {
				return nodetype.Outcome{}, fileFault(doing, err)
			}
			return nodetype.Outcome{Outputs: map[string]any{"path": c.Text("path"), "hash": hex.EncodeToString(h.Sum(nil))}}, nil
		},
		Example: nodetype.Example{
			Files:   map[string]string{"a.txt": "abc"},
			Params:  map[string]any{"path": "a.txt", "algorithm": "sha1"},
			Outputs: map[string]any{"path": "a.txt", "hash": "a9993e364706816aba3e25717850c26c9cd0d89d"},
		},
	}
}

func newHash(name string) (hash.Hash, error) {
	if name == "" {
		name = hashes[0].name
	}
	for _, h := range hashes {
		if h.name == name {
			return h.new(), nil
		}
	}
	return nil, fault.New(fault.InvalidRequest, "there is no algorithm %s: use sha256, sha512, sha1 or md5", quote(name))
}
