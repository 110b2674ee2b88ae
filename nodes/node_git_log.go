package nodes

import (
	"context"
	"strings"

	"pflow/internal/gitcli"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// Bounds on git-log: the list becomes a value of the run.
const (
	defaultCommits = 1000
	maxCommits     = 100_000
)

// What git-log gives as its result.
const (
	giveCommits  = "commits"
	giveSubjects = "subjects"
	giveMessages = "messages"
	giveCount    = "count"
)

// gitLog lists commits.
func gitLog(d Deps) nodetype.Type {
	return gitType(d, &ir.Interface{
		Name:        "git-log",
		Description: "Lists the commits of a git repository, the newest first: all, of some days, or since the latest tag.",
		Params: []ir.Port{
			{Key: "since", Type: value.String, Description: "Only commits from this date on (2026-01-31, 2 weeks ago, last month), or those after this tag, branch or commit."},
			{Key: "until", Type: value.String, Description: "Only commits up to this date; a day counts to its end."},
			{Key: "since_last_tag", Type: value.Boolean, Default: false, Description: "Only commits after the latest tag, as for a changelog; all commits if there is no tag."},
			{Key: "from", Type: value.String, Description: "Only commits that are not in this tag, branch or commit."},
			{Key: "to", Type: value.String, Description: "The tag, branch or commit to begin at; otherwise what is checked out."},
			{Key: "author", Type: value.String, Description: "Only commits with this in their author's name or address."},
			{Key: "grep", Type: value.String, Description: "Only commits with this text in their message."},
			pathsPort("Only commits that change these files or folders."),
			{Key: "merges", Type: value.Boolean, Default: true, Description: "List merge commits too."},
			{Key: "files", Type: value.Boolean, Default: false, Description: "List the files of each commit: their path and status; a merge has none."},
			{Key: "limit", Type: value.Integer, Default: defaultCommits, Description: "How many commits at most."},
			{Key: "give", Type: value.String, Default: giveCommits, Enum: []any{giveCommits, giveSubjects, giveMessages, giveCount}, Description: "What commits_result is: the commits, the first line of each message as lines, the whole messages with an empty line between them, or the count."},
		},
		Outputs: []ir.Port{
			{Key: "commits_result", Type: value.Any, Description: "What give asks for."},
			{Key: "commits", Type: value.Array, Detail: true, Structure: ir.MustStructure([]any{commitStructure}), Description: "The commits, the newest first; date is when it was written, as 2026-01-31T18:00:00+01:00, files is only there if asked for."},
			{Key: "count", Type: value.Integer, Detail: true, Description: "How many commits are listed."},
			{Key: "since_tag", Type: value.String, Detail: true, Description: "The tag, branch or commit they come after; empty if none was given or found."},
			{Key: "more", Type: value.Boolean, Detail: true, Description: "True if there are more than limit."},
		},
		Effects: []ir.Effect{ir.Reads, ir.Idempotent},
	}, func(ctx context.Context, g *gitcli.Git, c nodetype.Call) (nodetype.Outcome, error) {
		paths, err := gitPaths(c, "paths")
		if err != nil {
			return nodetype.Outcome{}, err
		}
		limit, _ := c.Params["limit"].(int)
		if limit <= 0 {
			limit = defaultCommits
		}
		limit = min(limit, maxCommits)
		l, err := g.Log(ctx, gitcli.LogOptions{
			From: c.Text("from"), To: c.Text("to"), SinceLastTag: c.Flag("since_last_tag"), Since: c.Text("since"), Until: c.Text("until"),
			Author: c.Text("author"), Grep: c.Text("grep"), Paths: paths, NoMerges: c.Params["merges"] == false, Files: c.Flag("files"),
			Limit: limit, Now: c.Now,
		})
		if err != nil {
			return nodetype.Outcome{}, err
		}
		commits := make([]any, len(l.Commits))
		for i, commit := range l.Commits {
			commits[i] = commit.Value()
		}
		return nodetype.Outcome{Outputs: map[string]any{"commits_result": logResult(c.Text("give"), l.Commits, commits), "commits": commits, "count": len(commits), "since_tag": l.From, "more": l.More}}, nil
	}, nodetype.Example{
		Files:  map[string]string{"a.txt": "one\n"},
		Before: gitFirst,
		Params: map[string]any{"since_last_tag": true, "files": true, "give": giveSubjects},
		Outputs: map[string]any{
			"commits_result": "First\n",
			"commits": []any{map[string]any{
				"sha": firstSHA, "short_sha": firstSHA[:7], "author": "Ada", "email": "ada@example.org", "date": "2024-01-31T12:00:00Z",
				"subject": "First", "body": "", "tags": []any{},
				"files": []any{map[string]any{"path": "a.txt", "status": "added", "renamed_from": ""}},
			}},
			"count": 1, "since_tag": "", "more": false,
		},
	})
}

// logResult is what give asks for.
func logResult(give string, list []gitcli.Commit, commits []any) any {
	var b strings.Builder
	switch give {
	case giveCount:
		return len(list)
	case giveSubjects:
		for i := range list {
			b.WriteString(list[i].Subject + "\n")
		}
		return b.String()
	case giveMessages:
		for i := range list {
			if i > 0 {
				b.WriteString("\n")
			}
			b.WriteString(strings.TrimRight(list[i].Message(), "\n") + "\n")
		}
		return b.String()
	}
	return commits
}

// firstSHA is the commit of the examples: the same files, author and time make the same name.
const firstSHA = "c0257f3f8e91db785b9e55d1d304690446b4a57f"
