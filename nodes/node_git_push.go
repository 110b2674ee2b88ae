package nodes

import (
	"context"

	"pflow/internal/gitcli"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// gitPush sends commits to a remote.
func gitPush(d Deps) nodetype.Type {
	t := gitType(d, &ir.Interface{
		Name:        "git-push",
		Description: "Pushes a branch, or tags, of a git repository to a remote such as GitHub.",
		Params: []ir.Port{
			remotePort(),
			{Key: "branch", Type: value.String, Description: "The branch; otherwise the one that is checked out."},
			{Key: "tags", Type: value.Boolean, Default: false, Description: "Push all tags too."},
			{Key: "tag", Type: value.String, Description: "Push this tag, and no branch."},
			{Key: "set_upstream", Type: value.Boolean, Default: false, Description: "Let the branch follow the remote's from now on."},
			{Key: "force", Type: value.Boolean, Default: false, Description: "Replace the remote's branch, if nobody pushed to it since the last fetch."},
			timeoutPort(),
		},
		Outputs: []ir.Port{
			{Key: "pushed", Type: value.Boolean, Description: "False if the remote had everything."},
			{Key: "remote", Type: value.String, Description: "The remote."},
			{Key: "branch", Type: value.String, Description: "The branch that was pushed; empty for a tag alone."},
			{Key: "refs", Type: value.Array, Structure: ir.MustStructure([]any{updateStructure}), Description: "The branches and tags of the remote; status is new, updated, forced or up_to_date, from and to are commits where git tells them."},
		},
		Effects: []ir.Effect{ir.Reads, ir.Network, ir.Writes, ir.Destructive},
	}, remotely(func(ctx context.Context, g *gitcli.Git, c nodetype.Call) (nodetype.Outcome, error) {
		p, err := g.Push(ctx, gitcli.PushOptions{
			Remote: c.Text("remote"), Branch: c.Text("branch"), Tag: c.Text("tag"), Tags: c.Flag("tags"), SetUpstream: c.Flag("set_upstream"), Force: c.Flag("force"),
		})
		if err != nil {
			return nodetype.Outcome{}, err
		}
		return nodetype.Outcome{Outputs: map[string]any{"pushed": p.Changed(), "remote": p.Remote, "branch": p.Branch, "refs": updates(p.Refs)}}, nil
	}), nodetype.Example{
		Files:  map[string]string{"a.txt": "one\n"},
		Before: append(gitFirst[:len(gitFirst):len(gitFirst)], gitWithRemote...),
		Params: map[string]any{"set_upstream": true},
		Outputs: map[string]any{
			"pushed": true, "remote": "origin", "branch": "main",
			"refs": []any{map[string]any{"ref": "refs/heads/main", "status": "new", "from": "", "to": ""}},
		},
	})
	t.Foresee = func(c nodetype.Call, pending []string) nodetype.Foreseen {
		what := "it pushes to " + orWord(c.Text("remote"), "the remote")
		if c.Flag("force") || isPending(pending, "force") {
			what += " and may replace commits there"
		}
		return nodetype.Foreseen{Destroys: what}
	}
	return t
}

func orWord(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func updates(list []gitcli.RefUpdate) []any {
	out := make([]any, len(list))
	for i, u := range list {
		out[i] = u.Value()
	}
	return out
}

// gitWithRemote gives the repository of an example a remote, an empty one beside its files.
var gitWithRemote = []nodetype.Use{{Type: "shell", Params: map[string]any{"command": "git init -q --bare .git/remote && git remote add origin .git/remote"}}}
