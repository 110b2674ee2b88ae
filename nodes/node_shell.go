package nodes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"syscall"

	"pflow/internal/fault"
	"pflow/internal/mask"
	"pflow/internal/nodetype"
	"pflow/internal/process"
	"pflow/internal/value"
	"pflow/ir"
)

// shell runs a command line.
func shell(d Deps) nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "shell",
			Description: "Runs a command with /bin/sh and gives what it prints. An exit status other than 0 is an error.",
			Inputs: []ir.Port{
				{Key: "args", Type: value.Array, Default: []any{}, Structure: ir.MustStructure([]any{"any"}), Description: `The command's "$1", "$2" and so on.`},
				{Key: "stdin", Type: value.Any, Description: "What the command reads; values other than text as JSON."},
			},
			Params: []ir.Port{
				{Key: "command", Type: value.String, Required: true,
					Description: `The command line. ${…} is handed over as one quoted word, whatever is in it; a variable of the shell is written $$NAME. Everything that it starts ends with it.`},
				{Key: "cwd", Type: value.String, Description: "The folder to run in; the working directory otherwise."},
				{Key: "env", Type: value.Object, Default: map[string]any{}, Description: "Further environment variables, by name."},
				{Key: "timeout", Type: value.Any, Description: "How long it may take: seconds, or a duration such as 30s or 5m; no bound otherwise."},
				{Key: "max_output", Type: value.Integer, Default: defaultOutput, Description: "How many bytes of stdout, and of stderr, are kept; what is cut off is told."},
				{Key: "trim", Type: value.Boolean, Default: true, Description: "Cut the line breaks at the end of stdout and stderr, as $(…) does."},
			},
			Outputs: []ir.Port{
				{Key: "stdout", Type: value.String, Description: "What it printed."},
				{Key: "stderr", Type: value.String, Description: "What it printed as messages."},
				{Key: "exit_code", Type: value.Integer, Description: "Its exit status: 0, or the node has failed."},
			},
			Effects: []ir.Effect{ir.Reads, ir.Writes},
		},
		Place: "shell",
		Late:  []string{"command"},
		Check: func(params map[string]any) []ir.Problem {
			problems := checkDuration(params, "timeout")
			if command, ok := params["command"].(string); ok {
				shell, found := parseShell(command)
				for _, p := range found {
					p.Path = "command"
					problems = append(problems, p)
				}
				problems = append(problems, optionsForScripts(shell, params["args"])...)
			}
			return problems
		},
		Foresee: func(c nodetype.Call, pending []string) nodetype.Foreseen {
			return nodetype.Foreseen{Destroys: destroysShell(c, pending)}
		},
		Run: func(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) { return runShell(ctx, d, c) },
		Example: nodetype.Example{
			Files:   map[string]string{"words.txt": "plan\nonce\nrun\n"},
			Params:  map[string]any{"command": `wc -l < "$1"; echo "$$UNIT"`, "args": []any{"words.txt"}, "env": map[string]any{"UNIT": "lines"}},
			Outputs: map[string]any{"stdout": "3\nlines", "stderr": "", "exit_code": 0},
		},
	}
}

// Bounds on what is kept of a command's output.
const (
	defaultOutput = 1 << 20
	maxOutput     = 64 << 20
)

