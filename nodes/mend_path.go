package nodes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"unicode"

	"pflow/engine"
	"pflow/internal/fault"
	"pflow/internal/value"
)

// mendPathOp finds where a missing file went.
func mendPathOp() engine.Op {
	return engine.Op{
		Name: "mend-path",
		Summary: "Mends a workflow that failed since there was nothing at a path: takes the one file of that name that there is below the folder of the run, or " +
			"the one of nearly that name beside it, unless the workflow names it already. Reads names only.",
		Prep: []engine.Field{mendWorkflow, mendNode, mendParams, mendInputs,
			{Name: "path", Type: value.String, Required: true, Doc: "the path at which there was nothing"},
			{Name: "dir", Type: value.String, Required: true, Doc: "the folder of the run, an absolute path"},
		},
		With: []engine.Field{
			{Name: "most", Type: value.Integer, Default: 10000, Doc: "how many names are looked at; where there are more, nothing is taken"},
			{Name: "depth", Type: value.Integer, Default: 6, Doc: "how many folders deep"},
		},
		Result:     value.Object,
		ResultDoc:  mendResult,
		Idempotent: true,
		Example: `flow: mend-path-example
version: 1
description: See that there is nothing to take the place of a file.
state:
  workflow:
    type: object
    default: {ir_version: 0.1.0, inputs: {}, nodes: [{id: read, type: read-file, params: {file_path: no-such-file}}], edges: []}
  reason: {type: string, default: ""}
nodes:
  mend:
    op: mend-path
    prep: {workflow: store.workflow, node: '"read"', params: '{"file_path": "no-such-file"}', path: '"/no-such-folder/no-such-file"', dir: '"/no-such-folder"'}
    post: {reason: result.reason}
    next: end
`,
		New: func(s *engine.Setup) engine.Exec {
			most, depth := option(s, "most", 10000), option(s, "depth", 6)
			return func(ctx context.Context, in engine.Input) (engine.Output, error) {
				m, err := newMended(in.Prep)
				if err != nil {
					return engine.Output{}, err
				}
				missing, _ := in.Prep["path"].(string)
				dir, _ := in.Prep["dir"].(string)
				if !filepath.IsAbs(dir) {
					return engine.Output{}, fault.New(fault.InvalidRequest, "dir is no absolute path: %s", quote(dir))
				}
				if missing = filepath.Clean(missing); !filepath.IsAbs(missing) {
					missing = filepath.Join(dir, missing)
				}
				found, why, reason, err := m.lookFor(ctx, missing, dir, most, depth)
				if err != nil || reason != "" {
					return m.output("", reason), err
				}
				return m.output(why, m.putPath(missing, found, dir)), nil
			}
		},
	}
}

// folderParam is a param that may be a folder.
var folderParam = regexp.MustCompile(`(^|[._])(path|paths|folder|dir|directory)(\[\d+\])?$`)

// fileParam is one that is none.
var fileParam = regexp.MustCompile(`(file|source|dest|with)_path`)

// putPath makes every text of the workflow that is the missing path the one that was found. It gives the reason where it cannot do
// so everywhere.
func (m *mended) putPath(missing, found, dir string) (reason string) {
	places, open, folder := 0, "", ""
	is := func(text string) bool { return text != "" && absolute(text, dir) == missing }
	m.everyText(func(node map[string]any, path, text, was string, known bool) string {
		own := node["id"] == m.node["id"]
		switch {
		case known && own && is(was) && filepath.Ext(missing) == "" && folderParam.MatchString(path) && !fileParam.MatchString(path):
			folder = path
			return text
		case !known || !is(was):
			if !own && slices.ContainsFunc(pathWords(was), is) {
				open = text
			}
			return text
		case !own && len(expressionsOf(text)) == 0 && !strings.ContainsAny(text, "./"):
			open = text // it may be that file, or a word
			return text
		}
		now, ok := m.put(text, was, asWritten(was, found, dir))
		if !ok {
			open = text
		}
		if own {
			places++
		}
		return now
	})
	switch {
	case folder != "":
		return fmt.Sprintf("there is no %s, which may be a folder; near: the file %s", quote(relative(missing, dir)), quote(relative(found, dir)))
	case places == 0:
		return fmt.Sprintf("there is %s, but no param of the step is the path %s", quote(relative(found, dir)), quote(relative(missing, dir)))
	case open != "":
		return fmt.Sprintf("there is %s, but its path comes of %s, which no rule can change", quote(relative(found, dir)), open)
	}
	return ""
}

// names reports whether the workflow names a path: in a text, or as what an input is. Of a text of which only a part is known, the
// name of the file is enough.
func (m *mended) names(path, dir string) (yes bool) {
	is := func(word string) bool {
		if strings.Contains(word, unknownPart) {
			return strings.HasSuffix(word, filepath.Base(path))
		}
		return absolute(word, dir) == path
	}
	look := func(text string) {
		yes = yes || text != "" && absolute(text, dir) == path || slices.ContainsFunc(pathWords(text), is)
	}
	m.everyText(func(_ map[string]any, _, text, was string, _ bool) string {
		look(was)
		return text
	})
	inputs := []any{m.given}
	declared, _ := m.workflow["inputs"].(map[string]any)
	for _, in := range declared {
		if in, ok := in.(map[string]any); ok {
			inputs = append(inputs, in["default"])
		}
	}
	value.EachText(inputs, look)
	return yes
}

