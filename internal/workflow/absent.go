package workflow

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pflow/internal/nodetype"
	"pflow/ir"
)

// made is where the steps that were looked at may have made files.
type made struct {
	anywhere bool
	paths    []string // with all that is below them
}

// maxMade bounds the paths that are compared with each that is read.
const maxMade = 200

// may reports whether something may have been made at a path, below it, or in a folder that holds it.
func (m *made) may(path string) bool {
	return m.anywhere || slices.ContainsFunc(m.paths, func(p string) bool { return within(p, path) || within(path, p) })
}

func within(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// absent tells what a step reads that is not there and that no step before it may make, and notes what it may make itself.
func (d *DryRun) absent(c *compiler, step *PlannedStep, n *ir.Node, i *ir.Interface, ps *params, known ir.Values) {
	if i.Workflow || i.Call != nil {
		return // the nodes of that workflow are looked at
	}
	t, builtin := c.env.Types[n.Type]
	var makes made
	for _, scope := range scopes(n, step, ps.reads, known) {
		call := c.located(ps, scope)
		for _, key := range t.From {
			for _, path := range call.paths(key) {
				if !slices.Contains(step.Absent, path) && !d.made.may(call.Locate(path)) && isAbsent(call.Locate(path)) {
					step.Absent = append(step.Absent, path)
				}
			}
		}
		if i.Has(ir.Writes) {
			before := len(makes.paths)
			for key := range call.Params {
				if isPath(key) && key != folderKey && !slices.Contains(t.Elsewhere, key) {
					for _, path := range call.paths(key) {
						makes.paths = append(makes.paths, call.Locate(path))
					}
				}
			}
			// A component that names no path, or none that is known yet, may write anywhere, and so may a program.
			makes.anywhere = makes.anywhere || !builtin || call.open || len(makes.paths) == before
		}
	}
	d.made.paths = append(d.made.paths, makes.paths...)
	d.made.anywhere = d.made.anywhere || makes.anywhere || len(d.made.paths) > maxMade
}

func isAbsent(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// locatedCall is a call whose paths count from the folder in which it takes place.
type locatedCall struct {
	nodetype.Call
	pending []string
	open    bool // a path is not known yet
}

func (c *compiler) located(ps *params, known ir.Values) *locatedCall {
	l := &locatedCall{Call: c.foreseen(ps, known, nil), pending: ps.pending(known)}
	l.open = slices.ContainsFunc(ps.list, func(p param) bool { return isPath(p.key) && l.isOpen(p.key) })
	if dir := l.Text(folderKey); dir != "" && !l.isOpen(folderKey) {
		l.Dir = l.Locate(dir)
	}
	return l
}

func (l *locatedCall) isOpen(key string) bool {
	return slices.ContainsFunc(l.pending, func(p string) bool { return under(p, key) })
}

// paths are the paths that a param names, one or a list; none where it is not known, or counts from a folder that is not.
func (l *locatedCall) paths(key string) []string {
	if l.isOpen(key) || l.isOpen(folderKey) {
		return nil
	}
	list, ok := l.Params[key].([]any)
	if !ok {
		list = []any{l.Params[key]}
	}
	var out []string
	for _, one := range list {
		if path, ok := one.(string); ok && path != "" && !strings.ContainsRune(path, 0) { // else the component says what is wrong
			out = append(out, path)
		}
	}
	return out
}
