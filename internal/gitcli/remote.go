package gitcli

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"pflow/internal/fault"
)

// remote runs a call that goes to another repository, by ssh without questions.
func (g *Git) remote(ctx context.Context, args ...string) (Result, error) {
	command := g.SSH
	if command == "" {
		var err error
		if command, err = g.Setting(ctx, "core.sshCommand"); err != nil {
			return Result{}, err
		}
	}
	return g.call(ctx, remote, "", []string{"GIT_SSH_COMMAND=" + batch(command)}, args...)
}

// SSHCommand is the command for ssh that an environment names: as a command line, or as the path of a program.
func SSHCommand(env []string) (command string) {
	for _, v := range env {
		if s, ok := strings.CutPrefix(v, "GIT_SSH_COMMAND="); ok && s != "" {
			return s
		}
		if s, ok := strings.CutPrefix(v, "GIT_SSH="); ok && s != "" {
			command = "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
		}
	}
	return command
}

// batch makes a command for ssh one that asks nothing. Only OpenSSH's own is known to take the options.
func batch(command string) string {
	if command == "" {
		command = "ssh"
	}
	program, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	if path.Base(strings.TrimSuffix(strings.Trim(program, `'"`), ".exe")) != "ssh" {
		return command
	}
	return command + " -o BatchMode=yes -o ConnectTimeout=30"
}

// RefUpdate is a branch or tag that moved.
type RefUpdate struct {
	Ref      string // refs/heads/main
	Status   string // new, updated, forced, deleted, up_to_date, rejected
	From, To string // commits; "" for none
	Why      string // of one that was rejected
}

// Value is the update as a value of a workflow.
func (u RefUpdate) Value() map[string]any {
	return map[string]any{"ref": u.Ref, "status": u.Status, "from": u.From, "to": u.To}
}

// refs are all branches and tags, those of remotes too, and what they stand for.
func (g *Git) refs(ctx context.Context) (map[string]string, error) {
	out, err := g.read(ctx, "for-each-ref", "--format=%(objectname) %(refname)")
	refs := map[string]string{}
	for l := range strings.Lines(out) {
		sha, name, _ := strings.Cut(line(l), " ")
		if !strings.HasPrefix(name, "refs/remotes/") || !strings.HasSuffix(name, "/HEAD") { // which only names another one
			refs[name] = sha
		}
	}
	return refs, err
}

func changed(before, after map[string]string) []RefUpdate {
	out := []RefUpdate{}
	for name, sha := range after {
		switch old := before[name]; {
		case old == "":
			out = append(out, RefUpdate{Ref: text(name), Status: "new", To: sha})
		case old != sha:
			out = append(out, RefUpdate{Ref: text(name), Status: "updated", From: old, To: sha})
		}
	}
	for name, sha := range before {
		if after[name] == "" {
			out = append(out, RefUpdate{Ref: text(name), Status: "deleted", From: sha})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Ref < out[j].Ref })
	return out
}

// PushOptions say what is pushed: a branch (the one that is checked out), and with Tags all tags; with Tag that tag alone.
type PushOptions struct {
	Remote, Branch, Tag string
	Tags                bool
	SetUpstream         bool
	Force               bool // replace the remote's branch, if it is as it was when it was last fetched
}

// Push is what was pushed.
type Push struct {
	Remote, Branch string
	Refs           []RefUpdate
}

// Changed reports whether anything at the remote is another one now.
func (p *Push) Changed() bool {
	return slices.ContainsFunc(p.Refs, func(u RefUpdate) bool { return u.Status != "up_to_date" })
}

// Push sends commits to a remote.
func (g *Git) Push(ctx context.Context, o PushOptions) (*Push, error) {
	current, err := g.Branch(ctx)
	if err != nil {
		return nil, err
	}
	p := &Push{Branch: o.Branch}
	args := []string{"push", "--porcelain"}
	var specs []string
	switch {
	case o.Tag != "" && (o.Branch != "" || o.Tags || o.SetUpstream):
		return nil, told(fault.InvalidRequest, "bad_range", "tag pushes that tag alone; leave out branch, tags and set_upstream beside it")
	case o.Tag != "":
		if err := checkRevision(o.Tag); err != nil {
			return nil, err
		}
		if there, err := g.has(ctx, "refs/tags/"+o.Tag); err != nil {
			return nil, err
		} else if !there {
			return nil, told(fault.NotFound, "unknown_ref", "there is no tag %s here; make it with git-tag", strconv.Quote(o.Tag))
		}
		specs = []string{"refs/tags/" + o.Tag}
	default:
		if p.Branch == "" {
			p.Branch = current
		}
		if p.Branch == "" {
			return nil, told(fault.InvalidRequest, "no_branch", "no branch is checked out; give the branch to push")
		}
		if err := g.knownBranch(ctx, p.Branch); err != nil {
			return nil, err
		}
		if _, err := g.Commit(ctx, "refs/heads/"+p.Branch); err != nil {
			return nil, told(fault.NotFound, "no_commits", "the branch %s has no commit yet; make one with git-commit", strconv.Quote(p.Branch))
		}
		specs = []string{"refs/heads/" + p.Branch + ":refs/heads/" + p.Branch}
	}
	if p.Remote, err = g.remoteOf(ctx, o.Remote, p.Branch); err != nil {
		return nil, err
	}
	if o.Tags {
		args = append(args, "--tags")
	}
	if o.SetUpstream {
		args = append(args, "--set-upstream")
	}
	if o.Force {
		if err := g.needs(ctx, 1, 8, 5, "force"); err != nil {
			return nil, err
		}
		args = append(args, "--force-with-lease")
	}
	r, err := g.remote(ctx, append(append(args, p.Remote), specs...)...)
	if err != nil {
		return nil, err
	}
	p.Refs = pushed(r.Stdout)
	var refused []string
	why := ""
	for _, u := range p.Refs {
		if u.Status == "rejected" {
			refused, why = append(refused, shortRef(u.Ref)), u.Why
		}
	}
	switch {
	case len(refused) > 0:
		e := about(g.failed(fault.ExitStatus, "rejected", r, "%s refused %s %s; nothing of it was replaced; get its commits with git-pull (or git-fetch and git-merge) and push again", strconv.Quote(p.Remote), some(refused), why), nil)
		delete(e.Details, "files")
		refs := make([]any, len(p.Refs))
		for i, u := range p.Refs {
			refs[i] = u.Value()
		}
		e.Details["refs"] = refs
		return nil, e
	case r.Code != 0:
		return nil, g.remoteFailed(r, "push to "+strconv.Quote(p.Remote))
	}
	return p, nil
}

