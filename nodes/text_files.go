package nodes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/internal/textmatch"
	"pflow/internal/value"
	"pflow/ir"
)

// textPorts are the inputs of what works on a text or on files.
func textPorts(files string) []ir.Port {
	return []ir.Port{
		{Key: "text", Type: value.String, Description: "The text; or give paths."},
		{Key: "paths", Type: value.Array, Structure: ir.MustStructure([]any{"string"}), Description: files},
	}
}

// patternPorts are the params that say what is looked for.
func patternPorts() []ir.Port {
	return []ir.Port{
		{Key: "pattern", Type: value.String, Required: true, Description: "What to look for: text as it stands, or with regex an expression."},
		{Key: "regex", Type: value.Boolean, Default: false, Description: "The pattern is a regular expression (RE2); ^ and $ stand for the begin and the end of a line."},
		{Key: "ignore_case", Type: value.Boolean, Default: false, Description: "Capital and small letters are alike."},
		{Key: "whole_words", Type: value.Boolean, Default: false, Description: "Only where no letter, digit or underscore stands beside it: cat, and not concat."},
	}
}

// checkTextMatch looks at what the interfaces of find-text and replace-text cannot say.
func checkTextMatch(params map[string]any) (problems []ir.Problem) {
	if hasParam(params, "text") == hasParam(params, "paths") {
		problems = append(problems, ir.Problem{Message: "give text or paths, one of them"})
	}
	literal := func(key string) (string, bool) { // a param without a template, as it will be
		p, bad := ir.Compile(params[key])
		if bad != nil {
			return "", false
		}
		v, open := p.Partial(ir.Values{})
		text, ok := v.(string)
		return text, ok && len(open) == 0
	}
	source, ok := literal("pattern")
	if _, isFlag := params["regex"].(bool); !ok || params["regex"] != nil && !isFlag {
		return problems
	}
	regex := params["regex"] == true
	pattern, err := textmatch.Compile(source, textmatch.Options{Regex: regex})
	if err != nil {
		return append(problems, ir.Problem{Path: "pattern", Message: err.Error()})
	}
	if with, ok := literal("replacement"); ok {
		if _, err := pattern.Replacement(with, regex); err != nil {
			problems = append(problems, ir.Problem{Path: "replacement", Message: err.Error()})
		}
	}
	return problems
}

func hasParam(params map[string]any, key string) bool { return params[key] != nil }

// textOrPaths tells which of the two a call has.
func textOrPaths(c nodetype.Call) (paths []string, inText bool, err error) {
	if hasParam(c.Params, "text") == hasParam(c.Params, "paths") {
		return nil, false, fault.New(fault.InvalidRequest, "give text or paths, one of them")
	}
	paths, err = textsOf(c, "paths")
	return paths, hasParam(c.Params, "text"), err
}

// textFile is a file whose text is replaced.
type textFile struct {
	given, path string // path is where it really is
	mode        fs.FileMode
	text        string
	latin1      bool // its bytes are no UTF-8
	edits       []textmatch.Edit
}

// readText reads a file whose text is to be replaced.
func readText(c nodetype.Call, given string) (*textFile, error) {
	doing := "replace text in " + quote(given)
	path, err := c.At("paths", given)
	if err != nil {
		return nil, err
	}
	f, info, err := openRegular(path, doing, "list-files gives what is in it")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRead+1))
	if err != nil {
		return nil, fileFault(doing, err)
	}
	if len(data) > maxRead {
		return nil, fault.New(fault.InvalidRequest, "cannot %s: it is larger than %d MiB", doing, maxRead>>20)
	}
	t := &textFile{given: given, mode: info.Mode(), text: string(data)}
	if strings.IndexByte(t.text, 0) >= 0 {
		return nil, fault.New(fault.InvalidRequest, "cannot %s: it is no text; leave it out of paths", doing)
	}
	if t.text, err = decode(data, utf8Encoding, doing); err != nil {
		t.text, t.latin1 = textmatch.Latin1(data), true
	}
	t.path, _, err = target(path, doing, "")
	return t, err
}

// write puts the edits into the file, as a whole or not at all.
func (t *textFile) write(ctx context.Context, c nodetype.Call) error {
	doing := "replace text in " + quote(t.given)
	encoding := utf8Encoding
	if t.latin1 {
		encoding = latin1Encoding
	}
	data, err := encode(textmatch.Apply(t.text, t.edits), encoding, doing)
	if err != nil {
		return err
	}
	err = place(ctx, c, t.path, t.mode, c.Flag("overwrite"), func(f *os.File) error {
		_, err := f.WriteString(data)
		return err
	})
	if errors.Is(err, fs.ErrExist) {
		return inPlaceFault(doing, t.given)
	}
	return fileFault(doing, err)
}

func inPlaceFault(doing, given string) error {
	return fault.New(fault.InvalidRequest, "cannot %s: the file is changed where it is, and this workflow did not write it as it is now; set overwrite to true", doing)
}

// changes says what is replaced, for whoever is to approve it: the number, and the first lines.
func (t *textFile) changes(most int) []string {
	noun := "replacements"
	if len(t.edits) == 1 {
		noun = "replacement"
	}
	out := []string{fmt.Sprintf("%s: %d %s", t.given, len(t.edits), noun)}
	for _, l := range textmatch.Excerpt(t.text, t.edits, most) {
		out = append(out, "  "+l)
	}
	return out
}

// eachTextFile computes the edits of each file, and hands over those that change, each file once.
func eachTextFile(ctx context.Context, c nodetype.Call, paths []string, do func(*textFile) error) error {
	pattern, with, err := replacing(c)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, given := range paths {
		if err := ctx.Err(); err != nil {
			return err
		}
		t, err := readText(c, given)
		if err != nil {
			return err
		}
		real := realPath(t.path)
		if seen[real] {
			continue
		}
		seen[real] = true
		if t.edits, err = pattern.Edits(t.text, with, c.Flag("first")); err != nil {
			return err
		}
		t.edits = slices.DeleteFunc(t.edits, func(e textmatch.Edit) bool { return t.text[e.Start:e.End] == e.Text })
		if len(t.edits) == 0 {
			continue
		}
		if err := do(t); err != nil {
			return err
		}
	}
	return nil
}

// patternOf is what the patternPorts of a call say.
func patternOf(c nodetype.Call) (*textmatch.Pattern, error) {
	return textmatch.Compile(c.Text("pattern"), textmatch.Options{Regex: c.Flag("regex"), IgnoreCase: c.Flag("ignore_case"), WholeWords: c.Flag("whole_words")})
}

func replacing(c nodetype.Call) (*textmatch.Pattern, textmatch.Replacement, error) {
	pattern, err := patternOf(c)
	if err != nil {
		return nil, nil, err
	}
	with, err := pattern.Replacement(c.Text("replacement"), c.Flag("regex"))
	return pattern, with, err
}