func runShell(ctx context.Context, d Deps, c nodetype.Call) (nodetype.Outcome, error) {
	p, err := shellProgram(ctx, d, c)
	if err != nil {
		return nodetype.Outcome{}, err
	}
	timeout, err := duration(c.Params["timeout"], "timeout", 0)
	if err != nil {
		return nodetype.Outcome{}, err
	}
	bounded := ctx
	if timeout > 0 {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	code, err := p.Run(bounded)
	trim := c.Params["trim"] != false
	out := nodetype.Outcome{Warnings: append(p.Stdout.Notes("stdout"), p.Stderr.Notes("stderr")...)}
	out.Outputs = map[string]any{"stdout": p.Stdout.Text(trim), "stderr": p.Stderr.Text(trim), "exit_code": code}
	switch {
	case ctx.Err() != nil:
		return out, ctx.Err()
	case bounded.Err() != nil:
		return out, fault.New(fault.Timeout, "the command was not done after %s and was ended%s", timeout, p.LastWords())
	case err != nil:
		return nodetype.Outcome{}, startFault(p, err)
	case code != 0:
		return out, fault.New(fault.ExitStatus, "the command ended with exit status %d%s", code, p.LastWords())
	}
	return out, nil
}

// shellProgram makes the call of /bin/sh. Values of templates travel in the environment.
func shellProgram(ctx context.Context, d Deps, c nodetype.Call) (*process.Program, error) {
	source, ok := c.Params["command"].(string)
	if !ok || strings.TrimSpace(source) == "" {
		return nil, fault.New(fault.InvalidRequest, "command is empty: give the command line to run")
	}
	command, problems := parseShell(source)
	if problems != nil {
		return nil, badParam("command", source, problems)
	}
	p := &process.Program{Argv: []string{"/bin/sh", "-c", command.text, "sh"}, Dir: c.Dir, Env: environment(d, c), Told: true}
	p.Stdout.Mask, p.Stderr.Mask = mask.From(ctx).Stream(), mask.From(ctx).Stream()
	limit, _ := c.Params["max_output"].(int)
	if limit <= 0 {
		limit = defaultOutput
	}
	p.Stdout.Limit, p.Stderr.Limit = min(limit, maxOutput), min(limit, maxOutput)
	if c.Text("cwd") != "" {
		dir, err := c.Path("cwd")
		if err != nil {
			return nil, err
		}
		p.Dir = dir
	}
	if p.Dir != "" {
		if info, err := os.Stat(p.Dir); err != nil {
			return nil, fileFault("run a command in "+quote(p.Dir), err)
		} else if !info.IsDir() {
			return nil, fault.New(fault.InvalidRequest, "cannot run a command in %s: it is no folder", quote(p.Dir))
		}
	}
	if stdin := c.Params["stdin"]; stdin != nil {
		p.Stdin, p.HasStdin = ir.Text(stdin), true
	}
	args, _ := c.Params["args"].([]any)
	for i, a := range args {
		text := ir.Text(a)
		if name := command.scriptArgs[i+1]; name != "" && isScriptOption(text) {
			return nil, scriptOption(fmt.Sprintf("args[%d]", i), text, name)
		}
		if err := fitsProgram(fmt.Sprintf("args[%d]", i), text); err != nil {
			return nil, err
		}
		p.Argv = append(p.Argv, text)
	}
	env := c.Object("env")
	for _, name := range value.SortedKeys(env) {
		if err := checkVariable(name); err != nil {
			return nil, err
		}
		text := ir.Text(env[name])
		if env[name] == nil {
			var err error
			if text, err = c.Secret(ctx, name); err != nil {
				return nil, err
			}
			if text == "" {
				continue
			}
		}
		if err := fitsProgram("env."+name, text); err != nil {
			return nil, err
		}
		p.Set = append(p.Set, name+"="+text)
	}
	values, err := lateValues(c, &lateText{exprs: command.exprs})
	if err != nil {
		return nil, err
	}
	for i, text := range values {
		if name := command.scripts[i]; name != "" && isScriptOption(text) {
			return nil, scriptOption(command.exprs[i].Text, text, name)
		}
		if name := command.operands[i]; name != "" && len(text) > 1 && text[0] == '-' {
			return nil, fault.New(fault.InvalidRequest, "%s is %s, which %s would read as an option; write -- before the operands of %s", command.exprs[i].Text, quote(text), name, name)
		}
		if err := fitsProgram(command.exprs[i].Text, text); err != nil {
			return nil, err
		}
		p.Set = append(p.Set, shellVar(i)+"="+text)
	}
	return p, nil
}

// optionsForScripts finds options among args, as they are written, that stand where a program takes the path of its script.
func optionsForScripts(command *shellCommand, args any) (problems []ir.Problem) {
	list, _ := args.([]any)
	for i, a := range list {
		text, ok := a.(string)
		if ok && command != nil && command.scriptArgs[i+1] != "" && isScriptOption(text) {
			problems = append(problems, ir.Problem{Path: fmt.Sprintf("args[%d]", i), Message: fault.Of(scriptOption("it", text, command.scriptArgs[i+1])).Message})
		}
	}
	return problems
}

func scriptOption(what, text, program string) error {
	return fault.New(fault.InvalidRequest, "%s is %s, where %s takes the path of its script: it would be read as an option; give a path, such as %s", what, quote(text), program, quote("./"+text))
}

// environment is what a command finds in its environment before the node's own env: what this process has, but no keys and
// secrets. In env, null hands such a variable on.
func environment(d Deps, c nodetype.Call) []string {
	env := d.Environ
	if env == nil {
		env = os.Environ()
	}
	if c.Withheld == nil {
		return env
	}
	out := make([]string, 0, len(env)) // never nil, which would be this process's own
	for _, v := range env {
		if name, _, _ := strings.Cut(v, "="); !c.Withheld(name) {
			out = append(out, v)
		}
	}
	return out
}

// fitsProgram refuses a value that no program can be given as an argument or variable.
func fitsProgram(what, text string) error {
	switch {
	case len(text) > maxCommand-64: // the name of the variable counts too
		return fault.New(fault.InvalidRequest, "%s has %d KiB: a command takes at most 127 KiB in one argument or variable; hand it over by stdin", what, len(text)>>10)
	case strings.ContainsRune(text, 0):
		return fault.New(fault.InvalidRequest, "%s holds a NUL character, which no argument or variable can; hand it over by stdin", what)
	}
	return nil
}

var (
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	reservedName = regexp.MustCompile(`^PFLOW_([0-9]+|NODE)$`)
)

func checkVariable(name string) error {
	switch {
	case !variableName.MatchString(name):
		return fault.New(fault.InvalidRequest, "env: %s is no name of a variable: use letters, digits and _", quote(name))
	case reservedName.MatchString(name):
		return fault.New(fault.InvalidRequest, "env: the name %s is pflow's own; use another", name)
	}
	return nil
}

func startFault(p *process.Program, err error) error {
	if errors.Is(err, syscall.E2BIG) {
		return fault.New(fault.InvalidRequest, "the command's arguments and environment are too long together; hand data over by stdin")
	}
	return fileFault("run "+p.Argv[0], err)
}
