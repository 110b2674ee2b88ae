package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"pflow/engine"
	"pflow/flows"
	"pflow/internal/diag"
	"pflow/internal/fault"
	"pflow/internal/filewatch"
	"pflow/internal/home"
	"pflow/internal/llm"
	"pflow/internal/otlp"
	"pflow/internal/outcome"
	"pflow/internal/printable"
	"pflow/internal/runs"
	"pflow/internal/secret"
	"pflow/internal/settings"
	"pflow/internal/split"
	"pflow/prompts"
)

// app is the program as a function of its surroundings. Nothing below this package reads the environment, prints or
// exits.
//
// What is printed goes one of three ways. stdout is for people: listings and the like, in which controls are escaped.
// results takes outputs and documents byte for byte, unless somebody looks at them on a terminal. stderr is the screen,
// which escapes too; what pflow itself styles there goes through say.
type app struct {
	stdin           io.Reader
	stdout, results io.Writer
	stderr          io.Writer
	getenv          func(string) string

	printed *output // what stdout and results write to

	globalFlags
	*options // of the command that runs

	root     *cobra.Command
	commands map[*cobra.Command]*options

	traces *otlp.Exporter // of the runs of this process

	noLog bool                    // the log op shows nothing
	watch func(engine.Transition) // told of each step that ends; nil: nobody is

	sampling llm.Completer // the models of the clients that are served; nil: none are
	samples  bool          // the client of this call offers its model

	screen *screen // what stderr is

	in *patient // stdin, for reading that a signal ends

	homeOnce sync.Once
	homeGot  home.Home

	secretsOnce sync.Once
	secretsGot  *secret.Store

	historyOnce sync.Once
	historyGot  *runs.History

	known *knownFlows // that were looked at

	asker        split.Asked           // who is asked about plans that pflow plan makes; "": nobody
	begun        func(run string)      // told of each run that begins or goes on; nil: nobody is
	onExperiment func(id string)       // told of the experiment that is run; nil: nobody is
	stopHere     func(run string) bool // stops what works on a run in this process, if something does; nil: nothing but this command is here

	failed func(*exitError) // told why the command failed, where that is shown elsewhere than at a terminal; nil: it is shown at one

	by string // who starts runs, "" for the person at the command line

	from []string // steps that the run which is begun runs again, of one that runs another again

	reads *filewatch.Files // what flows and cases are read from is noted here; nil: nobody asks

	files map[string][]byte // what stands for files of these names; nil: the files do

	dir string // where the nodes of runs begin, "" for the working directory

	settingsOnce sync.Once
	settingsGot  *settings.Settings
	settingsErr  error

	completing bool // a shell asks
}

func newApp(stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) *app {
	s := newScreen(stderr, getenv)
	out := &output{w: stdout}
	a := &app{stdin: stdin, in: newPatient(stdin), stdout: printable.NewWriter(out), results: out, printed: out, stderr: s, screen: s, getenv: getenv, options: &options{}}
	a.known = &knownFlows{ops: sync.OnceValue(func() *engine.Registry { return a.host().Ops() }), by: map[string]*lookedAt{}}
	if isTerminal(stdout) {
		a.results = a.stdout
	}
	return a
}

// main runs one command line and gives the exit status.
func (a *app) main(ctx context.Context, args []string) int {
	a.completing = len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd)
	root := a.rootCommand()
	root.SetArgs(args)
	root.DisableFlagParsing = !a.completing // requests have dashes, too
	a.traces = a.newTraces()
	err := fault.Guard(func() error { return root.ExecuteContext(engine.WithTracer(ctx, a.traces)) })
	a.screen.pause() // for good: what a panic left under way draws no more
	a.sendTraces()
	if a.printed.err != nil {
		err = fail(exitFailed, "standard output: %v", reason(a.printed.err))
	}
	if a.historyGot != nil {
		_ = a.historyGot.Close() // what it holds can be made again
	}
	code := a.status(err)
	if signalled, ok := interrupted(ctx); ok && code != exitDone {
		return signalled
	}
	return code
}

// completes says what completes the value of a flag. cobra keeps that as long as the process lives, and with it the command and all that it
// held: so only where a shell asks, and not in each of the many commands that pflow serve carries out.
func (a *app) completes(c *cobra.Command, flag string, f cobra.CompletionFunc) {
	if a.completing {
		_ = c.RegisterFlagCompletionFunc(flag, f) // of a flag that there is
	}
}

// output keeps the first error of a stream, so that a result that could not be written is never exit status 0.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	o.err = err
	return n, err
}

// together is how long equal signals count as one. GNU timeout and others signal a program and then its process group, so
// that the program hears everything twice; nobody means something else by it so soon.
const together = 500 * time.Millisecond

// notify gives a context that the first signal ends, with the signal as its cause. A second one ends the process as
// signals do, unless it repeats the first at once.
func (a *app) notify(ctx context.Context, listen func(chan<- os.Signal), exit func(int)) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	c := make(chan os.Signal, 2)
	listen(c)
	fault.Go(func() {
		var first os.Signal
		select {
		case first = <-c:
			cancel(&signalError{first})
		case <-ctx.Done():
			return
		}
		for at := time.Now(); ; {
			again := <-c
			if again == first && time.Since(at) < together {
				continue
			}
			code, _ := interrupted(ctx)
			fmt.Fprintf(a.stderr, "pflow: %s again: not waiting for what is under way\n", again)
			exit(code)
			return
		}
	}, func(err error) { cancel(err) })
	return ctx, func() { cancel(nil) }
}