// pathWords are what a text consists of, as far as they may be paths.
func pathWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`=<>|;&(),:", r) })
}

func absolute(path, dir string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// relative is a path as somebody in dir writes it.
func relative(path, dir string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// asWritten is the path that was found, written as the one before it was.
func asWritten(was, found, dir string) string {
	if filepath.IsAbs(was) {
		return found
	}
	rel, err := filepath.Rel(dir, found)
	if err != nil {
		return found
	}
	if strings.HasPrefix(was, "./") {
		rel = "./" + rel
	}
	return filepath.ToSlash(rel)
}

// lookFor finds what a missing path may be now, by the evidence that why says: below the folder of the run the only one of its
// name, else in its own folder the only one whose name is alike. Where the path leads elsewhere only its own folder is looked at.
// A folder never stands for a file, nor what the workflow names already for anything.
func (m *mended) lookFor(ctx context.Context, missing, dir string, most, depth int) (found, why, reason string, err error) {
	name, shown := filepath.Base(missing), quote(relative(missing, dir))
	switch _, err := os.Stat(missing); {
	case err == nil:
		return "", "", fmt.Sprintf("there is %s now: it can just be retried", shown), nil
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
		return "", "", fmt.Sprintf("whether there is %s cannot be told: %v", shown, errors.Unwrap(err)), nil
	}
	fits := func(path string) bool { // files only: nobody says what a folder is to hold
		info, err := os.Stat(path)
		return err == nil && info.Mode().IsRegular()
	}
	if rel, err := filepath.Rel(dir, missing); err == nil && filepath.IsLocal(rel) {
		moved, all, err := below(ctx, dir, most, depth, func(path string) bool { return filepath.Base(path) == name && fits(path) })
		switch {
		case err != nil:
			return "", "", "", err
		case !all:
			return "", "", fmt.Sprintf("there is no %s, and %s holds too much to look for it", shown, quote(dir)), nil
		case len(moved) == 1 && m.names(moved[0], dir):
			return "", "", fmt.Sprintf("there is no %s; %s is of that name, but the workflow names it already", shown, quote(relative(moved[0], dir))), nil
		case len(moved) == 1:
			return moved[0], fmt.Sprintf("there is no %s; %s is the only one of that name below %s", shown, quote(relative(moved[0], dir)), quote(dir)), "", nil
		case len(moved) > 1:
			return "", "", fmt.Sprintf("there is no %s, and several of that name: %s", shown, quotedNames(allRelative(moved, dir))), nil
		}
	}
	folder := filepath.Dir(missing)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", "", fmt.Sprintf("there is no %s, nothing of that name below %s, and no folder %s", shown, quote(dir), quote(relative(folder, dir))), nil
	}
	var names []string
	for _, e := range entries {
		if n := e.Name(); !strings.HasPrefix(n, ".") && fits(filepath.Join(folder, n)) {
			names = append(names, n)
		}
	}
	alike := fileAlike(name, names)
	switch len(alike) {
	case 0:
		return "", "", fmt.Sprintf("there is no %s, and nothing of that name or nearly that name%s", shown, nearNames(namesNear(name, names))), nil
	case 1:
		found = filepath.Join(folder, alike[0])
		if m.names(found, dir) {
			return "", "", fmt.Sprintf("there is no %s; near: %s, but the workflow names it already", shown, quote(alike[0])), nil
		}
		return found, fmt.Sprintf("there is no %s; %s is the only name there that is nearly the same", shown, quote(relative(found, dir))), "", nil
	}
	return "", "", fmt.Sprintf("there is no %s, and several names are near: %s", shown, quotedNames(sorted(alike))), nil
}

// below lists what is in a folder, and in those in it, that fit. Hidden folders are left out. all is false where there was
// too much to look at.
func below(ctx context.Context, dir string, most, depth int, fits func(path string) bool) (out []string, all bool, err error) {
	seen := 0
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || path == dir {
			return nil // what cannot be read is not there for the run either
		}
		if seen++; seen > most {
			return fs.SkipAll
		}
		if fits(path) {
			out = append(out, path)
		}
		rel, _ := filepath.Rel(dir, path)
		if e.IsDir() && (strings.HasPrefix(e.Name(), ".") || strings.Count(rel, string(filepath.Separator))+1 >= depth) {
			return fs.SkipDir
		}
		return nil
	})
	return out, seen <= most, err
}

func allRelative(paths []string, dir string) (out []string) {
	for _, p := range paths {
		out = append(out, relative(p, dir))
	}
	return out
}
