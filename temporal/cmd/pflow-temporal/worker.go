package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"

	"pflow/internal/outcome"
	"pflow/temporal/drive"
	"pflow/temporal/internal/host"
)

func (a *app) workerCommand() *cobra.Command {
	var concurrency int
	var stepsOnly bool
	c := &cobra.Command{
		Use:   "worker",
		Short: "Carry out runs and their steps",
		Long: `Carry out runs and their steps until it is stopped: what is under way then has ten seconds to end. Several workers share a queue.
Secrets, settings, keys of models and MCP servers are those of the worker's environment and home; files are those of its machine, in
the folder that a run was begun in.

With --steps it takes steps only: of a queue that runs send steps of one kind to, such as those that want a shell (--place
shell=QUEUE where the runs are begun).`,
		Example: "  pflow-temporal worker\n  pflow-temporal worker --queue pflow-shell --steps --concurrency 4",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("%s takes no words: %q", c.CommandPath(), args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error {
			return a.work(c.Context(), concurrency, stepsOnly)
		},
	}
	c.Flags().IntVar(&concurrency, "concurrency", 0, "how many steps at the same time (default 1000)")
	c.Flags().BoolVar(&stepsOnly, "steps", false, "take steps only, no runs")
	return c
}

// work is a worker until the context ends.
func (a *app) work(ctx context.Context, concurrency int, stepsOnly bool) error {
	if concurrency < 0 {
		return usage("--concurrency %d: want a number of steps", concurrency)
	}
	home, err := a.home()
	if err != nil {
		return err
	}
	h, err := host.Open(host.Options{Home: home, Getenv: a.getenv, Environ: os.Environ(), Log: a.log, Version: version()})
	if err != nil {
		return usage("%v", err)
	}
	c, err := a.connect(ctx, sdklog.NewStructuredLogger(slog.New(troubles{slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelWarn})})))
	if err != nil {
		return err
	}
	o := drive.WorkerOptions()
	o.MaxConcurrentActivityExecutionSize, o.DisableWorkflowWorker = concurrency, stepsOnly
	w := worker.New(c, a.queue, o)
	register := drive.Register
	if stepsOnly {
		register = drive.RegisterAttempts
	}
	register(w, &drive.Programs{Compile: h.Compile}, h.Within)
	if err := w.Start(); err != nil {
		return fail(outcome.Failed, "the worker cannot be started: %v", err)
	}
	what := "runs"
	if stepsOnly {
		what = "steps"
	}
	a.say("taking %s from the queue %s", what, a.queue)
	<-ctx.Done()
	a.say("stopping: what is under way has %s to end", o.WorkerStopTimeout)
	w.Stop()
	return &outcome.Error{Code: outcome.Failed} // the signal's status, as of any program
}

// troubles shows what somebody has to see to.
type troubles struct{ slog.Handler }

// Handle implements slog.Handler. That an attempt hears of its cancellation is no trouble.
func (t troubles) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == "RecordActivityHeartbeat with error" && strings.Contains(attr(r, "Error"), "canceled") {
		return nil
	}
	return t.Handler.Handle(ctx, r)
}

// attr is an attribute of a record, "" if it has none of the name.
func attr(r slog.Record, name string) (out string) {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == name {
			out = a.Value.String()
		}
		return out == ""
	})
	return out
}

// WithAttrs implements slog.Handler.
func (t troubles) WithAttrs(attrs []slog.Attr) slog.Handler {
	return troubles{t.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (t troubles) WithGroup(name string) slog.Handler { return troubles{t.Handler.WithGroup(name)} }

// log shows a line of a step.
func (a *app) log(level, message string) {
	if level == "warning" {
		message = "warning: " + message
	} else if a.quiet {
		return
	}
	fmt.Fprintln(a.stderr, message)
}
