package github

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/google/go-github/v82/github"
)

// perPage is how many items of a list are asked for at once: the most that GitHub gives.
const perPage = 100

// Issue reads an issue or pull request by its number.
func (c *Client) Issue(ctx context.Context, r Repo, number int) (map[string]any, error) {
	var got *github.Issue
	err := c.do(ctx, c.about("read", "issue "+strconv.Itoa(number), r), func(ctx context.Context) (resp *github.Response, err error) {
		got, resp, err = c.api.Issues.Get(ctx, r.Owner, r.Name, number)
		return resp, err
	})
	if err != nil {
		return nil, err
	}
	return issue(got), nil
}

// about is a call that is about something of a repository.
func (c *Client) about(verb, what string, r Repo) call {
	what = fmt.Sprintf("%s of %s", what, r)
	return call{doing: verb + " " + what, what: what}
}

// making is a call that makes something in a repository, which is done once.
func (c *Client) making(doing string, r Repo) call {
	return call{doing: doing, what: "repository " + r.String(), once: true}
}

// Filter narrows a list of issues. What is empty narrows nothing.
type Filter struct {
	State             string // open, closed or all
	Labels            []string
	Assignee, Creator string
	Milestone         string // its number, none or *
	Since             time.Time
	Sort, Direction   string
	Limit             int
}

// Issues lists the issues of a repository, newest first unless it is sorted otherwise. Pull requests, which the API has
// among them, are left out.
func (c *Client) Issues(ctx context.Context, r Repo, f Filter) ([]any, error) {
	o := &github.IssueListByRepoOptions{State: f.State, Labels: f.Labels, Assignee: f.Assignee, Creator: f.Creator, Milestone: f.Milestone,
		Since: f.Since, Sort: f.Sort, Direction: f.Direction, ListOptions: github.ListOptions{PerPage: perPage}}
	return pages(f.Limit, func(p page) (page, []any, error) {
		o.ListOptions.Page, o.After = p.number, p.after
		var got []*github.Issue
		var next page
		err := c.do(ctx, c.inRepo("list the issues", r), func(ctx context.Context) (resp *github.Response, err error) {
			got, resp, err = c.api.Issues.ListByRepo(ctx, r.Owner, r.Name, o)
			next = following(resp)
			return resp, err
		})
		var out []any
		for _, i := range got {
			if !i.IsPullRequest() {
				out = append(out, issue(i))
			}
		}
		return next, out, err
	})
}

// inRepo is a call that is about a repository.
func (c *Client) inRepo(doing string, r Repo) call {
	return call{doing: doing + " of " + r.String(), what: "repository " + r.String()}
}

// page says which page of a list comes next; zero is the first, and what follows the last.
type page struct {
	number int
	after  string
}

func following(resp *github.Response) page {
	if resp == nil {
		return page{}
	}
	return page{resp.NextPage, resp.After}
}

// pages reads pages until there are as many items as wanted, or no more.
func pages(limit int, read func(page) (next page, items []any, err error)) ([]any, error) {
	out := []any{}
	for at := (page{}); ; {
		next, items, err := read(at)
		if err != nil {
			return nil, err
		}
		out = append(out, items...)
		if len(out) >= limit {
			return out[:limit], nil
		}
		if next == (page{}) || next == at { // a server that gives the same page again gives no other one
			return out, nil
		}
		at = next
	}
}

// Comments lists what was said to an issue or pull request, oldest first.
func (c *Client) Comments(ctx context.Context, r Repo, number, limit int) ([]any, error) {
	o := &github.IssueListCommentsOptions{ListOptions: github.ListOptions{PerPage: perPage}}
	return pages(limit, func(p page) (page, []any, error) {
		o.Page = p.number
		var got []*github.IssueComment
		var next page
		err := c.do(ctx, c.about("read", "the comments on issue "+strconv.Itoa(number), r), func(ctx context.Context) (resp *github.Response, err error) {
			got, resp, err = c.api.Issues.ListComments(ctx, r.Owner, r.Name, number, o)
			next = following(resp)
			return resp, err
		})
		var out []any
		for _, one := range got {
			out = append(out, comment(one))
		}
		return next, out, err
	})
}

// Draft is what a new issue says.
type Draft struct {
	Title, Body       string
	Labels, Assignees []string
}

// CreateIssue makes an issue.
func (c *Client) CreateIssue(ctx context.Context, r Repo, d Draft) (map[string]any, error) {
	req := &github.IssueRequest{Title: &d.Title, Body: given(d.Body)}
	if len(d.Labels) > 0 {
		req.Labels = &d.Labels
	}
	if len(d.Assignees) > 0 {
		req.Assignees = &d.Assignees
	}
	var got *github.Issue
	err := c.do(ctx, c.making("create an issue in "+r.String(), r), func(ctx context.Context) (resp *github.Response, err error) {
		got, resp, err = c.api.Issues.Create(ctx, r.Owner, r.Name, req)
		return resp, err
	})
	if err != nil {
		return nil, err
	}
	return issue(got), nil
}

// given is a text that is sent, nil for one that is left out.
func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Comment says something to an issue or pull request.
func (c *Client) Comment(ctx context.Context, r Repo, number int, body string) (map[string]any, error) {
	what := c.about("comment on", "issue "+strconv.Itoa(number), r)
	what.once = true
	var got *github.IssueComment
	err := c.do(ctx, what, func(ctx context.Context) (resp *github.Response, err error) {
		got, resp, err = c.api.Issues.CreateComment(ctx, r.Owner, r.Name, number, &github.IssueComment{Body: &body})
		return resp, err
	})
	if err != nil {
		return nil, err
	}
	return comment(got), nil
}

// Change is what becomes of an issue; nil leaves what is there.
type Change struct {
	State, StateReason, Title, Body *string
	Labels, Assignees               *[]string // all that it has then
	AddLabels                       []string
}

// UpdateIssue changes an issue or pull request. Labels are added first.
func (c *Client) UpdateIssue(ctx context.Context, r Repo, number int, change Change) (map[string]any, error) {
	what := c.about("change", "issue "+strconv.Itoa(number), r)
	if len(change.AddLabels) > 0 {
		err := c.do(ctx, what, func(ctx context.Context) (resp *github.Response, err error) {
			_, resp, err = c.api.Issues.AddLabelsToIssue(ctx, r.Owner, r.Name, number, change.AddLabels)
			return resp, err
		})
		if err != nil {
			return nil, err
		}
	}
	req := &github.IssueRequest{State: change.State, StateReason: change.StateReason, Title: change.Title, Body: change.Body, Labels: change.Labels, Assignees: change.Assignees}
	if *req == (github.IssueRequest{}) {
		return c.Issue(ctx, r, number)
	}
	var got *github.Issue
	err := c.do(ctx, what, func(ctx context.Context) (resp *github.Response, err error) {
		got, resp, err = c.api.Issues.Edit(ctx, r.Owner, r.Name, number, req)
		return resp, err
	})
	if err != nil {
		return nil, err
	}
	return issue(got), nil
}
