package gitcli

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"pflow/internal/fault"
)

// CommitOptions say what a commit holds: what is staged; Paths alone; with All whatever changed of the files that git
// knows; with AddAll new files too.
type CommitOptions struct {
	Message     string
	Paths       []string
	All, AddAll bool
	Amend       bool // replace the last commit; an empty Message keeps its own
	AllowEmpty  bool // also without any change
}

// Commit makes a commit. Where there is nothing to commit it is nil; where it fails, what is staged is as before.
func (g *Git) MakeCommit(ctx context.Context, o CommitOptions) (made *Commit, err error) {
	kinds := 0
	for _, on := range []bool{len(o.Paths) > 0, o.All, o.AddAll} {
		if on {
			kinds++
		}
	}
	if kinds > 1 {
		return nil, told(fault.InvalidRequest, "bad_paths", "paths, all and add_all each say what is committed; give one of them")
	}
	if strings.TrimSpace(o.Message) == "" && !o.Amend {
		return nil, told(fault.InvalidRequest, "no_message", "message is empty: say what the commit does")
	}
	top, err := g.AtTop(ctx)
	if err != nil {
		return nil, err
	}
	for _, who := range []string{"GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"} {
		if err := g.identity(ctx, who); err != nil {
			return nil, err
		}
	}
	if open, err := g.unmerged(ctx); err != nil {
		return nil, err
	} else if len(open) > 0 {
		return nil, about(told(fault.InvalidRequest, "unmerged", "a merge left conflicts in %s; settle them and stage the files with git-add first", some(open)), open)
	}
	err = g.keepingIndex(func() error {
		switch {
		case len(o.Paths) > 0:
			err = g.addPaths(ctx, o.Paths)
		case o.All:
			_, err = top.write(ctx, "", nil, "add", "-u")
		case o.AddAll:
			_, err = top.write(ctx, "", nil, "add", "-A")
		}
		if err != nil {
			return err
		}
		made, err = g.commitStaged(ctx, o)
		return err
	})
	return made, err
}

func (g *Git) commitStaged(ctx context.Context, o CommitOptions) (*Commit, error) {
	head, err := g.resolve(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	if o.Amend && head == "" {
		return nil, told(fault.NotFound, "no_commits", "there is no commit to amend")
	}
	paths, env, err := g.pathArgs(ctx, o.Paths)
	if err != nil {
		return nil, err
	}
	if !o.AllowEmpty && !o.Amend {
		something, err := g.staged(ctx, head, paths, env)
		if err != nil || !something {
			return nil, err
		}
	}
	args := []string{"commit", "-q", "--cleanup=whitespace", "--no-status"}
	if o.Amend {
		args = append(args, "--amend")
	}
	if strings.TrimSpace(o.Message) != "" {
		args = append(args, "-F", "-")
	} else {
		args = append(args, "--no-edit")
	}
	if o.AllowEmpty || o.Amend {
		args = append(args, "--allow-empty")
	}
	if len(paths) > 0 {
		args = append(append(args, "--only", "--"), paths...)
	}
	r, err := g.call(ctx, writing, o.Message, env, args...)
	if err == nil && r.Code != 0 {
		err = g.failed(fault.ExitStatus, "not_committed", r, "nothing was committed: git, or a hook of the repository, refused")
	}
	if err != nil {
		return nil, err
	}
	return g.Show(ctx, "HEAD")
}

// staged reports whether the next commit would hold a change, or end a merge.
func (g *Git) staged(ctx context.Context, head string, paths, env []string) (bool, error) {
	if _, err := os.Stat(filepath.Join(g.gitDir, "MERGE_HEAD")); err == nil {
		return true, nil
	}
	if head == "" {
		r, err := g.call(ctx, reading, "", env, append([]string{"ls-files", "-z", "--"}, paths...)...)
		return r.Stdout != "", err
	}
	r, err := g.call(ctx, reading, "", env, append([]string{"diff", "--cached", "--quiet", "--no-ext-diff", "--ignore-submodules=none", head, "--"}, paths...)...)
	if err == nil && r.Code > 1 {
		err = g.failed(fault.ExitStatus, "failed", r, "git diff failed")
	}
	return r.Code == 1, err
}

// NothingToCommit is the error of a commit without a change.
func NothingToCommit() error {
	return told(fault.InvalidRequest, "nothing_to_commit", "there is nothing to commit: no change is staged; stage files with git-add, give paths, all or add_all, or set when_nothing to skip")
}

// unmerged lists the files with conflicts.
func (g *Git) unmerged(ctx context.Context) ([]string, error) {
	prefix, err := g.Prefix(ctx)
	if err != nil {
		return nil, err
	}
	out, err := g.read(ctx, "ls-files", "-u", "-z", "--full-name", "--", g.topPath(prefix))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range fields(out) { // MODE SHA STAGE\tPATH, once for each side
		_, name, _ := strings.Cut(f, "\t")
		if name = here(prefix, name); len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	return names, nil
}

// topPath is the top of the working tree as it counts from the folder.
func (g *Git) topPath(prefix string) string {
	return "./" + strings.Repeat("../", strings.Count(prefix, "/"))
}

// identity checks that git knows who commits.
func (g *Git) identity(ctx context.Context, who string) error {
	r, err := g.call(ctx, reading, "", nil, "var", who)
	if err == nil && r.Code != 0 {
		err = g.failed(fault.InvalidRequest, "no_identity", r, "git does not know who you are; tell it with: git config --global user.name NAME, and: git config --global user.email ADDRESS")
	}
	return err
}

// Show gives one commit with its files.
func (g *Git) Show(ctx context.Context, ref string) (*Commit, error) {
	sha, err := g.Commit(ctx, ref)
	if err != nil {
		return nil, err
	}
	out, err := g.read(ctx, "log", "-z", "-n", "1", "--no-color", "--no-ext-diff", "--no-textconv", "--format="+logFormat, sha, "--")
	if err != nil {
		return nil, err
	}
	commits, err := g.commits(ctx, out)
	if err != nil || len(commits) != 1 {
		return nil, err
	}
	return &commits[0], g.files(ctx, commits)
}
