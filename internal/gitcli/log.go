package gitcli

import (
	"context"
	"strings"
	"time"

	"pflow/internal/fault"
)

// LogOptions say which commits Log lists; what is zero does not narrow.
type LogOptions struct {
	From, To     string // commits that are in To (HEAD) and not in From
	SinceLastTag bool   // From is the nearest tag before To; all commits if there is none
	Since, Until string // a date, in ISO form or in words; Since may be a revision, which is then From
	Author, Grep string // found in the author's name or address, and in the message, in any case of letters
	Paths        []string
	NoMerges     bool
	Files        bool // list the files of each commit
	Limit        int
	Now          time.Time // which words such as yesterday count from
}

// Log is a list of commits, the newest first.
type Log struct {
	Commits []Commit
	From    string // what it begins behind, "" if with the first commit
	More    bool   // there are more than Limit
}

// Commit is one commit.
type Commit struct {
	SHA, Short    string
	Author, Email string
	Date          time.Time // when it was written
	Subject, Body string
	Tags          []string
	Files         []File // nil: they were not asked for
}

const logFormat = "tformat:%H%x00%h%x00%aN%x00%aE%x00%ai%x00%s%x00%b"

// Log lists commits. Of a repository without any it is empty.
func (g *Git) Log(ctx context.Context, o LogOptions) (*Log, error) {
	l := &Log{}
	if o.To == "" {
		o.To = "HEAD"
		if head, err := g.resolve(ctx, "HEAD"); err != nil || head == "" && o.From == "" {
			return l, err
		}
	}
	to, err := g.Commit(ctx, o.To)
	if err != nil {
		return nil, err
	}
	if o.SinceLastTag {
		if o.From != "" || o.Since != "" {
			return nil, told(fault.InvalidRequest, "bad_range", "since_last_tag stands beside from or since; give one of them")
		}
		if o.From, err = g.lastTag(ctx, to); err != nil {
			return nil, err
		}
		if o.From != "" {
			l.From, o.From = o.From, "refs/tags/"+o.From
		}
	}
	if o.Since != "" && o.From == "" && checkRevision(o.Since) == nil {
		sha, err := g.resolve(ctx, o.Since)
		if err != nil {
			return nil, err
		}
		if sha != "" {
			o.From, o.Since = o.Since, ""
		}
	}
	args := []string{"log", "-z", "--no-color", "--no-ext-diff", "--no-textconv", "--format=" + logFormat}
	if o.Limit > 0 {
		args = append(args, "-n", itoa(o.Limit+1))
	}
	if o.NoMerges {
		args = append(args, "--no-merges")
	}
	if o.Author != "" || o.Grep != "" {
		args = append(args, "--fixed-strings", "--regexp-ignore-case")
	}
	if o.Author != "" {
		args = append(args, "--author="+o.Author)
	}
	if o.Grep != "" {
		args = append(args, "--grep="+o.Grep)
	}
	for _, bound := range []struct {
		option, key, value string
		until              bool
	}{{"--since", "since", o.Since, false}, {"--until", "until", o.Until, true}} {
		if bound.value == "" {
			continue
		}
		at, err := instant(ctx, bound.key, bound.value, bound.until, o.Now)
		if err != nil {
			return nil, err
		}
		args = append(args, bound.option+"="+at.UTC().Format("2006-01-02 15:04:05 +0000"))
	}
	args = append(args, to)
	if o.From != "" {
		from, err := g.Commit(ctx, o.From)
		if err != nil {
			return nil, err
		}
		if l.From == "" {
			l.From = o.From
		}
		args = append(args, "^"+from)
	}
	paths, env, err := g.pathArgs(ctx, o.Paths)
	if err != nil {
		return nil, err
	}
	r, err := g.call(ctx, reading, "", env, append(append(args, "--"), paths...)...)
	if err == nil && r.Code != 0 {
		err = g.failed(fault.ExitStatus, "failed", r, "git log failed")
	}
	if err != nil {
		return nil, err
	}
	if l.Commits, err = g.commits(ctx, r.Stdout); err != nil {
		return nil, err
	}
	if o.Limit > 0 && len(l.Commits) > o.Limit {
		l.Commits, l.More = l.Commits[:o.Limit], true
	}
	if o.Files {
		err = g.files(ctx, l.Commits)
	}
	return l, err
}

// commits reads what git log prints in logFormat.
func (g *Git) commits(ctx context.Context, printed string) ([]Commit, error) {
	list := fields(printed)
	if len(list) == 0 {
		return nil, nil
	}
	tags, err := g.tagsByCommit(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Commit, 0, len(list)/7)
	for ; len(list) >= 7; list = list[7:] {
		date, _ := time.Parse("2006-01-02 15:04:05 -0700", list[4]) // a commit may hold nonsense: the zero time
		out = append(out, Commit{
			SHA: list[0], Short: list[1], Author: text(list[2]), Email: text(list[3]), Date: date,
			Subject: text(list[5]), Body: text(strings.TrimRight(list[6], "\n")), Tags: tags[list[0]],
		})
	}
	return out, nil
}

// files fills in the files of commits; a merge has none of its own.
func (g *Git) files(ctx context.Context, commits []Commit) error {
	prefix, err := g.Prefix(ctx)
	if err != nil {
		return err
	}
	var names strings.Builder
	at := map[string]*Commit{}
	for i := range commits {
		names.WriteString(commits[i].SHA + "\n")
		at[commits[i].SHA] = &commits[i]
		commits[i].Files = []File{}
	}
	r, err := g.call(ctx, reading, names.String(), nil, "diff-tree", "--stdin", "-z", "-r", "-M", "--root", "--no-ext-diff", "--no-textconv", "--name-status")
	if err == nil && r.Code != 0 {
		err = g.failed(fault.ExitStatus, "failed", r, "git diff-tree failed")
	}
	if err != nil {
		return err
	}
	list := fields(r.Stdout)
	var in *Commit
	for len(list) > 0 {
		if c, ok := at[list[0]]; ok {
			in, list = c, list[1:]
			continue
		}
		f, rest, ok := nameStatus(list, prefix)
		if !ok || in == nil {
			return fault.New(fault.Malformed, "git diff-tree printed what cannot be read")
		}
		in.Files, list = append(in.Files, f), rest
	}
	return nil
}

// Value is the commit as a value of a workflow.
func (c Commit) Value() map[string]any {
	v := map[string]any{
		"sha": c.SHA, "short_sha": c.Short, "author": c.Author, "email": c.Email, "date": c.Date.Format(time.RFC3339),
		"subject": c.Subject, "body": c.Body, "tags": Texts(c.Tags),
	}
	if c.Files != nil {
		v["files"] = FileValues(c.Files)
	}
	return v
}

// Texts are names as a value of a workflow.
func Texts(names []string) []any {
	out := make([]any, len(names))
	for i, n := range names {
		out[i] = n
	}
	return out
}

// Message is the whole message.
func (c Commit) Message() string {
	if c.Body == "" {
		return c.Subject
	}
	return c.Subject + "\n\n" + c.Body
}
