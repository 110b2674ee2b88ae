package nodes

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pflow/internal/fault"
	"pflow/internal/gitcli"
	"pflow/internal/mask"
	"pflow/internal/nodetype"
	"pflow/internal/process"
	"pflow/internal/value"
	"pflow/ir"
)

// gitRun is what a git node does in its repository.
type gitRun func(ctx context.Context, g *gitcli.Git, c nodetype.Call) (nodetype.Outcome, error)

// gitType makes a node type of git: it has a folder, cwd, which must be in a repository.
func gitType(d Deps, i *ir.Interface, run gitRun, example nodetype.Example) nodetype.Type {
	i.Params = append(i.Params, ir.Port{Key: "cwd", Type: value.String, Description: "A folder of the repository; the working directory otherwise. Paths count from here."})
	return nodetype.Type{
		Interface: i,
		Run: func(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) {
			g, err := openGit(ctx, d, c)
			if err != nil {
				return nodetype.Outcome{}, err
			}
			if err := gitPermits(ctx, g, c, i.Name); err != nil {
				return nodetype.Outcome{}, err
			}
			return run(ctx, g, c)
		},
		Example: example,
	}
}

// openGit opens the repository of a call.
func openGit(ctx context.Context, d Deps, c nodetype.Call) (*gitcli.Git, error) {
	dir := c.Dir
	if c.Text("cwd") != "" {
		var err error
		if dir, err = c.Path("cwd"); err != nil {
			return nil, err
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil, &fault.Error{Kind: fault.NotFound, Details: map[string]any{"reason": "no_folder"}, Message: "cwd is " + quote(c.Text("cwd")) + ", where no folder is"}
		}
	}
	return gitcli.Open(ctx, GitProgram(environment(d, c)), dir)
}

// GitProgram runs git in an environment: with no terminal and nothing to read, and its output bounded.
func GitProgram(user []string) gitcli.Program {
	env := gitcli.Environment(user)
	run := func(ctx context.Context, command gitcli.Command) (gitcli.Result, error) {
		path, err := findGit(env)
		if err != nil {
			return gitcli.Result{}, err
		}
		p := &process.Program{Argv: append([]string{path}, command.Args...), Dir: command.Dir, Env: env, Set: command.Env, Apart: true}
		for _, a := range p.Argv[1:] {
			if err := fitsProgram("what git is given", a); err != nil {
				return gitcli.Result{}, err
			}
		}
		p.Stdin, p.HasStdin = command.Stdin, command.Stdin != ""
		p.Stdout.Mask, p.Stderr.Mask = mask.From(ctx).Stream(), mask.From(ctx).Stream()
		p.Stdout.Limit, p.Stderr.Limit = command.Limit, maxGitMessages
		if p.Stdout.Limit <= 0 {
			p.Stdout.Limit = gitcli.MaxOutput
		}
		code, err := p.Run(ctx)
		switch {
		case ctx.Err() != nil:
			return gitcli.Result{}, ctx.Err()
		case err != nil:
			return gitcli.Result{}, fileFault("run git in "+quote(command.Dir), err)
		}
		stdout, cut := p.Stdout.Bytes()
		return gitcli.Result{Stdout: string(stdout), Cut: cut, Stderr: p.Stderr.Last(), Code: code}, nil
	}
	return gitcli.Program{Run: run, SSH: gitcli.SSHCommand(user)}
}

const maxGitMessages = 64 << 10

// findGit looks for git on the path of an environment, in no folder that is named relative to another one.
func findGit(env []string) (string, error) {
	dirs := ""
	for _, v := range env {
		if s, ok := strings.CutPrefix(v, "PATH="); ok {
			dirs = s
		}
	}
	for _, dir := range filepath.SplitList(dirs) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, "git")); err == nil {
			return path, nil
		}
	}
	return "", &fault.Error{Kind: fault.NotFound, Details: map[string]any{"reason": "no_git"},
		Message: "git is not installed, or not on the PATH; get it from https://git-scm.com/downloads, or by the system's packages (apt install git, brew install git)"}
}

// namesOnly are the node types that give names of files at most, and change none.
var namesOnly = []string{"git-status", "git-log", "git-show", "git-branches", "git-rename-branch", "git-delete-branch", "git-tag", "git-tags", "git-fetch"}

// gitPermits is why the settings do not let a node touch its repository. A node touches the paths that it is given, with all
// below them, and one that is given none all files of the repository; those that .gitignore names it leaves alone.
func gitPermits(ctx context.Context, g *gitcli.Git, c nodetype.Call, name string) error {
	if c.Permits == nil {
		return nil
	}
	from := c
	if g.Dir != "" {
		from.Dir = g.Dir
	}
	if err := c.Permit(from.Dir, false); err != nil {
		return err
	}
	paths, err := gitPaths(c, "paths")
	if err != nil {
		return err
	}
	if p := c.Text("file_path"); p != "" {
		paths = append(paths, p)
	}
	for _, p := range paths {
		at, err := from.At("paths", p)
		if err != nil {
			return err
		}
		if c.Permit(at, true) == nil {
			continue
		}
		if err := permitsFiles(ctx, g, c, at); err != nil {
			return err
		}
	}
	if len(paths) > 0 || slices.Contains(namesOnly, name) {
		return nil
	}
	top, err := g.Top(ctx)
	if err != nil {
		return c.Permit(from.Dir, true) // it has no files
	}
	if err := c.Permit(top, false); err != nil {
		return err
	}
	if c.Permit(top, true) == nil {
		return nil
	}
	return permitsFiles(ctx, g, c, top)
}

