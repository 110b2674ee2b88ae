package github

import (
	"context"

	"github.com/google/go-github/v82/github"
)

// Releases lists the releases of a repository, newest first.
func (c *Client) Releases(ctx context.Context, r Repo, limit int) ([]any, error) {
	o := &github.ListOptions{PerPage: perPage}
	return pages(limit, func(p page) (page, []any, error) {
		o.Page = p.number
		var got []*github.RepositoryRelease
		var next page
		err := c.do(ctx, c.inRepo("list the releases", r), func(ctx context.Context) (resp *github.Response, err error) {
			got, resp, err = c.api.Repositories.ListReleases(ctx, r.Owner, r.Name, o)
			next = following(resp)
			return resp, err
		})
		var out []any
		for _, one := range got {
			out = append(out, release(one))
		}
		return next, out, err
	})
}

// NewRelease is what a new release says.
type NewRelease struct {
	Tag, Target, Name, Body          string
	Draft, Prerelease, GenerateNotes bool
}

// CreateRelease makes a release of a tag, and the tag where there is none: at Target, "" being the default branch.
func (c *Client) CreateRelease(ctx context.Context, r Repo, n NewRelease) (map[string]any, error) {
	req := &github.RepositoryRelease{TagName: &n.Tag, TargetCommitish: given(n.Target), Name: given(n.Name), Body: given(n.Body),
		Draft: &n.Draft, Prerelease: &n.Prerelease, GenerateReleaseNotes: &n.GenerateNotes}
	var got *github.RepositoryRelease
	err := c.do(ctx, c.making("create the release "+n.Tag+" of "+r.String(), r), func(ctx context.Context) (resp *github.Response, err error) {
		got, resp, err = c.api.Repositories.CreateRelease(ctx, r.Owner, r.Name, req)
		return resp, err
	})
	if err != nil {
		return nil, err
	}
	return release(got), nil
}
