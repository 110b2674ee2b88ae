package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"pflow/internal/home"
	"pflow/internal/outcome"
	"pflow/internal/printable"
)

// app is the program as a function of its surroundings.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string

	homeFlag           string
	asJSON, quiet      bool
	address, namespace string
	queue              string
	store, keys        string // of payloads

	connected client.Client // what commands talk to; nil: connect makes one
}

func newApp(stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) *app {
	if f, ok := stdout.(*os.File); ok && terminal(f) {
		stdout = printable.NewWriter(stdout)
	}
	return &app{stdin: stdin, stdout: stdout, stderr: printable.NewWriter(stderr), getenv: getenv}
}

func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// main runs one command line and gives the exit status.
func (a *app) main(ctx context.Context, args []string) int {
	root := a.rootCommand()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if a.connected != nil {
		a.connected.Close()
	}
	var exit *outcome.Error
	code := outcome.Failed
	switch {
	case err == nil:
		return outcome.Done
	case errors.As(err, &exit):
		code = exit.Code
	}
	if err.Error() != "" {
		fmt.Fprintln(a.stderr, "pflow-temporal: "+err.Error())
	}
	if signalled, ok := interrupted(ctx); ok {
		return signalled
	}
	return code
}

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "pflow-temporal",
		Short: "Run workflows and flows on Temporal",
		Long: `Run pflow's workflows and flows on Temporal, where a run outlives the process that began it, and many workers share the steps.
A worker carries the steps out; pflow run NAME --on temporal begins runs, and so does run here.

Where the server is, TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY and the other variables and the configuration file of
Temporal's own programs say.`,
		Example: `  pflow-temporal worker
  pflow-temporal run greet name=Ada
  pflow-temporal show`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage("%s: %v; %s --help tells the flags", c.CommandPath(), err, c.CommandPath())
	})
	f := root.PersistentFlags()
	f.StringVar(&a.homeFlag, "home", "", "the `FOLDER` of settings and stored values (default $PFLOW_HOME, else ~/.pflow)")
	f.BoolVar(&a.asJSON, "json", false, "print the result as JSON")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "show nothing but results, warnings and errors")
	f.StringVar(&a.address, "address", "", "the `HOST:PORT` of the server (default $TEMPORAL_ADDRESS, else localhost:7233)")
	f.StringVar(&a.namespace, "namespace", "", "Temporal's `NAMESPACE` (default $TEMPORAL_NAMESPACE, else default)")
	f.StringVar(&a.queue, "queue", a.fromEnv("PFLOW_TEMPORAL_QUEUE", usualQueue), "the task `QUEUE` that workers take runs from (also $PFLOW_TEMPORAL_QUEUE)")
	a.payloadFlags(root)
	root.AddCommand(a.workerCommand(), a.runCommand(), a.resumeCommand(), a.cancelCommand(), a.showCommand(), a.scheduleCommand())
	for _, c := range root.Commands() {
		if c.HasSubCommands() {
			group(c)
		}
	}
	group(root)
	return root
}

// group makes a command that only holds others say which there are, instead of taking anything.
func group(c *cobra.Command) {
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		var names []string
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				names = append(names, sub.Name())
			}
		}
		return usage("there is no command %q; there are: %s", c.CommandPath()+" "+args[0], strings.Join(names, ", "))
	}
}

func (a *app) fromEnv(name, otherwise string) string { return cmp.Or(a.getenv(name), otherwise) }

// home is the folder of the home.
func (a *app) home() (string, error) {
	h := home.Find(a.homeFlag, a.getenv)
	if err := h.Err(); err != nil {
		return "", usage("%v", err)
	}
	return h.Dir(), nil
}

func usage(format string, args ...any) error { return outcome.Fail(outcome.Usage, format, args...) }

func fail(code int, format string, args ...any) error { return outcome.Fail(code, format, args...) }

func (a *app) warn(format string, args ...any) {
	fmt.Fprintf(a.stderr, "pflow-temporal: warning: "+format+"\n", args...)
}

// say tells a person what happens.
func (a *app) say(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.stderr, format+"\n", args...)
	}
}

func (a *app) printJSON(v any) error { return outcome.JSON(a.stdout, v, "  ") }

// one is for commands that take exactly one word.
func one(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage("%s: name %s", c.CommandPath(), what)
		}
		return nil
	}
}
