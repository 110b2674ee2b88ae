package nodes

import (
	"context"

	"pflow/internal/fault"
	"pflow/internal/github"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// githubUpdateIssue changes an issue: closes it, labels it, words it anew.
func githubUpdateIssue(d Deps) nodetype.Type {
	t := githubNode(d, &ir.Interface{
		Name:        "github-update-issue",
		Description: "Changes an issue or pull request (PR) of a GitHub repository: closes or reopens it, labels it, changes its title or text.",
		Inputs:      []ir.Port{issueNumberPort("The number of the issue or pull request.")},
		Params: []ir.Port{
			{Key: "state", Type: value.String, Enum: []any{"open", "closed"}, Description: "closed closes it, open opens it again."},
			{Key: "state_reason", Type: value.String, Enum: []any{"completed", "not_planned", "duplicate", "reopened"}, Description: "Why; completed if it is closed and nothing is said."},
			textsPort("add_labels", "Labels that it gets beside those it has."),
			textsPort("labels", "All labels that it has afterwards."),
			textsPort("assignees", "All users who have it afterwards."),
			{Key: "title", Type: value.String, Description: "Its new title."},
			{Key: "body", Type: value.String, Description: "Its new text, in Markdown."},
		},
		Outputs: []ir.Port{{Key: "issue_data", Type: value.Object, Structure: ir.MustStructure(github.IssueShape), Description: "The issue as it is then."}},
		Effects: []ir.Effect{ir.Writes, ir.Network, ir.Idempotent},
	}, updateIssue, nodetype.Example{
		Params: map[string]any{"issue_number": 1, "state": "closed", "state_reason": "completed", "repo": "octo/tool"},
		Outputs: map[string]any{"issue_data": map[string]any{
			"number": 1, "title": "It hangs", "body": "On start.", "state": "closed", "state_reason": "completed", "user": map[string]any{"login": "ada"},
			"labels": []any{map[string]any{"name": "bug"}}, "assignees": []any{}, "milestone": map[string]any{"title": ""}, "comments": 1,
			"created_at": "2026-01-02T15:04:05Z", "updated_at": "2026-03-01T12:00:00Z", "closed_at": "", "html_url": "https://github.com/octo/tool/issues/1",
		}},
	})
	t.Foresee = func(c nodetype.Call, pending []string) nodetype.Foreseen {
		for _, key := range []string{"title", "body", "labels", "assignees"} {
			if c.Params[key] != nil || isPending(pending, key) {
				return nodetype.Foreseen{Destroys: "it replaces the " + key + " of the issue"}
			}
		}
		return nodetype.Foreseen{}
	}
	return t
}

func updateIssue(ctx context.Context, g *github.Client, r github.Repo, c nodetype.Call) (map[string]any, error) {
	n, err := number(c, "issue_number")
	if err != nil {
		return nil, err
	}
	change := github.Change{}
	if change.AddLabels, err = textsOf(c, "add_labels"); err != nil {
		return nil, err
	}
	said := len(change.AddLabels) > 0
	for key, to := range map[string]**string{"state": &change.State, "state_reason": &change.StateReason, "title": &change.Title, "body": &change.Body} {
		if c.Params[key] != nil {
			text := c.Text(key)
			*to, said = &text, true
		}
	}
	for key, to := range map[string]**[]string{"labels": &change.Labels, "assignees": &change.Assignees} {
		if c.Params[key] != nil {
			list, err := textsOf(c, key)
			if err != nil {
				return nil, err
			}
			*to, said = &list, true
		}
	}
	if !said {
		return nil, fault.New(fault.InvalidRequest, "nothing is to be changed: give state, add_labels, labels, assignees, title or body")
	}
	issue, err := g.UpdateIssue(ctx, r, n, change)
	return map[string]any{"issue_data": issue}, err
}
