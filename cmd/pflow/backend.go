package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/internal/diag"
	"pflow/internal/mask"
	"pflow/internal/prepared"
	"pflow/internal/workflow"
	"pflow/ir"
)

// backendPrefix begins the names of programs that run what pflow prepares.
const backendPrefix = "pflow-"

// backend says what a run is handed to, instead of being run here.
type backend struct {
	on      string // pflow-ON is the program
	prepare bool   // it is printed

	program string // that find found
}

func (b *backend) flags(a *app, c *cobra.Command) {
	c.Flags().StringVar(&b.on, "on", "", "have the program pflow-`BACKEND` run it")
	c.Flags().BoolVar(&b.prepare, "prepare", false, "print what a backend is handed, as JSON, and run nothing")
	a.completes(c, "on", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return backends(), cobra.ShellCompDirectiveNoFileComp
	})
}

// elsewhere reports whether the run is for another program.
func (b *backend) elsewhere() bool { return b.on != "" || b.prepare }

var backendName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// installed says how a backend that is part of pflow's sources is installed.
var installed = map[string]string{"temporal": "cd temporal && go install ./cmd/pflow-temporal"}

// find finds the program, before anything is asked or checked for it.
func (b *backend) find() error {
	switch {
	case b.on == "":
		return nil
	case b.prepare:
		return usage("--on and --prepare exclude each other: a run is handed on, or printed")
	case !backendName.MatchString(b.on):
		return usage("--on %s: want the name of a backend: small letters, digits and dashes", shellQuote(b.on))
	}
	program, err := exec.LookPath(backendPrefix + b.on)
	if err == nil {
		b.program, err = filepath.Abs(program)
	}
	if err == nil {
		return nil
	}
	if !errors.Is(err, exec.ErrNotFound) {
		return usage("--on %s: %v", b.on, err)
	}
	there := backends()
	hint := "install it into a folder of the PATH"
	if near := didYouMean(b.on, there); near != "" {
		hint = strings.TrimPrefix(near, "; ")
	} else if how := installed[b.on]; how != "" {
		hint = "install it from pflow's sources: " + how
	} else if len(there) > 0 {
		hint = "on the PATH are: " + diag.Names(there, 20)
	}
	return usage("--on %s: there is no program %s%s on the PATH; %s", b.on, backendPrefix, b.on, hint)
}

// backends lists those on the PATH.
func backends() []string {
	var out []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		found, _ := filepath.Glob(filepath.Join(dir, backendPrefix+"*"))
		for _, file := range found {
			name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), backendPrefix), ".exe")
			if _, err := exec.LookPath(file); err == nil && backendName.MatchString(name) {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// prepareWorkflow makes what a backend is handed of a run of a workflow. store and missing are what Bind made of what is given.
func (a *app) prepareWorkflow(l *loaded, given workflow.Given, store map[string]any, missing []ir.Input) (*prepared.Run, error) {
	documents, err := l.program.Documents(l.source, l.flows)
	if err != nil {
		return nil, err
	}
	var lacking []prepared.Missing
	for _, in := range missing {
		lacking = append(lacking, prepared.Missing{Name: in.Name, Type: string(in.Type), Description: in.Description})
	}
	if len(missing) > 0 {
		store = l.program.Found(store)
		if _, input := store[ir.StdinRoot]; given.Stdin != nil && !input {
			store[ir.StdinRoot] = *given.Stdin
		}
	}
	return a.prepared(prepared.Workflow, l.program.Name, documents, store, lacking, l.program.SecretIn)
}

// prepareFlow makes what a backend is handed of a run of a flow.
func (a *app) prepareFlow(flow *engine.Flow, docs *engine.Recording, input map[string]any, missing []engine.StateKey) (*prepared.Run, error) {
	documents, err := docs.Marshal()
	if err != nil {
		return nil, err
	}
	var lacking []prepared.Missing
	for _, k := range missing {
		lacking = append(lacking, prepared.Missing{Name: k.Name, Type: string(k.Type)})
	}
	return a.prepared(prepared.Flow, flow.Name, documents, input, lacking, a.keyIn)
}

// prepared makes the document, which holds no secret.
func (a *app) prepared(kind, name string, documents []byte, given map[string]any, missing []prepared.Missing, secretIn func(string) string) (*prepared.Run, error) {
	documents, err := a.invoked(nil).with(documents)
	if err != nil {
		return nil, err
	}
	r, err := prepared.New(kind, name, documents, given, missing)
	if err != nil {
		return nil, err
	}
	for what, text := range map[string][]byte{"its documents": r.Documents, "what it is given": r.Given} {
		if variable := secretIn(string(text)); variable != "" {
			return nil, usage("%s is not handed on: %s would hold the secret in the environment variable %s", name, what, variable)
		}
	}
	return r, nil
}

// keyIn names the environment variable of a key that a text holds, "" if it holds none.
func (a *app) keyIn(text string) string {
	for _, name := range a.host().KeyVariables() {
		if key := a.secrets().Known(name); len(key) >= workflow.ShortestKey && mask.New(mask.Env(name, key)).Has(text) {
			return name
		}
	}
	return ""
}

// handOn prints a run, or has its backend run it: the backend's exit status is that of the command.
func (a *app) handOn(ctx context.Context, r *prepared.Run, b *backend) error {
	if b.prepare {
		return a.printJSON(r)
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	args := []string{"run", "-"}
	for _, f := range []struct {
		name  string
		given bool
	}{{"--json", a.asJSON}, {"--quiet", a.quiet}, {"--home=" + a.homeDir(), a.homeNamed()}} {
		if f.given {
			args = append(args, f.name)
		}
	}
	cmd := exec.CommandContext(ctx, b.program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), a.results, a.stderr
	if _, own := a.printed.w.(*os.File); own {
		cmd.Stdout = a.printed.w // whether that is a terminal is the backend's to see
	}
	cmd.Cancel = func() error {
		var s *signalError
		if errors.As(context.Cause(ctx), &s) {
			return cmd.Process.Signal(s.signal)
		}
		return cmd.Process.Kill()
	}
	cmd.WaitDelay = 10 * time.Second
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit) && exit.Exited():
		return &exitError{Code: exit.ExitCode()} // it said why
	}
	return fail(exitFailed, "%s: %s", filepath.Base(b.program), cmp.Or(ended(exit), err.Error()))
}

// ended tells how a program ended that did not exit.
func ended(e *exec.ExitError) string {
	if e == nil {
		return ""
	}
	return "it was ended: " + e.ProcessState.String()
}
