package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/internal/outcome"
	"pflow/internal/prepared"
	"pflow/temporal/drive"
)

// begins are the flags of what begins runs.
type begins struct {
	yes    string
	places []string
}

func (b *begins) flags(a *app, c *cobra.Command) {
	c.Flags().StringVarP(&b.yes, "yes", "y", "", "approve nodes that want approval; --yes=destructive also what destroys")
	c.Flags().Lookup("yes").NoOptDefVal = "plan"
	var places []string
	if v := a.getenv("PFLOW_TEMPORAL_PLACES"); v != "" {
		places = strings.Split(v, ",")
	}
	c.Flags().StringSliceVar(&b.places, "place", places, "the task queue of steps that want a place: `PLACE=QUEUE`, of network, shell and agent (also $PFLOW_TEMPORAL_PLACES)")
}

// start makes what a run begins with.
func (b *begins) start(r *prepared.Run) (*drive.Start, error) {
	s := &drive.Start{Step: engine.StepVersion, Name: r.Name, Documents: r.Documents, Hash: drive.HashOf(r.Documents), Given: r.Given, Bound: r.Bound, Yes: r.Yes}
	for _, p := range b.places {
		place, queue, ok := strings.Cut(p, "=")
		if !ok || queue == "" || place != "network" && place != "shell" && place != "agent" {
			return nil, usage("--place %s: want network=QUEUE, shell=QUEUE or agent=QUEUE", p)
		}
		if s.Queues == nil {
			s.Queues = map[string]string{}
		}
		s.Queues[place] = queue
	}
	return s, nil
}

// prepare gives the run that a command line names: the document on standard input, one in a file, or what pflow makes of the name of
// a workflow and its inputs.
func (a *app) prepare(ctx context.Context, args []string, b *begins) (*prepared.Run, error) {
	read := func(from string, in io.Reader) (*prepared.Run, error) {
		r, err := prepared.Read(in)
		if err != nil {
			return nil, usage("%s: %v", from, err)
		}
		r.Yes = r.Yes || b.yes != ""
		return r, nil
	}
	if args[0] == "-" {
		if len(args) > 1 {
			return nil, usage("%q: what is prepared has its inputs", args[1])
		}
		return read("standard input", a.stdin)
	}
	if data, err := os.ReadFile(args[0]); err == nil && bytes.Contains(data[:min(len(data), 200)], []byte(prepared.Schema)) {
		return read(args[0], bytes.NewReader(data))
	}
	text, err := a.pflow(ctx, args, b)
	if err != nil {
		return nil, err
	}
	return read("what pflow prepared", bytes.NewReader(text))
}

// pflow has pflow prepare a workflow. It asks and says what it has to.
func (a *app) pflow(ctx context.Context, args []string, b *begins) ([]byte, error) {
	program, err := exec.LookPath("pflow")
	if own, e := os.Executable(); err != nil && e == nil {
		program, err = exec.LookPath(filepath.Join(filepath.Dir(own), "pflow"))
	}
	if err != nil {
		return nil, usage("the program pflow, which reads workflows, is not on the PATH: install it")
	}
	words := append([]string{"run"}, args...)
	words = append(words, "--prepare")
	if b.yes != "" {
		words = append(words, "--yes="+b.yes)
	}
	if a.homeFlag != "" {
		words = append(words, "--home="+a.homeFlag)
	}
	if a.quiet {
		words = append(words, "--quiet")
	}
	cmd := exec.CommandContext(ctx, program, words...)
	cmd.Stdin, cmd.Stderr = a.stdin, a.stderr
	if _, own := a.stdin.(*os.File); own {
		cmd.Stderr = os.Stderr // it asks where somebody is there to answer
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	text, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		return nil, &outcome.Error{Code: exit.ExitCode()} // it said why
	}
	if err != nil {
		return nil, fail(outcome.Failed, "pflow: %v", err)
	}
	return text, nil
}
