package nodes

import (
	"context"
	"net/http"
	"strings"
	"time"

	"pflow/internal/fault"
	"pflow/internal/github"
	"pflow/internal/mask"
	"pflow/internal/nodetype"
	"pflow/internal/process"
	"pflow/internal/value"
	"pflow/ir"
)

// maxListedItems bounds the lists of github nodes: they become values of the run, and each item may hold a page of text.
const maxListedItems = 1000

// githubNode is what the node types of GitHub have in common: repo and timeout, the client, and how effects are stated.
func githubNode(d Deps, i *ir.Interface, run func(ctx context.Context, g *github.Client, r github.Repo, c nodetype.Call) (map[string]any, error), example nodetype.Example) nodetype.Type {
	i.Inputs = append(i.Inputs, ir.Port{Key: "repo", Type: value.String, Description: "The repository, as OWNER/NAME; that of the working directory's remote origin if left out."})
	i.Params = append(i.Params, ir.Port{Key: "timeout", Type: value.Any, Default: "60s",
		Description: "How long it may take, waits for GitHub's rate limits included: seconds, or a duration such as 30s."})
	return nodetype.Type{
		Interface: i,
		Elsewhere: []string{"path"}, // of the repository
		Check:     func(params map[string]any) []ir.Problem { return checkDuration(params, "timeout") },
		Run: func(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
			timeout, err := duration(c.Params["timeout"], "timeout", defaultTimeout)
			if err != nil {
				return nodetype.Outcome{}, err
			}
			bounded, cancel := context.WithTimeout(ctx, timeout)
			defer cancel()
			outputs, err := runGithub(bounded, d, c, run)
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			return nodetype.Outcome{Outputs: outputs}, err
		},
		Example: example,
	}
}

func runGithub(ctx context.Context, d Deps, c nodetype.Call, run func(context.Context, *github.Client, github.Repo, nodetype.Call) (map[string]any, error)) (map[string]any, error) {
	getenv := c.Env
	if getenv == nil {
		getenv = func(string) string { return "" }
	}
	site, err := github.SiteOf(getenv)
	if err != nil {
		return nil, err
	}
	repo, err := githubRepo(ctx, d, c, site)
	if err != nil {
		return nil, err
	}
	token, err := githubToken(ctx, d, c, site)
	if err != nil {
		return nil, err
	}
	var transport http.RoundTripper = ownTransport()
	if d.HTTP != nil && d.HTTP.Transport != nil {
		transport = d.HTTP.Transport
	}
	return run(ctx, github.New(site, token, transport), repo, c)
}

// githubRepo is the repository that a node names, or that of the remote origin.
func githubRepo(ctx context.Context, d Deps, c nodetype.Call, site github.Site) (github.Repo, error) {
	if given := c.Text("repo"); given != "" {
		return site.ParseRepo(given)
	}
	origin, err := askGit(ctx, d, c, "ls-remote", "--get-url", "origin") // as insteadOf has it; nothing is sent
	switch {
	case err != nil:
		return github.Repo{}, err
	case origin == "origin" || origin == "":
		return github.Repo{}, fault.New(fault.InvalidRequest, "repo is left out, and %s has no git remote called origin; give repo as OWNER/NAME", folderName(c))
	}
	repo, err := site.ParseRepo(origin)
	if err != nil {
		return repo, fault.New(fault.InvalidRequest, "repo is left out, and the remote origin of %s is no help: %v", folderName(c), err)
	}
	return repo, nil
}

// currentBranch is the branch that is checked out.
func currentBranch(ctx context.Context, d Deps, c nodetype.Call) (string, error) {
	branch, err := askGit(ctx, d, c, "symbolic-ref", "--quiet", "--short", "HEAD")
	if err == nil && branch == "" {
		err = fault.New(fault.InvalidRequest, "head is left out, and %s has no branch checked out; give head", folderName(c))
	}
	return branch, err
}

func folderName(c nodetype.Call) string {
	if c.Dir == "" {
		return "the working directory"
	}
	return c.Dir
}

