package nodes

import (
	"context"
	"os"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// What kind says is listed.
const (
	listedFiles   = "files"
	listedFolders = "folders"
	listedAll     = "all"
)

// What sort orders by.
const (
	byName     = "name"
	bySize     = "size"
	byModified = "modified"
)

// entryStructure is what an item of entries holds.
var entryStructure = ir.MustStructure([]any{map[string]any{
	"path": "string", "name": "string", "stem": "string", "extension": "string", "folder": "string",
	"size": "integer", "modified": "string", "is_folder": "boolean", "executable": "boolean",
}})

// listFiles lists the files of a folder.
func listFiles() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "list-files",
			Description: "Lists the files of a folder, or its folders: by name, size or time, all or those that fit.",
			Inputs:      []ir.Port{{Key: "path", Type: value.String, Required: true, Description: "The folder; . is the working directory."}},
			Params: []ir.Port{
				{Key: "pattern", Type: value.String, Default: "*",
					Description: "Which files: *.txt by their name; with a slash by their path under the folder, where ** stands for any folders, as in src/**/*.{js,ts}. (?i) in front makes capital and small letters alike: (?i)*.jpg. A name that begins with a dot only matches a pattern that does."},
				{Key: "also", Type: value.Array, Structure: ir.MustStructure([]any{"string"}), Description: "Further patterns, all of which have to fit too."},
				{Key: "exclude", Type: value.Array, Structure: ir.MustStructure([]any{"string"}),
					Description: "Patterns, as above, of what is left out, also by the path as files has it; a folder that fits is not looked into. Here * matches a dot, too."},
				{Key: "recursive", Type: value.Boolean, Default: false, Description: "Look into the folders below too."},
				{Key: "kind", Type: value.String, Default: listedFiles, Enum: []any{listedFiles, listedFolders, listedAll}, Description: "What is listed."},
				{Key: "sort", Type: value.String, Default: byName, Enum: []any{byName, bySize, byModified},
					Description: "The order: by path, from the smallest, or from the oldest."},
				{Key: "descending", Type: value.Boolean, Default: false, Description: "The other way round: the biggest or newest first."},
				{Key: "limit", Type: value.Integer, Description: "List the first so many only."},
				{Key: "skip", Type: value.Integer, Description: "Leave out the first so many."},
				{Key: "min_size", Type: value.Integer, Description: "Only files of at least so many bytes."},
				{Key: "max_size", Type: value.Integer, Description: "Only files of at most so many bytes."},
				{Key: "larger_than", Type: value.Integer, Description: "Only files of more than so many bytes."},
				{Key: "smaller_than", Type: value.Integer, Description: "Only files of less than so many bytes."},
				{Key: "empty", Type: value.Boolean, Default: false, Description: "Only files of 0 bytes, and folders with nothing in them."},
				{Key: "modified_after", Type: value.String, Description: "Only what was changed on this day or later, or at this instant or later: 2024-01-31 or 2024-01-31T09:30:00Z; 2024-01-31T24:00 is the end of the day, and 7d is seven days ago."},
				{Key: "modified_before", Type: value.String, Description: "Only what was changed before this day or instant."},
			},
			Outputs: []ir.Port{
				{Key: "files", Type: value.Array, Structure: ir.MustStructure([]any{"string"}), Description: "The paths, each beginning with path."},
				{Key: "entries", Type: value.Array, Structure: entryStructure, Detail: true,
					Description: "The same with what is known of each: name report.tar.gz has stem report.tar and extension gz; size in bytes, 0 for a folder; modified as an instant."},
			},
			Effects: []ir.Effect{ir.Reads, ir.Idempotent},
		},
		From: []string{"path"},
		Check: func(params map[string]any) (problems []ir.Problem) {
			check := func(path string, v any, read func(string) error) {
				if text, ok := v.(string); ok && !strings.ContainsRune(text, '$') {
					if err := read(text); err != nil {
						problems = append(problems, ir.Problem{Path: path, Message: err.Error()})
					}
				}
			}
			pattern := func(p string) error { _, err := newGlob(p); return err }
			check("pattern", params["pattern"], pattern)
			for _, key := range []string{"also", "exclude"} {
				list, _ := params[key].([]any)
				for i, p := range list {
					check(indexed(key, i), p, pattern)
				}
			}
			for _, key := range []string{"modified_after", "modified_before"} {
				check(key, params[key], func(text string) error { _, err := instant(nodetype.Call{}, key, text); return err })
			}
			return problems
		},
		Run: runListFiles,
		Example: nodetype.Example{
			Files:  map[string]string{"docs/a.md": "", "docs/b.txt": "", "docs/more/c.md": "# C\n", "docs/.draft.md": ""},
			Params: map[string]any{"path": "docs", "pattern": "*.md", "recursive": true, "min_size": 1},
			Outputs: map[string]any{
				"files": []any{"docs/more/c.md"},
				"entries": []any{map[string]any{"path": "docs/more/c.md", "name": "c.md", "stem": "c", "extension": "md", "folder": "docs/more",
					"size": 4, "modified": "2024-01-31T12:00:00Z", "is_folder": false, "executable": false}},
			},
		},
	}
}

func runListFiles(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
	root, err := c.Path("path")
	if err != nil {
		return nodetype.Outcome{}, err
	}
	doing := "list " + quote(c.Text("path"))
	l, err := newLister(ctx, c)
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
	if c.Permit(root, true) != nil { // something below is denied
		l.permits = func(path string) error { return c.Permit(path, false) }
	}
	if err := l.walk(root, nil); err != nil {
		return nodetype.Outcome{}, fileFault(doing, err)
	}
	files, entries := []any{}, []any{}
	all := l.sorted(c.Text("sort"), c.Flag("descending"))
	for _, e := range all[min(l.skip, len(all)):] {
		if l.limit > 0 && len(files) == l.limit {
			break
		}
		entry := e.value(c.Text("path"), c.Now)
		files, entries = append(files, entry["path"]), append(entries, entry)
	}
	out := nodetype.Outcome{Outputs: map[string]any{"files": files, "entries": entries}}
	if l.closed != "" {
		out.Warnings = append(out.Warnings, "list-files left out a folder that cannot be read: "+quote(l.closed))
	}
	if l.denied != nil {
		out.Warnings = append(out.Warnings, "list-files left out what the settings turn off: "+l.denied.Error())
	}
	return out, nil
}
