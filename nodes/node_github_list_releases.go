package nodes

import (
	"context"

	"pflow/internal/github"
	"pflow/internal/nodetype"
	"pflow/internal/value"
	"pflow/ir"
)

// githubListReleases lists releases.
func githubListReleases(d Deps) nodetype.Type {
	return githubNode(d, &ir.Interface{
		Name:        "github-list-releases",
		Description: "Lists the releases of a GitHub repository, newest first, with their notes.",
		Params:      []ir.Port{limitPort("releases", 30)},
		Outputs: []ir.Port{
			{Key: "releases", Type: value.Array, Structure: listOf(github.ReleaseShape), Description: "The releases, with the keys that GitHub's API gives them."},
			{Key: "count", Type: value.Integer, Description: "How many there are in releases."},
		},
		Effects: readsGithub,
	}, func(ctx context.Context, g *github.Client, r github.Repo, c nodetype.Call) (map[string]any, error) {
		limit, err := limitOf(c, 30)
		if err != nil {
			return nil, err
		}
		releases, err := g.Releases(ctx, r, limit)
		return map[string]any{"releases": releases, "count": len(releases)}, err
	}, nodetype.Example{
		Params:  map[string]any{"repo": "octo/tool", "limit": 1},
		Outputs: map[string]any{"releases": []any{exampleRelease("v1", "ada", "2026-01-06T15:04:05Z", 1)}, "count": 1},
	})
}

func exampleRelease(tag, author, at string, id int) map[string]any {
	return map[string]any{"id": id, "tag_name": tag, "name": tag, "body": "The first one.", "draft": false, "prerelease": false, "author": map[string]any{"login": author},
		"created_at": at, "published_at": at, "html_url": "https://github.com/octo/tool/releases/tag/" + tag, "assets": []any{}}
}
