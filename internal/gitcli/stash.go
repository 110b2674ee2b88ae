package gitcli

import (
	"context"
	"os"
	"path/filepath"

	"pflow/internal/fault"
)

// Stash puts changes aside: the files become those of the last commit. It lists their paths, and gives the name of the commit
// that keeps them, "" if there was nothing.
func (g *Git) Stash(ctx context.Context, message string, untracked bool) (sha string, files []string, err error) {
	top, err := g.AtTop(ctx)
	if err != nil {
		return "", nil, err
	}
	if _, err := g.Commit(ctx, "HEAD"); err != nil {
		return "", nil, err
	}
	open, err := g.unmerged(ctx)
	if err != nil {
		return "", nil, err
	}
	if len(open) > 0 {
		return "", nil, about(told(fault.InvalidRequest, "unmerged", "a merge left conflicts in %s; settle them first", some(open)), open)
	}
	changes, err := g.changes(ctx)
	if err != nil {
		return "", nil, err
	}
	for _, c := range changes {
		if untracked || !c.Untracked() {
			files = append(files, c.Path)
		}
	}
	if len(files) == 0 {
		return "", nil, nil
	}
	args := []string{"stash", "save", "-q"} // push is there since 2.13
	if untracked {
		args = append(args, "--include-untracked")
	}
	if message != "" {
		args = append(args, "--", message)
	}
	if _, err := top.write(ctx, "", nil, args...); err != nil {
		return "", nil, err
	}
	sha, err = g.Commit(ctx, "refs/stash")
	return sha, files, err
}

// StashPop brings back what was put aside last, and lists the paths. The files that git knows must be as they were
// committed; where it cannot be brought back they stay so, and it stays aside.
func (g *Git) StashPop(ctx context.Context) ([]string, error) {
	top, err := g.AtTop(ctx)
	if err != nil {
		return nil, err
	}
	if there, err := g.has(ctx, "refs/stash"); err != nil {
		return nil, err
	} else if !there {
		return nil, told(fault.NotFound, "no_stash", "nothing was put aside with git-stash")
	}
	before, err := top.changes(ctx)
	if err != nil {
		return nil, err
	}
	own := map[string]bool{} // new files that are there already
	var dirty []string
	for _, c := range before {
		own[c.Path] = true
		if !c.Untracked() {
			dirty = append(dirty, c.Path)
		}
	}
	if len(dirty) > 0 {
		return nil, about(told(fault.InvalidRequest, "dirty", "there are changes in %s; commit or restore them first", some(dirty)), dirty)
	}
	r, err := top.call(ctx, writing, "", nil, "stash", "pop", "-q")
	if err != nil || r.Code != 0 {
		back := top.takeBack(context.WithoutCancel(ctx), own)
		switch {
		case err != nil:
			return nil, err
		case back != nil:
			return nil, back
		}
		return nil, g.failed(fault.ExitStatus, "conflict", r, "what was put aside does not fit the files as they are now; it stays aside, and the files are as before")
	}
	after, err := g.changes(ctx)
	if err != nil {
		return nil, err
	}
	prefix, err := g.Prefix(ctx)
	files := []string{}
	for _, c := range after {
		if !own[clean(prefix, c.Path)] {
			files = append(files, c.Path)
		}
	}
	return files, err
}

// takeBack makes the files those of the last commit, and deletes the new ones that were not there before. g is at the top.
func (g *Git) takeBack(ctx context.Context, own map[string]bool) error {
	if _, err := g.write(ctx, "", nil, "reset", "-q", "--hard"); err != nil {
		return err
	}
	left, err := g.changes(ctx)
	if err != nil {
		return err
	}
	for _, c := range left {
		if c.Untracked() && !own[c.Path] {
			os.Remove(filepath.Join(g.Dir, c.Path)) // the stash keeps it
		}
	}
	return nil
}
