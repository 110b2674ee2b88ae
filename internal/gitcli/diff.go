package gitcli

import (
	"context"
	"strconv"
	"strings"

	"pflow/internal/fault"
)

// DiffOptions say what is compared: From with To; From (or, without it, what is staged) with the files; or, with Staged,
// the last commit with what is staged.
type DiffOptions struct {
	From, To string
	Staged   bool
	Paths    []string
	Stat     bool // a summary in place of the patch
	Limit    int  // bytes of text that are kept
}

// Diff is a comparison.
type Diff struct {
	Text  string
	Cut   bool
	Files []File
}

// File is a file of a comparison or a commit.
type File struct {
	Path, From     string // From: what it was renamed or copied from
	Status         string // added, modified, deleted, renamed, copied, type_changed, unmerged
	Added, Deleted int    // lines
	Binary         bool
	Counted        bool // Added, Deleted and Binary are known
}

// same are options that make comparisons come out alike whatever the configuration says, and that run no program.
var same = []string{"--no-color", "--no-ext-diff", "--no-textconv", "-M", "--ignore-submodules=dirty", "--submodule=short"}

// Diff compares.
func (g *Git) Diff(ctx context.Context, o DiffOptions) (*Diff, error) {
	base := append([]string{"diff"}, same...)
	switch {
	case o.To != "" && o.From == "":
		return nil, told(fault.InvalidRequest, "bad_range", "to needs from beside it: which commit is it compared with?")
	case o.Staged && o.To != "":
		return nil, told(fault.InvalidRequest, "bad_range", "staged compares with what is staged, to with a commit; give one of them")
	case o.Staged:
		base = append(base, "--cached")
	}
	if o.To == "" {
		if _, err := g.Top(ctx); err != nil {
			return nil, err
		}
		if err := g.withoutFilters(ctx); err != nil {
			return nil, err
		}
	}
	for _, rev := range []string{o.From, o.To} {
		if rev != "" {
			sha, err := g.Commit(ctx, rev)
			if err != nil {
				return nil, err
			}
			base = append(base, sha)
		}
	}
	paths, env, err := g.pathArgs(ctx, o.Paths)
	if err != nil {
		return nil, err
	}
	run := func(limit int, options ...string) (Result, error) {
		args := append(append(append(base[:1+len(same):1+len(same)], options...), base[1+len(same):]...), "--")
		r, err := g.limited(ctx, reading, limit, "", env, append(args, paths...)...)
		if err == nil && r.Code != 0 {
			err = g.failed(fault.ExitStatus, "failed", r, "git diff failed")
		}
		return r, err
	}
	names, err := run(0, "-z", "--name-status")
	if err != nil {
		return nil, err
	}
	counts, err := run(0, "-z", "--numstat")
	if err != nil {
		return nil, err
	}
	prefix, err := g.Prefix(ctx)
	if err != nil {
		return nil, err
	}
	d := &Diff{}
	for rest := fields(names.Stdout); len(rest) > 0; {
		f, after, ok := nameStatus(rest, prefix)
		if !ok {
			return nil, fault.New(fault.Malformed, "git diff printed what cannot be read")
		}
		d.Files, rest = append(d.Files, f), after
	}
	count(d.Files, counts.Stdout, prefix)
	form := []string{"--patch", "--src-prefix=a/", "--dst-prefix=b/", "-U3"}
	if o.Stat {
		form = []string{"--stat=100"}
	}
	r, err := run(o.Limit, form...)
	if err != nil {
		return nil, err
	}
	d.Text, d.Cut = text(r.Stdout), r.Cut
	return d, nil
}

var statuses = map[byte]string{'A': "added", 'M': "modified", 'D': "deleted", 'R': "renamed", 'C': "copied", 'T': "type_changed", 'U': "unmerged"}

// nameStatus reads one file of --name-status -z.
func nameStatus(list []string, prefix string) (f File, rest []string, ok bool) {
	if len(list) < 2 || list[0] == "" || statuses[list[0][0]] == "" {
		return f, nil, false
	}
	f = File{Status: statuses[list[0][0]], Path: here(prefix, list[1])}
	rest = list[2:]
	if f.Status == "renamed" || f.Status == "copied" {
		if len(list) < 3 {
			return f, nil, false
		}
		f.From, f.Path, rest = f.Path, here(prefix, list[2]), list[3:]
	}
	return f, rest, true
}

// count fills in the lines of --numstat -z: "ADDED\tDELETED\tPATH", of a rename with an empty path and two more fields.
func count(files []File, printed, prefix string) {
	at := map[string]*File{}
	for i := range files {
		if files[i].Status != "unmerged" || at[files[i].Path] == nil {
			at[files[i].Path] = &files[i]
		}
	}
	list := fields(printed)
	for i := 0; i < len(list); i++ {
		parts := strings.SplitN(list[i], "\t", 3)
		if len(parts) != 3 {
			continue
		}
		name := parts[2]
		if name == "" && i+2 < len(list) {
			name = list[i+2]
			i += 2
		}
		f := at[here(prefix, name)]
		if f == nil {
			continue
		}
		f.Counted, f.Binary = true, parts[0] == "-"
		f.Added, _ = strconv.Atoi(parts[0])
		f.Deleted, _ = strconv.Atoi(parts[1])
	}
}

// FileValues are files as values of a workflow.
func FileValues(files []File) []any {
	out := make([]any, len(files))
	for i, f := range files {
		v := map[string]any{"path": f.Path, "status": f.Status, "renamed_from": f.From}
		if f.Counted {
			v["added"], v["deleted"], v["binary"] = f.Added, f.Deleted, f.Binary
		}
		out[i] = v
	}
	return out
}

func itoa(n int) string { return strconv.Itoa(n) }