// home is where pflow keeps its files.
func (a *app) home() home.Home {
	a.homeOnce.Do(func() { a.homeGot = home.Find(a.homeFlag, a.getenv) })
	return a.homeGot
}

// history is the runs of the home.
func (a *app) history() *runs.History {
	a.historyOnce.Do(func() {
		a.historyGot = runs.Of(a.homeDir())
		a.historyGot.Leaving = a.leaving
		a.historyGot.Opened = a.begun
	})
	return a.historyGot
}

// homeDir is the folder of the home, "" if there is none.
func (a *app) homeDir() string { return a.home().Dir() }

// homeNamed reports whether --home says where the home is, so that other commands need it, too.
func (a *app) homeNamed() bool { return a.home().Source() == home.Flag }

// homeFlags are the flags by which another command of pflow finds the same home.
func (a *app) homeFlags() []string {
	if !a.homeNamed() {
		return nil
	}
	return []string{"--home", a.homeDir()}
}

// needsHome is the error of what is about the files of a home, or writes there, where there is none.
func (a *app) needsHome() error {
	err := a.home().Err()
	switch {
	case errors.Is(err, home.ErrNone):
		return usage("%v", err)
	case err != nil:
		return fail(exitFailed, "%v", err)
	}
	return nil
}

// folders is where flows and prompts are looked up.
func (a *app) folders() engine.Folders {
	return engine.Folders{Home: a.homeDir(), Flows: flows.FS, Prompts: prompts.FS}
}

// setFlags reads the --set flags.
func (a *app) setFlags() ([]engine.Setting, error) {
	var out []engine.Setting
	for _, s := range a.set {
		path, v, ok := strings.Cut(s, "=")
		if !ok || path == "" {
			return nil, usage("--set %q: want PATH=VALUE, as in --set params.max_attempts=2", s)
		}
		out = append(out, engine.Setting{Path: path, Value: v})
	}
	return out, nil
}

// document reads the flow that an argument names: a file, or a flow of the home or of pflow itself.
func (a *app) document(res engine.Resources, arg string) (engine.Document, error) {
	if engine.IsPath(arg) {
		doc, err := engine.ReadDocument(engine.FlowDocument, arg)
		if err != nil {
			return doc, usage("%s", fileError(err))
		}
		if isWorkflow(arg, doc.Data) {
			return doc, usage("%s is a workflow, not a flow; run it with: pflow run %[2]s, check it with: pflow validate %[2]s", arg, shellQuote(arg))
		}
		return doc, nil
	}
	doc, err := res.Find(engine.FlowDocument, arg, nil)
	switch {
	case errors.Is(err, engine.ErrNoDocument):
		for _, file := range []string{arg, arg + ".yaml", arg + ".yml"} {
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
				return doc, &exitError{Code: exitUsage, Message: fmt.Sprintf("there is no flow %q", arg), Do: "; for the file in this directory say ./" + file, Absent: true}
			}
		}
		return doc, absent(arg, engine.Meant(res, engine.FlowDocument, arg, nil), "pflow flow list", "there is no flow %q", arg)
	case err != nil:
		return doc, usage("%s", fileError(err))
	}
	return doc, nil
}

// fileError says an error of the file system without its system call.
func fileError(err error) string {
	var e *fs.PathError
	if errors.As(err, &e) {
		return printable.Line(e.Path) + ": " + e.Err.Error()
	}
	return err.Error()
}

// documentError is the error of a document that could not be read: its findings, or why its file cannot be.
func documentError(err error) error {
	var invalid *diag.Err
	if errors.As(err, &invalid) {
		return err
	}
	return usage("%s", fileError(err))
}

// reason is fileError for a file that the message names already.
func reason(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// log shows a line of a running flow.
func (a *app) log(level, message string) {
	if level == "warning" {
		message = "warning: " + message
	} else if a.quiet {
		return
	}
	if !a.noLog {
		fmt.Fprintln(a.stderr, message)
	}
}

// warned begins a warning.
const warned = "pflow: warning:"

func (a *app) warn(format string, args ...any) {
	a.say(styled{codeYellow, warned}, " "+fmt.Sprintf(format, args...)+"\n")
}

// maxAnswer bounds a line of standard input that is an answer, in bytes.
const maxAnswer = 1 << 20

// readLine asks for a line of standard input.
func (a *app) readLine(ctx context.Context, prompt string) (string, error) {
	asked := ""
	if prompt != "" {
		asked = ": " + prompt
	}
	if a.batch {
		return "", fault.New(fault.InvalidRequest, "nothing is asked in batch mode%s", asked)
	}
	if prompt != "" && isTerminal(a.stdin) {
		defer a.screen.pause()()
		a.say(styled{codeBold, printable.Line(prompt)}, ": ")
	}
	line, err := a.in.line(ctx, maxAnswer)
	switch {
	case err == nil:
		return line, nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, bytes.ErrTooLarge):
		return "", fault.New(fault.InvalidRequest, "the line on standard input is longer than %d MB%s", maxAnswer>>20, asked)
	}
	return "", fault.New(fault.InvalidRequest, "standard input has no more lines%s", asked)
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && info.Mode()&os.ModeDevice != 0 && info.Name() != "null"
}

// printJSON writes a document to standard output as JSON. Who looks at it later on a terminal is not steered by it.
func (a *app) printJSON(v any) error { return a.encodeJSON(v, "  ") }

func (a *app) encodeJSON(v any, indent string) error {
	return outcome.JSON(a.results, v, indent)
}
