// Package gitcli speaks with the git program, of version 1.8 or later: what it is asked for and how its answers are read.
//
// Answers are those of formats that git keeps stable for programs (NUL-separated, or one word), never its messages, which
// only reach the user. Revisions are resolved to commits first and names checked, so that nothing a value holds is taken for
// an option. What only reads runs nothing that a repository names: no hook, filter, pager, text conversion, monitor or
// transport; what writes runs the hooks and filters of the repository, as git would.
package gitcli

import (
	"context"
	"path/filepath"
	"strings"

	"pflow/internal/fault"
)

// Command is one call of git.
type Command struct {
	Dir   string   // absolute, or "" for the working directory
	Args  []string // without "git"
	Env   []string // variables to set, as NAME=value, beside Environment
	Stdin string
	Limit int // bytes of what it prints that are kept; 0 stands for MaxOutput
}

// MaxOutput bounds what is kept of an answer, in bytes.
const MaxOutput = 32 << 20

// Result is how a call ended.
type Result struct {
	Stdout string
	Cut    bool   // Stdout is not all that was printed
	Stderr string // the end of it, without secrets
	Code   int    // the exit status
}

// Runner runs git. The error is that of starting it, or the context's.
type Runner func(ctx context.Context, c Command) (Result, error)

// Program is how git is run.
type Program struct {
	Run Runner
	SSH string // the command for ssh that the user's environment names, "" if none; see SSHCommand
}

// Git is the program, in a folder.
type Git struct {
	Program
	Dir string // absolute, or "" for the working directory

	gitDir    string
	top       string
	prefix    *string
	unfilter  []string // settings that turn off the filters a repository names
	filtering bool     // unfilter is known
}

// Open checks that a folder is in a repository.
func Open(ctx context.Context, p Program, dir string) (*Git, error) {
	g := &Git{Program: p, Dir: dir}
	r, err := g.call(ctx, reading, "", nil, "rev-parse", "--git-dir")
	if err != nil {
		return nil, err
	}
	if r.Code != 0 {
		return nil, g.failed(fault.NotFound, "not_a_repository", r, "%s is not in a git repository that can be used; give a folder of one as cwd, or make one with git-init", quoteDir(dir))
	}
	g.gitDir = line(r.Stdout)
	if !filepath.IsAbs(g.gitDir) {
		g.gitDir = filepath.Join(dir, g.gitDir)
	}
	return g, nil
}

// mode is what a call may do.
type mode int

const (
	reading mode = iota // runs nothing that the repository names, and does not refresh the index
	writing             // runs hooks and filters
	remote              // goes to another repository
)

// call runs git once.
func (g *Git) call(ctx context.Context, m mode, stdin string, env []string, args ...string) (Result, error) {
	return g.limited(ctx, m, 0, stdin, env, args...)
}

func (g *Git) limited(ctx context.Context, m mode, limit int, stdin string, env []string, args ...string) (Result, error) {
	set := append([]string{}, env...)
	before := settings(m)
	if m == reading {
		before = append(before, g.unfilter...)
	}
	var options []string
	for _, s := range before {
		options = append(options, "-c", s)
	}
	r, err := g.Run(ctx, Command{Dir: g.Dir, Args: append(options, args...), Env: append(modeVariables(m), set...), Stdin: stdin, Limit: limit})
	if err != nil {
		return r, err
	}
	if r.Cut && limit == 0 {
		return r, fault.New(fault.InvalidRequest, "git %s gives more than %d MiB; narrow it by limit, paths, from or to", args[0], MaxOutput>>20)
	}
	return r, nil
}

// read gives what a call prints; an exit status other than 0 is an error.
func (g *Git) read(ctx context.Context, args ...string) (string, error) {
	r, err := g.call(ctx, reading, "", nil, args...)
	if err == nil && r.Code != 0 {
		err = g.failed(fault.ExitStatus, "failed", r, "git %s failed", args[0])
	}
	return r.Stdout, err
}

// holds reads a question that git answers by its exit status: 0 is yes, 1 no.
func (g *Git) holds(ctx context.Context, args ...string) (bool, error) {
	r, err := g.call(ctx, reading, "", nil, args...)
	if err == nil && r.Code > 1 {
		err = g.failed(fault.ExitStatus, "failed", r, "git %s failed", args[0])
	}
	return r.Code == 0, err
}

// write runs a call that changes the repository.
func (g *Git) write(ctx context.Context, stdin string, env []string, args ...string) (Result, error) {
	r, err := g.call(ctx, writing, stdin, env, args...)
	if err == nil && r.Code != 0 {
		err = g.failed(fault.ExitStatus, "failed", r, "git %s failed", args[0])
	}
	return r, err
}

// Top is the folder of the working tree.
func (g *Git) Top(ctx context.Context) (string, error) {
	if g.top != "" {
		return g.top, nil
	}
	r, err := g.call(ctx, reading, "", nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return "", err
	}
	if r.Code != 0 || line(r.Stdout) == "" {
		return "", g.failed(fault.InvalidRequest, "no_working_tree", r, "%s is a repository without files to work on (bare); give a folder of a clone as cwd", quoteDir(g.Dir))
	}
	g.top = filepath.FromSlash(line(r.Stdout))
	return g.top, nil
}

// AtTop is the program in the folder of the working tree.
func (g *Git) AtTop(ctx context.Context) (*Git, error) {
	top, err := g.Top(ctx)
	if err != nil {
		return nil, err
	}
	at := *g
	none := ""
	at.Dir, at.prefix = top, &none
	return &at, nil
}

// line is an answer of one line, without its line break.
func line(s string) string {
	s = strings.TrimSuffix(s, "\n")
	return strings.TrimSuffix(s, "\r")
}

// fields splits a NUL-separated answer.
func fields(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\x00"), "\x00")
}
