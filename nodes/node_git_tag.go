package nodes

import (
	"context"
	"path"

	"pflow/internal/fault"
	"pflow/internal/gitcli"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// gitTag makes a tag.
func gitTag(d Deps) nodetype.Type {
	return gitType(d, &ir.Interface{
		Name:        "git-tag",
		Description: "Tags a commit of a git repository, such as for a release.",
		Inputs:      []ir.Port{{Key: "name", Type: value.String, Required: true, Description: "The tag, such as v1.2.0."}},
		Params: []ir.Port{
			{Key: "message", Type: value.String, Description: "What it stands for; with it the tag is an annotated one."},
			{Key: "ref", Type: value.String, Description: "The branch or commit to tag; otherwise what is checked out."},
		},
		Outputs: []ir.Port{
			{Key: "tag", Type: value.String, Description: "The tag."},
			{Key: "commit_sha", Type: value.String, Description: "The full name of its commit."},
		},
		Effects: []ir.Effect{ir.Reads, ir.Writes},
	}, func(ctx context.Context, g *gitcli.Git, c nodetype.Call) (nodetype.Outcome, error) {
		sha, err := g.Tag(ctx, c.Text("name"), c.Text("message"), c.Text("ref"))
		if err != nil {
			return nodetype.Outcome{}, err
		}
		return nodetype.Outcome{Outputs: map[string]any{"tag": c.Text("name"), "commit_sha": sha}}, nil
	}, nodetype.Example{
		Files:   map[string]string{"a.txt": "one\n"},
		Before:  gitFirst,
		Params:  map[string]any{"name": "v1.0.0", "message": "The first release"},
		Outputs: map[string]any{"tag": "v1.0.0", "commit_sha": firstSHA},
	})
}

// gitTags lists tags.
func gitTags(d Deps) nodetype.Type {
	return gitType(d, &ir.Interface{
		Name:        "git-tags",
		Description: "Lists the tags of a git repository, the newest first, and tells the latest.",
		Params: []ir.Port{
			{Key: "sort", Type: value.String, Enum: []any{"version", "date"}, Default: "version", Description: "What is newest: by the numbers in the name, where v1.10 comes after v1.9, or by date."},
			{Key: "pattern", Type: value.String, Default: "*", Description: "Only tags whose name fits, such as v1.*."},
			{Key: "limit", Type: value.Integer, Default: defaultCommits, Description: "How many tags at most."},
		},
		Outputs: []ir.Port{
			{Key: "tags", Type: value.Array, Description: "The tags; message is the first line of an annotated tag's, date is its own or that of its commit.",
				Structure: ir.MustStructure([]any{map[string]any{"name": "string", "commit_sha": "string", "date": "string", "message": "string", "annotated": "boolean"}})},
			{Key: "latest", Type: value.String, Description: "The first of them; empty if there is none."},
			{Key: "count", Type: value.Integer, Description: "How many are listed."},
		},
		Effects: []ir.Effect{ir.Reads, ir.Idempotent},
	}, func(ctx context.Context, g *gitcli.Git, c nodetype.Call) (nodetype.Outcome, error) {
		pattern := orWord(c.Text("pattern"), "*")
		if _, err := path.Match(pattern, ""); err != nil {
			return nodetype.Outcome{}, fault.New(fault.InvalidRequest, "pattern is %s, which is none; give one such as v1.*", quote(pattern))
		}
		tags, err := g.Tags(ctx)
		if err != nil {
			return nodetype.Outcome{}, err
		}
		gitcli.SortTags(tags, c.Text("sort") != "date")
		limit, _ := c.Params["limit"].(int)
		if limit <= 0 {
			limit = defaultCommits
		}
		list, latest := []any{}, ""
		for _, t := range tags {
			if ok, _ := path.Match(pattern, t.Name); !ok && pattern != "*" || len(list) == min(limit, maxCommits) {
				continue
			}
			if latest == "" {
				latest = t.Name
			}
			list = append(list, t.Value())
		}
		return nodetype.Outcome{Outputs: map[string]any{"tags": list, "latest": latest, "count": len(list)}}, nil
	}, nodetype.Example{
		Files:  map[string]string{"a.txt": "one\n"},
		Before: append(gitFirst[:len(gitFirst):len(gitFirst)], nodetype.Use{Type: "git-tag", Params: map[string]any{"name": "v1.0.0"}}),
		Params: map[string]any{},
		Outputs: map[string]any{
			"tags":   []any{map[string]any{"name": "v1.0.0", "commit_sha": firstSHA, "date": "2024-01-31T12:00:00Z", "message": "", "annotated": false}},
			"latest": "v1.0.0", "count": 1,
		},
	})
}