// askGit gives the line that git prints, "" where it fails.
func askGit(ctx context.Context, d Deps, c nodetype.Call, args ...string) (string, error) {
	git := FindProgram(c.Env, "git")
	if git == "" {
		return "", fault.New(fault.NotFound, "what is left out is read with git, and there is no git on the PATH; give repo as OWNER/NAME, and head where it is needed")
	}
	line, _, err := askProgram(ctx, d, c, append([]string{git}, args...), "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	return line, err
}

// tokenTimeout bounds asking gh for its token.
const tokenTimeout = 10 * time.Second

// githubToken is GITHUB_TOKEN, else GH_TOKEN, else the one that gh keeps for the site; none where there is none of them.
func githubToken(ctx context.Context, d Deps, c nodetype.Call, site github.Site) (github.Token, error) {
	for _, name := range []string{"GITHUB_TOKEN", "GH_TOKEN"} {
		text, err := c.Secret(ctx, name)
		if err != nil {
			return github.Token{}, err
		}
		if text = strings.TrimSpace(text); text != "" {
			return github.Token{Text: text, From: name}, nil
		}
	}
	gh := FindProgram(c.Env, "gh")
	if gh == "" {
		return github.Token{}, nil
	}
	bounded, cancel := context.WithTimeout(ctx, tokenTimeout)
	defer cancel()
	text, code, err := askProgram(bounded, d, c, []string{gh, "auth", "token", "--hostname", site.Host}, "GH_PROMPT_DISABLED=1")
	if ctx.Err() != nil {
		return github.Token{}, ctx.Err()
	}
	if err != nil || code != 0 || text == "" { // not logged in: what is public can be read
		return github.Token{}, nil
	}
	if c.Secrets != nil {
		c.Secrets.Learn("gh auth token", text)
	}
	return github.Token{Text: text, From: "gh auth login"}, nil
}

// askProgram gives what a program prints, without a line end, and its exit status.
func askProgram(ctx context.Context, d Deps, c nodetype.Call, argv []string, set ...string) (text string, code int, err error) {
	p := &process.Program{Argv: argv, Dir: c.Dir, Env: environment(d, c), Set: set}
	p.Stdout.Mask, p.Stderr.Mask = nil, mask.From(ctx).Stream()
	p.Stdout.Limit, p.Stderr.Limit = 64<<10, 64<<10
	code, err = p.Run(ctx)
	if err != nil || ctx.Err() != nil || code != 0 {
		return "", code, err
	}
	return strings.TrimSpace(p.Stdout.Text(true)), 0, nil
}

// number is a param that names an issue or pull request, from 1 on.
func number(c nodetype.Call, key string) (int, error) {
	n, ok := c.Params[key].(int)
	if !ok || n < 1 {
		return 0, fault.New(fault.InvalidRequest, "%s is %s: want the number of one, from 1 on", key, ir.Text(c.Params[key]))
	}
	return n, nil
}

// limitOf is the param limit, within what is allowed.
func limitOf(c nodetype.Call, otherwise int) (int, error) {
	switch n, ok := c.Params["limit"].(int); {
	case !ok:
		return otherwise, nil
	case n < 1 || n > maxListedItems:
		return 0, fault.New(fault.InvalidRequest, "limit is %d: want 1 to %d", n, maxListedItems)
	default:
		return n, nil
	}
}

// given is the text of a param that must say something.
func given(c nodetype.Call, key string) (string, error) {
	if text := c.Text(key); strings.TrimSpace(text) != "" {
		return text, nil
	}
	return "", fault.New(fault.InvalidRequest, "%s is empty: give some text", key)
}

func limitPort(of string, otherwise int) ir.Port {
	return ir.Port{Key: "limit", Type: value.Integer, Default: otherwise, Description: "How many " + of + " at most, up to 1000."}
}

func issueNumberPort(what string) ir.Port {
	return ir.Port{Key: "issue_number", Type: value.Integer, Required: true, Description: what}
}

func textsPort(key, description string) ir.Port {
	return ir.Port{Key: key, Type: value.Array, Structure: ir.MustStructure([]any{"string"}), Description: description}
}

func listOf(shape map[string]any) *ir.Structure { return ir.MustStructure([]any{shape}) }

var (
	readsGithub   = []ir.Effect{ir.Reads, ir.Network, ir.Idempotent}
	changesGithub = []ir.Effect{ir.Writes, ir.Network}
)