var pushStatuses = map[string]string{" ": "updated", "+": "forced", "-": "deleted", "*": "new", "!": "rejected", "=": "up_to_date"}

var shaRange = regexp.MustCompile(`^([0-9a-f]+)\.\.\.?([0-9a-f]+)$`)

// pushed reads --porcelain: FLAG \t FROM:TO \t SUMMARY (REASON).
func pushed(printed string) []RefUpdate {
	out := []RefUpdate{}
	for l := range strings.Lines(printed) {
		f := strings.SplitN(line(l), "\t", 3)
		if len(f) != 3 || pushStatuses[f[0]] == "" {
			continue
		}
		_, to, _ := strings.Cut(f[1], ":")
		u := RefUpdate{Ref: text(to), Status: pushStatuses[f[0]]}
		summary, _, _ := strings.Cut(f[2], " ")
		if m := shaRange.FindStringSubmatch(summary); m != nil {
			u.From, u.To = m[1], m[2]
		}
		if at := strings.LastIndex(f[2], "("); u.Status == "rejected" && at >= 0 {
			u.Why = f[2][at:]
		}
		out = append(out, u)
	}
	return out
}

// helper is an address that names the program to reach it: ext::sh -c … .
var helper = regexp.MustCompile(`^[A-Za-z0-9+.-]*::`)

// Clone copies a repository into a folder that is not there yet, or empty; depth is how many commits, 0 for all. The folder
// appears when it is complete. It gives the branch and the commit that are checked out.
func Clone(ctx context.Context, p Program, address, dest, branch string, depth int) (*Git, error) {
	switch {
	case strings.TrimSpace(address) == "" || strings.HasPrefix(address, "-") || helper.MatchString(address) || strings.ContainsRune(address, 0):
		return nil, told(fault.InvalidRequest, "bad_url", "%s is no address of a repository; give one such as https://github.com/OWNER/NAME.git, or a folder", strconv.Quote(Address(address)))
	case depth < 0:
		return nil, told(fault.InvalidRequest, "bad_depth", "depth is %d; give how many commits to have, or leave it out for all", depth)
	}
	if branch != "" {
		if err := checkRevision(branch); err != nil {
			return nil, err
		}
	}
	if list, err := os.ReadDir(dest); err == nil && len(list) > 0 {
		return nil, told(fault.InvalidRequest, "exists", "the folder %s is there and not empty; choose another dest_path", strconv.Quote(dest))
	} else if _, there := os.Lstat(dest); there == nil && err != nil {
		return nil, told(fault.InvalidRequest, "exists", "%s is there and no folder; choose another dest_path", strconv.Quote(dest))
	}
	parent := filepath.Dir(dest)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return nil, fault.New(fault.Permission, "cannot make the folder %s: %v", strconv.Quote(parent), err)
	}
	temp, err := os.MkdirTemp(parent, ".pflow-clone-*")
	if err != nil {
		return nil, fault.New(fault.Permission, "cannot make a folder in %s: %v", strconv.Quote(parent), err)
	}
	defer os.RemoveAll(temp)
	g := &Git{Program: p, Dir: parent}
	at := filepath.Join(temp, filepath.Base(dest))
	args := []string{"clone", "-q"}
	if depth > 0 {
		args = append(args, "--depth", strconv.Itoa(depth))
		if filepath.IsAbs(address) {
			address = "file://" + filepath.ToSlash(address) // of a plain path git copies everything, whatever the depth
		}
	}
	if branch != "" {
		args = append(args, "--branch", branch)
	}
	r, err := g.remote(ctx, append(args, "--", address, at)...)
	if err == nil && r.Code != 0 {
		err = g.remoteFailed(r, "clone "+strconv.Quote(Address(address)))
	}
	if err != nil {
		return nil, err
	}
	if err := os.Remove(dest); err != nil && !os.IsNotExist(err) {
		return nil, fault.New(fault.InvalidRequest, "cannot put the clone at %s: %v", strconv.Quote(dest), err)
	}
	if err := os.Rename(at, dest); err != nil {
		return nil, fault.New(fault.Permission, "cannot put the clone at %s: %v", strconv.Quote(dest), err)
	}
	return Open(ctx, p, dest)
}

// credentials are what an address tells of who asks.
var credentials = regexp.MustCompile(`(https?|ftps?)://[^/@\s]+@`)

// Address is the address of a repository, or a text with some, as it may be shown: without a password or token.
func Address(given string) string { return credentials.ReplaceAllString(given, "$1://xxxxx@") }
