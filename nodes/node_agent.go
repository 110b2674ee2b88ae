package nodes

import (
	"context"
	"os"
	"strings"
	"time"

	"pflow/internal/fault"
	"pflow/internal/mask"
	"pflow/internal/nodetype"
	"pflow/internal/process"
	"pflow/internal/settings"
	"pflow/internal/value"
	"pflow/ir"
)

// agentTimeout bounds an agent where nobody says how long it may work.
const agentTimeout = 30 * time.Minute

// agent hands a prompt to a coding agent. Which program that is only the settings say: a workflow may be a stranger's, and its
// shell steps are looked into, which this cannot be.
func agent(d Deps) nodetype.Type {
	return nodetype.Type{
		Interface: &ir.Interface{
			Name:        "agent",
			Description: "Hands a task to a coding agent such as claude, a program that reads and changes files by itself, and gives what it answers.",
			Inputs:      []ir.Port{{Key: "prompt", Type: value.String, Required: true, Description: "What it is to do; it reads that on standard input."}},
			Params: []ir.Port{
				{Key: "cwd", Type: value.String, Description: "The folder to work in; the working directory otherwise."},
				{Key: "agent", Type: value.String, Description: "Which one, by its name in agents of settings.yaml; the first there, or claude, if left out."},
				{Key: "timeout", Type: value.Any, Default: "30m", Description: "How long it may work: seconds, or a duration such as 10m."},
				{Key: "max_output", Type: value.Integer, Default: defaultOutput, Description: "How many bytes of its answer are kept; what is cut off is told."},
			},
			Outputs: []ir.Port{
				{Key: "response", Type: value.String, Description: "What it printed: its answer."},
				{Key: "exit_code", Type: value.Integer, Description: "Its exit status: 0, or the node has failed."},
			},
			Effects: []ir.Effect{ir.Reads, ir.Writes, ir.Network, ir.Destructive},
		},
		Place: "agent",
		Check: func(params map[string]any) []ir.Problem { return checkDuration(params, "timeout") },
		Foresee: func(nodetype.Call, []string) nodetype.Foreseen {
			return nodetype.Foreseen{Destroys: "it may change or delete whatever it finds fit"}
		},
		Run: func(ctx context.Context, c nodetype.Call) (nodetype.Outcome, error) { return runAgent(ctx, d, c) },
		Example: nodetype.Example{
			Params:  map[string]any{"prompt": "Say hello."},
			Outputs: map[string]any{"response": "Hello.", "exit_code": 0},
		},
	}
}

func runAgent(ctx context.Context, d Deps, c nodetype.Call) (nodetype.Outcome, error) {
	timeout, err := duration(c.Params["timeout"], "timeout", agentTimeout)
	if err != nil {
		return nodetype.Outcome{}, err
	}
	who, p, err := agentProgram(ctx, d, c)
	if err != nil {
		return nodetype.Outcome{}, err
	}
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	code, err := p.Run(bounded)
	out := nodetype.Outcome{Warnings: p.Stdout.Notes("response")}
	out.Outputs = map[string]any{"response": p.Stdout.Text(true), "exit_code": code}
	switch {
	case ctx.Err() != nil:
		return out, ctx.Err()
	case bounded.Err() != nil:
		return out, fault.New(fault.Timeout, "the agent %s was not done after %s and was ended%s; what it changed stays; set timeout to more", who.Name, timeout, p.LastWords())
	case err != nil:
		return nodetype.Outcome{}, startFault(p, err)
	case code != 0:
		keys := ""
		if len(who.Env) == 0 {
			keys = "; if it wants a key, name its variable in agents." + who.Name + ".env of settings.yaml"
		}
		return out, fault.New(fault.ExitStatus, "the agent %s ended with exit status %d%s%s", who.Name, code, p.LastWords(), keys)
	}
	return out, nil
}

// agentProgram makes the call of the agent that a node names.
func agentProgram(ctx context.Context, d Deps, c nodetype.Call) (settings.Agent, *process.Program, error) {
	who, err := agentOf(d, c.Text("agent"))
	if err != nil {
		return who, nil, err
	}
	prompt, err := given(c, "prompt")
	if err != nil {
		return who, nil, err
	}
	path := FindProgram(c.Env, who.Command[0])
	if path == "" {
		return who, nil, fault.New(fault.NotFound, "the agent %s is the program %s, which is not on the PATH; install it, or name another in settings.yaml: agents: {%[1]s: {command: [PROGRAM, ARGUMENT]}}", who.Name, who.Command[0])
	}
	p := &process.Program{Argv: append([]string{path}, who.Command[1:]...), Dir: c.Dir, Env: environment(d, c), Stdin: prompt, HasStdin: true, Told: true}
	p.Stdout.Limit, p.Stderr.Limit = defaultOutput, defaultOutput
	if limit, ok := c.Params["max_output"].(int); ok && limit > 0 {
		p.Stdout.Limit = min(limit, maxOutput)
	}
	for _, name := range who.Env {
		text, err := c.Secret(ctx, name)
		if err != nil {
			return who, nil, err
		}
		if text != "" {
			p.Set = append(p.Set, name+"="+text)
		}
	}
	secrets := mask.From(ctx)
	p.Stdout.Mask, p.Stderr.Mask = secrets.Stream(), secrets.Stream()
	if c.Text("cwd") != "" {
		if p.Dir, err = c.Path("cwd"); err != nil {
			return who, nil, err
		}
		if info, err := os.Stat(p.Dir); err != nil {
			return who, nil, fileFault("run an agent in "+quote(c.Text("cwd")), err)
		} else if !info.IsDir() {
			return who, nil, fault.New(fault.InvalidRequest, "cannot run an agent in %s: it is no folder", quote(c.Text("cwd")))
		}
	}
	return who, p, nil
}

// agentOf finds the agent of a name, the first one if there is none.
func agentOf(d Deps, name string) (settings.Agent, error) {
	list := settings.DefaultAgents()
	if d.Agents != nil {
		var err error
		if list, err = d.Agents(); err != nil {
			return settings.Agent{}, err
		}
	}
	var names []string
	for _, a := range list {
		if name == "" || a.Name == name {
			return a, nil
		}
		names = append(names, a.Name)
	}
	return settings.Agent{}, fault.New(fault.InvalidRequest, "there is no agent %s; settings.yaml has: %s", quote(name), orNone(strings.Join(names, ", ")))
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
