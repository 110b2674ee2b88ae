package github

import (
	"context"
	"strconv"

	"github.com/google/go-github/v82/github"
)

// Pulls narrows a list of pull requests. What is empty narrows nothing.
type Pulls struct {
	State           string // open, closed, merged or all
	Base, Head      string // branches; the head's owner may stand before it: OWNER:BRANCH
	Sort, Direction string
	Limit           int
}

// PullRequests lists the pull requests of a repository, newest first unless it is sorted otherwise.
func (c *Client) PullRequests(ctx context.Context, r Repo, f Pulls) ([]any, error) {
	merged := f.State == "merged"
	if merged {
		f.State = "closed" // the API does not tell them
	}
	o := &github.PullRequestListOptions{State: f.State, Base: f.Base, Head: f.Head, Sort: f.Sort, Direction: f.Direction, ListOptions: github.ListOptions{PerPage: perPage}}
	return pages(f.Limit, func(p page) (page, []any, error) {
		o.Page = p.number
		var got []*github.PullRequest
		var next page
		err := c.do(ctx, c.inRepo("list the pull requests", r), func(ctx context.Context) (resp *github.Response, err error) {
			got, resp, err = c.api.PullRequests.List(ctx, r.Owner, r.Name, o)
			next = following(resp)
			return resp, err
		})
		var out []any
		for _, pr := range got {
			if !merged || pr.MergedAt != nil {
				out = append(out, pull(pr))
			}
		}
		return next, out, err
	})
}

// PullRequest reads a pull request by its number.
func (c *Client) PullRequest(ctx context.Context, r Repo, number int) (map[string]any, error) {
	var got *github.PullRequest
	err := c.do(ctx, c.about("read", "pull request "+strconv.Itoa(number), r), func(ctx context.Context) (resp *github.Response, err error) {
		got, resp, err = c.api.PullRequests.Get(ctx, r.Owner, r.Name, number)
		return resp, err
	})
	if err != nil {
		return nil, err
	}
	return pullWithSize(got), nil
}

// Files lists the files that a pull request changes.
func (c *Client) Files(ctx context.Context, r Repo, number, limit int) ([]any, error) {
	o := &github.ListOptions{PerPage: perPage}
	return pages(limit, func(p page) (page, []any, error) {
		o.Page = p.number
		var got []*github.CommitFile
		var next page
		err := c.do(ctx, c.about("read", "the files of pull request "+strconv.Itoa(number), r), func(ctx context.Context) (resp *github.Response, err error) {
			got, resp, err = c.api.PullRequests.ListFiles(ctx, r.Owner, r.Name, number, o)
			next = following(resp)
			return resp, err
		})
		var out []any
		for _, f := range got {
			out = append(out, map[string]any{"filename": f.GetFilename(), "previous_filename": f.GetPreviousFilename(), "status": f.GetStatus(),
				"additions": f.GetAdditions(), "deletions": f.GetDeletions(), "changes": f.GetChanges(), "patch": f.GetPatch()})
		}
		return next, out, err
	})
}

// DefaultBranch is the branch that pull requests go to where none is named.
func (c *Client) DefaultBranch(ctx context.Context, r Repo) (string, error) {
	var got *github.Repository
	err := c.do(ctx, call{doing: "read the default branch of " + r.String(), what: "repository " + r.String()}, func(ctx context.Context) (resp *github.Response, err error) {
		got, resp, err = c.api.Repositories.Get(ctx, r.Owner, r.Name)
		return resp, err
	})
	return got.GetDefaultBranch(), err
}

// PullDraft is what a new pull request says.
type PullDraft struct {
	Title, Body, Head, Base string
	Draft                   bool
}

// CreatePull makes a pull request.
func (c *Client) CreatePull(ctx context.Context, r Repo, d PullDraft) (map[string]any, error) {
	var got *github.PullRequest
	err := c.do(ctx, c.making("create a pull request of "+d.Head+" to "+d.Base+" in "+r.String(), r), func(ctx context.Context) (resp *github.Response, err error) {
		got, resp, err = c.api.PullRequests.Create(ctx, r.Owner, r.Name, &github.NewPullRequest{Title: &d.Title, Body: &d.Body, Head: &d.Head, Base: &d.Base, Draft: &d.Draft})
		return resp, err
	})
	if err != nil {
		return nil, err
	}
	return pull(got), nil
}
