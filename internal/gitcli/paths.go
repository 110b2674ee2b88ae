package gitcli

import (
	"context"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"pflow/internal/fault"
)

// pathArgs are paths as git is given them: relative to the folder, so that none is read as an option or as a pattern; env is
// to be set for the call. A path is that of a file, or of a folder with all below it.
func (g *Git) pathArgs(ctx context.Context, paths []string) (args, env []string, err error) {
	special := false
	for _, p := range paths {
		switch {
		case p == "":
			return nil, nil, told(fault.InvalidRequest, "bad_path", "paths holds an empty path; give files or folders of the repository")
		case strings.ContainsRune(p, 0):
			return nil, nil, told(fault.InvalidRequest, "bad_path", "paths holds %s, with a NUL character, which no path can have", strconv.Quote(p))
		}
		special = special || strings.ContainsAny(p, `*?[\`)
		if filepath.IsAbs(p) {
			if p, err = g.relative(ctx, p); err != nil {
				return nil, nil, err
			}
		}
		if outside, err := g.outside(ctx, p); err != nil {
			return nil, nil, err
		} else if outside {
			return nil, nil, told(fault.InvalidRequest, "outside", "%s is outside of the repository; give paths in it", strconv.Quote(p))
		}
		args = append(args, "./"+filepath.ToSlash(p)) // not as :(magic), and not as -option
	}
	if special {
		if err := g.needs(ctx, 1, 8, 2, "a path with one of *?[\\"); err != nil {
			return nil, nil, err
		}
		env = []string{"GIT_LITERAL_PATHSPECS=1"}
	}
	return args, env, nil
}

// relative makes an absolute path one that counts from the folder.
func (g *Git) relative(ctx context.Context, p string) (string, error) {
	dir := g.Dir
	if dir == "" {
		dir = "."
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fault.New(fault.Failure, "cannot find the working directory: %v", err)
	}
	if rel, err := filepath.Rel(dir, p); err == nil {
		return rel, nil
	}
	return "", told(fault.InvalidRequest, "outside", "%s is outside of the repository; give paths in it", strconv.Quote(p))
}

// outside reports whether a path relative to the folder leads out of the working tree.
func (g *Git) outside(ctx context.Context, p string) (bool, error) {
	prefix, err := g.Prefix(ctx)
	if err != nil {
		return false, err
	}
	full := filepath.Join(filepath.FromSlash(prefix), p)
	return full == ".." || strings.HasPrefix(full, ".."+string(filepath.Separator)), nil
}

// Prefix is the way from the top of the working tree to the folder: "" or one that ends with a slash.
func (g *Git) Prefix(ctx context.Context) (string, error) {
	if g.prefix == nil {
		s, err := g.read(ctx, "rev-parse", "--show-prefix")
		if err != nil {
			return "", err
		}
		s = line(s)
		g.prefix = &s
	}
	return *g.prefix, nil
}

// here gives a path of the repository as it counts from the folder, which is what pathArgs takes.
func here(prefix, p string) string {
	p = text(p)
	if prefix == "" {
		return p
	}
	rel, err := filepath.Rel(filepath.FromSlash(prefix), filepath.FromSlash(p))
	if err != nil {
		return p
	}
	rel = filepath.ToSlash(rel)
	if strings.HasSuffix(p, "/") {
		rel += "/"
	}
	return rel
}

// text is what git prints as a value: bytes that are not UTF-8 become U+FFFD.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

var versionNumber = regexp.MustCompile(`\d+(\.\d+)*`)

// needs refuses what the git there is cannot do.
func (g *Git) needs(ctx context.Context, major, minor, patch int, what string) error {
	s, err := g.read(ctx, "version")
	if err != nil {
		return err
	}
	parts := append(strings.Split(versionNumber.FindString(s), "."), "0", "0", "0")
	for i, want := range []int{major, minor, patch} {
		has, _ := strconv.Atoi(parts[i])
		if has != want {
			if has < want {
				return told(fault.InvalidRequest, "old_git", "%s needs git %d.%d.%d or later, and this is %s; get a newer one from https://git-scm.com/downloads", what, major, minor, patch, line(s))
			}
			return nil
		}
	}
	return nil
}

// clean is a path of pathArgs as it counts from the top.
func clean(prefix, p string) string { return path.Join(prefix, p) }
