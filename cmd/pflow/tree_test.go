package main

import (
	"io/fs"
	"strings"
)

// readmeTree is the tree of the module without its hidden files and what other modules it holds.
type readmeTree struct{ fs.FS }

func (r readmeTree) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(r.FS, name)
	kept := entries[:0]
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && e.Name() != "bench" {
			kept = append(kept, e)
		}
	}
	return kept, err
}
