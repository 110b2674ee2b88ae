package gitcli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"pflow/internal/fault"
)

// Init makes a repository of a folder, with the name of its first branch. made is false if it was one.
func Init(ctx context.Context, p Program, dir, branch string) (g *Git, made bool, err error) {
	g = &Git{Program: p, Dir: dir}
	if err := g.CheckName(ctx, "branch", branch); err != nil {
		return nil, false, err
	}
	at := filepath.Join(dir, ".git")
	if dir == "" {
		at = ".git"
	}
	_, there := os.Lstat(at)
	if _, err := g.write(ctx, "", nil, "init", "-q"); err != nil {
		return nil, false, err
	}
	if errors.Is(there, fs.ErrNotExist) {
		if _, err := g.write(ctx, "", nil, "symbolic-ref", "HEAD", "refs/heads/"+branch); err != nil { // no option names it before 2.28
			return nil, false, err
		}
		made = true
	}
	g, err = Open(ctx, p, dir)
	return g, made, err
}

// Known lists the files, from the folder down, that git knows or that staging everything would take: not those that
// .gitignore names.
func (g *Git) Known(ctx context.Context) ([]string, error) {
	s, err := g.read(ctx, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	return fields(s), err
}

// Add stages files: what they hold now, and that they are gone. all stands for every file of the repository.
func (g *Git) Add(ctx context.Context, paths []string, all bool) error {
	if all == (len(paths) > 0) {
		return told(fault.InvalidRequest, "bad_paths", "give either paths, or all: true for every file")
	}
	if all {
		top, err := g.AtTop(ctx)
		if err != nil {
			return err
		}
		_, err = top.write(ctx, "", nil, "add", "-A")
		return err
	}
	return g.addPaths(ctx, paths)
}

func (g *Git) addPaths(ctx context.Context, paths []string) error {
	if _, err := g.Top(ctx); err != nil {
		return err
	}
	args, env, err := g.pathArgs(ctx, paths)
	if err != nil {
		return err
	}
	if err := g.known(ctx, paths, args, env); err != nil {
		return err
	}
	r, err := g.call(ctx, writing, "", env, append([]string{"add", "-A", "--"}, args...)...)
	if err == nil && r.Code != 0 {
		err = g.failed(fault.InvalidRequest, "not_added", r, "cannot stage %s; files that .gitignore names are not taken", some(paths))
	}
	return err
}

// known refuses a path where nothing is: no file, and none that the last commit or the index has.
func (g *Git) known(ctx context.Context, given, args, env []string) error {
	for i, p := range args {
		at := given[i]
		if !filepath.IsAbs(at) {
			at = filepath.Join(g.Dir, at)
		}
		if _, err := os.Lstat(at); err == nil {
			continue
		}
		r, err := g.call(ctx, reading, "", env, "ls-files", "-z", "--", p)
		if err != nil {
			return err
		}
		if r.Stdout == "" && !g.inHead(ctx, env, p) {
			return told(fault.NotFound, "unknown_path", "there is no file %s, neither in the folder nor in the repository", strconv.Quote(given[i]))
		}
	}
	return nil
}

func (g *Git) inHead(ctx context.Context, env []string, p string) bool {
	r, err := g.call(ctx, reading, "", env, "diff", "--cached", "--quiet", "--no-ext-diff", "--", p)
	return err == nil && r.Code == 1
}

// Unstage takes files out of the next commit and leaves them as they are. No paths stands for all.
func (g *Git) Unstage(ctx context.Context, paths []string) error {
	at := g
	if len(paths) == 0 {
		var err error
		if at, err = g.AtTop(ctx); err != nil {
			return err
		}
		paths = []string{"."}
	}
	args, env, err := at.pathArgs(ctx, paths)
	if err != nil {
		return err
	}
	if err := at.known(ctx, paths, args, env); err != nil {
		return err
	}
	head, err := at.resolve(ctx, "HEAD")
	if err != nil {
		return err
	}
	command := []string{"rm", "-r", "-q", "--cached", "--ignore-unmatch", "--"}
	if head != "" {
		command = []string{"reset", "-q", head, "--"}
	}
	r, err := at.call(ctx, writing, "", env, append(command, args...)...)
	if err == nil && r.Code > 1 { // before 1.8.2 reset has status 1 where changes are left
		err = at.failed(fault.ExitStatus, "failed", r, "cannot unstage %s", some(paths))
	}
	return err
}

// keepingIndex puts the index back to what it was if f fails: what was staged for a commit that was not made is not left
// behind. It does it as git does, by a lock that becomes the file.
func (g *Git) keepingIndex(f func() error) error {
	index := filepath.Join(g.gitDir, "index")
	before, there := os.ReadFile(index)
	err := f()
	if err == nil || there != nil && !errors.Is(there, fs.ErrNotExist) {
		return err
	}
	if there != nil {
		os.Remove(index)
		return err
	}
	lock, failed := os.OpenFile(index+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if failed != nil {
		return err // another git is at work: what it makes of the index is its own
	}
	_, failed = lock.Write(before)
	if failed = errors.Join(failed, lock.Close()); failed == nil {
		failed = os.Rename(index+".lock", index)
	}
	if failed != nil {
		os.Remove(index + ".lock")
	}
	return err
}
