package gitcli

import (
	"context"
	"strconv"
	"strings"
)

// Status is the state of a working tree.
type Status struct {
	Branch, Upstream string // "" if there is none
	Ahead, Behind    int
	Files            []Change
}

// Change is a file that is not as in the last commit. Index and Worktree are git's letters: M, A, D, R, C, T, U, ? or "".
type Change struct {
	Path, From      string // From: what it was renamed or copied from
	Index, Worktree string
}

// Untracked reports whether git does not know the file.
func (c Change) Untracked() bool { return c.Worktree == "?" }

// Staged reports whether the next commit holds a change of it.
func (c Change) Staged() bool { return c.Index != "" && c.Index != "U" && !c.Conflicted() }

// Conflicted reports whether a merge left it open.
func (c Change) Conflicted() bool {
	return c.Index == "U" || c.Worktree == "U" || c.Index == "A" && c.Worktree == "A" || c.Index == "D" && c.Worktree == "D"
}

// Status looks at the working tree. Paths count from the folder.
func (g *Git) Status(ctx context.Context) (*Status, error) {
	s := &Status{}
	var err error
	if s.Branch, err = g.Branch(ctx); err != nil {
		return nil, err
	}
	up, err := g.upstream(ctx, s.Branch)
	if err != nil {
		return nil, err
	}
	if up != "" {
		s.Upstream = shortRef(up)
		out, err := g.read(ctx, "rev-list", "--left-right", "--count", "refs/heads/"+s.Branch+"..."+up, "--")
		if err != nil {
			return nil, err
		}
		if counts := strings.Fields(out); len(counts) == 2 {
			s.Ahead, _ = strconv.Atoi(counts[0])
			s.Behind, _ = strconv.Atoi(counts[1])
		}
	}
	s.Files, err = g.changes(ctx)
	return s, err
}

// changes lists the files that are not as in the last commit.
func (g *Git) changes(ctx context.Context) (out []Change, err error) {
	if _, err := g.Top(ctx); err != nil {
		return nil, err
	}
	if err := g.withoutFilters(ctx); err != nil {
		return nil, err
	}
	prefix, err := g.Prefix(ctx)
	if err != nil {
		return nil, err
	}
	printed, err := g.read(ctx, "status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=dirty")
	if err != nil {
		return nil, err
	}
	list := fields(printed)
	for i := 0; i < len(list); i++ {
		if len(list[i]) < 4 {
			continue
		}
		letter := func(n int) string { return strings.Trim(list[i][n:n+1], " ") }
		c := Change{Index: letter(0), Worktree: letter(1), Path: here(prefix, list[i][3:])}
		if c.Worktree == "?" {
			c.Index = ""
		}
		if c.Index == "!" {
			continue
		}
		if strings.ContainsAny(c.Index+c.Worktree, "RC") && i+1 < len(list) {
			i++
			c.From = here(prefix, list[i])
		}
		out = append(out, c)
	}
	return out, nil
}

// Value is the status as a value of a workflow.
func (s *Status) Value() map[string]any {
	files := make([]any, len(s.Files))
	for i, c := range s.Files {
		files[i] = map[string]any{
			"path": c.Path, "index": c.Index, "worktree": c.Worktree, "staged": c.Staged(), "untracked": c.Untracked(),
			"conflicted": c.Conflicted(), "renamed_from": c.From,
		}
	}
	return map[string]any{
		"branch": s.Branch, "upstream": s.Upstream, "ahead": s.Ahead, "behind": s.Behind, "clean": len(s.Files) == 0, "files": files,
	}
}

// Paths lists the files of a status that are so.
func (s *Status) Paths(so func(Change) bool) []any {
	out := []any{}
	for _, c := range s.Files {
		if so(c) {
			out = append(out, c.Path)
		}
	}
	return out
}