// permitsFiles asks for each file in a folder that git knows or would take.
func permitsFiles(ctx context.Context, g *gitcli.Git, c nodetype.Call, folder string) error {
	top, err := g.AtTop(ctx)
	if err != nil {
		return err
	}
	files, err := top.Known(ctx)
	if err != nil {
		return err
	}
	for _, f := range files {
		at := filepath.Join(top.Dir, filepath.FromSlash(f))
		if !within(at, folder) {
			continue
		}
		if err := c.Permit(at, false); err != nil {
			return err
		}
	}
	return nil
}

// gitPaths are the paths of a param, such as paths. Each goes through Locate, as those of all nodes do.
func gitPaths(c nodetype.Call, key string) ([]string, error) {
	list, _ := c.Params[key].([]any)
	var out []string
	for n, v := range list {
		p, ok := v.(string)
		if !ok {
			return nil, fault.New(fault.InvalidRequest, "%s[%d] is no text; give paths", key, n)
		}
		if p == "" || strings.ContainsRune(p, 0) {
			return nil, fault.New(fault.InvalidRequest, "%s[%d] is %s, which is no path", key, n, quote(p))
		}
		if strings.HasPrefix(p, "~/") || filepath.IsAbs(p) {
			p = c.Locate(p)
		}
		out = append(out, p)
	}
	return out, nil
}

// foreseeGit looks at a repository before the run, for a short time.
func foreseeGit(d Deps, c nodetype.Call, look func(ctx context.Context, g *gitcli.Git) nodetype.Foreseen) (seen nodetype.Foreseen) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	g, err := openGit(ctx, d, c)
	if err != nil {
		return seen // the node fails
	}
	return look(ctx, g)
}

// remotely bounds what goes to another repository by the param timeout.
func remotely(run gitRun) gitRun {
	return func(ctx context.Context, g *gitcli.Git, c nodetype.Call) (nodetype.Outcome, error) {
		bounded, cancel, err := gitTimeout(ctx, c)
		if err != nil {
			return nodetype.Outcome{}, err
		}
		defer cancel()
		out, err := run(bounded, g, c)
		return out, tookTooLong(ctx, bounded, err)
	}
}

const defaultGitTimeout = 10 * time.Minute

func gitTimeout(ctx context.Context, c nodetype.Call) (context.Context, context.CancelFunc, error) {
	timeout, err := duration(c.Params["timeout"], "timeout", defaultGitTimeout)
	if err != nil {
		return nil, nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, timeout)
	return bounded, cancel, nil
}

func tookTooLong(ctx, bounded context.Context, err error) error {
	if err != nil && ctx.Err() == nil && bounded.Err() != nil {
		return fault.New(fault.Timeout, "the other repository did not answer in time, and git was ended; give a longer timeout")
	}
	return err
}

func timeoutPort() ir.Port {
	return ir.Port{Key: "timeout", Type: value.Any, Default: "10m", Description: "How long it may take: seconds, or a duration such as 30s or 5m."}
}

func remotePort() ir.Port {
	return ir.Port{Key: "remote", Type: value.String, Description: "The name of the remote; otherwise the one that the branch follows, origin, or the only one."}
}

func pathsPort(description string) ir.Port {
	return ir.Port{Key: "paths", Type: value.Array, Structure: ir.MustStructure([]any{"string"}), Description: description}
}

func filesPort(key, description string) ir.Port {
	return ir.Port{Key: key, Type: value.Array, Structure: ir.MustStructure([]any{"string"}), Description: description}
}

// commitStructure is the inside of a commit, as gitcli gives it.
var commitStructure = map[string]any{
	"sha": "string", "short_sha": "string", "author": "string", "email": "string", "date": "string", "subject": "string",
	"body": "string", "tags": []any{"string"}, "files": []any{fileStructure},
}

var fileStructure = map[string]any{
	"path": "string", "status": "string", "renamed_from": "string", "added": "integer", "deleted": "integer", "binary": "boolean",
}

var updateStructure = map[string]any{"ref": "string", "status": "string", "from": "string", "to": "string"}

func cutNote(what string, limit int) string {
	return what + " was cut after " + strconv.Itoa(limit) + " bytes; narrow it by paths, or set max_bytes to keep more"
}

// gitFirst are the steps that make a repository with one commit of an example's files.
var gitFirst = []nodetype.Use{
	{Type: "git-init"},
	{Type: "git-commit", Params: map[string]any{"message": "First", "add_all": true}},
}
