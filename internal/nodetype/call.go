package nodetype

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"pflow/internal/fault"
	"pflow/ir"
)

// Text gives a param as text, "" if it is not given.
func (c Call) Text(key string) string { return ir.Text(c.Params[key]) }

// Secret reads the secret in an environment variable, also one that the settings map to somewhere else; "" if there is none.
func (c Call) Secret(ctx context.Context, name string) (string, error) {
	switch {
	case c.Secrets != nil:
		return c.Secrets.Read(ctx, name)
	case c.Env != nil:
		return c.Env(name), nil
	}
	return "", nil
}

// Flag reports whether a param is true. Nothing but true is: "yes" and 1 are not.
func (c Call) Flag(key string) bool { b, _ := c.Params[key].(bool); return b }

// Object gives a param that is an object, nil if it is not given.
func (c Call) Object(key string) map[string]any { m, _ := c.Params[key].(map[string]any); return m }

// Path gives the path of a file from a param: relative paths count from the working directory, ~/ is the home folder.
func (c Call) Path(key string) (string, error) {
	p := c.Text(key)
	if p == "" {
		return "", fault.New(fault.InvalidRequest, "%s is empty: give a path", key)
	}
	return c.At(key, p)
}

// At is Path for a path that is not a param of its own, such as one of a list; key names it in errors.
func (c Call) At(key, p string) (string, error) {
	switch {
	case p == "":
		return "", fault.New(fault.InvalidRequest, "%s holds an empty path", key)
	case strings.ContainsRune(p, 0):
		return "", fault.New(fault.InvalidRequest, "%s %s holds a NUL character, which no path can", key, strconv.Quote(p))
	}
	path := c.Locate(p)
	return path, c.Permit(path, false)
}

// Permit is why the settings do not let a path be touched, below: with all that lies below it.
func (c Call) Permit(path string, below bool) error {
	if c.Permits == nil {
		return nil
	}
	return c.Permits(path, below)
}

// Tree is Path for a node that touches all that lies below a folder.
func (c Call) Tree(key string) (string, error) {
	path, err := c.Path(key)
	if err == nil {
		err = c.Permit(path, true)
	}
	return path, err
}

// Locate makes a path absolute, if Dir is. It does not tidy the path: behind a symbolic link a/../b is not b.
func (c Call) Locate(p string) string {
	if p == "~" || strings.HasPrefix(p, "~/") {
		if c.Env != nil && c.Env("HOME") != "" {
			return c.Env("HOME") + p[1:]
		}
	}
	return joinPath(c.Dir, p)
}

func joinPath(dir, p string) string {
	if dir == "" || filepath.IsAbs(p) {
		return p
	}
	return strings.TrimSuffix(dir, string(filepath.Separator)) + string(filepath.Separator) + p
}
