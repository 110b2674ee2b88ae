// Command evaluation measures the planner without a model on public requests with known answers, and writes docs/evaluation.md.
//
//	go run ./internal/evaluation -data DIR -pflow PROGRAM -out docs/evaluation.md [-results DIR] [-made]
//
// The data are no part of this repository. DIR holds run.sh, score.py and README.md, a folder with a set.json for each set, and
// newcomer/run.py with its cases; docs/evaluation.md says what each of them does. It needs bash and Python 3.11.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

// options are the flags.
type options struct {
	data, pflow, out string
	results          string // the folder that results are kept in; "" is one that is removed
	made             bool   // the results are there, and nothing is run
	date, commit     string // what the page says it was made at, and of
	jobs             string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "evaluation:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	var o options
	f := flag.NewFlagSet("evaluation", flag.ContinueOnError)
	f.StringVar(&o.data, "data", "", "the `DIR` that holds the sets")
	f.StringVar(&o.pflow, "pflow", "", "the `PROGRAM` that is measured")
	f.StringVar(&o.out, "out", "docs/evaluation.md", "the `FILE` that is written")
	f.StringVar(&o.results, "results", "", "keep the results in this `DIR`")
	f.BoolVar(&o.made, "made", false, "write the page from the results that are in -results; run nothing")
	f.StringVar(&o.date, "date", time.Now().Format(time.DateOnly), "the `DATE` of the measurement")
	f.StringVar(&o.commit, "commit", "", "the `COMMIT` that was measured; that of the working directory if not given")
	f.StringVar(&o.jobs, "jobs", "2", "how `MANY` cases of the sandbox run at once")
	if err := f.Parse(args); err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	sets, err := setsIn(o.data)
	if err != nil {
		return err
	}
	if o.results == "" {
		if o.results, err = os.MkdirTemp("", "pflow-evaluation-"); err != nil {
			return err
		}
		defer os.RemoveAll(o.results)
	}
	if o.commit == "" {
		text, err := exec.CommandContext(ctx, "git", "rev-parse", "--short", "HEAD").Output()
		if err != nil {
			return fmt.Errorf("which commit is this? name it by -commit: %w", err)
		}
		o.commit = strings.TrimSpace(string(text))
	}
	if !o.made {
		if err := o.measure(ctx, sets); err != nil {
			return err
		}
	}
	page, err := o.page(sets)
	if err != nil {
		return err
	}
	return os.WriteFile(o.out, []byte(page), 0o644)
}

func (o *options) check() error {
	switch {
	case o.data == "":
		return errors.New("say where the data are: make eval EVAL=DIR; docs/evaluation.md says what DIR holds")
	case o.made && o.results == "":
		return errors.New("-made wants the folder of the results: -results DIR")
	case !o.made && o.pflow == "":
		return errors.New("say which program is measured: -pflow PROGRAM")
	}
	for _, name := range []string{"run.sh", "score.py", "README.md", "newcomer/run.py", "newcomer/cases.jsonl"} {
		if _, err := os.Stat(filepath.Join(o.data, name)); err != nil {
			return fmt.Errorf("the folder of the data has no %s: %w; docs/evaluation.md says what it holds", name, err)
		}
	}
	return nil
}

// setsIn names the sets of a folder, sorted.
func setsIn(data string) ([]string, error) {
	found, err := fs.Glob(os.DirFS(data), "*/set.json")
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s has no set: no folder in it has a set.json", data)
	}
	for i, name := range found {
		found[i] = filepath.Dir(name)
	}
	return found, err
}

// measure runs the sandbox and every set. The scripts of the data say how a set is run, and score it.
func (o *options) measure(ctx context.Context, sets []string) error {
	pflow, err := filepath.Abs(o.pflow)
	if err != nil {
		return err
	}
	results, err := filepath.Abs(o.results)
	if err != nil {
		return err
	}
	for _, set := range sets {
		if err := script(ctx, o.data, "bash", "run.sh", set, pflow, results); err != nil {
			return fmt.Errorf("the set %s: %w", set, err)
		}
	}
	err = script(ctx, filepath.Join(o.data, "newcomer"), "python3", "run.py", pflow, "--jobs", o.jobs, "--out", filepath.Join(results, sandboxRows))
	if err != nil {
		return fmt.Errorf("the sandbox: %w", err)
	}
	return nil
}

// script runs a program of the data; what it says is shown.
func script(ctx context.Context, dir, name string, args ...string) error {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Stdout, c.Stderr = dir, os.Stderr, os.Stderr
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second
	return c.Run()
}
