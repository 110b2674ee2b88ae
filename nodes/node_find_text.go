package nodes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/textmatch"
	"pflow/internal/value"
	"pflow/ir"
)

// Bounds on what find-text gives: it becomes a value of the run.
const (
	maxFound      = 100_000
	maxFoundBytes = 64 << 20
)

// findText looks for a pattern, in a text or in files.
func findText() nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "find-text",
			Description: "Finds or searches text and the lines that hold it, in a text or in files (grep).",
			Inputs:      textPorts("The files to look into, such as [app.log] or ${list-files.files}; or give text."),
			Params: append(patternPorts(),
				ir.Port{Key: "invert", Type: value.Boolean, Default: false, Description: "Give the lines in which the pattern is not."},
				ir.Port{Key: "before", Type: value.Integer, Default: 0, Description: "How many lines before each match are given with it."},
				ir.Port{Key: "after", Type: value.Integer, Default: 0, Description: "How many lines after each match are given with it."},
				ir.Port{Key: "limit", Type: value.Integer, Description: "Give the first so many matches only; count counts all."},
			),
			Outputs: []ir.Port{
				{Key: "lines", Type: value.Array, Structure: ir.MustStructure([]any{"string"}), Description: "The lines that match, each once, in order."},
				{Key: "matches", Type: value.Array, Detail: true, Structure: ir.MustStructure([]any{map[string]any{
					"path": "string", "line": "integer", "column": "integer", "text": "string", "match": "string",
					"groups": []any{"string"}, "before": []any{"string"}, "after": []any{"string"}}}),
					Description: "Each match: the file (empty for a text), line and column from 1, the line as text, what matched, the groups of the expression, and the lines around it."},
				{Key: "count", Type: value.Integer, Description: "How many matches there are; with invert, how many lines."},
				{Key: "files", Type: value.Array, Structure: ir.MustStructure([]any{"string"}), Description: "The files in which something was found."},
			},
			Effects: []ir.Effect{ir.Reads, ir.Idempotent},
		},
		From:  []string{"paths"},
		Check: checkTextMatch,
		Run:   runFindText,
		Example: nodetype.Example{
			Files:  map[string]string{"app.log": "10:01 ok\n10:02 ERROR disk full\n10:03 ok\n", "old.log": "ok\n"},
			Params: map[string]any{"paths": []any{"app.log", "old.log"}, "pattern": "ERROR (.*)", "regex": true, "after": 1},
			Outputs: map[string]any{"lines": []any{"10:02 ERROR disk full"}, "count": 1, "files": []any{"app.log"},
				"matches": []any{map[string]any{"path": "app.log", "line": 2, "column": 7, "text": "10:02 ERROR disk full", "match": "ERROR disk full",
					"groups": []any{"disk full"}, "before": []any{}, "after": []any{"10:03 ok"}}}},
		},
	}
}

// finder gathers what find-text gives.
type finder struct {
	search  textmatch.Search
	limit   int // 0: none
	count   int
	bytes   int
	matches []any
	lines   []any
	files   []any
}

func runFindText(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
	paths, inText, err := textOrPaths(c)
	if err != nil {
		return nodetype.Outcome{}, err
	}
	f := &finder{matches: []any{}, lines: []any{}, files: []any{}}
	f.search.Invert = c.Flag("invert")
	if f.search.Pattern, err = patternOf(c); err != nil {
		return nodetype.Outcome{}, err
	}
	for _, bound := range []struct {
		key         string
		least, most int
		to          *int
	}{{"limit", 1, maxFound, &f.limit}, {"before", 0, 1000, &f.search.Before}, {"after", 0, 1000, &f.search.After}} {
		if n, ok := c.Params[bound.key].(int); ok {
			if n < bound.least || n > bound.most {
				return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "%s is %d; want %d to %d", bound.key, n, bound.least, bound.most)
			}
			*bound.to = n
		}
	}
	var out nodetype.Outcome
	if inText {
		if err = f.scan(ctx, "", strings.NewReader(c.Text("text"))); errors.Is(err, textmatch.ErrBinary) {
			err = fault.New(fault.InvalidRequest, "text holds a NUL character, which no text does")
		}
	} else {
		out.Warnings, err = f.inFiles(ctx, c, paths)
	}
	if err != nil {
		return nodetype.Outcome{}, err
	}
	out.Outputs = map[string]any{"matches": f.matches, "lines": f.lines, "count": f.count, "files": f.files}
	return out, nil
}

// inFiles looks into files. What is no text is left out, with a warning.
func (f *finder) inFiles(ctx context.Context, c nodetype.Call, paths []string) (warnings []string, err error) {
	var binary []string
	for _, path := range paths {
		at, err := c.At("paths", path)
		if err != nil {
			return nil, err
		}
		doing := "find text in " + quote(path)
		file, _, err := openRegular(at, doing, "list-files gives what is in it")
		if err != nil {
			return nil, err
		}
		before := *f
		err = f.scan(ctx, path, file)
		file.Close()
		if errors.Is(err, textmatch.ErrBinary) {
			*f = before
			binary = append(binary, quote(path))
		} else if err != nil {
			return nil, fileFault(doing, err)
		} else if f.count > before.count {
			f.files = append(f.files, path)
		}
	}
	if n := len(binary); n > 3 {
		binary = append(binary[:3], fmt.Sprintf("and %d more", n-3))
	}
	if len(binary) > 0 {
		warnings = append(warnings, "find-text left out what is no text: "+strings.Join(binary, ", "))
	}
	return warnings, nil
}

// scan looks into one text.
func (f *finder) scan(ctx context.Context, path string, r io.Reader) error {
	last := 0 // the line that was given last
	return f.search.Scan(ctx, r, func(m *textmatch.Match) error {
		f.count++
		if f.limit > 0 && len(f.matches) == f.limit {
			return nil
		}
		f.bytes += len(m.Text) + len(m.Match)
		for _, list := range [][]string{m.Before, m.After} {
			for _, l := range list {
				f.bytes += len(l)
			}
		}
		if len(f.matches) == maxFound || f.bytes > maxFoundBytes {
			return fault.New(fault.InvalidRequest, "more than %d matches, or %d MiB of them, were found; make pattern longer, or set limit", maxFound, maxFoundBytes>>20)
		}
		f.matches = append(f.matches, map[string]any{"path": path, "line": m.Line, "column": m.Column, "text": m.Text, "match": m.Match,
			"groups": plainList(m.Groups), "before": plainList(m.Before), "after": plainList(m.After)})
		if m.Line != last {
			f.lines = append(f.lines, m.Text)
			f.bytes += len(m.Text)
		}
		last = m.Line
		return nil
	})
}
