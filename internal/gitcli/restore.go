package gitcli

import (
	"context"
	"strconv"

	"pflow/internal/fault"
)

// Discards lists the files below the paths whose changes a Restore throws away.
func (g *Git) Discards(ctx context.Context, paths []string, ref string) ([]string, error) {
	if len(paths) == 0 {
		return nil, told(fault.InvalidRequest, "bad_paths", "paths is empty: name the files whose changes are thrown away")
	}
	args, env, err := g.pathArgs(ctx, paths)
	if err != nil {
		return nil, err
	}
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
	sha, err := g.Commit(ctx, orHead(ref))
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var out []string
	for _, kind := range [][]string{{}, {"--cached"}} {
		command := append([]string{"diff", "-z", "--name-only", "--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=all"}, kind...)
		r, err := g.call(ctx, reading, "", env, append(append(command, sha, "--"), args...)...)
		if err == nil && r.Code != 0 {
			err = g.failed(fault.ExitStatus, "failed", r, "git diff failed")
		}
		if err != nil {
			return nil, err
		}
		for _, name := range fields(r.Stdout) {
			if name = here(prefix, name); !seen[name] {
				seen[name] = true
				out = append(out, name)
			}
		}
	}
	return out, nil
}

// Restore makes files those of a commit (HEAD), staged and unstaged changes thrown away, and lists those that it changed.
// Files that the commit does not have are left alone.
func (g *Git) Restore(ctx context.Context, paths []string, ref string) ([]string, error) {
	changed, err := g.Discards(ctx, paths, ref)
	if err != nil {
		return nil, err
	}
	sha, err := g.Commit(ctx, orHead(ref))
	if err != nil {
		return nil, err
	}
	args, env, err := g.pathArgs(ctx, paths)
	if err != nil {
		return nil, err
	}
	for i, p := range args {
		r, err := g.call(ctx, reading, "", env, "ls-tree", "-z", "--name-only", sha, "--", p)
		if err != nil {
			return nil, err
		}
		if p != "./." && r.Stdout == "" {
			return nil, told(fault.NotFound, "unknown_path", "%s is not in %s, so there is nothing to restore it from", strconv.Quote(paths[i]), orHead(ref))
		}
	}
	r, err := g.call(ctx, writing, "", env, append([]string{"checkout", "-q", sha, "--"}, args...)...)
	if err == nil && r.Code != 0 {
		err = g.failed(fault.ExitStatus, "failed", r, "cannot restore %s", some(paths))
	}
	if err != nil {
		return nil, err
	}
	after, err := g.Discards(ctx, paths, ref)
	left := map[string]bool{}
	for _, name := range after {
		left[name] = true
	}
	out := []string{}
	for _, name := range changed {
		if !left[name] {
			out = append(out, name)
		}
	}
	return out, err
}

func orHead(ref string) string {
	if ref == "" {
		return "HEAD"
	}
	return ref
}

// FileAt gives a file as a commit has it; cut tells that it is longer than limit bytes.
func (g *Git) FileAt(ctx context.Context, path, ref string, limit int) (content string, cut bool, err error) {
	sha, err := g.Commit(ctx, orHead(ref))
	if err != nil {
		return "", false, err
	}
	args, _, err := g.pathArgs(ctx, []string{path})
	if err != nil {
		return "", false, err
	}
	prefix, err := g.Prefix(ctx)
	if err != nil {
		return "", false, err
	}
	at := sha + ":" + clean(prefix, args[0])
	if r, err := g.call(ctx, reading, "", nil, "cat-file", "-e", at); err != nil {
		return "", false, err
	} else if r.Code != 0 {
		return "", false, g.failed(fault.NotFound, "unknown_path", r, "there is no file %s in %s", strconv.Quote(path), orHead(ref))
	}
	r, err := g.limited(ctx, reading, limit, "", nil, "cat-file", "blob", at)
	if err == nil && r.Code != 0 {
		err = g.failed(fault.InvalidRequest, "no_file", r, "%s is no file in %s", strconv.Quote(path), orHead(ref))
	}
	return r.Stdout, r.Cut, err
}
