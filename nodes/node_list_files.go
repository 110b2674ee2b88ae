package nodes

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// Bounds on list-files: the list becomes a value of the run, and a walk of a whole disk would seem to hang.
const (
	maxListed = 100_000
	maxWalked = 5_000_000
)

// listFiles lists the files of a folder.
func listFiles() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "list-files",
			Description: "Lists the files of a folder, sorted; folders themselves are not listed.",
			Inputs:      []ir.Port{{Key: "path", Type: value.String, Required: true, Description: "The folder; . is the working directory."}},
			Params: []ir.Port{
				{Key: "pattern", Type: value.String, Default: "*",
					Description: "Which files: *.txt by their name; with a slash by their path under the folder, where ** stands for any folders, as in src/**/*.{js,ts}. A name that begins with a dot only matches a pattern that does."},
				{Key: "recursive", Type: value.Boolean, Default: false, Description: "Look into the folders below too."},
			},
			Outputs: []ir.Port{{Key: "files", Type: value.Array, Structure: ir.MustStructure([]any{"string"}),
				Description: "The paths, each beginning with path."}},
			Effects: []ir.Effect{ir.Reads, ir.Idempotent},
		},
		Check: func(params map[string]any) []ir.Problem {
			if p, ok := params["pattern"].(string); ok && !strings.ContainsRune(p, '$') {
				if _, err := newGlob(p); err != nil {
					return []ir.Problem{{Path: "pattern", Message: err.Error()}}
				}
			}
			return nil
		},
		Run: runListFiles,
		Example: nodetype.Example{
			Files:   map[string]string{"docs/a.md": "", "docs/b.txt": "", "docs/more/c.md": "", "docs/.draft.md": ""},
			Params:  map[string]any{"path": "docs", "pattern": "*.md", "recursive": true},
			Outputs: map[string]any{"files": []any{"docs/a.md", "docs/more/c.md"}},
		},
	}
}

func runListFiles(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
	root, err := c.Path("path")
	if err != nil {
		return nodetype.Outcome{}, err
	}
	given := c.Text("path")
	doing := "list " + quote(given)
	match, err := newGlob(c.Text("pattern"))
	if err != nil {
		return nodetype.Outcome{}, err
	}
	info, err := os.Stat(root)
	if err != nil {
		return nodetype.Outcome{}, fileFault(doing, err)
	}
	if !info.IsDir() {
		return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "cannot %s: it is a file; give its folder, and the file's name as pattern", doing)
	}
	l := lister{ctx: ctx, match: match, deep: c.Flag("recursive")}
	if err := l.walk(root, nil); err != nil {
		return nodetype.Outcome{}, fileFault(doing, err)
	}
	slices.Sort(l.found)
	files := make([]any, len(l.found))
	for i, f := range l.found {
		files[i] = filepath.ToSlash(filepath.Join(given, filepath.FromSlash(f)))
	}
	out := nodetype.Outcome{Outputs: map[string]any{"files": files}}
	if l.closed != "" {
		out.Warnings = []string{"list-files left out a folder that cannot be read: " + quote(l.closed)}
	}
	return out, nil
}

type lister struct {
	ctx    context.Context
	match  *glob
	deep   bool
	found  []string
	walked int
	closed string // the first folder below that cannot be read
}

// walk looks into a folder, at is the way to it. A link to a file is a file; one to a folder is not followed, so that no
// walk goes in circles.
func (l *lister) walk(dir string, at []string) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		if len(at) == 0 {
			return err
		}
		if l.closed == "" {
			l.closed = dir
		}
		return nil
	}
	for _, e := range entries {
		if l.walked++; l.walked > maxWalked {
			return fault.New(fault.InvalidRequest, "there are more than %d files in it; list a folder further down", maxWalked)
		}
		way := append(at[:len(at):len(at)], e.Name())
		full := filepath.Join(dir, e.Name())
		if e.IsDir() {
			if l.match.below(way, l.deep) {
				if err := l.walk(full, way); err != nil {
					return err
				}
			}
			continue
		}
		if e.Type()&fs.ModeSymlink != 0 {
			if info, err := os.Stat(full); err == nil && info.IsDir() {
				continue
			}
		}
		if !l.match.matches(way) {
			continue
		}
		if len(l.found) == maxListed {
			return fault.New(fault.InvalidRequest, "more than %d files match; narrow path or pattern", maxListed)
		}
		l.found = append(l.found, strings.Join(way, "/"))
	}
	return nil
}
