package gitcli

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"pflow/internal/fault"
)

// Branch is a branch of this repository.
type Branch struct {
	Name, SHA string
	Current   bool
	Upstream  string // what it follows, such as origin/main; "" if nothing
	Date      time.Time
	Subject   string // of its last commit
}

const branchFormat = "--format=%(refname)%00%(objectname)%00%(upstream)%00%(committerdate:iso)%00%(contents:subject)"

// Branches lists the branches, sorted by name.
func (g *Git) Branches(ctx context.Context) ([]Branch, error) {
	current, err := g.Branch(ctx)
	if err != nil {
		return nil, err
	}
	out, err := g.read(ctx, "for-each-ref", branchFormat, "refs/heads")
	if err != nil {
		return nil, err
	}
	var all []Branch
	for l := range strings.Lines(out) {
		f := strings.Split(line(l), "\x00")
		if len(f) != 5 {
			continue
		}
		name := strings.TrimPrefix(f[0], "refs/heads/")
		b := Branch{Name: text(name), SHA: f[1], Current: name == current, Upstream: text(shortRef(f[2])), Subject: text(f[4])}
		b.Date, _ = time.Parse("2006-01-02 15:04:05 -0700", f[3])
		all = append(all, b)
	}
	return all, nil
}

// Value is the branch as a value of a workflow.
func (b Branch) Value() map[string]any {
	return map[string]any{"name": b.Name, "commit_sha": b.SHA, "current": b.Current, "upstream": b.Upstream, "date": b.Date.Format(time.RFC3339), "subject": b.Subject}
}

// Checkout is where a checkout led.
type Checkout struct {
	Branch  string // "" for a commit that is no branch's
	SHA     string
	Before  string // the branch that was checked out, "" if none was
	Created bool
}

// Checkout makes the files those of a branch, a tag or a commit. create makes the branch first, at from (HEAD). A branch that
// only one remote has is made here, to follow it. Changes that would be lost stop it, and so do files that git ignores.
func (g *Git) Checkout(ctx context.Context, branch string, create bool, from string) (*Checkout, error) {
	if _, err := g.Top(ctx); err != nil {
		return nil, err
	}
	c := &Checkout{}
	var err error
	if c.Before, err = g.Branch(ctx); err != nil {
		return nil, err
	}
	args := []string{"checkout", "-q", "--no-overwrite-ignore"}
	to := ""
	switch {
	case create:
		if err := g.CheckName(ctx, "branch", branch); err != nil {
			return nil, err
		}
		if there, err := g.has(ctx, "refs/heads/"+branch); err != nil {
			return nil, err
		} else if there {
			return nil, told(fault.InvalidRequest, "branch_exists", "there is a branch %s already; leave out create to check it out", strconv.Quote(branch))
		}
		c.Created = true
		args = append(args, "-b", branch)
		if from != "" {
			if to, err = g.Commit(ctx, from); err != nil {
				return nil, err
			}
			args = append(args, to)
		}
	case from != "":
		return nil, told(fault.InvalidRequest, "bad_range", "from says where a new branch begins; set create to true beside it")
	default:
		if to, args, err = g.checkoutOf(ctx, branch, args, c); err != nil {
			return nil, err
		}
	}
	r, err := g.call(ctx, writing, "", nil, append(args, "--")...)
	if err != nil {
		return nil, err
	}
	if r.Code != 0 {
		return nil, g.inTheWay(ctx, r, to, "cannot check out "+strconv.Quote(branch))
	}
	if c.Branch, err = g.Branch(ctx); err != nil {
		return nil, err
	}
	c.SHA, err = g.resolve(ctx, "HEAD")
	return c, err
}

// checkoutOf finds what a name stands for: a branch here, one of a remote, or a commit.
func (g *Git) checkoutOf(ctx context.Context, name string, args []string, c *Checkout) (to string, all []string, err error) {
	if err := checkRevision(name); err != nil {
		return "", nil, err
	}
	if there, err := g.has(ctx, "refs/heads/"+name); err != nil || there {
		return "refs/heads/" + name, append(args, name), err
	}
	refs, err := g.read(ctx, "for-each-ref", "--format=%(refname)", "refs/remotes")
	if err != nil {
		return "", nil, err
	}
	var remotes []string
	for ref := range strings.Lines(refs) {
		ref = line(ref)
		if _, branch, ok := strings.Cut(strings.TrimPrefix(ref, "refs/remotes/"), "/"); ok && branch == name && name != "HEAD" {
			remotes = append(remotes, ref)
		}
	}
	switch len(remotes) {
	case 0:
		sha, err := g.Commit(ctx, name)
		return sha, append(args, "--detach", sha), err
	case 1:
		c.Created = true
		return remotes[0], append(args, "--track", "-b", name, remotes[0]), nil
	}
	return "", nil, told(fault.InvalidRequest, "which_remote", "%s is a branch of several remotes; create it with from set to one of %s", strconv.Quote(name), some(shortAll(remotes)))
}

