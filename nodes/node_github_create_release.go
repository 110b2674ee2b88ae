package nodes

import (
	"context"

	"pflow/internal/github"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// githubCreateRelease makes a release.
func githubCreateRelease(d Deps) nodetype.Type {
	return githubNode(d, &ir.Interface{
		Name:        "github-create-release",
		Description: "Creates or publishes a release of a GitHub repository for a tag, which is made if it is not there.",
		Inputs: []ir.Port{
			{Key: "tag", Type: value.String, Required: true, Description: "The tag, such as v1.2.0."},
			{Key: "body", Type: value.String, Description: "The release notes, in Markdown."},
		},
		Params: []ir.Port{
			{Key: "name", Type: value.String, Description: "Its title; the tag if left out."},
			{Key: "target", Type: value.String, Description: "The branch or commit that a new tag is put on; the default branch if left out."},
			{Key: "draft", Type: value.Boolean, Default: false, Description: "Make a draft, which nobody else sees."},
			{Key: "prerelease", Type: value.Boolean, Default: false, Description: "Mark it as not ready for everybody."},
			{Key: "generate_notes", Type: value.Boolean, Default: false, Description: "Have GitHub write notes from the pull requests since the last release, behind body."},
		},
		Outputs: []ir.Port{{Key: "release_data", Type: value.Object, Structure: ir.MustStructure(github.ReleaseShape), Description: "The new release, with its html_url."}},
		Effects: changesGithub,
	}, func(ctx context.Context, g *github.Client, r github.Repo, c nodetype.Call) (map[string]any, error) {
		tag, err := given(c, "tag")
		if err != nil {
			return nil, err
		}
		name := c.Text("name")
		if name == "" {
			name = tag
		}
		release, err := g.CreateRelease(ctx, r, github.NewRelease{Tag: tag, Target: c.Text("target"), Name: name, Body: c.Text("body"),
			Draft: c.Flag("draft"), Prerelease: c.Flag("prerelease"), GenerateNotes: c.Flag("generate_notes")})
		return map[string]any{"release_data": release}, err
	}, nodetype.Example{
		Params:  map[string]any{"tag": "v2", "body": "The first one.", "repo": "octo/tool"},
		Outputs: map[string]any{"release_data": exampleRelease("v2", "me", "2026-03-01T12:00:00Z", 2)},
	})
}
