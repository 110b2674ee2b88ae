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

// servingSchema names the shape of the line of `pflow serve --json`.
const servingSchema = "pflow.serving/v1"

func (a *app) serveCommand() *cobra.Command {
	l := &schedule.Loop{}
	var o pageOptions
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the page of this home and carry out its schedules, until it is stopped",
		Long: `Serve the page of this home and carry out its schedules, until it is stopped.

The page asks, shows and runs in a browser what the commands do, and has their JSON as an API (docs/api.md). Its address is printed
with a token that lets in whoever has it; open it once. --listen ADDRESS:PORT puts it elsewhere (without it another port is taken
if 7353 is not free), --listen off leaves it out. What others can reach needs --tls CERT,KEY, or --public ORIGIN
where a proxy encrypts and shows the page as that, or --insecure. --json prints the address as a JSON object a line.

There is one process that carries out the schedules of a home; where there is one already, only the page is served. Schedules that
are added, changed or removed meanwhile are taken over. Each run is a process of its own. What is to run is on the disk before it
runs: after a crash nothing is run twice, and what was missed goes by the rule of its schedule (--missed of pflow schedule add). A
run that was itself killed is left for pflow resume.

SIGTERM or SIGINT: what the page began is stopped, and pflow resume goes on with it. No more is begun of the schedules, and their
runs that go on are waited for, at most --wait; those that take longer go on without it.`,
		Example: "  pflow serve\n  pflow serve --listen 0.0.0.0:7353 --tls cert.pem,key.pem\n  pflow serve --public https://pflow.example.com\n  pflow serve --listen off --together 8 --wait 5m",
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
			return a.serve(c.Context(), l, &o)
		},
	}
	c.Flags().StringVar(&o.listen, "listen", pageAddress, "the `ADDRESS` and port of the page; off: no page")
	c.Flags().StringVar(&o.tls, "tls", "", "encrypt by the certificate and the key in these files (`CERT,KEY`)")
	c.Flags().StringVar(&o.public, "public", "", "the `ORIGIN` under which a proxy shows the page, such as https://pflow.example.com")
	c.Flags().BoolVar(&o.insecure, "insecure", false, "let --listen name what others can reach though nothing is encrypted")
	c.Flags().IntVar(&l.Together, "together", max(2, runtime.NumCPU()), "how many runs of schedules at the same time, the others wait")
	c.Flags().DurationVar(&l.Wait, "wait", 30*time.Second, "how long to wait for runs of schedules at the end")
	c.Flags().DurationVar(&l.Still, "still", 2*time.Second, "how long a file that arrives must not change before it is taken")
	return c
}

func (a *app) serve(ctx context.Context, l *schedule.Loop, o *pageOptions) error {
	cert, err := o.check()
	if err != nil {
		return err
	}
	l.Store, l.NewRun, l.Outcome = a.schedules(), journal.NewID, a.outcome
	release, holder, err := l.Store.Serving(os.Getpid(), time.Now())
	switch {
	case err != nil:
		return fail(exitFailed, "%s", fileError(err))
	case holder != "" && o.listen == "off":
		return fail(exitFailed, "the schedules of %s are carried out already, by %s", a.homeDir(), holder)
	case holder == "":
		defer release()
	}
	if err := a.prepareLoop(l); err != nil {
		return err
	}
	if o.listen != "off" {
		p, err := a.servePage(o, cert, l.Log)
		if err != nil {
			return err
		}
		until, end := context.WithCancel(ctx)
		ended := fault.Async(func() (struct{}, error) {
			<-until.Done()
			l.Log("ending: the page answers no more")
			p.stop()
			return struct{}{}, nil
		})
		defer func() {
			end()
			<-ended
		}()
		if err := a.tellPage(p.url, holder == ""); err != nil {
			return err
		}
	}
	if holder != "" {
		l.Log("the schedules of %s are carried out already, by %s: this is the page only", a.homeDir(), holder)
		<-ctx.Done()
		return nil
	}
	l.Log("carrying out %d schedules of %s", len(l.Store.Names()), a.homeDir())
	if left := l.Serve(ctx); len(left) > 0 {
		l.Log("these runs go on without it: %s; see pflow runs list", strings.Join(left, ", "))
	}
	return nil
}

// tellPage prints where the page is.
func (a *app) tellPage(url string, schedules bool) error {
	if a.asJSON {
		return a.encodeJSON(map[string]any{"schema": servingSchema, "url": url, "home": a.homeDir(), "pid": os.Getpid(), "schedules": schedules}, "")
	}
	_, err := fmt.Fprintf(a.stdout, "the page: %s\n", url)
	return err
}

// prepareLoop says how runs of schedules are begun, and what of them is told.
func (a *app) prepareLoop(l *schedule.Loop) error {
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