func shortAll(refs []string) (out []string) {
	for _, r := range refs {
		out = append(out, shortRef(r))
	}
	return out
}

// inTheWay is the error of a change of files that git refused: it names the files that would have lost something.
func (g *Git) inTheWay(ctx context.Context, r Result, to, doing string) error {
	var lost []string
	if to != "" {
		changes, err := g.changes(ctx)
		if err != nil {
			return err
		}
		prefix, err := g.Prefix(ctx)
		if err != nil {
			return err
		}
		args := []string{"diff", "-z", "--name-only", "--no-ext-diff", "--no-renames"}
		if head, err := g.resolve(ctx, "HEAD"); err != nil {
			return err
		} else if head != "" {
			if printed, err := g.read(ctx, append(args, head, to, "--")...); err == nil {
				for _, name := range fields(printed) {
					name = here(prefix, name)
					if slices.ContainsFunc(changes, func(c Change) bool { return c.Path == name || c.From == name }) {
						lost = append(lost, name)
					}
				}
			}
		}
	}
	if len(lost) == 0 {
		return g.failed(fault.ExitStatus, "not_checked_out", r, "%s; the files are as before", doing)
	}
	return about(g.failed(fault.ExitStatus, "would_overwrite", r, "%s: changes in %s would be lost; commit or stash them first; the files are as before", doing, some(lost)), lost)
}

// RenameBranch gives a branch another name; "" is the one that is checked out.
func (g *Git) RenameBranch(ctx context.Context, name, newName string) (from string, err error) {
	if name == "" {
		if name, err = g.Branch(ctx); err != nil {
			return "", err
		}
		if name == "" {
			return "", told(fault.InvalidRequest, "no_branch", "no branch is checked out; give the branch to rename")
		}
	}
	if err := g.CheckName(ctx, "branch", newName); err != nil {
		return "", err
	}
	if there, err := g.has(ctx, "refs/heads/"+newName); err != nil {
		return "", err
	} else if there && name != newName {
		return "", told(fault.InvalidRequest, "branch_exists", "there is a branch %s already; choose another name", strconv.Quote(newName))
	}
	if err := g.knownBranch(ctx, name); err != nil {
		return "", err
	}
	_, err = g.write(ctx, "", nil, "branch", "-m", "--", name, newName)
	return name, err
}

func (g *Git) knownBranch(ctx context.Context, name string) error {
	if err := checkRevision(name); err != nil {
		return err
	}
	current, err := g.Branch(ctx)
	if err != nil || current == name { // it may have no commit yet
		return err
	}
	there, err := g.has(ctx, "refs/heads/"+name)
	if err == nil && !there {
		err = told(fault.NotFound, "unknown_ref", "there is no branch %s here; look at git-branches", strconv.Quote(name))
	}
	return err
}

// DeleteBranch deletes a branch and gives the commit it was at. Without force it must be merged into the one that is checked
// out.
func (g *Git) DeleteBranch(ctx context.Context, name string, force bool) (sha string, err error) {
	if err := g.knownBranch(ctx, name); err != nil {
		return "", err
	}
	current, err := g.Branch(ctx)
	if err != nil {
		return "", err
	}
	if current == name {
		return "", told(fault.InvalidRequest, "checked_out", "%s is checked out; check out another branch first", strconv.Quote(name))
	}
	if sha, err = g.Commit(ctx, "refs/heads/"+name); err != nil {
		return "", err
	}
	if merged, err := g.Merged(ctx, name); err != nil {
		return "", err
	} else if !merged && !force {
		return "", told(fault.InvalidRequest, "not_merged", "%s has commits that the current branch has not: they would be lost; merge it first, or set force to true", strconv.Quote(name))
	}
	_, err = g.write(ctx, "", nil, "branch", "-D", "--", name)
	return sha, err
}

// Merged reports whether all of a branch is in what is checked out.
func (g *Git) Merged(ctx context.Context, name string) (bool, error) {
	sha, err := g.Commit(ctx, "refs/heads/"+name)
	if err != nil {
		return false, err
	}
	head, err := g.resolve(ctx, "HEAD")
	if err != nil || head == "" {
		return false, err
	}
	out, err := g.read(ctx, "rev-list", "-n", "1", sha, "^"+head, "--")
	return err == nil && out == "", err
}
