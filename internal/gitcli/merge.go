package gitcli

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"pflow/internal/fault"
)

// Merge is how a merge ended.
type Merge struct {
	SHA         string // of the commit that is checked out now
	Changed     bool   // false: there was nothing to merge
	FastForward bool   // the branch was moved on, no commit was made
}

// Merge merges a branch, tag or commit into what is checked out. ff is auto, only or never. Where files conflict the merge
// is taken back, and the error names them.
func (g *Git) Merge(ctx context.Context, ref, ff, message string) (*Merge, error) {
	if _, err := g.Top(ctx); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(g.gitDir, "MERGE_HEAD")); err == nil {
		return nil, told(fault.InvalidRequest, "merging", "a merge is under way; end it with git-commit, or take it back with: git merge --abort")
	}
	sha, err := g.Commit(ctx, ref)
	if err != nil {
		return nil, err
	}
	head, err := g.Commit(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	if ff != "only" {
		if err := g.identity(ctx, "GIT_COMMITTER_IDENT"); err != nil {
			return nil, err
		}
	}
	if message == "" {
		message = "Merge " + strconv.Quote(ref)
		if branch, err := g.has(ctx, "refs/heads/"+ref); err != nil {
			return nil, err
		} else if branch {
			message = "Merge branch '" + ref + "'"
		}
	}
	args := []string{"merge", "-q", "--no-edit", "-m", message}
	switch ff {
	case "only":
		args = []string{"merge", "-q", "--ff-only"}
		if ahead, err := g.read(ctx, "rev-list", "-n", "1", head, "^"+sha, "--"); err != nil {
			return nil, err
		} else if behind, err := g.read(ctx, "rev-list", "-n", "1", sha, "^"+head, "--"); err != nil {
			return nil, err
		} else if ahead != "" && behind != "" {
			return nil, told(fault.InvalidRequest, "diverged", "the current branch has commits that %s has not, so it cannot just be moved on; merge with git-merge", strconv.Quote(shortRef(ref)))
		}
	case "never":
		args = append(args, "--no-ff")
	}
	r, err := g.call(ctx, writing, "", nil, append(args, sha)...)
	if err != nil {
		// It may have been ended half-way: what it began is taken back in any case.
		g.abort(context.WithoutCancel(ctx))
		return nil, err
	}
	if r.Code != 0 {
		open, err := g.unmerged(ctx)
		if err != nil {
			return nil, err
		}
		if back := g.abort(ctx); back != nil {
			return nil, back
		}
		if len(open) == 0 {
			return nil, g.inTheWay(ctx, r, sha, "cannot merge "+strconv.Quote(shortRef(ref)))
		}
		return nil, about(g.failed(fault.ExitStatus, "conflict", r, "%s and the current branch both change %s; the merge was taken back, so nothing is half done; merge by hand", strconv.Quote(shortRef(ref)), some(open)), open)
	}
	m := &Merge{}
	if m.SHA, err = g.Commit(ctx, "HEAD"); err != nil {
		return nil, err
	}
	m.Changed, m.FastForward = m.SHA != head, m.SHA == sha && m.SHA != head
	return m, nil
}

// abort takes back a merge that is under way, if one is.
func (g *Git) abort(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(g.gitDir, "MERGE_HEAD")); err != nil {
		return nil
	}
	r, err := g.call(ctx, writing, "", nil, "merge", "--abort")
	if err == nil && r.Code != 0 {
		err = g.failed(fault.ExitStatus, "half_done", r, "the merge failed and could not be taken back; look at git-status")
	}
	return err
}

// Fetch brings the branches and tags of a remote up to date here, and lists what moved.
func (g *Git) Fetch(ctx context.Context, name string, prune bool) (where string, moved []RefUpdate, err error) {
	branch, err := g.Branch(ctx)
	if err != nil {
		return "", nil, err
	}
	if where, err = g.remoteOf(ctx, name, branch); err != nil {
		return "", nil, err
	}
	before, err := g.refs(ctx)
	if err != nil {
		return "", nil, err
	}
	args := []string{"fetch", "-q"}
	if prune {
		args = append(args, "--prune")
	}
	r, err := g.remote(ctx, append(args, where)...)
	if err == nil && r.Code != 0 {
		err = g.remoteFailed(r, "fetch from "+strconv.Quote(where))
	}
	if err != nil {
		return "", nil, err
	}
	after, err := g.refs(ctx)
	if err != nil {
		return "", nil, err
	}
	return where, changed(before, after), nil
}

// Pull fetches, and moves the branch that is checked out on to what it follows. It makes no merge.
func (g *Git) Pull(ctx context.Context, name string) (*Merge, error) {
	branch, err := g.Branch(ctx)
	if err != nil {
		return nil, err
	}
	if branch == "" {
		return nil, told(fault.InvalidRequest, "no_branch", "no branch is checked out, so there is none to pull into; check one out first")
	}
	where, _, err := g.Fetch(ctx, name, false)
	if err != nil {
		return nil, err
	}
	up, err := g.upstream(ctx, branch)
	if err != nil {
		return nil, err
	}
	if up == "" || !strings.HasPrefix(up, "refs/remotes/"+where+"/") {
		up = "refs/remotes/" + where + "/" + branch
	}
	if there, err := g.has(ctx, up); err != nil {
		return nil, err
	} else if !there {
		return nil, told(fault.NotFound, "unknown_ref", "%s has no branch %s", where, strconv.Quote(branch))
	}
	return g.Merge(ctx, up, "only", "")
}
