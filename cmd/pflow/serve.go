package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"pflow/engine/journal"
	"pflow/internal/fault"
	"pflow/internal/printable"
	"pflow/internal/process"
	"pflow/internal/schedule"
	"pflow/internal/written"
)

func (a *app) serveCommand() *cobra.Command {
	l := &schedule.Loop{}
	var listen string
	c := &cobra.Command{
		Use:   "serve",
		Short: "Carry out the schedules of this home, until it is stopped",
		Long: `Carry out the schedules of this home, until it is stopped. There is one such process for a home. Schedules that are added, changed or
removed meanwhile are taken over. Each run is a process of its own. What is to run is on the disk before it runs: after a crash
nothing is run twice, and what was missed goes by the rule of its schedule (--missed of pflow schedule add). A run that was
itself killed is left for pflow resume.

SIGTERM or SIGINT: no more is begun, and the runs that go on are waited for, at most --wait; those that take longer go on
without it.`,
		Example: "  pflow serve\n  pflow serve --together 8 --wait 5m",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.needsHome(); err != nil {
				return err
			}
			switch {
			case l.Together < 1:
				return usage("--together %d: want 1 or more", l.Together)
			case l.Wait < 0:
				return usage("--wait %s: want no less than 0s", l.Wait)
			case l.Still < 0:
				return usage("--still %s: want no less than 0s", l.Still)
			}
			return a.serve(c.Context(), l, listen)
		},
	}
	c.Flags().StringVar(&listen, "listen", pageAddress, "the `ADDRESS` of the page; off: no page")
	c.Flags().IntVar(&l.Together, "together", max(2, runtime.NumCPU()), "how many runs at the same time, the others wait")
	c.Flags().DurationVar(&l.Wait, "wait", 30*time.Second, "how long to wait for runs at the end")
	c.Flags().DurationVar(&l.Still, "still", 2*time.Second, "how long a file that arrives must not change before it is taken")
	return c
}

func (a *app) serve(ctx context.Context, l *schedule.Loop, listen string) error {
	l.Store, l.NewRun, l.Outcome = a.schedules(), journal.NewID, a.outcome
	release, holder, err := l.Store.Serving(os.Getpid(), time.Now())
	switch {
	case err != nil:
		return fail(exitFailed, "%s", fileError(err))
	case holder != "":
		return fail(exitFailed, "the schedules of %s are carried out already, by %s", a.homeDir(), holder)
	}
	defer release()
	program, err := os.Executable()
	if err != nil {
		return fail(exitFailed, "this program is not found: %v", err)
	}
	l.Untold = func(one *schedule.Schedule, run string) bool { return a.untold(one.Name, one.Workflow, run) }
	l.Run = func(one *schedule.Schedule, f schedule.Firing, stop <-chan struct{}) (string, error) {
		args := []string{"schedule", "run", one.Name, "--firing", f.Run, "--home", a.homeDir(), "--batch", "--quiet"}
		if a.otlp != "" {
			args = append(args, "--otlp", string(a.otlp))
		}
		said, err := runApart(stop, program, args...)
		for _, line := range said {
			if warning, ok := strings.CutPrefix(line, warned+" "); ok {
				l.Log("%s: %s", one.Name, warning)
			}
		}
		return strings.TrimPrefix(said[len(said)-1], "pflow: "), err
	}
	l.Own = func(workflow, path string) bool {
		real, err := filepath.EvalSymlinks(path)
		return err == nil && (&written.Run{Home: a.homeDir(), Workflow: workflow}).May(real)
	}
	var logging sync.Mutex // runs are waited for beside the loop
	l.Log = func(format string, args ...any) {
		logging.Lock()
		defer logging.Unlock()
		if !a.quiet {
			fmt.Fprintf(a.stderr, "%s %s\n", time.Now().Format(time.DateTime), printable.Line(fmt.Sprintf(format, args...)))
		}
	}
	if listen != "off" {
		url, stop, err := a.servePage(listen)
		if err != nil {
			return err
		}
		defer stop()
		fmt.Fprintf(a.stdout, "the page: %s\n", url)
	}
	l.Log("carrying out %d schedules of %s", len(l.Store.Names()), a.homeDir())
	if left := l.Serve(ctx); len(left) > 0 {
		l.Log("these runs go on without it: %s; see pflow runs list", strings.Join(left, ", "))
	}
	return nil
}

// maxSaid bounds what is kept of what a run says at its end, in bytes.
const maxSaid = 4000

// runApart runs a program in a session of its own, which goes on if this process ends. It gives the last lines of its standard
// error, one at least, and once stop is closed waits no longer.
func runApart(stop <-chan struct{}, program string, args ...string) (said []string, err error) {
	said = []string{""}
	// A pipe would end the program where this process ends.
	f, err := os.CreateTemp("", "pflow-said-*")
	if err != nil {
		return said, err
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return said, err
	}
	cmd := exec.Command(program, args...)
	cmd.Stderr = f
	process.Independent(cmd)
	if err := cmd.Start(); err != nil {
		return said, err
	}
	done := fault.Async(func() (struct{}, error) { return struct{}{}, cmd.Wait() })
	select {
	case <-stop:
		return said, nil
	case ended := <-done:
		err = ended.Err
	}
	said = lastLines(f)
	switch cmd.ProcessState.ExitCode() {
	case exitDeclined:
		err = &schedule.Refused{}
	case -1:
		err = &schedule.Killed{}
	}
	return said, err
}

// lastLines reads the last lines of a file, one at least.
func lastLines(f *os.File) []string {
	size, _ := f.Seek(0, io.SeekEnd)
	from := max(0, size-maxSaid)
	data, _ := io.ReadAll(io.NewSectionReader(f, from, size-from))
	return strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(data), "")), "\n")
}
