package nodes

import (
	"context"
	"strconv"

	"pflow/internal/nodetype"
	"pflow/internal/textmatch"
	"pflow/internal/value"
	"pflow/ir"
)

// replaceText replaces what a pattern matches, in a text or in files.
func replaceText() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "replace-text",
			Description: "Replaces or substitutes text, in a text or in files, which are changed where they are.",
			Inputs:      textPorts("The files to change, such as [notes.txt]; or give text."),
			Params: append(patternPorts(),
				ir.Port{Key: "replacement", Type: value.String, Required: true, Description: "What takes its place, nothing if it is empty. With regex $1 is the first group, $0 the match and $$ a dollar."},
				ir.Port{Key: "first", Type: value.Boolean, Default: false, Description: "Replace only the first in the text, or in each file."},
				ir.Port{Key: "overwrite", Type: value.Boolean, Default: false, Description: "Change files that are there. Otherwise only those that this workflow wrote, and nobody changed since, are changed; any other is an error."},
			),
			Outputs: []ir.Port{
				{Key: "text", Type: value.String, Description: "The new text; null where files were changed."},
				{Key: "changed", Type: value.Array, Structure: ir.MustStructure([]any{map[string]any{"path": "string", "replacements": "integer"}}),
					Description: "The files that were changed, and how often; a file in which nothing was found stays as it is."},
				{Key: "count", Type: value.Integer, Description: "How often something was replaced."},
			},
			Effects: []ir.Effect{ir.Reads, ir.Writes},
		},
		From:    []string{"paths"},
		Check:   checkTextMatch,
		Foresee: foreseeReplaceText,
		Run:     runReplaceText,
		Example: nodetype.Example{
			Files:   map[string]string{"a.txt": "Dear all,\r\nall is well.\r\n", "b.txt": "Bye.\n"},
			Params:  map[string]any{"paths": []any{"a.txt", "b.txt"}, "pattern": "^dear (\\w+)", "regex": true, "ignore_case": true, "replacement": "Hello $1", "overwrite": true},
			Outputs: map[string]any{"text": nil, "changed": []any{map[string]any{"path": "a.txt", "replacements": 1}}, "count": 1},
			Want:    map[string]string{"a.txt": "Hello all,\r\nall is well.\r\n", "b.txt": "Bye.\n"},
		},
	}
}

func runReplaceText(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
	paths, inText, err := textOrPaths(c)
	if err != nil {
		return nodetype.Outcome{}, err
	}
	outputs := map[string]any{"text": nil, "changed": []any{}, "count": 0}
	if inText {
		pattern, with, err := replacing(c)
		if err != nil {
			return nodetype.Outcome{}, err
		}
		edits, err := pattern.Edits(c.Text("text"), with, c.Flag("first"))
		outputs["text"], outputs["count"] = textmatch.Apply(c.Text("text"), edits), len(edits)
		return nodetype.Outcome{Outputs: outputs}, err
	}
	// All files are looked at before the first is changed: one that cannot be is found while all are as they were.
	err = eachTextFile(ctx, c, paths, func(t *textFile) error {
		if !c.Flag("overwrite") && (c.Files == nil || !c.Files.May(realPath(t.path))) {
			return inPlaceFault("replace text in "+quote(t.given), t.given)
		}
		return nil
	})
	if err != nil {
		return nodetype.Outcome{}, err
	}
	changed, count := []any{}, 0
	err = eachTextFile(ctx, c, paths, func(t *textFile) error {
		if err := t.write(ctx, c); err != nil {
			return err
		}
		changed = append(changed, map[string]any{"path": t.given, "replacements": len(t.edits)})
		count += len(t.edits)
		return nil
	})
	outputs["changed"], outputs["count"] = changed, count
	return nodetype.Outcome{Outputs: outputs}, err
}

// What is shown of changes before they are made.
const (
	shownOfFile  = 6
	shownOfFiles = 40
)

// foreseeReplaceText names the files that would change, and shows what would in them.
func foreseeReplaceText(c nodetype.Call, pending []string) (seen nodetype.Foreseen) {
	overwrite := c.Flag("overwrite") || isPending(pending, "overwrite")
	paths, inText, err := textOrPaths(c)
	if inText && !isPending(pending, "paths") || err != nil {
		return seen // it changes no file, or fails
	}
	for _, key := range []string{"paths", "pattern", "regex", "ignore_case", "replacement", "first"} {
		if isPending(pending, key) {
			if overwrite {
				seen.Destroys = "it may replace text in files that are there"
			}
			return seen
		}
	}
	unshown := 0
	err = eachTextFile(context.Background(), c, paths, func(t *textFile) error {
		seen.Replaces = append(seen.Replaces, t.given)
		if real := realPath(t.path); overwrite || c.Files == nil || !c.Files.May(real) {
			seen.Needs = append(seen.Needs, real)
		}
		if len(seen.Changes) >= shownOfFiles {
			unshown++
			return nil
		}
		seen.Changes = append(seen.Changes, t.changes(shownOfFile)...)
		return nil
	})
	if err != nil {
		return nodetype.Foreseen{} // it fails before it changes anything
	}
	if unshown > 0 {
		seen.Changes = append(seen.Changes, "and in "+strconv.Itoa(unshown)+" more files")
	}
	if len(seen.Needs) > 0 {
		seen.Destroys = "it replaces text in " + seen.Replaces[0]
		if more := len(seen.Replaces) - 1; more > 0 {
			seen.Destroys += " and " + strconv.Itoa(more) + " more"
		}
	}
	return seen
}
