package gitcli

import (
	"context"
	"strconv"
	"strings"
	"unicode"

	"pflow/internal/fault"
)

// Commit resolves a revision (a branch, a tag, a commit, HEAD~2 and so on) to the full name of its commit.
func (g *Git) Commit(ctx context.Context, rev string) (string, error) {
	sha, err := g.resolve(ctx, rev)
	if err == nil && sha == "" {
		if rev == "HEAD" {
			return "", told(fault.NotFound, "no_commits", "the repository has no commit yet; make one with git-commit")
		}
		return "", told(fault.NotFound, "unknown_ref", "there is no branch, tag or commit %s here; look at git-branches and git-tags, or git-fetch first", strconv.Quote(rev))
	}
	return sha, err
}

// resolve is Commit, where "" stands for what is not there.
func (g *Git) resolve(ctx context.Context, rev string) (string, error) {
	if err := checkRevision(rev); err != nil {
		return "", err
	}
	r, err := g.call(ctx, reading, "", nil, "rev-parse", "-q", "--verify", rev+"^{commit}")
	if err != nil || r.Code != 0 {
		return "", err
	}
	return line(r.Stdout), nil
}

func checkRevision(rev string) error {
	switch {
	case rev == "":
		return told(fault.InvalidRequest, "bad_ref", "the name of a branch, tag or commit is empty")
	case strings.HasPrefix(rev, "-"), strings.HasPrefix(rev, "^"), strings.Contains(rev, ".."), strings.ContainsFunc(rev, unicode.IsControl):
		return told(fault.InvalidRequest, "bad_ref", "%s names no single branch, tag or commit", strconv.Quote(rev))
	}
	return nil
}

// CheckName refuses what cannot be the name of a branch or tag.
func (g *Git) CheckName(ctx context.Context, what, name string) error {
	ok := name != "" && name != "HEAD" && !strings.HasPrefix(name, "-") && !strings.ContainsFunc(name, unicode.IsControl)
	if ok {
		var err error
		if ok, err = g.holds(ctx, "check-ref-format", "refs/heads/"+name); err != nil {
			return err
		}
	}
	if !ok {
		return told(fault.InvalidRequest, "bad_name", "%s is no name of a %s: use letters, digits, - _ . and /, and begin with a letter or digit", strconv.Quote(name), what)
	}
	return nil
}

// Branch is the branch that is checked out, "" if none is (a detached HEAD).
func (g *Git) Branch(ctx context.Context) (string, error) {
	r, err := g.call(ctx, reading, "", nil, "symbolic-ref", "-q", "HEAD")
	if err != nil || r.Code != 0 {
		return "", err
	}
	return strings.TrimPrefix(line(r.Stdout), "refs/heads/"), nil
}

// has reports whether a ref of this full name is there.
func (g *Git) has(ctx context.Context, ref string) (bool, error) {
	return g.holds(ctx, "show-ref", "-q", "--verify", ref)
}

// Setting is a value of the configuration, "" if it is not set.
func (g *Git) Setting(ctx context.Context, key string) (string, error) {
	r, err := g.call(ctx, reading, "", nil, "config", "-z", "--get", key)
	if err != nil || r.Code != 0 {
		return "", err
	}
	return strings.TrimSuffix(r.Stdout, "\x00"), nil
}

// upstream is the full name of the ref that a branch follows, "" if it follows none that is here.
func (g *Git) upstream(ctx context.Context, branch string) (string, error) {
	if branch == "" {
		return "", nil
	}
	out, err := g.read(ctx, "for-each-ref", "--format=%(refname)%00%(upstream)", "refs/heads/"+branch)
	if err != nil {
		return "", err
	}
	for l := range strings.Lines(out) { // of a branch a, those below a/ too
		if name, up, ok := strings.Cut(line(l), "\x00"); ok && name == "refs/heads/"+branch {
			if there, err := g.has(ctx, up); up == "" || err != nil || !there {
				return "", err
			}
			return up, nil
		}
	}
	return "", nil
}

// shortRef is a ref without refs/heads/ and the like.
func shortRef(ref string) string {
	for _, p := range []string{"refs/heads/", "refs/remotes/", "refs/tags/"} {
		if s, ok := strings.CutPrefix(ref, p); ok {
			return s
		}
	}
	return ref
}

// remoteOf is the remote to use where none is given: the one that the branch follows, origin, or the only one.
func (g *Git) remoteOf(ctx context.Context, given, branch string) (string, error) {
	out, err := g.read(ctx, "remote")
	if err != nil {
		return "", err
	}
	remotes := strings.Fields(out)
	if given != "" {
		for _, r := range remotes {
			if r == given && !strings.HasPrefix(given, "-") {
				return given, nil
			}
		}
		return "", told(fault.NotFound, "unknown_remote", "there is no remote %s; there is %s", strconv.Quote(given), orNone(remotes))
	}
	if branch != "" {
		follows, err := g.Setting(ctx, "branch."+branch+".remote")
		if err != nil {
			return "", err
		}
		if follows != "" && follows != "." {
			return g.remoteOf(ctx, follows, "")
		}
	}
	for _, r := range remotes {
		if r == "origin" || len(remotes) == 1 && !strings.HasPrefix(r, "-") {
			return r, nil
		}
	}
	if len(remotes) == 0 {
		return "", told(fault.NotFound, "no_remote", "the repository has no remote; add one with: git remote add origin ADDRESS")
	}
	return "", told(fault.InvalidRequest, "which_remote", "the repository has several remotes; give one of %s as remote", strings.Join(remotes, ", "))
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
